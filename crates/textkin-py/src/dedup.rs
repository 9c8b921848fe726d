//! `dedup`: what goes of a collection, and what stays of the rest.

use std::ops::ControlFlow;
use std::sync::Arc;

use arrow::array::{Float64Builder, Int64Builder, RecordBatch, StringBuilder};
use arrow::datatypes::{DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use textkin::source::{DocumentEditor as _, EditDecision};
use textkin::types::{Document, DocumentSink, Problem, Source};
use textkin::{
    DEFAULT_DUPLICATE_SHARE, DEFAULT_LINE_WORDS, DEFAULT_PASSAGE_WORDS, DedupLevel, DedupSettings,
    DuplicateMeasure, Duplicates, KeepRule, RunControl, dedup as find_duplicates,
};

use crate::data::Data;
use crate::error;
use crate::run::run;
use crate::settings::Given;
use crate::table::Table;

/// What goes of a collection.
#[pyclass(frozen, module = "textkin._textkin")]
#[derive(Debug)]
pub(crate) struct Cleaned {
    found: Duplicates,
    /// Rows that go, ascending.
    #[pyo3(get)]
    gone: Vec<u64>,
    /// Rows whose text is another now, ascending, and the text.
    #[pyo3(get)]
    changed: Vec<(u64, String)>,
}

/// Finds what is in `data` more than once.
#[pyfunction]
#[pyo3(signature = (data, settings, progress = None))]
pub(crate) fn dedup(
    py: Python<'_>,
    data: Data,
    settings: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Cleaned> {
    let given = Given(settings);
    let cleaning = cleaning(&given)?;
    let settings = given.settings_without_threshold()?;
    data.needs_two_readings()?;
    let mut opened = data.open(py, &given)?;
    let source = opened.source();
    run(py, opened.feed(), progress.as_ref(), |watch| {
        let mut inputs = source()?;
        let found = find_duplicates(&mut inputs, &settings, cleaning, watch)?;
        let rows = rows_of(&found);
        let row = |document: u32| rows.get(document as usize).copied().unwrap_or_default();
        let is_whole = matches!(cleaning.level, DedupLevel::Document { .. });
        if is_whole {
            let gone = found.removed.iter().map(|removal| row(removal.document)).collect();
            return Ok(Cleaned { gone, changed: Vec::new(), found });
        }
        let changed = cut(&found, &mut inputs.reopen()?, &rows, watch)?;
        Ok(Cleaned { gone: Vec::new(), changed, found })
    })
}

/// The texts that are cut.
fn cut(
    found: &Duplicates,
    source: &mut dyn Source,
    rows: &[u64],
    watch: &RunControl,
) -> Result<Vec<(u64, String)>, textkin::Error> {
    struct Cutter<'a> {
        editor: textkin::DedupEditor<'a>,
        rows: std::slice::Iter<'a, u64>,
        changed: Vec<(u64, String)>,
        is_stopped: bool,
    }

    impl DocumentSink for Cutter<'_> {
        fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
            let row = self.rows.next().copied().unwrap_or_default();
            match self.editor.document(&document) {
                EditDecision::Replace(text) => self.changed.push((row, text)),
                EditDecision::Stop => {
                    self.is_stopped = true;
                    return ControlFlow::Break(());
                }
                _ => {}
            }
            ControlFlow::Continue(())
        }

        fn problem(&mut self, _: Problem) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    let mut cutter = Cutter {
        editor: found.editor(false, watch),
        rows: rows.iter(),
        changed: Vec::new(),
        is_stopped: false,
    };
    watch.progress.begin("cutting", 0);
    while !cutter.is_stopped
        && let Some(piece) = source.next_piece()
    {
        piece.read(&mut cutter);
    }
    let Cutter { editor, changed, .. } = cutter;
    editor.finish()?;
    Ok(changed)
}

/// The row of each document: rows with a problem are no document.
fn rows_of(found: &Duplicates) -> Vec<u64> {
    let row = |problem: &Problem| problem.path.strip_prefix("row ")?.parse::<u64>().ok();
    let mut problems = found.problems.iter().filter_map(row).peekable();
    let n_rows = found.documents.len() + found.problems.len();
    (0..n_rows as u64).filter(|row| problems.next_if(|problem| problem == row).is_none()).collect()
}

fn cleaning(given: &Given<'_, '_>) -> PyResult<DedupSettings> {
    let level = given.text("level")?.unwrap_or_else(|| "document".to_owned());
    let (threshold, by) = (given.parsed::<f64>("threshold")?, given.parsed("by")?);
    let min_words = given.count("min_words")?;
    let is_document = level == "document";
    if !is_document && (threshold.is_some() || by.is_some()) {
        return Err(error::SettingError::new_err(
            "threshold= and by= are for level='document'; what goes otherwise is the same word for word",
        ));
    }
    if is_document && min_words.is_some() {
        let words = "min_words= is for level='passage' and level='line'";
        return Err(error::SettingError::new_err(words));
    }
    let level = match level.as_str() {
        "document" => {
            let threshold = threshold.unwrap_or(DEFAULT_DUPLICATE_SHARE);
            if !(0.0..=1.0).contains(&threshold) || threshold == 0.0 {
                let words = format!("'{threshold}' is not a share above 0 and up to 1");
                return Err(error::setting("threshold", &words));
            }
            DedupLevel::Document {
                measure: by.map_or(DuplicateMeasure::Containment, DuplicateMeasure::Score),
                threshold,
            }
        }
        "passage" => DedupLevel::Passage { min_words: min_words.unwrap_or(DEFAULT_PASSAGE_WORDS) },
        "line" => DedupLevel::Line { min_words: min_words.unwrap_or(DEFAULT_LINE_WORDS) },
        other => {
            let words = format!("no level '{other}'; there are document, passage and line");
            return Err(error::setting("level", &words));
        }
    };
    let keep = given.text("keep")?.unwrap_or_else(|| "first".to_owned());
    let keep = match keep.as_str() {
        "first" => KeepRule::First,
        "last" => KeepRule::Last,
        "longest" => KeepRule::Longest,
        "best" => KeepRule::Best,
        field if field.starts_with("field:") => KeepRule::Field,
        other => {
            let words =
                format!("no '{other}'; there are first, last, longest, best and field:NAME");
            return Err(error::setting("keep", &words));
        }
    };
    Ok(DedupSettings { level, keep })
}

#[pymethods]
impl Cleaned {
    /// What goes and why, as a table.
    fn table(&self) -> PyResult<Table> {
        let made = self.removals();
        made.map_err(|error| error::Error::new_err(error.to_string()))
    }

    /// Documents, documents that go, documents that are cut, words, words that go.
    fn counts(&self) -> (u64, u64, u64, u64, u64) {
        let counts = self.found.counts();
        (
            counts.documents,
            counts.documents_removed,
            counts.documents_shortened,
            counts.words,
            counts.words_removed,
        )
    }

    /// The documents that could not be read, in words.
    fn problems(&self) -> Vec<String> {
        self.found.problems.iter().map(ToString::to_string).collect()
    }
}

impl Cleaned {
    fn removals(&self) -> Result<Table, arrow::error::ArrowError> {
        let (mut documents, mut holders) = (StringBuilder::new(), StringBuilder::new());
        let mut scores = Float64Builder::new();
        let mut words = Int64Builder::new();
        let mut places = [(); 4].map(|()| Int64Builder::new());
        for removal in &self.found.removed {
            documents.append_value(self.found.documents.id(removal.document));
            holders.append_value(self.found.documents.id(removal.duplicate_of));
            scores.append_value(removal.score);
            words.append_value(removal.words.into());
            let place = removal
                .part
                .map(|part| [part.span.start, part.span.end, part.word, part.keeper_position]);
            for (number, column) in places.iter_mut().enumerate() {
                column.append_option(place.map(|place| i64::from(place[number])));
            }
        }
        let field = |name: &str, kind: DataType, is_optional| Field::new(name, kind, is_optional);
        let schema = Arc::new(Schema::new(vec![
            field("document", DataType::Utf8, false),
            field("duplicate_of", DataType::Utf8, false),
            field("score", DataType::Float64, false),
            field("words", DataType::Int64, false),
            field("start", DataType::Int64, true),
            field("end", DataType::Int64, true),
            field("word", DataType::Int64, true),
            field("kept_at", DataType::Int64, true),
        ]));
        let mut columns: Vec<arrow::array::ArrayRef> = vec![
            Arc::new(documents.finish()),
            Arc::new(holders.finish()),
            Arc::new(scores.finish()),
            Arc::new(words.finish()),
        ];
        for mut column in places {
            columns.push(Arc::new(column.finish()));
        }
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns)?;
        Ok(Table::new(schema, vec![batch]))
    }
}
