//! Alerts in the store: new alerts, and the deliveries of them.

use rusqlite::{Transaction, params};

use crate::domain::level::MatchLevel;
use crate::error::Error;

/// What a check needs to know of a repository.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RepositoryKind {
    pub(crate) id: u32,
    pub(crate) is_public: bool,
    pub(crate) keeps_text: bool,
}

/// Returns what checks need to know of all repositories.
pub(crate) fn repository_kinds(read: &Transaction<'_>) -> Result<Vec<RepositoryKind>, Error> {
    let sql = "SELECT id, visibility = 'public', keeps_text FROM repository";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        Ok(RepositoryKind { id: row.get(0)?, is_public: row.get(1)?, keeps_text: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the number of documents of a repository.
pub(crate) fn n_documents(read: &Transaction<'_>, repository: i64) -> Result<u64, Error> {
    let sql = "SELECT documents FROM repository WHERE id = ?1";
    Ok(read.prepare_cached(sql)?.query_row([repository], |row| row.get(0))?)
}

/// An alert to be stored.
#[derive(Clone, Debug)]
pub(crate) struct NewAlert {
    pub(crate) watch: i64,
    /// The number of the watched document.
    pub(crate) watched: u64,
    /// The number of the document in which it reappeared.
    pub(crate) found: u64,
    pub(crate) level: MatchLevel,
    /// Words of the watched document, and how many of them are shared.
    pub(crate) watched_counts: (u64, u64),
    /// The same of the found document.
    pub(crate) found_counts: (u64, u64),
    /// Whether the counts come from the index alone.
    pub(crate) is_bounded: bool,
}

/// Stores an alert and returns its id; `None` if there is one about the same two documents, or the
/// watch or a document has been deleted.
pub(crate) fn insert(
    write: &Transaction<'_>,
    alert: &NewAlert,
    now_ms: i64,
) -> Result<Option<i64>, Error> {
    let sql = "INSERT INTO alert (id, watch, watched, found, level, watched_words, watched_shared,
                   found_words, found_shared, created_ms, is_bounded)
               SELECT new_id(), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
               WHERE EXISTS (SELECT 1 FROM document WHERE number = ?2)
                 AND EXISTS (SELECT 1 FROM document WHERE number = ?3)
                 AND EXISTS (SELECT 1 FROM watch WHERE id = ?1)
               ON CONFLICT DO NOTHING";
    let n_new = write.prepare_cached(sql)?.execute(params![
        alert.watch,
        alert.watched.cast_signed(),
        alert.found.cast_signed(),
        alert.level.name(),
        alert.watched_counts.0,
        alert.watched_counts.1,
        alert.found_counts.0,
        alert.found_counts.1,
        now_ms,
        alert.is_bounded,
    ])?;
    Ok((n_new > 0).then(|| write.last_insert_rowid()))
}

/// A delivery to be stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewDelivery {
    pub(crate) alert: i64,
    pub(crate) account: i64,
    pub(crate) hook: Option<i64>,
    /// When it is due, in seconds since 1970.
    pub(crate) next: i64,
}

/// Stores a delivery over a channel.
pub(crate) fn insert_delivery(
    write: &Transaction<'_>,
    delivery: &NewDelivery,
    channel: &str,
    now: i64,
) -> Result<(), Error> {
    let sql = "INSERT INTO delivery (id, alert, account, channel, hook, state, next, created)
               VALUES (new_id(), ?1, ?2, ?3, ?4, 'waiting', ?5, ?6)";
    let NewDelivery { alert, account, hook, next } = delivery;
    write.prepare_cached(sql)?.execute(params![alert, account, channel, hook, next, now])?;
    Ok(())
}
