//! A label: where one chunk of a document came from, and how that is known.

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
