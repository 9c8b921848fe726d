//! Discovery: finds every pair of documents that share a chunk, with its exact score.
//!
//! In: a source and settings. Out: a [`Discovery`] with documents, graph and counts.

use std::sync::Arc;
use std::time::Instant;

use hashbrown::{HashMap, HashSet};
use textkin_core::{Problem, SharedChunks, Source};
use textkin_graph::{CapStats, CappedChunks, ExcludedWords, Graph, GraphSettings, Overlaps, cap};
use textkin_index::{
    BatchSettings, Collection, IndexedCollection, KeepChunks, Memory, Progress, Stop, TextAddress,
    find_shared, near_copies,
};
use textkin_text::grammar::Selection;

use crate::analyzer::Analyzer;
use crate::documents::Documents;
use crate::error::Error;
use crate::index_file::{AnalysisConfig, SharedText};
use crate::ingest::{DocumentNotes, IngestOptions, Ingested, ingest};
use crate::passage_clusters::PassagePlaces;
use crate::settings::{CopyPolicy, Pairing, ScoredChunks, Settings};
use crate::summary::DiscoveryCounts;

/// Reports the progress of a run and stops it. Share it with another thread to show a progress bar
/// or to cancel the run.
#[derive(Debug, Default)]
pub struct RunControl {
    /// The current stage and how much of it is done.
    pub progress: Progress,
    /// Stops the run at the next opportunity.
    pub stop: Stop,
}

/// The duration of a finished stage of a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StageTiming {
    /// The name of the stage.
    pub name: &'static str,
    /// The duration in seconds.
    pub seconds: f64,
    /// Bytes that the stage read or spilled.
    pub bytes: u64,
}

/// The result of [`discover`].
#[derive(Debug)]
#[non_exhaustive]
pub struct DiscoveryOutput {
    /// The documents, in input order.
    pub documents: Documents,
    /// The relationship graph.
    pub graph: Graph,
    /// The documents that could not be read, in input order.
    pub problems: Vec<Problem>,
    /// The documents that have notes, in input order.
    pub notes: Vec<DocumentNotes>,
    /// Counts of documents, words and chunks.
    pub counts: DiscoveryCounts,
    /// The sets of near-duplicates found by I-Match, if it was enabled: document numbers,
    /// ascending, sorted by the first. Exact copies are included.
    pub near_copies: Option<Vec<Vec<u32>>>,
    /// All shared chunks, if the settings keep them. A limit on common chunks does not affect it.
    pub shared: Option<SharedText>,
    /// Where shared chunks occur, if the settings keep it.
    pub passages: Option<PassagePlaces>,
    /// The chunks that [`Settings::max_df`] excluded.
    pub capped: Option<CapStats>,
    /// The words of each document that [`Settings::max_df`] excluded.
    pub common_words: Option<ExcludedWords>,
    /// The overlaps without [`Settings::max_df`], if nothing else is excluded.
    pub uncapped: Option<Overlaps>,
    /// The algorithm that was used: `sort`, `spill`, `spex` or `spex+spill`.
    pub plan: &'static str,
    /// The durations of the stages.
    pub stages: Vec<StageTiming>,
}

/// Finds every pair of documents of `source` that share text.
///
/// # Errors
/// If a strategy lacks a resource, temporary data cannot be written, the run is stopped, or a
/// document cannot be read in a strict run.
pub fn discover(
    source: &mut dyn Source,
    settings: &Settings,
    control: &RunControl,
) -> Result<DiscoveryOutput, Error> {
    let mut clock = Clock::start();
    let SharedFindings { collection, read, near_sets, n_merged, mut found } =
        find(source, settings, true, control, &mut clock)?;
    let threads = settings.n_threads();

    let mut counts = DiscoveryCounts {
        distinct_chunks: found.distinct_chunks,
        collisions: found.collisions,
        chunks: found.total_chunks,
        input_bytes: read.input_bytes,
        text_bytes: read.text_bytes,
        ..DiscoveryCounts::default()
    };
    counts.add_documents(&read.documents);
    let texts = text_numbers(&read.documents, &found);
    let shared_chunks = Arc::new(std::mem::take(&mut found.shared));
    let shared = found.chunks.take().map(|chunks| SharedText {
        shared: Arc::clone(&shared_chunks),
        chunks,
        texts: Arc::clone(&texts),
        analysis: AnalysisConfig::new(settings),
    });
    let passages = found.chunk_runs.take().map(|runs| {
        let sides = read.sides.clone();
        PassagePlaces::new(runs, &shared_chunks, Arc::clone(&texts), sides, settings.max_df)
    });
    counts.add_shared(&shared_chunks);
    counts.exact_duplicates -= n_merged;
    counts.merged_near_copies = n_merged;
    // If nothing but common chunks is excluded, the raw overlaps need no second pass.
    let uncapped = (settings.max_df.is_some() && !settings.excludes_words())
        .then(|| Overlaps::new(Arc::clone(&shared_chunks), Arc::clone(&texts)));
    let (shared_chunks, capped, common_words) = exclude_common(shared_chunks, &texts, settings);

    control.progress.begin("scoring pairs", 0);
    let graph_settings = GraphSettings {
        measure: settings.score,
        threshold: settings.threshold,
        rules: settings.rules,
        counting: settings.counting,
        threads,
        max_blocks: settings
            .tuning
            .max_blocks
            .unwrap_or_else(|| max_blocks(settings.memory_budget())),
        max_additions: settings.tuning.max_additions,
    };
    let stop = || control.stop.is_requested();
    let graph = match &read.sides {
        Some(sides) => Graph::between(&shared_chunks, texts, sides, graph_settings, &stop)?,
        None => Graph::new(&shared_chunks, texts, graph_settings, &stop)?,
    };
    clock.stage("pairs", 0);

    Ok(DiscoveryOutput {
        near_copies: near_sets,
        shared,
        passages,
        documents: read.documents,
        graph,
        problems: read.problems,
        notes: read.notes,
        counts,
        capped,
        common_words,
        uncapped,
        plan: collection.plan_name(),
        stages: clock.stages,
    })
}

/// Computes the overlap of any two documents of `source`, without listing pairs.
///
/// With settings [without exclusions](Settings::without_exclusions), it returns the raw counts of
/// pairs that a discovery with exclusions found.
///
/// # Errors
/// As [`discover`].
pub fn overlaps(
    source: &mut dyn Source,
    settings: &Settings,
    control: &RunControl,
) -> Result<Overlaps, Error> {
    // All scored chunks count here, selected or not, and the first pass reported the problems.
    let settings = Settings {
        select: match settings.scored {
            ScoredChunks::All => Selection::default(),
            ScoredChunks::Selected => settings.select.clone(),
        },
        imatch: None,
        keep_chunks: KeepChunks::None,
        keeps_passages: false,
        pairing: Pairing::All,
        is_strict: false,
        ..settings.clone()
    };
    let shared = shared(source, &settings, true, control)?;
    let mut overlaps = Overlaps::new(shared.chunks, shared.texts);
    overlaps.excluded = shared.common_words;
    Ok(overlaps)
}

/// The shared chunks of the documents of a source.
pub(crate) struct SharedDocuments {
    /// The documents, in input order.
    pub(crate) documents: Documents,
    /// The documents that could not be read, in input order.
    pub(crate) problems: Vec<Problem>,
    /// The documents that have notes, in input order.
    pub(crate) notes: Vec<DocumentNotes>,
    /// The shared chunks of their texts, without excluded common chunks.
    pub(crate) chunks: Arc<SharedChunks>,
    /// The text of each document; `None` for a document without tokens.
    pub(crate) texts: Arc<[Option<u32>]>,
    /// The chunks that [`Settings::max_df`] excluded.
    pub(crate) capped: Option<CapStats>,
    /// The words of each document that it excluded.
    pub(crate) common_words: Option<ExcludedWords>,
}

/// Reads `source` and finds the chunks that its documents share, without excluded common chunks. If `checks_ids`, a
/// document with the id of an earlier one is a problem.
pub(crate) fn shared(
    source: &mut dyn Source,
    settings: &Settings,
    checks_ids: bool,
    control: &RunControl,
) -> Result<SharedDocuments, Error> {
    let SharedFindings { read, found, .. } =
        find(source, settings, checks_ids, control, &mut Clock::start())?;
    let texts = text_numbers(&read.documents, &found);
    let (chunks, capped, common_words) = exclude_common(found.shared.into(), &texts, settings);
    let Ingested { documents, problems, notes, .. } = read;
    Ok(SharedDocuments { documents, problems, notes, chunks, texts, capped, common_words })
}

/// Returns the number of the text of each document; `None` for a document without tokens.
fn text_numbers(documents: &Documents, found: &IndexedCollection) -> Arc<[Option<u32>]> {
    let number = |address| found.text_number(address);
    documents.entries().map(|entry| entry.address.map(number)).collect()
}

/// Excludes common chunks if the settings say so; returns the others, counts of the excluded ones, and the
/// excluded words of each document.
fn exclude_common(
    shared: Arc<SharedChunks>,
    texts: &Arc<[Option<u32>]>,
    settings: &Settings,
) -> (Arc<SharedChunks>, Option<CapStats>, Option<ExcludedWords>) {
    let Some(max_df) = settings.max_df else { return (shared, None, None) };
    let CappedChunks { shared, stats, excluded_words } = cap(shared, max_df);
    let excluded_words = ExcludedWords::new(excluded_words, Arc::clone(texts));
    (Arc::new(shared), Some(stats), Some(excluded_words))
}

/// The shared chunks of a source, before pairs are scored.
struct SharedFindings {
    collection: Collection,
    read: Ingested,
    /// The documents of each set of near-duplicates.
    near_sets: Option<Vec<Vec<u32>>>,
    /// Number of texts that were replaced by that of a near-duplicate.
    n_merged: u64,
    found: IndexedCollection,
}

/// Reads `source` and finds the chunks that its documents share.
fn find(
    source: &mut dyn Source,
    settings: &Settings,
    checks_ids: bool,
    control: &RunControl,
    clock: &mut Clock,
) -> Result<SharedFindings, Error> {
    let analyzer = Analyzer::new(settings)?;
    let memory = Memory { budget: settings.memory_budget(), temp_dir: settings.temp_dir.clone() };
    let batch_settings = match source.has_texts() {
        true => analyzer.batch_settings(),
        false => BatchSettings::of_stored_chunks(settings.tuning.hash_bits),
    };
    let collection = Collection::new(batch_settings, settings.plan, memory);
    let threads = settings.n_threads();

    let options = IngestOptions {
        threads,
        is_strict: settings.is_strict,
        checks_ids,
        merges_copies: settings.exact_copies == CopyPolicy::Merge,
        pairing: &settings.pairing,
        large_text: settings.tuning.large_text,
        progress: &control.progress,
        stop: &control.stop,
    };
    let mut read = ingest(source, &analyzer, &collection, options)?;
    clock.stage("read", read.input_bytes);

    let mut n_merged = 0;
    let near_sets = match settings.imatch {
        Some(imatch) => {
            let (progress, stop) = (&control.progress, &control.stop);
            let sets = near_copies(&collection, imatch, threads, progress, stop)?;
            let sets = documents_of(&sets, &read.documents);
            if settings.near_copies == CopyPolicy::Merge {
                n_merged = merge(&sets, &mut read.documents);
            }
            clock.stage("imatch", 0);
            Some(sets)
        }
        None => None,
    };

    let copies = Copies::new(&read.documents);
    let copies_of = |address| copies.of(address);
    let keep = settings.keep_chunks;
    let (progress, stop) = (&control.progress, &control.stop);
    let keeps_runs = settings.keeps_passages;
    let found = find_shared(&collection, copies_of, keep, keeps_runs, threads, progress, stop)?;
    clock.stage("index", collection.spilled());
    Ok(SharedFindings { collection, read, near_sets, n_merged, found })
}

/// Gives the documents of each set the text of the first. Returns the number of texts that it replaces.
fn merge(sets: &[Vec<u32>], documents: &mut Documents) -> u64 {
    let mut replaced = HashSet::new();
    for set in sets {
        let address = set.first().and_then(|first| documents.entry(*first).address);
        for member in set {
            replaced.insert(documents.entry(*member).address);
            documents.set_address(*member, address);
        }
        replaced.remove(&address);
    }
    replaced.len() as u64
}

/// The number of documents that have each text.
struct Copies(Vec<Vec<u32>>);

impl Copies {
    fn new(documents: &Documents) -> Self {
        let mut copies: Vec<Vec<u32>> = Vec::new();
        for address in documents.entries().filter_map(|entry| entry.address) {
            let (batch, text) = (address.batch as usize, address.text as usize);
            if copies.len() <= batch {
                copies.resize_with(batch + 1, Vec::new);
            }
            if copies[batch].len() <= text {
                copies[batch].resize(text + 1, 0);
            }
            copies[batch][text] += 1;
        }
        Self(copies)
    }

    fn of(&self, address: TextAddress) -> u32 {
        let texts = self.0.get(address.batch as usize);
        texts.and_then(|texts| texts.get(address.text as usize)).copied().unwrap_or(0)
    }
}

/// Returns how many blocks of pairs fit in a quarter of the memory.
fn max_blocks(memory: u64) -> usize {
    let blocks = memory / 4 / size_of::<textkin_graph::Block>() as u64;
    usize::try_from(blocks).unwrap_or(usize::MAX).clamp(1 << 16, u32::MAX as usize / 2)
}

/// Returns the documents of each set of texts.
fn documents_of(sets: &[Vec<TextAddress>], documents: &Documents) -> Vec<Vec<u32>> {
    let mut set_of_text: HashMap<TextAddress, usize> = HashMap::new();
    for (number, set) in sets.iter().enumerate() {
        set_of_text.extend(set.iter().map(|text| (*text, number)));
    }
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); sets.len()];
    for (document, entry) in (0u32..).zip(documents.entries()) {
        if let Some(set) = entry.address.and_then(|address| set_of_text.get(&address)) {
            members[*set].push(document);
        }
    }
    members.sort();
    members
}

/// Measures the duration of the stages of a run.
struct Clock {
    last: Instant,
    stages: Vec<StageTiming>,
}

impl Clock {
    fn start() -> Self {
        Self { last: Instant::now(), stages: Vec::new() }
    }

    fn stage(&mut self, name: &'static str, bytes: u64) {
        let seconds = self.last.elapsed().as_secs_f64();
        self.stages.push(StageTiming { name, seconds, bytes });
        self.last = Instant::now();
    }
}
