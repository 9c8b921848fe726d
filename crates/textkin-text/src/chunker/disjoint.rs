//! `words:K:disjoint`: the tokens cut into runs of `K`, one after the other.
//!
//! In: tokens. Out: chunks at tokens 0, K, 2K…; the remaining tokens at the end are a shorter chunk, so that
//! every token is in exactly one chunk.
//! Guarantee: the chunks partition the tokens.
//! The “all substrings” strategy of Hoad and Zobel (2003), who drop the remaining tokens; they are kept here
//! because otherwise copies of the end of a text would be missed.

use std::num::NonZeroU32;

use textkin_core::hash::HashKind;
use textkin_core::{Chunk, Chunker, Tokens};

use super::chunk_of_run;

/// Runs of `k` tokens that do not overlap.
#[derive(Clone, Copy, Debug)]
pub struct DisjointWords {
    /// Tokens in a chunk.
    pub k: NonZeroU32,
    /// Hash function of chunks.
    pub hash: HashKind,
}

impl Chunker for DisjointWords {
    fn chunk(&self, tokens: &Tokens, chunks: &mut Vec<Chunk>) {
        let (k, n) = (self.k.get() as usize, tokens.len());
        let runs = (0..n).step_by(k).map(|first| first..first.saturating_add(k).min(n));
        chunks.extend(runs.map(|run| chunk_of_run(tokens, run, self.hash)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::chunker::testing::{any_text, chunks, coverage, texts, tokens};

    fn disjoint(k: u32) -> DisjointWords {
        DisjointWords { k: NonZeroU32::new(k).unwrap(), hash: HashKind::default() }
    }

    #[test]
    fn the_rest_is_a_shorter_chunk() {
        let tokens = tokens("one two three four five");
        assert_eq!(texts(&disjoint(2), &tokens), ["one two", "three four", "five"]);
        assert_eq!(texts(&disjoint(9), &tokens), ["one two three four five"]);
    }

    proptest! {
        #[test]
        fn every_token_is_in_exactly_one_chunk(document in any_text(40), k in 1_u32..12) {
            let tokens = tokens(&document);
            let chunks = chunks(&disjoint(k), &tokens);
            let covered = coverage(tokens.len(), chunks.into_iter());
            prop_assert!(covered.iter().all(|&times| times == 1));
        }
    }
}
