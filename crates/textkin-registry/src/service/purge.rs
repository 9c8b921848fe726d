//! Purges: removes documents by a rule, with a preview before and a receipt after; and retention.

use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::{Action, Actor};
use crate::error::Error;
use crate::service::Service;
use crate::service::documents::RemovalReceipt;
use crate::service::repositories::{RepositoryRecord, check_count, check_days};
use crate::store::documents::{self, DocumentChoice, DocumentRow};
use crate::store::now;
use crate::store::repositories::{self, RetainedRepository};

/// A rule for documents to remove: those that meet all of its conditions.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PurgeRule {
    /// Registered more than this many days ago.
    #[schema(maximum = 36500)]
    pub older_than_days: Option<u32>,
    /// All but this many of the latest.
    #[schema(format = "uint64", maximum = 1_000_000_000_000_i64)]
    pub keep_latest: Option<u64>,
    /// With this text in the id or title.
    pub query: Option<String>,
    /// The number of documents in the preview; the purge is refused if it would remove another number.
    #[schema(format = "uint64")]
    pub expect: Option<u64>,
}

/// A preview of a purge.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PurgePreview {
    /// The number of documents it would remove.
    pub documents: u64,
    /// Their words.
    pub words: u64,
    /// The ids of the first 20.
    pub first: Vec<String>,
    /// When the oldest was registered, in seconds since 1970.
    pub oldest: Option<i64>,
    /// When the newest was registered, in seconds since 1970.
    pub newest: Option<i64>,
}

impl Service {
    /// Returns what a purge would remove.
    ///
    /// # Errors
    /// If the actor lacks the permission, or the rule has no condition.
    pub fn purge_preview(
        &self,
        actor: &Actor,
        repository: &str,
        rule: &PurgeRule,
    ) -> Result<PurgePreview, Error> {
        actor.require(Action::ManageRepository)?;
        self.store.read(|read| {
            let record = Self::resolve(read, actor, repository)?;
            actor.require_in(Action::ManageRepository, record.access())?;
            let entries = select(read, &record, rule)?;
            Ok(PurgePreview {
                documents: entries.len() as u64,
                words: entries.iter().map(|entry| u64::from(entry.words)).sum(),
                first: entries.iter().take(20).map(|entry| entry.id.clone()).collect(),
                oldest: entries.iter().map(|entry| entry.added).min(),
                newest: entries.iter().map(|entry| entry.added).max(),
            })
        })
    }

    /// Removes documents by a rule.
    ///
    /// # Errors
    /// If the actor lacks the permission, the rule has no condition, or another number is expected.
    pub fn purge(
        &self,
        actor: &Actor,
        repository: &str,
        rule: &PurgeRule,
    ) -> Result<RemovalReceipt, Error> {
        actor.require(Action::ManageRepository)?;
        let (by, repository, rule) = (actor.clone(), repository.to_owned(), rule.clone());
        let (removal, numbers) = self.store.write(move |write| {
            let record = Self::resolve(write, &by, &repository)?;
            by.require_in(Action::ManageRepository, record.access())?;
            let entries = select(write, &record, &rule)?;
            if rule.expect.is_some_and(|expected| expected != entries.len() as u64) {
                return Err(Error::Conflict(format!(
                    "this would now remove {} documents; request a new preview",
                    entries.len()
                )));
            }
            documents::remove(write, Some(by.account), &record, &entries, &reason(&rule))
        })?;
        self.index.remove(&numbers);
        self.work.notify();
        Ok(removal)
    }

    /// Deletes a repository with all its documents.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn delete_repository(
        &self,
        actor: &Actor,
        repository: &str,
    ) -> Result<RemovalReceipt, Error> {
        actor.require(Action::ManageRepository)?;
        let (by, repository) = (actor.clone(), repository.to_owned());
        let (removal, numbers, id) = self.store.write(move |write| {
            let record = Self::resolve(write, &by, &repository)?;
            by.require_in(Action::ManageRepository, record.access())?;
            let entries = documents::choose(write, record.id, &DocumentChoice::default())?;
            let reason = "repository deleted";
            let (removal, numbers) =
                documents::remove(write, Some(by.account), &record, &entries, reason)?;
            repositories::delete(write, record.id)?;
            Ok((removal, numbers, record.id))
        })?;
        self.index.remove(&numbers);
        self.index.remove_repository(id);
        self.delete_tracer(id)?;
        self.work.notify();
        Ok(removal)
    }

    /// Removes the documents that exceed the retention rule of their repository.
    pub(crate) fn apply_retention(&self) -> Result<(), Error> {
        for retained in self.store.read(repositories::retained)? {
            let RetainedRepository { record, keep_days, keep_count } = retained;
            let by_days = PurgeRule { older_than_days: keep_days, ..PurgeRule::default() };
            let by_count = PurgeRule { keep_latest: keep_count, ..PurgeRule::default() };
            for rule in [by_days, by_count] {
                if rule.older_than_days.is_none() && rule.keep_latest.is_none() {
                    continue;
                }
                let record = record.clone();
                let removed = self.store.write(move |write| {
                    let entries = select(write, &record, &rule)?;
                    if entries.is_empty() {
                        return Ok(Vec::new());
                    }
                    let reason = format!("retention rule: {}", rule.describe());
                    Ok(documents::remove(write, None, &record, &entries, &reason)?.1)
                })?;
                self.index.remove(&removed);
            }
        }
        Ok(())
    }
}

fn select(
    read: &Transaction<'_>,
    record: &RepositoryRecord,
    rule: &PurgeRule,
) -> Result<Vec<DocumentRow>, Error> {
    let PurgeRule { older_than_days, keep_latest, query, .. } = rule;
    if older_than_days.is_none() && keep_latest.is_none() && query.is_none() {
        return Err(Error::Invalid(
            "a purge needs a condition: older_than_days, keep_latest or query".to_owned(),
        ));
    }
    check_days("older_than_days", *older_than_days)?;
    check_count("keep_latest", *keep_latest)?;
    let before = older_than_days.map(|days| now() - i64::from(days) * 24 * 3600);
    let (except_latest, filter) = (*keep_latest, query.as_deref());
    documents::choose(read, record.id, &DocumentChoice { before, except_latest, filter })
}

pub(crate) fn reason(rule: &PurgeRule) -> String {
    let mut reasons = Vec::new();
    if let Some(days) = rule.older_than_days {
        reasons.push(format!("older than {days} days"));
    }
    if let Some(count) = rule.keep_latest {
        reasons.push(format!("not among the latest {count}"));
    }
    if let Some(query) = &rule.query {
        reasons.push(format!("with '{query}' in id or title"));
    }
    format!("purged: {}", reasons.join(", "))
}
