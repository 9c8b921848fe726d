//! The pairs of a run, as much of them as a page holds.

use super::histogram::Histogram;
use super::network::Network;
use crate::row::Row;

/// Pairs that are listed.
pub(super) const ROWS: usize = 5_000;

/// The strongest pairs, and the rest by counts.
#[derive(Debug)]
pub struct RunPairs<'a> {
    pub(super) rows: Vec<Row<'a>>,
    pub(super) histogram: Histogram,
    pub(super) network: Network<'a>,
    count: u64,
}

impl<'a> RunPairs<'a> {
    /// Takes all pairs of a run, in order of score.
    pub fn new(rows: impl Iterator<Item = Row<'a>>) -> Self {
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

    /// The number of all pairs.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }
}
