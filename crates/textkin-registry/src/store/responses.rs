//! Responses in the store, for requests that are repeated with the same key.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::AccountId;
use crate::error::Error;
use crate::store::now;

/// Returns the stored response to a request with this key; fails if that was another request.
pub(crate) fn find(
    read: &Transaction<'_>,
    account: AccountId,
    key: &str,
    request: &[u8; 32],
) -> Result<Option<String>, Error> {
    let sql = "SELECT request, body FROM idempotency WHERE account = ?1 AND key = ?2";
    let row = |row: &Row<'_>| Ok((row.get::<_, [u8; 32]>(0)?, row.get(1)?));
    let record = read.prepare_cached(sql)?.query_row(params![account, key], row).optional()?;
    match record {
        Some((record, _)) if record != *request => Err(Error::Conflict(
            "this Idempotency-Key was already used for another request".to_owned(),
        )),
        record => Ok(record.map(|(_, body)| body)),
    }
}

/// Stores the response to a request with a key.
pub(crate) fn insert(
    write: &Transaction<'_>,
    account: AccountId,
    key: &str,
    request: &[u8; 32],
    body: &str,
) -> Result<(), Error> {
    let sql = "INSERT INTO idempotency (account, key, request, status, body, created)
               VALUES (?1, ?2, ?3, 201, ?4, ?5)";
    write.prepare_cached(sql)?.execute(params![account, key, request, body, now()])?;
    Ok(())
}

/// Deletes the responses that were stored before a time.
pub(crate) fn delete_expired(write: &Transaction<'_>, before: i64) -> Result<(), Error> {
    write.prepare_cached("DELETE FROM idempotency WHERE created < ?1")?.execute([before])?;
    Ok(())
}
