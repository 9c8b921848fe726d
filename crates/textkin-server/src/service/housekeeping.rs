//! The workers: threads that check, bring documents to the disk, erase, and tidy up.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::params;

use super::mail::KEEP_MESSAGE_IDS;
use super::{Service, jobs};
use crate::error::Error;
use crate::index::PartitionKind;
use crate::store::now;

/// How long documents stay in memory only, at most, when nothing else happens.
const FLUSH_TEXTS_AFTER: Duration = Duration::from_secs(60);
/// The same for documents whose text is not to be kept.
const FLUSH_FINGERPRINTS_AFTER: Duration = Duration::from_secs(5);
/// How often rules of retention are looked at.
const RETAIN_EVERY: Duration = Duration::from_secs(600);
/// How long finished jobs, deliveries and keys of requests are kept, in seconds.
const KEEP_JOBS: i64 = 7 * 24 * 3600;
const KEEP_DELIVERIES: i64 = 90 * 24 * 3600;
const KEEP_KEYS: i64 = 24 * 3600;

impl Service {
    /// Starts the workers; they end after [`Service::stop`].
    ///
    /// # Errors
    /// If the system has no threads left.
    pub fn start_workers(self: &Arc<Self>) -> Result<Vec<JoinHandle<()>>, Error> {
        let spawn = |name: &str, run: fn(&Self)| {
            let service = Arc::clone(self);
            let builder = std::thread::Builder::new().name(name.to_owned());
            builder.spawn(move || run(&service)).map_err(Error::from)
        };
        Ok(vec![
            spawn("checks", Self::run_checks)?,
            spawn("jobs", Self::run_jobs)?,
            spawn("settle", Self::run_flusher)?,
            spawn("deliveries", Self::run_deliveries)?,
            spawn("overview", Self::run_overview)?,
        ])
    }

    /// Does `step` until the server stops: again at once while it says that there was work, else
    /// when the bell rings or a while has passed.
    fn run_worker(&self, name: &str, mut step: impl FnMut() -> Result<bool, Error>) {
        while !self.is_stopping() {
            let count = self.work.generation();
            match step() {
                Ok(true) => {}
                Ok(false) => self.work.wait(count, Duration::from_millis(500)),
                Err(Error::Stopped) => return,
                Err(error) => {
                    tracing::error!(worker = name, %error, "work failed and is tried again");
                    self.work.wait(self.work.generation(), Duration::from_secs(5));
                }
            }
        }
    }

    fn run_checks(&self) {
        self.run_worker("checks", || self.run_check_batch());
    }

    fn run_overview(&self) {
        let mut schedule = super::overview::OverviewSchedule::default();
        self.run_worker("overview", || self.update_overview(&mut schedule).map(|()| false));
    }

    fn run_jobs(&self) {
        self.run_worker("jobs", || self.run_next_job());
    }

    /// Does all jobs that wait, for tests.
    #[cfg(test)]
    pub(crate) fn run_waiting_jobs(&self) -> Result<(), Error> {
        while self.run_next_job()? {}
        Ok(())
    }

    /// Does the first job that waits and is no check; says whether there was one.
    fn run_next_job(&self) -> Result<bool, Error> {
        let waiting = self.store.read(|read| jobs::waiting(read, false, 1))?;
        let Some(job) = waiting.into_iter().next() else { return Ok(false) };
        let outcome = match job.kind.as_str() {
            jobs::WATCH => self.check_watch(&job),
            jobs::LOAD => self.load(&job),
            other => Err(Error::Invalid(format!("no such job: {other}"))),
        };
        if let Err(Error::Stopped) = outcome {
            return Err(Error::Stopped);
        }
        self.store.write(move |write| {
            let outcome = outcome.map_err(|error| error.to_string());
            jobs::finish(write, job.id, outcome.as_deref().map_err(String::as_str))
        })?;
        Ok(true)
    }

    fn run_flusher(&self) {
        let mut last_flush = [Instant::now(); 2];
        let mut retained: Option<Instant> = None;
        self.run_worker("settle", || {
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

    /// Brings documents from memory to the disk.
    pub(crate) fn flush(&self, kind: PartitionKind) -> Result<(), Error> {
        let started = Instant::now();
        let numbers = self.index.partition(kind).flush(|number| self.index.is_removed(number))?;
        if numbers.is_empty() {
            return Ok(());
        }
        let n = numbers.len();
        for numbers in numbers.chunks(200) {
            let numbers = numbers.to_vec();
            self.store.write(move |write| {
                let mut statement =
                    write.prepare_cached("DELETE FROM pending WHERE number = ?1")?;
                for number in numbers {
                    statement.execute([number.cast_signed()])?;
                }
                Ok(())
            })?;
        }
        tracing::debug!(documents = n, took = ?started.elapsed(), "documents are on the shelf");
        Ok(())
    }

    /// Erases from the disk what was removed.
    pub(crate) fn erase(&self) -> Result<(), Error> {
        let gone = self.store.read(|read| {
            let sql = "SELECT number, shelf, receipt FROM erase ORDER BY number LIMIT 10000";
            let mut statement = read.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                Ok((
                    row.get::<_, i64>(0)?.cast_unsigned(),
                    row.get::<_, bool>(1)?,
                    row.get::<_, Option<i64>>(2)?,
                ))
            })?;
            Ok(rows.collect::<Result<Vec<_>, _>>()?)
        })?;
        if gone.is_empty() {
            return Ok(());
        }
        for kind in [PartitionKind::Texts, PartitionKind::Fingerprints] {
            let is_here = |gone: &&(u64, bool, Option<i64>)| PartitionKind::new(!gone.1) == kind;
            let numbers: Vec<u64> = gone.iter().filter(is_here).map(|gone| gone.0).collect();
            if !numbers.is_empty() {
                self.index.partition(kind).erase(&numbers)?;
            }
        }
        // Deleted rows are overwritten in the file; the journal is emptied too.
        self.store.scrub()?;
        self.store.write(move |write| {
            let mut erased = write.prepare_cached("DELETE FROM erase WHERE number = ?1")?;
            let mut receipt = write.prepare_cached(
                "UPDATE receipt SET erased = ?2 WHERE id = ?1
                 AND NOT EXISTS (SELECT 1 FROM erase WHERE erase.receipt = receipt.id)",
            )?;
            for (number, _, _) in &gone {
                erased.execute([number.cast_signed()])?;
            }
            let mut receipts: Vec<i64> = gone.iter().filter_map(|gone| gone.2).collect();
            receipts.sort_unstable();
            receipts.dedup();
            for id in receipts {
                receipt.execute([id, now()])?;
            }
            Ok(())
        })
    }

    /// Forgets what is of no use any more.
    fn delete_expired(&self) -> Result<(), Error> {
        self.store.write(|write| {
            let now = now();
            let sql = "DELETE FROM job WHERE state = 'done' AND finished < ?1";
            write.execute(sql, params![now - KEEP_JOBS])?;
            let sql = "DELETE FROM delivery WHERE state = 'done' AND finished < ?1";
            write.execute(sql, [now - KEEP_DELIVERIES])?;
            let sql = "DELETE FROM mail WHERE body IS NULL AND at < ?1";
            write.execute(sql, [now - KEEP_MESSAGE_IDS])?;
            write.execute("DELETE FROM idempotency WHERE created < ?1", [now - KEEP_KEYS])?;
            write.execute("DELETE FROM session WHERE expires < ?1", [now])?;
            Ok(())
        })
    }
}
