//! A window: a few bits of each word around a chunk.

use crate::chunks::Selected;

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
    pub(crate) before: u64,
    pub(crate) after: u64,
}

/// How many words agree next to a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Agreement {
    pub(crate) before: u8,
    pub(crate) after: u8,
}

impl Packing {
    /// The one that is used unless another is asked for.
    const DEFAULT: Self = Self { words: 8, bits: 2 };

    /// Bytes of one side.
    pub(crate) fn side_bytes(self) -> usize {
        usize::from(self.words) * usize::from(self.bits) / 8
    }

    /// The window of a chunk among the hashes of the words of its document.
    #[inline]
    pub(crate) fn window(self, hashes: &[u64], chunk: &Selected) -> Window {
        let [before, after] = sides(hashes, chunk);
        let most = usize::from(self.words);
        let before = &before[before.len().saturating_sub(most)..];
        let after = &after[..most.min(after.len())];
        match (before.first_chunk::<8>(), after.first_chunk::<8>(), self) {
            // As it mostly is, so that the loops are unrolled.
            (Some(before), Some(after), Self::DEFAULT) => Window {
                before: packed(before.iter(), Self::DEFAULT.bits),
                after: packed(after.iter().rev(), Self::DEFAULT.bits),
            },
            _ => Window {
                before: packed(before.iter(), self.bits),
                after: packed(after.iter().rev(), self.bits),
            },
        }
    }

    /// How many words next to a chunk are those of `there`, as far as the bits tell.
    pub(crate) fn agreement(self, hashes: &[u64], chunk: &Selected, there: Window) -> Agreement {
        let here = self.window(hashes, chunk);
        let [before, after] = sides(hashes, chunk).map(<[u64]>::len);
        let agreeing = |here: u64, there: u64, available: usize| {
            let words = (here ^ there).trailing_zeros() / u32::from(self.bits);
            let most = u8::try_from(available).unwrap_or(u8::MAX).min(self.words);
            u8::try_from(words).unwrap_or(u8::MAX).min(most)
        };
        Agreement {
            before: agreeing(here.before, there.before, before),
            after: agreeing(here.after, there.after, after),
        }
    }
}

/// The highest bits of each hash, those of the last in the lowest bits.
#[inline(always)]
fn packed<'a>(hashes: impl Iterator<Item = &'a u64>, bits: u8) -> u64 {
    let bits = u32::from(bits);
    hashes.fold(0_u64, |packed, hash| packed.unbounded_shl(bits) | hash >> (64 - bits))
}

/// The hashes of the words before and after a chunk.
fn sides<'a>(hashes: &'a [u64], chunk: &Selected) -> [&'a [u64]; 2] {
    let end = (chunk.first + chunk.count) as usize;
    [&hashes[..chunk.first as usize], &hashes[end..]]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use textkin_core::chunk::mix;

    use super::*;

    fn chunk(first: u32, count: u32) -> Selected {
        Selected { hash: 0, index: first, first, count }
    }

    /// Words that agree one by one, going away from the chunk.
    fn naive(here: &[u64], there: &[u64], most: usize, bits: u8) -> u8 {
        let top = |hash: &u64| hash >> (64 - bits);
        let pairs = here.iter().zip(there).take(most);
        let agreeing = pairs.take_while(|(here, there)| top(here) == top(there)).count();
        u8::try_from(agreeing).unwrap()
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
            let bits = u32::from(packing.words) * u32::from(packing.bits);
            let is_kept = |side: u64| side.checked_shr(bits).unwrap_or(0) == 0;
            prop_assert!(is_kept(window.before) && is_kept(window.after));
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
