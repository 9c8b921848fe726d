//! Tokens to chunks: one file per chunker, all behind [`Chunker`](textkin_core::Chunker).
//!
//! In: the tokens of one document. Out: its chunks, ordered by start.
//! Guarantee: equal runs of tokens (or characters) get equal hashes, whichever chunker of this
//! module met them with the same hash function, except in [`Dct`], whose hash forgives edits.
//! Names are turned into chunkers by [`crate::grammar`].

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

/// The chunk of the tokens in `run`, which is not empty.
fn chunk_of_run(tokens: &Tokens, run: Range<usize>, hash: HashKind) -> Chunk {
    let (start, end) = (tokens.start(run.start), tokens.end(run.end - 1));
    let hash = match hash.over_bytes() {
        None => chunk_hash(&tokens.hashes()[run.clone()]),
        Some(over_bytes) => over_bytes(&tokens.normalized()[start as usize..end as usize]),
    };
    Chunk { hash, first: offset(run.start), count: offset(run.len()), start, end }
}

/// A place in a text as it is stored.
fn offset(place: usize) -> u32 {
    u32::try_from(place).expect("a text is bounded to 4 GiB")
}
