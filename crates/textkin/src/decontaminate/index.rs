//! Index of runs of words: where the texts of items could be in a document.
//!
//! In: the words of the items. Out: for a document, the places of runs that an item has too. For the rule `textkin`
//! each text has a few runs of [`RUN`] words, chosen to be rare among the items and spread over the text; texts that
//! are shorter are one run. For the rules that count n-grams every run of n words is stored.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::place::ItemText;
use super::words::run_hash;

/// Words of a run.
pub(super) const RUN: usize = 5;

/// Words of an item for each stored run.
const STRIDE: usize = 8;

/// Minimum number of stored runs of a text, and maximum.
const RUNS: (usize, usize) = (4, 64);

/// A run that a document and a text share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RunHit {
    pub(super) text: u32,
    /// First word in the document.
    pub(super) document: u32,
    /// First word in the text.
    pub(super) item: u32,
}

/// The runs of one length.
#[derive(Clone, Debug)]
struct Table {
    length: usize,
    /// A bit for each hash, so that most words of a document need one look.
    filter: Box<[u64]>,
    shift: u32,
    /// The last posting of each hash.
    last: HashMap<u64, u32>,
    postings: Vec<Posting>,
}

#[derive(Clone, Copy, Debug)]
struct Posting {
    text: u32,
    position: u32,
    /// The posting of the same hash before this one, or `u32::MAX`.
    previous: u32,
}

/// The runs of all texts.
#[derive(Clone, Debug, Default)]
pub(super) struct RunIndex {
    tables: Vec<Table>,
}

impl RunIndex {
    /// Stores a few rare runs of each text.
    pub(super) fn of_rare_runs(texts: &[ItemText]) -> Self {
        let texts = || texts.iter().map(|text| &text.words);
        let mut counts = vec![0u8; 1 << 22];
        let slot = |hash: u64| top_bits(hash, 42);
        for text in texts() {
            for run in text.hashes.windows(RUN) {
                let count = &mut counts[slot(run_hash(run))];
                *count = count.saturating_add(1);
            }
        }
        let mut builder = Builder::default();
        for (number, text) in (0u32..).zip(texts()) {
            let n_runs = text.hashes.len().saturating_sub(RUN - 1);
            if n_runs == 0 {
                builder.add(number, 0, &text.hashes);
                continue;
            }
            let n_parts = (text.hashes.len() / STRIDE).clamp(RUNS.0, RUNS.1).min(n_runs);
            for part in 0..n_parts {
                let positions = part * n_runs / n_parts..(part + 1) * n_runs / n_parts;
                let rank = |position: &usize| {
                    let run = &text.hashes[*position..position + RUN];
                    let words = &text.words[*position..position + RUN];
                    let bits: f32 = words.iter().map(|word| word.bits).sum();
                    (counts[slot(run_hash(run))], -bits)
                };
                let by_rank = |one: &usize, other: &usize| {
                    let (one, other) = (rank(one), rank(other));
                    one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
                };
                if let Some(position) = positions.min_by(by_rank) {
                    builder.add(number, position, &text.hashes[position..position + RUN]);
                }
            }
        }
        builder.finish()
    }

    /// Stores every run of each text, of a length that may differ by text; shorter texts have none.
    pub(super) fn of_all_runs(texts: &[ItemText], length: impl Fn(usize) -> usize) -> Self {
        let mut builder = Builder::default();
        for (number, text) in (0u32..).zip(texts) {
            let runs = text.words.hashes.windows(length(number as usize));
            for (position, run) in runs.enumerate() {
                builder.add(number, position, run);
            }
        }
        builder.finish()
    }

    /// Appends the runs that `words` shares with texts, ordered by text and position in the document.
    pub(super) fn find(&self, words: &[u64], hits: &mut Vec<RunHit>) {
        for table in &self.tables {
            table.find(words, hits);
        }
        hits.sort_unstable();
    }
}

/// Returns the bits of a hash from `shift` on: an index of a table.
#[expect(clippy::cast_possible_truncation, reason = "tables have fewer than 2^32 entries")]
fn top_bits(hash: u64, shift: u32) -> usize {
    (hash >> shift) as usize
}

#[derive(Default)]
struct Builder {
    runs: HashMap<usize, (HashMap<u64, u32>, Vec<Posting>)>,
}

impl Builder {
    fn add(&mut self, text: u32, position: usize, run: &[u64]) {
        if run.is_empty() {
            return;
        }
        let (last, postings) = self.runs.entry(run.len()).or_default();
        let number = u32::try_from(postings.len()).expect("fewer than 2^32 runs");
        let previous = match last.entry(run_hash(run)) {
            Entry::Occupied(mut known) => known.insert(number),
            Entry::Vacant(unknown) => {
                unknown.insert(number);
                u32::MAX
            }
        };
        let position = u32::try_from(position).expect("texts are limited to 4 GiB");
        postings.push(Posting { text, position, previous });
    }

    fn finish(self) -> RunIndex {
        let mut lengths: Vec<usize> = self.runs.keys().copied().collect();
        lengths.sort_unstable();
        let mut runs = self.runs;
        let table = |length: usize| {
            let (last, postings) = runs.remove(&length).unwrap_or_default();
            // At least 16 bits for each hash.
            let bits = (last.len().max(64) * 16).next_power_of_two();
            let shift = 64 - bits.trailing_zeros();
            let mut filter = vec![0u64; bits / 64].into_boxed_slice();
            last.keys().for_each(|hash| {
                let bit = top_bits(*hash, shift);
                filter[bit / 64] |= 1 << (bit % 64);
            });
            Table { length, filter, shift, last, postings }
        };
        RunIndex { tables: lengths.into_iter().map(table).collect() }
    }
}

impl Table {
    fn find(&self, words: &[u64], hits: &mut Vec<RunHit>) {
        match self.length {
            RUN => self.find_fixed::<RUN>(words, hits),
            8 => self.find_fixed::<8>(words, hits),
            13 => self.find_fixed::<13>(words, hits),
            length => {
                for (at, run) in words.windows(length).enumerate() {
                    self.look_up(run_hash(run), at, hits);
                }
            }
        }
    }

    /// The same for a length that the compiler knows.
    fn find_fixed<const N: usize>(&self, words: &[u64], hits: &mut Vec<RunHit>) {
        for (at, run) in words.windows(N).enumerate() {
            let run: &[u64; N] = run.try_into().expect("windows have N words");
            self.look_up(run_hash(run), at, hits);
        }
    }

    #[inline]
    fn look_up(&self, hash: u64, at: usize, hits: &mut Vec<RunHit>) {
        let bit = top_bits(hash, self.shift);
        if self.filter[bit / 64] >> (bit % 64) & 1 == 0 {
            return;
        }
        let Some(&last) = self.last.get(&hash) else { return };
        let document = u32::try_from(at).expect("texts are limited to 4 GiB");
        let mut next = last;
        while let Some(posting) = self.postings.get(next as usize) {
            hits.push(RunHit { text: posting.text, document, item: posting.position });
            next = posting.previous;
        }
    }
}
