use textkin_source::SourceSettings;

use crate::support::{Folder, settings};

#[test]
fn texts_in_any_encoding_are_read() {
    let folder = Folder::new();
    folder.write("1 utf8.txt", "größe");
    folder.write("2 mark.txt", "\u{feff}größe");
    folder.write("3 latin.txt", b"die gr\xf6\xdfe der h\xfctte");
    folder.write(
        "4 utf16.txt",
        [
            b"\xff\xfe".as_slice(),
            &"größe".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
        ]
        .concat(),
    );
    folder.write("5 empty.txt", "");
    folder.write("6 zero.txt", "one \0 zero byte in it");
    folder.write("7.html", "<p>plain</p>");
    let read = folder.read(&[""], &settings());
    assert_eq!(read.problems, Vec::<String>::new());
    assert_eq!(
        read.texts(),
        ["größe", "größe", "die größe der hütte", "größe", "", "one \0 zero byte in it", "plain"]
    );
}

#[test]
fn binary_files_are_problems() {
    let folder = Folder::new();
    folder.write("a.bin", [0u8; 500]);
    folder.write("b.pdf", "%PDF-1.4\n...");
    folder.write("c.docx", "PK\x03\x04 and so on");
    folder.write("d.txt", "fine");
    let read = folder.read(&[""], &settings());
    assert_eq!(read.ids(), ["d.txt"]);
    let begin = ["a.bin: not text (binary)", "b.pdf: cannot read as ", "c.docx: cannot read as "];
    assert_eq!(read.problems.len(), begin.len());
    for (problem, begin) in read.problems.iter().zip(begin) {
        assert!(problem.starts_with(begin), "{problem}");
    }
}

#[test]
fn texts_above_the_size_limit_are_problems() {
    let folder = Folder::new();
    folder.write("a.txt", "x".repeat(100));
    folder.write("b.txt", "x".repeat(101));
    let limited = SourceSettings { max_document_bytes: 100, ..settings() };
    let read = folder.read(&[""], &limited);
    assert_eq!(read.ids(), ["a.txt"]);
    assert_eq!(read.problems, ["b.txt: larger than 100 bytes, the maximum document size"]);
}
