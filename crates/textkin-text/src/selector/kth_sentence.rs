//! `kth-sentence:K`: keeps the chunks that begin every `K`-th sentence.
//!
//! In: chunks, and where sentences begin. Out: the chunks at the start of the first sentence and
//! of each `K`-th after it, like `every:L` for chunks, so that a document of fewer than `K` sentences still
//! has one.
//! Hoad and Zobel (2003).

use std::num::NonZeroU32;

use textkin_core::{Chunked, Selector};

use super::{keep_beginning_at, kth_tokens};

/// Keeps chunks that begin every `k`-th sentence.
#[derive(Clone, Copy, Debug)]
pub struct KthSentence {
    /// The step, in sentences.
    pub k: NonZeroU32,
}

impl Selector for KthSentence {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        let tokens = document.tokens;
        let sentences = kth_tokens(tokens.sentences(), tokens.len(), NonZeroU32::MIN);
        let starts: Vec<u32> = sentences.into_iter().step_by(self.k.get() as usize).collect();
        keep_beginning_at(document, selection, &starts);
    }

    fn needs_structure(&self) -> bool {
        true
    }
}
