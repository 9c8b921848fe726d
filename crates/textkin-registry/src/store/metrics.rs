//! Counts of rows in the store.

use rusqlite::Transaction;

use crate::error::Error;

/// The numbers of things in the store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreCounts {
    pub(crate) accounts: u64,
    pub(crate) repositories: u64,
    pub(crate) documents: u64,
    pub(crate) words: u64,
    /// Documents registered since the store was created.
    pub(crate) registered: u64,
    /// Documents not flushed to disk yet.
    pub(crate) pending: u64,
    /// Deleted documents not erased from disk yet.
    pub(crate) to_erase: u64,
    /// Jobs waiting or running.
    pub(crate) jobs_waiting: u64,
    pub(crate) jobs_failed: u64,
    pub(crate) alerts_open: u64,
    pub(crate) deliveries_waiting: u64,
}

impl StoreCounts {
    /// Counts.
    pub(crate) fn read(read: &Transaction<'_>) -> Result<Self, Error> {
        let count = |sql: &str| -> Result<u64, Error> {
            Ok(read.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
        };
        Ok(Self {
            accounts: count("SELECT count(*) FROM account")?,
            repositories: count("SELECT count(*) FROM repository")?,
            documents: count("SELECT ifnull(sum(documents), 0) FROM repository")?,
            words: count("SELECT ifnull(sum(words), 0) FROM repository")?,
            registered: count(
                "SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'document'",
            )?,
            pending: count("SELECT count(*) FROM pending")?,
            to_erase: count("SELECT count(*) FROM erase")?,
            // One query per partial index.
            jobs_waiting: count(
                "SELECT (SELECT count(*) FROM job
                         WHERE state IN ('waiting', 'running') AND kind = 'check')
                      + (SELECT count(*) FROM job
                         WHERE state IN ('waiting', 'running') AND kind <> 'check')",
            )?,
            jobs_failed: count("SELECT count(*) FROM job WHERE state = 'failed'")?,
            alerts_open: count("SELECT count(*) FROM alert WHERE state = 'open'")?,
            deliveries_waiting: count("SELECT count(*) FROM delivery WHERE state = 'waiting'")?,
        })
    }
}
