//! `spex`: keeps the chunks whose every sub-chunk repeats in the collection.
//!
//! Whether a chunk repeats is known only when the whole collection has been read: the index
//! decides it (DECO's passes over chunks of 1…K words), and drops what is unique. Seen from one
//! document nothing can be dropped, so here every chunk is kept; the name in the plan tells the
//! index what to do.
//! Guarantee: lossless for discovery. Bernstein and Zobel (2006).

use textkin_core::{Chunked, Selector};

/// Keeps every chunk of one document; the index drops those that do not repeat.
#[derive(Clone, Copy, Debug)]
pub struct Spex;

impl Selector for Spex {
    fn select(&self, _document: &Chunked<'_>, _selection: &mut Vec<u32>) {}
}
