//! Documents in the store.

use hashbrown::HashMap;
use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::{AccountId, DocumentId, JobId, RepositoryId};
use crate::error::Error;
use crate::jobs::queue;
use crate::service::{DocumentView, ExistingPolicy, RemovalReceipt};
use crate::store::removals::{self, RemovedDocument};
use crate::store::repositories::RepositoryRecord;
use crate::store::{audit, jobs, now, pending};

/// The maximum number of ids that a receipt lists.
const MAX_LISTED: usize = 1000;

/// A row of the table of documents.
#[derive(Clone, Debug)]
pub(crate) struct DocumentRow {
    pub(crate) number: DocumentId,
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

/// A document that is not in the table yet.
#[derive(Clone, Debug)]
pub(crate) struct NewDocumentRow {
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

/// The condition that the id or title contains the text ?2, if there is one.
const CONTAINS: &str =
    "(?2 IS NULL OR instr(lower(id || ' ' || ifnull(title, '')), lower(?2)) > 0)";

/// Returns documents of a repository in the order of registration: those with numbers above `after` and
/// with `filter` in the id or title.
pub(crate) fn list(
    read: &Transaction<'_>,
    repository: RepositoryId,
    filter: Option<&str>,
    after: Option<DocumentId>,
    limit: u32,
) -> Result<Vec<DocumentRow>, Error> {
    let condition = format!(
        "repository = ?1 AND {CONTAINS} AND number > ifnull(?3, 0) ORDER BY number LIMIT ?4"
    );
    select(read, &condition, params![repository, filter, after, limit])
}

/// Returns documents of a repository in the order of registration: those with numbers above `after` and
/// below `before`.
pub(crate) fn between(
    read: &Transaction<'_>,
    repository: RepositoryId,
    after: Option<DocumentId>,
    before: DocumentId,
    limit: u32,
) -> Result<Vec<DocumentRow>, Error> {
    let condition =
        "repository = ?1 AND number > ifnull(?2, 0) AND number < ?3 ORDER BY number LIMIT ?4";
    let row = params![repository, after, before, limit];
    select(read, condition, row)
}

/// Returns the latest documents of a repository, the latest first.
pub(crate) fn latest(
    read: &Transaction<'_>,
    repository: RepositoryId,
    limit: usize,
) -> Result<Vec<DocumentRow>, Error> {
    let condition = "repository = ?1 ORDER BY number DESC LIMIT ?2";
    select(read, condition, params![repository, limit])
}

/// Returns the latest documents of a repository that were traced, the latest first.
pub(crate) fn latest_traced(
    read: &Transaction<'_>,
    repository: RepositoryId,
    limit: u32,
) -> Result<Vec<DocumentRow>, Error> {
    let condition = "repository = ?1
        AND EXISTS (SELECT 1 FROM origin WHERE origin.number = document.number)
        ORDER BY number DESC LIMIT ?2";
    select(read, condition, params![repository, limit])
}

/// Returns the latest documents of several repositories with `filter` in the id or title, each with its
/// repository, the latest first.
pub(crate) fn latest_of_all(
    read: &Transaction<'_>,
    repositories: &[RepositoryId],
    filter: Option<&str>,
    limit: u32,
) -> Result<Vec<(RepositoryId, DocumentRow)>, Error> {
    let sql = format!(
        "SELECT {}, document.repository FROM document
         WHERE repository IN (SELECT value FROM json_each(?1)) AND {CONTAINS}
         ORDER BY number DESC LIMIT ?3",
        DocumentRow::COLUMNS
    );
    let mut statement = read.prepare_cached(&sql)?;
    let row = params![serde_json::to_string(repositories)?, filter, limit];
    let rows = statement
        .query_map(row, |row| Ok((row.get(DocumentRow::N_COLUMNS)?, DocumentRow::read(row)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The order of a list of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentOrder {
    /// The latest registered first.
    Registered,
    Title,
    /// The latest first, according to their sources.
    Time,
    /// The longest first.
    Words,
}

/// Returns a page of the documents of a repository with `filter` in the id or title.
pub(crate) fn page(
    read: &Transaction<'_>,
    repository: RepositoryId,
    filter: Option<&str>,
    order: DocumentOrder,
    offset: u64,
    limit: u32,
) -> Result<Vec<DocumentRow>, Error> {
    let order = match order {
        DocumentOrder::Registered => "number DESC",
        DocumentOrder::Title => "lower(ifnull(title, id)), number",
        DocumentOrder::Time => "time DESC, number DESC",
        DocumentOrder::Words => "words DESC, number DESC",
    };
    let condition = format!("repository = ?1 AND {CONTAINS} ORDER BY {order} LIMIT ?3 OFFSET ?4");
    let offset = i64::try_from(offset).unwrap_or(i64::MAX);
    select(read, &condition, params![repository, filter, limit, offset])
}

/// Counts the documents of a repository with `filter` in the id or title.
pub(crate) fn count(
    read: &Transaction<'_>,
    repository: RepositoryId,
    filter: Option<&str>,
) -> Result<u64, Error> {
    let sql = format!("SELECT count(*) FROM document WHERE repository = ?1 AND {CONTAINS}");
    Ok(read.prepare_cached(&sql)?.query_row(params![repository, filter], |row| row.get(0))?)
}

/// A choice of documents of a repository: those that meet all of its conditions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DocumentChoice<'a> {
    /// Registered before this time, in seconds since 1970.
    pub(crate) before: Option<i64>,
    /// All but this many of the latest.
    pub(crate) except_latest: Option<u64>,
    /// With this text in the id or title.
    pub(crate) filter: Option<&'a str>,
}

/// Returns the documents of a repository that meet some conditions, in the order of registration.
pub(crate) fn choose(
    read: &Transaction<'_>,
    repository: RepositoryId,
    choice: &DocumentChoice<'_>,
) -> Result<Vec<DocumentRow>, Error> {
    let condition = format!(
        "repository = ?1 AND {CONTAINS} AND (?3 IS NULL OR added < ?3)
         AND (?4 IS NULL OR number NOT IN (
             SELECT number FROM document WHERE repository = ?1 ORDER BY number DESC LIMIT ?4))
         ORDER BY number"
    );
    let DocumentChoice { before, except_latest, filter } = choice;
    select(read, &condition, params![repository, filter, before, except_latest])
}

/// Returns the number and the repository of every document.
pub(crate) fn owners(read: &Transaction<'_>) -> Result<Vec<(DocumentId, RepositoryId)>, Error> {
    let mut statement = read.prepare_cached("SELECT number, repository FROM document")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the digest of the text of every document, by number.
pub(crate) fn digests(read: &Transaction<'_>) -> Result<HashMap<DocumentId, [u8; 32]>, Error> {
    let mut statement = read.prepare_cached("SELECT number, digest FROM document")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
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
pub(crate) fn by_number(
    read: &Transaction<'_>,
    number: DocumentId,
) -> Result<Option<DocumentRow>, Error> {
    let sql = format!("SELECT {} FROM document WHERE number = ?1", DocumentRow::COLUMNS);
    Ok(read.prepare_cached(&sql)?.query_row([number], DocumentRow::read).optional()?)
}

/// Returns the documents that meet a condition in SQL.
fn select(
    read: &Transaction<'_>,
    condition: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<DocumentRow>, Error> {
    let sql = format!("SELECT {} FROM document WHERE {condition}", DocumentRow::COLUMNS);
    let mut statement = read.prepare_cached(&sql)?;
    let rows = statement.query_map(values, DocumentRow::read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The outcome of inserting a document into the store.
pub(crate) struct InsertOutcome {
    /// Its number; `None` if nothing was changed.
    pub(crate) number: Option<DocumentId>,
    pub(crate) job: Option<JobId>,
    pub(crate) replaced: Vec<DocumentId>,
}

/// What is stored with the row of a new document.
pub(crate) struct PendingText<'a> {
    pub(crate) account: AccountId,
    pub(crate) packed: &'a [u8],
    pub(crate) existing: ExistingPolicy,
}

/// Inserts a document into the store; the caller then adds it to the index.
pub(crate) fn insert(
    write: &Transaction<'_>,
    entry: &NewDocumentRow,
    record: &RepositoryRecord,
    text: &PendingText<'_>,
) -> Result<InsertOutcome, Error> {
    let &PendingText { account, packed, existing } = text;
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
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) RETURNING number";
    let row = params![
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
    ];
    let number: DocumentId = write.prepare_cached(sql)?.query_row(row, |row| row.get(0))?;
    pending::insert(write, number, packed)?;
    let sql = "UPDATE repository SET documents = documents + 1, words = words + ?2, last_added = ?3
               WHERE id = ?1";
    write.prepare_cached(sql)?.execute(params![record.id, entry.words, entry.added])?;
    let job = jobs::insert(write, queue::CHECK, Some(account), Some(record.id), Some(number))?;
    Ok(InsertOutcome { number: Some(number), job: Some(job), replaced })
}

/// Removes documents of a repository with their alerts and origins; the caller then removes the
/// returned numbers from the index.
pub(crate) fn remove(
    write: &Transaction<'_>,
    account: Option<AccountId>,
    record: &RepositoryRecord,
    entries: &[DocumentRow],
    reason: &str,
) -> Result<(RemovalReceipt, Vec<DocumentId>), Error> {
    let listed: Vec<serde_json::Value> = entries
        .iter()
        .take(MAX_LISTED)
        .map(|entry| {
            let digest = blake3::Hash::from_bytes(entry.digest).to_hex().to_string();
            serde_json::json!({ "id": entry.id, "digest": digest })
        })
        .collect();
    let receipt = RemovalReceipt {
        receipt: removals::new_receipt_id(write)?,
        at: now(),
        repository: record.name.clone(),
        reason: reason.to_owned(),
        documents: entries.len() as u64,
        words: entries.iter().map(|entry| u64::from(entry.words)).sum(),
        ids: serde_json::Value::Array(listed),
        erased: None,
    };
    removals::insert_receipt(write, account, record.team, &receipt)?;
    let mut delete = write.prepare_cached("DELETE FROM document WHERE number = ?1")?;
    let partition = Some(record.indexed().key());
    let mut jobs = write.prepare_cached(
        "UPDATE job SET state = 'done', detail = 'the document was removed'
         WHERE document = ?1 AND state <> 'done'",
    )?;
    for entry in entries {
        // This also deletes its alerts, origins and pending text.
        delete.execute([entry.number])?;
        let (number, receipt) = (entry.number, Some(receipt.receipt));
        removals::insert(write, RemovedDocument { number, partition, receipt })?;
        jobs.execute([entry.number])?;
    }
    let sql = "UPDATE repository SET documents = documents - ?2, words = words - ?3 WHERE id = ?1";
    write.prepare_cached(sql)?.execute(params![record.id, receipt.documents, receipt.words])?;
    let count = match entries.len() {
        1 => "1 document".to_owned(),
        many => format!("{many} documents"),
    };
    audit::insert(
        write,
        account,
        reason,
        &format!("{}: {count}, receipt {}", record.name, receipt.receipt),
    )?;
    Ok((receipt, entries.iter().map(|entry| entry.number).collect()))
}

/// Deletes a document from the copy of a store, without a receipt.
pub(crate) fn forget(write: &Transaction<'_>, number: DocumentId) -> Result<(), Error> {
    for sql in [
        "UPDATE repository SET documents = documents - 1,
             words = words - (SELECT words FROM document WHERE number = ?1)
         WHERE id = (SELECT repository FROM document WHERE number = ?1)",
        "DELETE FROM document WHERE number = ?1",
    ] {
        write.prepare_cached(sql)?.execute([number])?;
    }
    Ok(())
}
