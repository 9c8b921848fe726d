//! What is drawn: histograms and the strip of a document.

/// Documents by their best match.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// Bars from left to right.
    pub bars: Vec<Bar>,
    /// The threshold in percent, drawn as a line.
    pub threshold: u32,
}

/// One bar of a histogram.
#[derive(Clone, Debug, Default)]
pub struct Bar {
    /// Where it begins, in percent.
    pub from: u32,
    /// Where it ends, in percent.
    pub to: u32,
    /// How many documents it stands for.
    pub documents: u64,
    /// What a click on it opens.
    pub href: Option<String>,
}

impl Histogram {
    /// All documents of the bars.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.bars.iter().map(|bar| bar.documents).sum()
    }
}

/// A whole document as a bar, with what was found in it.
#[derive(Clone, Debug, Default)]
pub struct Strip {
    /// Words of the document, with nothing excluded.
    pub words: u64,
    /// What was found, ascending, without overlap.
    pub segments: Vec<Segment>,
}

/// A run of words of a [`Strip`].
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// The first word, from 0 on.
    pub from: u64,
    /// The word after the last.
    pub to: u64,
    /// What is said of it.
    pub kind: SegmentKind,
}

/// What is said of a run of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    /// It is found in the source of this number, from 1 on.
    Source(usize),
    /// It does not count, for this reason (`quotation`, `bibliography`, `template`, `common`, …).
    Excluded(String),
}

impl Default for SegmentKind {
    fn default() -> Self {
        Self::Source(1)
    }
}
