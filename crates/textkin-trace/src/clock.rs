//! The clock of evictions: how old documents may be for their chunks still to be in the table.
//!
//! A bucket evicts its lowest score and subtracts it from all others, so a chunk stored with a score
//! stays until its bucket has subtracted that much. The clock is the average of what all buckets have
//! subtracted. It records which document was current whenever it advanced by one: of documents before
//! the one that was current `score` ticks ago, chunks stored with that score are mostly evicted.

/// Ticks that are remembered: the greatest score, and the current tick.
pub(crate) const TICKS: usize = 256;

/// Average of the scores subtracted in all buckets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EvictionClock {
    /// The current tick.
    now: u64,
    /// Scores subtracted in all buckets since then.
    since: u64,
    /// The document that was current at each of the latest ticks, by the tick modulo [`TICKS`].
    documents: [u64; TICKS],
}

impl Default for EvictionClock {
    fn default() -> Self {
        Self { now: 0, since: 0, documents: [0; TICKS] }
    }
}

impl EvictionClock {
    /// Records that document `number` subtracted this score in one of `n_buckets` buckets.
    #[inline]
    pub(crate) fn advance(&mut self, score: u8, n_buckets: u64, number: u64) {
        self.since += u64::from(score);
        while self.since >= n_buckets {
            self.since -= n_buckets;
            self.now += 1;
            self.documents[index(self.now)] = number;
        }
    }

    /// Returns whether chunks of a document that were stored with this score are mostly still there.
    pub(crate) fn is_kept(&self, score: u8, document: u64) -> bool {
        match self.now.checked_sub(u64::from(score)) {
            Some(then) => document >= self.documents[index(then)],
            None => true,
        }
    }

    /// Returns the clock as numbers, for a state.
    pub(crate) fn to_numbers(&self) -> impl Iterator<Item = u64> {
        [self.now, self.since].into_iter().chain(self.documents)
    }

    /// Number of numbers of a clock.
    pub(crate) const NUMBERS: usize = TICKS + 2;

    /// Restores the clock from the numbers of a state.
    pub(crate) fn from_numbers(numbers: [u64; Self::NUMBERS]) -> Self {
        let [now, since, documents @ ..] = numbers;
        Self { now, since, documents }
    }
}

fn index(tick: u64) -> usize {
    usize::from(tick.to_le_bytes()[0])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_clock_equals_a_history_of_all_ticks(
            n_buckets in 1_u64..20,
            subtracted in prop::collection::vec((any::<u8>(), 0_u64..3), 0..200),
            score in any::<u8>(),
            document in 0_u64..400,
        ) {
            let mut clock = EvictionClock::default();
            // The current document of every tick.
            let (mut ticks, mut total, mut number) = (vec![0], 0, 0);
            for (score, further) in subtracted {
                number += further;
                clock.advance(score, n_buckets, number);
                total += u64::from(score);
                while ticks.len() as u64 <= total / n_buckets {
                    ticks.push(number);
                }
                let numbers: Vec<u64> = clock.to_numbers().collect();
                prop_assert_eq!(&EvictionClock::from_numbers(numbers.try_into().unwrap()), &clock);
            }
            let then = ticks.len().checked_sub(1 + usize::from(score));
            prop_assert_eq!(clock.is_kept(score, document), then.is_none_or(|then| document >= ticks[then]));
        }
    }
}
