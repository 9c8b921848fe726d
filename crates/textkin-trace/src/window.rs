//! A window: a few bits of each word around a chunk.

use textkin_core::Chunk;

/// How windows are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packing {
    /// Words on each side.
    pub(crate) words: u8,
    /// Bits of each word's hash; `words × bits` is at most 64 and whole bytes.
    pub(crate) bits: u8,
}

/// The words on both sides of a chunk, the nearest in the lowest bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    before: u64,
    after: u64,
}

/// How many words agree next to a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Agreement {
    pub(crate) before: u32,
    pub(crate) after: u32,
}

/// Bytes of the largest window.
const MOST_BYTES: usize = 16;

impl Packing {
    /// Bytes of one side.
    fn side_bytes(self) -> usize {
        usize::from(self.words) * usize::from(self.bits) / 8
    }

    /// Bytes of a window.
    pub(crate) fn bytes(self) -> usize {
        2 * self.side_bytes()
    }

    /// The window of a chunk among the hashes of the words of its document.
    pub(crate) fn window(self, hashes: &[u64], chunk: &Chunk) -> Window {
        let [before, after] = sides(hashes, chunk);
        Window {
            before: self.packed(before.iter().rev().copied()),
            after: self.packed(after.iter().copied()),
        }
    }

    fn packed(self, hashes: impl Iterator<Item = u64>) -> u64 {
        let bits = u32::from(self.bits);
        let shifts = (0..).step_by(usize::from(self.bits));
        let words = hashes.take(usize::from(self.words)).zip(shifts);
        words.fold(0, |packed, (hash, shift)| packed | (hash >> (64 - bits)) << shift)
    }

    /// The window as it is stored: [`Packing::bytes`] of these.
    pub(crate) fn stored(self, window: Window) -> [u8; MOST_BYTES] {
        let side = self.side_bytes();
        let mut bytes = [0; MOST_BYTES];
        bytes[..side].copy_from_slice(&window.before.to_le_bytes()[..side]);
        bytes[side..2 * side].copy_from_slice(&window.after.to_le_bytes()[..side]);
        bytes
    }

    /// The window that was stored.
    pub(crate) fn unpacked(self, bytes: &[u8]) -> Window {
        let (before, after) = bytes.split_at(self.side_bytes());
        let [before, after] = [before, after].map(|side| {
            let mut bytes = [0; 8];
            bytes[..side.len()].copy_from_slice(side);
            u64::from_le_bytes(bytes)
        });
        Window { before, after }
    }

    /// How many words next to a chunk are those of `there`, as far as the bits tell.
    pub(crate) fn agreement(self, hashes: &[u64], chunk: &Chunk, there: Window) -> Agreement {
        let here = self.window(hashes, chunk);
        let [before, after] = sides(hashes, chunk).map(<[u64]>::len);
        let agreeing = |here: u64, there: u64, available: usize| {
            let words = (here ^ there).trailing_zeros() / u32::from(self.bits);
            let most = u32::try_from(available).unwrap_or(u32::MAX);
            words.min(u32::from(self.words)).min(most)
        };
        Agreement {
            before: agreeing(here.before, there.before, before),
            after: agreeing(here.after, there.after, after),
        }
    }
}

/// The hashes of the words before and after a chunk.
fn sides<'a>(hashes: &'a [u64], chunk: &Chunk) -> [&'a [u64]; 2] {
    let end = (chunk.first + chunk.count) as usize;
    [&hashes[..chunk.first as usize], &hashes[end..]]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use textkin_core::chunk::mix;

    use super::*;

    fn chunk(first: u32, count: u32) -> Chunk {
        Chunk { hash: 0, first, count, start: 0, end: 0 }
    }

    /// Words that agree one by one, going away from the chunk.
    fn naive(here: &[u64], there: &[u64], most: usize, bits: u8) -> u32 {
        let top = |hash: &u64| hash >> (64 - bits);
        let pairs = here.iter().zip(there).take(most);
        let agreeing = pairs.take_while(|(here, there)| top(here) == top(there)).count();
        u32::try_from(agreeing).unwrap()
    }

    proptest! {
        #[test]
        fn agreement_is_that_of_comparing_word_by_word(
            seed in any::<u64>(),
            changed in prop::collection::vec(0_usize..60, 0..4),
            first in 20_u32..35,
            packing in prop::sample::select(vec![(8, 1), (16, 1), (16, 2), (24, 1), (8, 8), (16, 4), (64, 1)]),
        ) {
            let packing = Packing { words: packing.0, bits: packing.1 };
            let there: Vec<u64> = (0..120).map(|word| mix(seed ^ word)).collect();
            let mut here = there[..60].to_vec();
            changed.iter().for_each(|word| here[*word] = !here[*word]);
            let chunk = chunk(first, 8);
            let window = packing.window(&there, &chunk);
            let bytes = packing.stored(window);
            prop_assert_eq!(packing.unpacked(&bytes[..packing.bytes()]), window);
            let agreement = packing.agreement(&here, &chunk, window);
            let [before, after] = sides(&here, &chunk);
            let [before_there, after_there] = sides(&there, &chunk);
            let reversed = |side: &[u64]| side.iter().rev().copied().collect::<Vec<u64>>();
            let most = usize::from(packing.words);
            let naive_before = naive(&reversed(before), &reversed(before_there), most, packing.bits);
            prop_assert_eq!(agreement.before, naive_before);
            prop_assert_eq!(agreement.after, naive(after, after_there, most, packing.bits));
        }
    }
}
