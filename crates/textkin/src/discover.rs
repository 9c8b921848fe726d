//! Discovery: every pair of documents that share a chunk, with its exact score.

use std::time::Instant;

use hashbrown::HashMap;
use textkin_core::{Problem, SharedChunks, Source};
use textkin_graph::{CapStats, ExcludedWords, Graph, GraphSettings, Overlaps, cap};
use textkin_index::{
    Collection, IndexedCollection, KeepChunks, Memory, Progress, Stop, TextAddress, find_shared,
    near_copies,
};
use textkin_text::grammar::Selection;

use crate::analyzer::Analyzer;
use crate::documents::Documents;
use crate::error::Error;
use crate::index_file::{AnalysisConfig, SharedText};
use crate::ingest::{DocumentNotes, Ingested, Reader, ingest};
use crate::settings::Settings;
use crate::summary::DiscoveryCounts;

/// Lets others see how far a run is, and stop it.
#[derive(Debug, Default)]
pub struct RunControl {
    /// How far the run is.
    pub progress: Progress,
    /// Asks the run to stop.
    pub stop: Stop,
}

/// A stage of a run that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct StageTiming {
    /// Its name.
    pub name: &'static str,
    /// How long it took.
    pub seconds: f64,
    /// Bytes it read or held.
    pub bytes: u64,
}

/// What a discovery found.
#[derive(Debug)]
pub struct Discovery {
    /// The documents, in input order.
    pub documents: Documents,
    /// The relationship graph.
    pub graph: Graph,
    /// The documents that could not be read, in input order.
    pub problems: Vec<Problem>,
    /// The documents that have notes, in input order.
    pub notes: Vec<DocumentNotes>,
    /// What was found, in numbers.
    pub counts: DiscoveryCounts,
    /// The sets of documents that I-Match takes for almost exact copies, if it was asked: their
    /// numbers, ascending, in order of the first. Exact copies are members.
    pub near_copies: Option<Vec<Vec<u32>>>,
    /// All that documents share, if the settings keep chunks. A cap does not touch it.
    pub shared: Option<SharedText>,
    /// What the user's cap left out.
    pub capped: Option<CapStats>,
    /// The words of each document that the cap set aside.
    pub common_words: Option<ExcludedWords>,
    /// What documents share without the cap, if nothing but the cap is excluded.
    pub uncapped: Option<Overlaps>,
    /// The plan that was carried out: `sort`, `spill`, `spex` or `spex+spill`.
    pub plan: &'static str,
    /// The stages of the run.
    pub stages: Vec<StageTiming>,
}

/// Relates all documents of `source` to one another.
///
/// # Errors
/// If a strategy lacks what it needs, temporary data cannot be written, the run is stopped, or it
/// is strict and a document cannot be read.
pub fn discover(
    source: &mut dyn Source,
    settings: &Settings,
    control: &RunControl,
) -> Result<Discovery, Error> {
    let mut clock = Clock::start();
    let Found { collection, read, near_sets, mut found } =
        find(source, settings, control, &mut clock)?;
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
    counts.add_shared(&found.shared);
    let number = |address| found.text_number(address);
    let texts: Vec<Option<u32>> =
        read.documents.entries().map(|entry| entry.address.map(number)).collect();
    let shared = found.chunks.take().map(|chunks| SharedText {
        shared: found.shared.clone(),
        chunks,
        texts: texts.clone(),
        analysis: AnalysisConfig::new(settings),
    });
    // Where nothing but the cap excludes, what it leaves out need not be read for again.
    let uncapped = (settings.max_df.is_some() && !settings.excludes_words())
        .then(|| Overlaps::new(found.shared.clone(), texts.clone()));
    let (capped, aside) = set_aside(&mut found.shared, &texts, settings);

    control.progress.begin("scoring pairs", 0);
    let graph_settings = GraphSettings {
        measure: settings.score,
        threshold: settings.threshold,
        counting: settings.counting,
        threads,
        max_blocks: settings.max_blocks.unwrap_or_else(|| max_blocks(settings.memory_budget())),
        max_additions: settings.max_additions,
    };
    let graph = Graph::new(&found.shared, texts, graph_settings, &|| control.stop.is_requested())?;
    clock.stage("pairs", 0);

    let near_copies = near_sets.map(|sets| documents_of(&sets, &read.documents));
    Ok(Discovery {
        near_copies,
        shared,
        documents: read.documents,
        graph,
        problems: read.problems,
        notes: read.notes,
        counts,
        capped,
        common_words: aside,
        uncapped,
        plan: collection.plan_name(),
        stages: clock.stages,
    })
}

/// What any two documents of `source` share under `settings`, with no pair looked for.
///
/// Of the settings [without exclusions](Settings::without_exclusions) this gives the raw counts of
/// pairs that a discovery with exclusions found.
///
/// # Errors
/// As [`discover`].
pub fn overlaps(
    source: &mut dyn Source,
    settings: &Settings,
    control: &RunControl,
) -> Result<Overlaps, Error> {
    // Every chunk counts, whichever would lead to a pair; and problems were told before.
    let settings = Settings {
        select: Selection::default(),
        imatch: None,
        keep_chunks: KeepChunks::None,
        is_strict: false,
        ..settings.clone()
    };
    let shared = shared(source, &settings, control)?;
    let mut overlaps = Overlaps::new(shared.chunks, shared.texts);
    overlaps.excluded = shared.common_words;
    Ok(overlaps)
}

/// What the documents of a source share, with no pair looked for.
pub(crate) struct Shared {
    /// The documents, in input order.
    pub(crate) documents: Documents,
    /// The documents that could not be read, in input order.
    pub(crate) problems: Vec<Problem>,
    /// The documents that have notes, in input order.
    pub(crate) notes: Vec<DocumentNotes>,
    /// What their texts share, without what the cap left out.
    pub(crate) chunks: SharedChunks,
    /// The text of each document; `None` for one without tokens.
    pub(crate) texts: Vec<Option<u32>>,
    /// What the user's cap left out.
    pub(crate) capped: Option<CapStats>,
    /// The words of each document that it set aside.
    pub(crate) common_words: Option<ExcludedWords>,
}

/// Reads `source` and finds what its documents share, without what the cap leaves out.
pub(crate) fn shared(
    source: &mut dyn Source,
    settings: &Settings,
    control: &RunControl,
) -> Result<Shared, Error> {
    let Found { read, mut found, .. } = find(source, settings, control, &mut Clock::start())?;
    let number = |address| found.text_number(address);
    let texts: Vec<Option<u32>> =
        read.documents.entries().map(|entry| entry.address.map(number)).collect();
    let (capped, aside) = set_aside(&mut found.shared, &texts, settings);
    let Ingested { documents, problems, notes, .. } = read;
    Ok(Shared {
        documents,
        problems,
        notes,
        chunks: found.shared,
        texts,
        capped,
        common_words: aside,
    })
}

/// Sets common chunks aside, if the settings say so: what that was, and the words of each document.
fn set_aside(
    shared: &mut SharedChunks,
    texts: &[Option<u32>],
    settings: &Settings,
) -> (Option<CapStats>, Option<ExcludedWords>) {
    let found = settings.max_df.map(|most| cap(shared, most));
    found.map(|(capped, words)| (capped, ExcludedWords::new(words, texts.to_vec()))).unzip()
}

/// What documents share, before pairs are scored.
struct Found {
    collection: Collection,
    read: Ingested,
    near_sets: Option<Vec<Vec<TextAddress>>>,
    found: IndexedCollection,
}

/// Reads `source` and finds what its documents share.
fn find(
    source: &mut dyn Source,
    settings: &Settings,
    control: &RunControl,
    clock: &mut Clock,
) -> Result<Found, Error> {
    let analyzer = Analyzer::new(settings)?;
    let memory = Memory { budget: settings.memory_budget(), temp_dir: settings.temp_dir.clone() };
    let collection = Collection::new(analyzer.batch_settings(), settings.plan, memory);
    let threads = settings.n_threads();

    let reader = Reader {
        threads,
        is_strict: settings.is_strict,
        progress: &control.progress,
        stop: &control.stop,
    };
    let read = ingest(source, &analyzer, &collection, reader)?;
    clock.stage("read", read.input_bytes);

    let near_sets = match settings.imatch {
        Some(imatch) => {
            let (progress, stop) = (&control.progress, &control.stop);
            let sets = near_copies(&collection, imatch, threads, progress, stop)?;
            clock.stage("imatch", 0);
            Some(sets)
        }
        None => None,
    };

    let copies = Copies::new(&read.documents);
    let copies_of = |address| copies.of(address);
    let keep = settings.keep_chunks;
    let (progress, stop) = (&control.progress, &control.stop);
    let found = find_shared(&collection, copies_of, keep, threads, progress, stop)?;
    clock.stage("index", collection.spilled());
    Ok(Found { collection, read, near_sets, found })
}

/// How many documents have each text.
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

/// How many blocks of pairs fit a quarter of the memory.
fn max_blocks(memory: u64) -> usize {
    let blocks = memory / 4 / size_of::<textkin_graph::Block>() as u64;
    usize::try_from(blocks).unwrap_or(usize::MAX).clamp(1 << 16, u32::MAX as usize / 2)
}

/// The documents of each set of texts.
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

/// Times the stages of a run.
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
