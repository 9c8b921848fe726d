//! The one thread that writes, with group commit.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::Error;

/// Changes that share one commit, at most.
const MAX_BATCH: usize = 256;
/// Changes that wait, at most; whoever brings more waits to bring them.
const MAX_WAITING: usize = 4096;

/// A change that waits: makes it in its own savepoint, and returns what tells its outcome.
type Change = Box<dyn FnOnce(&Transaction<'_>) -> Reply + Send>;
/// Tells the outcome, which is another if the commit failed.
type Reply = Box<dyn FnOnce(Result<(), &Error>) + Send>;

enum Command {
    Change(Change),
    /// Empties the journal file.
    Scrub(SyncSender<Result<(), Error>>),
}

#[derive(Debug)]
pub(super) struct StoreWriter {
    orders: Option<SyncSender<Command>>,
    thread: Option<JoinHandle<()>>,
}

impl StoreWriter {
    pub(super) fn start(connection: Connection) -> Result<Self, Error> {
        let (orders, waiting) = sync_channel(MAX_WAITING);
        let run = move || run(connection, &waiting);
        let thread = std::thread::Builder::new().name("store".to_owned()).spawn(run)?;
        Ok(Self { orders: Some(orders), thread: Some(thread) })
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
                // Whoever asked may be gone.
                let _ = sender.send(outcome);
            })
        });
        self.order(Command::Change(change))?;
        outcome.recv().map_err(|_| Error::Stopped)?
    }

    pub(super) fn write_soon(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<(), Error> + Send + 'static,
    ) -> Result<(), Error> {
        self.order(Command::Change(Box::new(move |transaction| {
            if let Err(error) = in_savepoint(transaction, change) {
                tracing::warn!(%error, "a change that nobody waits for failed");
            }
            Box::new(|_| ())
        })))
    }

    pub(super) fn scrub(&self) -> Result<(), Error> {
        let (sender, outcome) = sync_channel(1);
        self.order(Command::Scrub(sender))?;
        outcome.recv().map_err(|_| Error::Stopped)?
    }

    fn order(&self, order: Command) -> Result<(), Error> {
        let orders = self.orders.as_ref().ok_or(Error::Stopped)?;
        orders.send(order).map_err(|_| Error::Stopped)
    }
}

impl Drop for StoreWriter {
    fn drop(&mut self) {
        self.orders = None;
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
    while let Ok(order) = waiting.recv() {
        let mut changes = Vec::new();
        take(order, &mut changes, &mut scrub);
        while scrub.is_none()
            && changes.len() < MAX_BATCH
            && let Ok(order) = waiting.try_recv()
        {
            take(order, &mut changes, &mut scrub);
        }
        commit(&mut connection, changes);
        if let Some(sender) = scrub.take() {
            let scrubbed = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            let _ = sender.send(scrubbed.map_err(Error::from));
        }
    }
}

fn take(
    order: Command,
    changes: &mut Vec<Change>,
    scrub: &mut Option<SyncSender<Result<(), Error>>>,
) {
    match order {
        Command::Change(change) => changes.push(change),
        Command::Scrub(sender) => *scrub = Some(sender),
    }
}

fn commit(connection: &mut Connection, changes: Vec<Change>) {
    if changes.is_empty() {
        return;
    }
    let mut answers = Vec::with_capacity(changes.len());
    let committed = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(Error::from)
        .and_then(|transaction| {
            answers.extend(changes.into_iter().map(|change| change(&transaction)));
            Ok(transaction.commit()?)
        });
    if let Err(error) = &committed {
        tracing::error!(%error, "a commit failed");
    }
    for answer in answers {
        answer(committed.as_ref().copied());
    }
}
