//! Evictions: which chunk leaves a full bucket when another comes.
//!
//! The rules are those of section 2.2 of the paper, one file each. Where two slots have the same
//! lowest score, which the paper leaves open, the choice between them is random.

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
use crate::table::{Slot, Table};
use textkin_core::Random;

/// Which chunk leaves a full bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eviction {
    /// Any.
    Random,
    /// The one that was neither stored nor found for longest.
    Lru,
    /// The one that was found least often.
    CopyCount(CopyCount),
    /// The one that is least likely to be the end of a copied block.
    Lucky(Lucky),
}

impl Eviction {
    /// Every eviction, with its default constants.
    pub const ALL: [Self; 4] =
        [Self::Random, Self::Lru, Self::CopyCount(CopyCount::DEFAULT), Self::Lucky(Lucky::DEFAULT)];

    /// The name it is chosen by.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Lru => "lru",
            Self::CopyCount(_) => "copy-count",
            Self::Lucky(_) => "lucky",
        }
    }

    /// Bytes that it needs in each slot.
    pub(crate) fn score_bytes(self) -> usize {
        match self {
            Self::Random | Self::Lru => 0,
            Self::CopyCount(_) | Self::Lucky(_) => 1,
        }
    }

    /// A slot for a new chunk: a free one, or that of the chunk that leaves. Its score is set.
    pub(crate) fn make_room(self, table: &mut Table, bucket: usize, random: &mut Random) -> Slot {
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

    /// Takes note that the chunk of a slot was looked for and found.
    pub(crate) fn found(self, table: &mut Table, slot: Slot) {
        match self {
            // The lucky scores of a document change together, when its blocks are known.
            Self::Random | Self::Lucky(_) => {}
            Self::Lru => {
                table.move_to_end(slot);
            }
            Self::CopyCount(rule) => rule.found(table.scores_mut(slot.bucket), slot.index),
        }
    }

    fn begin(self, table: &mut Table, slot: Slot) {
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

/// The index of the lowest score, a random one of those if there are several; 0 if there is none.
pub(crate) fn lowest(scores: &[u8], random: &mut Random) -> usize {
    lowest_from(scores, random.below(scores.len()))
}

/// The index of the first lowest score from `start` on, and from the beginning again.
pub(crate) fn lowest_from(scores: &[u8], start: usize) -> usize {
    let lowest = scores.iter().copied().min().unwrap_or(0);
    let start = start.min(scores.len());
    let after = scores[start..].iter().position(|score| *score == lowest);
    let before = || scores.iter().position(|score| *score == lowest).unwrap_or(0);
    after.map_or_else(before, |place| start + place)
}

/// Divides every score by two.
fn halve(scores: &mut [u8]) {
    scores.iter_mut().for_each(|score| *score /= 2);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for eviction in Eviction::ALL {
            assert_eq!(eviction.to_string().parse::<Eviction>().unwrap(), eviction);
        }
        let error = "fifo".parse::<Eviction>().unwrap_err().to_string();
        assert_eq!(error, "no eviction 'fifo'; there are random, lru, copy-count, lucky");
    }

    #[test]
    fn the_lowest_score_goes_and_ties_are_broken_by_chance() {
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
