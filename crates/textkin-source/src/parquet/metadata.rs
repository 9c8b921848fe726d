//! Metadata of a document: the other columns of its row as a JSON object.
//!
//! Strings, booleans, numbers, lists, structs and maps with string keys become their JSON
//! counterparts. Times, dates and all other types become strings; binary values that are not valid
//! UTF-8 become hexadecimal digits. Null columns are omitted.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, MapArray, RecordBatch};
use arrow_schema::DataType;

use crate::column::display::display;
use crate::column::{is_text, text_at};

/// Returns the columns of a row except the paths in `wanted`; `None` if all are null. The error is the
/// name of a column that cannot be read.
pub(super) fn row_metadata(
    batch: &RecordBatch,
    row: usize,
    wanted: &[&str],
) -> Result<Option<String>, String> {
    let mut out = String::new();
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let name = field.name();
        if column.is_null(row) || wanted.contains(&name.as_str()) {
            continue;
        }
        out.push(if out.is_empty() { '{' } else { ',' });
        put_text(name, &mut out);
        out.push(':');
        let put = put_value(column, row, &Path { name, above: None }, wanted, &mut out);
        put.ok_or_else(|| name.clone())?;
    }
    if out.is_empty() {
        return Ok(None);
    }
    out.push('}');
    Ok(Some(out))
}

/// Path of a value: names of nested structs.
struct Path<'a> {
    name: &'a str,
    above: Option<&'a Path<'a>>,
}

impl Path<'_> {
    /// Whether this is the dotted path `path`.
    fn is(&self, path: &str) -> bool {
        match self.above {
            None => self.name == path,
            Some(above) => path
                .strip_suffix(self.name)
                .and_then(|rest| rest.strip_suffix('.'))
                .is_some_and(|rest| above.is(rest)),
        }
    }
}

/// Appends a value; `None` if it cannot be read.
fn put_value(
    array: &ArrayRef,
    index: usize,
    path: &Path<'_>,
    wanted: &[&str],
    out: &mut String,
) -> Option<()> {
    if array.is_null(index) || wanted.iter().any(|wanted| path.is(wanted)) {
        out.push_str("null");
        return Some(());
    }
    match array.data_type() {
        kind if is_text(kind) => match text_at(array, index) {
            Ok(text) => put_text(text?, out),
            Err(_) => put_text(&display(array, index)?, out),
        },
        DataType::Boolean => out.push_str(&display(array, index)?),
        kind if kind.is_numeric() => {
            let number = display(array, index)?;
            // JSON has neither infinity nor NaN.
            match serde_json::from_str::<serde_json::Number>(&number) {
                Ok(_) => out.push_str(&number),
                Err(_) => put_text(&number, out),
            }
        }
        DataType::Struct(_) => {
            let inner = array.as_struct_opt()?;
            out.push('{');
            for (number, (name, column)) in
                inner.column_names().into_iter().zip(inner.columns()).enumerate()
            {
                if number > 0 {
                    out.push(',');
                }
                put_text(name, out);
                out.push(':');
                put_value(column, index, &Path { name, above: Some(path) }, wanted, out)?;
            }
            out.push('}');
        }
        DataType::List(_) => put_list(&array.as_list_opt::<i32>()?.value(index), path, out)?,
        DataType::LargeList(_) => put_list(&array.as_list_opt::<i64>()?.value(index), path, out)?,
        DataType::FixedSizeList(..) => {
            put_list(&array.as_fixed_size_list_opt()?.value(index), path, out)?;
        }
        DataType::Map(..) if has_text_keys(array.as_map_opt()?) => {
            let entries = array.as_map_opt()?.value(index);
            out.push('{');
            for entry in 0..entries.len() {
                if entry > 0 {
                    out.push(',');
                }
                put_text(text_at(entries.column(0), entry).ok()??, out);
                out.push(':');
                put_value(entries.column(1), entry, path, &[], out)?;
            }
            out.push('}');
        }
        _ => put_text(&display(array, index)?, out),
    }
    Some(())
}

fn has_text_keys(map: &MapArray) -> bool {
    matches!(map.keys().data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn put_list(items: &ArrayRef, path: &Path<'_>, out: &mut String) -> Option<()> {
    out.push('[');
    for index in 0..items.len() {
        if index > 0 {
            out.push(',');
        }
        put_value(items, index, path, &[], out)?;
    }
    out.push(']');
    Some(())
}

fn put_text(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}
