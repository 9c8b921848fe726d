//! Texts in the store that are not flushed to the index yet.

use rusqlite::{Transaction, params};

use crate::error::Error;
use crate::matching::index::PartitionKind;

/// A document that is not flushed yet.
#[derive(Debug)]
pub(crate) struct PendingDocument {
    pub(crate) number: u64,
    pub(crate) kind: PartitionKind,
    /// The text, compressed.
    pub(crate) packed: Vec<u8>,
    pub(crate) repository: u32,
}

/// Inserts the text of a document.
pub(super) fn insert(
    write: &Transaction<'_>,
    number: i64,
    kind: PartitionKind,
    packed: &[u8],
) -> Result<(), Error> {
    let is_fingerprints = kind == PartitionKind::Fingerprints;
    let sql = "INSERT INTO pending (number, shelf, text) VALUES (?1, ?2, ?3)";
    write.prepare_cached(sql)?.execute(params![number, is_fingerprints, packed])?;
    Ok(())
}

/// Returns documents that are not flushed yet, in order: those with numbers above `after`.
pub(crate) fn list(
    read: &Transaction<'_>,
    after: i64,
    limit: u32,
) -> Result<Vec<PendingDocument>, Error> {
    let sql = "SELECT number, shelf, text, repository FROM pending JOIN document USING (number)
               WHERE number > ?1 ORDER BY number LIMIT ?2";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map(params![after, limit], |row| {
        Ok(PendingDocument {
            number: row.get::<_, i64>(0)?.cast_unsigned(),
            kind: PartitionKind::new(!row.get::<_, bool>(1)?),
            packed: row.get(2)?,
            repository: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the numbers of all documents that are not flushed yet.
pub(crate) fn numbers<T: FromIterator<u64>>(read: &Transaction<'_>) -> Result<T, Error> {
    let mut statement = read.prepare_cached("SELECT number FROM pending")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Deletes the texts of documents that were flushed.
pub(crate) fn delete(write: &Transaction<'_>, numbers: &[u64]) -> Result<(), Error> {
    let mut statement = write.prepare_cached("DELETE FROM pending WHERE number = ?1")?;
    for number in numbers {
        statement.execute([number.cast_signed()])?;
    }
    Ok(())
}
