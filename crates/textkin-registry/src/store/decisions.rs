//! Decisions in the store.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::AccountId;
use crate::error::Error;
use crate::service::decisions::StoredDecision;
use crate::store::now;

/// Returns the latest decision of the teams of an account about two texts.
pub(crate) fn latest(
    read: &Transaction<'_>,
    account: AccountId,
    [a, b]: [i64; 2],
) -> Result<Option<StoredDecision>, Error> {
    let sql = "SELECT state, note, account.name, at FROM decision
               JOIN account ON account.id = decision.account
               JOIN member ON member.team = decision.team
               WHERE a = ?1 AND b = ?2 AND member.account = ?3
               ORDER BY decision.id DESC LIMIT 1";
    let row = |row: &Row<'_>| {
        let (state, note, by, at) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        Ok(StoredDecision { state, note, by, at })
    };
    Ok(read.prepare_cached(sql)?.query_row(params![a, b, account], row).optional()?)
}

/// Inserts a decision about two texts for the personal team of an account.
pub(crate) fn insert(
    write: &Transaction<'_>,
    account: AccountId,
    [a, b]: [i64; 2],
    state: &str,
    note: &str,
) -> Result<(), Error> {
    let sql = "INSERT INTO decision (team, account, a, b, state, note, at)
               SELECT team.id, ?1, ?2, ?3, ?4, ?5, ?6 FROM team
               JOIN account ON account.name = team.name WHERE account.id = ?1";
    write.prepare_cached(sql)?.execute(params![account, a, b, state, note, now()])?;
    Ok(())
}
