//! `document`: the whole document is one chunk.
//!
//! In: tokens. Out: one chunk, or none for a document without tokens.
//! Guarantee: two documents share it exactly if their normalised texts are equal.
//! The coarsest chunking of Shivakumar and Garcia-Molina (1996).

use textkin_core::hash::HashKind;
use textkin_core::{Chunk, Chunker, Tokens};

use super::chunk_of_run;

/// The whole document.
#[derive(Clone, Copy, Debug)]
pub struct WholeDocument {
    /// Hash function of the chunk.
    pub hash: HashKind,
}

impl Chunker for WholeDocument {
    fn chunk(&self, tokens: &Tokens, chunks: &mut Vec<Chunk>) {
        if !tokens.is_empty() {
            chunks.push(chunk_of_run(tokens, 0..tokens.len(), self.hash));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunker::testing::{texts, tokens};

    #[test]
    fn the_document_is_one_chunk() {
        let whole = WholeDocument { hash: HashKind::default() };
        assert_eq!(texts(&whole, &tokens("a b. c")), ["a b c"]);
        assert!(texts(&whole, &tokens("")).is_empty());
    }
}
