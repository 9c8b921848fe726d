//! Bloom filter (Bloom 1970) with all bits of a hash in one cache line.

/// Words of one cache line, and bits that are set in it for each hash.
const LINE: usize = 8;
const BITS: u32 = 5;

/// A set of hashes with false positives.
#[derive(Debug)]
pub(super) struct BloomFilter(Vec<[u64; LINE]>);

impl BloomFilter {
    /// Creates a filter of about `bytes` bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let lines = usize::try_from(bytes / 64).unwrap_or(usize::MAX).clamp(1, 1 << 32);
        Self(vec![[0; LINE]; lines])
    }

    pub(super) fn add(&mut self, hash: u64) {
        let (line, mut bits) = self.locate(hash);
        for _ in 0..BITS {
            self.0[line][bits as usize >> 6 & 7] |= 1 << (bits & 63);
            bits >>= 9;
        }
    }

    /// Whether the hash may have been added; `false` is certain.
    pub(super) fn may_contain(&self, hash: u64) -> bool {
        let (line, mut bits) = self.locate(hash);
        (0..BITS).all(|_| {
            let word = self.0[line][bits as usize >> 6 & 7];
            let is_set = word >> (bits & 63) & 1 == 1;
            bits >>= 9;
            is_set
        })
    }

    /// The cache line of a hash, and a number that selects its bits.
    fn locate(&self, hash: u64) -> (usize, u64) {
        let mixed = (hash ^ hash >> 32).wrapping_mul(0x9e6c_63d0_876a_68ee | 1);
        let line = (u128::from(mixed) * self.0.len() as u128) >> 64;
        let bits = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (line as usize, bits ^ bits >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_hashes_are_found_and_few_others_are() {
        let mut filter = BloomFilter::new(20_000);
        let hash = |number: u64| number.wrapping_mul(0xd6e8_feb8_6659_fd93);
        (0..10_000).for_each(|number| filter.add(hash(number)));
        assert!((0..10_000).all(|number| filter.may_contain(hash(number))));
        let wrong = (10_000..110_000).filter(|&number| filter.may_contain(hash(number))).count();
        assert!(wrong < 2_000, "{wrong} of 100000");
    }
}
