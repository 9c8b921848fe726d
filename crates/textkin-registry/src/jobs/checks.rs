//! Checks: finds out whether watched texts have reappeared.
//!
//! A new document of a public repository is compared with everything watched, and a new document of a
//! watched repository with everything public: whichever comes last finds the other. The last alerts and
//! the end of the job are stored in one transaction, and an alert is stored only once, so that a crash
//! neither loses nor repeats an alert.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use rusqlite::Transaction;
use textkin::engine::types::Passage;
use textkin::engine::types::number::counted;

use crate::domain::{DocumentId, RepositoryId, WatchId};
use crate::error::Error;
use crate::jobs::queue::{self, PendingJob};
use crate::matching::index::{IndexQuery, PartitionKind};
use crate::service::watches::{self, Channel, WatchRule};
use crate::service::{AlertPassage, Service};
use crate::store::alerts::{self as stored_alerts, NewAlert};
use crate::store::deliveries::{self, NewDelivery};
use crate::store::{documents, now, now_ms, repositories};

/// The maximum number of checks in one batch.
const MAX_BATCH: usize = 64;

/// Seconds after which a document that is missing in the index is added again from the store.
const REINDEX_AFTER: i64 = 10;

/// The reason of a failed check that its job shows.
const CHECK_FAILED: &str = "the check failed; the server log has the reason; retry the job";

/// The maximum number of passages that an alert keeps.
const MAX_PASSAGES: usize = 10;

/// The maximum number of alerts that are stored in one transaction.
const MAX_ALERTS: usize = 10_000;

/// What the job of a watch, or of a document in a repository that its own account watches, says if some
/// alerts were counted from the index.
const BOUNDED: &str = "counted from the index; too many matches to compare each word by word";

/// The watched and the public repositories at one moment.
#[derive(Debug, Default)]
struct WatchSnapshot {
    rules: HashMap<RepositoryId, Vec<Arc<WatchRule>>>,
    public: HashSet<RepositoryId>,
    with_text: HashSet<RepositoryId>,
}

impl WatchSnapshot {
    fn read(read: &Transaction<'_>) -> Result<Self, Error> {
        let mut snapshot = Self::default();
        for rule in watches::rules(read)? {
            snapshot.rules.entry(rule.repository).or_default().push(Arc::new(rule));
        }
        for kind in stored_alerts::repository_kinds(read)? {
            if kind.is_public {
                snapshot.public.insert(kind.id);
            }
            if kind.keeps_text {
                snapshot.with_text.insert(kind.id);
            }
        }
        Ok(snapshot)
    }
}

/// An alert to be stored, and the rule that raised it.
#[derive(Debug)]
struct RaisedAlert {
    rule: Arc<WatchRule>,
    alert: NewAlert,
}

/// A document that is being checked, and what its check has raised so far.
struct Check<'a> {
    number: DocumentId,
    repository: RepositoryId,
    snapshot: &'a WatchSnapshot,
    /// The only watch that is checked, if any.
    only: Option<WatchId>,
    raised: Vec<RaisedAlert>,
}

/// How many words two documents share; each side is the number of words and those of them that are
/// shared.
#[derive(Clone, Copy, Debug)]
struct SharedCounts {
    checked: (u64, u64),
    other: (u64, u64),
    /// Whether they come from the index alone.
    is_bounded: bool,
}

impl SharedCounts {
    fn share(&self) -> f64 {
        let share = |(words, shared): (u64, u64)| shared as f64 / words.max(1) as f64;
        share(self.checked).max(share(self.other))
    }
}

impl Check<'_> {
    fn is_public(&self) -> bool {
        self.snapshot.public.contains(&self.repository) && self.only.is_none()
    }

    /// Returns the watches for which the document is checked against documents of `other`, which are
    /// public.
    fn own_rules(&self, other: RepositoryId) -> &[Arc<WatchRule>] {
        match self.snapshot.public.contains(&other) {
            true => self.snapshot.rules.get(&self.repository).map_or(&[], |rules| rules),
            false => &[],
        }
    }

    /// Returns the watches on the repository `other` for which the document, which is public, is
    /// checked.
    fn other_rules(&self, other: RepositoryId) -> &[Arc<WatchRule>] {
        match self.is_public() {
            true => self.snapshot.rules.get(&other).map_or(&[], |rules| rules),
            false => &[],
        }
    }

    fn is_searched(&self, other: RepositoryId) -> bool {
        other != self.repository
            && !(self.own_rules(other).is_empty() && self.other_rules(other).is_empty())
    }

    /// Returns the watched repositories that a comparison with a document of `other` is for.
    fn watched_repositories(
        &self,
        other: RepositoryId,
    ) -> impl Iterator<Item = RepositoryId> + use<> {
        let own = (!self.own_rules(other).is_empty()).then_some(self.repository);
        let others = (!self.other_rules(other).is_empty()).then_some(other);
        own.into_iter().chain(others)
    }

    /// Raises the alerts about a document of the repository `other`, with the `shared` passages, if the
    /// two texts were compared.
    fn raise(
        &mut self,
        number: DocumentId,
        other: RepositoryId,
        counts: &SharedCounts,
        shared: &[Passage],
    ) {
        let SharedCounts { checked, other: theirs, is_bounded } = *counts;
        let share = counts.share();
        let only = self.only;
        let own = self.own_rules(other).iter();
        let own = own.filter(|rule| only.is_none_or(|only| only == rule.watch));
        let own = own.map(|rule| (rule, true, (self.number, checked), (number, theirs)));
        let others = self.other_rules(other).iter();
        let others = others.map(|rule| (rule, false, (number, theirs), (self.number, checked)));
        let raised = own.chain(others).filter_map(|(rule, is_own, watched, found)| {
            let level = rule.levels.level(share).filter(|&level| level >= rule.min_level)?;
            let alert = NewAlert {
                watch: rule.watch,
                watched: watched.0,
                found: found.0,
                level,
                watched_counts: watched.1,
                found_counts: found.1,
                is_bounded,
                passages: longest(shared, is_own),
            };
            // A text with fewer words than the minimum must reappear whole.
            let (words, shared) = alert.watched_counts;
            let is_long = shared >= rule.min_words.min(words);
            is_long.then(|| RaisedAlert { rule: Arc::clone(rule), alert })
        });
        let raised: Vec<RaisedAlert> = raised.collect();
        self.raised.extend(raised);
    }
}

/// Returns the longest of some passages in the order of the watched text: the first text if `is_first`.
fn longest(shared: &[Passage], is_first: bool) -> Vec<AlertPassage> {
    let mut longest: Vec<&Passage> = shared.iter().collect();
    longest.sort_by_key(|passage| std::cmp::Reverse(passage.matched));
    longest.truncate(MAX_PASSAGES);
    let passages = longest.into_iter().map(|passage| AlertPassage {
        span: if is_first { passage.a.span } else { passage.b.span }.into(),
        words: passage.matched,
    });
    let mut passages: Vec<AlertPassage> = passages.collect();
    passages.sort_by_key(|passage| passage.span.start);
    passages
}

impl Service {
    /// Runs a batch of waiting checks; returns whether there were any.
    pub(crate) fn run_check_batch(&self) -> Result<bool, Error> {
        let (jobs, snapshot) = self.store.read(|read| {
            Ok((queue::waiting(read, true, MAX_BATCH)?, Arc::new(WatchSnapshot::read(read)?)))
        })?;
        let jobs = self.ready(jobs)?;
        if jobs.is_empty() {
            return Ok(false);
        }
        let traced = self.trace(&jobs, &snapshot.public, &snapshot.with_text)?;
        let mut done = Vec::with_capacity(jobs.len());
        for job in jobs {
            let outcome = self.check(&job, &snapshot).and_then(|raised| {
                let is_bounded = raised.iter().any(|raised| {
                    raised.alert.is_bounded && Some(raised.rule.account) == job.account
                });
                let (last, _) = self.store_leading_alerts(raised)?;
                Ok((last, is_bounded))
            });
            done.push((outcome, job));
        }
        self.store.write(move |write| {
            for (outcome, job) in &done {
                match outcome {
                    Ok((raised, is_bounded)) => {
                        insert_alerts(write, raised)?;
                        // The job belongs to the account that registered the document: it says
                        // nothing of the alerts of other accounts.
                        let detail = if *is_bounded { BOUNDED } else { "" };
                        queue::finish(write, job.id, Ok(detail))?;
                    }
                    Err(error) => {
                        // The reason may name a document of another account.
                        tracing::error!(job = %job.id, %error, "a check failed");
                        queue::finish(write, job.id, Err(CHECK_FAILED))?;
                    }
                }
            }
            traced.store(write)
        })?;
        self.deliveries.notify();
        Ok(true)
    }

    /// Stores alerts in transactions of limited size, up to the last of them, which is returned with the
    /// number of new alerts. After a crash the check is repeated; an alert is stored only once.
    fn store_leading_alerts(
        &self,
        mut raised: Vec<RaisedAlert>,
    ) -> Result<(Vec<RaisedAlert>, u64), Error> {
        let mut n_new = 0;
        while raised.len() > MAX_ALERTS {
            let rest = raised.split_off(MAX_ALERTS);
            n_new += self.store.write(move |write| insert_alerts(write, &raised))?;
            raised = rest;
        }
        Ok((raised, n_new))
    }

    /// Returns the leading `jobs` whose documents are in the index. A document is added to the index
    /// right after it is stored; one that is missing for too long is added again from the store.
    fn ready(&self, mut jobs: Vec<PendingJob>) -> Result<Vec<PendingJob>, Error> {
        let is_missing =
            |job: &PendingJob| job.document.is_none_or(|number| self.index.is_removed(number));
        let first_missing = jobs.iter().position(is_missing);
        let Some(first_missing) = first_missing else { return Ok(jobs) };
        let job = &jobs[first_missing];
        let stored = self.store.read(|read| match job.document {
            Some(number) => documents::by_number(read, number),
            None => Ok(None),
        })?;
        let Some(stored) = stored else {
            // It was removed meanwhile: its check finds nothing.
            jobs.truncate(first_missing + 1);
            return Ok(jobs);
        };
        if now() - job.created > REINDEX_AFTER {
            self.reindex_pending(stored.number.previous(), 1)?;
        }
        jobs.truncate(first_missing);
        if jobs.is_empty() {
            std::thread::sleep(std::time::Duration::from_millis(2));
            self.work.notify();
        }
        Ok(jobs)
    }

    fn check(&self, job: &PendingJob, snapshot: &WatchSnapshot) -> Result<Vec<RaisedAlert>, Error> {
        let (Some(number), Some(repository)) = (job.document, job.repository) else {
            return Ok(Vec::new());
        };
        self.check_document(Check { number, repository, snapshot, only: None, raised: Vec::new() })
    }

    /// Compares a document with the watched and the public repositories.
    ///
    /// For each watched repository, the `limits.examined` documents with the most shared words are
    /// compared word by word; for all others the counts of the index decide. So the documents of one
    /// account never keep an alert from another.
    fn check_document(&self, mut check: Check<'_>) -> Result<Vec<RaisedAlert>, Error> {
        let snapshot = check.snapshot;
        let is_watched = snapshot.rules.contains_key(&check.repository);
        if !is_watched && (!check.is_public() || snapshot.rules.is_empty()) {
            return Ok(Vec::new());
        }
        let kind = PartitionKind::new(snapshot.with_text.contains(&check.repository));
        let Some(query) = self.query_of(kind, check.number)? else { return Ok(Vec::new()) };
        let candidates = self.index.candidates(&query, &|other| check.is_searched(other))?;
        let mut examined: HashMap<RepositoryId, usize> = HashMap::new();
        let mut bounded = Vec::new();
        for candidate in candidates {
            let mut has_room = false;
            for repository in check.watched_repositories(candidate.repository) {
                let examined = examined.entry(repository).or_default();
                has_room |= *examined < self.limits.examined;
                *examined += 1;
            }
            if !has_room {
                bounded.push(candidate);
                continue;
            }
            if let Some(overlap) = self.index.overlap(&query, &candidate)?
                && overlap.query_covered > 0
            {
                let counts = SharedCounts {
                    checked: (overlap.query_words, overlap.query_covered),
                    other: (overlap.document_words, overlap.document_covered),
                    is_bounded: false,
                };
                check.raise(candidate.number, candidate.repository, &counts, &overlap.passages);
            }
            if self.is_stopping() {
                return Err(Error::Stopped);
            }
        }
        if !bounded.is_empty() {
            let words = u64::from(query.words());
            self.store.read(|read| {
                for candidate in &bounded {
                    // It may have been deleted since.
                    let Some(entry) = documents::by_number(read, candidate.number)? else {
                        continue;
                    };
                    let (covered, theirs) = (u64::from(candidate.covered), u64::from(entry.words));
                    let counts = SharedCounts {
                        checked: (words, covered.min(words)),
                        other: (theirs, covered.min(theirs)),
                        is_bounded: true,
                    };
                    check.raise(candidate.number, candidate.repository, &counts, &[]);
                }
                Ok(())
            })?;
        }
        Ok(check.raised)
    }

    /// Returns a query for a registered document; `None` if it was removed.
    fn query_of(
        &self,
        kind: PartitionKind,
        number: DocumentId,
    ) -> Result<Option<IndexQuery>, Error> {
        match kind {
            PartitionKind::Texts => {
                Ok(self.index.text(kind, number)?.map(|text| self.index.query(&text)))
            }
            PartitionKind::Fingerprints => self.index.query_without_text(number),
        }
    }

    /// Checks all documents of a repository for a new watch.
    pub(crate) fn check_watch(&self, job: &PendingJob) -> Result<String, Error> {
        let watch = job.payload.as_deref().and_then(|id| id.parse::<WatchId>().ok());
        let (Some(watch), Some(repository)) = (watch, job.repository) else {
            return Err(Error::Invalid("the job names no watch or no repository".to_owned()));
        };
        let (mut after, mut done, mut n_alerts, mut n_bounded) = (None, 0u64, 0u64, 0u64);
        loop {
            let (snapshot, batch, total) = self.store.read(|read| {
                let snapshot = WatchSnapshot::read(read)?;
                let batch = documents::list(read, repository, None, after, 100)?;
                let total = repositories::n_documents(read, repository)?;
                Ok((snapshot, batch, total))
            })?;
            let Some(last) = batch.last() else { break };
            after = Some(last.number);
            done += batch.len() as u64;
            let mut raised = Vec::new();
            for entry in &batch {
                let check = Check {
                    number: entry.number,
                    repository,
                    snapshot: &snapshot,
                    only: Some(watch),
                    raised: Vec::new(),
                };
                let new = self.check_document(check)?;
                n_bounded += new.iter().filter(|raised| raised.alert.is_bounded).count() as u64;
                raised.extend(new);
                let (last, n_new) = self.store_leading_alerts(raised)?;
                raised = last;
                n_alerts += n_new;
                if self.is_stopping() {
                    return Err(Error::Stopped);
                }
            }
            let id = job.id;
            n_alerts += self.store.write(move |write| {
                let n_new = insert_alerts(write, &raised)?;
                queue::progress(write, id, done, Some(total.max(done)), "")?;
                Ok(n_new)
            })?;
            self.deliveries.notify();
        }
        let (documents, alerts) =
            (counted(done, "document", "documents"), counted(n_alerts, "alert", "alerts"));
        Ok(match n_bounded {
            0 => format!("{documents} checked, {alerts}"),
            n => {
                let bounded = counted(n, "match", "matches");
                format!("{documents} checked, {alerts}; {bounded} {BOUNDED}")
            }
        })
    }
}

/// Stores alerts and their deliveries; returns how many are new.
fn insert_alerts(write: &Transaction<'_>, raised: &[RaisedAlert]) -> Result<u64, Error> {
    let mut n_new = 0;
    for RaisedAlert { rule, alert } in raised {
        let now = now_ms();
        let Some(id) = stored_alerts::insert(write, alert, now)? else { continue };
        n_new += 1;
        for channel in &rule.channels {
            let (hook, next) = match channel {
                Channel::Inbox => continue,
                Channel::Mail => (None, mail_time(now / 1000, rule)),
                // The webhook was deleted.
                Channel::Webhook if rule.hook.is_none() => continue,
                Channel::Webhook => (rule.hook, now / 1000),
            };
            let (alert, account, channel) = (Some(id), rule.account, *channel);
            let delivery = NewDelivery { alert, account, channel, hook, next };
            deliveries::insert(write, &delivery, now / 1000)?;
        }
    }
    Ok(n_new)
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
    use crate::domain::AccountId;
    use crate::service::{LevelThresholds, MatchLevel};

    fn rule(quiet: Option<(u32, u32)>, digest_hours: u32) -> WatchRule {
        WatchRule {
            watch: WatchId::new(1),
            account: AccountId::new(1),
            repository: RepositoryId::new(1).unwrap(),
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
