//! Rewritten inputs: the same documents in the same order, and no other byte changed.

use std::io::Read as _;

use proptest::prelude::*;
use textkin_core::Document;
use textkin_source::{
    Annotation, DocumentEditor, EditDecision, InputFormat, Inputs, RewriteError, RewriteOutcome,
    SourceSettings,
};

use crate::compressed::{KINDS, compress};
use crate::support::{Folder, drain, settings};

/// Decides by document number and text, and records the ids.
struct ScriptedEditor<F> {
    ids: Vec<String>,
    is_annotating: bool,
    decide: F,
}

impl<F: FnMut(usize, &str) -> EditDecision> DocumentEditor for ScriptedEditor<F> {
    fn document(&mut self, document: &Document<'_>) -> EditDecision {
        self.ids.push(document.id.clone().into_owned());
        (self.decide)(self.ids.len() - 1, document.text().unwrap())
    }

    fn is_annotating(&self) -> bool {
        self.is_annotating
    }
}

fn script<F: FnMut(usize, &str) -> EditDecision>(decide: F) -> ScriptedEditor<F> {
    ScriptedEditor { ids: Vec::new(), is_annotating: false, decide }
}

fn annotation(number: usize) -> EditDecision {
    let duplicate_of = "a \"b\", c".to_owned();
    EditDecision::Annotate((number % 2 == 1).then_some(Annotation { duplicate_of, score: 0.95 }))
}

/// Rewrites bytes of a format and checks that the documents are those of the first pass.
fn rewrite_all<F: FnMut(usize, &str) -> EditDecision>(
    format: InputFormat,
    bytes: &[u8],
    editor: &mut ScriptedEditor<F>,
) -> Result<Vec<u8>, RewriteError> {
    let settings = SourceSettings { input_format: Some(format), ..settings() };
    let reader = std::io::Cursor::new(bytes.to_vec());
    let mut inputs = Inputs::from_reader("-", reader, &settings).unwrap();
    inputs.spool(&std::env::temp_dir()).unwrap();
    let first = drain(&mut inputs);
    let mut out = Vec::new();
    let files = inputs.files();
    assert_eq!(inputs.rewrite(&files[0], editor, &mut out)?, RewriteOutcome::Written);
    assert_eq!(editor.ids, first.ids());
    Ok(out)
}

fn decompress(kind: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match kind {
        "gz" => flate2::read::GzDecoder::new(bytes).read_to_end(&mut out),
        "zst" => zstd::Decoder::new(bytes).unwrap().read_to_end(&mut out),
        "xz" => liblzma::read::XzDecoder::new(bytes).read_to_end(&mut out),
        _ => bzip2::read::BzDecoder::new(bytes).read_to_end(&mut out),
    }
    .unwrap();
    out
}

const TRICKY_LINES: &str = "\u{feff}{\"id\":1,\"text\":\"a\"}\r\n\n  \n{not json}\n{\"text\":null}\n\
    { \"x\" : [1, {\"text\":\"no\"}] , \"text\" : \"b\\u00e9\\n\" , \"y\":1e5 }\r\n{\"text\":\"c\"} \n{\"text\":\"d\"}";

const TRICKY_ROWS: &str = "\u{feff}id,text,\"no\nte\"\r\n1,\"a\r\nb, \"\"c\"\"\",x\r\n\r\n2,too,many,fields\r\n\
    3,\"second\",\"y\n\nz\"\r\n\n4,third,\"\"\n5,last,z";

#[test]
fn kept_records_are_unchanged_byte_for_byte() {
    for (format, text) in [(InputFormat::Jsonl, TRICKY_LINES), (InputFormat::Csv, TRICKY_ROWS)] {
        let kept =
            rewrite_all(format, text.as_bytes(), &mut script(|_, _| EditDecision::Keep)).unwrap();
        assert_eq!(String::from_utf8(kept).unwrap(), text);
        for kind in KINDS {
            let bytes = compress(kind, text.as_bytes());
            let kept = rewrite_all(format, &bytes, &mut script(|_, _| EditDecision::Keep)).unwrap();
            assert_eq!(decompress(kind, &kept), text.as_bytes(), "{kind}");
        }
    }
}

#[test]
fn only_dropped_records_are_missing() {
    let odd = |number: usize, _: &str| {
        if number % 2 == 1 { EditDecision::Drop } else { EditDecision::Keep }
    };
    let out = rewrite_all(InputFormat::Jsonl, TRICKY_LINES.as_bytes(), &mut script(odd)).unwrap();
    let expected: String = TRICKY_LINES
        .split_inclusive('\n')
        .filter(|line| !line.contains("u00e9") && !line.contains("\"d\""))
        .collect();
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    let out = rewrite_all(InputFormat::Csv, TRICKY_ROWS.as_bytes(), &mut script(odd)).unwrap();
    let expected = TRICKY_ROWS.replace("3,\"second\",\"y\n\nz\"\r\n", "").replace("5,last,z", "");
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn only_the_text_changes_where_it_is_replaced() {
    let second = |number: usize, text: &str| match number {
        1 => EditDecision::Replace(format!("new, \"{text}\"\t")),
        _ => EditDecision::Keep,
    };
    let out =
        rewrite_all(InputFormat::Jsonl, TRICKY_LINES.as_bytes(), &mut script(second)).unwrap();
    let expected = TRICKY_LINES.replace("\"b\\u00e9\\n\"", "\"new, \\\"bé\\n\\\"\\t\"");
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    let out = rewrite_all(InputFormat::Csv, TRICKY_ROWS.as_bytes(), &mut script(second)).unwrap();
    let expected = TRICKY_ROWS.replace("\"second\"", "\"new, \"\"second\"\"\t\"");
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    let empty = rewrite_all(
        InputFormat::Csv,
        b"text\na\n",
        &mut script(|_, _| EditDecision::Replace(String::new())),
    );
    assert_eq!(empty.unwrap(), b"text\n\"\"\n");
}

#[test]
fn annotations_are_two_more_fields() {
    let mut editor =
        ScriptedEditor { is_annotating: true, ..script(|number, _| annotation(number)) };
    let out = rewrite_all(InputFormat::Jsonl, TRICKY_LINES.as_bytes(), &mut editor).unwrap();
    let out = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].ends_with(",\"textkin_duplicate_of\":null,\"textkin_score\":null}"));
    assert!(lines[5].ends_with(
        "\"y\":1e5 ,\"textkin_duplicate_of\":\"a \\\"b\\\", c\",\"textkin_score\":0.95}"
    ));
    let mut editor =
        ScriptedEditor { is_annotating: true, ..script(|number, _| annotation(number)) };
    let rows = rewrite_all(InputFormat::Csv, TRICKY_ROWS.as_bytes(), &mut editor).unwrap();
    let rows = String::from_utf8(rows).unwrap();
    assert!(rows.contains("te\",textkin_duplicate_of,textkin_score\r\n"), "{rows}");
    assert!(rows.contains("\"y\n\nz\",\"a \"\"b\"\", c\",0.95\r\n"), "{rows}");
    assert!(rows.contains("4,third,\"\",,\n"), "{rows}");
    assert!(rows.ends_with("5,last,z,\"a \"\"b\"\", c\",0.95"), "{rows}");
    for (format, bytes) in [(InputFormat::Jsonl, out), (InputFormat::Csv, rows)] {
        let mut editor =
            ScriptedEditor { is_annotating: true, ..script(|number, _| annotation(number)) };
        let twice = rewrite_all(format, bytes.as_bytes(), &mut editor);
        assert!(matches!(twice, Err(RewriteError::FieldExists { .. })));
    }
    let mut editor =
        ScriptedEditor { is_annotating: true, ..script(|number, _| annotation(number)) };
    let open = rewrite_all(InputFormat::Csv, b"text,x\na,\"b", &mut editor).unwrap();
    assert_eq!(open, b"text,x,textkin_duplicate_of,textkin_score\na,\"b\",,");
}

#[test]
fn texts_keep_their_encoding_and_binary_files_are_copied() {
    let folder = Folder::new();
    let utf16: Vec<u8> =
        "\u{feff}größe eins zwei".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin = b"Les \xe9l\xe8ves ont \xe9t\xe9 re\xe7us \xe0 No\xebl";
    let binary = [0u8, 1, 2, 3, 255, 0, 0, 7];
    folder.write("a.txt", &utf16);
    folder.write("b.txt", latin);
    folder.write("c.bin", binary);
    folder.write("d.txt.gz", compress("gz", b"one two three"));
    folder.write("e.txt", "goes");
    let inputs = Inputs::open(&[folder.root()], &settings()).unwrap();
    let mut editor = script(|number, text| match number {
        3 => EditDecision::Drop,
        _ => EditDecision::Replace(text.replacen(' ', " + ", 1)),
    });
    let mut outs = Vec::new();
    let mut outcomes = Vec::new();
    for file in inputs.files() {
        let mut out = Vec::new();
        outcomes.push(inputs.rewrite(&file, &mut editor, &mut out).unwrap());
        outs.push(out);
    }
    let expected: Vec<u8> =
        "\u{feff}größe + eins zwei".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(outs[0], expected);
    assert_eq!(outs[1], b"Les + \xe9l\xe8ves ont \xe9t\xe9 re\xe7us \xe0 No\xebl");
    assert_eq!(outs[2], binary);
    assert_eq!(decompress("gz", &outs[3]), b"one + two three");
    assert_eq!(outcomes[4], RewriteOutcome::Removed);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_unchanged(
        bytes in prop::collection::vec(prop::sample::select(b"\"\"\n\r,\t\\{}text: a\xff".to_vec()), 0..60),
        format in prop::sample::select(vec![InputFormat::Jsonl, InputFormat::Csv, InputFormat::Tsv]),
    ) {
        let bytes = match format {
            InputFormat::Jsonl => bytes,
            InputFormat::Csv => [b"id,text\n", bytes.as_slice()].concat(),
            _ => [b"text\tid\r\n", bytes.as_slice()].concat(),
        };
        prop_assert_eq!(rewrite_all(format, &bytes, &mut script(|_, _| EditDecision::Keep)).unwrap(), bytes);
    }

    #[test]
    fn replaced_and_dropped_records_are_read_back(
        texts in prop::collection::vec("[a\",\n\r\t ]{0,6}", 1..8),
        format in prop::sample::select(vec![InputFormat::Jsonl, InputFormat::Csv, InputFormat::Tsv]),
    ) {
        let records: String = match format {
            InputFormat::Jsonl => texts.iter().map(|text| format!("{}\n", serde_json::json!({ "n": 1, "text": text }))).collect(),
            _ => "text\n".to_owned() + &texts.iter().map(|text| format!("\"{}\"\r\n", text.replace('"', "\"\""))).collect::<String>(),
        };
        let decide = |number: usize, text: &str| match number % 3 {
            0 => EditDecision::Keep,
            1 => EditDecision::Replace(format!("{text}{text}")),
            _ => EditDecision::Drop,
        };
        let out = rewrite_all(format, records.as_bytes(), &mut script(decide)).unwrap();
        let read = crate::support::read_as(format, &out, &settings());
        let expected: Vec<String> = texts.iter().enumerate().filter(|(number, _)| number % 3 != 2)
            .map(|(number, text)| if number % 3 == 1 { format!("{text}{text}") } else { text.clone() }).collect();
        prop_assert_eq!(read.texts(), expected);
    }
}

#[cfg(feature = "parquet")]
mod tables {
    use std::sync::Arc;

    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int32Type, Int64Type};
    use arrow_array::{
        Array, ArrayRef, BinaryArray, DictionaryArray, Int64Array, ListArray, RecordBatch,
        StringArray, StringViewArray, StructArray,
    };
    use arrow_schema::{DataType, Field};
    use arrow_select::concat::concat_batches;
    use bytes::Bytes;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use parquet::basic::Compression;

    use super::*;
    use crate::parquet::table;

    const TEXTS: [Option<&str>; 5] = [Some("one"), Some(""), None, Some("größe"), Some("two")];

    fn columns(texts: ArrayRef) -> Vec<(&'static str, ArrayRef)> {
        let lists = [Some(vec![Some(1), None]), None, Some(vec![]), Some(vec![Some(4)]), None];
        vec![
            ("n", Arc::new(Int64Array::from(vec![Some(1), None, Some(3), Some(4), Some(5)]))),
            ("text", texts),
            ("list", Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists))),
        ]
    }

    fn load(bytes: Vec<u8>) -> (RecordBatch, usize) {
        let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).unwrap();
        let (schema, n_groups) = (builder.schema().clone(), builder.metadata().num_row_groups());
        let batches: Vec<RecordBatch> = builder.build().unwrap().map(Result::unwrap).collect();
        (concat_batches(&schema, &batches).unwrap(), n_groups)
    }

    #[test]
    fn rows_keep_their_values_types_and_groups() {
        let binary = TEXTS.map(|text| text.map(str::as_bytes));
        let arrays: [ArrayRef; 4] = [
            Arc::new(StringArray::from(TEXTS.to_vec())),
            Arc::new(StringViewArray::from(TEXTS.to_vec())),
            Arc::new(BinaryArray::from(binary.to_vec())),
            Arc::new(TEXTS.into_iter().collect::<DictionaryArray<Int32Type>>()),
        ];
        for array in arrays {
            let bytes = table(columns(array), Compression::SNAPPY);
            let kept =
                rewrite_all(InputFormat::Parquet, &bytes, &mut script(|_, _| EditDecision::Keep))
                    .unwrap();
            assert_eq!(load(kept), load(bytes.clone()));
            let drop = |number: usize, _: &str| {
                if number == 1 { EditDecision::Drop } else { EditDecision::Keep }
            };
            let fewer =
                load(rewrite_all(InputFormat::Parquet, &bytes, &mut script(drop)).unwrap()).0;
            let numbers = fewer.column(0).as_primitive::<Int64Type>().iter().collect::<Vec<_>>();
            assert_eq!(numbers, [Some(1), Some(3), Some(4), Some(5)]);
            let replace = |number: usize, text: &str| match number {
                2 => EditDecision::Replace(format!("{text}!")),
                _ => EditDecision::Keep,
            };
            let new = rewrite_all(InputFormat::Parquet, &bytes, &mut script(replace)).unwrap();
            assert_eq!(load(new.clone()).0.schema(), load(bytes).0.schema());
            let read = crate::support::read_bytes(&new, &settings());
            assert_eq!(read.texts(), ["one", "", "größe!", "two"]);
        }
    }

    #[test]
    fn compressed_tables_nested_texts_and_annotations_are_rewritten() {
        let inner: ArrayRef = Arc::new(StringArray::from(TEXTS.to_vec()));
        let outer = StructArray::from(vec![(
            Arc::new(Field::new("text", DataType::Utf8, true)),
            Arc::clone(&inner),
        )]);
        let bytes = table(vec![("meta", Arc::new(outer) as ArrayRef)], Compression::UNCOMPRESSED);
        let folder = Folder::new();
        folder.write("a.parquet.gz", compress("gz", &bytes));
        let nested = SourceSettings { text_field: "meta.text".to_owned(), ..settings() };
        let inputs = Inputs::open(&[folder.path("a.parquet.gz")], &nested).unwrap();
        let mut editor = script(|_, text| EditDecision::Replace(text.to_uppercase()));
        let mut out = Vec::new();
        inputs.rewrite(&inputs.files()[0], &mut editor, &mut out).unwrap();
        let (rows, _) = load(decompress("gz", &out));
        let texts = rows.column(0).as_struct().column(0).as_string::<i32>().iter();
        assert_eq!(texts.flatten().collect::<Vec<_>>(), ["ONE", "", "GRÖSSE", "TWO"]);

        let bytes = table(columns(inner), Compression::UNCOMPRESSED);
        let mut editor =
            ScriptedEditor { is_annotating: true, ..script(|number, _| annotation(number)) };
        let out = rewrite_all(InputFormat::Parquet, &bytes, &mut editor).unwrap();
        let (rows, _) = load(out.clone());
        assert_eq!(rows.num_columns(), 5);
        let marked = (0..5).filter(|&row| !rows.column(3).is_null(row)).collect::<Vec<_>>();
        assert_eq!(marked, [1, 4]);
        let mut editor =
            ScriptedEditor { is_annotating: true, ..script(|number, _| annotation(number)) };
        let twice = rewrite_all(InputFormat::Parquet, &out, &mut editor);
        assert!(matches!(twice, Err(RewriteError::FieldExists { .. })));
    }
}

/// Arrays and objects one after another, with values that are not documents, and what remains of them
/// without the second and the last document.
const TRICKY_JSON: [(&str, &str); 4] = [
    (
        "\u{feff}[\n  {\"text\":\"a\"},\n  {\"text\": \"b\"\n},\n  5,\n  {\"text\":\"c\"}\n, {\"text\":\"d\"}\n]\n",
        "\u{feff}[\n  {\"text\":\"a\"},\n  5,\n  {\"text\":\"c\"}\n]\n",
    ),
    ("[{\"text\":\"a\"},{\"text\":\"b\"}]", "[{\"text\":\"a\"}]"),
    (
        "{\"text\":\"a\"} {\n\"text\":\"b\"}{\"text\":\"c\"}\n{\"text\":\"d\"}",
        "{\"text\":\"a\"}{\"text\":\"c\"}",
    ),
    ("[{\"text\":\"a\"},{\"text\":\"b\"} {\"text\":\"x\"}]", "[{\"text\":\"a\"} {\"text\":\"x\"}]"),
];

#[test]
fn arrays_and_objects_are_rewritten_with_their_separators() {
    for (text, expected) in TRICKY_JSON {
        let keep = &mut script(|_, _| EditDecision::Keep);
        let kept = rewrite_all(InputFormat::Json, text.as_bytes(), keep).unwrap();
        assert_eq!(String::from_utf8(kept).unwrap(), text);
        for kind in KINDS {
            let keep = &mut script(|_, _| EditDecision::Keep);
            let kept = rewrite_all(InputFormat::Json, &compress(kind, text.as_bytes()), keep);
            assert_eq!(decompress(kind, &kept.unwrap()), text.as_bytes(), "{kind}");
        }
        let odd = |number: usize, _: &str| match number % 2 {
            1 => EditDecision::Drop,
            _ => EditDecision::Keep,
        };
        let out = rewrite_all(InputFormat::Json, text.as_bytes(), &mut script(odd)).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        let first = |number: usize, _: &str| match number {
            0 => EditDecision::Replace("new\n".to_owned()),
            _ => EditDecision::Keep,
        };
        let out = rewrite_all(InputFormat::Json, text.as_bytes(), &mut script(first)).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), text.replacen("\"a\"", "\"new\\n\"", 1));
    }
    let (array, _) = TRICKY_JSON[1];
    let drop = &mut script(|_, _| EditDecision::Drop);
    assert_eq!(rewrite_all(InputFormat::Json, array.as_bytes(), drop).unwrap(), b"[]");
    let first = &mut script(|number, _| match number {
        0 => EditDecision::Drop,
        _ => EditDecision::Keep,
    });
    let out = rewrite_all(InputFormat::Json, array.as_bytes(), first).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "[{\"text\":\"b\"}]");
    let mut editor =
        ScriptedEditor { is_annotating: true, ..script(|number, _| annotation(number)) };
    let out = rewrite_all(InputFormat::Json, array.as_bytes(), &mut editor).unwrap();
    let records: Vec<serde_json::Value> = serde_json::from_slice(&out).unwrap();
    assert_eq!(records[0]["textkin_duplicate_of"], serde_json::Value::Null);
    assert_eq!(records[1]["textkin_score"], 0.95);
}

#[test]
fn records_are_rewritten_whatever_the_name_of_their_file() {
    let folder = Folder::new();
    folder.write("lines.json", "{\"text\":\"a\"}\n{\"text\":\"b\"}\n");
    folder.write("array.json", "[{\"text\":\"a\"}, {\"text\":\"b\"}]");
    folder.write("array.jsonl", "[{\"text\":\"a\"}, {\"text\":\"b\"}]");
    folder.write("other.json", "{\"name\":\"a\"}\n");
    for (name, format, expected) in [
        ("lines.json", InputFormat::Jsonl, "{\"text\":\"b\"}\n"),
        ("array.json", InputFormat::Json, "[{\"text\":\"b\"}]"),
        ("array.jsonl", InputFormat::Json, "[{\"text\":\"b\"}]"),
        ("other.json", InputFormat::Text, "{\"name\":\"a\"}\n"),
    ] {
        let inputs = Inputs::open(&[folder.path(name)], &settings()).unwrap();
        let files = inputs.files();
        assert_eq!(files[0].format, Some(format), "{name}");
        let mut out = Vec::new();
        let mut editor = script(|_, text| match text {
            "a" => EditDecision::Drop,
            _ => EditDecision::Keep,
        });
        inputs.rewrite(&files[0], &mut editor, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{name}");
    }
}

/// Decides by the length of a text.
#[derive(Default)]
struct LengthEditor {
    ids: Vec<String>,
    problems: Vec<String>,
}

impl DocumentEditor for LengthEditor {
    fn document(&mut self, document: &Document<'_>) -> EditDecision {
        self.ids.push(document.id.clone().into_owned());
        match document.text().unwrap().len() % 5 {
            0 => EditDecision::Drop,
            1 => EditDecision::Replace("shorter".to_owned()),
            _ => EditDecision::Keep,
        }
    }

    fn problem(&mut self, problem: textkin_core::Problem) {
        self.problems.push(problem.to_string());
    }
}

#[test]
fn output_and_order_do_not_depend_on_threads() {
    let mut lines = "\u{feff}".to_owned();
    for number in 0..4_000usize {
        let text = "some text ".repeat(number * 7919 % 150);
        lines.push_str(&format!("{{\"id\":{number},\"text\":\"{text}{number}\"}}\n"));
        if number % 500 == 7 {
            lines.push_str("{broken\n\n");
        }
    }
    // A line that is longer than a document may be, over several blocks.
    lines.push_str(&format!("{{\"id\":\"long\",\"text\":\"{}\"}}\n", "x".repeat(3 << 20)));
    lines.push_str("{\"id\":\"last\",\"text\":\"12345\"}");
    let mut truncated = compress("gz", lines.as_bytes());
    truncated.truncate(truncated.len() / 2);
    for bytes in [lines.clone().into_bytes(), compress("gz", lines.as_bytes()), truncated] {
        let settings = SourceSettings {
            input_format: Some(InputFormat::Jsonl),
            max_document_bytes: 1 << 20,
            ..settings()
        };
        let rewritten = |threads: Option<usize>| {
            let reader = std::io::Cursor::new(bytes.clone());
            let mut inputs = Inputs::from_reader("-", reader, &settings).unwrap();
            inputs.spool(&std::env::temp_dir()).unwrap();
            let file = &inputs.files()[0];
            let (mut out, mut seen) = (Vec::new(), LengthEditor::default());
            let outcome = match threads {
                None => inputs.rewrite(file, &mut seen, &mut out),
                Some(threads) => {
                    let mut done = |editor: LengthEditor| {
                        seen.ids.extend(editor.ids);
                        seen.problems.extend(editor.problems);
                    };
                    inputs.rewrite_parallel(
                        file,
                        threads,
                        &LengthEditor::default,
                        &mut done,
                        &mut out,
                    )
                }
            };
            (outcome.unwrap(), out, seen.ids, seen.problems)
        };
        // Compressed bytes depend on the blocks in which they are written.
        let plain = |bytes: &[u8]| match bytes.starts_with(b"\x1f\x8b") {
            true => decompress("gz", bytes),
            false => bytes.to_vec(),
        };
        let expected = rewritten(None);
        assert!(expected.2.len() > 1_000 && !expected.3.is_empty());
        let one = rewritten(Some(1));
        assert!(plain(&one.1) == plain(&expected.1));
        assert_eq!((&one.0, &one.2, &one.3), (&expected.0, &expected.2, &expected.3));
        for threads in [2, 5] {
            assert!(rewritten(Some(threads)) == one, "{threads} threads");
        }
    }
}
