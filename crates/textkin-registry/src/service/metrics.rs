//! Metrics and health of the server.

use std::path::Path;

use crate::domain::Actor;
use crate::error::Error;
use crate::service::{KeyView, NewKey, STORE, Service, ServiceLimits, keys};
use crate::store::Store;

impl Service {
    /// Checks that the store can be read.
    ///
    /// # Errors
    /// If it cannot.
    pub fn check_store(&self) -> Result<(), Error> {
        self.store.read(|read| {
            let _: i64 = read.query_row("SELECT count(*) FROM setting", [], |row| row.get(0))?;
            Ok(())
        })
    }

    /// Returns the limits of the service.
    #[must_use]
    pub fn limits(&self) -> &ServiceLimits {
        &self.limits
    }

    /// Returns name, help text and value of each metric; for administrators.
    ///
    /// # Errors
    /// If the actor is not an administrator.
    pub fn metrics(&self, actor: &Actor) -> Result<Vec<(&'static str, &'static str, u64)>, Error> {
        actor.require_admin()?;
        let mut metrics = self.store.read(|read| {
            let count = |name, help, sql: &str| -> Result<_, Error> {
                let value: u64 = read.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
                Ok((name, help, value))
            };
            Ok(vec![
                count("accounts", "Accounts.", "SELECT count(*) FROM account")?,
                count("repositories", "Repositories.", "SELECT count(*) FROM repository")?,
                count(
                    "documents",
                    "Documents.",
                    "SELECT ifnull(sum(documents), 0) FROM repository",
                )?,
                count("words", "Words.", "SELECT ifnull(sum(words), 0) FROM repository")?,
                count(
                    "registered_total",
                    "Documents registered since the server was set up.",
                    "SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'document'",
                )?,
                count(
                    "documents_pending",
                    "Documents not flushed to disk yet.",
                    "SELECT count(*) FROM pending",
                )?,
                count(
                    "documents_to_erase",
                    "Deleted documents not erased from disk yet.",
                    "SELECT count(*) FROM erase",
                )?,
                count(
                    "jobs_waiting",
                    "Jobs waiting or running.",
                    // One query per partial index.
                    "SELECT (SELECT count(*) FROM job
                             WHERE state IN ('waiting', 'running') AND kind = 'check')
                          + (SELECT count(*) FROM job
                             WHERE state IN ('waiting', 'running') AND kind <> 'check')",
                )?,
                count(
                    "jobs_failed",
                    "Failed jobs.",
                    "SELECT count(*) FROM job WHERE state = 'failed'",
                )?,
                count(
                    "alerts_open",
                    "Open alerts.",
                    "SELECT count(*) FROM alert WHERE state = 'open'",
                )?,
                count(
                    "deliveries_waiting",
                    "Deliveries waiting to be sent by mail or webhook.",
                    "SELECT count(*) FROM delivery WHERE state = 'waiting'",
                )?,
            ])
        })?;
        let partitions = self.index.partitions();
        let on_disk = partitions.iter().map(|partition| partition.n_on_disk()).sum();
        let memtable = partitions.iter().map(|partition| partition.memtable_bytes() as u64).sum();
        metrics.push(("documents_on_disk", "Documents in index files.", on_disk));
        let help = "Memory of documents that are not flushed to disk yet.";
        metrics.push(("memtable_bytes", help, memtable));
        Ok(metrics)
    }
}

/// Creates an API key in the data folder of a server, which may be running.
///
/// # Errors
/// If the folder cannot be used, or the requested key is invalid.
pub fn new_key_in(
    folder: &Path,
    account: &str,
    is_admin: bool,
    new: &NewKey,
) -> Result<KeyView, Error> {
    crate::service::create_folder(folder)?;
    let store = Store::open(&folder.join(STORE))?;
    keys::new_key_in(&store, account, is_admin, new)
}
