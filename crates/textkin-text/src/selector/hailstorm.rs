//! `hailstorm`: keeps a chunk whose smallest *token* hash is at its first or last token.
//!
//! In: chunks of any lengths. Out: those with the smallest token hash at an end (and perhaps also in
//! between): about 2 in `K` for `words:K`. Hashes are compared by their highest 32 bits.
//! Guarantee: context-free; with overlapping `words:K` every token is covered except possibly the first and
//! last `K − 1`. O(tokens + chunks), whatever `K`.
//! Abdel-Hamid, Behzadi, Christoph and Henzinger (2009), Lemma 1.

use textkin_core::chunk::overlapping_count;
use textkin_core::{Chunked, Selector, Tokens};

use super::retain;

/// Keeps chunks that begin or end with their smallest token.
#[derive(Clone, Copy, Debug)]
pub struct Hailstorm;

impl Selector for Hailstorm {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        let Neighbours { before, after } = smaller_neighbours(document.tokens.hashes());
        retain(document, selection, |chunk| {
            let (first, end) = (chunk.first, chunk.first + chunk.count);
            after[first as usize] >= end || before[end as usize - 1] <= first
        });
    }

    fn selects_runs(&self) -> bool {
        true
    }

    fn select_runs(&self, tokens: &Tokens, k: usize, selection: &mut Vec<u32>) {
        let hashes = tokens.hashes();
        let n_runs = overlapping_count(hashes.len(), k);
        let mut keep = vec![false; n_runs];
        each_kept(hashes, k.min(hashes.len()), n_runs, |run| keep[run as usize] = true);
        selection.retain(|run| keep[*run as usize]);
    }

    fn select_of_all_runs(&self, tokens: &Tokens, k: usize, selection: &mut Vec<u32>) {
        let hashes = tokens.hashes();
        let n_runs = overlapping_count(hashes.len(), k);
        each_kept(hashes, k.min(hashes.len()), n_runs, |run| selection.push(run));
    }
}

/// Runs processed together, so that their data stays in the cache.
const BLOCK: usize = 128;
/// Runs per mask.
const LANE: usize = 64;
/// Maximum tokens of a run that is processed in blocks.
const LONGEST: usize = 16;

/// Calls `keep` with each run of `k` hashes whose smallest is at an end; `k` is at most their number.
fn each_kept(hashes: &[u64], k: usize, n_runs: usize, mut keep: impl FnMut(u32)) {
    let mut keep = |run: usize| keep(u32::try_from(run).expect("texts are limited to 4 GiB"));
    if k > LONGEST {
        let Neighbours { before, after } = smaller_neighbours(hashes);
        let ends = after.iter().zip(&before[k - 1..]).take(n_runs);
        for (run, (after, before)) in ends.enumerate() {
            if *after as usize >= run + k || *before as usize <= run {
                keep(run);
            }
        }
        return;
    }
    for first in (0..n_runs).step_by(BLOCK) {
        let n = BLOCK.min(n_runs - first);
        let masks = judge_block(&hashes[first..first + n + k - 1], k);
        for (position, mut mask) in (0..n).step_by(LANE).zip(masks) {
            if n - position < LANE {
                mask &= !(u64::MAX << (n - position));
            }
            while mask != 0 {
                keep(first + position + mask.trailing_zeros() as usize);
                mask &= mask - 1;
            }
        }
    }
}

/// Returns a bit for each run of at most [`BLOCK`] + `k` − 1 hashes: whether it is kept. Branch-free loops of
/// fixed length compile to vector instructions of the processor.
#[multiversion::multiversion(targets("x86_64+avx2", "x86_64+sse4.1"))]
fn judge_block(hashes: &[u64], k: usize) -> [u64; BLOCK / LANE] {
    let mut keys = [i32::MAX; BLOCK + LONGEST];
    for (position, hash) in keys.iter_mut().zip(hashes) {
        *position = key(*hash);
    }
    // The smallest of one, two, four, … tokens starting at each.
    let mut least = keys;
    let mut length = 1;
    while 2 * length <= k {
        let shorter = least;
        for ((least, a), b) in least.iter_mut().zip(&shorter).zip(&shorter[length..]) {
            *least = *a.min(b);
        }
        length *= 2;
    }
    // A run of `k` tokens is the union of its first and last `length` tokens.
    let mut is_kept = [0; BLOCK];
    let lasts = &least[k - length..k - length + BLOCK];
    let ends = &keys[k - 1..k - 1 + BLOCK];
    let runs = keys.iter().zip(ends).zip(least.iter().zip(lasts));
    for (is_kept, ((first, last), (a, b))) in is_kept.iter_mut().zip(runs) {
        let least = *a.min(b);
        *is_kept = u8::from((*first == least) | (*last == least));
    }
    let mut masks = [0; BLOCK / LANE];
    for (mask, flags) in masks.iter_mut().zip(is_kept.as_chunks::<LANE>().0) {
        for (position, flags) in flags.as_chunks::<8>().0.iter().enumerate() {
            // Moves the lowest bit of byte i to bit 56 + i; no two products meet in one bit.
            let bits = u64::from_le_bytes(*flags).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            *mask |= bits << (8 * position);
        }
    }
    masks
}

/// Returns the sort key of a token: the highest 32 bits of its hash, order-preserving.
fn key(hash: u64) -> i32 {
    let [.., a, b, c, d] = hash.to_le_bytes();
    i32::from_le_bytes([a, b, c, d]) ^ i32::MIN
}

/// For each token, its nearest neighbours with a strictly smaller hash.
struct Neighbours {
    /// One more than its index; 0 if there is none.
    before: Vec<u32>,
    /// The number of tokens if there is none.
    after: Vec<u32>,
}

fn smaller_neighbours(hashes: &[u64]) -> Neighbours {
    let n_tokens = u32::try_from(hashes.len()).expect("texts are limited to 4 GiB");
    let mut before = vec![0; hashes.len()];
    let mut after = vec![n_tokens; hashes.len()];
    // Tokens without a smaller token after them so far: their hashes ascend.
    let mut open: Vec<u32> = Vec::new();
    for (token, hash) in (0..).zip(hashes) {
        let hash = key(*hash);
        while let Some(larger) = open.pop_if(|last| key(hashes[*last as usize]) > hash) {
            after[larger as usize] = token;
        }
        before[token as usize] = match open.last() {
            Some(&equal) if key(hashes[equal as usize]) == hash => before[equal as usize],
            Some(&smaller) => smaller + 1,
            None => 0,
        };
        open.push(token);
    }
    Neighbours { before, after }
}
