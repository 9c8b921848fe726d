//! The store: everything the server must not lose, in one SQLite file.
//!
//! One thread writes. It runs all waiting changes in one transaction, syncs it to disk and only then
//! answers, so that they share the cost of the sync (group commit). Readers have their own connections
//! and never wait for it.

pub(crate) mod accounts;
pub(crate) mod alerts;
pub(crate) mod audit;
pub(crate) mod contact_requests;
pub(crate) mod decisions;
pub(crate) mod deliveries;
pub(crate) mod hooks;
pub(crate) mod integrity;
pub(crate) mod messages;
pub(crate) mod metrics;
pub(crate) mod pending;
pub(crate) mod removals;
pub(crate) mod resets;
pub(crate) mod responses;
pub(crate) mod result_links;
pub(crate) mod keys;
pub(crate) mod repositories;
pub(crate) mod results;
pub(crate) mod documents;
#[cfg(feature = "fixtures")]
pub(crate) mod fixtures;
mod ids;
pub(crate) mod jobs;
pub(crate) mod origins;
pub(crate) mod overview;
pub(crate) mod reattributions;
pub(crate) mod sessions;
pub(crate) mod teams;
pub(crate) mod templates;
pub(crate) mod files;
pub(crate) mod secret_key;
pub(crate) mod setting;
pub(crate) mod store_id;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod watches;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior};

use crate::error::Error;

use self::writer::StoreWriter;

/// The schema version that this program reads and writes.
pub(crate) const VERSION: i64 = 7;
/// The tables of version 1.
const SCHEMA: &str = include_str!("schema.sql");
/// The upgrades to version 2 and later. A new store runs them too, so that there is only one path.
const UPGRADES: [&str; 6] = [
    include_str!("upgrade-2.sql"),
    include_str!("upgrade-3.sql"),
    include_str!("upgrade-4.sql"),
    include_str!("upgrade-5.sql"),
    include_str!("upgrade-6.sql"),
    include_str!("upgrade-7.sql"),
];
const _: () = assert!(VERSION == UPGRADES.len() as i64 + 1, "one version per upgrade");
/// The application id that distinguishes our files from those of other programs: "tkin".
const APPLICATION: i64 = 0x746b_696e;

/// The store.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    writer: StoreWriter,
}

impl Store {
    /// Opens the store in the file `path`, which is created if it is missing.
    ///
    /// # Errors
    /// If it cannot be read, belongs to another program, or has a later version.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        // SQLite gives its journals the permissions of this file.
        files::open_file(path)
            .map_err(|error| Error::Store { path: path.to_owned(), reason: error.to_string() })?;
        let mut connection = Connection::open(path)?;
        configure(&connection)?;
        migrate(&mut connection, path)?;
        ids::add_function(&connection)?;
        let writer = StoreWriter::start(connection)?;
        let inner = Inner { path: path.to_owned(), idle: Mutex::default(), writer };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Changes the store; returns when the change is on disk. Blocks.
    ///
    /// # Errors
    /// If `change` fails, and then nothing is changed, or the commit fails.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.inner.writer.write(change)
    }

    /// Changes the store soon; a failure is only logged.
    ///
    /// # Errors
    /// If the server is shutting down.
    pub(crate) fn write_soon(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<(), Error> + Send + 'static,
    ) -> Result<(), Error> {
        self.inner.writer.write_soon(change)
    }

    /// Reads the store as of one moment. Blocks.
    ///
    /// # Errors
    /// If `read` fails, or the file cannot be read.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let idle = self.idle().pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.reader()?,
        };
        let outcome = {
            let transaction = connection.transaction()?;
            read(&transaction)
        };
        self.idle().push(connection);
        outcome
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.inner.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reader(&self) -> Result<Connection, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.inner.path, flags)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        connection.set_prepared_statement_cache_capacity(128);
        Ok(connection)
    }

    /// Copies the store, as of one moment, into the new file `path`; readers and writers continue.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn copy_to(&self, path: &Path) -> Result<(), Error> {
        let reader = self.reader()?;
        files::open_file(path)?;
        let mut copy = Connection::open(path)?;
        {
            let backup = rusqlite::backup::Backup::new(&reader, &mut copy)?;
            // In one step: a copy in several steps starts again with every change.
            backup.run_to_completion(i32::MAX, Duration::ZERO, None)?;
        }
        // A single file without a journal.
        copy.pragma_update(None, "journal_mode", "DELETE")?;
        Ok(())
    }

    /// Removes deleted data from all files of the store.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn scrub(&self) -> Result<(), Error> {
        self.inner.writer.scrub()
    }
}

fn configure(connection: &Connection) -> Result<(), Error> {
    connection.busy_timeout(Duration::from_secs(10))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "cache_size", -65536)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(())
}

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), Error> {
    let pragma = |connection: &Connection, name: &str| {
        connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0))
    };
    let (application, version) =
        (pragma(connection, "application_id")?, pragma(connection, "user_version")?);
    let failed = |reason: String| Error::Store { path: path.to_owned(), reason };
    let from = match (application, version) {
        (APPLICATION, VERSION) => return Ok(()),
        (0, 0) => 0,
        (APPLICATION, earlier @ 1..VERSION) => {
            tracing::info!(from = earlier, to = VERSION, "upgrading the store");
            earlier
        }
        (APPLICATION, later) => {
            return Err(failed(format!(
                "the store has version {later}, this program supports up to {VERSION}; use a later textkin"
            )));
        }
        _ => return Err(failed("this file belongs to another program".to_owned())),
    };
    // A table is replaced without touching the rows that refer to it.
    connection.pragma_update(None, "foreign_keys", false)?;
    // All or nothing; another process that opens the store at the same time waits.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if pragma(&transaction, "user_version")? != from {
        drop(transaction);
        connection.pragma_update(None, "foreign_keys", true)?;
        return migrate(connection, path);
    }
    if from == 0 {
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
    }
    for (upgrade, to) in UPGRADES.iter().zip(2..) {
        if to > from {
            transaction.execute_batch(upgrade)?;
        }
    }
    if (1..4).contains(&from) {
        secret_key::seal_all(&transaction, path.parent().unwrap_or(Path::new(".")))?;
    }
    if from < 5 {
        store_id::create(&transaction, from == 0)?;
    }
    let broken: Option<String> =
        transaction.query_row("PRAGMA foreign_key_check", [], |row| row.get(0)).optional()?;
    if let Some(table) = broken {
        return Err(failed(format!("the table '{table}' refers to rows that do not exist")));
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    connection.pragma_update(None, "foreign_keys", true)?;
    if from != 0 {
        // Until then, the file has the rows as they were, with readable secrets.
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    }
    Ok(())
}

/// Returns bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the time in seconds since 1970.
pub fn now() -> i64 {
    now_ms() / 1000
}

/// Returns the time in milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
