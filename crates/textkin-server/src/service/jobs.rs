//! Jobs: background work that continues after the response was sent and survives restarts.

use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Service;
use crate::access::{Actor, Scope};
use crate::error::Error;
use crate::store::now;

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
    pub(crate) fn name(self) -> &'static str {
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
    pub id: i64,
    /// What it does: `check`, `watch` or `load`.
    pub kind: String,
    /// The repository it is about.
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

const COLUMNS: &str = "job.id, kind, repository.name, state, detail, done, total, attempts,
                       job.created, finished";

fn view(row: &Row<'_>) -> rusqlite::Result<JobView> {
    Ok(JobView {
        id: row.get(0)?,
        kind: row.get(1)?,
        repository: row.get(2)?,
        state: JobState::parse(&row.get::<_, String>(3)?),
        detail: row.get(4)?,
        done: row.get(5)?,
        total: row.get(6)?,
        attempts: row.get(7)?,
        created: row.get(8)?,
        finished: row.get(9)?,
    })
}

impl Service {
    /// Returns a job of the actor's account.
    ///
    /// # Errors
    /// If it does not exist.
    pub fn job(&self, actor: &Actor, id: i64) -> Result<JobView, Error> {
        // A key that may register may also follow the job.
        if actor.require_scope(Scope::Register).is_err() {
            actor.require_scope(Scope::Read)?;
        }
        self.store.read(|read| {
            let sql = format!(
                "SELECT {COLUMNS} FROM job LEFT JOIN repository ON repository.id = repository
                 WHERE job.id = ?1 AND account = ?2 AND (?3 IS NULL OR repository = ?3)"
            );
            let row = params![id, actor.account, actor.only];
            let found = read.prepare_cached(&sql)?.query_row(row, view).optional()?;
            found.ok_or_else(|| Error::not_found("job", &id.to_string()))
        })
    }

    /// Returns the jobs of the actor's account, the latest first.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn jobs(
        &self,
        actor: &Actor,
        state: Option<&str>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<JobView>, Error> {
        actor.require_scope(Scope::Read)?;
        self.store.read(|read| {
            let sql = format!(
                "SELECT {COLUMNS} FROM job LEFT JOIN repository ON repository.id = repository
                 WHERE account = ?1 AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR job.id < ?3)
                   AND (?4 IS NULL OR repository = ?4)
                 ORDER BY job.id DESC LIMIT ?5"
            );
            let mut statement = read.prepare_cached(&sql)?;
            let row = params![actor.account, state, before, actor.only, limit];
            let rows = statement.query_map(row, view)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Retries a failed job.
    ///
    /// # Errors
    /// If it does not exist or has not failed.
    pub fn retry_job(&self, actor: &Actor, id: i64) -> Result<JobView, Error> {
        actor.require_scope(Scope::Register)?;
        let (account, only) = (actor.account, actor.only);
        self.store.write(move |write| {
            let sql = "UPDATE job SET state = 'waiting', detail = '', finished = NULL
                       WHERE id = ?1 AND account = ?2 AND state = 'failed'
                         AND (?3 IS NULL OR repository = ?3)";
            match write.execute(sql, params![id, account, only])? {
                0 => Err(Error::not_found("failed job", &id.to_string())),
                _ => Ok(()),
            }
        })?;
        self.work.notify();
        self.job(actor, id)
    }

    /// Deletes a failed job, and the file it was to read.
    ///
    /// # Errors
    /// If it does not exist or has not failed.
    pub fn delete_job(&self, actor: &Actor, id: i64) -> Result<(), Error> {
        actor.require_scope(Scope::Register)?;
        let (account, only) = (actor.account, actor.only);
        let payload = self.store.write(move |write| {
            let sql = "DELETE FROM job WHERE id = ?1 AND account = ?2 AND state = 'failed'
                         AND (?3 IS NULL OR repository = ?3) RETURNING payload";
            let deleted = write
                .query_row(sql, params![id, account, only], |row| row.get::<_, Option<String>>(0));
            deleted.optional()?.ok_or_else(|| Error::not_found("failed job", &id.to_string()))
        })?;
        self.clear_upload(payload.as_deref());
        Ok(())
    }
}

/// A job that is waiting or was interrupted.
#[derive(Clone, Debug)]
pub(crate) struct PendingJob {
    pub(crate) id: i64,
    pub(crate) kind: String,
    pub(crate) account: Option<i64>,
    pub(crate) repository: Option<i64>,
    pub(crate) document: Option<u64>,
    pub(crate) payload: Option<String>,
    pub(crate) created: i64,
}

/// Inserts a job.
pub(crate) fn insert(
    write: &Transaction<'_>,
    kind: &str,
    account: Option<i64>,
    repository: Option<i64>,
    document: Option<i64>,
) -> Result<i64, Error> {
    insert_with(write, kind, account, repository, document, None)
}

/// Inserts a job with a payload.
pub(crate) fn insert_with(
    write: &Transaction<'_>,
    kind: &str,
    account: Option<i64>,
    repository: Option<i64>,
    document: Option<i64>,
    payload: Option<&str>,
) -> Result<i64, Error> {
    let sql = "INSERT INTO job (kind, account, repository, document, payload, state, created)
               VALUES (?1, ?2, ?3, ?4, ?5, 'waiting', ?6)";
    let row = params![kind, account, repository, document, payload, now()];
    write.prepare_cached(sql)?.execute(row)?;
    Ok(write.last_insert_rowid())
}

/// Returns the waiting jobs, in order. Jobs that were running when the server stopped are among them:
/// nothing of them was stored.
pub(crate) fn waiting(
    read: &Transaction<'_>,
    is_check: bool,
    limit: usize,
) -> Result<Vec<PendingJob>, Error> {
    // Each of the two has its own index, so that many checks do not delay the other jobs.
    let kind = if is_check { "kind = 'check'" } else { "kind <> 'check'" };
    let sql = format!(
        "SELECT id, kind, account, repository, document, payload, created FROM job
         WHERE state IN ('waiting', 'running') AND {kind} ORDER BY id LIMIT ?1"
    );
    let mut statement = read.prepare_cached(&sql)?;
    let rows = statement.query_map([limit], |row| {
        Ok(PendingJob {
            id: row.get(0)?,
            kind: row.get(1)?,
            account: row.get(2)?,
            repository: row.get(3)?,
            document: row.get::<_, Option<i64>>(4)?.map(i64::cast_unsigned),
            payload: row.get(5)?,
            created: row.get(6)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Stores the outcome of a job.
pub(crate) fn finish(
    write: &Transaction<'_>,
    id: i64,
    outcome: Result<&str, &str>,
) -> Result<(), Error> {
    let (state, detail) = match outcome {
        Ok(detail) => ("done", detail),
        Err(reason) => ("failed", reason),
    };
    let sql = "UPDATE job SET state = ?2, detail = ?3, finished = ?4, attempts = attempts + 1
               WHERE id = ?1";
    write.prepare_cached(sql)?.execute(params![id, state, detail, now()])?;
    Ok(())
}

/// Stores the progress of a job.
pub(crate) fn progress(
    write: &Transaction<'_>,
    id: i64,
    done: u64,
    total: Option<u64>,
    detail: &str,
) -> Result<(), Error> {
    let sql = "UPDATE job SET state = 'running', done = ?2, total = ?3, detail = ?4 WHERE id = ?1";
    write.prepare_cached(sql)?.execute(params![id, done, total, detail])?;
    Ok(())
}
