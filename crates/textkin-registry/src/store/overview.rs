//! The computed overview of repositories in the store.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::RepositoryId;
use crate::error::Error;
use crate::store::repositories::RepositoryRecord;

/// The overview of one repository, as it is stored.
#[derive(Debug)]
pub(crate) struct StoredOverview {
    pub(crate) at: i64,
    /// Documents of the repository at that time.
    pub(crate) documents: u64,
    pub(crate) compared: u64,
    pub(crate) words: u64,
    pub(crate) duplicated: u64,
    pub(crate) clusters: u64,
    /// Documents by their best match, as JSON.
    pub(crate) bars: String,
    /// Number, share in thousandths and number of the other, as JSON.
    pub(crate) best: String,
}

/// Stores the overview of a repository, if it still exists.
pub(crate) fn replace(
    write: &Transaction<'_>,
    repository: RepositoryId,
    overview: &StoredOverview,
) -> Result<(), Error> {
    let StoredOverview { at, documents, compared, words, duplicated, clusters, bars, best } =
        overview;
    let sql = "INSERT OR REPLACE INTO figures (repository, at, documents, compared, words,
                   duplicated, clusters, bars, best)
               SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
               WHERE EXISTS (SELECT 1 FROM repository WHERE id = ?1)";
    let row = params![repository, at, documents, compared, words, duplicated, clusters, bars, best];
    write.prepare_cached(sql)?.execute(row)?;
    Ok(())
}

/// Notes that the overview of a repository has to be computed again.
pub(crate) fn outdate(write: &Transaction<'_>, repository: RepositoryId) -> Result<(), Error> {
    let sql = "UPDATE figures SET at = 0 WHERE repository = ?1";
    write.prepare_cached(sql)?.execute([repository])?;
    Ok(())
}

/// Returns the overview of a repository.
pub(crate) fn find(
    read: &Transaction<'_>,
    repository: RepositoryId,
) -> Result<Option<StoredOverview>, Error> {
    let sql = "SELECT at, documents, compared, words, duplicated, clusters, bars, best
               FROM figures WHERE repository = ?1";
    let row = |row: &rusqlite::Row<'_>| {
        Ok(StoredOverview {
            at: row.get(0)?,
            documents: row.get(1)?,
            compared: row.get(2)?,
            words: row.get(3)?,
            duplicated: row.get(4)?,
            clusters: row.get(5)?,
            bars: row.get(6)?,
            best: row.get(7)?,
        })
    };
    Ok(read.prepare_cached(sql)?.query_row([repository], row).optional()?)
}

/// The retention rules of a repository, and its number of documents.
#[derive(Debug)]
pub(crate) struct Retention {
    pub(crate) keep_days: Option<i64>,
    pub(crate) keep_count: Option<u64>,
    pub(crate) documents: u64,
}

/// Returns the retention rules of a repository.
pub(crate) fn retention(
    read: &Transaction<'_>,
    repository: RepositoryId,
) -> Result<Retention, Error> {
    let sql = "SELECT keep_days, keep_count, documents FROM repository WHERE id = ?1";
    let row = |row: &rusqlite::Row<'_>| {
        Ok(Retention { keep_days: row.get(0)?, keep_count: row.get(1)?, documents: row.get(2)? })
    };
    Ok(read.prepare_cached(sql)?.query_row([repository], row)?)
}

/// Returns when the oldest document of a repository was added, and how many were added within the
/// `seconds` after that.
pub(crate) fn oldest(
    read: &Transaction<'_>,
    repository: RepositoryId,
    seconds: i64,
) -> Result<Option<(i64, u64)>, Error> {
    let sql = "SELECT min(added) FROM document WHERE repository = ?1";
    let first: Option<i64> = read.prepare_cached(sql)?.query_row([repository], |row| row.get(0))?;
    let Some(first) = first else { return Ok(None) };
    let sql = "SELECT count(*) FROM document WHERE repository = ?1 AND added < ?2";
    let row = params![repository, first + seconds];
    let documents = read.prepare_cached(sql)?.query_row(row, |row| row.get(0))?;
    Ok(Some((first, documents)))
}

/// Returns the repository with the oldest overview among those whose documents changed since.
pub(crate) fn changed(read: &Transaction<'_>) -> Result<Option<RepositoryRecord>, Error> {
    let sql = format!(
        "SELECT {} FROM repository LEFT JOIN figures ON figures.repository = repository.id
         WHERE repository.keeps_text AND (repository.documents > 0 OR figures.at IS NOT NULL)
           AND (figures.at IS NULL OR figures.documents <> repository.documents
                OR repository.last_added >= figures.at)
         ORDER BY figures.at LIMIT 1",
        RepositoryRecord::COLUMNS
    );
    Ok(read.prepare_cached(&sql)?.query_row([], RepositoryRecord::read).optional()?)
}
