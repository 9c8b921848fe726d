//! `discover --index` and `textkin index`.

use crate::support::{Folder, HARBOUR, record};

fn collection(folder: &Folder) {
    let other =
        "Seven grey geese crossed the frozen lake before the bell of the chapel rang at noon.";
    let documents = [
        record("a", &format!("{HARBOUR} {other}")),
        record("b", HARBOUR),
        record("c", &format!("{other} Then it snowed.")),
        record("copy of b", HARBOUR),
    ];
    folder.write("x.jsonl", documents.concat());
}

#[test]
fn index_shows_shared_chunks_and_document_counts() {
    let folder = Folder::new();
    collection(&folder);
    folder.discover(&["x.jsonl", "--index", "x.tkx", "--index-text"]).expect(0);
    let run = folder.textkin(&["index", "x.tkx"]).expect(0);
    assert!(run.stdout.contains("4 documents, 3 different texts"), "{}", run.stdout);
    assert!(
        run.stdout.contains("--chunk words:8 --normalize nfkc+undisguise+fold"),
        "{}",
        run.stdout
    );
    let rows: Vec<&str> = run.stdout.lines().skip(6).map(|row| &row[..22]).collect();
    assert_eq!(rows, ["        3          3  ", "        2          9  "]);
    let list = folder.textkin(&["index", "x.tkx", "--list"]).expect(0).stdout;
    assert!(list.starts_with("fingerprint,documents,text\n"), "{list}");
    assert!(list.contains(",2,\"seven grey geese crossed the frozen lake before\""), "{list}");
    assert_eq!(
        list.lines().filter(|line| line.contains(",3,")).count(),
        list.lines().count() - 1 - 9
    );
}

#[test]
fn index_find_returns_chunks_and_documents() {
    let folder = Folder::new();
    collection(&folder);
    for text in [&["--index-text"][..], &[]] {
        folder.discover(&[&["x.jsonl", "--index", "x.tkx"], text].concat()).expect(0);
        folder.write(
            "new.txt",
            "I saw: SEVEN grey geese crossed the frozen lake before the bell rang.",
        );
        let run = folder.textkin(&["index", "x.tkx", "--find", "new.txt"]).expect(0);
        let lines: Vec<&str> = run.stdout.lines().collect();
        assert_eq!(lines[0], "3 of 6 chunks of new.txt occur in the index");
        assert_eq!(lines[3..], ["        3  a", "        3  c"]);
        folder.write("new.txt", "Nothing of this was ever written before by anybody else at all.");
        folder.textkin(&["index", "x.tkx", "--find", "new.txt"]).expect(1);
    }
}

#[test]
fn index_does_not_depend_on_performance_options() {
    let folder = Folder::new();
    collection(&folder);
    folder.discover(&["x.jsonl", "--index", "x.tkx"]).expect(0);
    for options in [["--plan", "spill"], ["--plan", "spex"], ["--threads", "1"], ["--max-df", "1"]]
    {
        folder.discover(&[&["x.jsonl", "--index", "y.tkx"], &options[..]].concat());
        assert_eq!(folder.read_bytes("x.tkx"), folder.read_bytes("y.tkx"), "{options:?}");
    }
}

#[test]
fn damaged_or_foreign_index_is_rejected() {
    let folder = Folder::new();
    collection(&folder);
    folder.discover(&["x.jsonl", "--index", "x.tkx"]).expect(0);
    let run = folder.textkin(&["index", "x.jsonl"]).expect(2);
    run.expect_only(
        "x.jsonl: not an index of shared chunks; create one with textkin discover --index",
    );
    let mut bytes = folder.read_bytes("x.tkx");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    folder.write("damaged.tkx", &bytes);
    let run = folder.textkin(&["index", "damaged.tkx"]).expect(2);
    assert!(
        run.stderr.starts_with("textkin: damaged.tkx: the index is corrupt: "),
        "{}",
        run.stderr
    );
    folder.write("cut.tkx", &bytes[..middle]);
    folder.textkin(&["index", "cut.tkx"]).expect(2);
    folder.textkin(&["index", "none.tkx"]).expect(2);
    folder.textkin(&["index", "."]).expect(2);
    folder.write("empty.tkx", "");
    folder.textkin(&["index", "empty.tkx"]).expect(2);
}

#[test]
fn a_missing_index_is_named_once() {
    let folder = Folder::new();
    let run = folder.textkin(&["index", "nosuch.tkx"]).expect(2);
    assert_eq!(run.stderr.matches("nosuch.tkx").count(), 1, "{}", run.stderr);
}
