//! The settings of a run.

use std::path::PathBuf;

use textkin_core::Measure;
use textkin_core::hash::HashKind;
use textkin_graph::{Counting, ListingRules};
use textkin_index::{ImatchSettings, KeepChunks, Plan};
use textkin_text::grammar::{ChunkerKind, Resources, Selection};
use textkin_text::tokenizer::Normalization;

use crate::defaults::DEFAULT_THRESHOLD;

/// The settings of a run: how documents are compared, and the resources that it may use.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How text becomes tokens.
    pub normalization: Normalization,
    /// Texts whose passages are excluded wherever they occur.
    pub templates: Vec<String>,
    /// Documents with fewer words are treated as empty.
    pub min_words: u32,
    /// How tokens become chunks.
    pub chunk: ChunkerKind,
    /// How chunks are hashed.
    pub hash: HashKind,
    /// Which chunks lead to a pair, and which an index of shared chunks has.
    pub select: Selection,
    /// Which chunks scores use.
    pub scored: ScoredChunks,
    /// What happens to exact copies.
    pub exact_copies: CopyPolicy,
    /// What happens to the near-duplicates that I-Match finds: with [`CopyPolicy::Merge`], they have the
    /// shared text of the first of their set.
    pub near_copies: CopyPolicy,
    /// Word lists and frequencies that selectors need.
    pub resources: Resources,
    /// The rule that scores a pair.
    pub score: Measure,
    /// The minimum score of an edge.
    pub threshold: f64,
    /// What lists a pair besides its score; `None` if only the score does.
    pub rules: Option<ListingRules>,
    /// Which documents form pairs.
    pub pairing: Pairing,
    /// How the shared chunks of pairs are counted.
    pub counting: Counting,
    /// Settings of I-Match, which finds near-duplicates before any chunk is compared; `None`
    /// disables it.
    pub imatch: Option<ImatchSettings>,
    /// Chunks that occur in more documents than this are excluded.
    pub max_df: Option<u32>,
    /// The algorithm for finding shared chunks.
    pub plan: Plan,
    /// The memory limit in bytes; half of the machine's memory by default.
    pub memory: Option<u64>,
    /// The folder for data that does not fit in memory.
    pub temp_dir: PathBuf,
    /// Number of threads; all cores by default.
    pub threads: Option<usize>,
    /// What to keep of each shared chunk, to write an index file.
    pub keep_chunks: KeepChunks,
    /// Whether to keep where shared chunks occur, for
    /// [`passage_clusters`](crate::engine::passage_clusters()).
    pub keeps_passages: bool,
    /// Whether a document that cannot be read ends the run.
    pub is_strict: bool,
    /// Limits of the algorithms, which tests change to reach every path.
    pub tuning: Tuning,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            normalization: Normalization::default(),
            templates: Vec::new(),
            min_words: 0,
            chunk: ChunkerKind::default(),
            hash: HashKind::default(),
            select: Selection::default(),
            scored: ScoredChunks::default(),
            exact_copies: CopyPolicy::Merge,
            near_copies: CopyPolicy::Index,
            resources: Resources::default(),
            score: Measure::default(),
            threshold: DEFAULT_THRESHOLD,
            rules: Some(ListingRules::default()),
            pairing: Pairing::default(),
            counting: Counting::default(),
            imatch: None,
            max_df: None,
            plan: Plan::default(),
            memory: None,
            temp_dir: std::env::temp_dir(),
            threads: None,
            keep_chunks: KeepChunks::None,
            keeps_passages: false,
            is_strict: false,
            tuning: Tuning::default(),
        }
    }
}

/// Which chunks scores use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoredChunks {
    /// All chunks of the pairs that the selected chunks find.
    #[default]
    All,
    /// Selected chunks only, as in DECO: all others are dropped as soon as a document is read.
    Selected,
}

impl ScoredChunks {
    /// Both, in display order.
    pub const ALL: [Self; 2] = [Self::All, Self::Selected];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Selected => "selected",
        }
    }
}

/// What happens to copies of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CopyPolicy {
    /// Only the first is indexed; the others are listed with it.
    #[default]
    Merge,
    /// Each is indexed like any other text.
    Index,
}

impl CopyPolicy {
    /// Both, in display order.
    pub const ALL: [Self; 2] = [Self::Merge, Self::Index];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Index => "index",
        }
    }
}

/// Which documents form pairs. Scores are those of all documents together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pairing {
    /// Every two documents.
    #[default]
    All,
    /// Documents of different [parts](textkin_core::Source::part) of the source.
    AcrossParts,
    /// Documents that differ in this metadata field. Those without the field do not differ from one
    /// another. The source must keep metadata.
    AcrossField(String),
}

/// Limits of the algorithms. They affect speed and memory, never results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Number of bits of each chunk hash, at most 64; with fewer, more chunks collide and are verified.
    pub hash_bits: u32,
    /// Maximum number of blocks of pairs in memory; derived from the memory limit by default.
    pub max_blocks: Option<usize>,
    /// Number of additions before common text is counted separately.
    pub max_additions: u64,
    /// Bytes of a text that is read in parts.
    pub large_text: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { hash_bits: 64, max_blocks: None, max_additions: 1 << 30, large_text: 16 << 20 }
    }
}

impl Settings {
    /// Returns these settings without exclusions: no excluded parts, templates or common chunks.
    #[must_use]
    pub fn without_exclusions(&self) -> Self {
        Self {
            normalization: self.normalization.clone().without_exclusions(),
            templates: Vec::new(),
            max_df: None,
            ..self.clone()
        }
    }

    /// Returns whether parts of texts or templates are excluded.
    #[must_use]
    pub fn excludes_words(&self) -> bool {
        !self.templates.is_empty()
            || self.normalization.clone().without_exclusions() != self.normalization
    }

    /// Returns whether anything is excluded, so that there are two scores: raw and after
    /// exclusions.
    #[must_use]
    pub fn excludes(&self) -> bool {
        self.excludes_words() || self.max_df.is_some()
    }

    /// Returns the number of threads to use.
    #[must_use]
    pub fn n_threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores).max(1)
    }

    /// Returns the memory limit in bytes.
    #[must_use]
    pub fn memory_budget(&self) -> u64 {
        self.memory.unwrap_or_else(|| machine_memory() / 2)
    }
}

/// Returns the memory of this machine in bytes, or 8 GiB if it is unknown.
fn machine_memory() -> u64 {
    let kilobytes = |line: &str| line.split_whitespace().nth(1)?.parse::<u64>().ok();
    let total = std::fs::read_to_string("/proc/meminfo").ok().and_then(|info| {
        info.lines().find(|line| line.starts_with("MemTotal:")).and_then(kilobytes)
    });
    total.map_or(8 << 30, |kilobytes| kilobytes * 1024)
}
