//! Labels: the origins of the chunks of a document, found or estimated.

use std::ops::Range;

use crate::chunks::SelectedChunk;

/// Origin of a copied chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OriginLabel {
    pub(crate) origin: u64,
    /// Position of the chunk in its origin, in the unit of the method: words, or selected chunks
    /// modulo 256.
    pub(crate) offset: Option<u32>,
    /// Whether the origin was estimated from other chunks.
    pub(crate) is_estimated: bool,
}

impl OriginLabel {
    pub(crate) fn found(origin: u64, offset: Option<u32>) -> Self {
        Self { origin, offset, is_estimated: false }
    }

    pub(crate) fn estimated(origin: u64, offset: Option<u32>) -> Self {
        Self { origin, offset, is_estimated: true }
    }
}

/// Origin of consecutive chunks of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkOrigin {
    /// First word.
    pub start: u32,
    /// One past the last word.
    pub end: u32,
    /// Number of chunks: 1, except with the window method.
    pub n_chunks: u32,
    /// Where they were copied from; `None` if they are new.
    pub origin: Option<u64>,
    /// Whether the origin of all of them was estimated.
    pub is_estimated: bool,
}

/// Consecutive chunks that were copied from one position, or are new.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelledRun {
    /// First word.
    pub(crate) start: u32,
    /// One past the last word. Every word of the run is in a chunk.
    pub(crate) end: u32,
    /// Number of chunks.
    pub(crate) n_chunks: u32,
    /// Number of chunks that were found, not estimated.
    pub(crate) n_found: u32,
    /// Where they were copied from; `None` if they are new.
    pub(crate) origin: Option<OriginPosition>,
}

/// Position in an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OriginPosition {
    pub(crate) origin: u64,
    /// Offset in words, if the method stores it.
    pub(crate) offset: Option<u32>,
}

impl LabelledRun {
    pub(crate) fn chunk_origin(&self) -> ChunkOrigin {
        ChunkOrigin {
            start: self.start,
            end: self.end,
            n_chunks: self.n_chunks,
            origin: self.origin.map(|position| position.origin),
            is_estimated: self.origin.is_some() && self.n_found == 0,
        }
    }

    /// Returns whether `next` continues the same block: same origin, same distance in both documents.
    pub(crate) fn continues(&self, next: &Self) -> bool {
        let (Some(a), Some(b)) = (self.origin, next.origin) else {
            return self.origin.is_none() && next.origin.is_none();
        };
        let diagonal = |position: OriginPosition, start: u32| {
            position.offset.map(|offset| offset.wrapping_sub(start) & 0xffff)
        };
        a.origin == b.origin && diagonal(a, self.start) == diagonal(b, next.start)
    }
}

/// Labels of the chunks of a document, copied or new.
#[derive(Debug, Default)]
pub(crate) struct OriginLabels {
    /// Runs in text order.
    pub(crate) runs: Vec<LabelledRun>,
    /// Words of the found chunks, in the same order.
    pub(crate) found: Vec<Range<u32>>,
}

impl OriginLabels {
    pub(crate) fn clear(&mut self) {
        self.runs.clear();
        self.found.clear();
    }

    /// Appends the label of each selected chunk.
    pub(crate) fn extend(&mut self, selected: &[SelectedChunk], labels: Vec<Option<OriginLabel>>) {
        for (chunk, label) in selected.iter().zip(labels) {
            let Range { start, end } = chunk.words();
            let origin =
                label.map(|label| OriginPosition { origin: label.origin, offset: label.offset });
            let is_found = label.is_some_and(|label| !label.is_estimated);
            let n_found = u32::from(is_found);
            self.runs.push(LabelledRun { start, end, n_chunks: 1, n_found, origin });
            if is_found {
                self.found.push(start..end);
            }
        }
    }
}
