//! Documents: registering, listing, reading and deleting them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::{Action, Actor, DocumentId, JobId, ReceiptId};
use crate::error::Error;
use crate::matching::index::{PartitionKind, PreparedText};
use crate::service::{Service, pack};
use crate::store::documents::{self, InsertOutcome, NewDocumentRow, PendingText};
use crate::store::{now, origins, removals, responses};

/// The maximum number of characters of an id, title, time, author or label.
const MAX_NAME: usize = 512;

/// A document to be registered.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDocument {
    /// Its id, unique in the repository; derived from its digest if absent.
    #[serde(default)]
    pub id: Option<String>,
    /// Its text.
    pub text: String,
    /// Its title.
    #[serde(default)]
    pub title: Option<String>,
    /// When it was written: a date or a date and time.
    #[serde(default)]
    pub time: Option<String>,
    /// Who wrote it.
    #[serde(default)]
    pub author: Option<String>,
    /// A free label, such as a course, a section or a language.
    #[serde(default)]
    pub label: Option<String>,
    /// Notes of the extractor, such as hidden text or missing parts.
    #[serde(skip)]
    #[schema(ignore)]
    pub notes: Vec<String>,
}

/// What to do if a document with the same id exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExistingPolicy {
    /// Refuse the new one, unless its text is the same.
    #[default]
    Refuse,
    /// Skip the new one.
    Skip,
    /// Replace the existing one.
    Replace,
}

/// A document that was registered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RegisteredDocument {
    /// Its id.
    pub id: String,
    /// Its number of words.
    pub words: u32,
    /// BLAKE3 digest of its text.
    pub digest: String,
    /// The job that checks it; `GET /api/v1/jobs/{job}`.
    pub job: Option<JobId>,
    /// Whether it existed already and nothing was changed.
    pub existed: bool,
}

/// A document.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DocumentView {
    /// Its repository.
    pub repository: String,
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// When it was written, according to its source.
    pub time: Option<String>,
    /// Who wrote it, according to its source.
    pub author: Option<String>,
    /// Its label.
    pub label: Option<String>,
    /// Its number of words.
    pub words: u32,
    /// Bytes of its text.
    pub bytes: u64,
    /// BLAKE3 digest of its text.
    pub digest: String,
    /// When it was registered, in seconds since 1970.
    pub added: i64,
    /// Its text, if it is kept and was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Where its passages came from, if it is in a public repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub origins: Option<serde_json::Value>,
}

/// A receipt for documents that were removed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RemovalReceipt {
    /// Its id.
    pub receipt: ReceiptId,
    /// When they were removed, in seconds since 1970. No probe finds them after that.
    pub at: i64,
    /// The repository.
    pub repository: String,
    /// Why they were removed.
    pub reason: String,
    /// The number of documents.
    pub documents: u64,
    /// Their words.
    pub words: u64,
    /// The ids of the first 1,000 of them, each with the BLAKE3 digest of its text.
    #[schema(value_type = Vec<Object>)]
    pub ids: serde_json::Value,
    /// When their last byte was erased from disk, in seconds since 1970.
    pub erased: Option<i64>,
}

impl Service {
    /// Registers a document. When this returns, it is on disk and probes find it. A repeated `request`,
    /// with the same key and the same digest of its contents, gets the same answer and changes nothing.
    ///
    /// # Errors
    /// If the actor lacks the permission, the id is taken, or the text is too long.
    pub fn register(
        &self,
        actor: &Actor,
        repository: &str,
        new: NewDocument,
        existing: ExistingPolicy,
        request: Option<(String, [u8; 32])>,
    ) -> Result<RegisteredDocument, Error> {
        actor.require(Action::ChangeDocuments)?;
        if new.text.len() > self.limits.text {
            let max_mib = self.limits.text >> 20;
            return Err(Error::TooLarge(format!("a text can have at most {max_mib} MiB")));
        }
        let record = self.store.read(|read| Self::resolve(read, actor, repository))?;
        actor.require_in(Action::ChangeDocuments, record.access())?;
        let prepared = self.index.prepare(&new.text);
        let (entry, text) = check_document(new, &prepared)?;
        let packed = pack(&text)?;
        let (owner, words) = (record.indexed(), prepared.words);
        let digest = blake3::Hash::from_bytes(prepared.digest).to_hex().to_string();
        let account = actor.account;
        let (registered, inserted) = self.store.write(move |write| {
            if let Some((key, request)) = &request
                && let Some(answer) = responses::find(write, account, key, request)?
            {
                return Ok((serde_json::from_str(&answer)?, None));
            }
            let pending = PendingText { account, packed: &packed, existing };
            let inserted = documents::insert(write, &entry, &record, &pending)?;
            let (job, existed) = (inserted.job, inserted.number.is_none());
            let registered = RegisteredDocument { id: entry.id, words, digest, job, existed };
            if let Some((key, request)) = &request {
                let body = serde_json::to_string(&registered)?;
                responses::insert(write, account, key, request, &body)?;
            }
            Ok((registered, Some(inserted)))
        })?;
        if let Some(InsertOutcome { number, replaced, .. }) = inserted {
            if !replaced.is_empty() {
                self.index.remove(&replaced);
            }
            if let Some(number) = number {
                self.index.add(owner, number, text, &prepared)?;
                self.work.notify();
            }
        }
        Ok(registered)
    }

    /// Returns the documents of a repository in the order of their registration, after the number
    /// `after`, and the number to continue after.
    ///
    /// # Errors
    /// If the actor may not see it.
    pub fn documents(
        &self,
        actor: &Actor,
        repository: &str,
        filter: Option<&str>,
        after: Option<DocumentId>,
        limit: u32,
    ) -> Result<(Vec<DocumentView>, Option<DocumentId>), Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| {
            let record = Self::resolve(read, actor, repository)?;
            let page = limit.saturating_add(1);
            let mut entries = documents::list(read, record.id, filter, after, page)?;
            let has_more = entries.len() > limit as usize;
            entries.truncate(limit as usize);
            let next = entries.last().filter(|_| has_more).map(|entry| entry.number);
            Ok((entries.into_iter().map(|entry| entry.view(&record.name)).collect(), next))
        })
    }

    /// Returns one document, with its text if it is kept and `with_text`.
    ///
    /// # Errors
    /// If it does not exist or the actor may not see it.
    pub fn document(
        &self,
        actor: &Actor,
        repository: &str,
        id: &str,
        with_text: bool,
    ) -> Result<DocumentView, Error> {
        actor.require(Action::Read)?;
        let (record, entry, origins) = self.store.read(|read| {
            let record = Self::resolve(read, actor, repository)?;
            let entry = documents::find(read, &record, id)?;
            let origins = origins::find(read, entry.number)?;
            Ok((record, entry, origins))
        })?;
        let text = match with_text && record.keeps_text {
            true => self.index.text(PartitionKind::Texts, entry.number)?,
            false => None,
        };
        let origins = origins.map(|labels| serde_json::from_str(&labels)).transpose()?;
        Ok(DocumentView { text, origins, ..entry.view(&record.name) })
    }

    /// Deletes a document. When this returns, no probe finds it; the receipt shows when its last byte
    /// was erased from disk.
    ///
    /// # Errors
    /// If it does not exist, or the actor may not see or delete it.
    pub fn delete(
        &self,
        actor: &Actor,
        repository: &str,
        id: &str,
    ) -> Result<RemovalReceipt, Error> {
        actor.require(Action::ChangeDocuments)?;
        let (by, repository, id) = (actor.clone(), repository.to_owned(), id.to_owned());
        let (removal, numbers) = self.store.write(move |write| {
            let record = Self::resolve(write, &by, &repository)?;
            by.require_in(Action::ChangeDocuments, record.access())?;
            let entry = documents::find(write, &record, &id)?;
            documents::remove(write, Some(by.account), &record, &[entry], "deleted")
        })?;
        self.index.remove(&numbers);
        self.work.notify();
        Ok(removal)
    }

    /// Returns a receipt for removed documents.
    ///
    /// # Errors
    /// If it does not exist or the actor may not see it.
    pub fn receipt(&self, actor: &Actor, receipt: ReceiptId) -> Result<RemovalReceipt, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| {
            let found = removals::receipt(read, receipt)?;
            let found =
                found.filter(|(_, team)| actor.only.is_none() && actor.role(*team).is_some());
            found
                .map(|(removal, _)| removal)
                .ok_or_else(|| Error::not_found("receipt", &receipt.to_string()))
        })
    }
}

/// Checks a new document; returns its row and its text.
pub(crate) fn check_document(
    new: NewDocument,
    prepared: &PreparedText,
) -> Result<(NewDocumentRow, String), Error> {
    let NewDocument { id, text, title, time, author, label, .. } = new;
    let by_digest =
        || blake3::Hash::from_bytes(prepared.digest).to_hex().chars().take(16).collect::<String>();
    let id = id.filter(|id| !id.is_empty()).unwrap_or_else(by_digest);
    let short = [
        ("id", Some(&id)),
        ("title", title.as_ref()),
        ("time", time.as_ref()),
        ("author", author.as_ref()),
        ("label", label.as_ref()),
    ];
    for (what, value) in short {
        check_field(what, value.map_or("", String::as_str))?;
    }
    let entry = NewDocumentRow {
        id,
        title,
        time,
        author,
        label,
        words: prepared.words,
        bytes: text.len() as u64,
        digest: prepared.digest,
        added: now(),
    };
    Ok((entry, text))
}

/// Fails if a short field of a document is too long or has control characters.
fn check_field(what: &str, text: &str) -> Result<(), Error> {
    if text.chars().count() > MAX_NAME {
        return Err(Error::Invalid(format!(
            "the {what} of a document can have at most 512 characters"
        )));
    }
    if text.chars().any(char::is_control) {
        return Err(Error::Invalid(format!(
            "the {what} of a document cannot contain control characters"
        )));
    }
    Ok(())
}
