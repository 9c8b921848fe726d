//! Anchors: the selected chunks of a document that stay in the table longest.
//!
//! Anchors are the chunks with the smallest keys. The key of a chunk depends on its words only, so
//! near-identical texts have mostly the same anchors, in proportion to the text they share. Once the
//! rest of a document has been evicted, its anchors still identify the origin of a copy, and anchors
//! that are missing show where the copy ends.
//!
//! The rank of an anchor is its position by key, from 0. Its worth, and with it the time it stays in the
//! table, is inversely proportional to its rank plus one: twice as far back, half as many chunks of each
//! document are left, down to a single one. So the near past takes as much of the table as the far past,
//! whatever the size of the table and the length of the stream.

use crate::WindowMethod;
use crate::lookup::LookupDocument;

/// Anchor of a part of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    /// Index of the chunk.
    pub(crate) index: u32,
    /// Number of anchors with a smaller key.
    pub(crate) rank: u8,
}

/// The anchors of a part of a document. The buffers are reused for the next part.
#[derive(Debug, Default)]
pub(crate) struct Anchors {
    /// The smallest keys, ascending.
    smallest: Vec<u64>,
    /// The anchors, by index.
    anchors: Vec<Anchor>,
    /// A bit for the lowest bits of the index of each anchor: most chunks are none.
    bits: u64,
}

impl Anchors {
    /// Chooses at most `n` anchors among the selected chunks.
    pub(crate) fn choose(&mut self, document: &LookupDocument<'_>, n: u8) {
        self.smallest.clear();
        self.anchors.clear();
        self.bits = 0;
        if n == 0 {
            return;
        }
        self.smallest.resize(usize::from(n).min(document.selection.len()), u64::MAX);
        for index in document.selection {
            let mut next = key(document, *index);
            if self.smallest.last().is_some_and(|last| next < *last) {
                // Greater keys move up by one.
                for one in &mut self.smallest {
                    let greater = next.max(*one);
                    *one = next.min(*one);
                    next = greater;
                }
            }
        }
        let anchor = |(key, rank): (&u64, u8)| Anchor { index: index(*key), rank };
        self.anchors.extend(self.smallest.iter().zip(0..).map(anchor));
        self.anchors.sort_unstable_by_key(|anchor| anchor.index);
        self.bits = self.anchors.iter().fold(0, |bits, anchor| bits | bit(anchor.index));
    }

    /// Returns the rank of a chunk, if it is an anchor.
    #[inline]
    pub(crate) fn rank(&self, index: u32) -> Option<u8> {
        if self.bits & bit(index) == 0 {
            return None;
        }
        // With so few entries a linear scan is faster than a binary search.
        self.anchors.iter().find(|anchor| anchor.index == index).map(|anchor| anchor.rank)
    }

    /// Returns the anchors, by index.
    pub(crate) fn as_slice(&self) -> &[Anchor] {
        &self.anchors
    }
}

/// Returns the score of an anchor when it is stored, and whenever it is found as an anchor again.
#[inline]
pub(crate) fn worth(method: &WindowMethod, rank: u8) -> u8 {
    (method.anchor_worth / rank.saturating_add(1)).max(1)
}

/// Returns the sort key of a chunk, with the index of the chunk in its lower half. Hashing the first and
/// last word discriminates as well as hashing all of them, and needs no chunk hash.
#[inline]
fn key(document: &LookupDocument<'_>, index: u32) -> u64 {
    let words = document.chunks.words(index);
    let [first, last] = [words.start, words.end.saturating_sub(1)];
    let hash = |word: u32| document.words.get(word as usize).copied().unwrap_or(0);
    let both = hash(first) ^ hash(last).rotate_left(17);
    both & u64::MAX << u32::BITS | u64::from(index)
}

fn bit(index: u32) -> u64 {
    1 << (index % u64::BITS)
}

/// Extracts the chunk index from a key.
fn index(key: u64) -> u32 {
    let [a, b, c, d, ..] = key.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use textkin_core::chunk::mix;

    use super::*;
    use crate::chunks::DocumentChunks;

    proptest! {
        #[test]
        fn anchors_are_the_chunks_with_the_smallest_keys(
            words in prop::collection::vec((0_u64..40).prop_map(mix), 8..80),
            is_selected in prop::collection::vec(any::<bool>(), 80),
            n in 0_u8..7,
        ) {
            let chunks = DocumentChunks::runs(words.len(), 8);
            let selection: Vec<u32> =
                (0..chunks.len()).filter(|index| is_selected[*index as usize]).collect();
            let document = LookupDocument { number: 0, words: &words, chunks, selection: &selection };
            let mut anchors = Anchors::default();
            anchors.choose(&document, n + 1);
            anchors.choose(&document, n);
            let mut by_key = selection.clone();
            by_key.sort_unstable_by_key(|index| key(&document, *index));
            by_key.truncate(usize::from(n));
            let mut naive: Vec<Anchor> =
                by_key.iter().zip(0..).map(|(index, rank)| Anchor { index: *index, rank }).collect();
            naive.sort_unstable_by_key(|anchor| anchor.index);
            prop_assert_eq!(anchors.as_slice(), &naive);
            for index in selection {
                let rank = by_key.iter().position(|other| *other == index);
                prop_assert_eq!(anchors.rank(index).map(usize::from), rank);
            }
        }
    }

    #[test]
    fn worth_falls_with_the_rank_and_is_never_zero() {
        let method = WindowMethod { anchor_worth: 240, ..WindowMethod::default() };
        assert_eq!(
            [0, 1, 2, 3, 7, 255].map(|rank| worth(&method, rank)),
            [240, 120, 80, 60, 30, 1]
        );
    }
}
