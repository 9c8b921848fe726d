//! Anchors: the few selected chunks of a document that outlive all others.
//!
//! They are those of least key, and the key of a chunk depends on its words only: so texts that are
//! mostly the same mostly have the same anchors, and as many in common as they share of their
//! text. Of a document that is otherwise forgotten, its anchors still tell where a copy of it came
//! from, and those that are not found tell where a copy ends.

use crate::look_up::Document;

/// The anchors of a part of a document. Their memory is used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Anchors {
    /// The least keys, ascending.
    least: Vec<u64>,
    /// The indices, ascending.
    indices: Vec<u32>,
}

impl Anchors {
    /// Chooses at most `n` anchors among the selected chunks.
    pub(crate) fn choose(&mut self, document: &Document<'_>, n: usize) {
        self.least.clear();
        self.indices.clear();
        if n == 0 {
            return;
        }
        self.least.resize(n.min(document.selection.len()), u64::MAX);
        for index in document.selection {
            let mut next = key(document, *index);
            if self.least.last().is_some_and(|last| next < *last) {
                // Those that are greater move on by one.
                for one in &mut self.least {
                    let greater = next.max(*one);
                    *one = next.min(*one);
                    next = greater;
                }
            }
        }
        self.indices.extend(self.least.iter().map(|key| index(*key)));
        self.indices.sort_unstable();
    }

    /// Whether a chunk is one of them.
    #[inline]
    pub(crate) fn hold(&self, index: u32) -> bool {
        // A few are looked through faster than searched.
        self.indices.contains(&index)
    }

    /// Their indices among all chunks, ascending.
    pub(crate) fn indices(&self) -> &[u32] {
        &self.indices
    }
}

/// What chunks are ordered by, with the index of the chunk in its lower half. The first and the last word
/// tell as much as all would, and no hash of a chunk is needed.
#[inline]
fn key(document: &Document<'_>, index: u32) -> u64 {
    let words = document.chunks.words(index);
    let [first, last] = [words.start, words.end.saturating_sub(1)];
    let hash = |word: u32| document.words.get(word as usize).copied().unwrap_or(0);
    let both = hash(first) ^ hash(last).rotate_left(17);
    both & u64::MAX << u32::BITS | u64::from(index)
}

/// The index in a key.
fn index(key: u64) -> u32 {
    let [a, b, c, d, ..] = key.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use textkin_core::chunk::mix;

    use super::*;
    use crate::chunks::Chunks;

    proptest! {
        #[test]
        fn anchors_are_those_of_least_key(
            words in prop::collection::vec((0_u64..40).prop_map(mix), 8..80),
            is_selected in prop::collection::vec(any::<bool>(), 80),
            n in 0_usize..7,
        ) {
            let chunks = Chunks::runs(words.len(), 8);
            let selection: Vec<u32> =
                (0..chunks.len()).filter(|index| is_selected[*index as usize]).collect();
            let document = Document { number: 0, words: &words, chunks, selection: &selection };
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
