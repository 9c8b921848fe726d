//! What two documents share, side by side: for a terminal, as JSON and as a page.
//!
//! In: a [`Comparison`]: two texts, the passages they share and the counts. Out: text
//! ([`render_comparison`]), JSON ([`comparison_json`]) or one self-contained HTML page
//! ([`comparison_page`]). Nothing here aligns or counts.

mod excerpt;
mod json;
mod page;
mod pieces;
mod policy;
mod text;

use textkin_core::{Excluded, Note, Overlap, Passage, Repeat, Span};

pub(crate) use excerpt::{PassageText, passage_texts};
pub use json::{WithText, comparison_json};
pub use page::comparison_page;
pub(crate) use page::escape;
pub(crate) use policy::policy;
pub use text::{Detail, render_comparison};

/// One of the two documents.
#[derive(Clone, Debug)]
pub struct ComparedText<'a> {
    /// How the document is named.
    pub id: &'a str,
    /// Its text; all spans are bytes of it.
    pub text: &'a str,
    /// BLAKE3 of the text as UTF-8, in hexadecimal digits.
    pub digest: String,
    /// The parts that do not count, ascending.
    pub excluded: &'a [Excluded],
    /// Words that the other document has at a place that already belongs to a passage.
    pub repeats: &'a [Repeat],
    /// Words between the runs of passages; they are not contained.
    pub bridged: u64,
    /// What is worth knowing about it: disguises, parts missing.
    pub notes: Vec<Note>,
    /// Where letters that look alike and characters without width disguise words, ascending.
    pub disguised: &'a [Span],
}

impl ComparedText<'_> {
    /// Adds what the source noticed, before what the words show.
    pub fn add_notes(&mut self, notes: &[Note]) {
        self.notes.splice(0..0, notes.iter().cloned());
    }
}

/// How the documents were compared: all that is needed to do it again.
#[derive(Clone, Copy, Debug)]
pub struct ComparisonSettings<'a> {
    /// The version of textkin.
    pub version: &'a str,
    /// Words in the shortest run that counts.
    pub k: u32,
    /// The steps of normalisation, by name.
    pub normalize: &'a str,
    /// The most words between two runs of a passage.
    pub max_gap: u32,
    /// BLAKE3 of the templates.
    pub templates: &'a [String],
    /// BLAKE3 of the words of the stop list, sorted, one a line.
    pub stop_list: Option<&'a str>,
}

/// Two documents and what they share.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The first document.
    pub a: ComparedText<'a>,
    /// The second document.
    pub b: ComparedText<'a>,
    /// The counts after exclusions.
    pub overlap: Overlap,
    /// The counts with nothing excluded, if anything is.
    pub raw: Option<Overlap>,
    /// What they share, in the order of `a`.
    pub passages: &'a [Passage],
    /// What both have of common text that a cap set aside, where no other word is near.
    pub common_passages: &'a [Passage],
    /// How they were compared.
    pub settings: ComparisonSettings<'a>,
    /// What a run says of the two, if the comparison is part of one.
    pub pair: Option<RunPair<'a>>,
}

/// What a run of discovery says of a pair. Scores by rarity depend on all documents of the run.
#[derive(Clone, Copy, Debug)]
pub struct RunPair<'a> {
    /// The number of the pair in the order of the run, from 1 on.
    pub number: usize,
    /// The name of the score.
    pub by: &'a str,
    /// The score.
    pub score: f64,
    /// The score with nothing excluded, if anything is.
    pub raw_score: Option<f64>,
    /// Documents of the run.
    pub documents: u64,
    /// Chunks in more documents than this were set aside.
    pub max_df: Option<u32>,
    /// What they share.
    pub overlap: Overlap,
}

impl Comparison<'_> {
    /// Whether any word of one is found in the other.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.overlap.covered_a > 0 || self.overlap.covered_b > 0
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
