//! Pairs as columns of an Arrow table.
//!
//! Counts are 64-bit signed integers, which every reader supports; ids are strings.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::PairRow;
use crate::row::{ColumnType, ExtraColumns, Value};

/// Collects rows of pairs as Arrow columns.
#[derive(Debug)]
pub struct PairColumns {
    schema: SchemaRef,
    ids: [StringBuilder; 2],
    values: Vec<Column>,
    n_rows: usize,
}

#[derive(Debug)]
enum Column {
    Integer(Int64Builder),
    Decimal(Float64Builder),
    Text(StringBuilder),
}

impl PairColumns {
    /// Creates empty columns; `extra` are the columns that follow.
    #[must_use]
    pub fn new(extra: ExtraColumns) -> Self {
        let values = Value::columns(extra).map(|(name, column_type)| {
            let data_type = match column_type {
                ColumnType::Integer => DataType::Int64,
                ColumnType::Decimal => DataType::Float64,
                ColumnType::Text => DataType::Utf8,
            };
            Field::new(name, data_type, false)
        });
        let ids = ["a", "b"].map(|name| Field::new(name, DataType::Utf8, false));
        let schema = Arc::new(Schema::new(ids.into_iter().chain(values).collect::<Vec<_>>()));
        let values = Value::columns(extra).map(|(_, column_type)| match column_type {
            ColumnType::Integer => Column::Integer(Int64Builder::new()),
            ColumnType::Decimal => Column::Decimal(Float64Builder::new()),
            ColumnType::Text => Column::Text(StringBuilder::new()),
        });
        let ids = [StringBuilder::new(), StringBuilder::new()];
        Self { schema, ids, values: values.collect(), n_rows: 0 }
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
        for (column, value) in self.values.iter_mut().zip(row.values()) {
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
        let values = self.values.iter_mut().map(Column::finish);
        self.n_rows = 0;
        RecordBatch::try_new(Arc::clone(&self.schema), ids.chain(values).collect())
    }
}

impl Column {
    fn push(&mut self, value: Value) {
        match (self, value) {
            (Self::Integer(column), Value::Integer(value)) => {
                column.append_value(i64::try_from(value).unwrap_or(i64::MAX));
            }
            (Self::Decimal(column), Value::Decimal(value)) => column.append_value(value),
            (Self::Text(column), Value::Text(text)) => column.append_value(text),
            (Self::Integer(_) | Self::Decimal(_) | Self::Text(_), _) => {
                debug_assert!(false, "columns() and values() agree");
            }
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Integer(column) => Arc::new(column.finish()),
            Self::Decimal(column) => Arc::new(column.finish()),
            Self::Text(column) => Arc::new(column.finish()),
        }
    }
}
