//! `every:L`: keeps the chunks number 0, L, 2L… of the document.
//!
//! Guarantee: covers every token of overlapping `words:K` if `L ≤ K`, except the last `L − 1`; one inserted
//! word shifts all following chunks.
//! “Every l-th” of Abdel-Hamid et al. (2009).

use std::num::NonZeroU32;

use textkin_core::{Chunked, Selector};

/// Keeps every `l`-th chunk.
#[derive(Clone, Copy, Debug)]
pub struct Every {
    /// The step, in chunks.
    pub l: NonZeroU32,
}

impl Selector for Every {
    fn select(&self, _document: &Chunked<'_>, selection: &mut Vec<u32>) {
        selection.retain(|index| *index % self.l == 0);
    }
}
