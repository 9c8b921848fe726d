//! `hailstorm`: keeps a chunk whose smallest *token* hash is at its first or last token.
//!
//! In: chunks of any lengths. Out: those whose smallest token hash stands at an end (and perhaps
//! in between too): about 2 in `K` for `words:K`.
//! Guarantee: context-free, and of overlapping `words:K` every token is covered but for the first
//! and last `K − 1`, for which no chunk may qualify. O(tokens + chunks), whatever `K`.
//! Abdel-Hamid, Behzadi, Christoph and Henzinger (2009), Lemma 1.

use textkin_core::{Chunked, Selector};

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
        while let Some(larger) = open.pop_if(|last| hashes[*last as usize] > *hash) {
            after[larger as usize] = token;
        }
        before[token as usize] = match open.last() {
            Some(&equal) if hashes[equal as usize] == *hash => before[equal as usize],
            Some(&smaller) => smaller + 1,
            None => 0,
        };
        open.push(token);
    }
    Neighbours { before, after }
}
