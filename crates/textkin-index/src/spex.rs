//! SPEX: drops chunks that occur once before they become records (Bernstein and Zobel 2006, §5).
//!
//! A chunk of K tokens can only be repeated if all its shorter runs are. The paper counts runs of 1, 2, …
//! K tokens in K passes, two bits each, and counts a run only if all shorter runs in it were counted more
//! than once; at most two counters are in memory ([`Passes::All`]). Counters never report "once" for a run
//! that occurs twice, so no repeated chunk is lost. The exact pass that follows removes what they kept by
//! mistake.
//!
//! One pass that counts the runs of about K/2 tokens ([`Passes::One`]) costs less and mostly keeps less: a
//! chunk of 8 that occurs once is kept only if five fields are wrong about it, not one. Measured on 5.4
//! million chunks of which 2.0 million are repeated, with a quarter of a byte per chunk for all counters:
//! K passes keep 2.8 million, one pass of runs of 8 keeps 3.8 million, and one of runs of 4 keeps 2.25
//! million. With a sixteenth of a byte, K passes keep fewer.

use textkin_core::chunk::RollingHash;
use textkin_core::parallel::try_for_each;

use crate::batch::{Batch, hash_tokens};
use crate::collect::Collection;
use crate::counter::Counter;
use crate::error::Error;
use crate::repeats::Pass;

/// Minimum length of a counted run; shorter runs are repeated in almost any text.
const SHORTEST_RUN: u32 = 4;

/// The runs that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passes {
    /// Runs of about half a chunk.
    One,
    /// Runs of 1, 2, … K tokens, as in the paper.
    All,
}

impl Passes {
    /// The lengths of runs that are counted for chunks of `k` tokens, one per pass.
    fn lengths(self, k: u32) -> Vec<u32> {
        match self {
            Self::One => vec![k.div_ceil(2).max(SHORTEST_RUN).min(k)],
            Self::All => (1..=k).collect(),
        }
    }
}

/// Creates the records of all chunks that may be repeated. A text for which `is_copied` returns true, given
/// its batch and its number there, counts twice.
pub(crate) fn make_records(
    batches: &mut [Batch],
    collection: &Collection,
    is_copied: &(dyn Fn(usize, usize) -> bool + Sync),
    pass: Pass<'_>,
) -> Result<(), Error> {
    let settings = collection.settings();
    let k = settings.overlapping_words.unwrap_or(1);
    let lengths = collection.passes().lengths(k);
    let n_chunks: u64 = batches.iter().map(|batch| u64::from(batch.n_chunks)).sum();
    // Four fields per chunk keep few chunks too many; more would not pay off.
    let share = if lengths.len() > 1 { 4 } else { 2 };
    let bytes = (collection.budget() / share).min(n_chunks).max(64);
    let mut filter: Option<RunFilter> = None;
    for n in lengths {
        let next = RunFilter { n, counter: Counter::new(bytes) };
        pass.progress.begin(&format!("counting runs of {n} words"), batches.len() as u64);
        let tasks: Vec<(usize, &Batch)> = batches.iter().enumerate().collect();
        try_for_each(
            pass.threads,
            tasks,
            |_| Scratch::default(),
            |scratch, (number, batch)| {
                pass.stop.check()?;
                next.count(batch, filter.as_ref(), |text| is_copied(number, text), scratch)?;
                pass.progress.advance(1);
                Ok(())
            },
        )?;
        filter = Some(next);
    }
    let Some(filter) = filter else { return Ok(()) };
    pass.progress.begin("keeping repeated chunks", batches.len() as u64);
    let tasks: Vec<&mut Batch> = batches.iter_mut().collect();
    try_for_each(
        pass.threads,
        tasks,
        |_| (Vec::new(), Vec::new()),
        |(hashes, records), batch| {
            pass.stop.check()?;
            let keep =
                |tokens: &[u64], flags: &mut Vec<bool>| filter.keep(k, tokens, hashes, flags);
            batch.make_records(&settings, records, keep)?;
            if let Some(spill_file) = collection.spill_file_in_use() {
                batch.spill(spill_file)?;
            }
            pass.progress.advance(1);
            Ok(())
        },
    )?;
    Ok(())
}

#[derive(Default)]
struct Scratch {
    tokens: Vec<u64>,
    hashes: Vec<u64>,
    flags: Vec<bool>,
}

/// Counts how often runs of `n` tokens occur.
struct RunFilter {
    n: u32,
    counter: Counter,
}

impl RunFilter {
    /// Counts the runs of all texts of `batch` whose shorter runs are all repeated according to `shorter`.
    fn count(
        &self,
        batch: &Batch,
        shorter: Option<&Self>,
        is_copied: impl Fn(usize) -> bool,
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        let Scratch { tokens, hashes, flags } = scratch;
        batch.for_each_text(|text, bytes| {
            hash_tokens(bytes, tokens);
            if tokens.len() < self.n as usize {
                return;
            }
            if let Some(shorter) = shorter {
                shorter.keep(self.n, tokens, hashes, flags);
            }
            self.hash_runs(tokens, hashes);
            if shorter.is_some() {
                let mut flags = flags.iter();
                hashes.retain(|_| flags.next().is_none_or(|&flag| flag));
            }
            self.counter.count(hashes);
            if is_copied(text) {
                self.counter.count(hashes);
            }
        })
    }

    /// Sets in `flags` which runs of `k` tokens of a text may be repeated: those all of whose runs of `n`
    /// may be. A shorter text is a single run, which is kept.
    fn keep(&self, k: u32, tokens: &[u64], hashes: &mut Vec<u64>, flags: &mut Vec<bool>) {
        flags.clear();
        if tokens.len() < k as usize {
            flags.resize(usize::from(!tokens.is_empty()), true);
            return;
        }
        self.hash_runs(tokens, hashes);
        self.counter.are_repeated(hashes, flags);
        // A flag covers `n_covered` runs from its position; the number doubles with every step.
        let all = (k - self.n) as usize + 1;
        let mut n_covered = 1;
        while n_covered < all {
            let step = n_covered.min(all - n_covered);
            let len = flags.len() - step;
            for position in 0..len {
                flags[position] &= flags[position + step];
            }
            flags.truncate(len);
            n_covered += step;
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
            let filter = RunFilter { n: Passes::One.lengths(k)[0], counter: Counter::new(bytes) };
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
                filter.keep(k, text, &mut hashes, &mut flags);
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
        let filter = RunFilter { n: 4, counter: Counter::new(1 << 16) };
        let first: Vec<u64> = (0..20).collect();
        let second: Vec<u64> = (0..12).chain(100..108).collect();
        let (mut hashes, mut flags) = (Vec::new(), Vec::new());
        for text in [&first, &second] {
            filter.hash_runs(text, &mut hashes);
            filter.counter.count(&hashes);
        }
        filter.keep(8, &first, &mut hashes, &mut flags);
        // Chunks 0 to 4 lie within the twelve tokens that both texts begin with.
        assert_eq!(flags, (0..13).map(|chunk| chunk < 5).collect::<Vec<_>>());
    }
}
