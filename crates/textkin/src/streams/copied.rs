//! The most copied documents of a stream, counted within a fixed number of bytes.
//!
//! Counters as in Metwally, Agrawal and El Abbadi (2005), “space saving”: where there is no room, the
//! lowest counter goes, and what it had counted is the most that any document without a counter
//! can have. A new counter begins there, so that each has a least and a most; as long as no counter
//! had to go, both are the truth.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

/// What a counter takes beside its name, in bytes: a place in a map that may be half empty, and a node
/// of a tree that is seldom full.
const COST: u64 = 224;

/// A document that others copied from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedOrigin {
    /// Its number in the stream.
    pub number: u64,
    /// Its name, unless it had been forgotten when its copies were first counted.
    pub name: Option<String>,
    /// Documents that copied from it, at least.
    pub copies: u64,
    /// Documents that copied from it, at most.
    #[serde(rename = "copies_at_most")]
    pub max_copies: u64,
    /// Words they copied, at least.
    pub words: u64,
}

/// The most copied documents so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopOrigins {
    /// The most copied first.
    pub origins: Vec<CopiedOrigin>,
    /// The most copies that any document without a counter has; 0 if all were counted.
    pub max_other_copies: u64,
}

/// Counters of the documents that others copied from.
#[derive(Debug, Default)]
pub(super) struct Counters {
    by_number: HashMap<u64, CopiedOrigin>,
    /// Most copies and number of each: the lowest is the first to go. None before any had to.
    by_copies: Option<BTreeSet<(u64, u64)>>,
    bytes: u64,
    /// None if all are kept.
    most: Option<u64>,
    /// The most that a counter had which is gone.
    floor: u64,
}

impl Counters {
    pub(super) fn new(most: Option<u64>) -> Self {
        Self { most, ..Self::default() }
    }

    /// Counts a copy of so many words of the document `number`.
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
        while self.most.is_some_and(|most| self.bytes > most) {
            let all = || self.by_number.values().map(rank).collect();
            let Some((copies, number)) = self.by_copies.get_or_insert_with(all).pop_first() else {
                break;
            };
            self.floor = self.floor.max(copies);
            if let Some(gone) = self.by_number.remove(&number) {
                self.bytes -= cost(&gone);
            }
        }
    }

    /// The `n` most copied, by what is certain.
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

    /// As kept in a state.
    pub(super) fn to_kept(&self) -> KeptCounters {
        let mut origins: Vec<CopiedOrigin> = self.by_number.values().cloned().collect();
        origins.sort_unstable_by_key(|origin| origin.number);
        KeptCounters { origins, floor: self.floor }
    }

    /// As kept in a state.
    pub(super) fn from_kept(most: Option<u64>, kept: KeptCounters) -> Self {
        Self {
            by_copies: None,
            bytes: kept.origins.iter().map(cost).sum(),
            by_number: kept.origins.into_iter().map(|origin| (origin.number, origin)).collect(),
            most,
            floor: kept.floor,
        }
    }
}

/// Counters as kept in a state.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptCounters {
    origins: Vec<CopiedOrigin>,
    floor: u64,
}

/// By which the first to go is chosen.
fn rank(origin: &CopiedOrigin) -> (u64, u64) {
    (origin.max_copies, origin.number)
}

fn cost(origin: &CopiedOrigin) -> u64 {
    // Allocators round up.
    COST + origin.name.as_ref().map_or(0, |name| (name.len() as u64).next_multiple_of(16))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_are_exact_while_there_is_room() {
        let mut counters = Counters::new(Some(3 * COST));
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
        fn the_truth_lies_between_the_bounds(
            copied in prop::collection::vec((0_u64..12, 1_u64..9), 0..300),
            room in 0_u64..9,
        ) {
            let mut counters = Counters::new(Some(room * (COST + 16)));
            let mut truth: HashMap<u64, (u64, u64)> = HashMap::new();
            for (number, words) in copied {
                // Low numbers are copied more often.
                let number = number * number / 12;
                counters.count(number, words, || Some(number.to_string()));
                let true_counts = truth.entry(number).or_default();
                *true_counts = (true_counts.0 + 1, true_counts.1 + words);
                let kept = Counters::from_kept(counters.most, counters.to_kept());
                prop_assert_eq!(kept.bytes, counters.bytes);
                prop_assert!(counters.bytes <= room * (COST + 16));
                counters = kept;
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
