//! `random:R[:SEED]`: keeps `R` chunks at random.
//!
//! Guarantee: exactly min(R, n) of the chunks still selected, each subset as likely as any other.
//! The seed is derived from the tokens of the document (and `SEED`, 0 by default), so that equal documents
//! have equal selections and different ones have independent selections.
//! The worst case of Hoad and Zobel (2003); Heintze (1996).

use std::num::NonZeroU32;

use textkin_core::chunk::{RollingHash, chunk_hash, mix};
use textkin_core::{Chunked, Selector};

use super::keep_smallest;

/// Keeps `r` chunks at random.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    /// Number of chunks to keep.
    pub r: NonZeroU32,
    /// Seed: another seed gives another selection of the same document.
    pub seed: u64,
}

impl Selector for Random {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        let seed = mix(chunk_hash(document.tokens.hashes()) ^ mix(self.seed));
        // A bijection of the index: no two keys are equal.
        let key = |index| mix(seed.wrapping_add(RollingHash::BASE.wrapping_mul(u64::from(index))));
        keep_smallest(selection, self.r, key);
    }
}
