//! Rarity of chunks in fixed point, so that sums do not depend on the order of addition.

use textkin_core::{GroupEntry, SharedChunks};

/// The rarity of each group of a collection: the sum of 1/f over its chunks, in fixed point.
#[derive(Debug)]
pub struct Rarity(Vec<u128>);

impl Rarity {
    const ONE: u128 = 1 << 90;

    pub(crate) fn new(shared: &SharedChunks) -> Self {
        let of = |group: &GroupEntry| Self::of_chunks(group.chunks, group.documents);
        Self(shared.groups.iter().map(of).collect())
    }

    /// The rarity of `chunks` chunks that are in `documents` documents.
    #[must_use]
    pub fn of_chunks(chunks: u32, documents: u32) -> u128 {
        u128::from(chunks) * (Self::ONE / u128::from(documents.max(1)))
    }

    pub(crate) fn of_group(&self, group: u32) -> u128 {
        self.0[group as usize]
    }

    /// The number of documents that each of `chunks` chunks is in, given `sum`, their rarity. `None` if
    /// it is not the same for all of them.
    #[must_use]
    pub fn documents_of(sum: u128, chunks: u64) -> Option<u32> {
        let of_each = sum.checked_div(u128::from(chunks)).filter(|&of_each| of_each > 0)?;
        let documents = u32::try_from(Self::ONE / of_each).ok()?;
        let chunks = u32::try_from(chunks).ok()?;
        (Self::of_chunks(chunks, documents) == sum).then_some(documents)
    }

    /// Converts a sum of rarities to a floating-point number.
    #[must_use]
    pub fn to_f64(sum: u128) -> f64 {
        sum as f64 / Self::ONE as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_documents_follows_from_the_rarity() {
        for documents in [1, 2, 3, 7, 1000, 123_457, u32::MAX] {
            for chunks in [1, 2, 500, u32::MAX] {
                let sum = Rarity::of_chunks(chunks, documents);
                let found = Rarity::documents_of(sum, u64::from(chunks));
                assert_eq!(found, Some(documents));
            }
        }
        let mixed = Rarity::of_chunks(1, 2) + Rarity::of_chunks(1, 3);
        assert_eq!(Rarity::documents_of(mixed, 2), None);
        assert_eq!(Rarity::documents_of(0, 0), None);
    }
}
