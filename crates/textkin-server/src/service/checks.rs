//! Checks: finds out whether watched texts have reappeared.
//!
//! A new document of a public repository is compared with everything watched, and a new document of a
//! watched repository with everything public: whichever comes last finds the other. Alerts and the
//! end of the job are stored in one transaction, so that a crash neither loses nor repeats an alert.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use rusqlite::{Transaction, params};
use textkin_web::format;

use super::jobs::{self, PendingJob};
use super::watches::{self, Channel, WatchRule};
use super::{Service, documents};
use crate::error::Error;
use crate::index::{IndexQuery, PartitionKind};
use crate::store::{now, now_ms};

/// The maximum number of checks in one batch.
const MAX_BATCH: usize = 64;

/// Seconds after which a document that is missing in the index is added again from the store.
const REINDEX_AFTER: i64 = 10;

/// The watched and the public repositories at one moment.
#[derive(Debug, Default)]
struct WatchSnapshot {
    rules: HashMap<u32, Vec<WatchRule>>,
    public: HashSet<u32>,
    with_text: HashSet<u32>,
}

impl WatchSnapshot {
    fn read(read: &Transaction<'_>) -> Result<Self, Error> {
        let mut snapshot = Self::default();
        for rule in watches::rules(read)? {
            snapshot.rules.entry(rule.repository).or_default().push(rule);
        }
        let sql = "SELECT id, visibility = 'public', keeps_text FROM repository";
        let mut statement = read.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let id: u32 = row.get(0)?;
            if row.get(1)? {
                snapshot.public.insert(id);
            }
            if row.get(2)? {
                snapshot.with_text.insert(id);
            }
        }
        Ok(snapshot)
    }
}

/// An alert to be stored.
#[derive(Debug)]
struct NewAlert {
    rule: WatchRule,
    watched: u64,
    found: u64,
    level: super::MatchLevel,
    watched_counts: (u64, u64),
    found_counts: (u64, u64),
}

impl Service {
    /// Runs a batch of waiting checks; returns whether there were any.
    pub(crate) fn run_check_batch(&self) -> Result<bool, Error> {
        let (jobs, snapshot) = self.store.read(|read| {
            Ok((jobs::waiting(read, true, MAX_BATCH)?, Arc::new(WatchSnapshot::read(read)?)))
        })?;
        let jobs = self.ready(jobs)?;
        if jobs.is_empty() {
            return Ok(false);
        }
        let traced = self.trace(&jobs, &snapshot.public, &snapshot.with_text)?;
        let mut done = Vec::with_capacity(jobs.len());
        for job in jobs {
            done.push((self.check(&job, &snapshot), job));
        }
        self.store.write(move |write| {
            for (outcome, job) in &done {
                match outcome {
                    Ok(raised) => {
                        let mut n = 0u64;
                        for alert in raised {
                            n += u64::from(insert_alert(write, alert)?);
                        }
                        let detail = match n {
                            0 => String::new(),
                            1 => "1 alert".to_owned(),
                            n => format!("{n} alerts"),
                        };
                        jobs::finish(write, job.id, Ok(&detail))?;
                    }
                    Err(error) => jobs::finish(write, job.id, Err(&error.to_string()))?,
                }
            }
            traced.store(write)
        })?;
        self.deliveries.notify();
        Ok(true)
    }

    /// Returns the leading `jobs` whose documents are in the index. A document is added to the index
    /// right after it is stored; one that is missing for too long is added again from the store.
    fn ready(&self, mut jobs: Vec<PendingJob>) -> Result<Vec<PendingJob>, Error> {
        let number = |job: &PendingJob| job.document.unwrap_or(0);
        let first_missing = jobs.iter().position(|job| self.index.is_removed(number(job)));
        let Some(first_missing) = first_missing else { return Ok(jobs) };
        let job = &jobs[first_missing];
        let exists =
            self.store.read(|read| Ok(documents::by_number(read, number(job))?.is_some()))?;
        if !exists {
            // It was removed meanwhile: its check finds nothing.
            jobs.truncate(first_missing + 1);
            return Ok(jobs);
        }
        if now() - job.created > REINDEX_AFTER {
            self.reindex_pending(number(job).cast_signed() - 1, 1)?;
        }
        jobs.truncate(first_missing);
        if jobs.is_empty() {
            std::thread::sleep(std::time::Duration::from_millis(2));
            self.work.notify();
        }
        Ok(jobs)
    }

    fn check(&self, job: &PendingJob, snapshot: &WatchSnapshot) -> Result<Vec<NewAlert>, Error> {
        let (Some(number), Some(repository)) = (job.document, job.repository) else {
            return Ok(Vec::new());
        };
        let repository = u32::try_from(repository).unwrap_or(0);
        self.check_document(number, repository, snapshot, None)
    }

    /// Compares a document with the watched and the public repositories, for `only` one watch if given.
    fn check_document(
        &self,
        number: u64,
        repository: u32,
        snapshot: &WatchSnapshot,
        only: Option<i64>,
    ) -> Result<Vec<NewAlert>, Error> {
        let is_watched = snapshot.rules.contains_key(&repository);
        let is_public = snapshot.public.contains(&repository);
        let searches_watched = is_public && only.is_none() && !snapshot.rules.is_empty();
        if !is_watched && !searches_watched {
            return Ok(Vec::new());
        }
        let is_searched = |other: u32| {
            other != repository
                && ((is_watched && snapshot.public.contains(&other))
                    || (searches_watched && snapshot.rules.contains_key(&other)))
        };
        let kind = PartitionKind::new(snapshot.with_text.contains(&repository));
        let Some(query) = self.query_of(kind, number)? else { return Ok(Vec::new()) };
        let thresholds = snapshot.rules.values().flatten().map(|rule| rule.levels.some);
        let threshold = thresholds.fold(1.0, f64::min);
        let matches = self.matches(&query, &is_searched, threshold)?.matches;
        let mut raised = Vec::new();
        for raw in &matches {
            let other = raw.candidate.repository;
            let overlap = &raw.overlap;
            let own = (overlap.query_words, overlap.query_covered);
            let theirs = (overlap.document_words, overlap.document_covered);
            let mut raise =
                |rule: &WatchRule, watched, found, watched_counts: (u64, u64), found_counts| {
                    let level = rule.levels.level(overlap.share());
                    if let Some(level) = level.filter(|&level| level >= rule.min_level)
                        && watched_counts.1 >= rule.min_words
                    {
                        let rule = rule.clone();
                        raised.push(NewAlert {
                            rule,
                            watched,
                            found,
                            level,
                            watched_counts,
                            found_counts,
                        });
                    }
                };
            if snapshot.public.contains(&other) {
                let rules = snapshot.rules.get(&repository).into_iter().flatten();
                for rule in rules.filter(|rule| only.is_none_or(|only| only == rule.watch)) {
                    raise(rule, number, raw.candidate.number, own, theirs);
                }
            }
            if is_public && only.is_none() {
                for rule in snapshot.rules.get(&other).into_iter().flatten() {
                    raise(rule, raw.candidate.number, number, theirs, own);
                }
            }
        }
        Ok(raised)
    }

    /// Returns a query for a registered document; `None` if it was removed.
    fn query_of(&self, kind: PartitionKind, number: u64) -> Result<Option<IndexQuery>, Error> {
        match kind {
            PartitionKind::Texts => {
                Ok(self.index.text(kind, number)?.map(|text| self.index.query(&text)))
            }
            PartitionKind::Fingerprints => self.index.query_without_text(number),
        }
    }

    /// Checks all documents of a repository for a new watch.
    pub(crate) fn check_watch(&self, job: &PendingJob) -> Result<String, Error> {
        let watch: i64 = job.payload.as_deref().and_then(|id| id.parse().ok()).unwrap_or(0);
        let repository = job.repository.unwrap_or(0);
        let (mut after, mut done, mut n_alerts) = (0i64, 0u64, 0u64);
        loop {
            let (snapshot, batch, total) = self.store.read(|read| {
                let snapshot = WatchSnapshot::read(read)?;
                let condition = "repository = ?1 AND number > ?2 ORDER BY number LIMIT 100";
                let batch = documents::select(read, condition, params![repository, after])?;
                let sql = "SELECT documents FROM repository WHERE id = ?1";
                let total: u64 = read.query_row(sql, [repository], |row| row.get(0))?;
                Ok((snapshot, batch, total))
            })?;
            let Some(last) = batch.last() else { break };
            after = last.number;
            done += batch.len() as u64;
            let mut raised = Vec::new();
            for entry in &batch {
                let owner = u32::try_from(repository).unwrap_or(0);
                let number = entry.number.cast_unsigned();
                raised.extend(self.check_document(number, owner, &snapshot, Some(watch))?);
                if self.is_stopping() {
                    return Err(Error::Stopped);
                }
            }
            let id = job.id;
            n_alerts += self.store.write(move |write| {
                let mut n = 0u64;
                for alert in &raised {
                    n += u64::from(insert_alert(write, alert)?);
                }
                jobs::progress(write, id, done, Some(total.max(done)), "")?;
                Ok(n)
            })?;
            self.deliveries.notify();
        }
        let (documents, alerts) =
            (format::documents(done), format::counted(n_alerts, "alert", "alerts"));
        Ok(format!("{documents} checked, {alerts}"))
    }
}

/// Stores an alert and its deliveries; returns whether it is new.
fn insert_alert(write: &Transaction<'_>, alert: &NewAlert) -> Result<bool, Error> {
    let now = now_ms();
    // Each of them may have been deleted since.
    let sql = "INSERT INTO alert (watch, watched, found, level, watched_words, watched_shared,
                   found_words, found_shared, created_ms)
               SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
               WHERE EXISTS (SELECT 1 FROM document WHERE number = ?2)
                 AND EXISTS (SELECT 1 FROM document WHERE number = ?3)
                 AND EXISTS (SELECT 1 FROM watch WHERE id = ?1)
               ON CONFLICT DO NOTHING";
    let NewAlert { rule, watched_counts, found_counts, .. } = alert;
    let new = write.prepare_cached(sql)?.execute(params![
        rule.watch,
        alert.watched.cast_signed(),
        alert.found.cast_signed(),
        alert.level.name(),
        watched_counts.0,
        watched_counts.1,
        found_counts.0,
        found_counts.1,
        now,
    ])?;
    if new == 0 {
        return Ok(false);
    }
    let id = write.last_insert_rowid();
    let sql = "INSERT INTO delivery (alert, account, channel, hook, state, next, created)
               VALUES (?1, ?2, ?3, ?4, 'waiting', ?5, ?6)";
    let mut statement = write.prepare_cached(sql)?;
    for channel in &rule.channels {
        let (hook, next) = match channel {
            Channel::Inbox => continue,
            Channel::Mail => (None, mail_time(now / 1000, rule)),
            // The webhook was deleted.
            Channel::Webhook if rule.hook.is_none() => continue,
            Channel::Webhook => (rule.hook, now / 1000),
        };
        statement.execute(params![id, rule.account, channel.name(), hook, next, now / 1000])?;
    }
    Ok(true)
}

/// Returns when mail about an alert may be sent: with the next digest, and not in quiet hours.
pub(crate) fn mail_time(now: i64, rule: &WatchRule) -> i64 {
    let mut next = now;
    if rule.digest_hours > 0 {
        let every = i64::from(rule.digest_hours) * 3600;
        next = (now / every + 1) * every;
    }
    if let Some((from, to)) = rule.quiet {
        let (from, to) = (i64::from(from), i64::from(to));
        let minute = next.rem_euclid(24 * 3600) / 60;
        let is_quiet = match from <= to {
            true => (from..to).contains(&minute),
            false => minute >= from || minute < to,
        };
        if is_quiet {
            let wait = (to - minute).rem_euclid(24 * 60);
            next = next - next.rem_euclid(60) + wait * 60;
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::{LevelThresholds, MatchLevel};

    fn rule(quiet: Option<(u32, u32)>, digest_hours: u32) -> WatchRule {
        WatchRule {
            watch: 1,
            account: 1,
            repository: 1,
            min_level: MatchLevel::Some,
            levels: LevelThresholds::default(),
            min_words: 0,
            channels: Vec::new(),
            hook: None,
            quiet,
            digest_hours,
        }
    }

    #[test]
    fn mail_waits_for_quiet_hours_to_end_and_for_the_digest() {
        let day = 24 * 3600;
        let at = |hour: i64, minute: i64| 20_000 * day + hour * 3600 + minute * 60;
        assert_eq!(mail_time(at(12, 0) + 7, &rule(None, 0)), at(12, 0) + 7);
        let night = rule(Some((22 * 60, 7 * 60)), 0);
        assert_eq!(mail_time(at(23, 30) + 9, &night), at(31, 0));
        assert_eq!(mail_time(at(3, 0), &night), at(7, 0));
        assert_eq!(mail_time(at(7, 0), &night), at(7, 0));
        assert_eq!(mail_time(at(21, 59), &night), at(21, 59));
        let noon = rule(Some((12 * 60, 13 * 60)), 0);
        assert_eq!(mail_time(at(12, 30), &noon), at(13, 0));
        let daily = rule(Some((22 * 60, 7 * 60)), 24);
        assert_eq!(mail_time(at(12, 0), &daily), at(24 + 7, 0));
    }
}
