//! The pairs of a run, as much of them as a page holds.

use super::histogram::Histogram;
use super::network::Network;
use super::passages::PAIRS;
use crate::row::PairRow;

/// Pairs that are listed.
pub(super) const ROWS: usize = 5_000;

/// The strongest pairs, and the rest by counts.
#[derive(Debug)]
pub struct RunPairs<'a> {
    pub(super) rows: Vec<PairRow<'a>>,
    pub(super) histogram: Histogram,
    pub(super) network: Network<'a>,
    count: u64,
}

/// Whether all words of both documents are in the other.
pub(super) fn is_whole(row: &PairRow<'_>) -> bool {
    let overlap = &row.overlap;
    overlap.covered_a == overlap.words_a && overlap.covered_b == overlap.words_b
}

impl<'a> RunPairs<'a> {
    /// Takes all pairs of a run, in order of score.
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
            if pairs.rows.len() < ROWS {
                pairs.rows.push(row);
            }
        }
        pairs
    }

    /// The pairs whose passages a page shows, with their numbers from 1 on: the strongest. Those that
    /// are the same from end to end have little to show and come only where others leave room.
    #[must_use]
    pub fn to_explain(&self) -> Vec<(usize, &PairRow<'a>)> {
        let numbered = || (1..).zip(&self.rows);
        let mut pairs: Vec<_> = numbered().filter(|(_, row)| !is_whole(row)).take(PAIRS).collect();
        let room = PAIRS - pairs.len();
        pairs.extend(numbered().filter(|(_, row)| is_whole(row)).take(room));
        pairs.sort_unstable_by_key(|(number, _)| *number);
        pairs
    }

    /// Gives the pairs that are listed their raw scores, where there are any.
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
