//! `first:R`: keeps the first `R` chunks that do not overlap.
//!
//! Guarantee: at most `R`; of `words:K` those at tokens 0, K, 2K…
//! First-r selection of Hoad and Zobel (2003).

use std::num::NonZeroU32;

use textkin_core::{Chunked, Selector};

use super::retain;

/// Keeps the first `r` non-overlapping chunks.
#[derive(Clone, Copy, Debug)]
pub struct First {
    /// Number of chunks to keep.
    pub r: NonZeroU32,
}

impl Selector for First {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        let mut free_from = 0;
        retain(document, selection, |chunk| {
            let free = chunk.start >= free_from;
            if free {
                free_from = chunk.end;
            }
            free
        });
        selection.truncate(self.r.get() as usize);
    }
}
