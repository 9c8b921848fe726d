//! Distributed SPEX counters: which runs of words occur more than once, in two bits each.
//!
//! Every partition counts the runs of its documents. The counters of all partitions are added up
//! and sent to every partition, which then skips chunks that contain a run which occurs only once.
//! Runs whose hashes collide share a counter, so that a unique chunk may be kept, but a repeated
//! one is never lost.

use textkin_core::chunk::RollingHash;
use textkin_index::Counter;

use super::error::Error;

/// Counts runs of about half a chunk.
#[derive(Debug)]
pub struct RunCounter {
    /// Number of words of a chunk and of a run.
    k: u32,
    n: u32,
    counter: Counter,
}

impl RunCounter {
    /// Creates a counter of about `bytes` bytes for chunks of `k` words.
    #[must_use]
    pub fn new(k: u32, bytes: u64) -> Self {
        Self { k, n: run(k), counter: Counter::new(bytes) }
    }

    /// Counts the runs of a text, given the hashes of its words.
    pub fn count(&self, tokens: &[u64]) {
        if tokens.len() >= self.n as usize {
            self.counter.count(&self.hashes(tokens));
        }
    }

    /// Appends to `flags`, for each chunk of a text, whether it may be repeated.
    pub fn may_repeat(&self, tokens: &[u64], flags: &mut Vec<bool>) {
        if tokens.len() < self.k as usize {
            flags.resize(flags.len() + usize::from(!tokens.is_empty()), true);
            return;
        }
        let mut runs = Vec::with_capacity(tokens.len());
        self.counter.are_repeated(&self.hashes(tokens), &mut runs);
        // Number of consecutive runs, up to this position, that may be repeated.
        let all = (self.k - self.n) as usize + 1;
        let mut unbroken = 0usize;
        for (position, &may_repeat) in runs.iter().enumerate() {
            unbroken = if may_repeat { unbroken + 1 } else { 0 };
            if position + 1 >= all {
                flags.push(unbroken >= all);
            }
        }
    }

    /// Returns the counters as bytes, for [`RunCounter::add`].
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.counter.to_bytes()
    }

    /// Adds the counts of another counter of the same size.
    ///
    /// # Errors
    /// If `bytes` do not come from such a counter.
    pub fn add(&self, bytes: &[u8]) -> Result<(), Error> {
        match self.counter.add_bytes(bytes) {
            true => Ok(()),
            false => Err(Error::Corrupt { what: "counters" }),
        }
    }

    fn hashes(&self, tokens: &[u64]) -> Vec<u64> {
        let mut hashes = Vec::with_capacity(tokens.len());
        RollingHash::new(self.n).hash_all(tokens, |hash| hashes.push(hash));
        hashes
    }
}

/// Returns the number of words of a counted run for chunks of `k` words: one pass, as in
/// `textkin-index`.
fn run(k: u32) -> u32 {
    k.div_ceil(2).max(4).min(k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn no_repeated_chunk_is_dropped_whichever_partition_counted_it(
            texts in prop::collection::vec(prop::collection::vec(0u64..6, 0..40), 0..6),
            k in 1u32..13,
            bytes in 8u64..4096,
            n_parts in 1usize..4,
        ) {
            let parts: Vec<RunCounter> = (0..n_parts).map(|_| RunCounter::new(k, bytes)).collect();
            let whole = RunCounter::new(k, bytes);
            for (number, text) in texts.iter().enumerate() {
                parts[number % n_parts].count(text);
                whole.count(text);
            }
            let sum = RunCounter::new(k, bytes);
            parts.iter().for_each(|part| sum.add(&part.to_bytes()).unwrap());
            prop_assert_eq!(sum.to_bytes(), whole.to_bytes());
            let mut occurrences = BTreeMap::new();
            for chunk in texts.iter().flat_map(|text| text.windows(k as usize)) {
                *occurrences.entry(chunk).or_insert(0) += 1;
            }
            for text in &texts {
                let mut flags = Vec::new();
                sum.may_repeat(text, &mut flags);
                if text.len() < k as usize {
                    prop_assert_eq!(flags, vec![true; usize::from(!text.is_empty())]);
                    continue;
                }
                prop_assert_eq!(flags.len(), text.len() + 1 - k as usize);
                for (chunk, kept) in text.windows(k as usize).zip(flags) {
                    prop_assert!(kept || occurrences[chunk] == 1);
                }
            }
        }
    }

    #[test]
    fn bytes_of_another_size_are_rejected() {
        let counter = RunCounter::new(8, 64);
        assert!(counter.add(&[0; 3]).is_err());
        assert!(counter.add(&RunCounter::new(8, 128).to_bytes()).is_err());
    }
}
