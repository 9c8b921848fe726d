//! The overview of repositories on the dashboard. A worker computes it from time to time and stores
//! it, so that a visit reads only a few rows.

use std::time::{Duration, Instant};

use rusqlite::Transaction;

use crate::domain::{Action, Actor, DocumentId, RepositoryId};
use crate::error::Error;
use crate::jobs::queue;
use crate::service::Service;
use crate::service::documents::DocumentView;
use crate::service::repositories::RepositoryRecord;
use crate::service::repository_graph::RepositoryGraph;
use crate::store::overview::{self, StoredOverview};
use crate::store::{documents, now};

/// The minimum share of a match, in percent.
pub const OVERVIEW_THRESHOLD: u32 = 5;
/// The width of one bar, in percent.
pub const OVERVIEW_STEP: u32 = 5;
/// The number of bars.
const BARS: usize = 20;
/// The worker pauses this many times as long as the last computation took, and at least [`MIN_PAUSE`].
const PAUSE_FACTOR: u32 = 50;
const MIN_PAUSE: Duration = Duration::from_secs(5);
/// How long the computation is postponed while checks are waiting.
const MAX_PAUSE: Duration = Duration::from_secs(600);

/// The stored overview of the repositories that an actor may see.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// Whether anything has been computed yet.
    pub is_computed: bool,
    /// Documents that were not compared, because their repositories have too many.
    pub omitted: u64,
    /// Documents that were compared.
    pub compared: u64,
    /// Their words.
    pub words: u64,
    /// Those of them that another document of the same repository contains.
    pub duplicated: u64,
    /// Sets of documents that share text.
    pub clusters: u64,
    /// Documents by their best match, in steps of 5 %.
    pub bars: [u64; BARS],
}

/// The next deletion by the retention rule of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextPurge {
    /// The name of the repository.
    pub repository: String,
    /// When, in seconds since 1970.
    pub at: i64,
    /// Documents that are deleted within a day after that.
    pub documents: u64,
}

/// A document with its best match.
#[derive(Clone, Debug)]
pub struct BestMatch {
    /// The document.
    pub document: DocumentView,
    /// In thousandths.
    pub share: u32,
    /// The document that it matches best.
    pub other: Option<DocumentView>,
}

/// When to compute the next overview.
#[derive(Debug, Default)]
pub(crate) struct OverviewSchedule {
    next: Option<Instant>,
    since: Option<Instant>,
}

/// Returns the bar of a share in thousandths.
fn bar(share: u32) -> usize {
    (share as usize / (OVERVIEW_STEP as usize * 10)).min(BARS - 1)
}

impl Service {
    /// Updates the overview of one repository whose documents changed, unless checks are waiting.
    pub(crate) fn update_overview(&self, schedule: &mut OverviewSchedule) -> Result<(), Error> {
        if schedule.next.is_some_and(|next| Instant::now() < next) {
            return Ok(());
        }
        let (changed, is_busy) = self.store.read(|read| {
            let is_busy = !queue::waiting(read, true, 1)?.is_empty();
            Ok((overview::changed(read)?, is_busy))
        })?;
        let Some(record) = changed else {
            schedule.since = None;
            schedule.next = Some(Instant::now() + MIN_PAUSE);
            return Ok(());
        };
        let since = *schedule.since.get_or_insert_with(Instant::now);
        if is_busy && since.elapsed() < MAX_PAUSE {
            schedule.next = Some(Instant::now() + Duration::from_secs(1));
            return Ok(());
        }
        let started = Instant::now();
        let at = now();
        let repository_graph = self.graph_of(&record)?;
        self.store_overview(&record, at, &repository_graph)?;
        schedule.since = None;
        schedule.next = Some(Instant::now() + MIN_PAUSE.max(started.elapsed() * PAUSE_FACTOR));
        Ok(())
    }

    fn store_overview(
        &self,
        record: &RepositoryRecord,
        at: i64,
        repository_graph: &RepositoryGraph,
    ) -> Result<(), Error> {
        let best = repository_graph.best();
        let mut bars = [0u64; BARS];
        for &(_, share, _) in &best {
            bars[bar(share)] += 1;
        }
        let compared = repository_graph.documents.len();
        let clusters = repository_graph.clusters(f64::from(OVERVIEW_THRESHOLD) / 100.0).len();
        let (words, duplicated) = (repository_graph.words, repository_graph.duplicated);
        let documents = compared as u64 + repository_graph.omitted;
        let stored = StoredOverview {
            at,
            documents,
            compared: compared as u64,
            words,
            duplicated,
            clusters: clusters as u64,
            bars: serde_json::to_string(&bars)?,
            best: serde_json::to_string(&best)?,
        };
        let id = record.id;
        self.store.write(move |write| overview::replace(write, id, &stored))
    }

    /// Returns the overview of the repositories that the actor may see.
    pub fn overview(&self, actor: &Actor) -> Result<Overview, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| {
            let mut sum = Overview::default();
            for record in Self::visible(read, actor)? {
                let Some(stored) = overview::find(read, record.id)? else { continue };
                sum.is_computed = true;
                sum.compared += stored.compared;
                sum.omitted += stored.documents.saturating_sub(stored.compared);
                sum.words += stored.words;
                sum.duplicated += stored.duplicated;
                sum.clusters += stored.clusters;
                let bars: Vec<u64> = serde_json::from_str(&stored.bars)?;
                for (sum, bar) in sum.bars.iter_mut().zip(bars) {
                    *sum += bar;
                }
            }
            Ok(sum)
        })
    }

    /// Returns the documents whose best match is at least `from` and below `to` percent (100 included),
    /// the best first, and how many there are.
    pub fn documents_by_best_match(
        &self,
        actor: &Actor,
        from: u32,
        to: u32,
        limit: usize,
    ) -> Result<(Vec<BestMatch>, u64), Error> {
        actor.require(Action::Read)?;
        let is_in = |share: u32| {
            share >= from.saturating_mul(10) && (share < to.saturating_mul(10) || to >= 100)
        };
        self.store.read(|read| {
            let visible = Self::visible(read, actor)?;
            let mut all: Vec<(DocumentId, u32, DocumentId, usize)> = Vec::new();
            for (at, record) in visible.iter().enumerate() {
                let Some(stored) = overview::find(read, record.id)? else { continue };
                let best: Vec<(DocumentId, u32, DocumentId)> = serde_json::from_str(&stored.best)?;
                let best = best.into_iter().filter(|best| is_in(best.1));
                all.extend(best.map(|(number, share, other)| (number, share, other, at)));
            }
            all.sort_by_key(|&(number, share, ..)| (std::cmp::Reverse(share), number));
            let total = all.len() as u64;
            let mut rows = Vec::new();
            for (number, share, other, at) in all.into_iter().take(limit) {
                let view = |number: DocumentId| -> Result<Option<DocumentView>, Error> {
                    let entry = documents::by_number(read, number)?;
                    Ok(entry.map(|entry| entry.view(&visible[at].name)))
                };
                // It may have been deleted since.
                let Some(document) = view(number)? else { continue };
                rows.push(BestMatch { document, share, other: view(other)? });
            }
            Ok((rows, total))
        })
    }

    /// Returns the next deletion by a retention rule in the repositories that the actor may see.
    pub fn next_purge(&self, actor: &Actor) -> Result<Option<NextPurge>, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| {
            let mut next: Option<NextPurge> = None;
            for record in Self::visible(read, actor)? {
                let retention = overview::retention(read, record.id)?;
                let by_age = match retention.keep_days {
                    Some(days) => next_expiry(read, record.id, days)?,
                    None => None,
                };
                let (count, documents) = (retention.keep_count, retention.documents);
                let too_many = count.map_or(0, |count| documents.saturating_sub(count));
                let by_count = (too_many > 0).then(|| (now(), too_many));
                for (at, documents) in by_age.into_iter().chain(by_count) {
                    if next.as_ref().is_none_or(|next| at < next.at) {
                        let repository = record.name.clone();
                        next = Some(NextPurge { repository, at, documents });
                    }
                }
            }
            Ok(next)
        })
    }
}

/// Returns when the oldest document of a repository is deleted that keeps documents for `days`, and how
/// many are deleted within a day after that.
fn next_expiry(
    read: &Transaction<'_>,
    repository: RepositoryId,
    days: i64,
) -> Result<Option<(i64, u64)>, Error> {
    const DAY: i64 = 24 * 3600;
    let oldest = overview::oldest(read, repository, DAY)?;
    Ok(oldest.map(|(first, documents)| (first + days * DAY, documents)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::tests::{POEM, actor, register, repository};
    use crate::service::{RepositoryUpdate, ServiceLimits, Visibility};

    #[test]
    fn the_stored_overview_follows_added_and_deleted_documents() {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
        let (anna, ben) = (actor(&service, "anna", "admin"), actor(&service, "ben", "admin"));
        repository(&service, &anna, "works", Visibility::Private);
        assert!(!service.overview(&anna).unwrap().is_computed);
        register(&service, &anna, "works", "one", POEM);
        register(&service, &anna, "works", "two", &format!("{POEM} {}", "word ".repeat(46)));
        register(&service, &anna, "works", "three", "nothing of it at all");
        while service.run_check_batch().unwrap() {}
        let count = || {
            let mut schedule = OverviewSchedule::default();
            service.update_overview(&mut schedule).unwrap();
        };
        count();
        let overview = service.overview(&anna).unwrap();
        assert_eq!((overview.compared, overview.clusters), (3, 1));
        assert_eq!((overview.words, overview.duplicated), (46 + 92 + 5, 92));
        // The larger containment is that of the smaller text, in both.
        assert_eq!((overview.bars[19], overview.bars.iter().sum::<u64>()), (2, 2));
        let (rows, total) = service.documents_by_best_match(&anna, 95, 100, 10).unwrap();
        assert_eq!((rows.len(), total, rows[0].share), (2, 2, 1000));
        assert_eq!(rows[0].other.as_ref().unwrap().id, "two");
        assert!(service.documents_by_best_match(&anna, 0, 95, 10).unwrap().0.is_empty());
        // Other accounts see nothing of it.
        assert!(!service.overview(&ben).unwrap().is_computed);
        assert_eq!(service.documents_by_best_match(&ben, 0, 100, 10).unwrap().1, 0);
        service.delete(&anna, "works", "two").unwrap();
        assert_eq!(service.documents_by_best_match(&anna, 95, 100, 10).unwrap().0.len(), 1);
        count();
        let overview = service.overview(&anna).unwrap();
        assert_eq!((overview.clusters, overview.duplicated), (0, 0));
        assert_eq!(service.documents_by_best_match(&anna, 0, 100, 10).unwrap().1, 0);
    }

    #[test]
    fn the_next_purge_is_that_of_the_oldest_document() {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
        let anna = actor(&service, "anna", "admin");
        repository(&service, &anna, "works", Visibility::Private);
        register(&service, &anna, "works", "one", POEM);
        assert_eq!(service.next_purge(&anna).unwrap(), None);
        let change = RepositoryUpdate { keep_days: Some(7), ..Default::default() };
        service.change_repository(&anna, "works", &change).unwrap();
        let next = service.next_purge(&anna).unwrap().unwrap();
        let wait = next.at - now();
        assert!((6 * 86_400..=7 * 86_400).contains(&wait), "{wait}");
        assert_eq!((next.documents, &next.repository[..]), (1, "works"));
    }
}
