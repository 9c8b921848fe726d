//! Links that set a new password, in the store.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::AccountId;
use crate::error::Error;
use crate::store::now;

/// Inserts a link that works until `expires`, and deletes earlier ones of the account.
pub(crate) fn insert(
    write: &Transaction<'_>,
    digest: &[u8; 32],
    account: AccountId,
    expires: i64,
) -> Result<(), Error> {
    delete_all(write, account)?;
    let sql = "INSERT INTO password_reset (digest, account, expires) VALUES (?1, ?2, ?3)";
    write.prepare_cached(sql)?.execute(params![digest, account, expires])?;
    Ok(())
}

/// Returns the account of a link that has not expired, unless the account is disabled.
pub(crate) fn find(read: &Transaction<'_>, digest: &[u8; 32]) -> Result<Option<AccountId>, Error> {
    let sql = "SELECT account FROM password_reset JOIN account ON account.id = account
               WHERE digest = ?1 AND expires > ?2 AND NOT is_off";
    let row = params![digest, now()];
    Ok(read.prepare_cached(sql)?.query_row(row, |row| row.get(0)).optional()?)
}

/// Deletes the links of an account, and all that have expired.
pub(crate) fn delete_all(write: &Transaction<'_>, account: AccountId) -> Result<(), Error> {
    let sql = "DELETE FROM password_reset WHERE account = ?1 OR expires <= ?2";
    write.prepare_cached(sql)?.execute(params![account, now()])?;
    Ok(())
}
