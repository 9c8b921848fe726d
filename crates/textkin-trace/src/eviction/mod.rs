//! Eviction rules: which chunk a full bucket gives up for a new one.
//!
//! The rules are those of section 2.2 of the paper, one file each. The paper does not define ties: among
//! slots with the same lowest score the choice is random.

mod random;
mod lru;
mod copy_count;
mod lucky;

pub use copy_count::CopyCount;
pub use lucky::Lucky;

use std::fmt;
use std::str::FromStr;

use crate::Error;
use crate::settings::named;
use crate::table::{Slot, SlotTable};
use textkin_core::Random;

/// Rule that chooses the chunk to evict from a full bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eviction {
    /// A random chunk.
    Random,
    /// The least recently stored or found chunk.
    Lru,
    /// The chunk that was found least often.
    CopyCount(CopyCount),
    /// The chunk that is least likely to be the end of a copied block.
    Lucky(Lucky),
}

impl Eviction {
    /// Every rule, with its default constants.
    pub const ALL: [Self; 4] =
        [Self::Random, Self::Lru, Self::CopyCount(CopyCount::DEFAULT), Self::Lucky(Lucky::DEFAULT)];

    /// Name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Lru => "lru",
            Self::CopyCount(_) => "copy-count",
            Self::Lucky(_) => "lucky",
        }
    }

    /// Returns the bytes that the rule needs in each slot.
    pub(crate) fn score_bytes(self) -> usize {
        match self {
            Self::Random | Self::Lru => 0,
            Self::CopyCount(_) | Self::Lucky(_) => 1,
        }
    }

    /// Returns a slot for a new chunk, free or evicted, with its score set.
    pub(crate) fn make_room(
        self,
        table: &mut SlotTable,
        bucket: usize,
        random: &mut Random,
    ) -> Slot {
        if let Some(free) = table.take_free(bucket) {
            self.begin(table, free);
            return free;
        }
        let slot = match self {
            Self::Random => random::victim(table, bucket, random),
            Self::Lru => table.move_to_end(lru::victim(bucket)),
            Self::CopyCount(_) | Self::Lucky(_) => {
                Slot { bucket, index: lowest(table.scores(bucket), random) }
            }
        };
        self.begin(table, slot);
        slot
    }

    /// Records that the chunk of a slot was found.
    pub(crate) fn found(self, table: &mut SlotTable, slot: Slot) {
        match self {
            // The lucky scores of a document change together, when its blocks are known.
            Self::Random | Self::Lucky(_) => {}
            Self::Lru => {
                table.move_to_end(slot);
            }
            Self::CopyCount(rule) => rule.found(table.scores_mut(slot.bucket), slot.index),
        }
    }

    fn begin(self, table: &mut SlotTable, slot: Slot) {
        if let Some(score) = table.scores_mut(slot.bucket).get_mut(slot.index) {
            *score = 1;
        }
    }
}

impl fmt::Display for Eviction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Eviction {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        named("eviction", name, &Self::ALL, Self::name)
    }
}

/// Returns the index of the lowest score, chosen randomly among ties; 0 if there are no scores.
pub(crate) fn lowest(scores: &[u8], random: &mut Random) -> usize {
    lowest_from(scores, random.below(scores.len()))
}

/// Returns the index of the first lowest score, searching from `start` and wrapping around.
pub(crate) fn lowest_from(scores: &[u8], start: usize) -> usize {
    let lowest = scores.iter().copied().min().unwrap_or(0);
    let start = start.min(scores.len());
    let after = scores[start..].iter().position(|score| *score == lowest);
    let before = || scores.iter().position(|score| *score == lowest).unwrap_or(0);
    after.map_or_else(before, |position| start + position)
}

/// Divides every score by two.
fn halve(scores: &mut [u8]) {
    scores.iter_mut().for_each(|score| *score /= 2);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for eviction in Eviction::ALL {
            assert_eq!(eviction.to_string().parse::<Eviction>().unwrap(), eviction);
        }
        let error = "fifo".parse::<Eviction>().unwrap_err().to_string();
        assert_eq!(error, "unknown eviction 'fifo'; available: random, lru, copy-count, lucky");
    }

    #[test]
    fn the_lowest_score_is_evicted_and_ties_are_broken_randomly() {
        let mut random = Random::new(7);
        assert_eq!(lowest(&[3, 1, 2], &mut random), 1);
        let mut times = [0; 5];
        for _ in 0..1000 {
            times[lowest(&[1, 2, 1, 2, 1], &mut random)] += 1;
        }
        assert!(times[0] > 100 && times[2] > 100 && times[4] > 100, "{times:?}");
        assert_eq!(times[1] + times[3], 0);
    }
}
