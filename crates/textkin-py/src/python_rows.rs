//! Rows out of a Python iterator: texts, or mappings with a text, an id and a time.
//!
//! Strings are not copied: a row keeps the string, whose UTF-8 the interpreter has or makes once.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyFloat, PyIterator, PyMapping, PyString};
use textkin::types::{DocumentSink, Piece};

use crate::error::DataTypeError;
use crate::row::{Columns, Ids, give, no_column};

/// Rows taken at once, at most.
const MAX_ROWS: usize = 512;

/// Bytes of text after which no more rows are taken at once.
const MAX_BYTES: usize = 1 << 20;

/// Where rows come from.
#[derive(Debug)]
pub(crate) struct PythonRows {
    rows: Py<PyIterator>,
    columns: Columns,
    n_rows: u64,
    ids: Ids,
    /// Whether the rows so far are mappings.
    are_mappings: Option<bool>,
}

impl PythonRows {
    pub(crate) fn new(rows: &Bound<'_, PyAny>, columns: Columns) -> PyResult<Self> {
        let rows = rows.try_iter()?.unbind();
        Ok(Self { rows, columns, n_rows: 0, ids: Ids::default(), are_mappings: None })
    }

    /// Rows given so far.
    pub(crate) fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// The next rows, or `None` at the end.
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
                "row {number} is of type {}; rows are texts (str) or dicts with a text",
                item.get_type().name()?
            )));
        };
        if *self.are_mappings.get_or_insert(is_mapping) != is_mapping && !is_missing(item) {
            let (this, before) = if is_mapping { ("a dict", "texts") } else { ("a text", "dicts") };
            return Err(DataTypeError::new_err(format!(
                "row {number} is {this}, the rows before are {before}; give rows of one kind"
            )));
        }
        if !is_mapping {
            return Ok(Row { id: None, text: text(item, None)?, time: None });
        }
        let columns = &self.columns;
        let name = columns.text_name();
        let Some(value) = field(item, name)? else {
            let keys = item.call_method0("keys")?.try_iter()?;
            let keys: Vec<String> = keys.filter_map(|key| key.ok()?.extract().ok()).collect();
            return Err(in_row(item.py(), no_column(name, "text", &keys), number));
        };
        let text = text(&value, Some(name))?;
        let shown = |name: &str, argument: &str, is_wanted: bool| match field(item, name)? {
            Some(value) if is_missing(&value) => Ok(None),
            Some(value) => displayed(&value).map(Some),
            None if is_wanted => {
                let keys = item.call_method0("keys")?.try_iter()?;
                let keys: Vec<String> = keys.filter_map(|key| key.ok()?.extract().ok()).collect();
                Err(in_row(item.py(), no_column(name, argument, &keys), number))
            }
            None => Ok(None),
        };
        let id = shown(columns.id_name(), "id", columns.id.is_some())?;
        let time = shown(columns.time_name(), "time", columns.time.is_some())?;
        match &id {
            Some(id) => self.ids.add(id, number)?,
            None => self.ids.add(&number.to_string(), number)?,
        }
        Ok(Row { id, text, time })
    }
}

/// The same error, with the number of the row before its words.
fn in_row(py: Python<'_>, error: PyErr, row: u64) -> PyErr {
    let words = format!("row {row}: {}", error.value(py));
    crate::error::DataError::new_err(words)
}

/// The value of a key, or of a dotted path into mappings.
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

/// Whether a value stands for none: `None`, not a number, or what pandas calls missing.
fn is_missing(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan())
        || value.get_type().name().is_ok_and(|name| name == "NAType" || name == "NaTType")
}

/// A text, or why it is none.
fn text(value: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Result<PyBackedStr, String>> {
    let what = || name.map_or_else(|| "the text".to_owned(), |name| format!("field '{name}'"));
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(PyBackedStr::try_from(text.clone()).map_err(|_| {
            format!(
                "{} holds half of a surrogate pair, which is no character; replace it, for example \
                 with text.encode('utf-8', 'replace').decode()",
                what()
            )
        }));
    }
    if is_missing(value) {
        return Ok(Err(format!("{} is not a string but null", what())));
    }
    Ok(Err(format!("{} is not a string but {}", what(), value.get_type().name()?)))
}

/// Any value as one would print it; moments as ISO 8601 has them.
fn displayed(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let shown = match value.hasattr("isoformat")? {
        true => value.call_method0("isoformat")?,
        false => value.str()?.into_any(),
    };
    let shown = shown.str()?;
    Ok(shown.to_string_lossy().into_owned())
}

/// A row: its text, or why it has none.
#[derive(Debug)]
struct Row {
    id: Option<String>,
    text: Result<PyBackedStr, String>,
    time: Option<String>,
}

/// Some rows.
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
            if give(sink, number, id, text, row.time.map(Cow::Owned)).is_break() {
                return;
            }
        }
    }

    fn bytes(&self) -> u64 {
        // Unknown before it is read; the feed counts rows.
        0
    }
}
