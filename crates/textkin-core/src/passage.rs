//! Passages: runs of text that two documents share, with their position on each side.

use std::fmt;

use crate::span::Span;

/// Consecutive words of one document and their span in its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordSpan {
    /// First word.
    pub first: u32,
    /// Number of words; 0 for a position between two words.
    pub count: u32,
    /// From the first byte of the first word to the last byte of the last word.
    pub span: Span,
}

impl WordSpan {
    /// One past the last word.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.first + self.count
    }

    /// Whether it has no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// How the two sides of a segment relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SegmentKind {
    /// The same words, part of a run that is long enough to count.
    Same,
    /// The same words between two runs, too few to count.
    Kept,
    /// Different words between two runs; one side may have none.
    Changed,
}

impl SegmentKind {
    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Kept => "kept",
            Self::Changed => "changed",
        }
    }

    /// Whether it lies between two runs and never counts as contained.
    #[must_use]
    pub fn is_bridged(self) -> bool {
        self != Self::Same
    }
}

impl fmt::Display for SegmentKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A part of a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// How the two sides relate.
    pub kind: SegmentKind,
    /// The words of `a`.
    pub a: WordSpan,
    /// The words of `b`.
    pub b: WordSpan,
}

/// A passage of shared text: its position on each side, and the edits inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Its words in `a`.
    pub a: WordSpan,
    /// Its words in `b`.
    pub b: WordSpan,
    /// Number of words in segments that are [`SegmentKind::Same`], except words excluded on both sides.
    pub matched: u32,
    /// Whether it is out of order: its position differs from the order of most of the shared text.
    pub is_moved: bool,
    /// Its segments in order; together they cover both sides.
    pub segments: Vec<Segment>,
}

/// Words that also occur in the other document, at a position that already belongs to a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The words.
    pub here: WordSpan,
    /// Where they occur in the other document.
    pub there: WordSpan,
}

/// Why a part of a text does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exclusion {
    /// It is quoted.
    Quotation,
    /// It is in the list of references.
    Bibliography,
    /// It also occurs in a template.
    Template,
    /// It lies in a chunk that is in more documents than a cap allows.
    Common,
    /// It is a stop phrase.
    Phrase,
}

impl Exclusion {
    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Quotation => "quotation",
            Self::Bibliography => "bibliography",
            Self::Template => "template",
            Self::Common => "common",
            Self::Phrase => "phrase",
        }
    }
}

/// The reason in words for readers.
impl fmt::Display for Exclusion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Common => "common text",
            Self::Phrase => "stop phrase",
            other => other.name(),
        })
    }
}

/// A part of a text that does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excluded {
    /// Its span.
    pub span: Span,
    /// Why it does not count.
    pub reason: Exclusion,
}
