//! Comparison of two texts or files.

use std::ops::Range;
use std::path::Path;

use textkin_core::Note;
use textkin_report::comparison_page;
use textkin_source::{InputFormat, SourceSettings, TeiOptions};
use textkin_text::grammar::ChunkerKind;
use textkin_text::tokenizer::{Normalization, TextPart};

use super::options::{ByteSize, JobOptions, OptionValue, analysis_options, reading_options};
use crate::compare::{CommonText, TextComparison, compare_without};
use crate::error::Error;
use crate::read::read_document;
use crate::rewritten::find_rewritten;
use crate::settings::Settings;

/// Compares two texts: which passages they share, and how much of each is contained in the other.
///
/// ```
/// use textkin::Compare;
///
/// let a = "Row, row, row your boat gently down the stream";
/// let b = "They said: row row row your boat gently down the river!";
/// let comparison = Compare::new().run(a, b)?;
/// let passage = comparison.passages().next().expect("they share eight words");
/// assert_eq!(passage.a, "Row, row, row your boat gently down the");
/// assert_eq!(passage.b, "row row row your boat gently down the");
/// assert_eq!(comparison.a_in_b(), 8.0 / 9.0);
/// # Ok::<(), textkin::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Compare {
    options: JobOptions,
    is_rewritten: bool,
}

impl Compare {
    /// Creates a comparison with the options of `textkin compare`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a comparison with settings of the engine.
    pub fn with_settings(settings: Settings) -> Self {
        Self { options: JobOptions { settings, ..JobOptions::default() }, ..Self::default() }
    }

    analysis_options!();
    reading_options!();

    /// Joins passages that are at most this many words apart on both sides.
    pub fn max_gap(mut self, words: u32) -> Self {
        self.options.passages.max_gap = words;
        self
    }

    /// Drops passages with fewer matching words than this; their words do not count as contained.
    pub fn min_words(mut self, words: u32) -> Self {
        self.options.passages.min_words = words;
        self
    }

    /// Also finds passages that say the same in other words ([`Comparison::rewritten`]).
    ///
    /// ```
    /// use textkin::Compare;
    ///
    /// let a = "The lighthouse keeper counted forty ships before the storm broke over the harbour. \
    ///     He had lit the great lamp early, because fishermen had warned him that gulls flew inland.";
    /// let b = "Before the storm reached the harbour, the keeper of the lighthouse counted some forty \
    ///     ships. As gulls flew inland, which the fishermen had warned of, he lit the big lamp early.";
    /// let comparison = Compare::new().rewritten(true).run(a, b)?;
    /// assert_eq!(comparison.passages().count(), 0);
    /// let passage = comparison.rewritten().next().expect("both tell the same");
    /// assert!(passage.confidence > 0.8 && passage.a.starts_with("The lighthouse keeper"));
    /// # Ok::<(), textkin::Error>(())
    /// ```
    pub fn rewritten(mut self, is_rewritten: bool) -> Self {
        self.is_rewritten = is_rewritten;
        self
    }

    /// Compares two texts.
    ///
    /// # Errors
    /// If an option is invalid, the chunks are not runs of words, or a text is longer than 2 GiB.
    pub fn run(&self, a: impl Into<String>, b: impl Into<String>) -> Result<Comparison, Error> {
        let text =
            |id: &str, text: String| ComparedText { id: id.to_owned(), text, notes: Vec::new() };
        self.compare(text("a", a.into()), text("b", b.into()), None)
    }

    /// Compares two documents in files, each given as `FILE` or, if the file holds several, as `FILE#ID`.
    ///
    /// # Errors
    /// As [`Compare::run`], and if a document cannot be read.
    pub fn run_paths(&self, a: impl AsRef<Path>, b: impl AsRef<Path>) -> Result<Comparison, Error> {
        let read = |path: &Path| {
            let read = read_document(path, &self.options.reading)?;
            Ok::<_, Error>(ComparedText { id: read.id, text: read.text, notes: read.notes })
        };
        self.options.check()?;
        self.compare(read(a.as_ref())?, read(b.as_ref())?, None)
    }

    pub(crate) fn with_options(options: JobOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Compares two texts; the words in `common` are shown but excluded from the counts.
    pub(crate) fn compare(
        &self,
        a: ComparedText,
        b: ComparedText,
        common: Option<CommonText<'_>>,
    ) -> Result<Comparison, Error> {
        let settings = self.options.settings_without_threshold()?;
        for compared in [&a, &b] {
            super::check_length(&compared.id, &compared.text)?;
        }
        let mut details =
            compare_without(&a.text, &b.text, &settings, self.options.passages, common)?;
        if self.is_rewritten {
            details.rewritten = Some(find_rewritten(&a.text, &b.text, &settings, &details)?);
        }
        Ok(Comparison { a, b, details })
    }
}

/// One of the two texts.
#[derive(Clone, Debug)]
pub(crate) struct ComparedText {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) notes: Vec<Note>,
}

/// The result of [`Compare`].
#[derive(Clone, Debug)]
pub struct Comparison {
    a: ComparedText,
    b: ComparedText,
    details: TextComparison,
}

/// A passage that two texts share.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedPassage<'a> {
    /// Its text in the first document.
    pub a: &'a str,
    /// Its text in the second document.
    pub b: &'a str,
    /// Its bytes in the first document.
    pub a_range: Range<usize>,
    /// Its bytes in the second document.
    pub b_range: Range<usize>,
    /// The number of words that are the same on both sides, in runs that are long enough to count.
    pub words: u32,
}

/// A passage that two texts share in other words.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RewrittenPassage<'a> {
    /// Its text in the first document.
    pub a: &'a str,
    /// Its text in the second document.
    pub b: &'a str,
    /// Its bytes in the first document.
    pub a_range: Range<usize>,
    /// Its bytes in the second document.
    pub b_range: Range<usize>,
    /// How sure it is, from 0 to 1: the share of passages like it that people had marked as rewritten.
    pub confidence: f64,
    /// Whether the passage of one text summarizes the other.
    pub is_summary: bool,
}

impl Comparison {
    /// Returns the share of the words of the first text that the second contains, from 0 to 1.
    #[must_use]
    pub fn a_in_b(&self) -> f64 {
        self.details.alignment.overlap.a_in_b()
    }

    /// Returns the share of the words of the second text that the first contains, from 0 to 1.
    #[must_use]
    pub fn b_in_a(&self) -> f64 {
        self.details.alignment.overlap.b_in_a()
    }

    /// Iterates over the passages that the texts share, in the order of the first text.
    pub fn passages(&self) -> impl Iterator<Item = SharedPassage<'_>> {
        self.details.alignment.passages.iter().map(|passage| {
            let (a_range, b_range) = (passage.a.span.range(), passage.b.span.range());
            SharedPassage {
                a: &self.a.text[a_range.clone()],
                b: &self.b.text[b_range.clone()],
                a_range,
                b_range,
                words: passage.matched,
            }
        })
    }

    /// Iterates over the passages that the texts share in other words, in the order of the first text; none unless
    /// [`Compare::rewritten`] was set. They do not count in [`Comparison::a_in_b`].
    pub fn rewritten(&self) -> impl Iterator<Item = RewrittenPassage<'_>> {
        let passages = self.details.rewritten.iter().flat_map(|rewritten| &rewritten.passages);
        passages.map(|passage| {
            let (a_range, b_range) = (passage.a.span.range(), passage.b.span.range());
            RewrittenPassage {
                a: &self.a.text[a_range.clone()],
                b: &self.b.text[b_range.clone()],
                a_range,
                b_range,
                confidence: passage.confidence,
                is_summary: passage.kind == "summary",
            }
        })
    }

    /// Returns the ids of the documents; `a` and `b` for texts without one.
    #[must_use]
    pub fn ids(&self) -> [&str; 2] {
        [&self.a.id, &self.b.id]
    }

    /// Returns the texts that were compared.
    #[must_use]
    pub fn texts(&self) -> [&str; 2] {
        [&self.a.text, &self.b.text]
    }

    /// Returns the comparison as an HTML page with both texts side by side.
    #[must_use]
    pub fn html(&self) -> String {
        comparison_page(&self.view())
    }

    /// Returns the comparison for the writers of [`engine::report`](crate::engine::report).
    #[must_use]
    pub fn view(&self) -> textkin_report::Comparison<'_> {
        let (a, b) = (&self.a, &self.b);
        let mut view = self.details.view([&a.id, &a.text], [&b.id, &b.text]);
        view.a.add_notes(&a.notes);
        view.b.add_notes(&b.notes);
        view
    }

    /// Returns the counts, exclusions and notes of the engine.
    #[must_use]
    pub fn details(&self) -> &TextComparison {
        &self.details
    }
}
