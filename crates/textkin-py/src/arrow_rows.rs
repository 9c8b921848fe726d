//! Rows of Arrow batches, without a copy.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Schema};
use pyo3::PyResult;
use textkin::engine::source::column::{find, is_text, text_at};
use textkin::engine::types::{DocumentSink, Piece};

use crate::error::{DataError, DataTypeError};
use crate::row::{Columns, emit_row, metadata, missing_column};

/// Maximum rows of one piece.
const MAX_ROWS: usize = 512;

/// Reader of rows from a stream of Arrow batches.
pub(crate) struct ArrowRows {
    batches: Box<dyn RecordBatchReader + Send>,
    columns: Columns,
    n_rows: u64,
    /// The current batch, and the next row in it.
    batch: Option<(Arc<Batch>, usize)>,
}

impl std::fmt::Debug for ArrowRows {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ArrowRows").field("n_rows", &self.n_rows).finish_non_exhaustive()
    }
}

/// Columns of one batch.
#[derive(Debug)]
struct Batch {
    text: ArrayRef,
    id: Option<ArrayRef>,
    time: Option<ArrayRef>,
    /// The column in which the documents of a pair must differ, and its name.
    across: Option<(String, ArrayRef)>,
    /// Number of its first row in the stream.
    first: u64,
    name: String,
}

impl ArrowRows {
    pub(crate) fn new(
        batches: Box<dyn RecordBatchReader + Send>,
        columns: Columns,
    ) -> PyResult<Self> {
        check(&batches.schema(), &columns)?;
        Ok(Self { batches, columns, n_rows: 0, batch: None })
    }

    /// Returns the number of rows read so far.
    pub(crate) fn n_rows(&self) -> u64 {
        match &self.batch {
            Some((batch, next_row)) => batch.first + *next_row as u64,
            None => self.n_rows,
        }
    }

    /// Returns the next rows, or `None` at the end.
    pub(crate) fn next_piece(&mut self) -> PyResult<Option<Box<dyn Piece>>> {
        loop {
            if let Some((batch, next_row)) = &mut self.batch {
                let start = *next_row;
                let end = batch.text.len().min(start + MAX_ROWS);
                if start < end {
                    *next_row = end;
                    let batch = Arc::clone(batch);
                    return Ok(Some(Box::new(ArrowPiece { batch, rows: start..end })));
                }
            }
            let Some(batch) = self.batches.next() else { return Ok(None) };
            let batch = batch.map_err(|error| {
                DataError::new_err(format!("cannot read rows from row {}: {error}", self.n_rows))
            })?;
            let batch = self.columns_of(&batch)?;
            self.n_rows += batch.text.len() as u64;
            self.batch = Some((Arc::new(batch), 0));
        }
    }

    fn columns_of(&mut self, batch: &RecordBatch) -> PyResult<Batch> {
        let name = self.columns.text_name();
        let column_names = || batch.schema_ref().fields().iter().map(|field| field.name().clone());
        let text = find(batch, name)
            .ok_or_else(|| missing_column(name, "text", &column_names().collect::<Vec<_>>()))?;
        let bytes = |column: ArrayRef| as_bytes(column, self.n_rows);
        let batch = Batch {
            text: bytes(text)?,
            id: find(batch, self.columns.id_name()).map(bytes).transpose()?,
            time: find(batch, self.columns.time_name()).map(bytes).transpose()?,
            across: match &self.columns.across {
                Some(name) => {
                    find(batch, name).map(bytes).transpose()?.map(|column| (name.clone(), column))
                }
                None => None,
            },
            first: self.n_rows,
            name: name.to_owned(),
        };
        if !is_text(batch.text.data_type()) && batch.text.data_type() != &DataType::Null {
            return Err(DataTypeError::new_err(format!(
                "column '{name}' must be a string, got {}",
                batch.text.data_type()
            )));
        }
        Ok(batch)
    }
}

/// Fails if a requested column is missing, before anything is read.
fn check(schema: &Schema, columns: &Columns) -> PyResult<()> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let required = [
        (Some(columns.text_name()), "text"),
        (columns.id.as_deref(), "id"),
        (columns.time.as_deref(), "time"),
        (columns.across.as_deref(), "across"),
    ];
    for (name, argument) in required {
        let Some(name) = name else { continue };
        let first = name.split('.').next().unwrap_or(name);
        if !names.iter().any(|column| column == name || column == first) {
            return Err(missing_column(name, argument, &names));
        }
    }
    Ok(())
}

/// Casts strings to bytes, without a copy: UTF-8 is checked when a text is read, and the producer of the column
/// is not trusted. Expands dictionary columns.
fn as_bytes(column: ArrayRef, row: u64) -> PyResult<ArrayRef> {
    let to = match column.data_type() {
        DataType::Utf8 => DataType::Binary,
        DataType::LargeUtf8 => DataType::LargeBinary,
        DataType::Utf8View => DataType::BinaryView,
        DataType::Dictionary(_, values) => {
            let expanded = cast(&column, values);
            return as_bytes(expanded.map_err(|error| unreadable(row, &error))?, row);
        }
        _ => return Ok(column),
    };
    cast(&column, &to).map_err(|error| unreadable(row, &error))
}

fn unreadable(row: u64, error: &arrow_schema::ArrowError) -> pyo3::PyErr {
    DataError::new_err(format!("cannot read rows from row {row}: {error}"))
}

/// Formats any value for display; `None` for null. Arrow has more types than Parquet, which textkin formats itself.
fn display_at(array: &ArrayRef, row: usize) -> Option<String> {
    if array.is_null(row) {
        return None;
    }
    if is_text(array.data_type()) {
        return text_at(array, row).ok().flatten().map(ToOwned::to_owned);
    }
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(array.as_ref(), &options).ok()?;
    formatter.value(row).try_to_string().ok()
}

impl Batch {
    fn id_at(&self, row: usize) -> String {
        let id = self.id.as_ref().and_then(|ids| display_at(ids, row));
        id.unwrap_or_else(|| (self.first + row as u64).to_string())
    }
}

/// A range of rows of a batch.
#[derive(Debug)]
struct ArrowPiece {
    batch: Arc<Batch>,
    rows: std::ops::Range<usize>,
}

impl Piece for ArrowPiece {
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        let batch = &self.batch;
        for row in self.rows {
            let name = &batch.name;
            let text = match text_at(&batch.text, row) {
                Ok(Some(text)) => Ok(text),
                Ok(None) => Err(format!("field '{name}' must be a string, got null")),
                Err(_) => Err(format!("field '{name}' is not valid UTF-8")),
            };
            let time = batch.time.as_ref().and_then(|times| display_at(times, row));
            let (id, number) = (batch.id_at(row), batch.first + row as u64);
            let value = |(name, column): &(String, ArrayRef)| {
                Some(metadata(name, &display_at(column, row)?))
            };
            let across = batch.across.as_ref().and_then(value);
            let time = time.map(Cow::Owned);
            if emit_row(sink, number, id.into(), text, time, across).is_break() {
                return;
            }
        }
    }

    fn bytes(&self) -> u64 {
        // Unknown before the rows are read; progress counts rows.
        0
    }
}
