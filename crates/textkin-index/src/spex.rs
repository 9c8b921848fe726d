//! SPEX: drops chunks that occur once before they become records (Bernstein and Zobel 2006, §5).
//!
//! A chunk of K tokens can only be repeated if all its runs of fewer tokens are. One pass counts
//! the runs of about K/2 tokens, two bits each; a second one makes records of the chunks in which
//! every such run was counted more than once. Counters never say "once" of what occurs twice, so
//! that nothing repeated is lost; what they keep too much is found out by the exact pass that
//! follows.
//!
//! The paper counts runs of 1, 2, … K tokens in K passes, with two counters in memory. One counter
//! of twice the size for one length does better at less cost: a chunk of 8 that occurs once passes
//! only if five fields are wrong about it, not one. Measured on 5.4 million chunks of which 2.0
//! million are repeated, with a quarter of a byte a chunk for all counters: K passes keep 2.8
//! million, one pass of runs of 8 keeps 3.8 million, and one of runs of 4 keeps 2.25 million.
//! Where counters are too small for that, more passes do not help either.

use textkin_core::chunk::RollingHash;

use crate::batch::{Batch, hash_tokens};
use crate::collect::Collection;
use crate::counter::Counter;
use crate::error::Error;
use crate::work::{Progress, Stop, for_each};

/// Shorter runs are mostly repeated, whatever the text.
const SHORTEST_RUN: u32 = 4;

/// Makes the records of all chunks that may be repeated.
pub(crate) fn make_records(
    batches: &mut [Batch],
    collection: &Collection,
    threads: usize,
    progress: &Progress,
    stop: &Stop,
) -> Result<(), Error> {
    let settings = collection.settings();
    let k = settings.overlapping_words.unwrap_or(1);
    let n_chunks: u64 = batches.iter().map(|batch| u64::from(batch.n_chunks)).sum();
    // Four fields a chunk keep few chunks too many; more would not pay.
    let bytes = (collection.budget() / 2).min(n_chunks).max(64);
    let filter = Filter { n: run_length(k), k, counter: Counter::new(bytes) };
    progress.begin(&format!("counting runs of {} words", filter.n), batches.len() as u64);
    let tasks: Vec<&Batch> = batches.iter().collect();
    for_each(
        threads,
        tasks,
        |_| Scratch::default(),
        |scratch, batch| {
            stop.check()?;
            filter.count(batch, scratch)?;
            progress.advance(1);
            Ok(())
        },
    )?;
    progress.begin("keeping repeated chunks", batches.len() as u64);
    let tasks: Vec<&mut Batch> = batches.iter_mut().collect();
    for_each(
        threads,
        tasks,
        |_| (Vec::new(), Vec::new()),
        |(hashes, records), batch| {
            stop.check()?;
            let keep = |tokens: &[u64], flags: &mut Vec<bool>| filter.keep(tokens, hashes, flags);
            batch.make_records(&settings, records, keep)?;
            if let Some(spool) = collection.spool_in_use() {
                batch.spill(spool)?;
            }
            progress.advance(1);
            Ok(())
        },
    )?;
    Ok(())
}

/// How many tokens the runs have that are counted for chunks of `k`.
fn run_length(k: u32) -> u32 {
    k.div_ceil(2).max(SHORTEST_RUN).min(k)
}

#[derive(Default)]
struct Scratch {
    tokens: Vec<u64>,
    hashes: Vec<u64>,
}

/// How often runs of `n` tokens occur, and what that says of chunks of `k`.
struct Filter {
    n: u32,
    k: u32,
    counter: Counter,
}

impl Filter {
    /// Counts the runs of all texts of `batch`.
    fn count(&self, batch: &Batch, scratch: &mut Scratch) -> Result<(), Error> {
        let Scratch { tokens, hashes } = scratch;
        batch.for_each_text(|_, bytes| {
            hash_tokens(bytes, tokens);
            if tokens.len() >= self.n as usize {
                self.hash_runs(tokens, hashes);
                self.counter.count(hashes);
            }
        })
    }

    /// Tells in `flags` which chunks of a text may be repeated: those all of whose runs may be. A
    /// text shorter than a chunk is one chunk of what it has, which is kept.
    fn keep(&self, tokens: &[u64], hashes: &mut Vec<u64>, flags: &mut Vec<bool>) {
        flags.clear();
        if tokens.len() < self.k as usize {
            flags.resize(usize::from(!tokens.is_empty()), true);
            return;
        }
        self.hash_runs(tokens, hashes);
        self.counter.are_repeated(hashes, flags);
        // A flag speaks of `reach` runs from its place on, which doubles with every step.
        let all = (self.k - self.n) as usize + 1;
        let mut reach = 1;
        while reach < all {
            let step = reach.min(all - reach);
            let len = flags.len() - step;
            for place in 0..len {
                flags[place] &= flags[place + step];
            }
            flags.truncate(len);
            reach += step;
        }
    }

    fn hash_runs(&self, tokens: &[u64], hashes: &mut Vec<u64>) {
        hashes.clear();
        hashes.reserve(tokens.len());
        RollingHash::new(self.n).hash_all(tokens, |hash| hashes.push(hash));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn no_repeated_chunk_is_dropped(
            texts in prop::collection::vec(prop::collection::vec(0u64..6, 0..40), 0..6),
            k in 1u32..13,
            bytes in 8u64..4096,
        ) {
            let filter = Filter { n: run_length(k), k, counter: Counter::new(bytes) };
            let (mut hashes, mut flags) = (Vec::new(), Vec::new());
            for text in texts.iter().filter(|text| text.len() >= filter.n as usize) {
                filter.hash_runs(text, &mut hashes);
                filter.counter.count(&hashes);
            }
            let mut occurrences = BTreeMap::new();
            for chunk in texts.iter().flat_map(|text| text.windows(k as usize)) {
                *occurrences.entry(chunk).or_insert(0) += 1;
            }
            for text in &texts {
                filter.keep(text, &mut hashes, &mut flags);
                if text.len() < k as usize {
                    prop_assert_eq!(&flags, &vec![true; usize::from(!text.is_empty())]);
                    continue;
                }
                prop_assert_eq!(flags.len(), text.len() + 1 - k as usize);
                for (chunk, &kept) in text.windows(k as usize).zip(&flags) {
                    prop_assert!(kept || occurrences[chunk] == 1);
                }
            }
        }
    }

    #[test]
    fn a_chunk_with_a_run_that_occurs_once_is_dropped() {
        let filter = Filter { n: 4, k: 8, counter: Counter::new(1 << 16) };
        let first: Vec<u64> = (0..20).collect();
        let second: Vec<u64> = (0..12).chain(100..108).collect();
        let (mut hashes, mut flags) = (Vec::new(), Vec::new());
        for text in [&first, &second] {
            filter.hash_runs(text, &mut hashes);
            filter.counter.count(&hashes);
        }
        filter.keep(&first, &mut hashes, &mut flags);
        // Chunks 0 to 4 lie within the twelve tokens that both texts begin with.
        assert_eq!(flags, (0..13).map(|chunk| chunk < 5).collect::<Vec<_>>());
    }
}
