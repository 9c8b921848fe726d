//! `decontaminate`: evaluation items in a training corpus, and the texts that remain.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use textkin::Decontaminated;
use textkin::engine::source::{InputFormat, Inputs, SourceSettings};

use crate::data::Data;
use crate::error;
use crate::row::document_rows;
use crate::run::run;
use crate::settings::SettingsDict;
use crate::table::Table;

/// Evaluation items as `textkin._decontaminate` converts them.
#[derive(Debug, FromPyObject)]
pub(crate) enum Items {
    /// Records as JSON lines.
    Records(String),
    /// Files, folders and patterns.
    Paths(Vec<std::path::PathBuf>),
}

/// Evaluation items in a training corpus.
#[pyclass(frozen, module = "textkin._textkin")]
#[derive(Debug)]
pub(crate) struct FoundLeaks {
    /// Its source is not shared between threads.
    found: Mutex<Decontaminated>,
    /// Rows to remove, ascending.
    #[pyo3(get)]
    removed_rows: Vec<u64>,
    /// Rows with a shortened text, ascending, and the text.
    #[pyo3(get)]
    changed_texts: Vec<(u64, String)>,
}

/// Finds the items of `against` in `data`.
#[pyfunction]
#[pyo3(signature = (data, against, settings, progress = None))]
pub(crate) fn decontaminate(
    py: Python<'_>,
    data: Data,
    against: Items,
    settings: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<FoundLeaks> {
    let dict = SettingsDict(settings);
    let job = job(&dict)?;
    let removes_documents = dict.text("cut")?.is_none_or(|cut| cut == "document");
    data.check_repeatable()?;
    let mut opened = data.open(py, &dict)?;
    let source = opened.source();
    run(py, opened.feed(), progress.as_ref(), |control| {
        let job = match against {
            Items::Paths(paths) => job.against_paths(paths)?,
            Items::Records(records) => {
                let settings = SourceSettings {
                    input_format: Some(InputFormat::Jsonl),
                    ..job.item_settings(SourceSettings::default())
                };
                let records = std::io::Cursor::new(records.into_bytes());
                job.against_source(&mut Inputs::from_reader("against", records, &settings)?)?
            }
        };
        let found = job.run_source(&mut *source()?, control)?;
        let rows = document_rows(found.details().ids.len(), found.problems());
        let (mut removed_rows, mut changed_texts) = (Vec::new(), Vec::new());
        for document in found.details().documents.iter().filter(|document| document.is_leak) {
            let row = usize::try_from(document.number).ok().and_then(|number| rows.get(number));
            let row = row.copied().unwrap_or_default();
            match &document.cut_text {
                Some(text) => changed_texts.push((row, text.clone())),
                None if removes_documents => removed_rows.push(row),
                None => {}
            }
        }
        Ok(FoundLeaks { found: Mutex::new(found), removed_rows, changed_texts })
    })
}

/// Returns the job that the settings describe, without its items.
fn job(dict: &SettingsDict<'_, '_>) -> PyResult<textkin::Decontaminate> {
    let mut job = textkin::Decontaminate::with_settings(dict.settings_without_threshold()?);
    macro_rules! take {
        ($($name:ident),*) => {$(
            if let Some(value) = dict.text(stringify!($name))? {
                job = job.$name(value);
            }
        )*};
    }
    take!(question_field, answer_field, passage_field, preset, cut);
    if let Some(share) = dict.parsed::<f64>("threshold")? {
        job = job.threshold(share);
    }
    if let Some(documents) = dict.count("max_df")? {
        job = job.max_df(documents);
    }
    Ok(job)
}

#[pymethods]
impl FoundLeaks {
    /// Returns the items that were found, as a table.
    fn hits(&self) -> PyResult<Table> {
        table(hit_columns(&self.found()))
    }

    /// Returns what was found of each item, as a table.
    fn items(&self) -> PyResult<Table> {
        table(item_columns(&self.found()))
    }

    /// Returns the numbers of documents, documents with items, and words.
    fn counts(&self) -> (u64, u64, u64) {
        let counts = self.found().counts();
        (counts.documents, counts.documents_flagged, counts.words)
    }

    /// Returns a message for each document that could not be read.
    fn problems(&self) -> Vec<String> {
        self.found().problems().iter().map(error::problem).collect()
    }
}

type Column = (Field, arrow_array::ArrayRef);

fn table(columns: Vec<Column>) -> PyResult<Table> {
    let (fields, columns): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns);
    let batch = batch.map_err(|error| error::Error::new_err(error.to_string()))?;
    Ok(Table::new(schema, vec![batch]))
}

fn texts<'a>(name: &str, values: impl Iterator<Item = Option<&'a str>>) -> Column {
    let mut builder = StringBuilder::new();
    values.for_each(|value| builder.append_option(value));
    (Field::new(name, DataType::Utf8, true), Arc::new(builder.finish()))
}

fn decimals(name: &str, values: impl Iterator<Item = Option<f64>>) -> Column {
    let mut builder = Float64Builder::new();
    values.for_each(|value| builder.append_option(value));
    (Field::new(name, DataType::Float64, true), Arc::new(builder.finish()))
}

fn integers(name: &str, values: impl Iterator<Item = u64>) -> Column {
    let mut builder = Int64Builder::new();
    values.for_each(|value| builder.append_value(value.cast_signed()));
    (Field::new(name, DataType::Int64, false), Arc::new(builder.finish()))
}

impl FoundLeaks {
    fn found(&self) -> MutexGuard<'_, Decontaminated> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hit_columns(found: &Decontaminated) -> Vec<Column> {
    let leaks = || found.leaks();
    vec![
        texts("document", leaks().map(|leak| Some(leak.document))),
        texts("item", leaks().map(|leak| Some(leak.item.id.as_str()))),
        texts("benchmark", leaks().map(|leak| Some(leak.item.benchmark.as_str()))),
        texts("reason", leaks().map(|leak| Some(leak.hit.reason.name()))),
        decimals("share", leaks().map(|leak| Some(leak.hit.share))),
        decimals("answer_share", leaks().map(|leak| leak.hit.answer_share)),
        decimals("passage_share", leaks().map(|leak| leak.hit.passage_share)),
        integers("start", leaks().map(|leak| leak.hit.range.start.into())),
        integers("end", leaks().map(|leak| leak.hit.range.end.into())),
        texts("text", leaks().map(|leak| Some(leak.text))),
    ]
}

fn item_columns(found: &Decontaminated) -> Vec<Column> {
    let items = || found.items();
    vec![
        texts("item", items().map(|item| Some(item.item.id.as_str()))),
        texts("benchmark", items().map(|item| Some(item.item.benchmark.as_str()))),
        texts("status", items().map(|item| Some(item.status.name()))),
        decimals("share", items().map(|item| Some(item.share))),
        integers("documents", items().map(|item| item.documents)),
        texts("first_document", items().map(|item| item.first_document)),
    ]
}
