//! Alerts in the store.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::level::MatchLevel;
use crate::domain::{AccountId, Actor, AlertId, DocumentId, RepositoryId, Role, WatchId};
use crate::error::Error;
use crate::service::repositories::RepositoryNames;
use crate::service::{AlertList, AlertPassage, AlertSide, AlertState, AlertView, ByteRange};
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
    /// The longest shared passages of the watched text.
    pub(crate) passages: Vec<AlertPassage>,
}

/// Stores an alert and returns its id; `None` if there is one about the same two documents, or the
/// watch or a document has been deleted.
pub(crate) fn insert(
    write: &Transaction<'_>,
    alert: &NewAlert,
    now_ms: i64,
) -> Result<Option<AlertId>, Error> {
    let sql = "INSERT INTO alert (id, watch, watched, found, level, watched_words, watched_shared,
                   found_words, found_shared, created_ms, is_bounded, passages,
                   found_repository, found_id, found_title, found_time)
               SELECT new_id(), ?1, ?2, f.number, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,
                      repository.name, f.id, f.title, f.time
               FROM document f JOIN repository ON repository.id = f.repository
               WHERE f.number = ?3
                 AND EXISTS (SELECT 1 FROM document WHERE number = ?2)
                 AND EXISTS (SELECT 1 FROM watch WHERE id = ?1)
               ON CONFLICT DO NOTHING";
    let passages: Vec<(u32, u32, u32)> =
        alert.passages.iter().map(|own| (own.span.start, own.span.end, own.words)).collect();
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
        serde_json::to_string(&passages)?,
    ])?;
    Ok((n_new > 0).then(|| AlertId::new(write.last_insert_rowid())))
}

/// Watches of repositories of the teams of account ?1, limited to the repository ?2 of its key.
const OWN_WATCHES: &str = "(SELECT watch.id FROM watch
    JOIN repository ON repository.id = watch.repository
    JOIN member ON member.team = repository.team
    WHERE member.account = ?1 AND (?2 IS NULL OR repository.id = ?2))";

/// The ids of the latest alerts of a watch in a state.
const LATEST: &str =
    "SELECT id FROM alert WHERE watch = ?1 AND state = ?2 AND id < ?3 ORDER BY id DESC LIMIT ?4";

/// Returns the ids of the latest alerts that are assigned to account ?1.
fn latest_assigned_sql() -> String {
    format!(
        "SELECT id FROM alert WHERE assignee = ?1 AND +watch IN {OWN_WATCHES}
             AND (?3 IS NULL OR +state = ?3) AND id < ?4 ORDER BY id DESC LIMIT ?5"
    )
}

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
    let before = before.map_or(i64::MAX, AlertId::get);
    let ids = match is_mine {
        true => latest_assigned(read, actor, state, before, limit)?,
        false => latest(read, actor, state, before, limit)?,
    };
    let mut names = RepositoryNames::new(read, actor);
    let mut alerts = Vec::with_capacity(ids.len());
    for id in ids {
        alerts.extend(find_with(read, actor, id, &mut names)?);
    }
    Ok(alerts)
}

/// Returns the ids of the latest alerts, the latest first. Of each watch and state, only the latest are read, so that
/// neither the age of alerts nor those of others matter.
fn latest(
    read: &Transaction<'_>,
    actor: &Actor,
    state: Option<AlertState>,
    before: i64,
    limit: u32,
) -> Result<Vec<AlertId>, Error> {
    let sql = format!("SELECT id FROM {OWN_WATCHES}");
    let mut statement = read.prepare_cached(&sql)?;
    let watches = statement.query_map(params![actor.account, actor.only], |row| row.get(0))?;
    let watches: Vec<WatchId> = watches.collect::<Result<_, _>>()?;
    let mut statement = read.prepare_cached(LATEST)?;
    let mut ids: Vec<AlertId> = Vec::new();
    for watch in watches {
        for state in
            AlertState::ALL.into_iter().filter(|one| state.is_none_or(|state| state == *one))
        {
            let found = statement
                .query_map(params![watch, state.name(), before, limit], |row| row.get(0))?;
            ids.extend(found.collect::<Result<Vec<AlertId>, _>>()?);
        }
    }
    ids.sort_unstable_by(|one, two| two.cmp(one));
    ids.truncate(limit as usize);
    Ok(ids)
}

/// Returns the ids of the latest alerts that are assigned to the actor, the latest first.
fn latest_assigned(
    read: &Transaction<'_>,
    actor: &Actor,
    state: Option<AlertState>,
    before: i64,
    limit: u32,
) -> Result<Vec<AlertId>, Error> {
    let mut statement = read.prepare_cached(&latest_assigned_sql())?;
    let state = state.map(AlertState::name);
    let values = params![actor.account, actor.only, state, before, limit];
    let ids = statement.query_map(values, |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Returns an alert on a document of the actor's teams.
pub(crate) fn find(
    read: &Transaction<'_>,
    actor: &Actor,
    id: AlertId,
) -> Result<Option<AlertView>, Error> {
    find_with(read, actor, id, &mut RepositoryNames::new(read, actor))
}

fn find_with(
    read: &Transaction<'_>,
    actor: &Actor,
    id: AlertId,
    names: &mut RepositoryNames<'_>,
) -> Result<Option<AlertView>, Error> {
    let sql = format!(
        "SELECT alert.id, alert.watch, level, created_ms, alert.state, changed, who.name,
                whose.name, watched_words, watched_shared, w.repository, w.id, w.title, w.time,
                found_words, found_shared, f.repository,
                ifnull(f.id, found_id), ifnull(f.title, found_title), ifnull(f.time, found_time),
                is_bounded, found IS NULL, passages, found_repository
         FROM alert JOIN document w ON w.number = watched
         LEFT JOIN document f ON f.number = found
         LEFT JOIN account who ON who.id = changed_by
         LEFT JOIN account whose ON whose.id = assignee
         WHERE alert.id = ?3 AND +alert.watch IN {OWN_WATCHES}"
    );
    let mut statement = read.prepare_cached(&sql)?;
    let row = params![actor.account, actor.only, id];
    statement.query_and_then(row, |row| view(row, names))?.next().transpose()
}

fn view(row: &Row<'_>, names: &mut RepositoryNames<'_>) -> Result<AlertView, Error> {
    let mut side = |first: usize| -> Result<AlertSide, Error> {
        let (words, shared_words): (u64, u64) = (row.get(first)?, row.get(first + 1)?);
        let repository = match row.get::<_, Option<RepositoryId>>(first + 2)? {
            Some(id) => names.get(id)?,
            // Only a found document can have been deleted.
            None => row.get(23)?,
        };
        Ok(AlertSide {
            repository,
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
        found_is_deleted: row.get(21)?,
        passages: passages(&row.get::<_, String>(22)?),
    })
}

fn passages(json: &str) -> Vec<AlertPassage> {
    let passages: Vec<(u32, u32, u32)> = serde_json::from_str(json).unwrap_or_default();
    let passages = passages.into_iter();
    passages
        .map(|(start, end, words)| AlertPassage { span: ByteRange { start, end }, words })
        .collect()
}

/// Which alerts are meant: a condition on them and their watches; ?1 and ?2 as in [`OWN_WATCHES`].
fn condition(list: AlertList) -> String {
    match list {
        AlertList::Open => format!("state = 'open' AND watch IN {OWN_WATCHES}"),
        AlertList::Mine => format!("assignee = ?1 AND +state = 'open' AND +watch IN {OWN_WATCHES}"),
        AlertList::Done => {
            format!("state IN ('handled', 'dismissed') AND watch IN {OWN_WATCHES}")
        }
    }
}

/// Returns the watched documents with alerts, those with the latest first: number, how many alerts.
pub(crate) fn texts(
    read: &Transaction<'_>,
    actor: &Actor,
    list: AlertList,
    (offset, limit): (u64, u32),
) -> Result<Vec<(DocumentId, u64)>, Error> {
    let sql = format!(
        "SELECT watched, count(*) FROM alert WHERE {} GROUP BY watched
         ORDER BY max(id) DESC LIMIT ?3 OFFSET ?4",
        condition(list)
    );
    let mut statement = read.prepare_cached(&sql)?;
    let rows = statement.query_map(params![actor.account, actor.only, limit, offset], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Counts the watched documents with alerts.
pub(crate) fn n_texts(
    read: &Transaction<'_>,
    actor: &Actor,
    list: AlertList,
) -> Result<u64, Error> {
    let sql = format!("SELECT count(DISTINCT watched) FROM alert WHERE {}", condition(list));
    let row = params![actor.account, actor.only];
    Ok(read.prepare_cached(&sql)?.query_row(row, |row| row.get(0))?)
}

/// Returns the alerts about a watched document with ids below `before`, the latest first.
pub(crate) fn of_text(
    read: &Transaction<'_>,
    actor: &Actor,
    list: AlertList,
    watched: DocumentId,
    before: Option<AlertId>,
    limit: u32,
) -> Result<Vec<AlertView>, Error> {
    let sql = format!(
        "SELECT id FROM alert WHERE watched = ?3 AND id < ?4 AND {}
         ORDER BY id DESC LIMIT ?5",
        condition(list).replace("state", "+state").replace("++", "+")
    );
    let before = before.map_or(i64::MAX, AlertId::get);
    let mut statement = read.prepare_cached(&sql)?;
    let row = params![actor.account, actor.only, watched, before, limit];
    let ids = statement.query_map(row, |row| row.get(0))?;
    let ids: Vec<AlertId> = ids.collect::<Result<_, _>>()?;
    let mut alerts = Vec::with_capacity(ids.len());
    for id in ids {
        alerts.extend(find(read, actor, id)?);
    }
    Ok(alerts)
}

/// Counts the alerts about a watched document.
pub(crate) fn n_of_text(
    read: &Transaction<'_>,
    actor: &Actor,
    list: AlertList,
    watched: DocumentId,
) -> Result<u64, Error> {
    let condition = condition(list);
    let sql = format!("SELECT count(*) FROM alert WHERE watched = ?3 AND {condition}");
    let row = params![actor.account, actor.only, watched];
    Ok(read.prepare_cached(&sql)?.query_row(row, |row| row.get(0))?)
}

/// Changes the state of all open alerts that the actor may change, or only of those about a watched
/// document; returns how many.
pub(crate) fn update_open(
    write: &Transaction<'_>,
    actor: &Actor,
    watched: Option<DocumentId>,
    state: AlertState,
) -> Result<u64, Error> {
    let sql = format!(
        "UPDATE alert SET state = ?3, changed = ?4, changed_by = ?1
         WHERE state = 'open' AND (?5 IS NULL OR watched = ?5) AND watch IN {}",
        OWN_WATCHES.replace("WHERE", "WHERE member.role <> 'reader' AND")
    );
    let row = params![actor.account, actor.only, state.name(), now(), watched];
    Ok(write.prepare_cached(&sql)?.execute(row)? as u64)
}

/// Counts the open alerts; with `is_mine` only those assigned to the actor.
pub(crate) fn n_open(read: &Transaction<'_>, actor: &Actor, is_mine: bool) -> Result<u64, Error> {
    let condition = match is_mine {
        true => "assignee = ?1 AND +state = 'open' AND +watch",
        false => "state = 'open' AND watch",
    };
    count(read, actor, condition)
}

/// Counts the handled and dismissed alerts.
pub(crate) fn n_done(read: &Transaction<'_>, actor: &Actor) -> Result<u64, Error> {
    count(read, actor, "state IN ('handled', 'dismissed') AND watch")
}

/// Counts the alerts with a condition on their watch and more.
fn count(read: &Transaction<'_>, actor: &Actor, condition: &str) -> Result<u64, Error> {
    let sql = format!("SELECT count(*) FROM alert WHERE {condition} IN {OWN_WATCHES}");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn the_latest_alerts_are_found_without_reading_others() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("textkin.db")).unwrap();
        for (sql, index) in [
            (LATEST.to_owned(), "alert_watch (watch=? AND state=? AND id<?)"),
            (latest_assigned_sql(), "alert_assignee (assignee=? AND id<?)"),
        ] {
            let plan = store
                .read(|read| {
                    let mut statement = read.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
                    let nothing = vec![rusqlite::types::Null; statement.parameter_count()];
                    let nothing = rusqlite::params_from_iter(nothing);
                    let lines = statement.query_map(nothing, |row| row.get::<_, String>(3))?;
                    Ok(lines.collect::<Result<Vec<_>, _>>()?.join("\n"))
                })
                .unwrap();
            assert!(plan.contains(index) && !plan.contains("ORDER BY"), "{plan}");
        }
    }
}
