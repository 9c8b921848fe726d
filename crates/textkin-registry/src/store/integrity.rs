//! The integrity of the file of the store.

use rusqlite::Transaction;

use crate::error::Error;

/// Checks the file; returns `ok` or what is wrong.
pub(crate) fn check(read: &Transaction<'_>) -> Result<String, Error> {
    Ok(read.query_row("PRAGMA integrity_check", [], |row| row.get(0))?)
}
