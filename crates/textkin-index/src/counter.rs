//! DECO's hash counter: two bits per field, which mean "never", "once" or "more than once".
//!
//! A field is shared by all hashes that map to it, so "more than once" may be wrong, but "never" and
//! "once" are always right. Threads count into the same fields without locks. Hashes are counted and
//! looked up in blocks, because the memory they map to is mostly not in the cache.

use std::sync::atomic::{AtomicU64, Ordering};

/// The low bits of all fields of a word.
const LOW: u64 = 0x5555_5555_5555_5555;

/// Number of hashes that are counted together.
const BLOCK: usize = 128;

/// A table of two-bit saturating counters.
#[derive(Debug)]
pub struct Counter {
    /// 32 fields per word: the low bit of a field means "seen", the high bit "seen again".
    words: Vec<AtomicU64>,
    n_fields: u64,
}

impl Counter {
    /// Creates a counter of about `bytes` bytes, with all fields at "never".
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        let n_words = usize::try_from(bytes / 8).unwrap_or(usize::MAX).max(1);
        let words = std::iter::repeat_with(AtomicU64::default).take(n_words).collect();
        Self { words, n_fields: n_words as u64 * 32 }
    }

    /// Counts each of `hashes` once more.
    pub fn count(&self, hashes: &[u64]) {
        let mut states = [0; BLOCK];
        for block in hashes.chunks(BLOCK) {
            // Loads all words of the block first, so that cache misses overlap.
            for (state, &hash) in states.iter_mut().zip(block) {
                *state = self.field(hash).0.load(Ordering::Relaxed);
            }
            for (&state, &hash) in states.iter().zip(block) {
                let (word, seen, again) = self.field(hash);
                if state & again == 0 && word.fetch_or(seen, Ordering::Relaxed) & seen != 0 {
                    word.fetch_or(again, Ordering::Relaxed);
                }
            }
        }
    }

    /// Appends to `flags` whether each of `hashes` was counted more than once. May return true for a
    /// hash that was not.
    pub fn are_repeated(&self, hashes: &[u64], flags: &mut Vec<bool>) {
        // The loop only loads, so that cache misses overlap.
        flags.extend(hashes.iter().map(|&hash| {
            let (word, _, again) = self.field(hash);
            word.load(Ordering::Relaxed) & again != 0
        }));
    }

    /// Number of fields at "once" and at "more than once" (DECO's Fig. 3).
    #[must_use]
    pub fn occupancy(&self) -> (u64, u64) {
        let mut seen = 0;
        let mut again = 0;
        for word in &self.words {
            let word = word.load(Ordering::Relaxed);
            seen += u64::from((word & LOW).count_ones());
            again += u64::from((word & !LOW).count_ones());
        }
        (seen - again, again)
    }

    /// Returns all fields as bytes, for [`Counter::add_bytes`].
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes()).collect()
    }

    /// Adds the counts of a counter of the same size, given its bytes. Returns `false` if the size differs.
    #[must_use]
    pub fn add_bytes(&self, bytes: &[u8]) -> bool {
        let (words, rest) = bytes.as_chunks::<8>();
        if words.len() != self.words.len() || !rest.is_empty() {
            return false;
        }
        for (word, bytes) in self.words.iter().zip(words) {
            let other = u64::from_le_bytes(*bytes);
            // Seen in both counters means seen again.
            let before = word.fetch_or(other, Ordering::Relaxed);
            word.fetch_or((before & other & LOW) << 1, Ordering::Relaxed);
        }
        true
    }

    /// Number of fields.
    #[must_use]
    pub fn n_fields(&self) -> u64 {
        self.n_fields
    }

    #[inline]
    fn field(&self, hash: u64) -> (&AtomicU64, u64, u64) {
        let field = (u128::from(hash) * u128::from(self.n_fields)) >> 64;
        let word = &self.words[(field / 32) as usize];
        let shift = (field % 32) as u32 * 2;
        (word, 1 << shift, 2 << shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn is_repeated(counter: &Counter, hash: u64) -> bool {
        let mut flags = Vec::new();
        counter.are_repeated(&[hash], &mut flags);
        flags == [true]
    }

    proptest! {
        #[test]
        fn a_repeated_hash_is_never_missed(hashes in prop::collection::vec(0u64..50, 0..200), bytes in 1u64..64) {
            let counter = Counter::new(bytes);
            let mut counts = BTreeMap::new();
            for hash in hashes {
                let hash = textkin_core::chunk::mix(hash);
                counter.count(&[hash]);
                *counts.entry(hash).or_insert(0) += 1;
            }
            for (hash, count) in counts {
                prop_assert!(count == 1 || is_repeated(&counter, hash));
            }
            let (once, more) = counter.occupancy();
            prop_assert!(once + more <= counter.n_fields());
        }
    }

    #[test]
    fn a_hash_counted_once_is_not_repeated_in_a_large_counter() {
        let counter = Counter::new(1 << 16);
        counter.count(&[12345]);
        assert!(!is_repeated(&counter, 12345));
        counter.count(&[12345]);
        assert!(is_repeated(&counter, 12345));
    }
}
