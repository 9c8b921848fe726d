//! Random collections, split into random segments, with some documents removed.

use proptest::prelude::*;
use textkin_search::{DocumentAddress, MemorySegment};

/// A document: its words in order, and whether it has been removed.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) words: Vec<u64>,
    pub(crate) removed: bool,
}

impl Document {
    /// Its chunks of three words.
    pub(crate) fn chunks(&self) -> Vec<u64> {
        chunks(&self.words)
    }
}

/// The chunks of three words of a text.
pub(crate) fn chunks(words: &[u64]) -> Vec<u64> {
    words.windows(3).map(|window| window.iter().fold(7, |hash, word| mix(hash ^ word))).collect()
}

fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    number ^ (number >> 29)
}

/// Hash of a word; the order of hashes does not follow the frequency of words.
pub(crate) fn word(number: u64) -> u64 {
    mix(number + 1)
}

/// Documents, and the lengths of the segments they are split into.
#[derive(Clone, Debug)]
pub(crate) struct Collection {
    pub(crate) documents: Vec<Document>,
    pub(crate) cuts: Vec<usize>,
    pub(crate) chunk_bits: u32,
}

impl Collection {
    /// The documents that are not removed, with their addresses.
    pub(crate) fn live(&self) -> Vec<(DocumentAddress, &Document)> {
        let mut live = Vec::new();
        for (range, segment) in self.ranges().into_iter().zip(0..) {
            for (document, number) in self.documents[range].iter().zip(0..) {
                if !document.removed {
                    live.push((DocumentAddress { segment, document: number }, document));
                }
            }
        }
        live
    }

    fn ranges(&self) -> Vec<std::ops::Range<usize>> {
        let n = self.documents.len();
        let mut ends: Vec<usize> = self.cuts.iter().map(|cut| cut % (n + 1)).collect();
        ends.push(n);
        ends.sort_unstable();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts.zip(ends.iter().copied()).map(|(start, end)| start..end).collect()
    }

    pub(crate) fn segments(&self) -> Vec<MemorySegment> {
        let segment = |range: std::ops::Range<usize>| {
            let mut segment = MemorySegment::with_chunk_bits(self.chunk_bits);
            for document in &self.documents[range] {
                let number = segment.add(&document.words, &document.chunks());
                if document.removed {
                    segment.remove(number);
                }
            }
            segment
        };
        self.ranges().into_iter().map(segment).collect()
    }

    /// The same documents in one segment, without removed ones.
    pub(crate) fn compacted(&self) -> MemorySegment {
        let mut segment = MemorySegment::default();
        for (_, document) in self.live() {
            segment.add(&document.words, &document.chunks());
        }
        segment
    }

    pub(crate) fn words(&self, address: DocumentAddress) -> &[u64] {
        let range = self.ranges()[address.segment as usize].clone();
        &self.documents[range][address.document as usize].words
    }
}

/// Random words, some far more frequent than others.
pub(crate) fn words(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u64>> {
    let skewed = (0u64..60, 0u64..60, 0u64..60).prop_map(|(a, b, c)| word(a.min(b).min(c)));
    prop::collection::vec(skewed, length)
}

pub(crate) fn collection(
    n: std::ops::Range<usize>,
    length: std::ops::Range<usize>,
) -> impl Strategy<Value = Collection> {
    let document = (words(length), prop::bool::weighted(0.2))
        .prop_map(|(words, removed)| Document { words, removed });
    let documents = prop::collection::vec(document, n);
    let copies = prop::collection::vec((any::<prop::sample::Index>(), 0usize..8), 0..6);
    let cuts = prop::collection::vec(0usize..1000, 0..4);
    let bits = prop_oneof![Just(64u32), Just(8)];
    (documents, copies, cuts, bits).prop_map(|(mut documents, copies, cuts, chunk_bits)| {
        for (original, dropped) in copies {
            if !documents.is_empty() {
                let mut copy = original.get(&documents).clone();
                copy.words.truncate(copy.words.len().saturating_sub(dropped));
                documents.push(copy);
            }
        }
        Collection { documents, cuts, chunk_bits }
    })
}
