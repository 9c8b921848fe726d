//! `words:K`: every run of `K` consecutive tokens, overlapping; `word` is the same with one.
//!
//! In: tokens. Out: one chunk per token except the last `K − 1`; a document of fewer than `K` tokens is one
//! chunk.
//! Guarantee: two documents share a chunk exactly if they share `K` consecutive tokens (or are
//! the same shorter text). With the default hash each chunk costs O(1).
//! The k-shingles of Broder et al. (1997), used in all five papers.

use std::num::NonZeroU32;

use textkin_core::chunk::{RollingHash, overlapping_count};
use textkin_core::hash::HashKind;
use textkin_core::{Chunk, Chunker, Tokens};

use super::{chunk_of_run, offset};

/// Every run of `k` consecutive tokens.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// Tokens in a chunk.
    pub k: NonZeroU32,
    /// Hash function of chunks.
    pub hash: HashKind,
}

impl Chunker for Words {
    fn chunk(&self, tokens: &Tokens, chunks: &mut Vec<Chunk>) {
        let k = self.k.get() as usize;
        let n_chunks = overlapping_count(tokens.len(), k);
        let count = k.min(tokens.len());
        chunks.reserve(n_chunks);
        if self.hash != HashKind::Polynomial {
            let runs = (0..n_chunks).map(|first| first..first + count);
            chunks.extend(runs.map(|run| chunk_of_run(tokens, run, self.hash)));
            return;
        }
        let mut first = 0;
        RollingHash::new(self.k.get()).hash_all(tokens.hashes(), |hash| {
            let (start, end) = (tokens.start(first), tokens.end(first + count - 1));
            chunks.push(Chunk { hash, first: offset(first), count: offset(count), start, end });
            first += 1;
        });
    }

    fn overlapping_words(&self) -> Option<u32> {
        (self.hash == HashKind::Polynomial).then_some(self.k.get())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;
    use textkin_core::chunk::chunk_hash;

    use super::*;
    use crate::chunker::testing::{any_text, chunks, numbered, text, texts, tokens};

    fn words(k: u32) -> Words {
        Words { k: NonZeroU32::new(k).unwrap(), hash: HashKind::Polynomial }
    }

    #[test]
    fn a_rose_is_a_rose_has_three_distinct_chunks_of_four_words() {
        let tokens = tokens("a rose is a rose is a rose");
        let chunks = chunks(&words(4), &tokens);
        assert_eq!(chunks.len(), 5);
        let texts: HashSet<&str> = chunks.iter().map(|chunk| text(&tokens, chunk)).collect();
        assert_eq!(texts, HashSet::from(["a rose is a", "rose is a rose", "is a rose is"]));
        let hashes: HashSet<u64> = chunks.iter().map(|chunk| chunk.hash).collect();
        assert_eq!(hashes.len(), 3);
    }

    #[test]
    fn a_short_document_is_one_chunk_and_an_empty_one_none() {
        assert_eq!(texts(&words(8), &tokens("only three words")), ["only three words"]);
        assert_eq!(texts(&words(u32::MAX), &tokens("x")), ["x"]);
        assert!(texts(&words(8), &tokens("")).is_empty());
    }

    #[test]
    fn a_hundred_thousand_tokens_are_chunked() {
        let tokens = numbered(100_000);
        assert_eq!(chunks(&words(8), &tokens).len(), 99_993);
    }

    #[test]
    fn only_the_rolling_hash_allows_implicit_chunks() {
        assert_eq!(words(8).overlapping_words(), Some(8));
        let rabin = Words { hash: HashKind::Rabin, ..words(8) };
        assert_eq!(rabin.overlapping_words(), None);
    }

    proptest! {
        #[test]
        fn chunks_are_exactly_all_runs(document in any_text(40), k in 1_u32..12) {
            let tokens = tokens(&document);
            let n = tokens.len();
            let size = (k as usize).min(n);
            let naive: Vec<Chunk> = (0..n)
                .filter(|first| first + size <= n)
                .map(|first| Chunk {
                    hash: chunk_hash(&tokens.hashes()[first..first + size]),
                    first: offset(first),
                    count: offset(size),
                    start: tokens.start(first),
                    end: tokens.end(first + size - 1),
                })
                .collect();
            prop_assert_eq!(chunks(&words(k), &tokens), naive);
        }

        #[test]
        fn every_hash_distinguishes_the_same_chunks(document in any_text(40), k in 1_u32..6) {
            let tokens = tokens(&document);
            for hash in HashKind::ALL {
                let chunks = chunks(&Words { hash, ..words(k) }, &tokens);
                for a in &chunks {
                    for b in &chunks {
                        let same = text(&tokens, a) == text(&tokens, b);
                        prop_assert_eq!(a.hash == b.hash, same);
                    }
                }
            }
        }
    }
}
