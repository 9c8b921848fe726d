//! Anchors: the few selected chunks of a document that stay in the table longest.
//!
//! Anchors are the chunks with the smallest keys. The key of a chunk depends on its words only, so
//! near-identical texts have mostly the same anchors, in proportion to the text they share. Once the
//! rest of a document has been evicted, its anchors still identify the origin of a copy, and anchors
//! that are missing show where the copy ends.

use crate::lookup::LookupDocument;

/// The anchors of a part of a document. The buffers are reused for the next part.
#[derive(Debug, Default)]
pub(crate) struct Anchors {
    /// The smallest keys, ascending.
    smallest: Vec<u64>,
    /// The indices, ascending.
    indices: Vec<u32>,
}

impl Anchors {
    /// Chooses at most `n` anchors among the selected chunks.
    pub(crate) fn choose(&mut self, document: &LookupDocument<'_>, n: usize) {
        self.smallest.clear();
        self.indices.clear();
        if n == 0 {
            return;
        }
        self.smallest.resize(n.min(document.selection.len()), u64::MAX);
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
        self.indices.extend(self.smallest.iter().map(|key| index(*key)));
        self.indices.sort_unstable();
    }

    /// Returns whether a chunk is an anchor.
    #[inline]
    pub(crate) fn contain(&self, index: u32) -> bool {
        // With so few entries a linear scan is faster than a binary search.
        self.indices.contains(&index)
    }

    /// Returns the chunk indices of the anchors, ascending.
    pub(crate) fn indices(&self) -> &[u32] {
        &self.indices
    }
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
            n in 0_usize..7,
        ) {
            let chunks = DocumentChunks::runs(words.len(), 8);
            let selection: Vec<u32> =
                (0..chunks.len()).filter(|index| is_selected[*index as usize]).collect();
            let document = LookupDocument { number: 0, words: &words, chunks, selection: &selection };
            let mut anchors = Anchors::default();
            anchors.choose(&document, n + 1);
            anchors.choose(&document, n);
            let mut naive = selection.clone();
            naive.sort_unstable_by_key(|index| key(&document, *index));
            naive.truncate(n);
            naive.sort_unstable();
            prop_assert_eq!(anchors.indices(), naive);
        }
    }
}
