//! `rarest-document:R`: keeps the `R` chunks that are rarest in the document.
//!
//! Guarantee: exactly min(R, number of distinct chunks), each at its first occurrence; ties go to the first
//! chunks.
//! Rarest-in-document selection, proposed but not tested by Hoad and Zobel (2003).

use std::collections::HashMap;
use std::num::NonZeroU32;

use textkin_core::{Chunked, Selector};

use super::{keep_first_occurrences, keep_smallest};

/// Keeps the `r` chunks that are rarest in the document.
#[derive(Clone, Copy, Debug)]
pub struct RarestDocument {
    /// Number of chunks to keep.
    pub r: NonZeroU32,
}

impl Selector for RarestDocument {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        let mut counts: HashMap<u64, u32> = HashMap::with_capacity(document.chunks.len());
        for chunk in document.chunks {
            *counts.entry(chunk.hash).or_default() += 1;
        }
        keep_first_occurrences(document, selection);
        let count = |index: u32| counts.get(&document.chunks[index as usize].hash).copied();
        keep_smallest(selection, self.r, |index| (count(index), index));
    }
}
