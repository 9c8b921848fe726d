use std::io::{self, Cursor};

use textkin_core::{RewindError, Source};
use textkin_source::{InputFormat, Inputs, SourceSettings};

use crate::compressed::{KINDS, compress};
use crate::support::{ReadOutput, drain, read_bytes, settings};

#[test]
fn a_brace_means_json_lines_and_anything_else_one_text() {
    assert_eq!(read_bytes(b" \n {\"text\":\"a\"}\n", &settings()).ids(), ["-:2"]);
    assert_eq!(read_bytes("\u{feff}{\"text\":\"a\"}\n".as_bytes(), &settings()).texts(), ["a"]);
    let read = read_bytes(b"words\n{\n", &settings());
    assert_eq!((read.ids(), read.texts()), (vec!["-"], vec!["words\n{\n"]));
    assert_eq!(read_bytes(b" ", &settings()).texts(), [" "]);
    let spaces = " ".repeat(10_000);
    assert_eq!(
        read_bytes(format!("{spaces}{{\"text\":\"a\"}}").as_bytes(), &settings()).texts(),
        ["a"]
    );
}

#[test]
fn a_format_can_be_forced() {
    let text = SourceSettings { input_format: Some(InputFormat::Text), ..settings() };
    assert_eq!(read_bytes(b"{\"text\":\"a\"}", &text).texts(), ["{\"text\":\"a\"}"]);
    let csv = SourceSettings { input_format: Some(InputFormat::Csv), ..settings() };
    assert_eq!(read_bytes(b"text\na", &csv).texts(), ["a"]);
}

#[test]
fn compressed_streams_are_read() {
    for kind in KINDS {
        assert_eq!(read_bytes(&compress(kind, b"{\"text\":\"a\"}"), &settings()).texts(), ["a"]);
        assert_eq!(read_bytes(&compress(kind, b"just text"), &settings()).texts(), ["just text"]);
    }
}

#[test]
fn streams_cannot_be_read_again() {
    let inputs = Inputs::open(&["-"], &settings()).unwrap();
    assert!(!inputs.is_rewindable());
    assert_eq!(inputs.total_bytes(), None);
    assert!(matches!(inputs.reopen(), Err(RewindError { path }) if path == "-"));
}

#[test]
fn a_read_error_is_a_problem() {
    struct Failing;
    impl io::Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("The cable was cut"))
        }
    }
    let stream = || io::Read::chain(Cursor::new("{\"text\":\"a\"}\n".repeat(1000)), Failing);
    let read = drain(&mut Inputs::from_reader("wire", stream(), &settings()).unwrap());
    assert_eq!(read.documents.len(), 1000);
    assert_eq!(read.problems, ["wire:1001: the cable was cut"]);
    let read = drain(&mut Inputs::from_reader("wire", Failing, &settings()).unwrap());
    assert_eq!(read.problems, ["wire: the cable was cut"]);
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_streams() {
    let inputs = Inputs::open(&["/dev/null"], &settings()).unwrap();
    assert!(!inputs.is_rewindable());
    let mut inputs = inputs;
    assert!(drain(&mut inputs).documents.is_empty());
    assert_eq!(inputs.empty_streams(), ["/dev/null".into()]);
}

#[test]
fn an_empty_stream_has_no_document() {
    for format in
        [None, Some(InputFormat::Text), Some(InputFormat::Jsonl), Some(InputFormat::Parquet)]
    {
        let set = SourceSettings { input_format: format, ..settings() };
        for bytes in [Vec::new(), compress(KINDS[0], b"")] {
            let mut inputs = Inputs::from_reader("-", Cursor::new(bytes), &set).unwrap();
            assert_eq!(drain(&mut inputs), ReadOutput::default());
            assert_eq!(inputs.empty_streams(), ["-".into()]);
        }
    }
}
