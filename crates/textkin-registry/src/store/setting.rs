//! Settings of the store: a few values by name.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::error::Error;

/// The digest of the setup token, in hexadecimal.
pub(crate) const SETUP_TOKEN: &str = "setup";
/// The check value of the key that webhook secrets are encrypted with.
pub(crate) const SECRET_KEY: &str = "secret_key";

/// When the disk was last full, in seconds since 1970.
pub(crate) const DISK_FULL: &str = "disk_full";

/// Returns a value.
pub(crate) fn get(read: &Transaction<'_>, name: &str) -> Result<Option<String>, Error> {
    let mut statement = read.prepare_cached("SELECT value FROM setting WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?)
}

/// Sets a value.
pub(crate) fn set(write: &Transaction<'_>, name: &str, value: &str) -> Result<(), Error> {
    let sql = "INSERT INTO setting (name, value) VALUES (?1, ?2)
               ON CONFLICT DO UPDATE SET value = excluded.value";
    write.prepare_cached(sql)?.execute(params![name, value])?;
    Ok(())
}

/// Removes a value.
pub(crate) fn remove(write: &Transaction<'_>, name: &str) -> Result<(), Error> {
    write.prepare_cached("DELETE FROM setting WHERE name = ?1")?.execute([name])?;
    Ok(())
}
