//! The pairs of a run, limited to what a page can hold.

use super::histogram::Histogram;
use super::network::Network;
use super::passages::MAX_PAIRS;
use crate::row::PairRow;

/// Maximum pairs listed.
pub(super) const MAX_ROWS: usize = 5_000;

/// The strongest pairs, and counts of the rest.
#[derive(Debug)]
pub struct RunPairs<'a> {
    pub(super) rows: Vec<PairRow<'a>>,
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
        let mut pairs = Self {
            rows: Vec::new(),
            histogram: Histogram::new(highest),
            network: Network::new(),
            count: 0,
        };
        for row in rows {
            pairs.count += 1;
            pairs.histogram.add(row.score);
            pairs.network.add(&row);
            if pairs.rows.len() < MAX_ROWS {
                pairs.rows.push(row);
            }
        }
        pairs
    }

    /// Returns the pairs whose passages the page shows, with their numbers from 1: the strongest ones.
    /// Pairs in which all words match have little to show and only fill up the rest.
    #[must_use]
    pub fn to_explain(&self) -> Vec<(usize, &PairRow<'a>)> {
        let numbered = || (1..).zip(&self.rows);
        let mut pairs: Vec<_> =
            numbered().filter(|(_, row)| !is_fully_shared(row)).take(MAX_PAIRS).collect();
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
