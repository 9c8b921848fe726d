//! Cleaning a collection: which documents, passages or lines are there already.
//!
//! In: a source, settings and a [`DedupSettings`]. Out: [`Duplicates`]: what goes, and for each of it the
//! place where it stays. Nothing is written here: [`Duplicates::editor`] tells a second pass over
//! the same source what becomes of each document.
//!
//! Documents are walked in an order of preference (`preference`). At the level of documents one
//! goes if a document kept before it holds enough of it (`document`); at the level of passages and
//! lines, what stands in a text that was walked before, or earlier in the same one, is cut
//! (`passage`, `line`).

mod cut;
mod document;
mod editor;
mod line;
mod ordered;
mod passage;
mod preference;
mod walk;

use textkin_core::{Problem, Source, Span};
use textkin_graph::CapStats;

use crate::discover::RunControl;
use crate::documents::Documents;
use crate::error::Error;
use crate::ingest::DocumentNotes;
use crate::settings::Settings;

pub use editor::{DedupCounts, DedupEditor};
pub use textkin_graph::DuplicateMeasure;

/// What is taken out of a collection, and which of several equals stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DedupSettings {
    /// What is taken out.
    pub level: DedupLevel,
    /// What stays.
    pub keep: KeepRule,
}

/// What is taken out of a collection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DedupLevel {
    /// Whole documents. Exact copies go always, documents without a word never.
    Document {
        /// What makes a document a duplicate.
        measure: DuplicateMeasure,
        /// From where on it is one.
        threshold: f64,
    },
    /// Every run of so many words or more that was there before.
    Passage {
        /// The fewest words.
        min_words: u32,
    },
    /// Every line of so many words or more that was there before.
    Line {
        /// The fewest words.
        min_words: u32,
    },
}

/// Which of several equals stays: an order of preference over documents. Among those that are
/// equally good, the first of the input is preferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepRule {
    /// The first of the input.
    #[default]
    First,
    /// The last of the input.
    Last,
    /// The one with the most words.
    Longest,
    /// The one that has most in common with all others, for its length: the sum over its chunks of the
    /// other documents that have them, by the square root of the number of its chunks. Only for whole
    /// documents.
    Best,
    /// The one with the largest value in the field that the source gives as the time of a
    /// document: by number if all values are numbers, else as text. Those without come last.
    Field,
}

/// A document, passage or line that goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Removal {
    /// The document that goes, or of which a part does.
    pub document: u32,
    /// The document that stays and holds it.
    pub duplicate_of: u32,
    /// How much of it the other holds (or their score): 1 for exact copies, passages and lines.
    pub score: f64,
    /// Words that go.
    pub words: u32,
    /// Where they stand, if not the whole document goes.
    pub part: Option<RemovedSpan>,
}

/// Where a part of a document stands that goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovedSpan {
    /// Its bytes in the text.
    pub span: Span,
    /// Its first word, counted from 0, in what was left of the text when it was found.
    pub word: u32,
    /// The first word (of a line: the line) where it stays, counted from 0 in the cleaned text.
    pub keeper_position: u32,
}

/// What goes of a collection.
#[derive(Debug)]
pub struct Duplicates {
    /// The documents, in input order.
    pub documents: Documents,
    /// The documents that could not be read, in input order.
    pub problems: Vec<Problem>,
    /// The documents that have notes, in input order.
    pub notes: Vec<DocumentNotes>,
    /// What goes, in input order.
    pub removed: Vec<Removal>,
    /// What the user's cap left out.
    pub capped: Option<CapStats>,
    /// Whether documents go whole.
    pub(crate) is_whole: bool,
    /// What is cut of each document, if documents do not go whole.
    pub(crate) cuts: Vec<cut::Cuts>,
}

/// Finds what is in a collection more than once.
///
/// The same input and settings give the same result, with any means.
///
/// ```
/// use textkin::{Cleaning, Keep, Level, DuplicateMeasure, Settings, Watch, dedup, source};
///
/// let lines = "{\"id\":\"a\",\"text\":\"row row row your boat gently down the stream\"}\n\
///              {\"id\":\"b\",\"text\":\"Row, row, row your boat, gently down the stream!\"}\n";
/// let mut source = source::Inputs::from_reader("songs", lines.as_bytes(), &Default::default())?;
/// let level = Level::Document { measure: DuplicateMeasure::Containment, threshold: 0.9 };
/// let cleaning = Cleaning { level, keep: Keep::First };
/// let found = dedup(&mut source, &Settings::default(), cleaning, &Watch::default())?;
/// assert_eq!((found.removed[0].document, found.removed[0].duplicate_of), (1, 0));
/// # Ok::<(), textkin::Error>(())
/// ```
///
/// # Errors
/// As [`discover`](crate::discover()).
pub fn dedup(
    source: &mut dyn Source,
    settings: &Settings,
    cleaning: DedupSettings,
    control: &RunControl,
) -> Result<Duplicates, Error> {
    match cleaning.level {
        DedupLevel::Document { measure, threshold } => {
            let rule = document::Rule { measure, threshold, keep: cleaning.keep };
            document::find(source, settings, rule, control)
        }
        DedupLevel::Passage { min_words } => {
            let cutter = passage::PassageCutter::new(settings, min_words.max(1) as usize)?;
            walk::cut(source, settings, cleaning.keep, cutter, control)
        }
        DedupLevel::Line { min_words } => {
            let cutter = line::LineCutter::new(settings, min_words.max(1) as usize)?;
            walk::cut(source, settings, cleaning.keep, cutter, control)
        }
    }
}
