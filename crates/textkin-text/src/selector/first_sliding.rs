//! `first-sliding:R`: keeps the first `R` chunks, overlapping or not.
//!
//! Guarantee: exactly min(R, n).
//! First-r-sliding selection of Hoad and Zobel (2003).

use std::num::NonZeroU32;

use textkin_core::{Chunked, Selector};

/// Keeps the first `r` chunks.
#[derive(Clone, Copy, Debug)]
pub struct FirstSliding {
    /// Number of chunks to keep.
    pub r: NonZeroU32,
}

impl Selector for FirstSliding {
    fn select(&self, _document: &Chunked<'_>, selection: &mut Vec<u32>) {
        selection.truncate(self.r.get() as usize);
    }
}
