//! Temporary repository of a collection, deleted after the experiment, and searches in it.

use std::num::NonZeroUsize;

use textkin::engine::search::{Effectiveness, JudgedDocument, Ranking};
use textkin::engine::{RepositoryWriter, SearchSettings, Searcher, Settings};
use textkin::{ExistingPolicy, Repository};

use super::ExperimentContext;
use crate::collection::Collection;
use crate::error::{Error, at};
use crate::metric::Judgement;

/// Maximum number of documents judged per list.
pub(super) const TOP: usize = 1_000;

/// Queries between two checks whether the run was stopped.
const BATCH: usize = 16;

/// Temporary repository of a collection.
pub(super) struct TemporaryRepository {
    repository: Repository,
    folder: tempfile::TempDir,
}

/// Effectiveness measures of Hoad and Zobel, averaged over queries, and counts of queries.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MeanEffectiveness {
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) highest_false_match: f64,
    pub(super) separation: f64,
    /// Number of queries with a precision below 1.
    pub(super) n_imprecise: f64,
    /// Number of queries with a negative separation.
    pub(super) n_inseparable: f64,
}

impl MeanEffectiveness {
    /// Adds the figures of a query.
    pub(super) fn add(&mut self, figures: &Effectiveness) {
        self.precision += figures.precision;
        self.recall += figures.recall;
        self.highest_false_match += figures.highest_false_match;
        // A document beyond the first thousand scores almost nothing.
        let separation = figures.separation.unwrap_or(-figures.highest_false_match);
        self.separation += separation;
        self.n_imprecise += f64::from(u8::from(figures.precision < 1.0));
        self.n_inseparable += f64::from(u8::from(separation < 0.0));
    }

    /// Divides sums by the number of queries.
    pub(super) fn over(&self, n_queries: usize) -> Self {
        let n = n_queries.max(1) as f64;
        Self {
            precision: self.precision / n,
            recall: self.recall / n,
            highest_false_match: self.highest_false_match / n,
            separation: self.separation / n,
            ..*self
        }
    }

    /// Returns separation divided by highest false match; `None` if the latter rounds to zero.
    pub(super) fn ratio(&self) -> Option<f64> {
        (self.highest_false_match >= 0.005).then(|| self.separation / self.highest_false_match)
    }
}

impl TemporaryRepository {
    /// Creates a repository of the collection of the experiment.
    pub(super) fn new(
        context: &ExperimentContext<'_>,
        settings: &Settings,
        keeps_text: bool,
    ) -> Result<Self, Error> {
        Self::of(context, context.collection(), settings, keeps_text)
    }

    /// Creates a repository of another collection.
    pub(super) fn of(
        context: &ExperimentContext<'_>,
        collection: &Collection,
        settings: &Settings,
        keeps_text: bool,
    ) -> Result<Self, Error> {
        let folder = tempfile::tempdir().map_err(at(&std::env::temp_dir()))?;
        let mut writer =
            RepositoryWriter::create(&folder.path().join("repository"), settings, keeps_text)?;
        writer.add(
            &mut collection.source(),
            ExistingPolicy::default(),
            true,
            context.run_control,
        )?;
        Ok(Self { repository: writer.repository(), folder })
    }

    pub(super) fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Returns the bytes on disk.
    pub(super) fn bytes(&self) -> u64 {
        fn bytes(folder: &std::path::Path) -> u64 {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let size = |entry: std::fs::DirEntry| match entry.metadata() {
                Ok(about) if about.is_dir() => bytes(&entry.path()),
                Ok(about) => about.len(),
                Err(_) => 0,
            };
            entries.map(size).sum()
        }
        bytes(self.folder.path())
    }

    /// Searches for every query and judges each ranking. The query itself and unjudged documents are
    /// excluded.
    pub(super) fn means(
        &self,
        context: &ExperimentContext<'_>,
        queries: &[u32],
        settings: SearchSettings,
    ) -> Result<Vec<MeanEffectiveness>, Error> {
        let n_rankings = settings.rankings.len();
        let searcher = Searcher::new(&self.repository, SearchSettings { top: TOP, ..settings })?;
        let numbers: std::collections::HashMap<_, u32> =
            self.repository.storage().addresses().zip(0..).collect();
        let related = context.collection().truth.by_document();
        let mut sums = vec![MeanEffectiveness::default(); n_rankings];
        let collection = context.collection();
        let text = |query: &u32| {
            collection.texts.get(*query as usize).map_or_else(String::new, |text| text.text.clone())
        };
        let mut all = Vec::with_capacity(queries.len());
        for batch in queries.chunks(BATCH) {
            context.check_stopped()?;
            let texts: Vec<String> = batch.iter().map(text).collect();
            all.extend(batch.iter().zip(searcher.search_all(&texts)));
        }
        for (&query, hits) in all {
            let hits = hits?;
            let n_relevant = related.get(&query).map_or(0, std::collections::BTreeMap::len);
            for (sum, list) in sums.iter_mut().zip(&hits.lists) {
                let judged: Vec<JudgedDocument> = list
                    .documents
                    .iter()
                    .filter_map(|ranked| {
                        let number = *numbers.get(&ranked.address)?;
                        judged(collection, query, number, ranked.percent)
                    })
                    .collect();
                if let Some(figures) = Effectiveness::of(&judged, n_relevant) {
                    sum.add(&figures);
                }
            }
        }
        Ok(sums.iter().map(|sum| sum.over(queries.len())).collect())
    }
}

/// Returns settings for a search by these rankings on all cores.
pub(super) fn by(rankings: &[Ranking]) -> SearchSettings {
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    SearchSettings { rankings: rankings.to_vec(), threads, ..SearchSettings::default() }
}

/// Judges a document of a list; returns `None` for the query itself and for unjudged documents.
pub(super) fn judged(
    collection: &Collection,
    query: u32,
    document: u32,
    percent: f64,
) -> Option<JudgedDocument> {
    if document == query {
        return None;
    }
    match collection.truth.judge(query, document) {
        Judgement::Related => Some(JudgedDocument { percent, relevant: true }),
        Judgement::Unrelated => Some(JudgedDocument { percent, relevant: false }),
        Judgement::Unjudged => None,
    }
}
