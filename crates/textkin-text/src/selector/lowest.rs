//! `lowest:R`: keeps the `R` lowest hash values: the bottom-R sketch of the document.
//!
//! Guarantee: exactly min(R, number of distinct chunks), each at its first occurrence. The share
//! of common values among the `R` lowest of two documents together estimates their resemblance.
//! Heintze (1996), as described by Hoad and Zobel (2003).

use std::num::NonZeroU32;

use textkin_core::{Chunked, Selector};

use super::{keep_first_occurrences, keep_smallest};

/// Keeps the `r` lowest hash values.
#[derive(Clone, Copy, Debug)]
pub struct Lowest {
    /// Number of chunks to keep.
    pub r: NonZeroU32,
}

impl Selector for Lowest {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        keep_first_occurrences(document, selection);
        keep_smallest(selection, self.r, |index| document.chunks[index as usize].hash);
    }
}
