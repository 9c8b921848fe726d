//! Comparison of two documents side by side: for a terminal, as JSON and as an HTML page.
//!
//! In: a [`Comparison`]: two texts, the passages they share and the counts. Out: text
//! ([`render_comparison`]), JSON ([`comparison_json`]) or one self-contained HTML page
//! ([`comparison_page`]). Nothing here aligns or counts.

mod excerpt;
mod json;
mod page;
mod pieces;
mod policy;
mod rewritten;
mod text;

use textkin_core::{Excluded, Note, Overlap, Passage, Reason, Repeat, Span};

pub(crate) use excerpt::{PassageText, passage_texts};
pub(crate) use json::json_schema;
pub use json::{WithText, comparison_json};
pub use page::comparison_page;
pub(crate) use page::escape;
pub(crate) use policy::policy;
pub use rewritten::{
    RewrittenDocuments, RewrittenMatch, RewrittenMatches, SameWord, rewritten_section,
};
pub use text::{Detail, render_comparison};

/// One of the two documents.
#[derive(Clone, Debug)]
pub struct ComparedText<'a> {
    /// Id of the document.
    pub id: &'a str,
    /// Its text; all spans are byte ranges of it.
    pub text: &'a str,
    /// BLAKE3 of the text as UTF-8, in hexadecimal digits.
    pub digest: String,
    /// The excluded parts, ascending.
    pub excluded: &'a [Excluded],
    /// Words that match text of the other document that is already part of a passage.
    pub repeats: &'a [Repeat],
    /// Bridged words inside passages; they do not count as shared.
    pub bridged: u64,
    /// Notes: disguised words, missing parts.
    pub notes: Vec<Note>,
    /// Look-alike and zero-width characters inside words, ascending.
    pub disguised: &'a [Span],
}

impl ComparedText<'_> {
    /// Adds the notes of the source before the other notes.
    pub fn add_notes(&mut self, notes: &[Note]) {
        self.notes.splice(0..0, notes.iter().cloned());
    }
}

/// Settings of a comparison: everything needed to repeat it.
#[derive(Clone, Copy, Debug)]
pub struct ComparisonSettings<'a> {
    /// The version of textkin.
    pub version: &'a str,
    /// Minimum words of a match.
    pub k: u32,
    /// The normalization steps, by name.
    pub normalize: &'a str,
    /// Maximum words between two matches of a passage.
    pub max_gap: u32,
    /// Minimum matching words of a passage; 0 if all count.
    pub min_words: u32,
    /// BLAKE3 of the templates.
    pub templates: &'a [String],
    /// BLAKE3 of the sorted words of the stop list, one per line.
    pub stop_list: Option<&'a str>,
}

/// Two documents and their shared text.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The first document.
    pub a: ComparedText<'a>,
    /// The second document.
    pub b: ComparedText<'a>,
    /// The counts after exclusions.
    pub overlap: Overlap,
    /// The counts with nothing excluded, if anything is excluded.
    pub raw: Option<Overlap>,
    /// The shared passages, in the order of `a`.
    pub passages: &'a [Passage],
    /// Passages of common text that `--max-df` excluded, with no counted words nearby.
    pub common_passages: &'a [Passage],
    /// The passages shared in other words, if they were sought.
    pub rewritten: Option<&'a RewrittenMatches>,
    /// The settings.
    pub settings: ComparisonSettings<'a>,
    /// The result for this pair in a run, if the comparison is part of one.
    pub pair: Option<RunPair<'a>>,
}

/// The result for a pair in a discovery run. Scores by rarity depend on all documents of the run.
#[derive(Clone, Copy, Debug)]
pub struct RunPair<'a> {
    /// The number of the pair in the order of the run, from 1.
    pub number: usize,
    /// The name of the score.
    pub by: &'a str,
    /// The score.
    pub score: f64,
    /// The score with nothing excluded, if anything is excluded.
    pub raw_score: Option<f64>,
    /// Number of documents of the run.
    pub documents: u64,
    /// Chunks in more documents than this were excluded.
    pub max_df: Option<u32>,
    /// The counts.
    pub overlap: Overlap,
    /// Why the pair is listed.
    pub reason: Reason,
}

impl Comparison<'_> {
    /// Whether the documents share any words, or a passage in other words.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.overlap.covered_a > 0 || self.overlap.covered_b > 0 || self.is_rewritten()
    }

    /// Whether the documents share a passage in other words.
    #[must_use]
    pub fn is_rewritten(&self) -> bool {
        self.rewritten.is_some_and(|rewritten| !rewritten.passages.is_empty())
    }

    /// Returns the start of the longest passage in the first document, up to `max_chars` characters, with
    /// single spaces between words. Empty without a passage.
    #[must_use]
    pub fn snippet(&self, max_chars: usize) -> String {
        let longest = self.passages.iter().rev().max_by_key(|passage| passage.matched);
        let text = longest.and_then(|passage| self.a.text.get(passage.a.span.range()));
        let mut snippet = String::new();
        for word in text.unwrap_or_default().split_whitespace() {
            if snippet.chars().count() + 1 + word.chars().count() > max_chars {
                snippet.push_str(if snippet.is_empty() { "" } else { " …" });
                break;
            }
            snippet.push_str(if snippet.is_empty() { "" } else { " " });
            snippet.push_str(word);
        }
        snippet
    }
}

/// A side of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    A,
    B,
}

#[cfg(test)]
pub(crate) mod samples;
