//! Answers as JSON: one object for each query and measure.

use std::ops::Range;

use serde::Serialize;
use textkin::types::Span;

/// What was found for a query by one measure.
#[derive(Debug, Serialize)]
pub(super) struct Answer<'a> {
    pub(super) query: &'a str,
    pub(super) measure: String,
    pub(super) results: Vec<Found>,
    /// Words of the query.
    pub(super) words: usize,
    #[serde(flatten)]
    pub(super) passages: Option<Passages>,
}

/// A document that was found.
#[derive(Debug, Serialize)]
pub(super) struct Found {
    pub(super) rank: usize,
    pub(super) id: String,
    pub(super) score: f64,
    pub(super) percent: f64,
    /// Words of the document.
    pub(super) words: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<String>,
    /// Passages of it that are highly similar to one of the query, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) passage_pairs: Option<usize>,
}

/// What was found by passages.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Passages {
    pub(super) passages: Vec<PassageFound>,
    /// Passages of the query that are common in the repository and were passed over.
    pub(super) common_passages: Vec<PlaceInText>,
}

/// A document with passages that are highly similar to some of the query.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PassageFound {
    pub(super) id: String,
    pub(super) pairs: Vec<Pair>,
}

/// Two passages that are highly similar.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Pair {
    pub(super) query: PlaceInText,
    pub(super) document: PlaceInText,
    pub(super) percent: f64,
}

/// Where a passage is: bytes and words.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PlaceInText {
    start: u32,
    end: u32,
    words: [usize; 2],
}

impl PlaceInText {
    /// The place of a run of words.
    pub(super) fn new(span: Span, words: &Range<usize>) -> Self {
        Self { start: span.start, end: span.end, words: [words.start, words.end] }
    }
}
