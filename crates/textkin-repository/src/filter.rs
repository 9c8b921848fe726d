//! A sieve: tells in one look that a segment does not have a hash.
//!
//! Most runs of words of a text that is looked for stand nowhere. A look-up has to read a bucket to
//! find that out; a sieve, which is made of a segment once and kept in memory, sets a few bits of one
//! word for each hash and says no where one of them is missing. It never says no to a hash that is there.

use memmap2::MmapMut;
use textkin_core::chunk::mix;

/// Bits for each hash: about one in a hundred that are not there gets through.
const BITS_PER_HASH: u64 = 12;
/// Bits that a hash sets.
const BITS_SET: u32 = 4;

/// Bytes of a word.
const WORD: usize = 8;

/// Hashes that are looked for at once.
pub(crate) const AT_ONCE: usize = 64;

/// Bits of all hashes of a segment.
#[derive(Debug)]
pub(crate) struct ChunkFilter {
    bytes: MmapMut,
}

impl ChunkFilter {
    /// A sieve for so many hashes, with none in it, if there is memory for it.
    pub(crate) fn new(n_hashes: u64) -> Option<Self> {
        let words = n_hashes.saturating_mul(BITS_PER_HASH).div_ceil(64).max(1);
        let words = usize::try_from(words).unwrap_or(usize::MAX);
        let bytes = MmapMut::map_anon(words.saturating_mul(WORD)).ok()?;
        // A look goes anywhere: with large pages the processor knows where that is. Small ones do, too.
        #[cfg(target_os = "linux")]
        bytes.advise(memmap2::Advice::HugePage).ok();
        Some(Self { bytes })
    }

    pub(crate) fn add(&mut self, hash: u64) {
        let (word, bits) = (self.address(hash), bits(hash));
        let (words, _) = self.bytes.as_chunks_mut::<WORD>();
        words[word] = (u64::from_le_bytes(words[word]) | bits).to_le_bytes();
    }

    /// Whether each of some hashes may be there; if not, it is not.
    ///
    /// All words are asked for before any is used, so that the memory is waited for once.
    pub(crate) fn may_contain(&self, hashes: &[u64; AT_ONCE]) -> [bool; AT_ONCE] {
        let (words, _) = self.bytes.as_chunks::<WORD>();
        let found = hashes.map(|hash| words[self.address(hash)]);
        std::array::from_fn(|n| {
            let bits = bits(hashes[n]);
            u64::from_le_bytes(found[n]) & bits == bits
        })
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The word of a hash, by the upper half of its bits.
    #[inline]
    fn address(&self, hash: u64) -> usize {
        let words = self.bytes.len() / WORD;
        let word = (u128::from(mix(hash)) * words as u128) >> 64;
        usize::try_from(word).unwrap_or(0)
    }
}

/// The bits of a hash in its word, by the lower half of its bits.
#[inline]
fn bits(hash: u64) -> u64 {
    let mixed = mix(hash);
    (0..BITS_SET).fold(0, |bits, n| bits | 1 << (mixed >> (6 * n) & 63))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn has(filter: &ChunkFilter, hash: u64) -> bool {
        let hashes = std::array::from_fn(|n| if n == 7 { hash } else { mix(n as u64) });
        filter.may_contain(&hashes)[7]
    }

    proptest! {
        #[test]
        fn what_is_there_gets_through(hashes in prop::collection::vec(any::<u64>(), 0..300), n in 0_u64..400) {
            let mut filter = ChunkFilter::new(n).unwrap();
            hashes.iter().for_each(|hash| filter.add(*hash));
            prop_assert!(hashes.iter().all(|hash| has(&filter, *hash)));
        }
    }

    #[test]
    fn most_that_is_not_there_does_not() {
        let mut filter = ChunkFilter::new(100_000).unwrap();
        // Cut hashes are small numbers.
        (0..100_000).for_each(|n| filter.add(3 * n));
        let passed = (0..100_000).filter(|n| has(&filter, 3 * n + 1)).count();
        assert!(passed < 2_000, "{passed}");
        assert_eq!(filter.bytes(), 150_000);
    }
}
