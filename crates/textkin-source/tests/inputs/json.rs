//! JSON records under any name: lines, arrays and objects one after another.

use std::io::{self, Cursor, Read as _};

use textkin_source::{InputFormat, Inputs, SourceSettings};

use crate::compressed::{KINDS, compress};
use crate::support::{Folder, ReadOutput, drain, read_as, read_bytes, settings};

const LINES: &str = "{\"id\":\"a\",\"text\":\"one\"}\n{\"text\":\"two\"}\n";

#[test]
fn json_lines_are_read_whatever_their_name() {
    let folder = Folder::new();
    for name in ["r.json", "part-00000", "c4.00001-of-01024.json", "notes.txt", "r.md"] {
        folder.write(name, LINES);
        let read = folder.read(&[name], &settings());
        assert_eq!(read.ids(), ["a".to_owned(), format!("{name}:2")], "{name}");
        assert_eq!(read.texts(), ["one", "two"]);
        for kind in KINDS {
            let name = format!("{name}.{kind}");
            folder.write(&name, compress(kind, LINES.as_bytes()));
            assert_eq!(folder.read(&[&name], &settings()).texts(), ["one", "two"], "{name}");
        }
    }
    let text = SourceSettings { input_format: Some(InputFormat::Text), ..settings() };
    assert_eq!(folder.read(&["r.json"], &text).texts(), [LINES]);
}

#[test]
fn arrays_and_objects_one_after_another_are_read_whatever_their_name() {
    let folder = Folder::new();
    let array = "[\n  {\"id\": \"a\", \"text\": \"one\"},\n  {\n    \"text\": \"two\"\n  }\n]\n";
    let objects = "{\"id\":\"a\",\"text\":\"one\"}{\n\"text\":\"two\"}";
    for name in ["r.json", "r.jsonl", "r.ndjson", "r"] {
        for content in [array, objects] {
            folder.write(name, content);
            let read = folder.read(&[name], &settings());
            assert_eq!(read.ids(), ["a".to_owned(), format!("{name}:2")], "{name}");
            assert_eq!(read.texts(), ["one", "two"]);
        }
    }
    assert_eq!(read_bytes(array.as_bytes(), &settings()).texts(), ["one", "two"]);
    assert_eq!(read_bytes(objects.as_bytes(), &settings()).texts(), ["one", "two"]);
    let marked = format!("\u{feff}{array}");
    assert_eq!(read_bytes(marked.as_bytes(), &settings()).ids(), ["a", "-:2"]);
}

#[test]
fn small_and_large_files_are_read_alike() {
    let folder = Folder::new();
    let (mut lines, mut elements) = (String::new(), Vec::new());
    for number in 0..3000 {
        let record = format!("{{\"id\":{number},\"text\":\"{}\"}}", "some words ".repeat(10));
        lines.push_str(&record);
        lines.push('\n');
        elements.push(record);
    }
    folder.write("lines.json", &lines);
    folder.write("array.json", format!("[{}]", elements.join(",")));
    folder.write("lines.jsonl", &lines);
    let expected = folder.read(&["lines.jsonl"], &settings());
    assert_eq!(expected.documents.len(), 3000);
    for name in ["lines.json", "array.json"] {
        let set = SourceSettings { piece_bytes: 10_000, ..settings() };
        assert_eq!(folder.read(&[name], &set), expected, "{name}");
        let mut inputs = Inputs::open(&[folder.path(name)], &set).unwrap();
        let mut n_pieces = 0;
        while let Some(piece) = textkin_core::Source::next_piece(&mut inputs) {
            piece.read(&mut ReadOutput::default());
            n_pieces += 1;
        }
        assert!(n_pieces > 20, "{name} is read by several threads");
    }
}

#[test]
fn records_without_the_text_field_are_one_problem() {
    let folder = Folder::new();
    folder.write("r.json", "{\"id\":1,\"body\":\"x\"}\n".repeat(20_000));
    folder.write("s.json", "[{\"id\":1,\"body\":\"x\"}]");
    let reason = "JSON records without a field 'text'; fields: id, body; choose one with \
                  --text-field, or read the file as one text with --input-format text";
    let read = folder.read(&["r.json", "s.json"], &settings());
    assert_eq!(read.problems, [format!("r.json: {reason}"), format!("s.json: {reason}")]);
    let body = SourceSettings { text_field: "body".to_owned(), ..settings() };
    assert_eq!(folder.read(&["r.json", "s.json"], &body).documents.len(), 20_001);
}

#[test]
fn intact_records_of_a_truncated_file_are_read_whatever_its_name() {
    let folder = Folder::new();
    let text = "{\"text\":\"some words\"}\n".repeat(3000);
    let bytes = compress("gz", text.as_bytes());
    for name in ["a.jsonl.gz", "a.json.gz"] {
        folder.write(name, &bytes[..bytes.len() - 20]);
        let read = folder.read(&[name], &settings());
        assert!(!read.documents.is_empty(), "{name}");
        assert!(read.problems[0].ends_with("the gzip data is truncated"), "{read:?}");
    }
}

#[test]
fn other_json_stays_one_text() {
    let folder = Folder::new();
    let package = "{\n  \"name\": \"package\",\n  \"version\": \"1.0\"\n}\n";
    for content in [package, "[1, 2, 3]\n", "[1] A note.\n", "{ \"open\": "] {
        folder.write("r.json", content);
        assert_eq!(folder.read(&["r.json"], &settings()).texts(), [content]);
    }
}

#[test]
fn invalid_records_of_an_array_are_reported_and_the_others_read() {
    let read = read_as(
        InputFormat::Json,
        concat!(
            "[{\"text\":\"1\"}, 5, {\"body\":\"x\"},\n{\"text\":\n \"4\",},{\"text\":6},",
            "{\"text\":\"7\"}",
        )
        .as_bytes(),
        &settings(),
    );
    assert_eq!(read.ids(), ["-:1", "-:6"]);
    assert_eq!(
        read.problems,
        [
            "-:2: invalid JSON at column 1: not a JSON object",
            "-:3: no field 'text'; fields here: body; choose one with --text-field",
            "-:4: invalid JSON in line 2 of the record, column 6: expected a field name",
            "-:5: field 'text' is not a string but a number",
            "-:7: the array is not closed; the file may be cut",
        ]
    );
    let read = read_as(InputFormat::Json, b"[{\"text\":\"1\"} {\"text\":\"2\"}]", &settings());
    assert_eq!(read.texts(), ["1"]);
    assert_eq!(read.problems, ["-:2: expected ',' or ']'; the rest of the file is not read"]);
    let read = read_as(InputFormat::Json, b"{\"text\":\"1\"}{\"text\":\"2", &settings());
    assert_eq!(read.problems, ["-:2: invalid JSON at column 11: unterminated string"]);
}

#[test]
fn the_piece_size_does_not_change_the_records() {
    let mut elements = Vec::new();
    for number in 0..60 {
        elements.push(match number % 10 {
            3 => "7".to_owned(),
            5 => "{\"text\": }".to_owned(),
            _ => format!("{{\n\"text\": \"ü{}\", \"id\": {number}}}", "x\\n".repeat(number)),
        });
    }
    let limited = SourceSettings { max_document_bytes: 150, ..settings() };
    for text in [format!("[ {} ]", elements.join(" ,\n")), elements.join("\n")] {
        let whole = read_as(InputFormat::Json, text.as_bytes(), &limited);
        assert!(whole.documents.len() > 25 && whole.documents.len() < 60);
        assert!(whole.problems.iter().any(|problem| problem.contains("longer than 150 bytes")));
        for piece_bytes in [0, 1, 2, 3, 7, 16, 64, 149, 150, 151, 152, 1000, 100_000] {
            let set = SourceSettings { piece_bytes, ..limited.clone() };
            assert_eq!(read_as(InputFormat::Json, text.as_bytes(), &set), whole, "{piece_bytes}");
        }
    }
}

#[test]
fn an_endless_record_is_not_kept_in_memory() {
    let head = Cursor::new(b"[{\"text\":\"".to_vec());
    let endless = head
        .chain(io::repeat(b'x').take(300 << 20))
        .chain(Cursor::new(b"\"},{\"text\":\"after\"}]".to_vec()));
    let set = SourceSettings {
        max_document_bytes: 1 << 20,
        input_format: Some(InputFormat::Json),
        ..settings()
    };
    let read = drain(&mut Inputs::from_reader("-", endless, &set).unwrap());
    assert_eq!(read.ids(), ["-:2"]);
    assert_eq!(read.problems.len(), 1);
}

#[test]
fn a_large_record_is_read_between_others() {
    let text = "long words ".repeat(2_000_000);
    let array = format!("[{{\"text\":\"a\"}},{{\"text\":\"{text}\"}},{{\"text\":\"b\"}}]");
    let read = read_as(InputFormat::Json, array.as_bytes(), &settings());
    assert!(read.texts() == ["a", &text, "b"]);
}

#[test]
fn a_read_error_drops_the_record_that_it_cut() {
    struct Failing;
    impl io::Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("The cable was cut"))
        }
    }
    let stream = Cursor::new("[{\"text\":\"a\"},{\"text\":\"b").chain(Failing);
    let set = SourceSettings { input_format: Some(InputFormat::Json), ..settings() };
    let read = drain(&mut Inputs::from_reader("wire", stream, &set).unwrap());
    assert_eq!(read.texts(), ["a"]);
    assert_eq!(read.problems, ["wire:2: the cable was cut"]);
}
