//! Search results as JSON: one object per query and measure.

use std::ops::Range;

use schemars::{JsonSchema, Schema};
use serde::Serialize;
use textkin::engine::report::schema_of;
use textkin::engine::types::Span;

/// The schema of a line of results.
pub(crate) fn schema() -> Schema {
    schema_of::<QueryResult<'_>>()
}

/// The results of a query for one measure.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct QueryResult<'a> {
    /// Id of the query.
    pub(super) query: &'a str,
    /// The measure.
    pub(super) measure: String,
    /// The best documents, highest score first.
    pub(super) results: Vec<Match>,
    /// Words of the query.
    pub(super) words: usize,
    #[serde(flatten)]
    pub(super) passages: Option<Passages>,
}

/// A matching document.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Match {
    /// Its rank, from 1.
    pub(super) rank: usize,
    /// Its id.
    pub(super) id: String,
    /// Its score.
    pub(super) score: f64,
    /// The score in percent of the score of the query with itself.
    pub(super) percent: f64,
    /// Words of the document.
    pub(super) words: u32,
    /// Its time, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<String>,
    /// Ids of its copies and near-copies, if they are collapsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) copies: Option<Vec<String>>,
    /// Number of its passages that are similar to one of the query, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) passage_pairs: Option<usize>,
}

/// Similar passages of a query.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Passages {
    /// Documents with similar passages; only with `--passages`.
    pub(super) passages: Vec<PassageMatch>,
    /// Passages of the query that are common in the repository and were skipped; only with `--passages`.
    pub(super) common_passages: Vec<TextRange>,
}

/// A document with passages that are similar to those of the query.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct PassageMatch {
    /// Its id.
    pub(super) id: String,
    /// The similar passages.
    pub(super) pairs: Vec<Pair>,
}

/// Two similar passages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Pair {
    /// The passage of the query.
    pub(super) query: TextRange,
    /// The passage of the document.
    pub(super) document: TextRange,
    /// How similar they are.
    pub(super) percent: f64,
}

/// The position of a passage, in bytes and in words.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct TextRange {
    /// First byte.
    start: u32,
    /// Byte after the last.
    end: u32,
    /// First word, and the word after the last.
    words: [usize; 2],
}

impl TextRange {
    /// Creates the range of a run of words.
    pub(super) fn new(span: Span, words: &Range<usize>) -> Self {
        Self { start: span.start, end: span.end, words: [words.start, words.end] }
    }
}
