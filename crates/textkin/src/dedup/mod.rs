//! Deduplication: finds duplicate documents, passages or lines in a collection.
//!
//! In: a source, settings and [`DedupSettings`]. Out: [`Duplicates`], a list of removals, each with
//! its keeper. Nothing is written here: [`Duplicates::editor`] edits the documents in a second pass
//! over the same source.
//!
//! Documents are processed in an order of preference (`preference`). At the level of documents, a
//! document is removed if a document kept before contains enough of it (`document`). At the level
//! of passages and lines, text is removed if it occurs in a document processed before, or earlier
//! in the same one (`passage`, `line`).

pub(crate) mod cut;
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

/// The settings of a deduplication.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DedupSettings {
    /// What to remove.
    pub level: DedupLevel,
    /// Which duplicate to keep.
    pub keep: KeepRule,
}

/// The unit of deduplication.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DedupLevel {
    /// Whole documents. Exact copies are always removed, documents without words never.
    Document {
        /// The measure by which a document is a duplicate.
        measure: DuplicateMeasure,
        /// The minimum of that measure for a duplicate.
        threshold: f64,
    },
    /// Every run of at least `min_words` words that occurred before.
    Passage {
        /// Minimum number of words.
        min_words: u32,
    },
    /// Every line of at least `min_words` words that occurred before.
    Line {
        /// Minimum number of words.
        min_words: u32,
    },
}

/// Which duplicate to keep: an order of preference over documents. Ties go to the first in input
/// order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepRule {
    /// The first in input order.
    #[default]
    First,
    /// The last in input order.
    Last,
    /// The one with the most words.
    Longest,
    /// The one that has most in common with all others, relative to its length: the sum over its
    /// chunks of the number of other documents that contain them, divided by the square root of the
    /// number of its chunks. Only for whole documents.
    Best,
    /// The one with the largest value in the field that the source reads as the time of a document:
    /// compared as numbers if all values are numbers, else as text. Documents without a value come
    /// last.
    Field,
}

/// A removed document, passage or line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Removal {
    /// The document that is removed, or that loses a part.
    pub document: u32,
    /// The keeper: the document that is kept and contains the removed text.
    pub duplicate_of: u32,
    /// The share of it that the keeper contains, or their score: 1 for exact copies, passages and
    /// lines.
    pub score: f64,
    /// Number of removed words.
    pub words: u32,
    /// The removed part; `None` if the whole document is removed.
    pub part: Option<RemovedSpan>,
}

/// A removed part of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemovedSpan {
    /// The bytes of the part in the original text.
    pub span: Span,
    /// The first word, counted from 0, in the text that was left when the part was found.
    pub word: u32,
    /// The first word (or, for a line, the line) in the cleaned text of the keeper, counted from 0.
    pub keeper_position: u32,
}

/// The result of [`dedup`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Duplicates {
    /// The documents, in input order.
    pub documents: Documents,
    /// The documents that could not be read, in input order.
    pub problems: Vec<Problem>,
    /// The documents that have notes, in input order.
    pub notes: Vec<DocumentNotes>,
    /// The removals, in input order.
    pub removed: Vec<Removal>,
    /// The chunks that [`Settings::max_df`] excluded.
    pub capped: Option<CapStats>,
    /// Whether whole documents are removed.
    pub(crate) is_whole: bool,
    /// The cuts of each document, unless whole documents are removed.
    pub(crate) cuts: Vec<cut::Cuts>,
}

/// Finds the duplicates of a collection.
///
/// The same input and settings give the same result, whatever the threads and the memory.
///
/// ```
/// use textkin::engine::{DedupLevel, DedupSettings, DuplicateMeasure, KeepRule};
/// use textkin::engine::{RunControl, Settings, dedup, source};
///
/// let lines = "{\"id\":\"a\",\"text\":\"row row row your boat gently down the stream\"}\n\
///              {\"id\":\"b\",\"text\":\"Row, row, row your boat, gently down the stream!\"}\n";
/// let mut source = source::Inputs::from_reader("songs", lines.as_bytes(), &Default::default())?;
/// let level = DedupLevel::Document { measure: DuplicateMeasure::Containment, threshold: 0.9 };
/// let dedup_settings = DedupSettings { level, keep: KeepRule::First };
/// let control = RunControl::default();
/// let duplicates = dedup(&mut source, &Settings::default(), dedup_settings, &control)?;
/// assert_eq!((duplicates.removed[0].document, duplicates.removed[0].duplicate_of), (1, 0));
/// # Ok::<(), textkin::Error>(())
/// ```
///
/// # Errors
/// As [`discover`](crate::engine::discover()).
pub fn dedup(
    source: &mut dyn Source,
    settings: &Settings,
    dedup_settings: DedupSettings,
    control: &RunControl,
) -> Result<Duplicates, Error> {
    match dedup_settings.level {
        DedupLevel::Document { measure, threshold } => {
            let rule = document::Rule { measure, threshold, keep: dedup_settings.keep };
            document::find(source, settings, rule, control)
        }
        DedupLevel::Passage { min_words } => {
            let cutter = passage::PassageCutter::new(settings, min_words.max(1) as usize)?;
            walk::cut(source, settings, dedup_settings.keep, cutter, control)
        }
        DedupLevel::Line { min_words } => {
            let cutter = line::LineCutter::new(settings, min_words.max(1) as usize)?;
            walk::cut(source, settings, dedup_settings.keep, cutter, control)
        }
    }
}
