//! A sieve: tells in one look that a segment does not have a hash.
//!
//! Most runs of words of a text that is looked for stand nowhere. A look-up has to read a bucket to
//! find that out; a sieve, which is made of a segment once and kept in memory, sets a few bits of one
//! word for each hash and says no where one of them is missing. It never says no to a hash that is there.

use textkin_core::chunk::mix;

/// Bits for each hash: about one in a hundred that are not there gets through.
const BITS_PER_HASH: u64 = 12;
/// Bits that a hash sets.
const BITS_SET: u32 = 4;

/// Bits of all hashes of a segment.
#[derive(Debug)]
pub(crate) struct Sieve {
    words: Box<[u64]>,
}

impl Sieve {
    /// A sieve for so many hashes, with none in it.
    pub(crate) fn new(n_hashes: u64) -> Self {
        let words = n_hashes.saturating_mul(BITS_PER_HASH).div_ceil(64).max(1);
        Self { words: vec![0; usize::try_from(words).unwrap_or(usize::MAX)].into() }
    }

    pub(crate) fn add(&mut self, hash: u64) {
        let (word, bits) = self.place(hash);
        self.words[word] |= bits;
    }

    /// Whether the hash may be there; if not, it is not.
    #[inline]
    pub(crate) fn may_have(&self, hash: u64) -> bool {
        let (word, bits) = self.place(hash);
        self.words[word] & bits == bits
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.words.len()
    }

    /// The word of a hash, by its upper half, and its bits in there, by the lower one.
    #[inline]
    fn place(&self, hash: u64) -> (usize, u64) {
        let mixed = mix(hash);
        let word = (u128::from(mixed) * self.words.len() as u128) >> 64;
        let bits = (0..BITS_SET).fold(0, |bits, n| bits | 1 << (mixed >> (6 * n) & 63));
        (usize::try_from(word).unwrap_or(0), bits)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_there_gets_through(hashes in prop::collection::vec(any::<u64>(), 0..300), n in 0_u64..400) {
            let mut sieve = Sieve::new(n);
            hashes.iter().for_each(|hash| sieve.add(*hash));
            prop_assert!(hashes.iter().all(|hash| sieve.may_have(*hash)));
        }
    }

    #[test]
    fn most_that_is_not_there_does_not() {
        let mut sieve = Sieve::new(100_000);
        // Cut hashes are small numbers.
        (0..100_000).for_each(|n| sieve.add(3 * n));
        let passed = (0..100_000).filter(|n| sieve.may_have(3 * n + 1)).count();
        assert!(passed < 2_000, "{passed}");
        assert_eq!(sieve.bytes(), 150_000);
    }
}
