//! Sessions in the store.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::error::Error;
use crate::store::now;

/// The digest of the secret of a session.
pub(crate) type SessionDigest = [u8; 32];

/// What signing in needs to know of an account.
#[derive(Debug)]
pub(crate) struct Credentials {
    pub(crate) account: i64,
    pub(crate) password: Option<String>,
    pub(crate) is_off: bool,
}

/// Returns the credentials of the account with a name.
pub(crate) fn credentials(
    read: &Transaction<'_>,
    name: &str,
) -> Result<Option<Credentials>, Error> {
    let sql = "SELECT id, password, is_off FROM account WHERE name = ?1";
    let row = |row: &rusqlite::Row<'_>| {
        Ok(Credentials { account: row.get(0)?, password: row.get(1)?, is_off: row.get(2)? })
    };
    Ok(read.prepare_cached(sql)?.query_row([name], row).optional()?)
}

/// Inserts a session that lasts `seconds`, and deletes expired ones.
pub(crate) fn insert(
    write: &Transaction<'_>,
    digest: &SessionDigest,
    account: i64,
    csrf: &str,
    seconds: i64,
) -> Result<(), Error> {
    let now = now();
    write.execute("DELETE FROM session WHERE expires < ?1", [now])?;
    let sql = "INSERT INTO session (digest, account, csrf, created, expires)
               VALUES (?1, ?2, ?3, ?4, ?5)";
    write.execute(sql, params![digest, account, csrf, now, now + seconds])?;
    Ok(())
}

/// Deletes a session.
pub(crate) fn delete(write: &Transaction<'_>, digest: &SessionDigest) -> Result<(), Error> {
    write.execute("DELETE FROM session WHERE digest = ?1", params![digest])?;
    Ok(())
}

/// Returns the account of a session that has not expired, and the token of its forms.
pub(crate) fn find(
    read: &Transaction<'_>,
    digest: &SessionDigest,
) -> Result<Option<(i64, String)>, Error> {
    let sql = "SELECT account, csrf FROM session JOIN account ON account.id = account
               WHERE digest = ?1 AND expires > ?2 AND NOT is_off";
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    Ok(read.prepare_cached(sql)?.query_row(params![digest, now()], row).optional()?)
}
