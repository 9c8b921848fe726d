//! `dedup`: the duplicates of a collection, and the texts that remain.

use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use textkin::engine::source::{DocumentEditor as _, EditDecision};
use textkin::engine::types::{Document, DocumentSink, Measure, Problem, Source};
use textkin::engine::{DedupLevel, Duplicates, RunControl};

use crate::data::Data;
use crate::error;
use crate::row::document_rows;
use crate::run::run;
use crate::settings::SettingsDict;
use crate::table::Table;

/// Duplicates of a collection.
#[pyclass(frozen, module = "textkin._textkin")]
#[derive(Debug)]
pub(crate) struct FoundDuplicates {
    found: Duplicates,
    /// Rows to remove, ascending.
    #[pyo3(get)]
    removed_rows: Vec<u64>,
    /// Rows with a shortened text, ascending, and the text.
    #[pyo3(get)]
    changed_texts: Vec<(u64, String)>,
}

/// Finds the duplicates in `data`.
#[pyfunction]
#[pyo3(signature = (data, settings, progress = None))]
pub(crate) fn dedup(
    py: Python<'_>,
    data: Data,
    settings: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<FoundDuplicates> {
    let dict = SettingsDict(settings);
    let job = job(&dict)?;
    let level = job.dedup_settings().map_err(|error| error::from_textkin(&error))?.level;
    data.check_repeatable()?;
    let mut opened = data.open(py, &dict)?;
    let source = opened.source();
    run(py, opened.feed(), progress.as_ref(), |control| {
        let mut inputs = source()?;
        let found = job.run_source(&mut *inputs, control)?.into_details();
        let rows = document_rows(found.documents.len(), &found.problems);
        let row = |document: u32| rows.get(document as usize).copied().unwrap_or_default();
        let is_whole = matches!(level, DedupLevel::Document { .. });
        if is_whole {
            let removed_rows = found.removed.iter().map(|removal| row(removal.document)).collect();
            return Ok(FoundDuplicates { removed_rows, changed_texts: Vec::new(), found });
        }
        let changed_texts = shortened_texts(&found, &mut *inputs.rewind()?, &rows, control)?;
        Ok(FoundDuplicates { removed_rows: Vec::new(), changed_texts, found })
    })
}

/// Returns the rows whose texts are shortened, with the new texts.
fn shortened_texts(
    found: &Duplicates,
    source: &mut dyn Source,
    rows: &[u64],
    control: &RunControl,
) -> Result<Vec<(u64, String)>, textkin::Error> {
    struct ShortenedTexts<'a> {
        editor: textkin::engine::DedupEditor<'a>,
        rows: std::slice::Iter<'a, u64>,
        changed: Vec<(u64, String)>,
        is_stopped: bool,
    }

    impl DocumentSink for ShortenedTexts<'_> {
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

    let mut collector = ShortenedTexts {
        editor: found.editor(false, control),
        rows: rows.iter(),
        changed: Vec::new(),
        is_stopped: false,
    };
    control.progress.begin("shortening", 0);
    while !collector.is_stopped
        && let Some(piece) = source.next_piece()
    {
        piece.read(&mut collector);
    }
    let ShortenedTexts { editor, changed, .. } = collector;
    editor.finish()?;
    Ok(changed)
}

/// Returns the job that the settings describe.
fn job(dict: &SettingsDict<'_, '_>) -> PyResult<textkin::Dedup> {
    let mut job = textkin::Dedup::with_settings(dict.settings_without_threshold()?);
    if let Some(level) = dict.text("level")? {
        job = job.level(level);
    }
    if let Some(threshold) = dict.parsed::<f64>("threshold")? {
        if threshold <= 0.0 {
            let reason = format!("expected a number above 0, got {threshold}");
            return Err(error::setting("threshold", &reason));
        }
        job = job.threshold(threshold);
    }
    if let Some(score) = dict.parsed::<Measure>("score")? {
        job = job.score(score);
    }
    if let Some(keep) = dict.text("keep")? {
        job = job.keep(keep);
    }
    if let Some(words) = dict.count("min_words")? {
        job = job.min_words(words);
    }
    Ok(job)
}

#[pymethods]
impl FoundDuplicates {
    /// Returns what is removed and why, as a table.
    fn table(&self) -> PyResult<Table> {
        let table = self.removals();
        table.map_err(|error| error::Error::new_err(error.to_string()))
    }

    /// Returns the numbers of documents, removed documents, shortened documents, words and removed words.
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

    /// Returns a message for each document that could not be read.
    fn problems(&self) -> Vec<String> {
        self.found.problems.iter().map(error::problem).collect()
    }
}

impl FoundDuplicates {
    fn removals(&self) -> Result<Table, arrow_schema::ArrowError> {
        let (mut documents, mut keepers) = (StringBuilder::new(), StringBuilder::new());
        let mut scores = Float64Builder::new();
        let mut words = Int64Builder::new();
        let mut part_columns = [(); 4].map(|()| Int64Builder::new());
        for removal in &self.found.removed {
            documents.append_value(self.found.documents.id(removal.document));
            keepers.append_value(self.found.documents.id(removal.duplicate_of));
            scores.append_value(removal.score);
            words.append_value(removal.words.into());
            let part = removal
                .part
                .map(|part| [part.span.start, part.span.end, part.word, part.keeper_position]);
            for (number, column) in part_columns.iter_mut().enumerate() {
                column.append_option(part.map(|part| i64::from(part[number])));
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
        let mut columns: Vec<arrow_array::ArrayRef> = vec![
            Arc::new(documents.finish()),
            Arc::new(keepers.finish()),
            Arc::new(scores.finish()),
            Arc::new(words.finish()),
        ];
        for mut column in part_columns {
            columns.push(Arc::new(column.finish()));
        }
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns)?;
        Ok(Table::new(schema, vec![batch]))
    }
}
