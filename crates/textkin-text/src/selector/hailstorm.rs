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
            let first = chunk.first as usize;
            let last = first + chunk.count as usize - 1;
            after[first] > last || before[last].is_none_or(|smaller| smaller < first)
        });
    }
}

/// For each token, its nearest neighbours with a strictly smaller hash.
struct Neighbours {
    before: Vec<Option<usize>>,
    /// The number of tokens if there is none.
    after: Vec<usize>,
}

fn smaller_neighbours(hashes: &[u64]) -> Neighbours {
    let mut before = vec![None; hashes.len()];
    let mut after = vec![hashes.len(); hashes.len()];
    // Tokens that have met no smaller one yet: their hashes ascend.
    let mut open: Vec<usize> = Vec::new();
    for (token, hash) in hashes.iter().enumerate() {
        while let Some(larger) = open.pop_if(|last| hashes[*last] > *hash) {
            after[larger] = token;
        }
        before[token] = match open.last() {
            Some(&equal) if hashes[equal] == *hash => before[equal],
            smaller => smaller.copied(),
        };
        open.push(token);
    }
    Neighbours { before, after }
}
