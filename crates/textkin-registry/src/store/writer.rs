//! The writer thread of the store, with group commit.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::Error;

/// The maximum number of changes in one commit.
const MAX_BATCH: usize = 256;
/// The maximum number of waiting changes; beyond it, callers block.
const MAX_WAITING: usize = 4096;

/// A waiting change: applies itself in its own savepoint, and returns the function that reports its
/// outcome.
type Change = Box<dyn FnOnce(&Transaction<'_>) -> Reply + Send>;
/// Reports the outcome to the caller, given the result of the commit.
type Reply = Box<dyn FnOnce(Result<(), &Error>) + Send>;

enum Command {
    Change(Change),
    /// Empties the journal file.
    Scrub(SyncSender<Result<(), Error>>),
}

#[derive(Debug)]
pub(super) struct StoreWriter {
    commands: Option<SyncSender<Command>>,
    thread: Option<JoinHandle<()>>,
}

impl StoreWriter {
    pub(super) fn start(connection: Connection) -> Result<Self, Error> {
        let (commands, waiting) = sync_channel(MAX_WAITING);
        let run = move || run(connection, &waiting);
        let thread = std::thread::Builder::new().name("store".to_owned()).spawn(run)?;
        Ok(Self { commands: Some(commands), thread: Some(thread) })
    }

    pub(super) fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (sender, outcome) = sync_channel(1);
        let change: Change = Box::new(move |transaction| {
            let changed = in_savepoint(transaction, change);
            Box::new(move |committed| {
                let outcome = match committed {
                    Ok(()) => changed,
                    Err(error) => Err(error.for_other_change()),
                };
                // The caller may have gone away.
                let _ = sender.send(outcome);
            })
        });
        self.send(Command::Change(change))?;
        outcome.recv().map_err(|_| Error::Stopped)?
    }

    pub(super) fn write_soon(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<(), Error> + Send + 'static,
    ) -> Result<(), Error> {
        self.send(Command::Change(Box::new(move |transaction| {
            if let Err(error) = in_savepoint(transaction, change) {
                tracing::warn!(%error, "a background change of the store failed");
            }
            Box::new(|_| ())
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
    transaction: &Transaction<'_>,
    change: impl FnOnce(&Transaction<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    transaction.execute_batch("SAVEPOINT change")?;
    let outcome = change(transaction);
    let end = if outcome.is_ok() { "RELEASE change" } else { "ROLLBACK TO change; RELEASE change" };
    transaction.execute_batch(end)?;
    outcome
}

fn run(mut connection: Connection, waiting: &Receiver<Command>) {
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
        commit(&mut connection, changes);
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

fn commit(connection: &mut Connection, changes: Vec<Change>) {
    if changes.is_empty() {
        return;
    }
    let mut replies = Vec::with_capacity(changes.len());
    let committed = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(Error::from)
        .and_then(|transaction| {
            replies.extend(changes.into_iter().map(|change| change(&transaction)));
            Ok(transaction.commit()?)
        });
    if let Err(error) = &committed {
        tracing::error!(%error, "a commit failed");
    }
    for reply in replies {
        reply(committed.as_ref().copied());
    }
}
