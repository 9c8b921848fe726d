//! Search results as JSON: one object per query and measure.

use std::ops::Range;

use serde::Serialize;
use textkin::types::Span;

/// The results of a query for one measure.
#[derive(Debug, Serialize)]
pub(super) struct QueryResult<'a> {
    pub(super) query: &'a str,
    pub(super) measure: String,
    pub(super) results: Vec<Match>,
    /// Words of the query.
    pub(super) words: usize,
    #[serde(flatten)]
    pub(super) passages: Option<Passages>,
}

/// A matching document.
#[derive(Debug, Serialize)]
pub(super) struct Match {
    pub(super) rank: usize,
    pub(super) id: String,
    pub(super) score: f64,
    pub(super) percent: f64,
    /// Words of the document.
    pub(super) words: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<String>,
    /// Number of its passages that are similar to one of the query, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) passage_pairs: Option<usize>,
}

/// Similar passages of a query.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Passages {
    pub(super) passages: Vec<PassageMatch>,
    /// Passages of the query that are common in the repository and were skipped.
    pub(super) common_passages: Vec<TextRange>,
}

/// A document with passages that are similar to those of the query.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PassageMatch {
    pub(super) id: String,
    pub(super) pairs: Vec<Pair>,
}

/// Two similar passages.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Pair {
    pub(super) query: TextRange,
    pub(super) document: TextRange,
    pub(super) percent: f64,
}

/// The position of a passage, in bytes and in words.
#[derive(Clone, Debug, Serialize)]
pub(super) struct TextRange {
    start: u32,
    end: u32,
    words: [usize; 2],
}

impl TextRange {
    /// Creates the range of a run of words.
    pub(super) fn new(span: Span, words: &Range<usize>) -> Self {
        Self { start: span.start, end: span.end, words: [words.start, words.end] }
    }
}
