//! API keys in the store.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::{AccountId, Actor, KeyId, RepositoryId};
use crate::error::Error;
use crate::service::KeyView;
use crate::service::repositories::RepositoryNames;

/// An API key that can be used.
#[derive(Debug)]
pub(crate) struct KeyRow {
    pub(crate) id: KeyId,
    pub(crate) account: AccountId,
    pub(crate) scopes: String,
    pub(crate) repository: Option<RepositoryId>,
    pub(crate) addresses: Option<String>,
    /// When it was last used, in seconds since 1970; 0 if it was not used yet.
    pub(crate) used: i64,
}

/// An API key to be stored.
#[derive(Debug)]
pub(crate) struct NewKeyRow<'a> {
    pub(crate) account: AccountId,
    pub(crate) name: &'a str,
    pub(crate) digest: &'a [u8; 32],
    pub(crate) scopes: &'a str,
    pub(crate) repository: Option<RepositoryId>,
    pub(crate) addresses: Option<&'a str>,
    pub(crate) created: i64,
    pub(crate) expires: Option<i64>,
}

/// Returns the key with a digest, unless it is revoked or expired or its account is disabled.
pub(crate) fn find(
    read: &Transaction<'_>,
    digest: &[u8; 32],
    now: i64,
) -> Result<Option<KeyRow>, Error> {
    let sql = "SELECT api_key.id, account, scopes, repository, addresses, ifnull(used, 0)
               FROM api_key JOIN account ON account.id = account
               WHERE digest = ?1 AND revoked IS NULL AND NOT is_off
                 AND (expires IS NULL OR expires > ?2)";
    let row = |row: &Row<'_>| {
        Ok(KeyRow {
            id: row.get(0)?,
            account: row.get(1)?,
            scopes: row.get(2)?,
            repository: row.get(3)?,
            addresses: row.get(4)?,
            used: row.get(5)?,
        })
    };
    Ok(read.prepare_cached(sql)?.query_row(params![digest, now], row).optional()?)
}

/// Returns the keys of the actor's account, the latest first.
pub(crate) fn list(read: &Transaction<'_>, actor: &Actor) -> Result<Vec<KeyView>, Error> {
    let sql = "SELECT id, name, scopes, repository, addresses, created, expires, used, revoked
               FROM api_key WHERE account = ?1 ORDER BY id DESC";
    let mut names = RepositoryNames::new(read, actor);
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_and_then([actor.account], |row| {
        let repository: Option<RepositoryId> = row.get(3)?;
        Ok(KeyView {
            id: row.get(0)?,
            name: row.get(1)?,
            scopes: row.get(2)?,
            repository: repository.map(|id| names.get(id)).transpose()?,
            addresses: row.get(4)?,
            created: row.get(5)?,
            expires: row.get(6)?,
            used: row.get(7)?,
            revoked: row.get(8)?,
            key: None,
        })
    })?;
    rows.collect()
}

/// Inserts a key; returns its id.
pub(crate) fn insert(write: &Transaction<'_>, new: &NewKeyRow<'_>) -> Result<KeyId, Error> {
    let sql = "INSERT INTO api_key
                   (account, name, digest, scopes, repository, addresses, created, expires)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id";
    let NewKeyRow { account, name, digest, scopes, repository, addresses, created, expires } = new;
    let row = params![account, name, digest, scopes, repository, addresses, created, expires];
    Ok(write.prepare_cached(sql)?.query_row(row, |row| row.get(0))?)
}

/// Stores when a key was last used.
pub(crate) fn set_used(write: &Transaction<'_>, id: KeyId, at: i64) -> Result<(), Error> {
    write.prepare_cached("UPDATE api_key SET used = ?2 WHERE id = ?1")?.execute(params![id, at])?;
    Ok(())
}

/// Revokes a key of an account; returns whether there was one.
pub(crate) fn revoke(
    write: &Transaction<'_>,
    account: AccountId,
    id: KeyId,
    at: i64,
) -> Result<bool, Error> {
    let sql = "UPDATE api_key SET revoked = ?3
               WHERE id = ?1 AND account = ?2 AND revoked IS NULL";
    Ok(write.prepare_cached(sql)?.execute(params![id, account, at])? > 0)
}
