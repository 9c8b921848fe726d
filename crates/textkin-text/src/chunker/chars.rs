//! `chars:K`: every run of `K` consecutive characters of the normalised text.
//!
//! In: tokens. Out: one chunk per character but the last `K − 1`, of the tokens joined by single
//! spaces, each space being a character; a text of fewer than `K` characters is one chunk.
//! A chunk touches the tokens that have a character in it; a chunk of a single space touches the token
//! before it.
//! Guarantee: two documents share a chunk exactly if their normalised texts share `K` characters
//! in a row. With the default hash each chunk costs O(1).
//! Manber (1994), as described by Hoad and Zobel (2003) under granularity.

use std::num::NonZeroU32;

use textkin_core::chunk::{RollingHash, mix};
use textkin_core::hash::HashKind;
use textkin_core::{Chunk, Chunker, Tokens};

use super::offset;

/// Every run of `k` consecutive characters.
#[derive(Clone, Copy, Debug)]
pub struct Chars {
    /// Characters in a chunk.
    pub k: NonZeroU32,
    /// Hash function of chunks.
    pub hash: HashKind,
}

impl Chunker for Chars {
    fn chunk(&self, tokens: &Tokens, chunks: &mut Vec<Chunk>) {
        let Some(last) = tokens.len().checked_sub(1) else {
            return;
        };
        let text = &tokens.normalized()[..tokens.end(last) as usize];
        let boundaries = boundaries(text);
        let n_chars = boundaries.len() - 1;
        let size = n_chars.min(self.k.get() as usize);

        let before = chunks.len();
        let (mut first, mut end_token) = (0, 0);
        for (&start, &end) in boundaries.iter().zip(&boundaries[size..]) {
            while tokens.end(first) < start {
                first += 1;
            }
            if tokens.end(first) == start && end > start + 1 {
                first += 1; // begins with a space
            }
            end_token = first.max(end_token);
            while end_token < last && tokens.start(end_token + 1) < end {
                end_token += 1;
            }
            let count = offset(end_token + 1 - first);
            chunks.push(Chunk { hash: 0, first: offset(first), count, start, end });
        }
        self.hash_chunks(text, &boundaries, &mut chunks[before..]);
    }
}

impl Chars {
    fn hash_chunks(&self, text: &[u8], boundaries: &[u32], chunks: &mut [Chunk]) {
        if let Some(over_bytes) = self.hash.over_bytes() {
            for chunk in chunks {
                chunk.hash = over_bytes(&text[chunk.start as usize..chunk.end as usize]);
            }
            return;
        }
        let char_hash = |ends: &[u32]| {
            let bytes = &text[ends[0] as usize..ends[1] as usize];
            mix(bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte)))
        };
        let hashes: Vec<u64> = boundaries.windows(2).map(char_hash).collect();
        let mut chunks = chunks.iter_mut();
        RollingHash::new(self.k.get()).hash_all(&hashes, |hash| {
            if let Some(chunk) = chunks.next() {
                chunk.hash = hash;
            }
        });
    }
}

/// Returns the start of each character of `text` (UTF-8), and the end of the last one.
fn boundaries(text: &[u8]) -> Vec<u32> {
    let begins = |byte: u8| byte & 0b1100_0000 != 0b1000_0000;
    let starts = (0..text.len()).filter(|&position| begins(text[position]));
    starts.chain([text.len()]).map(offset).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::chunker::testing::{any_text, chunks, text, texts, tokens};

    fn chars(k: u32) -> Chars {
        Chars { k: NonZeroU32::new(k).unwrap(), hash: HashKind::default() }
    }

    #[test]
    fn a_space_is_a_character_and_a_letter_of_two_bytes_is_one() {
        let tokens = tokens("ab über");
        assert_eq!(texts(&chars(4), &tokens), ["ab ü", "b üb", " übe", "über"]);
        let touched: Vec<(u32, u32)> =
            chunks(&chars(4), &tokens).iter().map(|chunk| (chunk.first, chunk.count)).collect();
        assert_eq!(touched, [(0, 2), (0, 2), (1, 1), (1, 1)]);
    }

    #[test]
    fn a_short_text_is_one_chunk() {
        assert_eq!(texts(&chars(40), &tokens("a b")), ["a b"]);
        assert!(texts(&chars(4), &tokens("")).is_empty());
    }

    #[test]
    fn a_lone_space_touches_the_token_before_it() {
        let chunks = chunks(&chars(1), &tokens("a b"));
        let touched: Vec<(u32, u32)> = chunks.iter().map(|c| (c.first, c.count)).collect();
        assert_eq!(touched, [(0, 1), (0, 1), (1, 1)]);
    }

    proptest! {
        #[test]
        fn chunks_are_exactly_all_runs_of_characters(document in any_text(12), k in 1_u32..20) {
            let tokens = tokens(&document);
            let joined = String::from_utf8(tokens.normalized().to_vec()).unwrap();
            let letters: Vec<char> = joined.trim_end().chars().collect();
            let size = letters.len().min(k as usize);
            let naive: Vec<String> = match size {
                0 => Vec::new(),
                _ => letters.windows(size).map(|run| run.iter().collect()).collect(),
            };
            prop_assert_eq!(texts(&chars(k), &tokens), naive);
        }

        #[test]
        fn a_chunk_touches_the_tokens_with_a_letter_in_it(document in any_text(12), k in 2_u32..9) {
            let tokens = tokens(&document);
            for chunk in chunks(&chars(k), &tokens) {
                let held = |&token: &usize| {
                    tokens.start(token) < chunk.end && tokens.end(token) > chunk.start
                };
                let naive: Vec<usize> = (0..tokens.len()).filter(held).collect();
                let touched = chunk.first as usize..(chunk.first + chunk.count) as usize;
                prop_assert_eq!(touched.collect::<Vec<_>>(), naive);
            }
        }

        #[test]
        fn equal_characters_have_equal_hashes(document in any_text(12), k in 1_u32..5) {
            let tokens = tokens(&document);
            for hash in HashKind::ALL {
                let chunks = chunks(&Chars { hash, ..chars(k) }, &tokens);
                for a in &chunks {
                    for b in &chunks {
                        if text(&tokens, a) == text(&tokens, b) {
                            prop_assert_eq!(a.hash, b.hash);
                        } else if hash != HashKind::ShiftAddXor {
                            prop_assert_ne!(a.hash, b.hash);
                        }
                    }
                }
            }
        }
    }
}
