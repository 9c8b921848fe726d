//! Figures about the server.

use std::path::Path;

use super::keys;
use super::{KeyView, NewKey, STORE, Service, ServiceLimits};
use crate::access::Actor;
use crate::error::Error;
use crate::store::Store;

impl Service {
    /// Fails if the store cannot be read.
    ///
    /// # Errors
    /// If it cannot.
    pub fn check_store(&self) -> Result<(), Error> {
        self.store.read(|read| {
            let _: i64 = read.query_row("SELECT count(*) FROM setting", [], |row| row.get(0))?;
            Ok(())
        })
    }

    /// The bounds it keeps.
    #[must_use]
    pub fn limits(&self) -> &ServiceLimits {
        &self.limits
    }

    /// Name, meaning and value of each figure; for administrators.
    ///
    /// # Errors
    /// If the actor is none.
    pub fn metrics(&self, actor: &Actor) -> Result<Vec<(&'static str, &'static str, u64)>, Error> {
        actor.require_admin()?;
        let mut figures = self.store.read(|read| {
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
                    "Documents registered so far.",
                    "SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'document'",
                )?,
                count("documents_pending", "Not on a shelf yet.", "SELECT count(*) FROM pending")?,
                count("documents_to_erase", "To be erased.", "SELECT count(*) FROM erase")?,
                count(
                    "jobs_waiting",
                    "Jobs that wait.",
                    // In two parts, as they are indexed.
                    "SELECT (SELECT count(*) FROM job
                             WHERE state IN ('waiting', 'running') AND kind = 'check')
                          + (SELECT count(*) FROM job
                             WHERE state IN ('waiting', 'running') AND kind <> 'check')",
                )?,
                count(
                    "jobs_failed",
                    "Jobs that failed.",
                    "SELECT count(*) FROM job WHERE state = 'failed'",
                )?,
                count(
                    "alerts_open",
                    "Open alerts.",
                    "SELECT count(*) FROM alert WHERE state = 'open'",
                )?,
                count(
                    "deliveries_waiting",
                    "Mail and webhooks that wait.",
                    "SELECT count(*) FROM delivery WHERE state = 'waiting'",
                )?,
            ])
        })?;
        let partitions = self.index.partitions();
        let on_disk = partitions.iter().map(|partition| partition.n_on_disk()).sum();
        let memtable = partitions.iter().map(|partition| partition.memtable_bytes() as u64).sum();
        figures.push(("documents_on_shelves", "Documents in the files of shelves.", on_disk));
        figures.push(("fresh_bytes", "Memory of documents not on a shelf yet.", memtable));
        Ok(figures)
    }
}

/// Makes an API key in the folder of a server, which may be running.
///
/// # Errors
/// If the folder cannot be used, or the key asked for makes no sense.
pub fn new_key_in(
    folder: &Path,
    account: &str,
    is_admin: bool,
    new: &NewKey,
) -> Result<KeyView, Error> {
    super::make_folder(folder)?;
    let store = Store::open(&folder.join(STORE))?;
    keys::new_key_in(&store, account, is_admin, new)
}
