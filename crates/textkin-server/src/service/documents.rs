//! Documents: registering, listing, reading and deleting them.

use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::repositories::RepositoryRecord;
use super::{Service, jobs, pack};
use crate::access::{Actor, Role, Scope};
use crate::error::Error;
use crate::index::{PartitionKind, PreparedText};
use crate::store::now;

/// The maximum number of characters of an id, title, time, author or label.
const MAX_NAME: usize = 512;
/// The maximum number of ids that a receipt lists.
const MAX_LISTED: usize = 1000;

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
    pub job: Option<i64>,
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
    pub receipt: i64,
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

/// A row of the table of documents.
#[derive(Clone, Debug)]
pub(crate) struct DocumentRow {
    pub(crate) number: i64,
    pub(crate) id: String,
    pub(crate) title: Option<String>,
    pub(crate) time: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) label: Option<String>,
    pub(crate) words: u32,
    pub(crate) bytes: u64,
    pub(crate) digest: [u8; 32],
    pub(crate) added: i64,
}

impl DocumentRow {
    const COLUMNS: &str = "document.number, document.id, document.title, document.time,
         document.words, document.bytes, document.digest, document.added, document.author,
         document.label";
    /// The number of these columns.
    const N_COLUMNS: usize = 10;

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            number: row.get(0)?,
            id: row.get(1)?,
            title: row.get(2)?,
            time: row.get(3)?,
            words: row.get(4)?,
            bytes: row.get(5)?,
            digest: row.get(6)?,
            added: row.get(7)?,
            author: row.get(8)?,
            label: row.get(9)?,
        })
    }

    pub(crate) fn view(self, repository: &str) -> DocumentView {
        DocumentView {
            repository: repository.to_owned(),
            id: self.id,
            title: self.title,
            time: self.time,
            author: self.author,
            label: self.label,
            words: self.words,
            bytes: self.bytes,
            digest: blake3::Hash::from_bytes(self.digest).to_hex().to_string(),
            added: self.added,
            text: None,
            origins: None,
        }
    }
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
        actor.require_scope(Scope::Register)?;
        if new.text.len() > self.limits.text {
            let max_mib = self.limits.text >> 20;
            return Err(Error::TooLarge(format!("a text can have at most {max_mib} MiB")));
        }
        let record = self.store.read(|read| Self::resolve(read, actor, repository))?;
        actor.require_role(record.access(), Role::Writer)?;
        let prepared = self.index.prepare(&new.text);
        let (entry, text) = check_document(new, &prepared)?;
        let kind = PartitionKind::new(record.keeps_text);
        let packed = pack(&text)?;
        let (owner, words) = (record.index_id(), prepared.words);
        let digest = blake3::Hash::from_bytes(prepared.digest).to_hex().to_string();
        let account = actor.account;
        let (registered, inserted) = self.store.write(move |write| {
            if let Some((key, request)) = &request
                && let Some(answer) = stored_response(write, account, key, request)?
            {
                return Ok((serde_json::from_str(&answer)?, None));
            }
            let pending = PendingText { account, kind, packed: &packed, existing };
            let inserted = insert(write, &entry, &record, &pending)?;
            let (job, existed) = (inserted.job, inserted.number.is_none());
            let registered = RegisteredDocument { id: entry.id, words, digest, job, existed };
            if let Some((key, request)) = &request {
                store_response(write, account, key, request, &serde_json::to_string(&registered)?)?;
            }
            Ok((registered, Some(inserted)))
        })?;
        if let Some(InsertOutcome { number, replaced, .. }) = inserted {
            if !replaced.is_empty() {
                self.index.remove(&replaced);
            }
            if let Some(number) = number {
                self.index.add(kind, number, owner, text, &prepared);
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
        after: Option<i64>,
        limit: u32,
    ) -> Result<(Vec<DocumentView>, Option<i64>), Error> {
        actor.require_scope(Scope::Read)?;
        self.store.read(|read| {
            let record = Self::resolve(read, actor, repository)?;
            let sql = format!(
                "SELECT {} FROM document WHERE repository = ?1 AND number > ?2
                   AND (?3 IS NULL OR instr(lower(id || ' ' || ifnull(title, '')), lower(?3)) > 0)
                 ORDER BY number LIMIT ?4",
                DocumentRow::COLUMNS
            );
            let mut statement = read.prepare_cached(&sql)?;
            let row = params![record.id, after.unwrap_or(0), filter, limit.saturating_add(1)];
            let rows = statement.query_map(row, DocumentRow::read)?;
            let mut entries = rows.collect::<Result<Vec<_>, _>>()?;
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
        actor.require_scope(Scope::Read)?;
        let (record, entry, origins) = self.store.read(|read| {
            let record = Self::resolve(read, actor, repository)?;
            let entry = find(read, &record, id)?;
            let origins: Option<String> = read
                .prepare_cached("SELECT labels FROM origin WHERE number = ?1")?
                .query_row([entry.number], |row| row.get(0))
                .optional()?;
            Ok((record, entry, origins))
        })?;
        let text = match with_text && record.keeps_text {
            true => self.index.text(PartitionKind::Texts, entry.number.cast_unsigned())?,
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
        actor.require_scope(Scope::Register)?;
        let (by, repository, id) = (actor.clone(), repository.to_owned(), id.to_owned());
        let (removal, numbers) = self.store.write(move |write| {
            let record = Self::resolve(write, &by, &repository)?;
            by.require_role(record.access(), Role::Writer)?;
            let entry = find(write, &record, &id)?;
            remove(write, Some(by.account), &record, &[entry], "deleted")
        })?;
        self.index.remove(&numbers);
        self.work.notify();
        Ok(removal)
    }

    /// Returns a receipt for removed documents.
    ///
    /// # Errors
    /// If it does not exist or the actor may not see it.
    pub fn receipt(&self, actor: &Actor, receipt: i64) -> Result<RemovalReceipt, Error> {
        actor.require_scope(Scope::Read)?;
        self.store.read(|read| {
            let sql = "SELECT id, at, repository, reason, documents, words, ids, erased, team
                       FROM receipt WHERE id = ?1";
            let found = read.prepare_cached(sql)?.query_row([receipt], removal).optional()?;
            let found =
                found.filter(|(_, team)| actor.only.is_none() && actor.role(*team).is_some());
            found
                .map(|(removal, _)| removal)
                .ok_or_else(|| Error::not_found("receipt", &receipt.to_string()))
        })
    }
}

fn removal(row: &Row<'_>) -> rusqlite::Result<(RemovalReceipt, i64)> {
    let removal = RemovalReceipt {
        receipt: row.get(0)?,
        at: row.get(1)?,
        repository: row.get(2)?,
        reason: row.get(3)?,
        documents: row.get(4)?,
        words: row.get(5)?,
        ids: serde_json::from_str(&row.get::<_, String>(6)?).unwrap_or_default(),
        erased: row.get(7)?,
    };
    Ok((removal, row.get(8)?))
}

/// Checks a new document; returns its row and its text.
pub(crate) fn check_document(
    new: NewDocument,
    prepared: &PreparedText,
) -> Result<(DocumentRow, String), Error> {
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
    let entry = DocumentRow {
        number: 0,
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

/// Returns the document `id` of a repository.
pub(crate) fn find(
    read: &Transaction<'_>,
    record: &RepositoryRecord,
    id: &str,
) -> Result<DocumentRow, Error> {
    let sql =
        format!("SELECT {} FROM document WHERE repository = ?1 AND id = ?2", DocumentRow::COLUMNS);
    let found = read
        .prepare_cached(&sql)?
        .query_row(params![record.id, id], DocumentRow::read)
        .optional()?;
    found.ok_or_else(|| Error::not_found("document", id))
}

/// Returns the document with a number, if it still exists.
pub(crate) fn by_number(read: &Transaction<'_>, number: u64) -> Result<Option<DocumentRow>, Error> {
    let sql = format!("SELECT {} FROM document WHERE number = ?1", DocumentRow::COLUMNS);
    let number = number.cast_signed();
    Ok(read.prepare_cached(&sql)?.query_row([number], DocumentRow::read).optional()?)
}

/// Returns the documents that meet a condition in SQL, each with its repository.
pub(crate) fn select_with(
    read: &Transaction<'_>,
    condition: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<(i64, DocumentRow)>, Error> {
    let sql = format!(
        "SELECT {}, document.repository FROM document WHERE {condition}",
        DocumentRow::COLUMNS
    );
    let mut statement = read.prepare(&sql)?;
    let rows = statement
        .query_map(values, |row| Ok((row.get(DocumentRow::N_COLUMNS)?, DocumentRow::read(row)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the documents that meet a condition in SQL.
pub(crate) fn select(
    read: &Transaction<'_>,
    condition: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<DocumentRow>, Error> {
    let sql = format!("SELECT {} FROM document WHERE {condition}", DocumentRow::COLUMNS);
    let mut statement = read.prepare_cached(&sql)?;
    let rows = statement.query_map(values, DocumentRow::read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the stored response to a request with this key; fails if that was another request.
fn stored_response(
    read: &Transaction<'_>,
    account: i64,
    key: &str,
    request: &[u8; 32],
) -> Result<Option<String>, Error> {
    let sql = "SELECT request, body FROM idempotency WHERE account = ?1 AND key = ?2";
    let row = |row: &Row<'_>| Ok((row.get::<_, [u8; 32]>(0)?, row.get(1)?));
    let record = read.prepare_cached(sql)?.query_row(params![account, key], row).optional()?;
    match record {
        Some((record, _)) if record != *request => Err(Error::Conflict(
            "this Idempotency-Key was already used for another request".to_owned(),
        )),
        record => Ok(record.map(|(_, body)| body)),
    }
}

/// Stores the response to a request with a key.
fn store_response(
    write: &Transaction<'_>,
    account: i64,
    key: &str,
    request: &[u8; 32],
    body: &str,
) -> Result<(), Error> {
    let sql = "INSERT INTO idempotency (account, key, request, status, body, created)
               VALUES (?1, ?2, ?3, 201, ?4, ?5)";
    write.prepare_cached(sql)?.execute(params![account, key, request, body, now()])?;
    Ok(())
}

/// The outcome of inserting a document into the store.
pub(crate) struct InsertOutcome {
    /// Its number; `None` if nothing was changed.
    pub(crate) number: Option<u64>,
    pub(crate) job: Option<i64>,
    pub(crate) replaced: Vec<u64>,
}

/// What is stored with the row of a new document.
pub(crate) struct PendingText<'a> {
    pub(crate) account: i64,
    pub(crate) kind: PartitionKind,
    pub(crate) packed: &'a [u8],
    pub(crate) existing: ExistingPolicy,
}

/// Inserts a document into the store; the caller then adds it to the index.
pub(crate) fn insert(
    write: &Transaction<'_>,
    entry: &DocumentRow,
    record: &RepositoryRecord,
    pending: &PendingText<'_>,
) -> Result<InsertOutcome, Error> {
    let &PendingText { account, kind, packed, existing } = pending;
    let mut replaced = Vec::new();
    let exists: bool = write
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM repository WHERE id = ?1)")?
        .query_row([record.id], |row| row.get(0))?;
    if !exists {
        return Err(Error::not_found("repository", &record.name));
    }
    match find(write, record, &entry.id) {
        Err(Error::NotFound(_)) => {}
        Err(error) => return Err(error),
        Ok(old) => match existing {
            ExistingPolicy::Replace if old.digest != entry.digest => {
                replaced = remove(write, Some(account), record, &[old], "replaced")?.1;
            }
            ExistingPolicy::Refuse if old.digest != entry.digest => {
                return Err(Error::Conflict(format!(
                    "the repository already has a document '{}' with another text; use \
                     ?existing=replace to replace it",
                    entry.id
                )));
            }
            _ => return Ok(InsertOutcome { number: None, job: None, replaced }),
        },
    }
    let sql =
        "INSERT INTO document (repository, id, title, time, words, bytes, digest, added, account,
                                   author, label)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    write.prepare_cached(sql)?.execute(params![
        record.id,
        entry.id,
        entry.title,
        entry.time,
        entry.words,
        entry.bytes,
        entry.digest,
        entry.added,
        account,
        entry.author,
        entry.label,
    ])?;
    let number = write.last_insert_rowid();
    let is_fingerprints = kind == PartitionKind::Fingerprints;
    let sql = "INSERT INTO pending (number, shelf, text) VALUES (?1, ?2, ?3)";
    write.prepare_cached(sql)?.execute(params![number, is_fingerprints, packed])?;
    let sql = "UPDATE repository SET documents = documents + 1, words = words + ?2, last_added = ?3
               WHERE id = ?1";
    write.prepare_cached(sql)?.execute(params![record.id, entry.words, entry.added])?;
    let job = jobs::insert(write, jobs::CHECK, Some(account), Some(record.id), Some(number))?;
    Ok(InsertOutcome { number: Some(number.cast_unsigned()), job: Some(job), replaced })
}

/// Removes documents of a repository with their alerts and origins; the caller then removes the
/// returned numbers from the index.
pub(crate) fn remove(
    write: &Transaction<'_>,
    account: Option<i64>,
    record: &RepositoryRecord,
    entries: &[DocumentRow],
    reason: &str,
) -> Result<(RemovalReceipt, Vec<u64>), Error> {
    let listed: Vec<serde_json::Value> = entries
        .iter()
        .take(MAX_LISTED)
        .map(|entry| {
            let digest = blake3::Hash::from_bytes(entry.digest).to_hex().to_string();
            serde_json::json!({ "id": entry.id, "digest": digest })
        })
        .collect();
    let words: u64 = entries.iter().map(|entry| u64::from(entry.words)).sum();
    let ids = serde_json::Value::Array(listed);
    let at = now();
    let sql = "INSERT INTO receipt (at, account, team, repository, reason, documents, words, ids)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id";
    let row = params![
        at,
        account,
        record.team,
        record.name,
        reason,
        entries.len(),
        words,
        ids.to_string()
    ];
    let receipt: i64 = write.query_row(sql, row, |row| row.get(0))?;
    let mut delete = write.prepare_cached("DELETE FROM document WHERE number = ?1")?;
    let mut erase =
        write.prepare_cached("INSERT INTO erase (number, shelf, receipt) VALUES (?1, ?2, ?3)")?;
    let mut jobs = write.prepare_cached(
        "UPDATE job SET state = 'done', detail = 'the document was removed'
         WHERE document = ?1 AND state <> 'done'",
    )?;
    for entry in entries {
        // This also deletes its alerts, origins and pending text.
        delete.execute([entry.number])?;
        erase.execute(params![entry.number, !record.keeps_text, receipt])?;
        jobs.execute([entry.number])?;
    }
    let sql = "UPDATE repository SET documents = documents - ?2, words = words - ?3 WHERE id = ?1";
    write.execute(sql, params![record.id, entries.len(), words])?;
    let count = match entries.len() {
        1 => "1 document".to_owned(),
        many => format!("{many} documents"),
    };
    super::accounts::audit(
        write,
        account,
        reason,
        &format!("{}: {count}, receipt {receipt}", record.name),
    )?;
    let repository = record.name.clone();
    let documents = entries.len() as u64;
    let reason = reason.to_owned();
    let removal =
        RemovalReceipt { receipt, at, repository, reason, documents, words, ids, erased: None };
    Ok((removal, entries.iter().map(|entry| entry.number.cast_unsigned()).collect()))
}
