//! The chunks of a document as tracers see them: by their words, whether they were made or not.

use std::ops::Range;

use textkin_core::Chunk;
use textkin_core::chunk::{chunk_hash, overlapping_count};

/// All chunks of a document, in text order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Chunks<'a> {
    /// Chunks of any kind, whose starts and ends ascend.
    Listed(&'a [Chunk]),
    /// All runs of so many words, which need not be made: chunk `n` begins with word `n`.
    Runs { n_chunks: u32, count: u32 },
}

impl<'a> Chunks<'a> {
    /// All runs of `k` words of `n_words`; of fewer words, one run of all.
    pub(crate) fn runs(n_words: usize, k: usize) -> Self {
        let k = k.max(1);
        Self::Runs { n_chunks: size(overlapping_count(n_words, k)), count: size(k.min(n_words)) }
    }

    pub(crate) fn len(&self) -> u32 {
        match self {
            Self::Listed(chunks) => size(chunks.len()),
            Self::Runs { n_chunks, .. } => *n_chunks,
        }
    }

    /// The words of a chunk.
    pub(crate) fn words(&self, index: u32) -> Range<u32> {
        match self {
            Self::Listed(chunks) => {
                let Chunk { first, count, .. } = chunks[index as usize];
                first..first + count
            }
            Self::Runs { count, .. } => index..index + count,
        }
    }

    /// A chunk that is there, of a document whose words have these hashes.
    pub(crate) fn selected(&self, hashes: &[u64], index: u32) -> Selected {
        let words = self.words(index);
        let hash = match self {
            Self::Listed(chunks) => chunks[index as usize].hash,
            Self::Runs { .. } => chunk_hash(&hashes[words.start as usize..words.end as usize]),
        };
        Selected { hash, index, first: words.start, count: words.end - words.start }
    }

    /// The chunks all of whose words are among these.
    pub(crate) fn within(&self, words: &Range<u32>) -> Range<usize> {
        match self {
            Self::Listed(chunks) => {
                let from = chunks.partition_point(|chunk| chunk.first < words.start);
                let to = chunks.partition_point(|chunk| chunk.first + chunk.count <= words.end);
                from..to.max(from)
            }
            Self::Runs { n_chunks, count } => {
                let to = (words.end + 1).saturating_sub(*count).min(*n_chunks);
                words.start as usize..to.max(words.start) as usize
            }
        }
    }
}

/// A chunk that is looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selected {
    pub(crate) hash: u64,
    /// Its place among all chunks.
    pub(crate) index: u32,
    /// Its first word.
    pub(crate) first: u32,
    /// Its number of words.
    pub(crate) count: u32,
}

impl Selected {
    pub(crate) fn words(&self) -> Range<u32> {
        self.first..self.first + self.count
    }
}

/// A number of words or chunks, of which no text has more.
pub(crate) fn size(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
