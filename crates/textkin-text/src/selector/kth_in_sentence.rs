//! `kth-in-sentence:K`: keeps the chunks that begin with the `K`-th word of a sentence.
//!
//! In: chunks, and where sentences begin. Out: at most one chunk of `words:N` per sentence; a
//! sentence of fewer than `K` words gives none. The first word is number 1.
//! Hoad and Zobel (2003).

use std::num::NonZeroU32;

use textkin_core::{Chunked, Selector};

use super::{keep_beginning_at, kth_tokens};

/// Keeps chunks that begin with the `k`-th word of a sentence.
#[derive(Clone, Copy, Debug)]
pub struct KthInSentence {
    /// Number of the word, from 1.
    pub k: NonZeroU32,
}

impl Selector for KthInSentence {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        let tokens = document.tokens;
        let starts = kth_tokens(tokens.sentences(), tokens.len(), self.k);
        keep_beginning_at(document, selection, &starts);
    }

    fn needs_structure(&self) -> bool {
        true
    }
}
