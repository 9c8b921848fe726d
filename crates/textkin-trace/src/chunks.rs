//! The chunks of a document as tracers see them: listed explicitly, or implied by word positions.

use std::ops::Range;

use textkin_core::Chunk;
use textkin_core::chunk::{chunk_hash, overlapping_count};

/// All chunks of a document, in text order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DocumentChunks<'a> {
    /// Chunks of any kind, whose starts and ends ascend.
    Listed(&'a [Chunk]),
    /// All runs of `count` words, without a list: chunk `n` begins with word `n`.
    Runs { n_chunks: u32, count: u32 },
}

impl<'a> DocumentChunks<'a> {
    /// All runs of `k` words in a document of `n_words`; a shorter document is one run.
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

    /// Returns the words of a chunk.
    pub(crate) fn words(&self, index: u32) -> Range<u32> {
        match self {
            Self::Listed(chunks) => {
                let Chunk { first, count, .. } = chunks[index as usize];
                first..first + count
            }
            Self::Runs { count, .. } => index..index + count,
        }
    }

    /// Returns an existing chunk of a document whose words have these hashes.
    pub(crate) fn selected(&self, hashes: &[u64], index: u32) -> SelectedChunk {
        let words = self.words(index);
        let hash = match self {
            Self::Listed(chunks) => chunks[index as usize].hash,
            Self::Runs { .. } => chunk_hash(&hashes[words.start as usize..words.end as usize]),
        };
        SelectedChunk { hash, index, first: words.start, count: words.end - words.start }
    }

    /// Returns the chunks that lie completely within these words.
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

/// A chunk to look up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SelectedChunk {
    pub(crate) hash: u64,
    /// Index among all chunks.
    pub(crate) index: u32,
    /// First word.
    pub(crate) first: u32,
    /// Number of words.
    pub(crate) count: u32,
}

impl SelectedChunk {
    pub(crate) fn words(&self) -> Range<u32> {
        self.first..self.first + self.count
    }
}

/// Converts a number of words or chunks; no text has more than fit.
pub(crate) fn size(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
