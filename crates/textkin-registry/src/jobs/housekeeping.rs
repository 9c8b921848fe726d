//! The workers: threads that run checks and jobs, flush and erase documents, and delete old rows.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::delivery::mail::KEEP_MESSAGE_IDS;
use crate::domain::DocumentId;
use crate::error::Error;
use crate::jobs::queue;
use crate::matching::index::{Partition, PartitionKey, PartitionKind};
use crate::service::Service;
use crate::store::{
    deliveries, jobs, messages, now, pending, removals, responses, sessions, setting,
};

/// The maximum time before documents are flushed to disk.
const FLUSH_TEXTS_AFTER: Duration = Duration::from_secs(60);
/// The maximum time before documents are flushed whose text is not kept.
const FLUSH_FINGERPRINTS_AFTER: Duration = Duration::from_secs(5);
/// The interval between applications of the retention rules.
const RETAIN_EVERY: Duration = Duration::from_secs(600);
/// How long finished jobs, deliveries and idempotency keys are kept, in seconds.
const KEEP_JOBS: i64 = 7 * 24 * 3600;
const KEEP_DELIVERIES: i64 = 90 * 24 * 3600;
const KEEP_KEYS: i64 = 24 * 3600;
/// The maximum number of removed documents that are erased from disk at once.
const ERASE_BATCH: u32 = 10_000;

impl Service {
    /// Starts the workers; they end after [`Service::stop`].
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn start_workers(self: &Arc<Self>) -> Result<Vec<JoinHandle<()>>, Error> {
        let spawn = |name: &str, run: fn(&Self)| {
            let service = Arc::clone(self);
            let builder = std::thread::Builder::new().name(name.to_owned());
            let stopping = self.stopping.clone();
            builder.spawn(move || stopping.scope(|| run(&service))).map_err(Error::from)
        };
        Ok(vec![
            spawn("checks", Self::run_checks)?,
            spawn("jobs", Self::run_jobs)?,
            spawn("flush", Self::run_flusher)?,
            spawn("filters", Self::build_filters)?,
            spawn("deliveries", Self::run_deliveries)?,
            spawn("overview", Self::run_overview)?,
        ])
    }

    /// Repeats `step` until the server stops: at once while it returns that there was work, else when
    /// new work is announced or half a second has passed.
    fn run_worker(&self, name: &str, mut step: impl FnMut() -> Result<bool, Error>) {
        while !self.is_stopping() {
            let generation = self.work.generation();
            match step() {
                Ok(true) => {}
                Ok(false) => self.work.wait(generation, Duration::from_millis(500)),
                Err(Error::Stopped) => return,
                Err(error) => {
                    tracing::error!(worker = name, %error, "work failed and will be retried");
                    self.work.wait(self.work.generation(), Duration::from_secs(5));
                }
            }
        }
    }

    fn run_checks(&self) {
        self.run_worker("checks", || self.run_check_batch());
    }

    fn run_overview(&self) {
        let mut schedule = crate::service::overview::OverviewSchedule::default();
        self.run_worker("overview", || self.update_overview(&mut schedule).map(|()| false));
    }

    fn run_jobs(&self) {
        self.run_worker("jobs", || self.run_next_job());
    }

    /// Runs all waiting jobs, for tests.
    #[cfg(test)]
    pub(crate) fn run_waiting_jobs(&self) -> Result<(), Error> {
        while self.run_next_job()? {}
        Ok(())
    }

    /// Runs the first waiting job that is not a check; returns whether there was one.
    fn run_next_job(&self) -> Result<bool, Error> {
        let waiting = self.store.read(|read| queue::waiting(read, false, 1))?;
        let Some(job) = waiting.into_iter().next() else { return Ok(false) };
        let outcome = match job.kind.as_str() {
            queue::WATCH => self.check_watch(&job),
            queue::LOAD => self.load(&job),
            other => Err(Error::Invalid(format!("unknown kind of job: {other}"))),
        };
        if let Err(Error::Stopped) = outcome {
            return Err(Error::Stopped);
        }
        self.store.write(move |write| {
            let outcome = outcome.map_err(|error| error.to_string());
            queue::finish(write, job.id, outcome.as_deref().map_err(String::as_str))
        })?;
        Ok(true)
    }

    fn run_flusher(&self) {
        let mut retained: Option<Instant> = None;
        self.run_worker("flush", || {
            if self.store.is_disk_full() {
                // The server is healthy again as soon as something can be written.
                let now = now().to_string();
                self.store.write(move |write| setting::set(write, setting::DISK_FULL, &now))?;
            }
            self.flush_due()?;
            self.erase()?;
            if retained.is_none_or(|at| at.elapsed() >= RETAIN_EVERY) {
                self.apply_retention()?;
                self.delete_expired()?;
                retained = Some(Instant::now());
            }
            Ok(false)
        });
        self.save_tracers();
    }

    fn build_filters(&self) {
        if let Err(error) = self.index.build_filters() {
            tracing::error!(%error, "the filters of the index could not be built");
        }
    }

    /// Flushes the partitions whose documents have waited long enough, and, if all of one kind take too
    /// much memory, the largest of them.
    fn flush_due(&self) -> Result<(), Error> {
        for kind in PartitionKind::ALL {
            let max_age = match kind {
                PartitionKind::Texts => FLUSH_TEXTS_AFTER,
                PartitionKind::Fingerprints => FLUSH_FINGERPRINTS_AFTER,
            };
            let mut waiting = Vec::new();
            let mut bytes = 0;
            for partition in self.index.partitions().into_iter().filter(|own| own.kind == kind) {
                let (size, age) = partition.memtable_state();
                match age >= max_age {
                    true => self.flush_partition(&partition)?,
                    false => {
                        bytes += size;
                        waiting.push((size, partition));
                    }
                }
            }
            if bytes < self.limits.memtable {
                continue;
            }
            waiting.sort_unstable_by_key(|(size, _)| std::cmp::Reverse(*size));
            for (size, partition) in waiting {
                self.flush_partition(&partition)?;
                bytes -= size;
                if bytes < self.limits.memtable / 2 {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Flushes all documents of a kind from memory to disk, for tests.
    #[cfg(test)]
    pub(crate) fn flush(&self, kind: PartitionKind) -> Result<(), Error> {
        let partitions = self.index.partitions();
        let mut of_kind = partitions.iter().filter(|partition| partition.kind == kind);
        of_kind.try_for_each(|partition| self.flush_partition(partition))
    }

    /// Flushes the documents of a partition from memory to disk.
    fn flush_partition(&self, partition: &Partition) -> Result<(), Error> {
        let started = Instant::now();
        let numbers = partition.flush(|number| self.index.is_removed(number))?;
        if numbers.is_empty() {
            return Ok(());
        }
        let n = numbers.len();
        for numbers in numbers.chunks(200) {
            let numbers = numbers.to_vec();
            self.store.write(move |write| pending::delete(write, &numbers))?;
        }
        tracing::debug!(documents = n, took = ?started.elapsed(), "flushed documents to disk");
        Ok(())
    }

    /// Erases removed documents from disk.
    pub(crate) fn erase(&self) -> Result<(), Error> {
        let removed = self.store.read(|read| removals::list(read, ERASE_BATCH))?;
        if removed.is_empty() {
            return Ok(());
        }
        let mut by_partition: BTreeMap<PartitionKey, Vec<DocumentId>> = BTreeMap::new();
        for document in &removed {
            if let Some(partition) = document.partition {
                by_partition.entry(partition).or_default().push(document.number);
            }
        }
        for (partition, numbers) in by_partition {
            self.index.erase(partition, &numbers)?;
        }
        // SQLite overwrites deleted rows in its file; this also empties the journal.
        self.store.scrub()?;
        self.store.write(move |write| removals::finish(write, &removed))
    }

    /// Deletes old jobs, deliveries, mail ids, idempotency keys and sessions.
    fn delete_expired(&self) -> Result<(), Error> {
        self.store.write(|write| {
            let now = now();
            jobs::delete_done(write, now - KEEP_JOBS)?;
            deliveries::delete_done(write, now - KEEP_DELIVERIES)?;
            messages::delete_answered(write, now - KEEP_MESSAGE_IDS)?;
            responses::delete_expired(write, now - KEEP_KEYS)?;
            sessions::delete_expired(write, now)
        })
    }
}
