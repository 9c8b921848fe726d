//! Reads texts, ids and times from columns of Arrow tables.

pub(crate) mod display;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;

/// A value of a binary column is not valid UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidUtf8;

/// Returns the text in row `index` of a column, or `None` for null.
///
/// # Errors
/// If the value is not valid UTF-8.
pub fn text_at(array: &ArrayRef, index: usize) -> Result<Option<&str>, InvalidUtf8> {
    if array.is_null(index) {
        return Ok(None);
    }
    let bytes = match array.data_type() {
        DataType::Utf8 => return Ok(Some(array.as_string::<i32>().value(index))),
        DataType::LargeUtf8 => return Ok(Some(array.as_string::<i64>().value(index))),
        DataType::Utf8View => return Ok(Some(array.as_string_view().value(index))),
        DataType::Binary => array.as_binary::<i32>().value(index),
        DataType::LargeBinary => array.as_binary::<i64>().value(index),
        DataType::BinaryView => array.as_binary_view().value(index),
        _ => return Ok(None),
    };
    simdutf8::basic::from_utf8(bytes).map(Some).map_err(|_| InvalidUtf8)
}

/// Whether a column of this type holds text.
#[must_use]
pub fn is_text(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
    )
}

/// Formats a value for display; `None` for null, and for a value of a type that Parquet does not have.
#[must_use]
pub fn display_at(array: &ArrayRef, index: usize) -> Option<String> {
    if array.is_null(index) {
        return None;
    }
    if is_text(array.data_type()) {
        return text_at(array, index).ok().flatten().map(ToOwned::to_owned);
    }
    display::display(array, index)
}

/// Finds the column with this name or with this dotted path into structs.
#[must_use]
pub fn find(batch: &RecordBatch, name: &str) -> Option<ArrayRef> {
    if let Some(column) = batch.column_by_name(name) {
        return Some(Arc::clone(column));
    }
    name.match_indices('.').find_map(|(dot, _)| {
        let outer = batch.column_by_name(&name[..dot])?.as_struct_opt()?;
        find(&RecordBatch::from(outer.clone()), &name[dot + 1..])
    })
}
