//! Formats values of the types that Parquet has, as Arrow's own formatter does, which costs half a minute to compile.
//!
//! In: a value of a column that is not null. Out: its text. Nested nulls are empty.

use std::fmt::{Debug, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, IntervalDayTimeType, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use chrono::{NaiveDateTime, SecondsFormat};

/// Formats the value in row `index`; `None` for a type that Parquet does not have, and for a time that is out of
/// range.
pub(crate) fn display(array: &ArrayRef, index: usize) -> Option<String> {
    let mut out = String::new();
    put(array, index, &mut out)?;
    Some(out)
}

/// Appends a value; nothing for null.
fn put(array: &ArrayRef, index: usize, out: &mut String) -> Option<()> {
    if array.is_null(index) {
        return Some(());
    }
    match array.data_type() {
        DataType::Null => {}
        DataType::Boolean => write!(out, "{}", array.as_boolean().value(index)).ok()?,
        DataType::Int8 => integer::<Int8Type>(array, index, out)?,
        DataType::Int16 => integer::<Int16Type>(array, index, out)?,
        DataType::Int32 => integer::<Int32Type>(array, index, out)?,
        DataType::Int64 => integer::<Int64Type>(array, index, out)?,
        DataType::UInt8 => integer::<UInt8Type>(array, index, out)?,
        DataType::UInt16 => integer::<UInt16Type>(array, index, out)?,
        DataType::UInt32 => integer::<UInt32Type>(array, index, out)?,
        DataType::UInt64 => integer::<UInt64Type>(array, index, out)?,
        DataType::Float16 => {
            write!(out, "{}", array.as_primitive::<Float16Type>().value(index)).ok()?;
        }
        DataType::Float32 => {
            let value = array.as_primitive::<Float32Type>().value(index);
            out.push_str(ryu::Buffer::new().format(value));
        }
        DataType::Float64 => {
            let value = array.as_primitive::<Float64Type>().value(index);
            out.push_str(ryu::Buffer::new().format(value));
        }
        DataType::Decimal32(..) => decimal::<Decimal32Type>(array, index, out),
        DataType::Decimal64(..) => decimal::<Decimal64Type>(array, index, out),
        DataType::Decimal128(..) => decimal::<Decimal128Type>(array, index, out),
        DataType::Decimal256(..) => decimal::<Decimal256Type>(array, index, out),
        DataType::Date32 => {
            debug(array.as_primitive::<Date32Type>().value_as_date(index), out)?;
        }
        DataType::Date64 => {
            debug(array.as_primitive::<Date64Type>().value_as_datetime(index), out)?;
        }
        DataType::Time32(_) | DataType::Time64(_) => time(array, index, out)?,
        DataType::Timestamp(..) => timestamp(array, index, out)?,
        DataType::Interval(IntervalUnit::DayTime) => interval(array, index, out)?,
        DataType::Utf8 => out.push_str(array.as_string::<i32>().value(index)),
        DataType::LargeUtf8 => out.push_str(array.as_string::<i64>().value(index)),
        DataType::Utf8View => out.push_str(array.as_string_view().value(index)),
        DataType::Binary => digits(array.as_binary::<i32>().value(index), out)?,
        DataType::LargeBinary => digits(array.as_binary::<i64>().value(index), out)?,
        DataType::BinaryView => digits(array.as_binary_view().value(index), out)?,
        DataType::FixedSizeBinary(_) => digits(array.as_fixed_size_binary().value(index), out)?,
        DataType::List(_) => list(&array.as_list::<i32>().value(index), out)?,
        DataType::LargeList(_) => list(&array.as_list::<i64>().value(index), out)?,
        DataType::FixedSizeList(..) => list(&array.as_fixed_size_list().value(index), out)?,
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            let pairs = fields.iter().zip(columns);
            braced(pairs, out, |(field, column), out| {
                out.push_str(field.name());
                out.push_str(": ");
                put(column, index, out)
            })?;
        }
        DataType::Map(..) => {
            let entries = array.as_map().value(index);
            braced(0..entries.len(), out, |entry, out| {
                put(entries.column(0), entry, out)?;
                out.push_str(": ");
                put(entries.column(1), entry, out)
            })?;
        }
        _ => return None,
    }
    Some(())
}

fn integer<T>(array: &ArrayRef, index: usize, out: &mut String) -> Option<()>
where
    T: ArrowPrimitiveType<Native: std::fmt::Display>,
{
    write!(out, "{}", array.as_primitive::<T>().value(index)).ok()
}

fn decimal<T: DecimalType + ArrowPrimitiveType>(array: &ArrayRef, index: usize, out: &mut String) {
    out.push_str(&array.as_primitive::<T>().value_as_string(index));
}

/// Appends a date or time in the ISO form, which is how the library shows it for debugging.
fn debug(value: Option<impl Debug>, out: &mut String) -> Option<()> {
    write!(out, "{:?}", value?).ok()
}

fn time(array: &ArrayRef, index: usize, out: &mut String) -> Option<()> {
    let value = match array.data_type() {
        DataType::Time32(TimeUnit::Second) => {
            array.as_primitive::<Time32SecondType>().value_as_time(index)
        }
        DataType::Time32(_) => array.as_primitive::<Time32MillisecondType>().value_as_time(index),
        DataType::Time64(TimeUnit::Microsecond) => {
            array.as_primitive::<Time64MicrosecondType>().value_as_time(index)
        }
        _ => array.as_primitive::<Time64NanosecondType>().value_as_time(index),
    };
    debug(value, out)
}

/// Appends a timestamp; one in UTC ends with `Z`. Parquet has no other time zones.
fn timestamp(array: &ArrayRef, index: usize, out: &mut String) -> Option<()> {
    let DataType::Timestamp(unit, zone) = array.data_type() else { return None };
    let value: Option<NaiveDateTime> = match unit {
        TimeUnit::Second => array.as_primitive::<TimestampSecondType>().value_as_datetime(index),
        TimeUnit::Millisecond => {
            array.as_primitive::<TimestampMillisecondType>().value_as_datetime(index)
        }
        TimeUnit::Microsecond => {
            array.as_primitive::<TimestampMicrosecondType>().value_as_datetime(index)
        }
        TimeUnit::Nanosecond => {
            array.as_primitive::<TimestampNanosecondType>().value_as_datetime(index)
        }
    };
    match zone.as_deref() {
        None => debug(value, out),
        Some("UTC" | "+00:00") => {
            out.push_str(&value?.and_utc().to_rfc3339_opts(SecondsFormat::AutoSi, true));
            Some(())
        }
        Some(_) => None,
    }
}

/// Appends an interval in words: `1 days 2 hours 3 mins 4.005 secs`, without the parts that are zero.
fn interval(array: &ArrayRef, index: usize, out: &mut String) -> Option<()> {
    let value = array.as_primitive::<IntervalDayTimeType>().value(index);
    let (seconds, milliseconds) = (value.milliseconds / 1000, value.milliseconds % 1000);
    let (minutes, hours) = (seconds / 60 % 60, seconds / 3600);
    let seconds = seconds % 60;
    let mut parts = Vec::new();
    for (number, unit) in [(value.days, "days"), (hours, "hours"), (minutes, "mins")] {
        if number != 0 {
            parts.push(format!("{number} {unit}"));
        }
    }
    if seconds != 0 || milliseconds != 0 {
        let sign = if seconds < 0 || milliseconds < 0 { "-" } else { "" };
        parts.push(format!("{sign}{}.{:03} secs", seconds.abs(), milliseconds.abs()));
    }
    match parts.is_empty() {
        true => out.push_str("0 secs"),
        false => out.push_str(&parts.join(" ")),
    }
    Some(())
}

fn digits(bytes: &[u8], out: &mut String) -> Option<()> {
    bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}").ok())
}

fn list(items: &ArrayRef, out: &mut String) -> Option<()> {
    out.push('[');
    for index in 0..items.len() {
        if index > 0 {
            out.push_str(", ");
        }
        put(items, index, out)?;
    }
    out.push(']');
    Some(())
}

/// Appends entries in braces, with `put_entry`.
fn braced<T>(
    entries: impl Iterator<Item = T>,
    out: &mut String,
    put_entry: impl Fn(T, &mut String) -> Option<()>,
) -> Option<()> {
    out.push('{');
    for (number, entry) in entries.enumerate() {
        if number > 0 {
            out.push_str(", ");
        }
        put_entry(entry, out)?;
    }
    out.push('}');
    Some(())
}
