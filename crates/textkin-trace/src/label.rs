//! Labels: where the chunks of a document came from, and how that is known.

use std::ops::Range;

use crate::chunks::Selected;

/// The origin of a chunk that is not the document's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub(crate) origin: u64,
    /// The place of the chunk in its origin, in the unit of the method: words, or selected chunks
    /// modulo 256.
    pub(crate) offset: Option<u32>,
    /// Whether it is guessed from other chunks.
    pub(crate) is_estimated: bool,
}

impl Label {
    pub(crate) fn found(origin: u64, offset: Option<u32>) -> Self {
        Self { origin, offset, is_estimated: false }
    }

    pub(crate) fn estimated(origin: u64, offset: Option<u32>) -> Self {
        Self { origin, offset, is_estimated: true }
    }
}

/// Consecutive chunks that came from one place, or are the document's own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Labelled {
    /// The first word.
    pub(crate) start: u32,
    /// One past the last word; there is none between that is in no chunk.
    pub(crate) end: u32,
    /// How many chunks.
    pub(crate) n_chunks: u32,
    /// How many of them were found, not guessed.
    pub(crate) n_found: u32,
    /// None if they are the document's own.
    pub(crate) place: Option<Place>,
}

/// Where a chunk came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) origin: u64,
    /// Its place there in words, if the method keeps that.
    pub(crate) offset: Option<u32>,
}

impl Labelled {
    /// Whether `next` is of the same block: the same origin, and as far on as there.
    pub(crate) fn continues(&self, next: &Self) -> bool {
        let (Some(a), Some(b)) = (self.place, next.place) else {
            return self.place.is_none() && next.place.is_none();
        };
        let diagonal = |place: Place, start: u32| {
            place.offset.map(|offset| offset.wrapping_sub(start) & 0xffff)
        };
        a.origin == b.origin && diagonal(a, self.start) == diagonal(b, next.start)
    }
}

/// The labels of all chunks of a document that have one, or are its own.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    /// In text order.
    pub(crate) runs: Vec<Labelled>,
    /// The words of those found, in the same order.
    pub(crate) found: Vec<Range<u32>>,
}

impl Labels {
    pub(crate) fn clear(&mut self) {
        self.runs.clear();
        self.found.clear();
    }

    /// Takes the label of each selected chunk.
    pub(crate) fn extend(&mut self, selected: &[Selected], labels: Vec<Option<Label>>) {
        for (chunk, label) in selected.iter().zip(labels) {
            let Range { start, end } = chunk.words();
            let place = label.map(|label| Place { origin: label.origin, offset: label.offset });
            let is_found = label.is_some_and(|label| !label.is_estimated);
            let n_found = u32::from(is_found);
            self.runs.push(Labelled { start, end, n_chunks: 1, n_found, place });
            if is_found {
                self.found.push(start..end);
            }
        }
    }
}
