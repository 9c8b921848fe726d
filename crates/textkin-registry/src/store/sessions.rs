//! Sessions in the store.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::AccountId;
use crate::error::Error;
use crate::store::now;

/// The digest of the secret of a session.
pub(crate) type SessionDigest = [u8; 32];

/// Inserts a session that lasts `seconds`, and deletes expired ones.
pub(crate) fn insert(
    write: &Transaction<'_>,
    digest: &SessionDigest,
    account: AccountId,
    csrf: &str,
    seconds: i64,
) -> Result<(), Error> {
    let now = now();
    delete_expired(write, now)?;
    let sql = "INSERT INTO session (digest, account, csrf, created, expires)
               VALUES (?1, ?2, ?3, ?4, ?5)";
    write.prepare_cached(sql)?.execute(params![digest, account, csrf, now, now + seconds])?;
    Ok(())
}

/// Deletes a session.
pub(crate) fn delete(write: &Transaction<'_>, digest: &SessionDigest) -> Result<(), Error> {
    write.prepare_cached("DELETE FROM session WHERE digest = ?1")?.execute([digest])?;
    Ok(())
}

/// Deletes all sessions of an account.
pub(crate) fn delete_all(write: &Transaction<'_>, account: AccountId) -> Result<(), Error> {
    write.prepare_cached("DELETE FROM session WHERE account = ?1")?.execute([account])?;
    Ok(())
}

/// Deletes the sessions that have expired.
pub(crate) fn delete_expired(write: &Transaction<'_>, now: i64) -> Result<(), Error> {
    write.prepare_cached("DELETE FROM session WHERE expires < ?1")?.execute([now])?;
    Ok(())
}

/// Returns the account of a session that has not expired, and the token of its forms.
pub(crate) fn find(
    read: &Transaction<'_>,
    digest: &SessionDigest,
) -> Result<Option<(AccountId, String)>, Error> {
    let sql = "SELECT account, csrf FROM session JOIN account ON account.id = account
               WHERE digest = ?1 AND expires > ?2 AND NOT is_off";
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    Ok(read.prepare_cached(sql)?.query_row(params![digest, now()], row).optional()?)
}
