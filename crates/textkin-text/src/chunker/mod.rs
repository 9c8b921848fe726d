//! Tokens to chunks: one file per chunker, all behind [`Chunker`](textkin_core::Chunker).
//!
//! In: the tokens of one document. Out: its chunks, ordered by start.
//! Guarantee: with the same hash function, equal runs of tokens (or characters) have equal hashes in all
//! chunkers of this module except [`Dct`], whose hash tolerates edits.
//! [`crate::grammar`] builds chunkers from their names.

pub mod words;
pub mod disjoint;
pub mod chars;
pub mod sentence;
pub mod breakpoint;
pub mod dct;
pub mod whole;

pub use breakpoint::Breakpoint;
pub use chars::Chars;
pub use dct::Dct;
pub use disjoint::DisjointWords;
pub use sentence::Sentences;
pub use whole::WholeDocument;
pub use words::Words;

#[cfg(test)]
pub(crate) mod testing;

use std::ops::Range;

use textkin_core::chunk::chunk_hash;
use textkin_core::hash::HashKind;
use textkin_core::{Chunk, Tokens};

/// Returns the chunk of the tokens in `run`, which must not be empty.
fn chunk_of_run(tokens: &Tokens, run: Range<usize>, hash: HashKind) -> Chunk {
    let (start, end) = (tokens.start(run.start), tokens.end(run.end - 1));
    let hash = match hash.over_bytes() {
        None => chunk_hash(&tokens.hashes()[run.clone()]),
        Some(over_bytes) => over_bytes(&tokens.normalized()[start as usize..end as usize]),
    };
    Chunk { hash, first: offset(run.start), count: offset(run.len()), start, end }
}

/// Converts a position in a text to its stored form.
fn offset(position: usize) -> u32 {
    u32::try_from(position).expect("texts are limited to 4 GiB")
}
