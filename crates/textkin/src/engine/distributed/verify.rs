//! Verification of candidate pairs: compares their texts word by word.
//!
//! Texts are divided into groups by their keys. A verifier holds the texts of two groups (or one)
//! and compares the pairs between them. So each text is sent to as many verifiers as there are
//! groups, not pairs, and is tokenized once in each.

use hashbrown::{HashMap, HashTable};
use textkin_core::{Chunk, Identity, Measure, Overlap};
use textkin_graph::Rarity;

use super::common::CommonChunks;
use super::error::Error;
use super::pairs::CandidatePair;
use super::prepare::{TextPreparer, check};

/// Holds texts and verifies pairs among them.
#[derive(Debug)]
pub struct PairVerifier {
    preparer: TextPreparer,
    measure: Measure,
    threshold: f64,
    common_chunks: CommonChunks,
    texts: HashMap<i64, VerifierText>,
    /// The numbers of chunks, by hash.
    numbers: HashTable<u32>,
    /// The first occurrence of each chunk.
    firsts: Vec<ChunkOccurrence>,
    /// The words of all texts, concatenated.
    words: Vec<u8>,
    /// For each chunk, the last pair for which it was marked.
    marks: Vec<u64>,
    n_pairs: u64,
}

/// A text with its chunks, in order.
#[derive(Debug)]
struct VerifierText {
    words: u64,
    /// Distinct chunks.
    n_chunks: u64,
    chunks: Vec<ChunkPosition>,
}

#[derive(Clone, Copy, Debug)]
struct ChunkPosition {
    number: u32,
    first: u32,
    count: u32,
}

#[derive(Clone, Copy, Debug)]
struct ChunkOccurrence {
    hash: u64,
    start: usize,
    end: usize,
    /// Number of documents that contain the chunk, if it is common; else 0.
    common: u32,
}

/// A verified pair of texts that is an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerifiedPair {
    /// The key of the first text, the smaller one.
    pub a: i64,
    /// The key of the second text.
    pub b: i64,
    /// The score.
    pub score: f64,
    /// The complete overlap.
    pub overlap: Overlap,
}

impl PairVerifier {
    /// Creates a verifier for pairs that reach `threshold` by `measure`; `common_chunks` are not
    /// part of their sums yet.
    #[must_use]
    pub fn new(
        preparer: TextPreparer,
        measure: Measure,
        threshold: f64,
        common_chunks: CommonChunks,
    ) -> Self {
        Self {
            preparer,
            measure,
            threshold,
            common_chunks,
            texts: HashMap::new(),
            numbers: HashTable::new(),
            firsts: Vec::new(),
            words: Vec::new(),
            marks: Vec::new(),
            n_pairs: 0,
        }
    }

    /// Removes all texts, to start with the next groups.
    pub fn clear(&mut self) {
        self.texts.clear();
        self.numbers.clear();
        self.firsts.clear();
        self.words.clear();
        self.marks.clear();
        self.n_pairs = 0;
    }

    /// Adds the text with `key`.
    ///
    /// # Errors
    /// If the words do not match the key.
    pub fn add(&mut self, key: i64, text: &str) -> Result<(), Error> {
        if self.texts.contains_key(&key) {
            return Ok(());
        }
        let settings = self.preparer.analyzer.batch_settings();
        let mask = settings.hash_mask();
        let base = self.words.len();
        let (found, tokens, chunks) = self.preparer.chunk(text);
        if found != key {
            return Err(Error::Changed(key));
        }
        self.words.extend_from_slice(tokens.normalized());
        let words = &self.words;
        let mut positions = Vec::with_capacity(chunks.len());
        for &Chunk { hash, first, count, start, end } in chunks {
            let hash = match settings.identity {
                Identity::Bytes => hash,
                Identity::Hash => hash & mask,
            };
            let (start, end) = (base + start as usize, base + end as usize);
            let mut new = ChunkOccurrence { hash, start, end, common: 0 };
            let is_same = |&number: &u32| {
                let known = self.firsts[number as usize];
                let bytes = |first: ChunkOccurrence| &words[first.start..first.end];
                known.hash == hash
                    && (settings.identity == Identity::Hash || bytes(known) == bytes(new))
            };
            let number = match self.numbers.find(hash, is_same) {
                Some(&number) => number,
                None => {
                    let number =
                        u32::try_from(self.firsts.len()).map_err(|_| Error::TooMany("chunks"))?;
                    if !self.common_chunks.is_empty() {
                        let check = check(settings.identity, &words[start..end]);
                        new.common = self.common_chunks.documents_of(hash & mask, check);
                    }
                    self.firsts.push(new);
                    let firsts = &self.firsts;
                    let rehash = |&number: &u32| firsts[number as usize].hash;
                    self.numbers.insert_unique(hash, number, rehash);
                    number
                }
            };
            positions.push(ChunkPosition { number, first, count });
        }
        let words = tokens.len() as u64;
        self.marks.resize(self.firsts.len(), 0);
        self.n_pairs += 1;
        let n_chunks = self.mark(&positions);
        self.texts.insert(key, VerifierText { words, n_chunks, chunks: positions });
        Ok(())
    }

    /// Marks the chunks at `positions` for the current pair, and returns how many are distinct.
    fn mark(&mut self, positions: &[ChunkPosition]) -> u64 {
        let mut distinct = 0;
        for position in positions {
            let mark = &mut self.marks[position.number as usize];
            distinct += u64::from(*mark != self.n_pairs);
            *mark = self.n_pairs;
        }
        distinct
    }

    /// Compares the texts of `pair`; returns the edge if it is one.
    ///
    /// # Errors
    /// If a text is missing, or the number of shared chunks differs from the sums.
    pub fn verify(&mut self, pair: &CandidatePair) -> Result<Option<VerifiedPair>, Error> {
        let take = |texts: &mut HashMap<i64, VerifierText>, key: i64| {
            texts.remove(&key).ok_or(Error::Missing(key))
        };
        let a = take(&mut self.texts, pair.a)?;
        let b = take(&mut self.texts, pair.b);
        let b = match b {
            Ok(b) => b,
            Err(error) => {
                self.texts.insert(pair.a, a);
                return Err(error);
            }
        };
        let compared = self.compare(pair, &a, &b);
        self.texts.insert(pair.a, a);
        self.texts.insert(pair.b, b);
        let overlap = compared?;
        let score = self.measure.score(&overlap);
        let edge = VerifiedPair { a: pair.a, b: pair.b, score, overlap };
        Ok((score >= self.threshold).then_some(edge))
    }

    fn compare(
        &mut self,
        pair: &CandidatePair,
        a: &VerifierText,
        b: &VerifierText,
    ) -> Result<Overlap, Error> {
        self.n_pairs += 1;
        self.mark(&b.chunks);
        let (covered_a, longest_a) = self.covered(&a.chunks);
        self.n_pairs += 1;
        self.mark(&a.chunks);
        let (covered_b, longest_b) = self.covered(&b.chunks);
        let longest_run = longest_a.min(longest_b);
        // Chunks of `b` that are marked for `a` are shared; unmarking them counts each once.
        let (mut shared, mut common, mut rarity) = (0, 0, pair.rarity);
        for position in &b.chunks {
            let mark = &mut self.marks[position.number as usize];
            if *mark == self.n_pairs {
                match self.firsts[position.number as usize].common {
                    0 => shared += 1,
                    documents => {
                        common += 1;
                        rarity += Rarity::of_chunks(1, documents);
                    }
                }
            }
            *mark = 0;
        }
        let counted = pair.overlap;
        let sizes = [a.words, b.words, a.n_chunks, b.n_chunks];
        if shared != counted.shared
            || sizes != [counted.words_a, counted.words_b, counted.chunks_a, counted.chunks_b]
        {
            let (words, counted) = (shared, counted.shared);
            return Err(Error::CountMismatch { a: pair.a, b: pair.b, words, counted });
        }
        let (shared, rarity) = (shared + common, Rarity::to_f64(rarity));
        Ok(Overlap { shared, rarity, covered_a, covered_b, longest_run, ..counted })
    }

    /// Returns the number of tokens covered by marked chunks, and of the longest run without a gap.
    fn covered(&self, positions: &[ChunkPosition]) -> (u64, u64) {
        let (mut covered, mut end, mut start, mut longest) = (0, 0, 0, 0);
        for position in positions {
            if self.marks[position.number as usize] == self.n_pairs {
                let first = u64::from(position.first);
                let last = first + u64::from(position.count);
                covered += last.saturating_sub(end.max(first));
                start = if first > end { first } else { start };
                end = end.max(last);
                longest = longest.max(end - start);
            }
        }
        (covered, longest)
    }
}
