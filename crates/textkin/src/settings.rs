//! Settings: what the user wrote.

use std::path::PathBuf;

use textkin_core::Measure;
use textkin_core::hash::HashKind;
use textkin_graph::Counting;
use textkin_index::{ImatchSettings, KeepChunks, Plan};
use textkin_text::grammar::{ChunkerKind, Resources, Selection};
use textkin_text::tokenizer::Normalization;

use crate::defaults::DEFAULT_THRESHOLD;

/// What the user wrote: how documents are compared, and with which means.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How text becomes tokens.
    pub normalization: Normalization,
    /// Texts whose words never count, wherever a chunk of them occurs.
    pub templates: Vec<String>,
    /// How tokens become chunks.
    pub chunk: ChunkerKind,
    /// How chunks are hashed.
    pub hash: HashKind,
    /// Which chunks lead to a pair. Scores are over all chunks of the pairs found.
    pub select: Selection,
    /// Word lists and counts that selectors need.
    pub resources: Resources,
    /// The rule that scores a pair.
    pub score: Measure,
    /// The least score of an edge.
    pub threshold: f64,
    /// How the shared chunks of pairs are counted.
    pub counting: Counting,
    /// Whether almost exact copies are also looked for by I-Match, before any chunk is compared.
    pub imatch: Option<ImatchSettings>,
    /// Chunks in more documents than this are set aside.
    pub max_df: Option<u32>,
    /// The way to the shared chunks.
    pub plan: Plan,
    /// Bytes of memory to stay within; half of the machine's by default.
    pub memory: Option<u64>,
    /// Where data goes that does not fit the memory.
    pub temp_dir: PathBuf,
    /// Number of threads; all cores by default.
    pub threads: Option<usize>,
    /// What is kept of each shared chunk, for an index of them.
    pub keep_chunks: KeepChunks,
    /// A document that cannot be read ends the run.
    pub is_strict: bool,
    /// Documents are those of a repository that keeps no text: their chunks are in their words.
    #[doc(hidden)]
    pub replays: bool,
    /// How many bits of each chunk hash are used: 64, fewer only to test collisions.
    #[doc(hidden)]
    pub hash_bits: u32,
    /// How many blocks of pairs are listed; by the memory, set only to test what happens beyond.
    #[doc(hidden)]
    pub max_blocks: Option<usize>,
    /// How many additions are made before common text is set aside; other than usual only to test.
    #[doc(hidden)]
    pub max_additions: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            normalization: Normalization::default(),
            templates: Vec::new(),
            chunk: ChunkerKind::default(),
            hash: HashKind::default(),
            select: Selection::default(),
            resources: Resources::default(),
            score: Measure::default(),
            threshold: DEFAULT_THRESHOLD,
            counting: Counting::default(),
            imatch: None,
            max_df: None,
            plan: Plan::default(),
            memory: None,
            temp_dir: std::env::temp_dir(),
            threads: None,
            keep_chunks: KeepChunks::None,
            is_strict: false,
            replays: false,
            hash_bits: 64,
            max_blocks: None,
            max_additions: 1 << 30,
        }
    }
}

impl Settings {
    /// The same settings with nothing excluded: no part of a text, no template, no cap.
    #[must_use]
    pub fn without_exclusions(&self) -> Self {
        Self {
            normalization: self.normalization.clone().without_exclusions(),
            templates: Vec::new(),
            max_df: None,
            ..self.clone()
        }
    }

    /// Whether words of texts are excluded: parts of them, or templates.
    #[must_use]
    pub fn excludes_words(&self) -> bool {
        !self.templates.is_empty()
            || self.normalization.clone().without_exclusions() != self.normalization
    }

    /// Whether anything is excluded, so that there are two scores: raw and after exclusions.
    #[must_use]
    pub fn excludes(&self) -> bool {
        self.excludes_words() || self.max_df.is_some()
    }

    /// Number of threads to use.
    #[must_use]
    pub fn n_threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores).max(1)
    }

    /// Bytes of memory to stay within.
    #[must_use]
    pub fn memory_budget(&self) -> u64 {
        self.memory.unwrap_or_else(|| machine_memory() / 2)
    }
}

/// Bytes of memory of this machine, 8 GiB where it cannot be told.
fn machine_memory() -> u64 {
    let kilobytes = |line: &str| line.split_whitespace().nth(1)?.parse::<u64>().ok();
    let total = std::fs::read_to_string("/proc/meminfo").ok().and_then(|info| {
        info.lines().find(|line| line.starts_with("MemTotal:")).and_then(kilobytes)
    });
    total.map_or(8 << 30, |kilobytes| kilobytes * 1024)
}
