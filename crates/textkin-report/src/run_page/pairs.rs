//! The pairs of a run, limited to what a page can hold.

use std::collections::BTreeMap;

use textkin_core::Reason;

use super::histogram::Histogram;
use super::network::Network;
use super::passages::MAX_PAIRS;
use crate::row::{NEAR_DUPLICATE, PairRow};

/// Maximum pairs listed of each kind.
pub(super) const MAX_ROWS: usize = 2_500;

/// The strongest pairs of each kind, documents with the same words, and counts of the rest.
#[derive(Debug)]
pub struct RunPairs<'a> {
    /// Partial copies, then near-duplicates, without exact copies.
    pub(super) rows: Vec<PairRow<'a>>,
    /// Number of partial copies among the rows, which come first.
    pub(super) n_partial: usize,
    /// Number of all partial copies and of all near-duplicates.
    pub(super) counts: [u64; 2],
    /// Documents with the same words, most first: their ids.
    pub(super) copies: Vec<Vec<&'a str>>,
    pub(super) histogram: Histogram,
    pub(super) network: Network<'a>,
    count: u64,
}

/// Whether all words of both documents are also in the other.
pub(super) fn is_fully_shared(row: &PairRow<'_>) -> bool {
    let overlap = &row.overlap;
    overlap.covered_a == overlap.words_a && overlap.covered_b == overlap.words_b
}

impl<'a> RunPairs<'a> {
    /// Collects all pairs of a run, given in order of score.
    pub fn new(rows: impl Iterator<Item = PairRow<'a>>) -> Self {
        let mut rows = rows.peekable();
        let highest = rows.peek().map_or(1.0, |row| row.score);
        let mut kinds = [Vec::new(), Vec::new()];
        let mut set_of: BTreeMap<u32, usize> = BTreeMap::new();
        let mut pairs = Self {
            rows: Vec::new(),
            n_partial: 0,
            counts: [0; 2],
            copies: Vec::new(),
            histogram: Histogram::new(highest),
            network: Network::new(),
            count: 0,
        };
        for row in rows {
            pairs.count += 1;
            pairs.histogram.add(row.score);
            pairs.network.add(&row);
            if row.reason == Reason::Copy {
                pairs.add_copies(&row, &mut set_of);
                continue;
            }
            let kind = usize::from(row.overlap.ssr() >= NEAR_DUPLICATE);
            pairs.counts[kind] += 1;
            if kinds[kind].len() < MAX_ROWS {
                kinds[kind].push(row);
            }
        }
        let [partial, near] = kinds;
        pairs.n_partial = partial.len();
        pairs.rows = partial;
        pairs.rows.extend(near);
        pairs.copies.sort_by_key(|ids| std::cmp::Reverse(ids.len()));
        pairs
    }

    /// Adds two documents with the same words to their set.
    fn add_copies(&mut self, row: &PairRow<'a>, set_of: &mut BTreeMap<u32, usize>) {
        let set = *set_of.entry(row.a_index).or_insert_with(|| {
            self.copies.push(vec![row.a]);
            self.copies.len() - 1
        });
        set_of.entry(row.b_index).or_insert_with(|| {
            self.copies[set].push(row.b);
            set
        });
    }

    /// Returns the pairs whose passages the page shows, with their numbers from 1: the strongest ones of
    /// each kind. Pairs in which all words match have little to show and only fill up the rest.
    #[must_use]
    pub fn to_explain(&self) -> Vec<(usize, &PairRow<'a>)> {
        let numbered = || (1..).zip(&self.rows);
        let (partial, near): (Vec<_>, Vec<_>) = numbered()
            .filter(|(_, row)| !is_fully_shared(row))
            .partition(|(number, _)| *number <= self.n_partial);
        // Each kind takes what the other leaves, and at least half.
        let n_partial = partial.len().min(MAX_PAIRS - near.len().min(MAX_PAIRS / 2));
        let n_near = near.len().min(MAX_PAIRS - n_partial);
        let mut pairs: Vec<_> =
            partial.into_iter().take(n_partial).chain(near.into_iter().take(n_near)).collect();
        let n_left = MAX_PAIRS - pairs.len();
        pairs.extend(numbered().filter(|(_, row)| is_fully_shared(row)).take(n_left));
        pairs.sort_unstable_by_key(|(number, _)| *number);
        pairs
    }

    /// Sets the raw scores of the listed pairs.
    pub fn set_raw_scores(&mut self, raw_score: impl Fn(&PairRow<'a>) -> Option<f64>) {
        for row in &mut self.rows {
            row.raw_score = raw_score(row);
        }
    }

    /// The number of all pairs.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }
}
