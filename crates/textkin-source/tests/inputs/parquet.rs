use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, DictionaryArray, Float64Array, Int64Array,
    LargeStringArray, ListArray, RecordBatch, StringArray, StringViewArray, StructArray,
    TimestampMillisecondArray,
};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use textkin_core::{Document, DocumentSink, Problem, Source};
use textkin_source::{InputFormat, Inputs, SourceSettings};

use crate::compressed::compress;
use crate::support::{Folder, read_as, read_bytes, settings};

pub(crate) fn table(columns: Vec<(&str, ArrayRef)>, compression: Compression) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, column)| (name, column, true)),
    )
    .unwrap();
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(2))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn plain(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    table(columns, Compression::UNCOMPRESSED)
}

const TEXTS: [Option<&str>; 5] = [Some("one"), Some(""), None, Some("größe"), Some("one")];

#[test]
fn texts_of_every_string_type_are_read() {
    let binary = TEXTS.map(|text| text.map(str::as_bytes));
    let arrays: [ArrayRef; 5] = [
        Arc::new(StringArray::from(TEXTS.to_vec())),
        Arc::new(LargeStringArray::from(TEXTS.to_vec())),
        Arc::new(StringViewArray::from(TEXTS.to_vec())),
        Arc::new(BinaryArray::from(binary.to_vec())),
        Arc::new(TEXTS.into_iter().collect::<DictionaryArray<Int32Type>>()),
    ];
    for array in arrays {
        let folder = Folder::new();
        folder.write("a.parquet", plain(vec![("text", Arc::clone(&array))]));
        let read = folder.read(&[""], &settings());
        assert_eq!(read.texts(), ["one", "", "größe", "one"]);
        assert_eq!(read.ids(), ["a.parquet:1", "a.parquet:2", "a.parquet:4", "a.parquet:5"]);
        assert_eq!(read.problems, ["a.parquet:3: field 'text' is not a string but null"]);
    }
}

#[test]
fn ids_and_times_may_be_numbers() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    let id: ArrayRef = Arc::new(Int64Array::from(vec![Some(7), None, Some(-1)]));
    let time: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![0, 1, 86_400_000]));
    for compression in [
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::GZIP(Default::default()),
        Compression::LZ4_RAW,
    ] {
        let bytes = table(
            vec![("id", id.clone()), ("time", time.clone()), ("text", text.clone())],
            compression,
        );
        let read = read_bytes(&bytes, &settings());
        assert_eq!(read.ids(), ["7", "-:2", "-1"]);
        assert_eq!(read.documents[0].2.as_deref(), Some("1970-01-01T00:00:00"));
        assert_eq!(read_bytes(&compress("gz", &bytes), &settings()), read);
    }
}

#[test]
fn times_in_utc_are_read() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let time = TimestampMillisecondArray::from(vec![1_500]).with_timezone("UTC");
    let bytes = plain(vec![("text", text), ("time", Arc::new(time))]);
    let read = read_bytes(&bytes, &settings());
    assert_eq!(read.documents[0].2.as_deref(), Some("1970-01-01T00:00:01.500Z"));
}

#[test]
fn dotted_names_match_fields_of_structs() {
    let inner: ArrayRef = Arc::new(StringArray::from(vec!["x", "y"]));
    let meta = StructArray::from(vec![(Arc::new(Field::new("text", DataType::Utf8, true)), inner)]);
    let set = SourceSettings { text_field: "meta.text".to_owned(), ..settings() };
    let read = read_as(InputFormat::Parquet, &plain(vec![("meta", Arc::new(meta))]), &set);
    assert_eq!(read.texts(), ["x", "y"]);
}

#[test]
fn other_columns_are_kept_as_metadata() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let name: ArrayRef = Arc::new(StringArray::from(vec![Some("say \"hi\""), None]));
    let number: ArrayRef = Arc::new(Int64Array::from(vec![Some(9_007_199_254_740_993), None]));
    let share: ArrayRef = Arc::new(Float64Array::from(vec![0.25, f64::NAN]));
    let truth: ArrayRef = Arc::new(BooleanArray::from(vec![Some(true), None]));
    let time: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![Some(0), None]));
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![Some(b"\xff\x01".as_slice()), None]));
    let tags = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None]), None]);
    let inner = StructArray::from(vec![
        (Arc::new(Field::new("body", DataType::Utf8, true)), text),
        (Arc::new(Field::new("lang", DataType::Utf8, true)), name.clone()),
    ]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("inner", Arc::new(inner)),
        ("name", name),
        ("number", number),
        ("share", share),
        ("truth", truth),
        ("sent", time),
        ("bytes", bytes),
        ("tags", Arc::new(tags)),
    ];
    let bytes = plain(columns);
    let with_metadata =
        SourceSettings { text_field: "inner.body".to_owned(), keeps_metadata: true, ..settings() };
    let mut inputs =
        Inputs::from_reader("t.parquet", std::io::Cursor::new(bytes), &with_metadata).unwrap();
    let mut sink = MetadataSink(Vec::new());
    while let Some(piece) = inputs.next_piece() {
        piece.read(&mut sink);
    }
    assert_eq!(
        sink.0,
        [
            r#"{"inner":{"body":null,"lang":"say \"hi\""},"name":"say \"hi\"","number":9007199254740993,"share":0.25,"truth":true,"sent":"1970-01-01T00:00:00","bytes":"ff01","tags":[1,null]}"#,
            r#"{"inner":{"body":null,"lang":null},"share":"NaN"}"#,
        ]
    );
}

struct MetadataSink(Vec<String>);

impl DocumentSink for MetadataSink {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        self.0.push(document.metadata.expect("the row has other columns").into_owned());
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        panic!("{problem}");
    }
}

#[test]
fn missing_and_mistyped_columns_are_problems() {
    let number: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let read = read_as(
        InputFormat::Parquet,
        &plain(vec![("body", number.clone()), ("n", number.clone())]),
        &settings(),
    );
    assert_eq!(read.problems, ["-: no column 'text'; columns here: body, n"]);
    let read = read_as(InputFormat::Parquet, &plain(vec![("text", number)]), &settings());
    assert_eq!(read.problems, ["-: column 'text' is not a string but Int64"]);
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![b"\xff".as_slice(), b"ok"]));
    let read = read_as(InputFormat::Parquet, &plain(vec![("text", bytes)]), &settings());
    assert_eq!((read.problems.len(), read.texts()), (1, vec!["ok"]));
}

#[test]
fn each_row_group_is_a_piece() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a"; 7]));
    let folder = Folder::new();
    let path = folder.write("a.parquet", plain(vec![("text", text)]));
    let mut inputs = Inputs::open(&[&path], &settings()).unwrap();
    let mut n_pieces = 0;
    while let Some(piece) = inputs.next_piece() {
        assert!(piece.bytes() > 0);
        n_pieces += 1;
    }
    assert_eq!(n_pieces, 4);
}

#[test]
fn corrupt_files_never_panic() {
    let text: ArrayRef =
        Arc::new(StringArray::from(vec!["some words here", "and there", "and more"]));
    let id: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let whole = table(vec![("text", text), ("id", id)], Compression::SNAPPY);
    for end in (0..whole.len()).step_by(7) {
        assert_eq!(read_as(InputFormat::Parquet, &whole[..end], &settings()).documents.len(), 0);
    }
    for index in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[index] ^= 1 << (index % 8);
        // Only the absence of a panic is checked.
        read_as(InputFormat::Parquet, &bytes, &settings());
    }
}
