//! The service: everything the server can do, independent of the front end.
//!
//! Every function takes the [`Actor`](crate::domain::Actor) that makes the request, checks its
//! permissions with [`access`](crate::domain), and blocks. The front ends (REST, pages, mail) call it
//! from their own threads.

pub(crate) mod accounts;
pub(crate) mod alerts;
pub(crate) mod reattribution;
pub(crate) mod backup;
pub(crate) mod contact_requests;
#[cfg(test)]
mod data_folder_tests;
pub(crate) mod decisions;
pub(crate) mod documents;
pub(crate) mod repository_graph;
pub(crate) mod keys;
pub(crate) mod metrics;
pub(crate) mod origins;
pub(crate) mod overview;
pub(crate) mod pages;
pub(crate) mod purge;
pub(crate) mod repositories;
pub(crate) mod secrets;
pub(crate) mod sessions;
pub(crate) mod teams;
pub(crate) mod templates;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod views;
pub(crate) mod watches;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

pub use self::accounts::{AccountView, AuditEntry, SetupState};
pub use self::alerts::{
    AlertList, AlertPassage, AlertSide, AlertState, AlertUpdate, AlertView, WatchedText,
};
pub use self::backup::{DataCheck, back_up, check_data, key_of_backup};
pub use self::contact_requests::{ContactRequestView, ContactRequestsSent, NewContactRequest};

pub use self::documents::{
    DocumentView, ExistingPolicy, NewDocument, RegisteredDocument, RemovalReceipt,
};
pub use self::keys::{KeyView, NewKey};
pub use self::metrics::new_key_in;
pub use self::purge::{PurgePreview, PurgeRule};
pub use self::reattribution::ReattributionView;
pub use self::repositories::{NewRepository, RepositoryUpdate, RepositoryView, Visibility};
pub use self::teams::{InvitationView, MemberChange, TeamMember, TeamView};
pub use self::templates::{NewStopPhrase, NewTemplate, StopPhraseView, TemplateView};
pub use self::watches::{Channel, NewWatch, WatchView};
pub use crate::delivery::deliveries::{DeliveryConfig, MailOut};
pub use crate::delivery::hooks::{DeliveryState, DeliveryView, HookView, NewHook};
pub(crate) use crate::domain::level::{LevelThresholds, MatchLevel};
pub use crate::jobs::loads::{LoadJob, Upload, UploadContents};
pub use crate::jobs::queue::{JobState, JobView};
pub use crate::matching::occurrences::{OriginStatus, SharedPassage};
pub use crate::matching::probe::{
    ByteRange, MatchedPassage, ProbeExclusion, ProbeMatch, ProbeRequest, ProbeResult,
};

use self::origins::Tracers;
use crate::cancel::{self, Cancel};
use crate::domain::DocumentId;
use crate::error::Error;
use crate::matching::comparison::CachedComparison;
use crate::matching::index::{Index, PreparedText};
use crate::store::pending::{self, PendingDocument};
use crate::store::secret_key::{SECRET_KEY_FILE, SecretKey};
use crate::store::{self, Store, files, store_id};

/// Limits on what the server accepts and keeps in memory.
#[derive(Clone, Debug)]
pub struct ServiceLimits {
    /// Maximum bytes of one text.
    pub text: usize,
    /// Maximum bytes of one upload.
    pub upload: u64,
    /// Bytes of a memtable at which it is flushed to disk.
    pub memtable: usize,
    /// Maximum number of documents that one probe is compared with word by word.
    pub examined: usize,
    /// Whether files are read in subprocesses. They run this program, which must then pass the
    /// arguments of workers on to `textkin::engine::source`.
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

/// The service: the data of one server and everything that can be done with it.
#[derive(Debug)]
pub struct Service {
    pub(crate) folder: PathBuf,
    pub(crate) limits: ServiceLimits,
    pub(crate) store: Store,
    pub(crate) index: Index,
    /// The key of webhook secrets, or why they cannot be read.
    pub(crate) secret_key: Result<SecretKey, String>,
    /// The setup token while this process runs; the store has only its digest.
    pub(crate) setup_token: Mutex<Option<String>>,
    pub(crate) work: WorkSignal,
    pub(crate) deliveries: WorkSignal,
    pub(crate) messages: WorkSignal,
    pub(crate) delivery_config: DeliveryConfig,
    pub(crate) webhook_client: Mutex<Option<crate::delivery::webhook::WebhookClient>>,
    pub(crate) tracers: Mutex<Tracers>,
    pub(crate) graphs: Mutex<Vec<repository_graph::CachedGraph>>,
    pub(crate) comparisons: Mutex<Vec<CachedComparison>>,
    /// Cancels the work of all workers.
    pub(crate) stopping: Cancel,
    /// Locks the folder; the system releases it when the process ends.
    _lock: std::fs::File,
}

impl Service {
    /// Opens the service in `folder`, which is created if it is missing.
    ///
    /// # Errors
    /// If the folder cannot be used, or another server uses it.
    pub fn open(folder: &Path, limits: ServiceLimits) -> Result<Arc<Self>, Error> {
        Self::open_with(folder, limits, DeliveryConfig::default())
    }

    /// Opens the service with a configuration for deliveries.
    ///
    /// # Errors
    /// As [`Service::open`].
    pub fn open_with(
        folder: &Path,
        limits: ServiceLimits,
        delivery_config: DeliveryConfig,
    ) -> Result<Arc<Self>, Error> {
        create_folder(folder)?;
        let lock = lock(folder)?;
        store_id::check_before_creation(folder, &folder.join(STORE))?;
        let store = Store::open(&folder.join(STORE))?;
        files::warn_if_exposed(folder, &folder.join(STORE))?;
        for name in ["index", "origins", "uploads"] {
            create_folder(&folder.join(name))?;
        }
        store_id::check_and_mark(folder, &store)?;
        let secret_key = SecretKey::of_store(folder, &store)?;
        if let Err(reason) = &secret_key {
            tracing::warn!("webhooks cannot be delivered: {reason}");
        }
        let (repositories, documents) = store.read(|read| {
            Ok((store::repositories::indexed(read)?, store::documents::owners(read)?))
        })?;
        let index = Index::open(&folder.join("index"), &repositories, &documents)?;
        let service = Self {
            folder: folder.to_owned(),
            limits,
            store,
            index,
            secret_key,
            setup_token: Mutex::default(),
            work: WorkSignal::default(),
            deliveries: WorkSignal::default(),
            messages: WorkSignal::default(),
            delivery_config,
            webhook_client: Mutex::default(),
            tracers: Mutex::default(),
            graphs: Mutex::default(),
            comparisons: Mutex::default(),
            stopping: Cancel::default(),
            _lock: lock,
        };
        service.reindex_all_pending()?;
        service.clear_uploads()?;
        Ok(Arc::new(service))
    }

    /// Adds the documents that were acknowledged but not flushed to the index.
    fn reindex_all_pending(&self) -> Result<(), Error> {
        let mut last = self.reindex_pending(None, 500)?;
        while last.is_some() {
            last = self.reindex_pending(last, 500)?;
        }
        Ok(())
    }

    /// Adds up to `limit` documents that are not flushed yet to the index, those with numbers above
    /// `after`; returns the last number.
    pub(crate) fn reindex_pending(
        &self,
        after: Option<DocumentId>,
        limit: u32,
    ) -> Result<Option<DocumentId>, Error> {
        let batch = self.store.read(|read| pending::list(read, after, limit))?;
        let last = batch.last().map(|document| document.number);
        for PendingDocument { number, repository, packed } in batch {
            let text = unpack(&packed)?;
            let prepared: PreparedText = self.index.prepare(&text);
            self.index.add(repository, number, text, &prepared)?;
        }
        Ok(last)
    }

    /// Checks that the work of this thread was not cancelled ([`Cancel`]).
    ///
    /// # Errors
    /// [`Error::Stopped`] if it was.
    pub fn check_cancelled(&self) -> Result<(), Error> {
        cancel::check()
    }

    /// Returns the key of webhook secrets.
    pub(crate) fn secret_key(&self) -> Result<&SecretKey, Error> {
        // Users see this error; the log has the path and the reason.
        self.secret_key.as_ref().map_err(|_| {
            Error::Conflict(format!(
                "webhook secrets cannot be read or stored, because the file {SECRET_KEY_FILE} of the \
                 server is missing or wrong; an administrator finds the remedy in the log"
            ))
        })
    }

    /// Tells all workers to stop soon.
    pub fn stop(&self) {
        self.stopping.cancel();
        self.work.notify();
        self.deliveries.notify();
        self.messages.notify();
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// Checks that the service can work. Reads memory only, so that it never waits.
    ///
    /// # Errors
    /// If the server is shutting down, or the last write failed because the disk is full.
    pub fn health(&self) -> Result<(), Error> {
        if self.is_stopping() {
            return Err(Error::Stopped);
        }
        match self.store.is_disk_full() {
            true => Err(Error::DiskFull),
            false => Ok(()),
        }
    }

    /// Returns the public address of the server, without a trailing `/`.
    #[must_use]
    pub fn site(&self) -> &str {
        &self.delivery_config.site
    }

    /// Whether mail can be sent.
    #[must_use]
    pub fn sends_mail(&self) -> bool {
        self.delivery_config.mail.is_some()
    }

    /// Returns the data folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The file name of the store in the data folder.
pub(crate) const STORE: &str = "textkin.db";

/// Creates a folder if it is missing.
pub(crate) fn create_folder(folder: &Path) -> Result<(), Error> {
    files::create_folder(folder)
        .map_err(|error| Error::Store { path: folder.to_owned(), reason: describe(&error) })
}

/// Describes an error of the file system.
fn describe(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::AlreadyExists | std::io::ErrorKind::NotADirectory => {
            "this is a file, not a folder".to_owned()
        }
        _ => error.to_string(),
    }
}

fn lock(folder: &Path) -> Result<std::fs::File, Error> {
    let path = folder.join("lock");
    let file =
        files::open_file(&path).map_err(|error| Error::Store { path, reason: describe(&error) })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::Store {
            path: folder.to_owned(),
            reason: "another server is using this folder".to_owned(),
        }),
        Err(std::fs::TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Compresses a text for the store.
pub(crate) fn pack(text: &str) -> Result<Vec<u8>, Error> {
    Ok(zstd::bulk::compress(text.as_bytes(), 1)?)
}

/// Decompresses a text from the store.
pub(crate) fn unpack(bytes: &[u8]) -> Result<String, Error> {
    let text = zstd::stream::decode_all(bytes)?;
    String::from_utf8(text)
        .map_err(|_| Error::Invalid("a stored text is not valid UTF-8".to_owned()))
}

/// Wakes the threads that wait for work.
#[derive(Debug, Default)]
pub(crate) struct WorkSignal {
    generation: Mutex<u64>,
    condvar: Condvar,
}

impl WorkSignal {
    /// Announces that there is work.
    pub(crate) fn notify(&self) {
        *self.generation.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.condvar.notify_all();
    }

    /// Returns how often [`WorkSignal::notify`] was called.
    pub(crate) fn generation(&self) -> u64 {
        *self.generation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the generation is no longer `seen`, or `timeout` has passed.
    pub(crate) fn wait(&self, seen: u64, timeout: Duration) {
        let generation = self.generation.lock().unwrap_or_else(PoisonError::into_inner);
        let _ =
            self.condvar.wait_timeout_while(generation, timeout, |generation| *generation == seen);
    }
}
