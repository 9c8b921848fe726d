//! Windows: a few bits of each word around a chunk.

use crate::chunks::SelectedChunk;

/// Bits per lane of packed words.
const LANE_BITS: u32 = u64::BITS;

/// Packing of windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packing {
    /// Words on each side.
    pub(crate) words: u8,
    /// Bits per word: 1, 2, 4 or 8; `words × bits` is at most 64 and a multiple of 8.
    pub(crate) bits: u8,
}

/// Packed words on both sides of a chunk, in text order starting at the lowest bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WordWindow {
    /// The nearest word is in the highest bits.
    pub(crate) before: u64,
    /// The nearest word is in the lowest bits.
    pub(crate) after: u64,
}

/// Number of matching words on each side of a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Agreement {
    pub(crate) before: u8,
    pub(crate) after: u8,
}

impl Packing {
    /// Returns the bits of one side.
    fn side_bits(self) -> u32 {
        u32::from(self.words) * u32::from(self.bits)
    }

    /// Returns the bytes of one side.
    pub(crate) fn side_bytes(self) -> usize {
        usize::from(self.words) * usize::from(self.bits) / 8
    }
}

/// A few bits of each word of a document. The buffer is reused for the next document.
#[derive(Debug)]
pub(crate) struct PackedWords {
    packing: Packing,
    log_bits: u32,
    log_per_lane: u32,
    /// Mask of the bits of one side.
    kept: u64,
    n_words: usize,
    /// Packed words, followed by two empty lanes.
    lanes: Vec<u64>,
}

impl PackedWords {
    pub(crate) fn new(packing: Packing) -> Self {
        let log_bits = packing.bits.trailing_zeros();
        Self {
            packing,
            log_bits,
            log_per_lane: LANE_BITS.trailing_zeros() - log_bits,
            kept: u64::MAX >> (LANE_BITS - packing.side_bits()),
            n_words: 0,
            lanes: Vec::new(),
        }
    }

    /// Packs the highest bits of each word hash of a document.
    pub(crate) fn pack(&mut self, hashes: &[u64]) {
        self.n_words = hashes.len();
        self.lanes.clear();
        let lanes = hashes.chunks(1 << self.log_per_lane);
        match self.packing.bits {
            // The common case, with constant shifts.
            1 => self.lanes.extend(lanes.map(|lane| packed(lane, 1))),
            bits => self.lanes.extend(lanes.map(|lane| packed(lane, u32::from(bits)))),
        }
        self.lanes.extend([0; 2]);
    }

    /// Returns the window of a chunk.
    #[inline]
    pub(crate) fn window(&self, chunk: &SelectedChunk) -> WordWindow {
        let max = usize::from(self.packing.words);
        let first = chunk.first as usize;
        // Before the first word of the document, the lowest bits stay empty.
        let missing = shift(max.saturating_sub(first) << self.log_bits);
        let before = self.from(first.saturating_sub(max)).unbounded_shl(missing);
        let after = self.from(chunk.words().end as usize);
        WordWindow { before: before & self.kept, after: after & self.kept }
    }

    /// Counts the words next to a chunk whose bits match those of `there`.
    #[inline]
    pub(crate) fn agreement(&self, chunk: &SelectedChunk, there: WordWindow) -> Agreement {
        let here = self.window(chunk);
        let log_bits = self.log_bits;
        let at_top = 64 - self.packing.side_bits();
        let before = ((here.before ^ there.before) << at_top).leading_zeros() >> log_bits;
        let after = (here.after ^ there.after).trailing_zeros() >> log_bits;
        let at_most = |agreeing: u32, available: usize| {
            let max = u8::try_from(available).unwrap_or(u8::MAX).min(self.packing.words);
            u8::try_from(agreeing).unwrap_or(u8::MAX).min(max)
        };
        let (first, end) = (chunk.first as usize, chunk.words().end as usize);
        Agreement {
            before: at_most(before, first),
            after: at_most(after, self.n_words.saturating_sub(end)),
        }
    }

    /// Returns 64 bits of packed words starting at `word`.
    #[inline]
    fn from(&self, word: usize) -> u64 {
        let lanes = self.lanes.get(word >> self.log_per_lane..).unwrap_or_default();
        let Some([low, high]) = lanes.first_chunk() else { return 0 };
        let bits = (word << self.log_bits) % LANE_BITS as usize;
        // Two shifts, so that none is by the full width of a lane.
        low >> bits | high << 1 << (LANE_BITS as usize - 1 - bits)
    }
}

/// Packs the highest bits of each hash, the first word in the lowest bits.
#[inline(always)]
fn packed(hashes: &[u64], bits: u32) -> u64 {
    hashes
        .iter()
        .rev()
        .fold(0, |packed: u64, hash| packed.unbounded_shl(bits) | hash >> (64 - bits))
}

fn shift(bits: usize) -> u32 {
    u32::try_from(bits).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use textkin_core::chunk::mix;

    use super::*;

    fn chunk(first: u32, count: u32) -> SelectedChunk {
        SelectedChunk { hash: 0, index: first, first, count }
    }

    /// The hashes of the words before and after a chunk.
    fn sides<'a>(hashes: &'a [u64], chunk: &SelectedChunk) -> [&'a [u64]; 2] {
        [&hashes[..chunk.first as usize], &hashes[chunk.words().end as usize..]]
    }

    /// Counts matching words one by one, moving away from the chunk.
    fn naive(here: &[u64], there: &[u64], max: usize, bits: u8) -> u8 {
        let top = |hash: &u64| hash >> (64 - bits);
        let pairs = here.iter().zip(there).take(max);
        let agreeing = pairs.take_while(|(here, there)| top(here) == top(there)).count();
        u8::try_from(agreeing).unwrap()
    }

    proptest! {
        #[test]
        fn agreement_equals_comparison_word_by_word(
            seed in any::<u64>(),
            changed in prop::collection::vec(0_usize..60, 0..4),
            first in 0_u32..50,
            packing in prop::sample::select(vec![(8, 1), (8, 2), (16, 1), (16, 2), (24, 1), (8, 8), (16, 4), (64, 1)]),
        ) {
            let packing = Packing { words: packing.0, bits: packing.1 };
            let there: Vec<u64> = (0..120).map(|word| mix(seed ^ word)).collect();
            let mut here = there[..60].to_vec();
            changed.iter().for_each(|word| here[*word] = !here[*word]);
            let chunk = chunk(first, 8);
            let packed = |hashes: &[u64]| {
                let mut words = PackedWords::new(packing);
                words.pack(&[1, 2, 3]);
                words.pack(hashes);
                words
            };
            let window = packed(&there).window(&chunk);
            let bits = u32::from(packing.words) * u32::from(packing.bits);
            let is_kept = |side: u64| side.checked_shr(bits).unwrap_or(0) == 0;
            prop_assert!(is_kept(window.before) && is_kept(window.after));
            let agreement = packed(&here).agreement(&chunk, window);
            let [before, after] = sides(&here, &chunk);
            let [before_there, after_there] = sides(&there, &chunk);
            let reversed = |side: &[u64]| side.iter().rev().copied().collect::<Vec<u64>>();
            let max = usize::from(packing.words);
            let naive_before = naive(&reversed(before), &reversed(before_there), max, packing.bits);
            prop_assert_eq!(agreement.before, naive_before);
            prop_assert_eq!(agreement.after, naive(after, after_there, max, packing.bits));
        }
    }
}
