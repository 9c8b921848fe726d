//! Metrics and health of the server.

use std::path::Path;

use crate::domain::{Action, Actor};
use crate::error::Error;
use crate::service::{KeyView, NewKey, STORE, Service, ServiceLimits, keys};
use crate::store::metrics::StoreCounts;
use crate::store::{Store, setting, store_id};

impl Service {
    /// Checks that the store can be read.
    ///
    /// # Errors
    /// If it cannot.
    pub fn check_store(&self) -> Result<(), Error> {
        self.store.read(|read| setting::get(read, setting::SETUP_TOKEN)).map(drop)
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
        actor.require(Action::Administer)?;
        let counts = self.store.read(StoreCounts::read)?;
        let partitions = self.index.partitions();
        let on_disk = partitions.iter().map(|partition| partition.n_on_disk()).sum();
        let memtable = partitions.iter().map(|partition| partition.memtable_state().0 as u64).sum();
        Ok(vec![
            ("accounts", "Accounts.", counts.accounts),
            ("repositories", "Repositories.", counts.repositories),
            ("documents", "Documents.", counts.documents),
            ("words", "Words.", counts.words),
            (
                "registered_total",
                "Documents registered since the server was set up.",
                counts.registered,
            ),
            ("documents_pending", "Documents not flushed to disk yet.", counts.pending),
            ("documents_to_erase", "Deleted documents not erased from disk yet.", counts.to_erase),
            ("jobs_waiting", "Jobs waiting or running.", counts.jobs_waiting),
            ("jobs_failed", "Failed jobs.", counts.jobs_failed),
            ("alerts_open", "Open alerts.", counts.alerts_open),
            (
                "deliveries_waiting",
                "Deliveries waiting to be sent by mail or webhook.",
                counts.deliveries_waiting,
            ),
            ("documents_on_disk", "Documents in index files.", on_disk),
            ("memtable_bytes", "Memory of documents that are not flushed to disk yet.", memtable),
        ])
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
    store_id::check_before_creation(folder, &folder.join(STORE))?;
    let store = Store::open(&folder.join(STORE))?;
    keys::new_key_in(&store, account, is_admin, new)
}
