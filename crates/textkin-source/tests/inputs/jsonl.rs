use std::borrow::Cow;
use std::io::{self, Cursor, Read as _};
use std::ops::ControlFlow;

use textkin_core::{Content, Document, DocumentSink, Problem, Source};
use textkin_source::{InputFormat, Inputs, SourceSettings};

use crate::support::{Folder, drain, read_as, settings};

fn jsonl(text: impl AsRef<[u8]>) -> crate::support::ReadOutput {
    read_as(InputFormat::Jsonl, text.as_ref(), &settings())
}

#[test]
fn ids_times_and_texts_are_read() {
    let read = jsonl(concat!(
        "{\"id\": \"a\", \"time\": \"2001\", \"text\": \"one\\n\"}\n",
        "{\"id\": 17.50, \"time\": 99, \"text\": \"\"}\n",
        "{\"text\": \"three\"}\n",
        "{\"id\": null, \"time\": null, \"text\": \"four\"}\n",
        "{\"id\": {\"$oid\": 1}, \"time\": [1], \"text\": \"five\"}",
    ));
    let expected = [
        ("a", "one\n", Some("2001")),
        ("17.50", "", Some("99")),
        ("-:3", "three", None),
        ("-:4", "four", None),
        ("{\"$oid\": 1}", "five", None),
    ];
    let found: Vec<_> = read
        .documents
        .iter()
        .map(|(id, text, time)| (id.as_str(), text.as_str(), time.as_deref()))
        .collect();
    assert_eq!(found, expected);
    assert!(read.problems.is_empty());
}

#[test]
fn invalid_lines_are_reported_and_the_others_read() {
    let read = jsonl(
        [
            b"{\"text\": \"1\"}\r\n".as_slice(),
            b"{\"text\": 5}\n",
            b"\n  \r\n",
            b"{\"body\": \"x\", \"id\": 1}\n",
            b"{\"text\": \"6\", }\n",
            b"{\"text\": \"\xff\"}\n",
            b"[\"text\"]\n",
            b"{\"text\": null}\n",
            b"{}\n",
            b"{\"text\": \"11\"}",
        ]
        .concat(),
    );
    assert_eq!(read.ids(), ["-:1", "-:11"]);
    assert_eq!(
        read.problems,
        [
            "-:2: field 'text' is not a string but a number",
            "-:5: no field 'text'; fields here: body, id; choose one with --text-field",
            "-:6: invalid JSON at column 15: expected a field name",
            "-:7: invalid UTF-8 at column 11",
            "-:8: invalid JSON at column 1: not a JSON object",
            "-:9: field 'text' is not a string but null",
            "-:10: no field 'text'; fields here: none; choose one with --text-field",
        ]
    );
}

#[test]
fn byte_order_marks_line_ends_and_zero_bytes_are_handled() {
    assert_eq!(jsonl("\u{feff}{\"text\":\"a\"}\r\n{\"text\":\"b\"}\r\n").texts(), ["a", "b"]);
    assert_eq!(jsonl("{\"text\":\"a\\u0000b\"}").texts(), ["a\0b"]);
    assert_eq!(jsonl("").texts(), Vec::<&str>::new());
    assert_eq!(jsonl("\n\n\n").problems, Vec::<String>::new());
    assert_eq!(jsonl(b"\xff\xfe{\0}\0").problems.len(), 1);
}

#[test]
fn field_names_can_be_set() {
    let set = SourceSettings {
        text_field: "meta.body".to_owned(),
        id_field: Some("meta.name".to_owned()),
        time_field: Some("when".to_owned()),
        ..settings()
    };
    let read = read_as(
        InputFormat::Jsonl,
        b"{\"meta\":{\"body\":\"b\",\"name\":\"n\"},\"when\":\"w\"}",
        &set,
    );
    assert_eq!(read.documents, [("n".to_owned(), "b".to_owned(), Some("w".to_owned()))]);
}

#[test]
fn the_piece_size_does_not_change_the_result() {
    let mut text = Vec::new();
    for number in 0..60 {
        text.extend_from_slice(
            format!("{{\"text\": \"ü{}\", \"id\": {number}}}\r\n", "x\\n".repeat(number))
                .as_bytes(),
        );
        match number % 10 {
            3 => text.extend_from_slice(b"\n"),
            5 => text.extend_from_slice(b"{\"text\": \"\xfe\"}\n"),
            7 => text.extend_from_slice(b"{\"text\": }\n"),
            _ => {}
        }
    }
    let limited = SourceSettings { max_document_bytes: 150, ..settings() };
    let whole = read_as(InputFormat::Jsonl, &text, &limited);
    assert!(whole.documents.len() > 30 && whole.documents.len() < 60);
    assert!(whole.problems.iter().any(|problem| problem.contains("longer than 150 bytes")));
    for piece_bytes in [0, 1, 2, 3, 7, 16, 64, 149, 150, 151, 152, 1000, 100_000] {
        let read =
            read_as(InputFormat::Jsonl, &text, &SourceSettings { piece_bytes, ..limited.clone() });
        assert_eq!(read, whole, "{piece_bytes}");
    }
}

#[test]
fn a_line_of_the_maximum_length_is_read_with_either_line_end() {
    let line = "{\"text\":\"0123456789\"}";
    let exact = SourceSettings { max_document_bytes: line.len() as u64, ..settings() };
    let less = SourceSettings { max_document_bytes: line.len() as u64 - 1, ..settings() };
    for end in ["", "\n", "\r\n", "\n\n", "\r\n{\"text\":\"\"}"] {
        for piece_bytes in [1, 5, 1000] {
            let bytes = format!("{line}{end}");
            let exact = SourceSettings { piece_bytes, ..exact.clone() };
            assert_eq!(
                read_as(InputFormat::Jsonl, bytes.as_bytes(), &exact).problems,
                Vec::<String>::new()
            );
            let less = SourceSettings { piece_bytes, ..less.clone() };
            let read = read_as(InputFormat::Jsonl, bytes.as_bytes(), &less);
            assert_eq!(read.problems, ["-:1: longer than 20 bytes, the maximum document size"]);
            assert_eq!(read.documents.len(), usize::from(end.len() > 2));
        }
    }
}

#[test]
fn an_endless_line_is_not_kept_in_memory() {
    let endless =
        io::repeat(b'x').take(300 << 20).chain(io::Cursor::new(b"\n{\"text\":\"after\"}"));
    let set = SourceSettings {
        max_document_bytes: 1 << 20,
        input_format: Some(InputFormat::Jsonl),
        ..settings()
    };
    let read = drain(&mut Inputs::from_reader("-", endless, &set).unwrap());
    assert_eq!(read.ids(), ["-:2"]);
    assert_eq!(read.problems.len(), 1);
}

#[test]
fn a_long_line_is_read() {
    let text = "long words ".repeat(3_000_000);
    let read = jsonl(format!("{{\"text\":\"a\"}}\n{{\"text\":\"{text}\"}}\n{{\"text\":\"b\"}}\n"));
    assert_eq!(read.texts(), ["a", &text, "b"]);
}

#[test]
fn pieces_count_the_bytes_of_the_file() {
    let folder = Folder::new();
    let line = "{\"text\": \"some words to fill the line\"}\n";
    let path = folder.write("a.jsonl", line.repeat(1000));
    let small = SourceSettings { piece_bytes: 1000, ..settings() };
    let mut inputs = Inputs::open(&[&path], &small).unwrap();
    let (mut bytes, mut n_pieces) = (0, 0);
    while let Some(piece) = inputs.next_piece() {
        bytes += piece.bytes();
        n_pieces += 1;
    }
    assert_eq!(Some(bytes), inputs.total_bytes());
    assert!(n_pieces > 30);
}

#[test]
fn a_sink_may_stop_a_piece() {
    struct StopAfterOne(usize);
    impl textkin_core::DocumentSink for StopAfterOne {
        fn document(&mut self, _: textkin_core::Document<'_>) -> std::ops::ControlFlow<()> {
            self.0 += 1;
            std::ops::ControlFlow::Break(())
        }
        fn problem(&mut self, _: textkin_core::Problem) -> std::ops::ControlFlow<()> {
            std::ops::ControlFlow::Continue(())
        }
    }
    let bytes = io::Cursor::new("{\"text\":\"a\"}\n".repeat(10));
    let mut inputs = Inputs::from_reader("-", bytes, &settings()).unwrap();
    let mut sink = StopAfterOne(0);
    inputs.next_piece().unwrap().read(&mut sink);
    assert_eq!(sink.0, 1);
}

#[test]
fn large_lines_own_their_memory_and_are_read_like_others() {
    struct OwnershipSink(Vec<(String, usize, bool, Option<String>)>, Vec<String>);
    impl DocumentSink for OwnershipSink {
        fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
            let is_owned = matches!(document.content, Content::Text(Cow::Owned(_)));
            let time = document.time.map(Cow::into_owned);
            let bytes = document.content.text().unwrap().len();
            self.0.push((document.id.into_owned(), bytes, is_owned, time));
            ControlFlow::Continue(())
        }
        fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
            self.1.push(problem.to_string());
            ControlFlow::Continue(())
        }
    }
    const LONG: usize = 17 << 20;
    let long = "x".repeat(LONG);
    let text = format!(
        "{{\"text\":\"first\"}}\n\
         {{\"time\":7,\"text\":\"{long}\",\"id\":\"pl\\u0061in\"}}\r\n\
         {{\"text\":\"\\n{long}\"}}\n\
         {{\"text\":\"{long}\n\
         {{\"text\":\"between\"}}\n\
         {{\"text\":\"{long}\"}}"
    );
    for cut in [text.as_bytes(), format!("{text}\n").as_bytes()] {
        let set = SourceSettings { input_format: Some(InputFormat::Jsonl), ..settings() };
        let mut inputs = Inputs::from_reader("-", Cursor::new(cut.to_vec()), &set).unwrap();
        let mut sink = OwnershipSink(Vec::new(), Vec::new());
        while let Some(piece) = inputs.next_piece() {
            piece.read(&mut sink);
        }
        let expected = [
            ("-:1", 5, false, None),
            ("plain", LONG, true, Some("7".to_owned())),
            ("-:3", LONG + 1, true, None),
            ("-:5", 7, false, None),
            ("-:6", LONG, true, None),
        ];
        let expected = expected.map(|(id, len, owned, time)| (id.to_owned(), len, owned, time));
        assert_eq!(sink.0, expected);
        let column = LONG + 10;
        let expected = format!("-:4: invalid JSON at column {column}: unterminated string");
        assert_eq!(sink.1, [expected]);
    }
}
