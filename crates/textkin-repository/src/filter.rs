//! A filter in memory that rules out lookups of absent hashes.
//!
//! Most chunks of a query occur in no document, and a lookup has to read a bucket to find that out.
//! The filter, a blocked Bloom filter built once per segment, sets a few bits of one 64-bit word
//! for each hash. If one of these bits is missing, the hash is certainly absent.

use memmap2::MmapMut;
use textkin_core::chunk::mix;

/// Bits per hash: about one in a hundred absent hashes passes the filter.
const BITS_PER_HASH: u64 = 12;
/// Number of bits set for each hash.
const BITS_SET: u32 = 4;

/// Bytes of a word.
const WORD: usize = 8;

/// Number of hashes that are checked together.
pub(crate) const BATCH: usize = 64;

/// The filter of all chunk hashes of a segment.
#[derive(Debug)]
pub(crate) struct ChunkFilter {
    bytes: MmapMut,
}

impl ChunkFilter {
    /// Creates an empty filter for `n_hashes` hashes; `None` if memory is short.
    pub(crate) fn new(n_hashes: u64) -> Option<Self> {
        let words = n_hashes.saturating_mul(BITS_PER_HASH).div_ceil(64).max(1);
        let words = usize::try_from(words).unwrap_or(usize::MAX);
        let bytes = MmapMut::map_anon(words.saturating_mul(WORD)).ok()?;
        // Accesses are random: huge pages save address translation. Failing to get them is no
        // error.
        #[cfg(target_os = "linux")]
        bytes.advise(memmap2::Advice::HugePage).ok();
        Some(Self { bytes })
    }

    pub(crate) fn add(&mut self, hash: u64) {
        let (word, bits) = (self.word(hash), bits(hash));
        let (words, _) = self.bytes.as_chunks_mut::<WORD>();
        words[word] = (u64::from_le_bytes(words[word]) | bits).to_le_bytes();
    }

    /// Returns for each hash whether it may be present; `false` means that it is absent.
    ///
    /// All words are loaded before any is used, so that the memory latencies overlap.
    pub(crate) fn may_contain(&self, hashes: &[u64; BATCH]) -> [bool; BATCH] {
        let (words, _) = self.bytes.as_chunks::<WORD>();
        let found = hashes.map(|hash| words[self.word(hash)]);
        std::array::from_fn(|n| {
            let bits = bits(hashes[n]);
            u64::from_le_bytes(found[n]) & bits == bits
        })
    }

    /// Returns the memory of the filter, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the word of a hash, chosen by the upper half of its bits.
    #[inline]
    fn word(&self, hash: u64) -> usize {
        let words = self.bytes.len() / WORD;
        let word = (u128::from(mix(hash)) * words as u128) >> 64;
        usize::try_from(word).unwrap_or(0)
    }
}

/// Returns the bits of a hash in its word, chosen by the lower half of its bits.
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
        fn present_hashes_pass(hashes in prop::collection::vec(any::<u64>(), 0..300), n in 0_u64..400) {
            let mut filter = ChunkFilter::new(n).unwrap();
            hashes.iter().for_each(|hash| filter.add(*hash));
            prop_assert!(hashes.iter().all(|hash| has(&filter, *hash)));
        }
    }

    #[test]
    fn most_absent_hashes_do_not_pass() {
        let mut filter = ChunkFilter::new(100_000).unwrap();
        // Truncated hashes are small numbers.
        (0..100_000).for_each(|n| filter.add(3 * n));
        let passed = (0..100_000).filter(|n| has(&filter, 3 * n + 1)).count();
        assert!(passed < 2_000, "{passed}");
        assert_eq!(filter.bytes(), 150_000);
    }
}
