//! The workers: threads that run checks and jobs, flush and erase documents, and delete old rows.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::delivery::mail::KEEP_MESSAGE_IDS;
use crate::error::Error;
use crate::jobs::queue;
use crate::matching::index::PartitionKind;
use crate::service::Service;
use crate::store::{deliveries, jobs, messages, now, pending, removals, responses, sessions};

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
        let mut last_flush = [Instant::now(); 2];
        let mut retained: Option<Instant> = None;
        self.run_worker("flush", || {
            for kind in [PartitionKind::Texts, PartitionKind::Fingerprints] {
                let max_age = if kind == PartitionKind::Texts {
                    FLUSH_TEXTS_AFTER
                } else {
                    FLUSH_FINGERPRINTS_AFTER
                };
                let last = &mut last_flush[kind as usize];
                let is_full = self.index.partition(kind).memtable_bytes() >= self.limits.memtable;
                if is_full || last.elapsed() >= max_age {
                    self.flush(kind)?;
                    *last = Instant::now();
                }
            }
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

    /// Flushes the documents of a partition from memory to disk.
    pub(crate) fn flush(&self, kind: PartitionKind) -> Result<(), Error> {
        let started = Instant::now();
        let numbers = self.index.partition(kind).flush(|number| self.index.is_removed(number))?;
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
        for kind in [PartitionKind::Texts, PartitionKind::Fingerprints] {
            let of_kind = removed.iter().filter(|removed| removed.kind == kind);
            let numbers: Vec<u64> = of_kind.map(|removed| removed.number).collect();
            if !numbers.is_empty() {
                self.index.partition(kind).erase(&numbers)?;
            }
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
