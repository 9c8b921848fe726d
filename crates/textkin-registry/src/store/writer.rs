//! The writer thread of the store, with group commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::Store;
use crate::client;
use crate::error::Error;

/// The maximum number of changes in one commit.
const MAX_BATCH: usize = 256;
/// The maximum number of waiting changes; beyond it, callers block.
const MAX_WAITING: usize = 4096;

/// A waiting change: applies itself in its own savepoint, and returns its effect and the function that
/// reports its outcome. Without a transaction it is not applied.
type Change = Box<dyn FnOnce(Option<&Transaction<'_>>) -> (Effect, Reply) + Send>;
/// Reports the outcome to the caller, given the result of the commit.
type Reply = Box<dyn FnOnce(Result<(), &Error>) + Send>;

/// What became of a change before the commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Applied,
    Refused,
    DiskFull,
}

impl Effect {
    fn of<T>(outcome: &Result<T, Error>) -> Self {
        match outcome {
            Ok(_) => Self::Applied,
            Err(Error::DiskFull) => Self::DiskFull,
            Err(_) => Self::Refused,
        }
    }
}

enum Command {
    Change(Change),
    /// Empties the journal file.
    Scrub(SyncSender<Result<(), Error>>),
}

#[derive(Debug)]
pub(super) struct StoreWriter {
    commands: Option<SyncSender<Command>>,
    thread: Option<JoinHandle<()>>,
    /// Whether the last write failed because the disk is full.
    is_disk_full: Arc<AtomicBool>,
}

impl Store {
    /// Whether the last write failed because the disk is full.
    pub(crate) fn is_disk_full(&self) -> bool {
        self.inner.writer.is_disk_full.load(Ordering::Relaxed)
    }
}

impl StoreWriter {
    pub(super) fn start(connection: Connection) -> Result<Self, Error> {
        let (commands, waiting) = sync_channel(MAX_WAITING);
        let is_disk_full = Arc::new(AtomicBool::new(false));
        let is_full = Arc::clone(&is_disk_full);
        let run = move || run(connection, &waiting, &is_full);
        let thread = std::thread::Builder::new().name("store".to_owned()).spawn(run)?;
        Ok(Self { commands: Some(commands), thread: Some(thread), is_disk_full })
    }

    pub(super) fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (sender, outcome) = sync_channel(1);
        let client = client::current();
        let change: Change = Box::new(move |transaction| {
            let changed = client::with_client(client, || in_savepoint(transaction, change));
            let effect = Effect::of(&changed);
            let reply = move |committed: Result<(), &Error>| {
                let outcome = match committed {
                    Ok(()) => changed,
                    Err(error) => Err(error.for_other_change()),
                };
                // The caller may have gone away.
                let _ = sender.send(outcome);
            };
            (effect, Box::new(reply))
        });
        self.send(Command::Change(change))?;
        outcome.recv().map_err(|_| Error::Stopped)?
    }

    pub(super) fn write_soon(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<(), Error> + Send + 'static,
    ) -> Result<(), Error> {
        let client = client::current();
        self.send(Command::Change(Box::new(move |transaction| {
            let changed = client::with_client(client, || in_savepoint(transaction, change));
            if let Err(error) = &changed {
                tracing::warn!(%error, "a background change of the store failed");
            }
            (Effect::of(&changed), Box::new(|_| ()))
        })))
    }

    pub(super) fn scrub(&self) -> Result<(), Error> {
        let (sender, outcome) = sync_channel(1);
        self.send(Command::Scrub(sender))?;
        outcome.recv().map_err(|_| Error::Stopped)?
    }

    fn send(&self, command: Command) -> Result<(), Error> {
        let commands = self.commands.as_ref().ok_or(Error::Stopped)?;
        commands.send(command).map_err(|_| Error::Stopped)
    }
}

impl Drop for StoreWriter {
    fn drop(&mut self) {
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn in_savepoint<T>(
    transaction: Option<&Transaction<'_>>,
    change: impl FnOnce(&Transaction<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let transaction = transaction.ok_or(Error::Stopped)?;
    transaction.execute_batch("SAVEPOINT change")?;
    let outcome = change(transaction);
    if transaction.is_autocommit() {
        // SQLite has rolled back the transaction with its savepoints, as it may if the disk is full.
        return outcome;
    }
    let end = if outcome.is_ok() { "RELEASE change" } else { "ROLLBACK TO change; RELEASE change" };
    transaction.execute_batch(end)?;
    outcome
}

fn run(mut connection: Connection, waiting: &Receiver<Command>, is_disk_full: &AtomicBool) {
    let mut scrub = None;
    while let Ok(command) = waiting.recv() {
        let mut changes = Vec::new();
        queue(command, &mut changes, &mut scrub);
        while scrub.is_none()
            && changes.len() < MAX_BATCH
            && let Ok(command) = waiting.try_recv()
        {
            queue(command, &mut changes, &mut scrub);
        }
        commit(&mut connection, changes, is_disk_full);
        if let Some(sender) = scrub.take() {
            let scrubbed = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            let _ = sender.send(scrubbed.map_err(Error::from));
        }
    }
}

fn queue(
    command: Command,
    changes: &mut Vec<Change>,
    scrub: &mut Option<SyncSender<Result<(), Error>>>,
) {
    match command {
        Command::Change(change) => changes.push(change),
        Command::Scrub(sender) => *scrub = Some(sender),
    }
}

fn commit(connection: &mut Connection, changes: Vec<Change>, is_disk_full: &AtomicBool) {
    if changes.is_empty() {
        return;
    }
    let mut replies = Vec::with_capacity(changes.len());
    let mut effects = Vec::with_capacity(changes.len());
    let mut waiting = changes.into_iter();
    let mut apply = |transaction: Option<&Transaction<'_>>| {
        for change in &mut waiting {
            let (effect, reply) = change(transaction);
            effects.push(effect);
            replies.push(reply);
            if transaction.is_some_and(|transaction| transaction.is_autocommit()) {
                return Err(Error::DiskFull);
            }
        }
        Ok(())
    };
    let committed = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(Error::from)
        .and_then(|transaction| {
            apply(Some(&transaction))?;
            Ok(transaction.commit()?)
        });
    if let Err(error) = &committed {
        tracing::error!(%error, "a commit failed");
        // Those that were not reached.
        let _ = apply(None);
    }
    if matches!(committed, Err(Error::DiskFull)) || effects.contains(&Effect::DiskFull) {
        is_disk_full.store(true, Ordering::Relaxed);
    } else if committed.is_ok() && effects.contains(&Effect::Applied) {
        is_disk_full.store(false, Ordering::Relaxed);
    }
    for reply in replies {
        reply(committed.as_ref().copied());
    }
}
