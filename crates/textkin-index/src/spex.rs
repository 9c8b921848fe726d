//! SPEX: drops chunks that occur once before they become records (Bernstein and Zobel 2006, §5).
//!
//! A chunk can only be repeated if all its sub-chunks are. Pass n = 1…K counts the runs of n
//! tokens both of whose sub-runs of n−1 tokens were counted more than once; no more than two
//! counters are in memory. Counters never say "once" of what occurs twice, so that nothing
//! repeated is lost; what they keep too much is found out by the exact pass that follows.

use textkin_core::chunk::RollingHash;

use crate::array::Window;
use crate::batch::{Batch, BatchSettings, hash_tokens};
use crate::collect::Collection;
use crate::counter::Counter;
use crate::error::Error;
use crate::work::{Progress, Stop, for_each};

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
    // Eight fields a chunk keep false positives rare; more would not pay.
    let bytes = (collection.budget() / 4).min(n_chunks * 2).max(64);
    let mut previous: Option<Counter> = None;
    for n in 1..=k {
        progress.begin(&format!("counting runs of {n} of {k} words"), batches.len() as u64);
        let counter = Counter::new(bytes);
        let tasks: Vec<&Batch> = batches.iter().collect();
        for_each(
            threads,
            tasks,
            |_| Scratch::default(),
            |scratch, batch| {
                stop.check()?;
                count(batch, n, previous.as_ref(), &counter, scratch)?;
                progress.advance(1);
                Ok(())
            },
        )?;
        previous = Some(counter);
    }
    let Some(counter) = previous else { return Ok(()) };
    progress.begin("keeping repeated chunks", batches.len() as u64);
    let tasks: Vec<&mut Batch> = batches.iter_mut().collect();
    for_each(
        threads,
        tasks,
        |_| (),
        |(), batch| {
            stop.check()?;
            keep(batch, &settings, &counter)?;
            if let Some(spool) = collection.spool_in_use() {
                batch.spill(spool)?;
            }
            progress.advance(1);
            Ok(())
        },
    )?;
    Ok(())
}

#[derive(Default)]
struct Scratch {
    bytes: Window<u8>,
    hashes: Vec<u64>,
    shorter: Vec<bool>,
}

/// Counts the runs of `n` tokens whose sub-runs are repeated.
fn count(
    batch: &Batch,
    n: u32,
    previous: Option<&Counter>,
    counter: &Counter,
    scratch: &mut Scratch,
) -> Result<(), Error> {
    for text in 0..batch.texts.len() {
        if batch.texts[text].tokens < n {
            continue;
        }
        hash_tokens(batch.text_bytes(text, &mut scratch.bytes)?, &mut scratch.hashes);
        let Some(previous) = previous else {
            RollingHash::new(1).hash_all(&scratch.hashes, |hash| counter.count(hash));
            continue;
        };
        let shorter = &mut scratch.shorter;
        shorter.clear();
        RollingHash::new(n - 1)
            .hash_all(&scratch.hashes, |hash| shorter.push(previous.is_repeated(hash)));
        let mut start = 0;
        RollingHash::new(n).hash_all(&scratch.hashes, |hash| {
            if shorter[start] && shorter[start + 1] {
                counter.count(hash);
            }
            start += 1;
        });
    }
    Ok(())
}

/// Makes the records of the chunks that the last counter calls repeated. A text shorter than a
/// chunk is one chunk of what it has, which no pass counted: it is kept.
fn keep(batch: &mut Batch, settings: &BatchSettings, counter: &Counter) -> Result<(), Error> {
    let k = settings.overlapping_words.unwrap_or(1);
    batch.make_records(settings, |tokens, kept| {
        if tokens.len() < k as usize {
            kept.push(true);
        } else {
            RollingHash::new(k).hash_all(tokens, |hash| kept.push(counter.is_repeated(hash)));
        }
    })
}
