//! Values of columns are formatted as Arrow formats them.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, MapBuilder, StringBuilder};
use arrow_array::types::{Int32Type, IntervalDayTimeType};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal32Array,
    Decimal64Array, Decimal128Array, DurationSecondArray, FixedSizeBinaryArray, Float32Array,
    Float64Array, Int8Array, Int16Array, Int32Array, Int64Array, IntervalDayTimeArray,
    LargeListArray, ListArray, NullArray, StringArray, StructArray, Time32MillisecondArray,
    Time32SecondArray, Time64MicrosecondArray, Time64NanosecondArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt8Array,
    UInt16Array, UInt32Array, UInt64Array,
};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Field};
use proptest::prelude::*;
use textkin_source::column::display_at;

/// Formats a value with Arrow.
fn formatted(array: &dyn Array, index: usize) -> Option<String> {
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(array, &options).unwrap();
    formatter.value(index).try_to_string().ok()
}

fn check(array: impl Array + 'static) {
    let array: ArrayRef = Arc::new(array);
    for index in (0..array.len()).filter(|&index| !array.is_null(index)) {
        let expected = formatted(array.as_ref(), index);
        assert_eq!(display_at(&array, index), expected, "{}", array.data_type());
    }
}

/// Small, negative and large numbers; not all are valid times.
const NUMBERS: [i64; 9] =
    [0, 1, -1, 59_999, 86_399_999, 1_700_000_000_123, -86_400_000, i64::MAX, i64::MIN];

#[test]
fn numbers_are_formatted_as_arrow_formats_them() {
    check(NullArray::new(2));
    check(BooleanArray::from(vec![true, false]));
    check(Int8Array::from(vec![0, i8::MIN, i8::MAX]));
    check(Int16Array::from(vec![0, i16::MIN, i16::MAX]));
    check(Int32Array::from(vec![0, i32::MIN, i32::MAX]));
    check(Int64Array::from(NUMBERS.to_vec()));
    check(UInt8Array::from(vec![0, u8::MAX]));
    check(UInt16Array::from(vec![0, u16::MAX]));
    check(UInt32Array::from(vec![0, u32::MAX]));
    check(UInt64Array::from(vec![0, u64::MAX]));
    check(Decimal32Array::from(vec![0, 5, -12_345]).with_precision_and_scale(9, 2).unwrap());
    check(Decimal64Array::from(vec![0, 5, -12_345]).with_precision_and_scale(18, 4).unwrap());
    for scale in [0, 3, 20, -2] {
        let values = Decimal128Array::from(vec![0, 5, -5, 1_234_567, i128::from(i64::MIN)]);
        let values = values.with_precision_and_scale(30, scale).unwrap();
        check(cast(&values, &DataType::Decimal256(60, scale)).unwrap());
        check(values);
    }
    let halves = Float32Array::from(vec![0.0, -1.5, 65_504.0, 1e-7, f32::INFINITY, f32::NAN]);
    check(cast(&halves, &DataType::Float16).unwrap());
}

#[test]
fn dates_and_times_are_formatted_as_arrow_formats_them() {
    let small = [0, 1, -1, 59, 86_399, 86_400, 19_000, i32::MAX, i32::MIN];
    check(Date32Array::from(small.to_vec()));
    check(Date64Array::from(NUMBERS.to_vec()));
    check(Time32SecondArray::from(small.to_vec()));
    check(Time32MillisecondArray::from(small.to_vec()));
    check(Time64MicrosecondArray::from(NUMBERS.to_vec()));
    check(Time64NanosecondArray::from(NUMBERS.to_vec()));
    check(TimestampSecondArray::from(NUMBERS.to_vec()));
    check(TimestampMillisecondArray::from(NUMBERS.to_vec()));
    check(TimestampMicrosecondArray::from(NUMBERS.to_vec()));
    check(TimestampNanosecondArray::from(NUMBERS.to_vec()));
    // Arrow knows the time zone by its offset only, unless it is built with all time zones.
    check(TimestampMicrosecondArray::from(NUMBERS.to_vec()).with_timezone("+00:00"));
    let utc: ArrayRef =
        Arc::new(TimestampMicrosecondArray::from(vec![1_500_000]).with_timezone("UTC"));
    assert_eq!(display_at(&utc, 0).as_deref(), Some("1970-01-01T00:00:01.500Z"));
    let intervals =
        [(0, 0), (1, 0), (0, 1), (-2, -1), (3, 86_399_999), (0, 60_000), (0, -3_601_500)];
    let intervals = intervals.map(|(days, ms)| IntervalDayTimeType::make_value(days, ms));
    check(IntervalDayTimeArray::from(intervals.to_vec()));
    let duration: ArrayRef = Arc::new(DurationSecondArray::from(vec![1]));
    assert_eq!(display_at(&duration, 0), None, "Parquet has no durations");
}

#[test]
fn bytes_and_nested_values_are_formatted_as_arrow_formats_them() {
    check(FixedSizeBinaryArray::try_from_iter([[0_u8, 255], [1, 2]].iter()).unwrap());
    let rows = || [Some(vec![Some(1), None, Some(-3)]), None, Some(vec![])];
    check(ListArray::from_iter_primitive::<Int32Type, _, _>(rows()));
    check(LargeListArray::from_iter_primitive::<Int32Type, _, _>(rows()));
    let fields = [("text", DataType::Utf8), ("bytes", DataType::Binary), ("n", DataType::Int64)];
    let [text, bytes, n] = fields.map(|(name, kind)| Arc::new(Field::new(name, kind, true)));
    let columns = StructArray::from(vec![
        (text, Arc::new(StringArray::from(vec![Some("a, b"), None])) as ArrayRef),
        (bytes, Arc::new(BinaryArray::from(vec![None, Some(b"\xff\x00".as_slice())]))),
        (n, Arc::new(Int64Array::from(vec![1, 2]))),
    ]);
    check(columns);
    let mut map = MapBuilder::new(None, Int64Builder::new(), StringBuilder::new());
    for (key, value) in [(1, Some("one")), (2, None), (3, Some(""))] {
        map.keys().append_value(key);
        map.values().append_option(value);
        map.append(true).unwrap();
    }
    map.append(true).unwrap();
    check(map.finish());
}

proptest! {
    #[test]
    fn floats_are_formatted_as_arrow_formats_them(wide: f64, narrow: f32) {
        check(Float64Array::from(vec![wide, wide.trunc()]));
        check(Float32Array::from(vec![narrow, narrow.trunc()]));
    }
}
