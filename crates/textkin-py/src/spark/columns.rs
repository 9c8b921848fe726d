//! Reading and building the columns of batches.

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Int32Array, Int64Array, LargeBinaryArray, ListArray, RecordBatch,
};
use arrow_cast::cast;
use arrow_schema::DataType;
use textkin::engine::distributed::BucketBytes;

use super::{StepError, StepOptions, StepResult};

/// Approximate bytes of one batch.
const BATCH_BYTES: usize = 16 << 20;

fn column<'a>(batch: &'a RecordBatch, name: &'static str) -> Result<&'a ArrayRef, StepError> {
    batch.column_by_name(name).ok_or(StepError::Column(name))
}

pub(super) fn integers<'a>(
    batch: &'a RecordBatch,
    name: &'static str,
) -> Result<&'a Int64Array, StepError> {
    column(batch, name)?.as_primitive_opt::<Int64Type>().ok_or(StepError::Column(name))
}

pub(super) fn small_integers<'a>(
    batch: &'a RecordBatch,
    name: &'static str,
) -> Result<&'a Int32Array, StepError> {
    column(batch, name)?.as_primitive_opt::<Int32Type>().ok_or(StepError::Column(name))
}

pub(super) fn lists<'a>(
    batch: &'a RecordBatch,
    name: &'static str,
) -> Result<&'a ListArray, StepError> {
    column(batch, name)?.as_list_opt::<i32>().ok_or(StepError::Column(name))
}

/// A column of bytes or strings; UTF-8 is checked when a value is read.
pub(super) enum ByteColumn {
    Small(BinaryArray),
    Large(LargeBinaryArray),
}

impl ByteColumn {
    pub(super) fn new(batch: &RecordBatch, name: &'static str) -> Result<Self, StepError> {
        let column = column(batch, name)?;
        let kind = match column.data_type() {
            DataType::LargeUtf8 | DataType::LargeBinary => DataType::LargeBinary,
            _ => DataType::Binary,
        };
        let column = cast(column, &kind)?;
        let small = column.as_binary_opt::<i32>().cloned().map(Self::Small);
        let bytes = small.or_else(|| column.as_binary_opt::<i64>().cloned().map(Self::Large));
        bytes.ok_or(StepError::Column(name))
    }

    pub(super) fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Self::Small(bytes) => bytes.is_valid(row).then(|| bytes.value(row)),
            Self::Large(bytes) => bytes.is_valid(row).then(|| bytes.value(row)),
        }
    }
}

/// Builds a batch of named columns.
pub(super) fn batch<const N: usize>(
    columns: [(&'static str, ArrayRef); N],
) -> Result<RecordBatch, StepError> {
    // All columns are nullable; the reader of a column knows whether it has nulls.
    Ok(RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, column)| (name, column, true)),
    )?)
}

/// Builds a column of 64-bit integers.
pub(super) fn integer_column(values: impl IntoIterator<Item = u64>) -> ArrayRef {
    let values = values.into_iter().map(|value| i64::try_from(value).unwrap_or(i64::MAX));
    Arc::new(values.collect::<Int64Array>())
}

/// Builds the columns `bucket` and `bytes` for the next step.
pub(super) fn packed(options: &StepOptions, packed: Vec<BucketBytes>) -> StepResult {
    let route = |bucket: u32| options.route.get(bucket as usize).copied().unwrap_or(0);
    let rows = packed.into_iter().map(|packed| (route(packed.bucket), packed.bytes));
    numbered_bytes("bucket", rows)
}

/// Builds rows of a number, in the column `name`, and `bytes`.
pub(super) fn numbered_bytes(
    name: &'static str,
    rows: impl IntoIterator<Item = (i32, Vec<u8>)>,
) -> StepResult {
    let mut batches = Vec::new();
    let (mut numbers, mut bytes) = (Vec::new(), BinaryBuilder::new());
    let mut n_bytes = 0;
    for (number, value) in rows {
        n_bytes += value.len();
        numbers.push(number);
        bytes.append_value(value);
        if n_bytes >= BATCH_BYTES {
            let numbers = Arc::new(Int32Array::from(std::mem::take(&mut numbers)));
            batches.push(batch([(name, numbers), ("bytes", Arc::new(bytes.finish()))])?);
            n_bytes = 0;
        }
    }
    if !numbers.is_empty() {
        let numbers = Arc::new(Int32Array::from(numbers));
        batches.push(batch([(name, numbers), ("bytes", Arc::new(bytes.finish()))])?);
    }
    Ok(batches)
}
