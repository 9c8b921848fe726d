//! Views of drawings: histograms, and the strip that shows a document as a bar.

/// Documents by their best match.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// The bars from left to right.
    pub bars: Vec<Bar>,
    /// The threshold in percent, drawn as a line.
    pub threshold: u32,
}

/// One bar of a histogram.
#[derive(Clone, Debug, Default)]
pub struct Bar {
    /// The lower bound, in percent.
    pub from: u32,
    /// The upper bound, in percent.
    pub to: u32,
    /// The number of documents between the bounds.
    pub documents: u64,
    /// The page that lists these documents.
    pub href: Option<String>,
}

impl Histogram {
    /// Returns the number of documents in all bars.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.bars.iter().map(|bar| bar.documents).sum()
    }
}

/// A whole document as a bar, with its matches.
#[derive(Clone, Debug, Default)]
pub struct Strip {
    /// The number of words in the document, with nothing excluded.
    pub words: u64,
    /// The marked segments, ascending, without overlap.
    pub segments: Vec<StripSegment>,
}

/// A run of words in a [`Strip`].
#[derive(Clone, Debug, Default)]
pub struct StripSegment {
    /// The first word, counted from 0.
    pub from: u64,
    /// The word after the last.
    pub to: u64,
    /// Why the segment is marked.
    pub kind: MarkKind,
}

/// Why a run of words is marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// It was found in the source with this number, counted from 1.
    Source(usize),
    /// It is excluded, for this reason (`quotation`, `bibliography`, `template`, `common`, …).
    Excluded(String),
}

impl Default for MarkKind {
    fn default() -> Self {
        Self::Source(1)
    }
}
