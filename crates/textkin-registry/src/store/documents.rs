//! Documents in the store: rows, pending texts, removal receipts and answers to repeated requests.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::error::Error;
use crate::jobs::queue;
use crate::matching::index::PartitionKind;
use crate::service::{DocumentView, ExistingPolicy, RemovalReceipt};
use crate::store::repositories::RepositoryRecord;
use crate::store::{audit, jobs, now};

/// The maximum number of ids that a receipt lists.
const MAX_LISTED: usize = 1000;

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

    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
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

/// Returns documents of a repository in the order of registration: those with numbers above `after` and
/// with `filter` in the id or title.
pub(crate) fn list(
    read: &Transaction<'_>,
    repository: i64,
    filter: Option<&str>,
    after: i64,
    limit: u32,
) -> Result<Vec<DocumentRow>, Error> {
    let condition = "repository = ?1 AND number > ?2
        AND (?3 IS NULL OR instr(lower(id || ' ' || ifnull(title, '')), lower(?3)) > 0)
        ORDER BY number LIMIT ?4";
    select(read, condition, params![repository, after, filter, limit])
}

/// Returns a receipt, and the team of the repository.
pub(crate) fn receipt(
    read: &Transaction<'_>,
    id: i64,
) -> Result<Option<(RemovalReceipt, i64)>, Error> {
    let sql = "SELECT id, at, repository, reason, documents, words, ids, erased, team
               FROM receipt WHERE id = ?1";
    Ok(read.prepare_cached(sql)?.query_row([id], removal).optional()?)
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
pub(crate) fn stored_response(
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
pub(crate) fn store_response(
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
    let job = jobs::insert(write, queue::CHECK, Some(account), Some(record.id), Some(number))?;
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
    let sql =
        "INSERT INTO receipt (id, at, account, team, repository, reason, documents, words, ids)
               VALUES (new_id(), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id";
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
    audit::insert(write, account, reason, &format!("{}: {count}, receipt {receipt}", record.name))?;
    let repository = record.name.clone();
    let documents = entries.len() as u64;
    let reason = reason.to_owned();
    let removal =
        RemovalReceipt { receipt, at, repository, reason, documents, words, ids, erased: None };
    Ok((removal, entries.iter().map(|entry| entry.number.cast_unsigned()).collect()))
}
