//! The audit log in the store.

use rusqlite::{Transaction, params};

use crate::client;
use crate::domain::AccountId;
use crate::error::Error;
use crate::service::AuditEntry;
use crate::store::now;

/// Adds an entry to the audit log, with the address of the client.
pub(crate) fn insert(
    write: &Transaction<'_>,
    account: Option<AccountId>,
    action: &str,
    object: &str,
) -> Result<(), Error> {
    let sql =
        "INSERT INTO audit (at, account, action, object, address) VALUES (?1, ?2, ?3, ?4, ?5)";
    let address = client::current().map(|address| address.to_string());
    write.prepare_cached(sql)?.execute(params![now(), account, action, object, address])?;
    Ok(())
}

/// Returns the entries of one account or of all, the latest first.
pub(crate) fn list(
    read: &Transaction<'_>,
    account: Option<AccountId>,
    limit: u32,
) -> Result<Vec<AuditEntry>, Error> {
    let sql = "SELECT at, account.name, action, object, address
               FROM audit LEFT JOIN account ON account.id = account
               WHERE ?1 IS NULL OR account = ?1 ORDER BY audit.id DESC LIMIT ?2";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map(params![account, limit], |row| {
        let (at, account, action, object) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(AuditEntry { at, account, action, object, address: row.get(4)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
