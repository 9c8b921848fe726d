//! The service: all that can be asked of the server, whichever way it is asked.
//!
//! Every function takes the [`Actor`](crate::access::Actor) that asks, decides by
//! [`access`](crate::access), and blocks: the front ends (REST, pages, mail) call it from threads of
//! their own.

mod accounts;
mod alerts;
mod reattribution;
mod backup;
mod checks;
mod contact_requests;
mod deliveries;
pub(crate) mod documents;
pub(crate) mod exclusions;
mod hooks;
mod housekeeping;
mod jobs;
pub(crate) mod repository_graph;
mod keys;
mod level;
mod loads;
mod mail;
mod metrics;
pub(crate) mod occurrences;
pub(crate) mod origins;
pub(crate) mod overview;
mod pages;
pub(crate) mod probe;
mod purge;
mod repositories;
pub(crate) mod saved_results;
mod secrets;
mod sessions;
mod teams;
mod templates;
#[cfg(test)]
mod delivery_tests;
#[cfg(test)]
mod mail_tests;
#[cfg(test)]
mod results_tests;
#[cfg(test)]
mod tests;
mod views;
mod watches;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

pub use self::accounts::{AccountView, AuditEntry, SetupState};
pub use self::alerts::{AlertSide, AlertState, AlertUpdate, AlertView};
pub use self::backup::{DataCheck, back_up, check_data};
pub use self::contact_requests::{ContactRequestView, ContactRequestsSent, NewContactRequest};
pub use self::deliveries::{DeliveryConfig, MailOut};
pub use self::documents::{
    DocumentView, ExistingPolicy, NewDocument, RegisteredDocument, RemovalReceipt,
};
pub use self::hooks::{DeliveryState, DeliveryView, HookView, NewHook};
pub use self::jobs::{JobState, JobView};
pub use self::keys::{KeyView, NewKey};
pub use self::level::{LevelThresholds, MatchLevel};
pub use self::loads::{LoadJob, Upload, UploadContents};
pub use self::metrics::new_key_in;
pub use self::occurrences::{OriginStatus, SharedPassage};
pub use self::probe::{
    ByteRange, MatchedPassage, ProbeExclusion, ProbeMatch, ProbeRequest, ProbeResult,
};
pub use self::purge::{PurgePreview, PurgeRule};
pub use self::reattribution::ReattributionView;
pub use self::repositories::{NewRepository, RepositoryUpdate, RepositoryView, Visibility};
pub use self::teams::{TeamMember, TeamView};
pub use self::templates::{NewStopPhrase, NewTemplate, StopPhraseView, TemplateView};
pub use self::watches::{Channel, NewWatch, WatchView};

use self::origins::Tracers;
use crate::error::Error;
use crate::index::{Index, PartitionKind, PreparedText};
use crate::store::Store;

/// Bounds on what the server takes and keeps in memory.
#[derive(Clone, Debug)]
pub struct ServiceLimits {
    /// Bytes of one text.
    pub text: usize,
    /// Bytes of one upload.
    pub upload: u64,
    /// Bytes of documents in memory before they go to the disk.
    pub memtable: usize,
    /// Documents that one probe is compared with, word by word.
    pub examined: usize,
    /// Whether files are read by processes of their own: this program, which then must hand the
    /// arguments of workers on.
    pub reads_in_subprocess: bool,
}

impl Default for ServiceLimits {
    fn default() -> Self {
        Self {
            text: 32 << 20,
            upload: 1 << 30,
            memtable: 64 << 20,
            examined: 1000,
            reads_in_subprocess: false,
        }
    }
}

/// The service.
#[derive(Debug)]
pub struct Service {
    pub(crate) folder: PathBuf,
    pub(crate) limits: ServiceLimits,
    pub(crate) store: Store,
    pub(crate) index: Index,
    pub(crate) work: WorkSignal,
    pub(crate) deliveries: WorkSignal,
    pub(crate) messages: WorkSignal,
    pub(crate) delivery_config: DeliveryConfig,
    pub(crate) webhook_client: Mutex<Option<textkin_hook::WebhookClient>>,
    pub(crate) tracers: Mutex<Tracers>,
    pub(crate) graphs: Mutex<Vec<repository_graph::CachedGraph>>,
    pub(crate) is_stopping: AtomicBool,
    /// Held by whoever uses the folder; the system gives it free when the process ends.
    _lock: std::fs::File,
}

impl Service {
    /// Opens the service in `folder`, which is made if it is missing.
    ///
    /// # Errors
    /// If the folder cannot be used, or another server uses it.
    pub fn open(folder: &Path, limits: ServiceLimits) -> Result<Arc<Self>, Error> {
        Self::open_with(folder, limits, DeliveryConfig::default())
    }

    /// The same, and says how alerts are delivered.
    ///
    /// # Errors
    /// As [`Service::open`].
    pub fn open_with(
        folder: &Path,
        limits: ServiceLimits,
        delivery_config: DeliveryConfig,
    ) -> Result<Arc<Self>, Error> {
        make_folder(folder)?;
        let lock = lock(folder)?;
        let store = Store::open(&folder.join(STORE))?;
        let owners = store.read(|read| {
            let mut statement = read.prepare("SELECT number, repository FROM document")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<Vec<(i64, u32)>, _>>()?)
        })?;
        let owners: Vec<(u64, u32)> =
            owners.into_iter().map(|(number, owner)| (number.cast_unsigned(), owner)).collect();
        let index = Index::open(&folder.join("index"), &owners)?;
        let service = Self {
            folder: folder.to_owned(),
            limits,
            store,
            index,
            work: WorkSignal::default(),
            deliveries: WorkSignal::default(),
            messages: WorkSignal::default(),
            delivery_config,
            webhook_client: Mutex::default(),
            tracers: Mutex::default(),
            graphs: Mutex::default(),
            is_stopping: AtomicBool::new(false),
            _lock: lock,
        };
        service.load_pending()?;
        service.clear_uploads()?;
        Ok(Arc::new(service))
    }

    /// Takes up what was acknowledged and is not on a shelf yet.
    fn load_pending(&self) -> Result<(), Error> {
        let mut after = Some(-1);
        while let Some(last) = after {
            after = self.reindex_pending(last, 500)?;
        }
        Ok(())
    }

    /// Puts up to `limit` documents that no shelf holds, after a number, into the index; returns the
    /// last number.
    pub(crate) fn reindex_pending(&self, after: i64, limit: u32) -> Result<Option<i64>, Error> {
        let batch = self.store.read(|read| {
            let mut statement = read.prepare_cached(
                "SELECT number, shelf, text, repository FROM pending JOIN document USING (number)
                 WHERE number > ?1 ORDER BY number LIMIT ?2",
            )?;
            let rows = statement.query_map(rusqlite::params![after, limit], |row| {
                let row: (i64, bool, Vec<u8>, u32) =
                    (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
                Ok(row)
            })?;
            Ok(rows.collect::<Result<Vec<_>, _>>()?)
        })?;
        let last = batch.last().map(|row| row.0);
        for (number, is_fingerprints, text, repository) in batch {
            let text = unpack(&text)?;
            let prepared: PreparedText = self.index.prepare(&text);
            let kind = PartitionKind::new(!is_fingerprints);
            self.index.add(kind, number.cast_unsigned(), repository, text, &prepared);
        }
        Ok(last)
    }

    /// Asks all workers to end soon.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.work.notify();
        self.deliveries.notify();
        self.messages.notify();
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// The address under which people reach the server, without `/` at its end.
    #[must_use]
    pub fn site(&self) -> &str {
        &self.delivery_config.site
    }

    /// Whether mail can be sent.
    #[must_use]
    pub fn sends_mail(&self) -> bool {
        self.delivery_config.mail.is_some()
    }

    /// Where the data are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The file of the store in the folder.
pub(crate) const STORE: &str = "textkin.db";

/// Makes a folder, unless it is there.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Error::Store { path: folder.to_owned(), reason: told(&error) })
}

/// What the system says, in words.
fn told(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::AlreadyExists | std::io::ErrorKind::NotADirectory => {
            "this is a file, not a folder".to_owned()
        }
        _ => error.to_string(),
    }
}

fn lock(folder: &Path) -> Result<std::fs::File, Error> {
    let path = folder.join("lock");
    let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
    let file = file.map_err(|error| Error::Store { path, reason: told(&error) })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::Store {
            path: folder.to_owned(),
            reason: "another server uses this folder".to_owned(),
        }),
        Err(std::fs::TryLockError::Error(error)) => Err(error.into()),
    }
}

/// A text as it is kept in the store.
pub(crate) fn pack(text: &str) -> Result<Vec<u8>, Error> {
    Ok(zstd::bulk::compress(text.as_bytes(), 1)?)
}

/// A text that was kept in the store.
pub(crate) fn unpack(bytes: &[u8]) -> Result<String, Error> {
    let text = zstd::stream::decode_all(bytes)?;
    String::from_utf8(text).map_err(|_| Error::Invalid("a stored text is no text".to_owned()))
}

/// Wakes whoever waits for work.
#[derive(Debug, Default)]
pub(crate) struct WorkSignal {
    generation: Mutex<u64>,
    condvar: Condvar,
}

impl WorkSignal {
    /// Says that there is work.
    pub(crate) fn notify(&self) {
        *self.generation.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.condvar.notify_all();
    }

    /// How often it rang.
    pub(crate) fn generation(&self) -> u64 {
        *self.generation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it rings again after `count`, or `timeout` has passed.
    pub(crate) fn wait(&self, count: u64, timeout: Duration) {
        let generation = self.generation.lock().unwrap_or_else(PoisonError::into_inner);
        let _ =
            self.condvar.wait_timeout_while(generation, timeout, |generation| *generation == count);
    }
}
