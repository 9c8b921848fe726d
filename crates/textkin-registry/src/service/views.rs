//! Queries that only the pages need: lists in other orders, counts, warnings.

use textkin::engine::types::number::counted;
use textkin::engine::types::{Layers, Tokens};

use crate::domain::{Action, Actor, AlertId, DocumentId, RepositoryId};
use crate::error::Error;
use crate::service::documents::{DocumentView, RemovalReceipt};
use crate::service::origins::DocumentOrigins;
use crate::service::{AlertState, AlertView, PurgeRule, Service};
use crate::store::documents::{self, DocumentOrder};
use crate::store::{accounts, alerts, now, origins};

/// Texts with fewer words get a warning.
const FEW_WORDS: u32 = 50;
/// Seconds within which requests belong to the same visit.
const VISIT: i64 = 1800;

/// The numbers of alerts by state.
#[derive(Clone, Copy, Debug, Default)]
pub struct AlertCounts {
    /// Open alerts.
    pub open: u64,
    /// Open alerts that are assigned to the actor.
    pub mine: u64,
    /// Handled and dismissed alerts.
    pub done: u64,
}

/// A document, and the number of its old words if it was traced.
pub(crate) type DocumentWithOldWords = (DocumentView, Option<u64>);

impl Service {
    /// Counts the words of a text.
    pub fn count_words(&self, text: &str) -> u32 {
        self.index.prepare(text).words
    }

    /// Returns warnings about a text, such as disguised letters or too few words.
    pub fn warnings(&self, text: &str, words: u32) -> Vec<String> {
        let mut tokens = Tokens::new(Layers::SPANS);
        self.index.tokenize(text, &mut tokens);
        let mut warnings: Vec<String> =
            tokens.disguises().notes().iter().map(ToString::to_string).collect();
        if words < FEW_WORDS {
            warnings.push(format!(
                "this text is short: {}",
                counted(u64::from(words), "word", "words")
            ));
        }
        warnings
    }

    /// Returns when the actor last started a visit to the dashboard; a new visit starts after half an
    /// hour.
    pub fn last_visit(&self, actor: &Actor) -> Result<i64, Error> {
        let account = actor.account;
        let row = self.store.read(|read| accounts::by_id(read, account))?;
        let seen = row.map_or(0, |row| row.seen);
        let now = now();
        if now - seen > VISIT {
            self.store.write_soon(move |write| accounts::set_seen(write, account, now))?;
        }
        Ok(seen)
    }

    /// Returns the latest documents that the actor may see.
    pub fn latest_documents(
        &self,
        actor: &Actor,
        limit: u32,
    ) -> Result<Vec<(DocumentView, String)>, Error> {
        self.visible_documents(actor, None, limit)
    }

    /// Finds documents by a part of their title or id.
    pub fn search_documents(
        &self,
        actor: &Actor,
        query: &str,
        limit: u32,
    ) -> Result<Vec<(DocumentView, String)>, Error> {
        if query.is_empty() {
            return Ok(Vec::new());
        }
        self.visible_documents(actor, Some(query), limit)
    }

    fn visible_documents(
        &self,
        actor: &Actor,
        filter: Option<&str>,
        limit: u32,
    ) -> Result<Vec<(DocumentView, String)>, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| {
            let visible = Self::visible(read, actor)?;
            let ids: Vec<RepositoryId> = visible.iter().map(|record| record.id).collect();
            let entries = documents::latest_of_all(read, &ids, filter, limit)?;
            let name = |id: RepositoryId| {
                let record = visible.iter().find(|record| record.id == id);
                record.map_or(String::new(), |record| record.name.clone())
            };
            Ok(entries
                .into_iter()
                .map(|(repository, entry)| {
                    let name = name(repository);
                    (entry.view(&name), name)
                })
                .collect())
        })
    }

    /// Returns a page of the documents of a repository, each with its old words if it was traced, and
    /// the total number of documents.
    pub fn document_page(
        &self,
        actor: &Actor,
        repository: &str,
        filter: Option<&str>,
        sort: &str,
        page: u64,
        size: u32,
    ) -> Result<(Vec<DocumentWithOldWords>, u64), Error> {
        actor.require(Action::Read)?;
        let order = match sort {
            "title" => DocumentOrder::Title,
            "time" => DocumentOrder::Time,
            "words" => DocumentOrder::Words,
            _ => DocumentOrder::Registered,
        };
        self.store.read(|read| {
            let record = Self::resolve(read, actor, repository)?;
            let total = documents::count(read, record.id, filter)?;
            let offset = page.saturating_mul(u64::from(size));
            let entries = documents::page(read, record.id, filter, order, offset, size)?;
            let mut rows = Vec::with_capacity(entries.len());
            for entry in entries {
                let old = origins::old_words(read, entry.number)?;
                rows.push((entry.view(&record.name), old));
            }
            Ok((rows, total))
        })
    }

    /// Deletes several documents of a repository: all of them, or none.
    pub fn delete_all(
        &self,
        actor: &Actor,
        repository: &str,
        ids: &[String],
    ) -> Result<RemovalReceipt, Error> {
        actor.require(Action::ChangeDocuments)?;
        if ids.is_empty() {
            return Err(Error::Invalid("select the documents to delete".to_owned()));
        }
        let (by, repository, ids) = (actor.clone(), repository.to_owned(), ids.to_vec());
        let (removal, numbers) = self.store.write(move |write| {
            let record = Self::resolve(write, &by, &repository)?;
            by.require_in(Action::ChangeDocuments, record.access())?;
            let find = |id: &String| documents::find(write, &record, id);
            let entries = ids.iter().map(find).collect::<Result<Vec<_>, _>>()?;
            documents::remove(write, Some(by.account), &record, &entries, "deleted")
        })?;
        self.index.remove(&numbers);
        self.work.notify();
        Ok(removal)
    }

    /// Counts the alerts by state.
    pub fn alert_counts(&self, actor: &Actor) -> Result<AlertCounts, Error> {
        self.store.read(|read| {
            Ok(AlertCounts {
                open: alerts::n_open(read, actor, false)?,
                mine: alerts::n_open(read, actor, true)?,
                done: alerts::n_done(read, actor)?,
            })
        })
    }

    /// Returns the handled and dismissed alerts, the latest first.
    pub fn done_alerts(
        &self,
        actor: &Actor,
        before: Option<AlertId>,
        limit: u32,
    ) -> Result<Vec<AlertView>, Error> {
        let mut done = self.alerts(actor, Some(AlertState::Handled), false, before, limit)?;
        done.extend(self.alerts(actor, Some(AlertState::Dismissed), false, before, limit)?);
        done.sort_by_key(|alert| std::cmp::Reverse(alert.id));
        done.truncate(limit as usize);
        Ok(done)
    }

    /// Makes an account an administrator, or a normal account again; nobody can change this for
    /// themselves.
    pub fn set_admin(&self, actor: &Actor, name: &str, is_admin: bool) -> Result<(), Error> {
        actor.require(Action::Administer)?;
        if name == actor.name {
            return Err(Error::Conflict(
                "you cannot change your own administrator role".to_owned(),
            ));
        }
        let (by, name) = (actor.account, name.to_owned());
        self.store.write(move |write| match accounts::set_admin(write, &name, is_admin)? {
            false => Err(Error::not_found("account", &name)),
            true => {
                let what = if is_admin { "administrator added" } else { "administrator removed" };
                crate::service::accounts::audit(write, Some(by), what, &name)
            }
        })
    }

    /// Returns the latest traced documents of a repository, in order of registration.
    pub fn traced_documents(
        &self,
        actor: &Actor,
        repository: &str,
        limit: u32,
    ) -> Result<Vec<(DocumentId, DocumentView, DocumentOrigins)>, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| {
            let record = Self::resolve(read, actor, repository)?;
            let mut entries = documents::latest_traced(read, record.id, limit)?;
            entries.reverse();
            let mut traced = Vec::with_capacity(entries.len());
            for entry in entries {
                let number = entry.number;
                let Some(stored) = origins::find(read, number)? else { continue };
                traced.push((number, entry.view(&record.name), serde_json::from_str(&stored)?));
            }
            Ok(traced)
        })
    }
}

impl PurgeRule {
    /// Describes the rule.
    pub fn describe(&self) -> String {
        crate::service::purge::reason(self).trim_start_matches("purged: ").to_owned()
    }
}
