//! `hailstorm`: keeps a chunk whose smallest *token* hash is at its first or last token.
//!
//! In: chunks of any lengths. Out: those whose smallest token hash stands at an end (and perhaps
//! in between too): about 2 in `K` for `words:K`. Hashes are compared by their highest 32 bits.
//! Guarantee: context-free, and of overlapping `words:K` every token is covered but for the first
//! and last `K − 1`, for which no chunk may qualify. O(tokens + chunks), whatever `K`.
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

/// Runs judged together, so that what is known of them stays near.
const BLOCK: usize = 128;
/// Runs that a mask tells of.
const LANE: usize = 64;
/// Tokens of the longest run that is judged so.
const LONGEST: usize = 16;

/// Tells each run of `k` hashes, at most as many as there are, whose least is at an end.
fn each_kept(hashes: &[u64], k: usize, n_runs: usize, mut keep: impl FnMut(u32)) {
    let mut keep = |run: usize| keep(u32::try_from(run).expect("a text is bounded to 4 GiB"));
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
        for (place, mut mask) in (0..n).step_by(LANE).zip(masks) {
            if n - place < LANE {
                mask &= !(u64::MAX << (n - place));
            }
            while mask != 0 {
                keep(first + place + mask.trailing_zeros() as usize);
                mask &= mask - 1;
            }
        }
    }
}

/// The same of the runs of at most [`BLOCK`] + `k` − 1 hashes, a bit for each. Loops of a fixed length without
/// branches become vector instructions, of those that the processor has.
#[multiversion::multiversion(targets("x86_64+avx2", "x86_64+sse4.1"))]
fn judge_block(hashes: &[u64], k: usize) -> [u64; BLOCK / LANE] {
    let mut keys = [i32::MAX; BLOCK + LONGEST];
    for (place, hash) in keys.iter_mut().zip(hashes) {
        *place = key(*hash);
    }
    // The least of one, two, four, … tokens from each on.
    let mut least = keys;
    let mut length = 1;
    while 2 * length <= k {
        let shorter = least;
        for ((least, a), b) in least.iter_mut().zip(&shorter).zip(&shorter[length..]) {
            *least = *a.min(b);
        }
        length *= 2;
    }
    // Those of `k` tokens are in the first and the last so many.
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
        for (place, flags) in flags.as_chunks::<8>().0.iter().enumerate() {
            // Moves the lowest bit of byte i to bit 56 + i; no two products meet in one bit.
            let bits = u64::from_le_bytes(*flags).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            *mask |= bits << (8 * place);
        }
    }
    masks
}

/// What tokens are compared by: the highest 32 bits of their hashes, in the order of these.
fn key(hash: u64) -> i32 {
    let [.., a, b, c, d] = hash.to_le_bytes();
    i32::from_le_bytes([a, b, c, d]) ^ i32::MIN
}

/// For each token, its nearest neighbours with a strictly smaller hash.
struct Neighbours {
    /// One more than its place; 0 if there is none.
    before: Vec<u32>,
    /// The number of tokens if there is none.
    after: Vec<u32>,
}

fn smaller_neighbours(hashes: &[u64]) -> Neighbours {
    let n_tokens = u32::try_from(hashes.len()).expect("a text is bounded to 4 GiB");
    let mut before = vec![0; hashes.len()];
    let mut after = vec![n_tokens; hashes.len()];
    // Tokens that have met no smaller one yet: their hashes ascend.
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
