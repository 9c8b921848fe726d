//! Deduplication of documents, files or any source.

use std::collections::VecDeque;
use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use textkin_core::{Document, DocumentSink, Measure, Problem, Rewind};
use textkin_graph::Counting;
use textkin_index::Plan;
use textkin_source::{DocumentEditor, EditDecision, InputFormat, SourceSettings, TeiOptions};
use textkin_text::grammar::ChunkerKind;
use textkin_text::tokenizer::{Normalization, TextPart};

use super::observer::Observer;
use super::options::{
    ByteSize, JobOptions, OptionValue, analysis_options, check_threshold, collection_options,
    percent_hint, performance_options, reading_options,
};
use crate::dedup::{
    DedupCounts, DedupEditor, DedupLevel, DedupSettings, DuplicateMeasure, Duplicates, KeepRule,
    dedup,
};
use crate::defaults::{DEFAULT_DUPLICATE_SHARE, DEFAULT_LINE_WORDS, DEFAULT_PASSAGE_WORDS};
use crate::discover::RunControl;
use crate::error::Error;
use crate::settings::Settings;

/// Removes duplicates from a collection.
///
/// ```
/// use textkin::Dedup;
///
/// let cleaned = Dedup::new().threshold(0.9).run([
///     ("a", "row row row your boat gently down the stream"),
///     ("b", "Row, row, row your boat, gently down the stream!"),
///     ("c", "a text that has nothing to do with any of the others"),
/// ])?;
/// assert_eq!(cleaned.kept().collect::<Vec<_>>(), ["a", "c"]);
/// let removed: Vec<_> = cleaned.removed().collect();
/// assert_eq!((removed[0].id, removed[0].duplicate_of), ("b", "a"));
/// # Ok::<(), textkin::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Dedup {
    options: JobOptions,
    level: DedupUnit,
    threshold: Option<f64>,
    score: Option<Measure>,
    keep: Keep,
    min_words: Option<u32>,
}

/// What [`Dedup`] removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DedupUnit {
    /// Whole documents.
    #[default]
    Document,
    /// Runs of words that occurred before.
    Passage,
    /// Lines that occurred before.
    Line,
}

impl FromStr for DedupUnit {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "document" => Ok(Self::Document),
            "passage" => Ok(Self::Passage),
            "line" => Ok(Self::Line),
            _ => Err(format!("expected document, passage or line, got '{name}'")),
        }
    }
}

impl fmt::Display for DedupUnit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Document => "document",
            Self::Passage => "passage",
            Self::Line => "line",
        })
    }
}

/// Which duplicate [`Dedup`] keeps. Ties go to the first in input order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keep {
    /// The first in input order.
    #[default]
    First,
    /// The last in input order.
    Last,
    /// The one with the most words.
    Longest,
    /// The one that has most in common with all others, relative to its length. Only for whole documents.
    Best,
    /// The one with the largest value in this field of the records; for documents in memory, the latest.
    Field(String),
}

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("field", "")) => {
                return Err("the field name is missing; write field:NAME".to_owned());
            }
            Some(("field", name)) => return Ok(Self::Field(name.to_owned())),
            _ => {}
        }
        match text {
            "first" => Ok(Self::First),
            "last" => Ok(Self::Last),
            "longest" => Ok(Self::Longest),
            "best" => Ok(Self::Best),
            _ => Err(format!("expected first, last, longest, best or field:NAME, got '{text}'")),
        }
    }
}

impl Dedup {
    /// Creates a deduplication with the options of `textkin dedup`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a deduplication with settings of the engine.
    pub fn with_settings(settings: Settings) -> Self {
        Self { options: JobOptions { settings, ..JobOptions::default() }, ..Self::default() }
    }

    /// Sets what is removed: `"document"` by default, `"passage"` or `"line"`.
    pub fn level(mut self, level: impl OptionValue<DedupUnit>) -> Self {
        if let Some(level) = self.options.invalid.accept("level", level) {
            self.level = level;
        }
        self
    }

    /// Sets the share of a document that another must contain for it to be a duplicate: 0.9 by default. With a
    /// [score](Self::score), the minimum score.
    pub fn threshold(mut self, threshold: f64) -> Self {
        self.threshold = Some(threshold);
        self
    }

    /// Compares documents by this score instead of by containment.
    pub fn score(mut self, score: impl OptionValue<Measure>) -> Self {
        self.score = self.options.invalid.accept("score", score).or(self.score);
        self
    }

    /// Sets which duplicate is kept: `"first"` by default, `"last"`, `"longest"`, `"best"` or `"field:NAME"`.
    pub fn keep(mut self, keep: impl OptionValue<Keep>) -> Self {
        if let Some(keep) = self.options.invalid.accept("keep", keep) {
            if let Keep::Field(name) = &keep {
                self.options.reading.time_field = Some(name.clone());
            }
            self.keep = keep;
        }
        self
    }

    /// Sets the minimum number of words of a removed passage or line.
    pub fn min_words(mut self, words: u32) -> Self {
        self.min_words = Some(words);
        self
    }

    /// Ignores chunks that occur in more than this many documents.
    pub fn max_df(mut self, documents: u32) -> Self {
        self.options.settings.max_df = Some(documents);
        self
    }

    analysis_options!();
    reading_options!();
    collection_options!();
    performance_options!();

    /// Finds the duplicates among documents in memory.
    ///
    /// # Errors
    /// If an option is invalid or does not fit the level, a document is longer than 2 GiB, temporary data cannot be
    /// written, or the observer stopped the run.
    pub fn run<'a, D>(&self, documents: impl IntoIterator<Item = D>) -> Result<Cleaned, Error>
    where
        D: Into<Document<'a>>,
    {
        self.options.check()?;
        self.run_source(&mut super::memory_source(documents)?, &RunControl::default())
    }

    /// Finds the duplicates among documents in files, folders and patterns.
    ///
    /// # Errors
    /// As [`Dedup::run`], and if no path is given or an input is a stream.
    pub fn run_paths<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Cleaned, Error> {
        self.options.check()?;
        self.run_source(&mut super::inputs(paths, &self.options.reading)?, &RunControl::default())
    }

    /// Finds the duplicates among documents of any source that can be read twice. `control` reports progress and can
    /// stop the run, as the observer does.
    ///
    /// # Errors
    /// As [`Dedup::run`], and if the source is a stream.
    pub fn run_source(
        &self,
        source: &mut dyn Rewind,
        control: &RunControl,
    ) -> Result<Cleaned, Error> {
        let settings = self.options.settings_without_threshold()?;
        let dedup_settings = self.dedup_settings()?;
        let again = source.rewind()?;
        let duplicates = self
            .options
            .run(control, |control| dedup(source, &settings, dedup_settings, control))?;
        Ok(Cleaned { duplicates, source: again, control: RunControl::default() })
    }

    /// Returns the settings of the engine, if the options fit together.
    ///
    /// # Errors
    /// If they do not.
    pub fn dedup_settings(&self) -> Result<DedupSettings, Error> {
        let invalid = |option, reason: String| Err(Error::InvalidOption { option, reason });
        let is_document = self.level == DedupUnit::Document;
        let set = [("threshold", self.threshold.is_some()), ("score", self.score.is_some())];
        if let Some((option, _)) = set.into_iter().find(|(_, is_set)| *is_set && !is_document) {
            let reason =
                "requires the level document; passages and lines are compared word for word";
            return invalid(option, reason.to_owned());
        }
        if is_document && self.min_words.is_some() {
            return invalid("min_words", "requires the level passage or line".to_owned());
        }
        if let Some(threshold) = self.threshold {
            match self.score {
                Some(score) => check_threshold(threshold, score)?,
                None if (0.0..=1.0).contains(&threshold) => {}
                None => {
                    let hint = percent_hint(threshold);
                    let reason =
                        format!("is a share of words between 0 and 1, got {threshold}{hint}");
                    return invalid("threshold", reason);
                }
            }
        }
        let level = match self.level {
            DedupUnit::Document => DedupLevel::Document {
                measure: self.score.map_or(DuplicateMeasure::Containment, DuplicateMeasure::Score),
                threshold: self.threshold.unwrap_or(DEFAULT_DUPLICATE_SHARE),
            },
            DedupUnit::Passage => {
                DedupLevel::Passage { min_words: self.min_words.unwrap_or(DEFAULT_PASSAGE_WORDS) }
            }
            DedupUnit::Line => {
                DedupLevel::Line { min_words: self.min_words.unwrap_or(DEFAULT_LINE_WORDS) }
            }
        };
        let keep = match self.keep {
            Keep::First => KeepRule::First,
            Keep::Last => KeepRule::Last,
            Keep::Longest => KeepRule::Longest,
            Keep::Best => KeepRule::Best,
            Keep::Field(_) => KeepRule::Field,
        };
        Ok(DedupSettings { level, keep })
    }
}

/// The result of [`Dedup`].
pub struct Cleaned {
    duplicates: Duplicates,
    source: Box<dyn Rewind>,
    control: RunControl,
}

impl fmt::Debug for Cleaned {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Cleaned")
            .field("duplicates", &self.duplicates)
            .finish_non_exhaustive()
    }
}

/// A document, passage or line that was removed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RemovedDocument<'a> {
    /// The id of the document that was removed, or that lost a part.
    pub id: &'a str,
    /// The id of the document that stays and contains the removed text.
    pub duplicate_of: &'a str,
    /// The share of it that the other contains, or their score; 1 for exact copies, passages and lines.
    pub score: f64,
    /// The number of removed words.
    pub words: u32,
    /// The removed bytes of the document; `None` if it was removed as a whole.
    pub range: Option<std::ops::Range<usize>>,
}

impl Cleaned {
    /// Iterates over the ids of the documents that stay, in input order.
    pub fn kept(&self) -> impl Iterator<Item = &str> {
        let Duplicates { documents, removed, is_whole, .. } = &self.duplicates;
        let mut removed =
            removed.iter().filter(|_| *is_whole).map(|removal| removal.document).peekable();
        (0..documents.len()).filter_map(move |number| {
            let number = u32::try_from(number).ok()?;
            match removed.next_if_eq(&number) {
                Some(_) => None,
                None => Some(documents.id(number)),
            }
        })
    }

    /// Iterates over what was removed, in input order.
    pub fn removed(&self) -> impl Iterator<Item = RemovedDocument<'_>> {
        let documents = &self.duplicates.documents;
        self.duplicates.removed.iter().map(|removal| RemovedDocument {
            id: documents.id(removal.document),
            duplicate_of: documents.id(removal.duplicate_of),
            score: removal.score,
            words: removal.words,
            range: removal.part.map(|part| part.span.range()),
        })
    }

    /// Iterates over the documents that stay, without the removed passages or lines. The source is read again.
    ///
    /// # Errors
    /// If the source cannot be read again; each document, if the source has changed.
    pub fn documents(
        &self,
    ) -> Result<impl Iterator<Item = Result<Document<'static>, Error>>, Error> {
        let editor = Some(self.duplicates.editor(false, &self.control));
        Ok(CleanedDocuments { source: self.source.rewind()?, editor, ready: VecDeque::new() })
    }

    /// Returns the documents that could not be read, in input order.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.duplicates.problems
    }

    /// Returns how many documents and words there were, and how many were removed.
    #[must_use]
    pub fn counts(&self) -> DedupCounts {
        self.duplicates.counts()
    }

    /// Returns everything that the engine found: documents by number, removals and their positions.
    #[must_use]
    pub fn details(&self) -> &Duplicates {
        &self.duplicates
    }

    /// Returns what the engine found.
    #[must_use]
    pub fn into_details(self) -> Duplicates {
        self.duplicates
    }
}

/// Reads a source again, one piece at a time, and edits its documents.
struct CleanedDocuments<'a> {
    source: Box<dyn Rewind>,
    /// `None` after the end.
    editor: Option<DedupEditor<'a>>,
    ready: VecDeque<Document<'static>>,
}

impl Iterator for CleanedDocuments<'_> {
    type Item = Result<Document<'static>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(document) = self.ready.pop_front() {
                return Some(Ok(document));
            }
            let editor = self.editor.as_mut()?;
            let Some(piece) = self.source.next_piece() else {
                return self.editor.take()?.finish().err().map(Err);
            };
            piece.read(&mut EditingSink { editor, ready: &mut self.ready });
            if let Some(failure) = editor.take_failure() {
                self.editor = None;
                return Some(Err(failure));
            }
        }
    }
}

struct EditingSink<'a, 'b> {
    editor: &'a mut DedupEditor<'b>,
    ready: &'a mut VecDeque<Document<'static>>,
}

impl DocumentSink for EditingSink<'_, '_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        match self.editor.document(&document) {
            EditDecision::Keep | EditDecision::Annotate(_) => {
                self.ready.push_back(document.into_owned());
            }
            EditDecision::Replace(text) => {
                self.ready.push_back(document.with_text(text).into_owned());
            }
            EditDecision::Drop => {}
            EditDecision::Stop => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, _: Problem) -> ControlFlow<()> {
        // The first pass reported it.
        ControlFlow::Continue(())
    }
}
