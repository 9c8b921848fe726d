//! Pairs as columns of an Arrow table.
//!
//! Counts are 64-bit signed integers, which every reader supports; ids are strings.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::PairRow;
use crate::row::Value;

/// Collects rows of pairs as Arrow columns.
#[derive(Debug)]
pub struct PairColumns {
    schema: SchemaRef,
    ids: [StringBuilder; 2],
    numbers: Vec<Column>,
    n_rows: usize,
}

#[derive(Debug)]
enum Column {
    Integer(Int64Builder),
    Decimal(Float64Builder),
}

impl PairColumns {
    /// Creates empty columns; `has_raw` adds the raw score.
    #[must_use]
    pub fn new(has_raw: bool) -> Self {
        let numbers = Value::columns(has_raw).map(|(name, is_integer)| {
            let kind = if is_integer { DataType::Int64 } else { DataType::Float64 };
            Field::new(name, kind, false)
        });
        let ids = ["a", "b"].map(|name| Field::new(name, DataType::Utf8, false));
        let schema = Arc::new(Schema::new(ids.into_iter().chain(numbers).collect::<Vec<_>>()));
        let numbers = Value::columns(has_raw).map(|(_, is_integer)| match is_integer {
            true => Column::Integer(Int64Builder::new()),
            false => Column::Decimal(Float64Builder::new()),
        });
        let ids = [StringBuilder::new(), StringBuilder::new()];
        Self { schema, ids, numbers: numbers.collect(), n_rows: 0 }
    }

    /// Names and types of the columns.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Appends a row.
    pub fn push(&mut self, row: &PairRow<'_>) {
        let [a, b] = &mut self.ids;
        a.append_value(row.a);
        b.append_value(row.b);
        for (column, value) in self.numbers.iter_mut().zip(row.values()) {
            column.push(value);
        }
        self.n_rows += 1;
    }

    /// Number of rows since the last [`take`](Self::take).
    #[must_use]
    pub fn len(&self) -> usize {
        self.n_rows
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n_rows == 0
    }

    /// Removes the rows and returns them as a table.
    ///
    /// # Errors
    /// Never: columns and schema agree.
    pub fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        let ids = self.ids.iter_mut().map(|ids| Arc::new(ids.finish()) as ArrayRef);
        let numbers = self.numbers.iter_mut().map(Column::finish);
        self.n_rows = 0;
        RecordBatch::try_new(Arc::clone(&self.schema), ids.chain(numbers).collect())
    }
}

impl Column {
    fn push(&mut self, value: Value) {
        match (self, value) {
            (Self::Integer(column), Value::Integer(value)) => {
                column.append_value(i64::try_from(value).unwrap_or(i64::MAX));
            }
            (Self::Decimal(column), Value::Decimal(value)) => column.append_value(value),
            (Self::Decimal(column), Value::Integer(value)) => column.append_value(value as f64),
            #[expect(clippy::cast_possible_truncation, reason = "columns() and values() agree")]
            (Self::Integer(column), Value::Decimal(value)) => column.append_value(value as i64),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Integer(column) => Arc::new(column.finish()),
            Self::Decimal(column) => Arc::new(column.finish()),
        }
    }
}
