//! Deliveries in the store: alerts on their way over a channel.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::{AccountId, AlertId, DeliveryId, HookId};
use crate::error::Error;
use crate::service::{Channel, DeliveryState, DeliveryView};
use crate::store::now;

const COLUMNS: &str = "id, alert, channel, hook, state, attempts, next, answer, created, finished";

fn view(row: &Row<'_>) -> rusqlite::Result<DeliveryView> {
    let state = DeliveryState::parse(&row.get::<_, String>(4)?).unwrap_or(DeliveryState::Failed);
    let next: i64 = row.get(6)?;
    Ok(DeliveryView {
        id: row.get(0)?,
        alert: row.get(1)?,
        channel: channel(row, 2)?,
        webhook: row.get(3)?,
        state,
        attempts: row.get(5)?,
        next: (state == DeliveryState::Waiting).then_some(next),
        answer: row.get(7)?,
        created: row.get(8)?,
        finished: row.get(9)?,
    })
}

fn channel(row: &Row<'_>, column: usize) -> rusqlite::Result<Channel> {
    Ok(Channel::parse(&row.get::<_, String>(column)?).unwrap_or(Channel::Webhook))
}

/// A delivery to be stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewDelivery {
    /// The alert; `None` for a test.
    pub(crate) alert: Option<AlertId>,
    pub(crate) account: AccountId,
    pub(crate) channel: Channel,
    pub(crate) hook: Option<HookId>,
    /// When it is due, in seconds since 1970.
    pub(crate) next: i64,
}

/// Stores a delivery; returns its id.
pub(crate) fn insert(
    write: &Transaction<'_>,
    delivery: &NewDelivery,
    now: i64,
) -> Result<DeliveryId, Error> {
    let sql = "INSERT INTO delivery (id, alert, account, channel, hook, state, next, created)
               VALUES (new_id(), ?1, ?2, ?3, ?4, 'waiting', ?5, ?6)";
    let NewDelivery { alert, account, channel, hook, next } = delivery;
    let row = params![alert, account, channel.name(), hook, next, now];
    write.prepare_cached(sql)?.execute(row)?;
    Ok(DeliveryId::new(write.last_insert_rowid()))
}

/// Returns the deliveries of an account with ids below `before`, the latest first.
pub(crate) fn list(
    read: &Transaction<'_>,
    account: AccountId,
    state: Option<DeliveryState>,
    before: Option<DeliveryId>,
    limit: u32,
) -> Result<Vec<DeliveryView>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM delivery WHERE account = ?1 AND (?2 IS NULL OR state = ?2)
           AND id < ?3 ORDER BY id DESC LIMIT ?4"
    );
    let mut statement = read.prepare_cached(&sql)?;
    let state = state.map(DeliveryState::name);
    let row = params![account, state, before.map_or(i64::MAX, DeliveryId::get), limit];
    let rows = statement.query_map(row, view)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns a delivery of an account.
pub(crate) fn find(
    read: &Transaction<'_>,
    account: AccountId,
    id: DeliveryId,
) -> Result<Option<DeliveryView>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM delivery WHERE id = ?1 AND account = ?2");
    Ok(read.prepare_cached(&sql)?.query_row(params![id, account], view).optional()?)
}

/// Lets a delivery of an account wait again, due at once; returns whether there is one.
pub(crate) fn resend(
    write: &Transaction<'_>,
    account: AccountId,
    id: DeliveryId,
) -> Result<bool, Error> {
    let sql = "UPDATE delivery SET state = 'waiting', attempts = 0, next = ?3, finished = NULL
               WHERE id = ?1 AND account = ?2";
    Ok(write.prepare_cached(sql)?.execute(params![id, account, now()])? > 0)
}

/// Returns up to 100 accounts and channels with due deliveries, the longest waiting first.
pub(crate) fn due_accounts(
    read: &Transaction<'_>,
    now: i64,
) -> Result<Vec<(AccountId, Channel)>, Error> {
    let sql = "SELECT account, channel FROM delivery
               WHERE state = 'waiting' AND next <= ?1
               GROUP BY account, channel ORDER BY min(next), min(id) LIMIT 100";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map([now], |row| Ok((row.get(0)?, channel(row, 1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A delivery that is due.
#[derive(Debug)]
pub(crate) struct DueDelivery {
    pub(crate) id: DeliveryId,
    /// The alert; `None` for a test.
    pub(crate) alert: Option<AlertId>,
    pub(crate) hook: Option<HookId>,
    /// Whether its watch collects alerts in digests.
    pub(crate) in_digest: bool,
}

/// Returns the due deliveries of an account over a channel, the longest waiting first.
pub(crate) fn due(
    read: &Transaction<'_>,
    account: AccountId,
    channel: Channel,
    now: i64,
    limit: u32,
) -> Result<Vec<DueDelivery>, Error> {
    let sql = "SELECT delivery.id, alert, delivery.hook, ifnull(watch.digest, 0) > 0
               FROM delivery LEFT JOIN alert ON alert.id = alert
               LEFT JOIN watch ON watch.id = alert.watch
               WHERE delivery.state = 'waiting' AND next <= ?1 AND delivery.account = ?2
                 AND channel = ?3
               ORDER BY next, delivery.id LIMIT ?4";
    let mut statement = read.prepare_cached(sql)?;
    let row = params![now, account, channel.name(), limit];
    let rows = statement.query_map(row, |row| {
        let (id, alert, hook, in_digest) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(DueDelivery { id, alert, hook, in_digest })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the number of attempts of a delivery; `None` if it was deleted together with its alert.
pub(crate) fn attempts(read: &Transaction<'_>, id: DeliveryId) -> Result<Option<u32>, Error> {
    let sql = "SELECT attempts FROM delivery WHERE id = ?1";
    Ok(read.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional()?)
}

/// What is stored after an attempt.
#[derive(Debug)]
pub(crate) struct Attempt<'a> {
    pub(crate) state: DeliveryState,
    /// The number of attempts, this one included.
    pub(crate) attempts: u32,
    /// When the next attempt is due, in seconds since 1970.
    pub(crate) next: i64,
    /// The response of the receiver, or why there was none.
    pub(crate) answer: &'a str,
    /// When it was accepted or given up, in seconds since 1970.
    pub(crate) finished: Option<i64>,
}

/// Stores the outcome of an attempt.
pub(crate) fn record(
    write: &Transaction<'_>,
    id: DeliveryId,
    attempt: &Attempt<'_>,
) -> Result<(), Error> {
    let sql = "UPDATE delivery SET state = ?2, attempts = ?3, next = ?4, answer = ?5,
                   finished = ?6 WHERE id = ?1";
    let Attempt { state, attempts, next, answer, finished } = attempt;
    let row = params![id, state.name(), attempts, next, answer, finished];
    write.prepare_cached(sql)?.execute(row)?;
    Ok(())
}

/// Deletes the deliveries that were accepted before a time.
pub(crate) fn delete_done(write: &Transaction<'_>, before: i64) -> Result<(), Error> {
    let sql = "DELETE FROM delivery WHERE state = 'done' AND finished < ?1";
    write.prepare_cached(sql)?.execute([before])?;
    Ok(())
}
