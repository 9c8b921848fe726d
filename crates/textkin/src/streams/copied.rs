//! The most copied documents of a stream, counted in bounded memory.
//!
//! Uses the space-saving algorithm of Metwally, Agrawal and El Abbadi (2005): when memory is full,
//! the lowest counter is evicted, and its count becomes the maximum of every document without a
//! counter. New counters start at that value, so that each has a minimum and a maximum; until the
//! first eviction both are exact.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

/// Bytes of a counter without its name: a slot of a map that may be half empty, and a node of a
/// tree that is rarely full.
const COST: u64 = 224;

/// A document that others copied from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CopiedOrigin {
    /// The number of the document in the stream.
    pub number: u64,
    /// The id of the document, unless it was evicted before its copies were first counted.
    pub name: Option<String>,
    /// Minimum number of documents that copied from it.
    pub copies: u64,
    /// Maximum number of documents that copied from it.
    #[serde(rename = "copies_at_most")]
    pub max_copies: u64,
    /// Minimum number of words that they copied.
    pub words: u64,
}

/// The most copied documents of a stream so far.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TopOrigins {
    /// The origins, most copied first.
    pub origins: Vec<CopiedOrigin>,
    /// Maximum number of copies of any other document; 0 if all were counted.
    pub max_other_copies: u64,
}

/// Counters of the documents that others copied from.
#[derive(Debug, Default)]
pub(super) struct CopyCounters {
    by_number: HashMap<u64, CopiedOrigin>,
    /// Maximum copies and number of each counter, lowest first. `None` before the first eviction.
    by_copies: Option<BTreeSet<(u64, u64)>>,
    bytes: u64,
    /// The limit of `bytes`; `None` if all counters are kept.
    max_bytes: Option<u64>,
    /// The highest count of an evicted counter.
    floor: u64,
}

impl CopyCounters {
    pub(super) fn new(max_bytes: Option<u64>) -> Self {
        Self { max_bytes, ..Self::default() }
    }

    /// Counts a copy of `words` words from document `number`.
    pub(super) fn count(&mut self, number: u64, words: u64, name: impl FnOnce() -> Option<String>) {
        let (floor, mut is_known) = (self.floor, true);
        let counter = self.by_number.entry(number).or_insert_with(|| {
            is_known = false;
            CopiedOrigin { number, name: name(), copies: 0, max_copies: floor, words: 0 }
        });
        let before = rank(counter);
        counter.copies += 1;
        counter.max_copies += 1;
        counter.words += words;
        if let Some(by_copies) = &mut self.by_copies {
            by_copies.remove(&before);
            by_copies.insert(rank(counter));
        }
        if !is_known {
            self.bytes += cost(counter);
        }
        while self.max_bytes.is_some_and(|max_bytes| self.bytes > max_bytes) {
            let all = || self.by_number.values().map(rank).collect();
            let Some((copies, number)) = self.by_copies.get_or_insert_with(all).pop_first() else {
                break;
            };
            self.floor = self.floor.max(copies);
            if let Some(evicted) = self.by_number.remove(&number) {
                self.bytes -= cost(&evicted);
            }
        }
    }

    /// Returns the `n` most copied documents, by minimum count.
    pub(super) fn top_origins(&self, n: usize) -> TopOrigins {
        let mut origins: Vec<&CopiedOrigin> = self.by_number.values().collect();
        let rank = |origin: &&CopiedOrigin| {
            let CopiedOrigin { number, copies, max_copies, words, .. } = **origin;
            (std::cmp::Reverse((copies, max_copies, words)), number)
        };
        origins.sort_unstable_by_key(rank);
        let origins = origins.into_iter().take(n).cloned().collect();
        TopOrigins { origins, max_other_copies: self.floor }
    }

    /// Returns the counters for a state file.
    pub(super) fn to_saved(&self) -> SavedCounters {
        let mut origins: Vec<CopiedOrigin> = self.by_number.values().cloned().collect();
        origins.sort_unstable_by_key(|origin| origin.number);
        SavedCounters { origins, floor: self.floor }
    }

    /// Restores the counters of a state file.
    pub(super) fn from_saved(max_bytes: Option<u64>, saved: SavedCounters) -> Self {
        Self {
            by_copies: None,
            bytes: saved.origins.iter().map(cost).sum(),
            by_number: saved.origins.into_iter().map(|origin| (origin.number, origin)).collect(),
            max_bytes,
            floor: saved.floor,
        }
    }
}

/// The counters in a state file.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedCounters {
    origins: Vec<CopiedOrigin>,
    floor: u64,
}

/// The order of eviction.
fn rank(origin: &CopiedOrigin) -> (u64, u64) {
    (origin.max_copies, origin.number)
}

fn cost(origin: &CopiedOrigin) -> u64 {
    // Allocators round sizes up.
    COST + origin.name.as_ref().map_or(0, |name| (name.len() as u64).next_multiple_of(16))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_are_exact_while_there_is_room() {
        let mut counters = CopyCounters::new(Some(3 * COST));
        for (number, words) in [(7, 10), (3, 5), (7, 1), (9, 100), (7, 1)] {
            counters.count(number, words, || None);
        }
        let found = counters.top_origins(2);
        assert_eq!(found.max_other_copies, 0);
        let short: Vec<_> = found.origins.iter().map(|o| (o.number, o.copies, o.words)).collect();
        assert_eq!(short, [(7, 3, 12), (9, 1, 100)]);
        counters.count(1, 1, || None);
        assert_eq!(counters.top_origins(9).max_other_copies, 1);
    }

    proptest! {
        #[test]
        fn true_counts_lie_between_minimum_and_maximum(
            copied in prop::collection::vec((0_u64..12, 1_u64..9), 0..300),
            room in 0_u64..9,
        ) {
            let mut counters = CopyCounters::new(Some(room * (COST + 16)));
            let mut truth: HashMap<u64, (u64, u64)> = HashMap::new();
            for (number, words) in copied {
                // Low numbers are copied more often.
                let number = number * number / 12;
                counters.count(number, words, || Some(number.to_string()));
                let true_counts = truth.entry(number).or_default();
                *true_counts = (true_counts.0 + 1, true_counts.1 + words);
                let restored = CopyCounters::from_saved(counters.max_bytes, counters.to_saved());
                prop_assert_eq!(restored.bytes, counters.bytes);
                prop_assert!(counters.bytes <= room * (COST + 16));
                counters = restored;
            }
            let found = counters.top_origins(100);
            for (number, (copies, words)) in truth {
                match found.origins.iter().find(|origin| origin.number == number) {
                    Some(origin) => {
                        prop_assert!((origin.copies..=origin.max_copies).contains(&copies));
                        prop_assert!(origin.words <= words);
                    }
                    None => prop_assert!(copies <= found.max_other_copies),
                }
            }
        }
    }
}
