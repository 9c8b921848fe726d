//! Texts in the store that are not flushed to the index yet.

use rusqlite::{Transaction, params};

use crate::domain::DocumentId;
use crate::error::Error;
use crate::matching::index::IndexedRepository;
use crate::store::repositories::RepositoryRecord;

/// A document that is not flushed yet.
#[derive(Debug)]
pub(crate) struct PendingDocument {
    pub(crate) number: DocumentId,
    /// The text, compressed.
    pub(crate) packed: Vec<u8>,
    pub(crate) repository: IndexedRepository,
}

/// Inserts the text of a document.
pub(super) fn insert(
    write: &Transaction<'_>,
    number: DocumentId,
    packed: &[u8],
) -> Result<(), Error> {
    let sql = "INSERT INTO pending (number, text) VALUES (?1, ?2)";
    write.prepare_cached(sql)?.execute(params![number, packed])?;
    Ok(())
}

/// Returns documents that are not flushed yet, in order: those with numbers above `after`.
pub(crate) fn list(
    read: &Transaction<'_>,
    after: Option<DocumentId>,
    limit: u32,
) -> Result<Vec<PendingDocument>, Error> {
    let sql = format!(
        "SELECT {}, number, text FROM pending JOIN document USING (number)
             JOIN repository ON repository.id = document.repository
         WHERE number > ifnull(?1, 0) ORDER BY number LIMIT ?2",
        RepositoryRecord::COLUMNS
    );
    let mut statement = read.prepare_cached(&sql)?;
    let rows = statement.query_map(params![after, limit], |row| {
        Ok(PendingDocument {
            number: row.get(RepositoryRecord::N_COLUMNS)?,
            packed: row.get(RepositoryRecord::N_COLUMNS + 1)?,
            repository: RepositoryRecord::read(row)?.indexed(),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the numbers of all documents that are not flushed yet.
pub(crate) fn numbers<T: FromIterator<DocumentId>>(read: &Transaction<'_>) -> Result<T, Error> {
    let mut statement = read.prepare_cached("SELECT number FROM pending")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Deletes the texts of documents that were flushed.
pub(crate) fn delete(write: &Transaction<'_>, numbers: &[DocumentId]) -> Result<(), Error> {
    let mut statement = write.prepare_cached("DELETE FROM pending WHERE number = ?1")?;
    for number in numbers {
        statement.execute([number])?;
    }
    Ok(())
}
