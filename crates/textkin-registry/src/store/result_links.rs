//! Links that show a result to people without an account, in the store.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::domain::AccountId;
use crate::error::Error;
use crate::store::now;

/// Inserts a link to a result that works until `expires`; `exclusions` as JSON.
pub(crate) fn insert(
    write: &Transaction<'_>,
    digest: &[u8; 32],
    result: &str,
    exclusions: &str,
    expires: i64,
) -> Result<(), Error> {
    write.prepare_cached("DELETE FROM result_link WHERE expires <= ?1")?.execute([now()])?;
    let sql = "INSERT INTO result_link (digest, result, exclusions, created, expires)
               VALUES (?1, ?2, ?3, ?4, ?5)";
    write.prepare_cached(sql)?.execute(params![digest, result, exclusions, now(), expires])?;
    Ok(())
}

/// Returns how many links to a result work, and when the last of them expires.
pub(crate) fn count(read: &Transaction<'_>, result: &str) -> Result<(u64, Option<i64>), Error> {
    let sql = "SELECT count(*), max(expires) FROM result_link WHERE result = ?1 AND expires > ?2";
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    Ok(read.prepare_cached(sql)?.query_row(params![result, now()], row)?)
}

/// Deletes all links to a result.
pub(crate) fn delete_all(write: &Transaction<'_>, result: &str) -> Result<(), Error> {
    write.prepare_cached("DELETE FROM result_link WHERE result = ?1")?.execute([result])?;
    Ok(())
}

/// Returns the account, the result and the exclusions of a link that works.
pub(crate) fn find(
    read: &Transaction<'_>,
    digest: &[u8; 32],
) -> Result<Option<(AccountId, String, String)>, Error> {
    let sql =
        "SELECT account, result, exclusions FROM result_link JOIN result ON result.id = result
               WHERE digest = ?1 AND expires > ?2";
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    Ok(read.prepare_cached(sql)?.query_row(params![digest, now()], row).optional()?)
}
