//! Pairs of texts: sums of what they share, over parts of the lists and then over all of them.

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

/// What two texts share, as far as it is added up. Whole numbers: the order of adding does not show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    chunks: u64,
    rarity: u128,
    /// Whether a chunk is selected in both.
    is_selected: bool,
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.chunks += other.chunks;
        self.rarity += other.rarity;
        self.is_selected |= other.is_selected;
    }
}

/// Sums by pair of texts, the text with the lesser key first. A text that has copies is also paired with
/// itself.
#[derive(Debug, Default)]
struct Sums {
    texts: TextTable,
    sums: HashMap<(u32, u32), Sum>,
}

impl Sums {
    fn add(&mut self, a: u32, b: u32, sum: Sum) {
        let is_ordered = self.texts.get(a).key <= self.texts.get(b).key;
        let pair = if is_ordered { (a, b) } else { (b, a) };
        self.sums.entry(pair).or_default().add(sum);
    }

    /// All pairs in the order of their keys.
    fn sorted(&self) -> Vec<(TextSizes, TextSizes, Sum)> {
        let mut sums = Vec::with_capacity(self.sums.len());
        for (&(a, b), &sum) in &self.sums {
            sums.push((self.texts.get(a), self.texts.get(b), sum));
        }
        sums.sort_unstable_by_key(|(a, b, _)| (a.key, b.key));
        sums
    }
}

/// Counts the pairs of pieces of work.
#[derive(Debug)]
pub struct PairCounter {
    n_buckets: u32,
    max_pairs: usize,
    sums: Sums,
}

impl PairCounter {
    /// For `n_buckets` buckets of pairs, holding about `max_pairs` pairs at a time.
    #[must_use]
    pub fn new(n_buckets: u32, max_pairs: usize) -> Self {
        Self { n_buckets: n_buckets.max(1), max_pairs, sums: Sums::default() }
    }

    /// Counts the pairs of the work in `bytes`.
    ///
    /// # Errors
    /// If it is damaged.
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
            let sum = Sum { chunks, rarity, is_selected: false };
            let (left, right) = items.split_at(n);
            for (index, &a) in left.iter().enumerate() {
                let others = if is_same { &left[index + 1..] } else { right };
                for &b in others {
                    let is_selected = a & b & 1 == 1;
                    self.sums.add(a >> 1, b >> 1, Sum { is_selected, ..sum });
                }
                if m == 0 && self.sums.texts.get(a >> 1).copies > 1 {
                    self.sums.add(a >> 1, a >> 1, sum);
                }
            }
        }
        Ok(())
    }

    /// Whether it is time to [`pack`](Self::pack).
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.sums.sums.len() >= self.max_pairs
    }

    /// What was counted since the last time, packed by bucket of pairs.
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
                push(&mut body, u64::from(writer.place(a)));
                push(&mut body, u64::from(writer.place(b)) << 1 | u64::from(sum.is_selected));
                push_sum(&mut body, sum);
            }
            packed.push(BucketBytes { bucket: part[0].0, bytes: writer.finish(texts, &body) });
        }
        self.sums.sums.clear();
        self.sums.texts.clear();
        packed
    }
}

/// Appends a sum: where all its chunks are in the same number of documents, that number is shorter than
/// the rarity.
fn push_sum(bytes: &mut Vec<u8>, sum: Sum) {
    push(bytes, sum.chunks);
    let documents = Rarity::documents_of(sum.rarity, sum.chunks);
    push(bytes, u64::from(documents.unwrap_or(0)));
    if documents.is_none() {
        push_wide(bytes, sum.rarity);
    }
}

fn read_sum(reader: &mut WireReader<'_>, is_selected: bool) -> Result<Sum, Error> {
    let (chunks, documents) = (reader.number()?, reader.small()?);
    let rarity = match documents {
        0 => reader.wide()?,
        documents => {
            let chunks = u32::try_from(chunks).map_err(|_| reader.damaged())?;
            Rarity::of_chunks(chunks, documents)
        }
    };
    // Sums of many of these must not overflow, even if bytes are damaged.
    if rarity >> 123 != 0 || chunks >> 60 != 0 {
        return Err(reader.damaged());
    }
    Ok(Sum { chunks, rarity, is_selected })
}

/// Merges all sums of one or more buckets of pairs.
#[derive(Debug)]
pub struct PairMerger {
    sums: Sums,
    measure: Measure,
    threshold: f64,
    selective: bool,
    cut: Option<CommonCutoff>,
}

/// A pair of texts that may be an edge: its score reaches the threshold, or needs the covered words to be
/// known. A text beside itself stands for its copies, whatever their score; of these, everything is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidatePair {
    /// The text with the lesser key.
    pub a: i64,
    /// The other text, or the same.
    pub b: i64,
    /// What they share, without common chunks; covered words only of copies.
    pub overlap: Overlap,
    /// The rarity of that, exactly.
    pub rarity: u128,
}

/// What all sums come to: see [`WorkItem::pairs`](super::Work::pairs) and
/// [`WorkItem::self_pairs`](super::Work::selves).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairTotals {
    /// Pairs of different texts that share a chunk.
    pub found: u64,
    /// Shared chunks, once for each pair of different texts.
    pub pairs: u64,
    /// Shared chunks of texts that have copies.
    pub self_pairs: u64,
    /// Pairs of different texts that may be edges.
    pub candidates: u64,
    /// Words of the texts of these, each text once.
    pub words: u64,
}

impl PairMerger {
    /// For pairs that reach `threshold` by `measure`; with a selector (`selective`), only pairs with a
    /// chunk that is selected in both; with a cut, common chunks are still to come.
    #[must_use]
    pub fn new(
        measure: Measure,
        threshold: f64,
        selective: bool,
        cut: Option<CommonCutoff>,
    ) -> Self {
        Self { sums: Sums::default(), measure, threshold, selective, cut }
    }

    /// Adds sums that were packed.
    ///
    /// # Errors
    /// If they are damaged.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut reader = WireReader::new(bytes, "pairs");
        let numbers = text_table::read(&mut reader, &mut self.sums.texts)?;
        while !reader.is_empty() {
            let a = *numbers.get(reader.small()? as usize).ok_or_else(|| reader.damaged())?;
            let b = item(&mut reader, &numbers)?;
            let sum = read_sum(&mut reader, b & 1 == 1)?;
            self.sums.add(a, b >> 1, sum);
        }
        Ok(())
    }

    /// The pairs that may be edges, in the order of their keys, and the totals of all.
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
                // What common chunks can add at most.
                let common = self
                    .cut
                    .map_or(0, |cut| Rarity::of_chunks(a.chunks.min(b.chunks), cut.documents()));
                let most = Overlap { rarity: Rarity::to_f64(sum.rarity + common), ..overlap };
                self.measure.score(&most) >= self.threshold
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

/// What two copies of `text` share, of which no other text has a chunk.
#[must_use]
pub fn copies_only(text: TextSizes) -> CandidatePair {
    copies(text, Sum::default())
}

/// What two copies of `text` share, where `elsewhere` is of the chunks that other texts have too.
fn copies(text: TextSizes, elsewhere: Sum) -> CandidatePair {
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
    };
    CandidatePair { a: text.key, b: text.key, overlap, rarity }
}
