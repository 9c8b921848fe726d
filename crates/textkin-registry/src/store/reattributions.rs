//! Changed origins in the store.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::{DocumentId, ReattributionId, RepositoryId};
use crate::error::Error;
use crate::service::ReattributionView;
use crate::store::now;

/// Returns the changed origins of a repository with ids below `before`, the latest first.
pub(crate) fn list(
    read: &Transaction<'_>,
    repository: RepositoryId,
    before: Option<ReattributionId>,
    limit: u32,
) -> Result<Vec<ReattributionView>, Error> {
    let sql = "SELECT reattribution.id, at, d.id, b.id, a.id, reattribution.words
               FROM reattribution JOIN document d ON d.number = reattribution.document
               JOIN document a ON a.number = after
               LEFT JOIN document b ON b.number = before
               WHERE reattribution.repository = ?1 AND reattribution.id < ?2
               ORDER BY reattribution.id DESC LIMIT ?3";
    let mut statement = read.prepare_cached(sql)?;
    let row = params![repository, before.map_or(i64::MAX, ReattributionId::get), limit];
    let rows = statement.query_map(row, |row| {
        Ok(ReattributionView {
            id: row.get(0)?,
            at: row.get(1)?,
            document: row.get(2)?,
            before: row.get(3)?,
            after: row.get(4)?,
            words: row.get(5)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether an origin of a document was changed before.
pub(crate) fn exists(read: &Transaction<'_>, document: DocumentId) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM reattribution WHERE document = ?1)";
    Ok(read.prepare_cached(sql)?.query_row([document], |row| row.get(0))?)
}

/// A changed origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewReattribution {
    pub(crate) repository: RepositoryId,
    pub(crate) document: DocumentId,
    pub(crate) before: DocumentId,
    pub(crate) after: DocumentId,
    pub(crate) words: u64,
}

/// Inserts a changed origin, if the new origin still exists.
pub(crate) fn insert(write: &Transaction<'_>, new: NewReattribution) -> Result<(), Error> {
    let sql = "INSERT INTO reattribution (id, repository, at, document, before, after, words)
               SELECT new_id(), ?1, ?2, ?3, ?4, ?5, ?6
               WHERE EXISTS (SELECT 1 FROM document WHERE number = ?5)";
    write.prepare_cached(sql)?.execute(params![
        new.repository,
        now(),
        new.document,
        new.before,
        new.after,
        new.words,
    ])?;
    Ok(())
}

/// Returns the time of a document according to its source, as text.
pub(crate) fn time_of(read: &Transaction<'_>, number: DocumentId) -> Result<Option<String>, Error> {
    let sql = "SELECT time FROM document WHERE number = ?1";
    let mut statement = read.prepare_cached(sql)?;
    let time: Option<Option<String>> =
        statement.query_row([number], |row| row.get(0)).optional()?;
    Ok(time.flatten())
}
