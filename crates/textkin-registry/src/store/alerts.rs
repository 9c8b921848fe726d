//! Alerts in the store.

use rusqlite::{OptionalExtension, Row, ToSql, Transaction, params};

use crate::domain::level::MatchLevel;
use crate::domain::{AccountId, Actor, AlertId, DocumentId, RepositoryId, Role, WatchId};
use crate::error::Error;
use crate::service::{AlertSide, AlertState, AlertView};
use crate::store::now;

/// What a check needs to know of a repository.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RepositoryKind {
    pub(crate) id: RepositoryId,
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

/// An alert to be stored.
#[derive(Clone, Debug)]
pub(crate) struct NewAlert {
    pub(crate) watch: WatchId,
    /// The number of the watched document.
    pub(crate) watched: DocumentId,
    /// The number of the document in which it reappeared.
    pub(crate) found: DocumentId,
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
) -> Result<Option<AlertId>, Error> {
    let sql = "INSERT INTO alert (id, watch, watched, found, level, watched_words, watched_shared,
                   found_words, found_shared, created_ms, is_bounded)
               SELECT new_id(), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
               WHERE EXISTS (SELECT 1 FROM document WHERE number = ?2)
                 AND EXISTS (SELECT 1 FROM document WHERE number = ?3)
                 AND EXISTS (SELECT 1 FROM watch WHERE id = ?1)
               ON CONFLICT DO NOTHING";
    let n_new = write.prepare_cached(sql)?.execute(params![
        alert.watch,
        alert.watched,
        alert.found,
        alert.level.name(),
        alert.watched_counts.0,
        alert.watched_counts.1,
        alert.found_counts.0,
        alert.found_counts.1,
        now_ms,
        alert.is_bounded,
    ])?;
    Ok((n_new > 0).then(|| AlertId::new(write.last_insert_rowid())))
}

/// Alerts on repositories of the teams of account ?1, limited to the repository ?2 of its key.
const OWN: &str = "alert.watch IN (
    SELECT watch.id FROM watch JOIN repository ON repository.id = watch.repository
    JOIN member ON member.team = repository.team
    WHERE member.account = ?1 AND (?2 IS NULL OR repository.id = ?2))";

/// Returns the alerts on documents of the actor's teams with ids below `before`, the latest first; with
/// `is_mine` only those assigned to the actor.
pub(crate) fn list(
    read: &Transaction<'_>,
    actor: &Actor,
    state: Option<AlertState>,
    is_mine: bool,
    before: Option<AlertId>,
    limit: u32,
) -> Result<Vec<AlertView>, Error> {
    let condition = "(?3 IS NULL OR alert.state = ?3) AND (NOT ?4 OR assignee = ?1)
         AND alert.id < ?5 ORDER BY alert.id DESC LIMIT ?6";
    let (state, before) = (state.map(AlertState::name), before.map_or(i64::MAX, AlertId::get));
    select(read, condition, params![actor.account, actor.only, state, is_mine, before, limit])
}

/// Returns an alert on a document of the actor's teams.
pub(crate) fn find(
    read: &Transaction<'_>,
    actor: &Actor,
    id: AlertId,
) -> Result<Option<AlertView>, Error> {
    Ok(select(read, "alert.id = ?3", params![actor.account, actor.only, id])?.pop())
}

fn select(
    read: &Transaction<'_>,
    condition: &str,
    values: &[&dyn ToSql],
) -> Result<Vec<AlertView>, Error> {
    let sql = format!(
        "SELECT alert.id, alert.watch, level, created_ms, alert.state, changed, who.name,
                whose.name, watched_words, watched_shared, wr.name, w.id, w.title, w.time,
                found_words, found_shared, fr.name, f.id, f.title, f.time,
                is_bounded
         FROM alert JOIN document w ON w.number = watched JOIN document f ON f.number = found
         JOIN repository wr ON wr.id = w.repository JOIN repository fr ON fr.id = f.repository
         LEFT JOIN account who ON who.id = changed_by
         LEFT JOIN account whose ON whose.id = assignee
         WHERE {OWN} AND {condition}"
    );
    let mut statement = read.prepare_cached(&sql)?;
    let rows = statement.query_map(values, view)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn view(row: &Row<'_>) -> rusqlite::Result<AlertView> {
    let side = |first: usize| -> rusqlite::Result<AlertSide> {
        let (words, shared_words): (u64, u64) = (row.get(first)?, row.get(first + 1)?);
        Ok(AlertSide {
            repository: row.get(first + 2)?,
            id: row.get(first + 3)?,
            title: row.get(first + 4)?,
            time: row.get(first + 5)?,
            words,
            shared_words,
            share: shared_words as f64 / words.max(1) as f64,
        })
    };
    Ok(AlertView {
        id: row.get(0)?,
        watch: row.get(1)?,
        level: MatchLevel::parse(&row.get::<_, String>(2)?).unwrap_or(MatchLevel::Some),
        created_ms: row.get(3)?,
        state: AlertState::parse(&row.get::<_, String>(4)?).unwrap_or(AlertState::Open),
        changed: row.get(5)?,
        changed_by: row.get(6)?,
        assignee: row.get(7)?,
        registered: side(8)?,
        found: side(14)?,
        is_bounded: row.get(20)?,
    })
}

/// Counts the open alerts; with `is_mine` only those assigned to the actor.
pub(crate) fn n_open(read: &Transaction<'_>, actor: &Actor, is_mine: bool) -> Result<u64, Error> {
    let sql = format!(
        "SELECT count(*) FROM alert
         WHERE {OWN} AND state = 'open' AND (NOT ?3 OR assignee = ?1)"
    );
    let row = params![actor.account, actor.only, is_mine];
    Ok(read.prepare_cached(&sql)?.query_row(row, |row| row.get(0))?)
}

/// Counts the handled and dismissed alerts.
pub(crate) fn n_done(read: &Transaction<'_>, actor: &Actor) -> Result<u64, Error> {
    let sql = format!("SELECT count(*) FROM alert WHERE {OWN} AND state <> 'open'");
    let row = params![actor.account, actor.only];
    Ok(read.prepare_cached(&sql)?.query_row(row, |row| row.get(0))?)
}

/// Returns the role of the actor in the team of the watched repository of an alert.
pub(crate) fn role(
    read: &Transaction<'_>,
    actor: &Actor,
    id: AlertId,
) -> Result<Option<Role>, Error> {
    let sql = "SELECT role FROM alert JOIN watch ON watch.id = alert.watch
               JOIN repository ON repository.id = watch.repository
               JOIN member ON member.team = repository.team
               WHERE alert.id = ?3 AND member.account = ?1 AND (?2 IS NULL OR repository.id = ?2)";
    let row = params![actor.account, actor.only, id];
    let role: Option<String> =
        read.prepare_cached(sql)?.query_row(row, |row| row.get(0)).optional()?;
    Ok(role.and_then(|role| Role::parse(&role)))
}

/// Changes the state and the assignee of an alert; `None` leaves them as they are.
pub(crate) fn update(
    write: &Transaction<'_>,
    id: AlertId,
    account: AccountId,
    state: Option<AlertState>,
    assignee: Option<Option<AccountId>>,
) -> Result<(), Error> {
    let sql = "UPDATE alert SET state = ifnull(?2, state),
                   changed = iif(?2 IS NULL, changed, ?3),
                   changed_by = iif(?2 IS NULL, changed_by, ?4),
                   assignee = iif(?5, ?6, assignee)
               WHERE id = ?1";
    let (state, has_assignee) = (state.map(AlertState::name), assignee.is_some());
    let row = params![id, state, now(), account, has_assignee, assignee.flatten()];
    write.prepare_cached(sql)?.execute(row)?;
    Ok(())
}
