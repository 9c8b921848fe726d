//! Rarity in whole numbers, so that sums do not depend on the order of adding.

use textkin_core::{GroupEntry, SharedChunks};

/// The rarity 1/f of chunks in fixed point.
#[derive(Debug)]
pub(crate) struct Rarity(Vec<u128>);

impl Rarity {
    const ONE: u128 = 1 << 90;

    pub(crate) fn new(shared: &SharedChunks) -> Self {
        let of = |group: &GroupEntry| Self::of_chunks(group.chunks, group.documents);
        Self(shared.groups.iter().map(of).collect())
    }

    /// The rarity of `chunks` chunks that are in `documents` documents.
    pub(crate) fn of_chunks(chunks: u32, documents: u32) -> u128 {
        u128::from(chunks) * (Self::ONE / u128::from(documents.max(1)))
    }

    pub(crate) fn of_group(&self, group: u32) -> u128 {
        self.0[group as usize]
    }

    pub(crate) fn to_f64(sum: u128) -> f64 {
        sum as f64 / Self::ONE as f64
    }
}
