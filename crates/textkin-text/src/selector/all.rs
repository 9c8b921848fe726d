//! `all`: keeps every chunk (full fingerprinting).
//!
//! Guarantee: lossless. The baseline of all papers.

use textkin_core::{Chunked, Selector};

/// Keeps every chunk.
#[derive(Clone, Copy, Debug)]
pub struct All;

impl Selector for All {
    fn select(&self, _document: &Chunked<'_>, _selection: &mut Vec<u32>) {}

    fn selects_runs(&self) -> bool {
        true
    }
}
