//! Jobs: background work that continues after the response was sent and survives restarts.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::{AccountId, Action, Actor, DocumentId, JobId, RepositoryId};
use crate::error::Error;
use crate::service::Service;
use crate::store::jobs;
pub(crate) use crate::store::jobs::{finish, insert_with, progress, waiting};

/// The kind of job that checks a new document against the watches.
pub(crate) const CHECK: &str = "check";
/// The kind of job that checks all documents of a repository for a new watch.
pub(crate) const WATCH: &str = "watch";
/// The kind of job that registers the documents of a file.
pub(crate) const LOAD: &str = "load";

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// It has not started.
    Waiting,
    /// It is running.
    Running,
    /// It has finished.
    Done,
    /// It has failed; it can be retried.
    Failed,
}

impl JobState {
    /// Returns the name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    pub(crate) fn parse(name: &str) -> Self {
        match name {
            "running" => Self::Running,
            "done" => Self::Done,
            "failed" => Self::Failed,
            _ => Self::Waiting,
        }
    }
}

/// A job.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct JobView {
    /// Its id.
    pub id: JobId,
    /// What it does: `check`, `watch` or `load`.
    pub kind: String,
    /// The repository it is about, as the account writes it in paths.
    pub repository: Option<String>,
    /// Its state.
    pub state: JobState,
    /// Its result, or why it failed.
    pub detail: String,
    /// Steps done.
    pub done: u64,
    /// Total steps, if known.
    pub total: Option<u64>,
    /// The number of attempts.
    pub attempts: u32,
    /// When it was created, in seconds since 1970.
    pub created: i64,
    /// When it finished, in seconds since 1970.
    pub finished: Option<i64>,
}

impl Service {
    /// Returns a job of the actor's account.
    ///
    /// # Errors
    /// If it does not exist.
    pub fn job(&self, actor: &Actor, id: JobId) -> Result<JobView, Error> {
        // A key that may register may also follow the job.
        actor.require(Action::ReadOwn)?;
        let found = self.store.read(|read| jobs::find(read, actor, id))?;
        found.ok_or_else(|| Error::not_found("job", &id.to_string()))
    }

    /// Returns the jobs of the actor's account, the latest first.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn jobs(
        &self,
        actor: &Actor,
        state: Option<&str>,
        before: Option<JobId>,
        limit: u32,
    ) -> Result<Vec<JobView>, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| jobs::list(read, actor, state, before, limit))
    }

    /// Retries a failed job.
    ///
    /// # Errors
    /// If it does not exist or has not failed.
    pub fn retry_job(&self, actor: &Actor, id: JobId) -> Result<JobView, Error> {
        actor.require(Action::ChangeOwn)?;
        let by = actor.clone();
        if !self.store.write(move |write| jobs::retry(write, &by, id))? {
            return Err(Error::not_found("failed job", &id.to_string()));
        }
        self.work.notify();
        self.job(actor, id)
    }

    /// Deletes a failed job, and the file it was to read.
    ///
    /// # Errors
    /// If it does not exist or has not failed.
    pub fn delete_job(&self, actor: &Actor, id: JobId) -> Result<(), Error> {
        actor.require(Action::ChangeOwn)?;
        let by = actor.clone();
        let deleted = self.store.write(move |write| jobs::delete_failed(write, &by, id))?;
        let payload = deleted.ok_or_else(|| Error::not_found("failed job", &id.to_string()))?;
        self.clear_upload(payload.as_deref());
        Ok(())
    }
}

/// A job that is waiting or was interrupted.
#[derive(Clone, Debug)]
pub(crate) struct PendingJob {
    pub(crate) id: JobId,
    pub(crate) kind: String,
    pub(crate) account: Option<AccountId>,
    pub(crate) repository: Option<RepositoryId>,
    pub(crate) document: Option<DocumentId>,
    pub(crate) payload: Option<String>,
    pub(crate) created: i64,
}
