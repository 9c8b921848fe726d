//! `spex`: keeps chunks with only repeated sub-chunks in the collection.
//!
//! Repetition is known only after the whole collection has been read: the index determines it (DECO's passes
//! over chunks of 1…K words) and drops unique chunks. Within one document nothing can be dropped, so this
//! selector keeps every chunk; its name in the plan selects the behaviour of the index.
//! Guarantee: lossless for discovery. Bernstein and Zobel (2006).

use textkin_core::{Chunked, Selector};

/// Keeps every chunk of one document; the index drops those that do not repeat.
#[derive(Clone, Copy, Debug)]
pub struct Spex;

impl Selector for Spex {
    fn select(&self, _document: &Chunked<'_>, _selection: &mut Vec<u32>) {}
}
