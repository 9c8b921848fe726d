//! The origins of traced documents in the store, as JSON.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::DocumentId;
use crate::error::Error;

/// Inserts the origins of a document that still exists and has none yet.
pub(crate) fn insert(
    write: &Transaction<'_>,
    number: DocumentId,
    labels: &str,
) -> Result<(), Error> {
    let sql = "INSERT INTO origin (number, labels)
               SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM document WHERE number = ?1)
               ON CONFLICT DO NOTHING";
    write.prepare_cached(sql)?.execute(params![number, labels])?;
    Ok(())
}

/// Changes the origins of a document.
pub(crate) fn update(
    write: &Transaction<'_>,
    number: DocumentId,
    labels: &str,
) -> Result<(), Error> {
    let sql = "UPDATE origin SET labels = ?2 WHERE number = ?1";
    write.prepare_cached(sql)?.execute(params![number, labels])?;
    Ok(())
}

/// Returns the origins of a document, if it was traced.
pub(crate) fn find(read: &Transaction<'_>, number: DocumentId) -> Result<Option<String>, Error> {
    let sql = "SELECT labels FROM origin WHERE number = ?1";
    let mut statement = read.prepare_cached(sql)?;
    Ok(statement.query_row([number], |row| row.get(0)).optional()?)
}

/// Returns how many words of a document are known from earlier ones, if it was traced.
pub(crate) fn old_words(read: &Transaction<'_>, number: DocumentId) -> Result<Option<u64>, Error> {
    let sql = "SELECT (labels ->> 'words') - (labels ->> 'fresh_words') FROM origin
               WHERE number = ?1";
    let mut statement = read.prepare_cached(sql)?;
    Ok(statement.query_row([number], |row| row.get(0)).optional()?)
}
