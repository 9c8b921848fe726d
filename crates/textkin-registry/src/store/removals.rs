//! Removals in the store: receipts, and removed documents that may still be in index files.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::{AccountId, DocumentId, ReceiptId, TeamId};
use crate::error::Error;
use crate::matching::index::PartitionKey;
use crate::service::RemovalReceipt;
use crate::store::now;

/// Returns the id of a new receipt.
pub(super) fn new_receipt_id(write: &Transaction<'_>) -> Result<ReceiptId, Error> {
    Ok(write.prepare_cached("SELECT new_id()")?.query_row([], |row| row.get(0))?)
}

/// Inserts a receipt for a removal from a repository of a team, by an account or by a rule.
pub(super) fn insert_receipt(
    write: &Transaction<'_>,
    account: Option<AccountId>,
    team: TeamId,
    receipt: &RemovalReceipt,
) -> Result<(), Error> {
    let sql =
        "INSERT INTO receipt (id, at, account, team, repository, reason, documents, words, ids)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let RemovalReceipt { receipt: id, at, repository, reason, documents, words, ids, .. } = receipt;
    let ids = ids.to_string();
    let row = params![id, at, account, team, repository, reason, documents, words, ids];
    write.prepare_cached(sql)?.execute(row)?;
    Ok(())
}

/// Returns a receipt, and the team of the repository.
pub(crate) fn receipt(
    read: &Transaction<'_>,
    id: ReceiptId,
) -> Result<Option<(RemovalReceipt, TeamId)>, Error> {
    let sql = "SELECT id, at, repository, reason, documents, words, ids, erased, team
               FROM receipt WHERE id = ?1";
    let row = |row: &Row<'_>| {
        let receipt = RemovalReceipt {
            receipt: row.get(0)?,
            at: row.get(1)?,
            repository: row.get(2)?,
            reason: row.get(3)?,
            documents: row.get(4)?,
            words: row.get(5)?,
            ids: serde_json::from_str(&row.get::<_, String>(6)?).unwrap_or_default(),
            erased: row.get(7)?,
        };
        Ok((receipt, row.get(8)?))
    };
    Ok(read.prepare_cached(sql)?.query_row([id], row).optional()?)
}

/// A removed document that may still be in index files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemovedDocument {
    pub(crate) number: DocumentId,
    /// Its partition; `None` if its files were deleted by an upgrade.
    pub(crate) partition: Option<PartitionKey>,
    pub(crate) receipt: Option<ReceiptId>,
}

/// Inserts a removed document.
pub(super) fn insert(write: &Transaction<'_>, removed: RemovedDocument) -> Result<(), Error> {
    let RemovedDocument { number, partition, receipt } = removed;
    let partition = partition.map(PartitionKey::name);
    let sql = "INSERT INTO erase (number, partition, receipt) VALUES (?1, ?2, ?3)";
    write.prepare_cached(sql)?.execute(params![number, partition, receipt])?;
    Ok(())
}

/// Returns removed documents that may still be in index files, in order.
pub(crate) fn list(read: &Transaction<'_>, limit: u32) -> Result<Vec<RemovedDocument>, Error> {
    let sql = "SELECT number, partition, receipt FROM erase ORDER BY number LIMIT ?1";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map([limit], |row| {
        let partition: Option<String> = row.get(1)?;
        let partition = partition.as_deref().and_then(PartitionKey::parse);
        Ok(RemovedDocument { number: row.get(0)?, partition, receipt: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Stores that documents were erased from all files, also in the receipts that are then complete.
pub(crate) fn finish(write: &Transaction<'_>, erased: &[RemovedDocument]) -> Result<(), Error> {
    let mut statement = write.prepare_cached("DELETE FROM erase WHERE number = ?1")?;
    for document in erased {
        statement.execute([document.number])?;
    }
    let sql = "UPDATE receipt SET erased = ?2 WHERE id = ?1
               AND NOT EXISTS (SELECT 1 FROM erase WHERE erase.receipt = receipt.id)";
    let mut statement = write.prepare_cached(sql)?;
    let mut receipts: Vec<ReceiptId> =
        erased.iter().filter_map(|document| document.receipt).collect();
    receipts.sort_unstable();
    receipts.dedup();
    for receipt in receipts {
        statement.execute(params![receipt, now()])?;
    }
    Ok(())
}
