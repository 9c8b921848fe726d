//! Watches in the store.

use rusqlite::{Row, Transaction, params};

use crate::domain::{AccountId, Actor, HookId, LevelThresholds, MatchLevel, RepositoryId, WatchId};
use crate::error::Error;
use crate::service::repositories::RepositoryNames;
use crate::service::watches::WatchRule;
use crate::service::{Channel, NewWatch, WatchView};
use crate::store::now;

/// Inserts a watch; returns its id.
pub(crate) fn insert(
    write: &Transaction<'_>,
    account: AccountId,
    repository: RepositoryId,
    new: &NewWatch,
    channels: &[Channel],
    hook: Option<HookId>,
) -> Result<WatchId, Error> {
    let sql = "INSERT INTO watch (id, account, repository, min_level, exact, high, some,
                   min_words, channels, hook, quiet_from, quiet_to, digest, created)
               VALUES (new_id(), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    let LevelThresholds { exact, high, some } = new.levels;
    write.prepare_cached(sql)?.execute(params![
        account,
        repository,
        new.min_level.name(),
        exact,
        high,
        some,
        new.min_words,
        serde_json::to_string(channels)?,
        hook,
        new.quiet_from,
        new.quiet_to,
        new.digest_hours,
        now(),
    ])?;
    Ok(WatchId::new(write.last_insert_rowid()))
}

/// Changes the rule of a watch of the actor's account; returns whether there is one.
pub(crate) fn update(
    write: &Transaction<'_>,
    actor: &Actor,
    id: WatchId,
    new: &NewWatch,
    channels: &[Channel],
    hook: Option<HookId>,
) -> Result<bool, Error> {
    let sql = "UPDATE watch SET min_level = ?4, exact = ?5, high = ?6, some = ?7, min_words = ?8,
                   channels = ?9, hook = ?10, quiet_from = ?11, quiet_to = ?12, digest = ?13
               WHERE id = ?1 AND account = ?2 AND (?3 IS NULL OR repository = ?3)";
    let LevelThresholds { exact, high, some } = new.levels;
    let n_changed = write.prepare_cached(sql)?.execute(params![
        id,
        actor.account,
        actor.only,
        new.min_level.name(),
        exact,
        high,
        some,
        new.min_words,
        serde_json::to_string(channels)?,
        hook,
        new.quiet_from,
        new.quiet_to,
        new.digest_hours,
    ])?;
    Ok(n_changed > 0)
}

/// Returns the watches of the actor's account.
pub(crate) fn list(read: &Transaction<'_>, actor: &Actor) -> Result<Vec<WatchView>, Error> {
    let sql = "SELECT id, repository, min_level, exact, high, some, min_words,
                      channels, hook, quiet_from, quiet_to, digest, created
               FROM watch
               WHERE account = ?1 AND (?2 IS NULL OR repository = ?2) ORDER BY id";
    let mut names = RepositoryNames::new(read, actor);
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_and_then(params![actor.account, actor.only], |row| {
        Ok(WatchView {
            id: row.get(0)?,
            repository: names.get(row.get(1)?)?,
            min_level: level(row, 2)?,
            levels: LevelThresholds { exact: row.get(3)?, high: row.get(4)?, some: row.get(5)? },
            min_words: row.get(6)?,
            channels: channels(row, 7)?,
            webhook: row.get(8)?,
            quiet_from: row.get(9)?,
            quiet_to: row.get(10)?,
            digest_hours: row.get(11)?,
            created: row.get(12)?,
            job: None,
        })
    })?;
    rows.collect()
}

/// Deletes a watch of the actor's account, with its alerts; returns whether there was one.
pub(crate) fn delete(write: &Transaction<'_>, actor: &Actor, id: WatchId) -> Result<bool, Error> {
    let sql = "DELETE FROM watch
               WHERE id = ?1 AND account = ?2 AND (?3 IS NULL OR repository = ?3)";
    Ok(write.prepare_cached(sql)?.execute(params![id, actor.account, actor.only])? > 0)
}

fn level(row: &Row<'_>, column: usize) -> rusqlite::Result<MatchLevel> {
    Ok(MatchLevel::parse(&row.get::<_, String>(column)?).unwrap_or(MatchLevel::Some))
}

fn channels(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<Channel>> {
    Ok(serde_json::from_str(&row.get::<_, String>(column)?).unwrap_or_default())
}

/// Returns all watches whose accounts may still read the watched repository.
pub(crate) fn rules(read: &Transaction<'_>) -> Result<Vec<WatchRule>, Error> {
    let sql = "SELECT watch.id, watch.account, watch.repository, min_level, exact, high, some,
                      min_words, channels, hook, quiet_from, quiet_to, digest
               FROM watch JOIN repository ON repository.id = watch.repository
               JOIN member ON member.team = repository.team AND member.account = watch.account
               JOIN account ON account.id = watch.account
               WHERE NOT is_off ORDER BY watch.id";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        let (from, to): (Option<u32>, Option<u32>) = (row.get(10)?, row.get(11)?);
        Ok(WatchRule {
            watch: row.get(0)?,
            account: row.get(1)?,
            repository: row.get(2)?,
            min_level: level(row, 3)?,
            levels: LevelThresholds { exact: row.get(4)?, high: row.get(5)?, some: row.get(6)? },
            min_words: row.get(7)?,
            channels: channels(row, 8)?,
            hook: row.get(9)?,
            quiet: from.zip(to),
            digest_hours: row.get(12)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
