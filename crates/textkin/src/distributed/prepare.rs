//! Documents to prepared texts: what later steps know of a text.

use textkin_core::{Chunk, Identity, Tokens};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::counters::RunCounter;
use super::error::Error;
use crate::analyzer::Analyzer;
use crate::ingest::digest;
use crate::settings::Settings;

/// Makes prepared texts; one for each thread.
#[derive(Debug)]
pub struct TextPreparer {
    pub(super) analyzer: Analyzer,
    /// Of what keys are made; another one where two texts have the same key.
    seed: u64,
    tokens: Tokens,
    chunks: Vec<Chunk>,
    selection: Vec<u32>,
    found: Vec<PreparedChunk>,
    flags: Vec<bool>,
}

/// A chunk: fingerprint, check, and whether it is selected.
type PreparedChunk = (u64, u32, bool);

/// What later steps know of a document and its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreparedText {
    /// The key of the text: 64 bits of the digest.
    pub key: i64,
    /// 128 bits of a cryptographic digest of the words: equal texts are told by it.
    pub digest: [u8; 16],
    /// Its tokens. Without any, there is nothing to compare.
    pub words: u32,
    /// Its distinct chunks.
    pub chunks: u32,
    /// The distinct chunks that may be in other texts too, ascending: their hashes, as signed numbers of
    /// the same bits.
    pub fingerprints: Vec<i64>,
    /// For each, 32 bits of another hash of its bytes; 0 where the hash is the identity.
    pub checks: Vec<i32>,
    /// For each, whether the selector keeps it; `None` if it keeps all.
    pub selected: Option<Vec<bool>>,
}

impl TextPreparer {
    /// Of `settings`, with keys after `seed`.
    ///
    /// # Errors
    /// If a strategy cannot be built, or needs what only the whole collection knows.
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
            found: Vec::new(),
            flags: Vec::new(),
        })
    }

    /// Prepares `text`. With `counter`, chunks that it knows to be unique are counted and left out.
    #[expect(clippy::cast_possible_truncation, reason = "a text is bounded to 4 GiB")]
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
        // What is left out has the check of no other chunk's fingerprint but its own: it is counted
        // before it goes.
        self.found.clear();
        let mut selected = self.selection.iter().copied().peekable();
        for (index, chunk) in (0u32..).zip(&self.chunks) {
            let is_selected = selected.next_if_eq(&index).is_some();
            let bytes = &normalized[chunk.start as usize..chunk.end as usize];
            let check = check(settings.identity, bytes);
            self.found.push((chunk.hash & settings.hash_mask(), check, is_selected));
        }
        let n_chunks = |found: &mut Vec<PreparedChunk>| {
            // Of equal chunks, a selected one comes first.
            found.sort_unstable_by_key(|&(hash, check, selected)| (hash, check, !selected));
            found.dedup_by_key(|&mut (hash, check, _)| (hash, check));
            found.len() as u32
        };
        let chunks = if self.flags.iter().all(|&flag| flag) {
            n_chunks(&mut self.found)
        } else {
            let mut all = self.found.clone();
            let mut flags = self.flags.iter();
            self.found.retain(|_| flags.next().is_none_or(|&flag| flag));
            n_chunks(&mut self.found);
            n_chunks(&mut all)
        };
        let words = self.tokens.len() as u32;
        let selected = settings.selective.then(|| self.found.iter().map(|found| found.2).collect());
        let fingerprints = self.found.iter().map(|found| found.0.cast_signed()).collect();
        let checks = self.found.iter().map(|found| found.1.cast_signed()).collect();
        PreparedText { key, digest, words, chunks, fingerprints, checks, selected }
    }

    /// Counts the runs of words of `text`.
    pub fn count(&mut self, text: &str, counter: &RunCounter) {
        self.analyzer.tokenize(text, &mut self.tokens);
        counter.count(self.tokens.hashes());
    }

    /// A counter of about `bytes` bytes for these settings; `None` where chunks are not all runs of so
    /// many words.
    #[must_use]
    pub fn counter(&self, bytes: u64) -> Option<RunCounter> {
        self.analyzer.batch_settings().overlapping_words.map(|k| RunCounter::new(k, bytes))
    }

    /// Tokenises `text` into the buffer: its digest and key.
    fn tokenize(&mut self, text: &str) -> ([u8; 16], i64) {
        self.analyzer.tokenize(text, &mut self.tokens);
        let digest = digest(&self.tokens).to_le_bytes();
        (digest, key(&digest, self.seed))
    }

    /// The key of `text`, whose tokens and chunks are then at hand.
    pub(super) fn chunk(&mut self, text: &str) -> (i64, &Tokens, &[Chunk]) {
        let (_, key) = self.tokenize(text);
        self.analyzer.chunk(&self.tokens, &mut self.chunks, &mut self.selection);
        (key, &self.tokens, &self.chunks)
    }
}

/// What tells chunks apart whose hashes collide: 32 bits of another hash of their bytes.
#[expect(clippy::cast_possible_truncation, reason = "the low bits are wanted")]
pub(super) fn check(identity: Identity, bytes: &[u8]) -> u32 {
    match identity {
        Identity::Bytes => xxh3_64(bytes) as u32,
        Identity::Hash => 0,
    }
}

/// The key of a text: bits of its digest, other ones for every seed.
fn key(digest: &[u8; 16], seed: u64) -> i64 {
    xxh3_64_with_seed(digest, seed).cast_signed()
}
