//! Preparation of texts: computes everything that later steps need of a text.

use textkin_core::{Chunk, Identity, Tokens};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::counters::RunCounter;
use super::error::Error;
use crate::analyzer::Analyzer;
use crate::ingest::digest;
use crate::settings::Settings;

/// Prepares texts; each thread needs its own.
#[derive(Debug)]
pub struct TextPreparer {
    pub(super) analyzer: Analyzer,
    /// The seed of keys; changed if two texts have the same key.
    seed: u64,
    tokens: Tokens,
    chunks: Vec<Chunk>,
    selection: Vec<u32>,
    prepared: Vec<PreparedChunk>,
    flags: Vec<bool>,
}

/// A chunk: fingerprint, check, and whether it is selected.
type PreparedChunk = (u64, u32, bool);

/// A text, prepared for later steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreparedText {
    /// The key of the text: 64 bits of the digest.
    pub key: i64,
    /// 128 bits of a cryptographic digest of the words, which identifies equal texts.
    pub digest: [u8; 16],
    /// Number of tokens. A text without tokens is not compared.
    pub words: u32,
    /// Number of distinct chunks.
    pub chunks: u32,
    /// The hashes of the distinct chunks that other texts may contain as well, ascending, as signed
    /// numbers with the same bits.
    pub fingerprints: Vec<i64>,
    /// For each, 32 bits of another hash of its bytes; 0 if chunks are identified by hash.
    pub checks: Vec<i32>,
    /// For each, whether it is selected; `None` if all are.
    pub selected: Option<Vec<bool>>,
}

impl TextPreparer {
    /// Creates a preparer for `settings`; `seed` determines the keys.
    ///
    /// # Errors
    /// If a strategy cannot be built, or needs the whole collection.
    pub fn new(settings: &Settings, seed: u64) -> Result<Self, Error> {
        for kind in settings.select.kinds() {
            if kind.needs_collection() || kind.file().is_some() {
                return Err(Error::Selector(kind.to_string()));
            }
        }
        let analyzer = Analyzer::new(settings)?;
        let tokens = analyzer.tokens();
        Ok(Self {
            analyzer,
            seed,
            tokens,
            chunks: Vec::new(),
            selection: Vec::new(),
            prepared: Vec::new(),
            flags: Vec::new(),
        })
    }

    /// Prepares `text`. With `counter`, chunks that are certainly unique are counted but not
    /// listed.
    #[expect(clippy::cast_possible_truncation, reason = "a text is limited to 4 GiB")]
    pub fn prepare(&mut self, text: &str, counter: Option<&RunCounter>) -> PreparedText {
        let (digest, key) = self.tokenize(text);
        self.analyzer.chunk(&self.tokens, &mut self.chunks, &mut self.selection);
        let settings = self.analyzer.batch_settings();
        let normalized = self.tokens.normalized();
        self.flags.clear();
        match counter {
            Some(counter) if settings.overlapping_words.is_some() => {
                counter.may_repeat(self.tokens.hashes(), &mut self.flags);
            }
            _ => {}
        }
        self.flags.resize(self.chunks.len(), true);
        // Distinct chunks are counted before unique ones are dropped.
        self.prepared.clear();
        let mut selected = self.selection.iter().copied().peekable();
        for (index, chunk) in (0u32..).zip(&self.chunks) {
            let is_selected = selected.next_if_eq(&index).is_some();
            let bytes = &normalized[chunk.start as usize..chunk.end as usize];
            let check = check(settings.identity, bytes);
            self.prepared.push((chunk.hash & settings.hash_mask(), check, is_selected));
        }
        let n_chunks = |chunks: &mut Vec<PreparedChunk>| {
            // Of equal chunks, a selected one comes first.
            chunks.sort_unstable_by_key(|&(hash, check, selected)| (hash, check, !selected));
            chunks.dedup_by_key(|&mut (hash, check, _)| (hash, check));
            chunks.len() as u32
        };
        let chunks = if self.flags.iter().all(|&flag| flag) {
            n_chunks(&mut self.prepared)
        } else {
            let mut all = self.prepared.clone();
            let mut flags = self.flags.iter();
            self.prepared.retain(|_| flags.next().is_none_or(|&flag| flag));
            n_chunks(&mut self.prepared);
            n_chunks(&mut all)
        };
        let words = self.tokens.len() as u32;
        let selected =
            settings.selective.then(|| self.prepared.iter().map(|chunk| chunk.2).collect());
        let fingerprints = self.prepared.iter().map(|chunk| chunk.0.cast_signed()).collect();
        let checks = self.prepared.iter().map(|chunk| chunk.1.cast_signed()).collect();
        PreparedText { key, digest, words, chunks, fingerprints, checks, selected }
    }

    /// Counts the runs of words of `text`.
    pub fn count(&mut self, text: &str, counter: &RunCounter) {
        self.analyzer.tokenize(text, &mut self.tokens);
        counter.count(self.tokens.hashes());
    }

    /// Creates a counter of about `bytes` bytes for these settings; `None` if chunks are not all
    /// runs of the same number of words.
    #[must_use]
    pub fn counter(&self, bytes: u64) -> Option<RunCounter> {
        self.analyzer.batch_settings().overlapping_words.map(|k| RunCounter::new(k, bytes))
    }

    /// Tokenizes `text` into the buffer and returns its digest and key.
    fn tokenize(&mut self, text: &str) -> ([u8; 16], i64) {
        self.analyzer.tokenize(text, &mut self.tokens);
        let digest = digest(&self.tokens).to_le_bytes();
        (digest, key(&digest, self.seed))
    }

    /// Returns the key, the tokens and the chunks of `text`.
    pub(super) fn chunk(&mut self, text: &str) -> (i64, &Tokens, &[Chunk]) {
        let (_, key) = self.tokenize(text);
        self.analyzer.chunk(&self.tokens, &mut self.chunks, &mut self.selection);
        (key, &self.tokens, &self.chunks)
    }
}

/// Returns the check of a chunk: 32 bits of another hash of its bytes, to distinguish colliding
/// chunks.
#[expect(clippy::cast_possible_truncation, reason = "the low bits are wanted")]
pub(super) fn check(identity: Identity, bytes: &[u8]) -> u32 {
    match identity {
        Identity::Bytes => xxh3_64(bytes) as u32,
        Identity::Hash => 0,
    }
}

/// Returns the key of a text: a hash of its digest that depends on the seed.
fn key(digest: &[u8; 16], seed: u64) -> i64 {
    xxh3_64_with_seed(digest, seed).cast_signed()
}
