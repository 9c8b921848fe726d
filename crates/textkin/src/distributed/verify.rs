//! A cell: some texts and the pairs among them, compared word by word.
//!
//! Texts fall into groups by their keys, and a cell holds the texts of two groups (or one) that are in
//! pairs between the two: each text is handed to as many cells as there are groups, not pairs, and
//! is cut into words once in each.

use hashbrown::{HashMap, HashTable};
use textkin_core::{Chunk, Identity, Measure, Overlap};
use textkin_graph::Rarity;

use super::common::CommonChunks;
use super::error::Error;
use super::pairs::CandidatePair;
use super::prepare::{TextPreparer, check};

/// The texts of one cell.
#[derive(Debug)]
pub struct PairVerifier {
    preparer: TextPreparer,
    measure: Measure,
    threshold: f64,
    common_chunks: CommonChunks,
    texts: HashMap<i64, Text>,
    /// The numbers of chunks, by their hashes.
    numbers: HashTable<u32>,
    /// The first occurrence of each chunk.
    firsts: Vec<First>,
    /// The words of all texts, one after the other.
    words: Vec<u8>,
    /// For each chunk, the pair whose other side has it.
    marks: Vec<u64>,
    n_pairs: u64,
}

/// A text, its chunks in order.
#[derive(Debug)]
struct Text {
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
struct First {
    hash: u64,
    start: usize,
    end: usize,
    /// Documents that have it, if it is common; else 0.
    common: u32,
}

/// A pair of texts that is an edge, with all that is known of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerifiedPair {
    /// The text with the lesser key.
    pub a: i64,
    /// The other text.
    pub b: i64,
    /// The chosen measure of the overlap.
    pub score: f64,
    /// What they share.
    pub overlap: Overlap,
}

impl PairVerifier {
    /// For pairs that reach `threshold` by `measure`; `common_chunks` are not in their sums yet.
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

    /// Forgets all texts: the next cell begins.
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
    /// If it has other words than the key says.
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
        let mut places = Vec::with_capacity(chunks.len());
        for &Chunk { hash, first, count, start, end } in chunks {
            let hash = match settings.identity {
                Identity::Bytes => hash,
                Identity::Hash => hash & mask,
            };
            let (start, end) = (base + start as usize, base + end as usize);
            let mut new = First { hash, start, end, common: 0 };
            let is_same = |&number: &u32| {
                let known = self.firsts[number as usize];
                let bytes = |first: First| &words[first.start..first.end];
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
            places.push(ChunkPosition { number, first, count });
        }
        let words = tokens.len() as u64;
        self.marks.resize(self.firsts.len(), 0);
        self.n_pairs += 1;
        let n_chunks = self.mark(&places);
        self.texts.insert(key, Text { words, n_chunks, chunks: places });
        Ok(())
    }

    /// Marks the chunks of `places` for the pair at hand: how many different ones there are.
    fn mark(&mut self, places: &[ChunkPosition]) -> u64 {
        let mut distinct = 0;
        for place in places {
            let mark = &mut self.marks[place.number as usize];
            distinct += u64::from(*mark != self.n_pairs);
            *mark = self.n_pairs;
        }
        distinct
    }

    /// Compares the texts of `pair`: the edge, if it is one.
    ///
    /// # Errors
    /// If a text is missing, or the words do not bear out what was counted.
    pub fn verify(&mut self, pair: &CandidatePair) -> Result<Option<VerifiedPair>, Error> {
        let take = |texts: &mut HashMap<i64, Text>, key: i64| {
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

    fn compare(&mut self, pair: &CandidatePair, a: &Text, b: &Text) -> Result<Overlap, Error> {
        self.n_pairs += 1;
        self.mark(&b.chunks);
        let covered_a = self.covered(&a.chunks);
        self.n_pairs += 1;
        self.mark(&a.chunks);
        let covered_b = self.covered(&b.chunks);
        // What is marked for `a` and stands in `b` is shared; unmarked, it is counted once.
        let (mut shared, mut common, mut rarity) = (0, 0, pair.rarity);
        for place in &b.chunks {
            let mark = &mut self.marks[place.number as usize];
            if *mark == self.n_pairs {
                match self.firsts[place.number as usize].common {
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
        Ok(Overlap { shared, rarity, covered_a, covered_b, ..counted })
    }

    /// Tokens in chunks that are marked.
    fn covered(&self, places: &[ChunkPosition]) -> u64 {
        let (mut covered, mut end) = (0, 0);
        for place in places {
            if self.marks[place.number as usize] == self.n_pairs {
                let last = u64::from(place.first) + u64::from(place.count);
                covered += last.saturating_sub(end.max(u64::from(place.first)));
                end = end.max(last);
            }
        }
        covered
    }
}
