//! Webhooks in the store.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::{AccountId, HookId};
use crate::error::Error;
use crate::service::{DeliveryState, HookView};

/// The address and the secret of a webhook.
#[derive(Debug)]
pub(crate) struct HookRow {
    pub(crate) id: HookId,
    pub(crate) account: AccountId,
    pub(crate) url: String,
    /// The secret, encrypted with the key of the server.
    pub(crate) sealed_secret: String,
}

/// A webhook to be stored.
#[derive(Debug)]
pub(crate) struct NewHookRow<'a> {
    pub(crate) account: AccountId,
    pub(crate) name: &'a str,
    pub(crate) url: &'a str,
    pub(crate) sealed_secret: &'a str,
    pub(crate) created: i64,
}

/// Returns the ids of the webhooks of an account: all, or the one with an id.
pub(crate) fn ids(
    read: &Transaction<'_>,
    account: AccountId,
    id: Option<HookId>,
) -> Result<Vec<HookId>, Error> {
    let sql = "SELECT id FROM hook WHERE account = ?1 AND (?2 IS NULL OR id = ?2)";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map(params![account, id], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns a webhook of an account.
pub(crate) fn find(
    read: &Transaction<'_>,
    account: AccountId,
    id: HookId,
) -> Result<Option<HookRow>, Error> {
    let sql = "SELECT id, url, secret FROM hook WHERE id = ?1 AND account = ?2";
    let row = |row: &Row<'_>| {
        Ok(HookRow { id: row.get(0)?, account, url: row.get(1)?, sealed_secret: row.get(2)? })
    };
    Ok(read.prepare_cached(sql)?.query_row(params![id, account], row).optional()?)
}

/// Returns the webhooks of an account, with the outcome of their last deliveries.
pub(crate) fn list(read: &Transaction<'_>, account: AccountId) -> Result<Vec<HookView>, Error> {
    // Webhooks from before names were introduced are named by their address.
    let sql = "SELECT id, ifnull(nullif(name, ''), url), url, created,
                   (SELECT state FROM delivery WHERE hook = hook.id
                    ORDER BY delivery.id DESC LIMIT 1),
                   (SELECT max(finished) FROM delivery WHERE hook = hook.id AND state = 'done')
               FROM hook WHERE account = ?1 ORDER BY id";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map([account], |row| {
        let last: Option<String> = row.get(4)?;
        Ok(HookView {
            id: row.get(0)?,
            name: row.get(1)?,
            url: row.get(2)?,
            created: row.get(3)?,
            last: last.as_deref().and_then(DeliveryState::parse),
            last_delivered: row.get(5)?,
            secret: None,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Inserts a webhook; returns its id.
pub(crate) fn insert(write: &Transaction<'_>, new: &NewHookRow<'_>) -> Result<HookId, Error> {
    let sql = "INSERT INTO hook (account, url, secret, created, name)
               VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id";
    let NewHookRow { account, name, url, sealed_secret, created } = new;
    let row = params![account, url, sealed_secret, created, name];
    Ok(write.prepare_cached(sql)?.query_row(row, |row| row.get(0))?)
}

/// Deletes a webhook of an account, with its deliveries; returns whether there was one.
pub(crate) fn delete(
    write: &Transaction<'_>,
    account: AccountId,
    id: HookId,
) -> Result<bool, Error> {
    let sql = "DELETE FROM hook WHERE id = ?1 AND account = ?2";
    Ok(write.prepare_cached(sql)?.execute(params![id, account])? > 0)
}
