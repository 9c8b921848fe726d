//! Sums of the shared chunks of pairs of texts, first over some lists and then over all of them.

use hashbrown::HashMap;
use textkin_core::chunk::mix;
use textkin_core::{Measure, Overlap};
use textkin_graph::Rarity;

use super::common::CommonCutoff;
use super::error::Error;
use super::lists::item;
use super::text_table::{self, TextSizes, TextTable, TextTableWriter};
use super::wire::{WireReader, push, push_wide};
use super::{BucketBytes, bucket};

/// A partial sum of the shared chunks of two texts. Integers, so that the order of addition does
/// not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PairSum {
    chunks: u64,
    rarity: u128,
    /// Whether a chunk is selected in both.
    is_selected: bool,
}

impl PairSum {
    fn add(&mut self, other: Self) {
        self.chunks += other.chunks;
        self.rarity += other.rarity;
        self.is_selected |= other.is_selected;
    }
}

/// Sums by pair of texts, the text with the smaller key first. A text with copies is also paired
/// with itself.
#[derive(Debug, Default)]
struct PairSums {
    texts: TextTable,
    sums: HashMap<(u32, u32), PairSum>,
}

impl PairSums {
    fn add(&mut self, a: u32, b: u32, sum: PairSum) {
        let is_ordered = self.texts.get(a).key <= self.texts.get(b).key;
        let pair = if is_ordered { (a, b) } else { (b, a) };
        self.sums.entry(pair).or_default().add(sum);
    }

    /// Returns all pairs, sorted by key.
    fn sorted(&self) -> Vec<(TextSizes, TextSizes, PairSum)> {
        let mut sums = Vec::with_capacity(self.sums.len());
        for (&(a, b), &sum) in &self.sums {
            sums.push((self.texts.get(a), self.texts.get(b), sum));
        }
        sums.sort_unstable_by_key(|(a, b, _)| (a.key, b.key));
        sums
    }
}

/// Counts the pairs of work items.
#[derive(Debug)]
pub struct PairCounter {
    n_buckets: u32,
    max_pairs: usize,
    sums: PairSums,
}

impl PairCounter {
    /// Creates a counter for `n_buckets` buckets of pairs that holds about `max_pairs` pairs at a
    /// time.
    #[must_use]
    pub fn new(n_buckets: u32, max_pairs: usize) -> Self {
        Self { n_buckets: n_buckets.max(1), max_pairs, sums: PairSums::default() }
    }

    /// Counts the pairs of the work item in `bytes`.
    ///
    /// # Errors
    /// If the bytes are corrupt.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut reader = WireReader::new(bytes, "lists");
        let numbers = text_table::read(&mut reader, &mut self.sums.texts)?;
        let mut items = Vec::new();
        while !reader.is_empty() {
            let (chunks, documents) = (reader.number()?, reader.number()?);
            let n = reader.count()?;
            let others = reader.count()?;
            let (is_same, m) = (others == 0, others.saturating_sub(1));
            items.clear();
            for _ in 0..n + m {
                items.push(item(&mut reader, &numbers)?);
            }
            let narrow = |number: u64| u32::try_from(number).map_err(|_| Error::TooMany("chunks"));
            let rarity = Rarity::of_chunks(narrow(chunks)?, narrow(documents)?);
            let sum = PairSum { chunks, rarity, is_selected: false };
            let (left, right) = items.split_at(n);
            for (index, &a) in left.iter().enumerate() {
                let others = if is_same { &left[index + 1..] } else { right };
                for &b in others {
                    let is_selected = a & b & 1 == 1;
                    self.sums.add(a >> 1, b >> 1, PairSum { is_selected, ..sum });
                }
                if m == 0 && self.sums.texts.get(a >> 1).copies > 1 {
                    self.sums.add(a >> 1, a >> 1, sum);
                }
            }
        }
        Ok(())
    }

    /// Returns whether it is time to [`pack`](Self::pack).
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.sums.sums.len() >= self.max_pairs
    }

    /// Returns the sums since the last call, packed by bucket of pairs.
    #[must_use]
    pub fn pack(&mut self) -> Vec<BucketBytes> {
        let texts = &self.sums.texts;
        let hash = |(a, b): (u32, u32)| {
            mix(texts.get(a).hash().wrapping_mul(31).wrapping_add(texts.get(b).hash()))
        };
        let mut sums = Vec::with_capacity(self.sums.sums.len());
        for (&pair, &sum) in &self.sums.sums {
            sums.push((bucket(hash(pair), self.n_buckets), pair, sum));
        }
        sums.sort_unstable_by_key(|&(bucket, pair, _)| (bucket, pair));
        let mut writer = TextTableWriter::new(texts);
        let mut packed = Vec::new();
        for part in sums.chunk_by(|one, other| one.0 == other.0) {
            let mut body = Vec::with_capacity(part.len() * 10);
            for &(_, (a, b), sum) in part {
                push(&mut body, u64::from(writer.index(a)));
                push(&mut body, u64::from(writer.index(b)) << 1 | u64::from(sum.is_selected));
                push_sum(&mut body, sum);
            }
            packed.push(BucketBytes { bucket: part[0].0, bytes: writer.finish(texts, &body) });
        }
        self.sums.sums.clear();
        self.sums.texts.clear();
        packed
    }
}

/// Appends a sum. If all its chunks occur in the same number of documents, that number is stored
/// instead of the rarity, since it is shorter.
fn push_sum(bytes: &mut Vec<u8>, sum: PairSum) {
    push(bytes, sum.chunks);
    let documents = Rarity::documents_of(sum.rarity, sum.chunks);
    push(bytes, u64::from(documents.unwrap_or(0)));
    if documents.is_none() {
        push_wide(bytes, sum.rarity);
    }
}

fn read_sum(reader: &mut WireReader<'_>, is_selected: bool) -> Result<PairSum, Error> {
    let (chunks, documents) = (reader.number()?, reader.small()?);
    let rarity = match documents {
        0 => reader.wide()?,
        documents => {
            let chunks = u32::try_from(chunks).map_err(|_| reader.corrupt())?;
            Rarity::of_chunks(chunks, documents)
        }
    };
    // Adding many of these must not overflow, even if the bytes are corrupt.
    if rarity >> 123 != 0 || chunks >> 60 != 0 {
        return Err(reader.corrupt());
    }
    Ok(PairSum { chunks, rarity, is_selected })
}

/// Merges all sums of one or more buckets of pairs.
#[derive(Debug)]
pub struct PairMerger {
    sums: PairSums,
    measure: Measure,
    threshold: f64,
    selective: bool,
    cutoff: Option<CommonCutoff>,
}

/// A pair of texts that may be an edge: its score reaches the threshold, or depends on covered
/// words that are not known yet. A text paired with itself represents its copies, whatever their
/// score; their overlap is complete.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidatePair {
    /// The key of the first text, the smaller one.
    pub a: i64,
    /// The key of the second text, or the same key.
    pub b: i64,
    /// The overlap without common chunks; covered words only for copies.
    pub overlap: Overlap,
    /// The exact rarity of the shared chunks.
    pub rarity: u128,
}

/// The totals of all sums, to compare with [`WorkItem::pairs`](super::WorkItem::pairs) and
/// [`WorkItem::self_pairs`](super::WorkItem::self_pairs).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairTotals {
    /// Number of pairs of different texts that share a chunk.
    pub found: u64,
    /// Number of shared chunks, once for each pair of different texts.
    pub pairs: u64,
    /// Number of shared chunks of texts that have copies.
    pub self_pairs: u64,
    /// Number of candidates among pairs of different texts.
    pub candidates: u64,
    /// Number of words of the texts of candidates, each text once.
    pub words: u64,
}

impl PairMerger {
    /// Creates a merger for pairs that reach `threshold` by `measure`. With a selector
    /// (`selective`), only pairs with a chunk that is selected in both; with a `cutoff`, common
    /// chunks are added later.
    #[must_use]
    pub fn new(
        measure: Measure,
        threshold: f64,
        selective: bool,
        cutoff: Option<CommonCutoff>,
    ) -> Self {
        Self { sums: PairSums::default(), measure, threshold, selective, cutoff }
    }

    /// Adds packed sums.
    ///
    /// # Errors
    /// If the bytes are corrupt.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut reader = WireReader::new(bytes, "pairs");
        let numbers = text_table::read(&mut reader, &mut self.sums.texts)?;
        while !reader.is_empty() {
            let a = *numbers.get(reader.small()? as usize).ok_or_else(|| reader.corrupt())?;
            let b = item(&mut reader, &numbers)?;
            let sum = read_sum(&mut reader, b & 1 == 1)?;
            self.sums.add(a, b >> 1, sum);
        }
        Ok(())
    }

    /// Returns the candidates, sorted by key, and the totals of all pairs.
    #[must_use]
    pub fn finish(self) -> (Vec<CandidatePair>, PairTotals) {
        let mut totals = PairTotals::default();
        let mut candidates = Vec::new();
        let mut words = HashMap::new();
        for (a, b, sum) in self.sums.sorted() {
            if a.key == b.key {
                totals.self_pairs += sum.chunks;
                candidates.push(copies(a, sum));
                continue;
            }
            totals.found += 1;
            totals.pairs += sum.chunks;
            if self.selective && !sum.is_selected {
                continue;
            }
            let overlap = Overlap {
                shared: sum.chunks,
                rarity: Rarity::to_f64(sum.rarity),
                words_a: u64::from(a.words),
                words_b: u64::from(b.words),
                chunks_a: u64::from(a.chunks),
                chunks_b: u64::from(b.chunks),
                ..Overlap::default()
            };
            let is_edge = || {
                // The maximum that common chunks can add.
                let common = self.cutoff.map_or(0, |cutoff| {
                    Rarity::of_chunks(a.chunks.min(b.chunks), cutoff.documents())
                });
                let upper_bound =
                    Overlap { rarity: Rarity::to_f64(sum.rarity + common), ..overlap };
                self.measure.score(&upper_bound) >= self.threshold
            };
            if self.measure.needs_coverage() || is_edge() {
                candidates.push(CandidatePair { a: a.key, b: b.key, overlap, rarity: sum.rarity });
                totals.candidates += 1;
                words.extend([a, b].map(|text| (text.key, u64::from(text.words))));
            }
        }
        totals.words = words.values().sum();
        (candidates, totals)
    }
}

/// Returns the overlap of two copies of `text` if no other text contains its chunks.
#[must_use]
pub fn copies_only(text: TextSizes) -> CandidatePair {
    copies(text, PairSum::default())
}

/// Returns the overlap of two copies of `text`; `elsewhere` is the sum of the chunks that other
/// texts contain as well.
fn copies(text: TextSizes, elsewhere: PairSum) -> CandidatePair {
    let (words, chunks) = (u64::from(text.words), u64::from(text.chunks));
    let own = chunks.saturating_sub(elsewhere.chunks);
    let own = Rarity::of_chunks(u32::try_from(own).unwrap_or(u32::MAX), text.copies);
    let rarity = elsewhere.rarity + own;
    let overlap = Overlap {
        shared: chunks,
        rarity: Rarity::to_f64(rarity),
        words_a: words,
        words_b: words,
        chunks_a: chunks,
        chunks_b: chunks,
        covered_a: words,
        covered_b: words,
        longest_run: words,
    };
    CandidatePair { a: text.key, b: text.key, overlap, rarity }
}
