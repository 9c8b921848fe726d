//! Rows of a Python iterator: texts, or mappings with a text, an id and a time.
//!
//! Strings are not copied: a row keeps the string object, whose UTF-8 form the interpreter caches.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyFloat, PyIterator, PyMapping, PyString};
use textkin::engine::types::{DocumentSink, Piece};

use crate::error::DataTypeError;
use crate::row::{Columns, emit_row, metadata, missing_column};

/// Maximum rows of one piece.
const MAX_ROWS: usize = 512;

/// Bytes of text after which a piece ends.
const MAX_BYTES: usize = 1 << 20;

/// Reader of rows from a Python iterator.
#[derive(Debug)]
pub(crate) struct PythonRows {
    rows: Py<PyIterator>,
    columns: Columns,
    n_rows: u64,
    /// Whether the rows so far are mappings.
    are_mappings: Option<bool>,
}

impl PythonRows {
    pub(crate) fn new(rows: &Bound<'_, PyAny>, columns: Columns) -> PyResult<Self> {
        let rows = rows.try_iter()?.unbind();
        Ok(Self { rows, columns, n_rows: 0, are_mappings: None })
    }

    /// Returns the number of rows read so far.
    pub(crate) fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// Returns the next rows, or `None` at the end.
    pub(crate) fn next_piece(&mut self, py: Python<'_>) -> PyResult<Option<Box<dyn Piece>>> {
        let mut piece = PythonPiece { first: self.n_rows, rows: Vec::new() };
        let mut bytes = 0;
        let iterator = self.rows.bind(py).clone();
        for item in iterator {
            let row = self.row(&item?)?;
            bytes += row.text.as_ref().map_or(0, |text| text.len());
            piece.rows.push(row);
            self.n_rows += 1;
            if piece.rows.len() >= MAX_ROWS || bytes >= MAX_BYTES {
                break;
            }
        }
        Ok((!piece.rows.is_empty()).then(|| Box::new(piece) as Box<dyn Piece>))
    }

    fn row(&mut self, item: &Bound<'_, PyAny>) -> PyResult<Row> {
        let number = self.n_rows;
        let is_mapping = if item.is_instance_of::<PyString>() || is_missing(item) {
            false
        } else if item.is_instance_of::<PyDict>() || item.cast::<PyMapping>().is_ok() {
            true
        } else {
            return Err(DataTypeError::new_err(format!(
                "row {number} has type {}; rows must be texts (str) or dicts with a text",
                item.get_type().name()?
            )));
        };
        if *self.are_mappings.get_or_insert(is_mapping) != is_mapping && !is_missing(item) {
            let (this, before) = if is_mapping { ("a dict", "texts") } else { ("a text", "dicts") };
            return Err(DataTypeError::new_err(format!(
                "row {number} is {this}, but earlier rows are {before}; pass rows of one kind"
            )));
        }
        if !is_mapping {
            return Ok(Row { id: None, text: text(item, None)?, time: None, metadata: None });
        }
        let columns = &self.columns;
        let name = columns.text_name();
        let Some(value) = field(item, name)? else {
            let keys = item.call_method0("keys")?.try_iter()?;
            let keys: Vec<String> = keys.filter_map(|key| key.ok()?.extract().ok()).collect();
            return Err(in_row(item.py(), missing_column(name, "text", &keys), number));
        };
        let text = text(&value, Some(name))?;
        let shown = |name: &str, argument: &str, is_required: bool| match field(item, name)? {
            Some(value) if is_missing(&value) => Ok(None),
            Some(value) => displayed(&value).map(Some),
            None if is_required => {
                let keys = item.call_method0("keys")?.try_iter()?;
                let keys: Vec<String> = keys.filter_map(|key| key.ok()?.extract().ok()).collect();
                Err(in_row(item.py(), missing_column(name, argument, &keys), number))
            }
            None => Ok(None),
        };
        let id = shown(columns.id_name(), "id", columns.id.is_some())?;
        let time = shown(columns.time_name(), "time", columns.time.is_some())?;
        let metadata = match &columns.across {
            Some(name) => shown(name, "across", true)?.map(|value| metadata(name, &value)),
            None => None,
        };
        Ok(Row { id, text, time, metadata })
    }
}

/// Puts the number of the row before the message of an error.
fn in_row(py: Python<'_>, error: PyErr, row: u64) -> PyErr {
    crate::error::DataError::new_err(format!("row {row}: {}", error.value(py)))
}

/// Returns the value of a key, or of a dotted path into mappings.
fn field<'py>(item: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    if item.contains(name)? {
        return item.get_item(name).map(Some);
    }
    for (dot, _) in name.match_indices('.') {
        if item.contains(&name[..dot])? {
            let inner = item.get_item(&name[..dot])?;
            if inner.cast::<PyMapping>().is_ok()
                && let Some(found) = field(&inner, &name[dot + 1..])?
            {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// Whether a value is missing: `None`, NaN, or a missing value of pandas.
fn is_missing(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan())
        || value.get_type().name().is_ok_and(|name| name == "NAType" || name == "NaTType")
}

/// Returns a text, or the reason why the value is not one.
fn text(value: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Result<PyBackedStr, String>> {
    let what = || name.map_or_else(|| "the text".to_owned(), |name| format!("field '{name}'"));
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(PyBackedStr::try_from(text.clone()).map_err(|_| {
            format!(
                "{} contains an unpaired surrogate, which is not a character; replace it, for example \
                 with text.encode('utf-8', 'replace').decode()",
                what()
            )
        }));
    }
    if is_missing(value) {
        return Ok(Err(format!("{} must be a string, got null", what())));
    }
    Ok(Err(format!("{} must be a string, got {}", what(), value.get_type().name()?)))
}

/// Returns a value as text; dates and times in ISO 8601.
fn displayed(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let shown = match value.hasattr("isoformat")? {
        true => value.call_method0("isoformat")?,
        false => value.str()?.into_any(),
    };
    let shown = shown.str()?;
    Ok(shown.to_string_lossy().into_owned())
}

/// A row with its text, or the reason why it has none.
#[derive(Debug)]
struct Row {
    id: Option<String>,
    text: Result<PyBackedStr, String>,
    time: Option<String>,
    metadata: Option<String>,
}

/// Consecutive rows.
#[derive(Debug)]
struct PythonPiece {
    first: u64,
    rows: Vec<Row>,
}

impl Piece for PythonPiece {
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        for (number, row) in (self.first..).zip(self.rows) {
            let id = row.id.map_or_else(|| number.to_string().into(), Cow::Owned);
            let text = row.text.as_ref().map(|text| &**text).map_err(Clone::clone);
            let time = row.time.map(Cow::Owned);
            if emit_row(sink, number, id, text, time, row.metadata).is_break() {
                return;
            }
        }
    }

    fn bytes(&self) -> u64 {
        // Unknown before the rows are read; progress counts rows.
        0
    }
}
