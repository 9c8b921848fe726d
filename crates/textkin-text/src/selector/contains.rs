//! `contains:FILE`: keeps the chunks that contain a listed word.
//!
//! In: chunks, and words in the normal form of tokens. Out: the chunks that touch a token equal
//! to one of them.
//! Guarantee: context-free. O(tokens + chunks).
//! The filter suggested by Bernstein and Zobel (2006), section 6.1.

use std::collections::HashSet;

use textkin_core::{Chunked, Selector};

use super::retain;

/// Keeps chunks that contain a listed word.
#[derive(Clone, Debug)]
pub struct Contains {
    words: HashSet<Box<[u8]>>,
}

impl Contains {
    /// Creates a selector for these words.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        Self { words: words.into_iter().map(|word| word.as_bytes().into()).collect() }
    }
}

impl Selector for Contains {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        let tokens = document.tokens;
        // Number of listed words before each token, and in total.
        let mut listed = Vec::with_capacity(tokens.len() + 1);
        listed.push(0_u32);
        let mut n_listed = 0;
        for token in 0..tokens.len() {
            n_listed += u32::from(self.words.contains(tokens.token(token)));
            listed.push(n_listed);
        }
        retain(document, selection, |chunk| {
            let first = chunk.first as usize;
            listed[first] < listed[first + chunk.count as usize]
        });
    }
}
