use textkin_source::{InputFormat, SourceSettings};

use crate::support::{Folder, ReadOutput, read_as, settings};

fn csv(text: impl AsRef<[u8]>) -> ReadOutput {
    read_as(InputFormat::Csv, text.as_ref(), &settings())
}

#[test]
fn columns_are_found_by_name() {
    let read = csv("id,other,text,time\na,x,one,2001\n,x,two,\n3,x,,\n");
    let expected = [
        ("a".to_owned(), "one".to_owned(), Some("2001".to_owned())),
        ("-:3".to_owned(), "two".to_owned(), None),
        ("3".to_owned(), String::new(), None),
    ];
    assert_eq!(read.documents, expected);
    assert!(read.problems.is_empty());
}

#[test]
fn lines_are_counted_through_quotes_and_every_line_end() {
    for end in ["\n", "\r\n"] {
        let lines = ["\u{feff}text", "\"a", "b \"\"c\"\"\"", "", "plain", "x,y", "\"last\""];
        let read = csv(lines.join(end));
        assert_eq!(read.ids(), ["-:2", "-:5", "-:7"]);
        assert_eq!(read.texts(), [&format!("a{end}b \"c\""), "plain", "last"]);
        assert_eq!(read.problems, ["-:6: number of fields is 2, but the header has 1"]);
    }
}

#[test]
fn a_missing_column_is_one_problem() {
    let read = csv("id;text\n1;a\n2;b\n");
    assert_eq!(read.problems, ["-:1: no column 'text'; columns here: id;text"]);
    assert!(read.documents.is_empty());
    let set = SourceSettings { id_field: Some("key".to_owned()), ..settings() };
    let read = read_as(InputFormat::Csv, b"text,id\na,1\n", &set);
    assert_eq!(read.problems, ["-:1: no column 'key'; columns here: text, id"]);
    assert_eq!(read.ids(), ["-:2"]);
}

#[test]
fn tabs_separate_in_tsv() {
    let folder = Folder::new();
    folder.write("a.tsv", "id\ttext\n1\ta, b\n");
    let read = folder.read(&[""], &settings());
    assert_eq!((read.ids(), read.texts()), (vec!["1"], vec!["a, b"]));
}

#[test]
fn bad_rows_are_problems() {
    let read = csv(b"text,id\nok,1\nonly\na,b,c\n\xff,2\nok,3".as_slice());
    assert_eq!(read.ids(), ["1", "3"]);
    assert_eq!(
        read.problems,
        [
            "-:3: number of fields is 1, but the header has 2",
            "-:4: number of fields is 3, but the header has 2",
            "-:5: invalid UTF-8"
        ]
    );
}

#[test]
fn empty_tables_have_no_documents() {
    for text in ["", "\n\n", "text", "text\n"] {
        assert_eq!(csv(text), ReadOutput::default());
    }
}

#[test]
fn the_piece_size_does_not_change_the_result() {
    let mut text = "id,text\n".to_owned();
    for number in 0..3000 {
        let ragged = if number % 50 == 0 { ",more" } else { "" };
        text.push_str(&format!(
            "{number},\"text, \"\"{}\"\"\nnext\"{ragged}\n",
            "y".repeat(number % 300)
        ));
    }
    let limited = SourceSettings { max_document_bytes: 290, ..settings() };
    let whole = read_as(InputFormat::Csv, text.as_bytes(), &limited);
    assert!(whole.documents.len() > 2500);
    assert!(whole.problems.iter().any(|problem| problem.contains("longer than 290")));
    for piece_bytes in [0, 1, 100, 10_000] {
        let read = read_as(
            InputFormat::Csv,
            text.as_bytes(),
            &SourceSettings { piece_bytes, ..limited.clone() },
        );
        assert_eq!(read, whole);
    }
}

#[test]
fn an_unterminated_quote_is_not_kept_in_memory() {
    let limited = SourceSettings { max_document_bytes: 1000, ..settings() };
    let text = format!("text\nfirst\n\"{}", "z\n".repeat(1_000_000));
    let read = read_as(InputFormat::Csv, text.as_bytes(), &limited);
    assert_eq!(read.texts(), ["first"]);
    assert_eq!(read.problems, ["-:3: longer than 1000 bytes, the maximum document size"]);
}
