//! Pairs between two inputs, pairs across a field, and ids that occur twice.

use crate::support::{BAKERY, FERRY, Folder, HARBOUR, record};

#[test]
fn only_pairs_between_the_inputs_are_found() {
    let folder = Folder::new();
    folder.write("answers/1.txt", HARBOUR);
    folder.write("answers/2.txt", format!("{HARBOUR} {FERRY}"));
    folder.write("library/1.txt", HARBOUR);
    folder.write("library/2.txt", BAKERY);
    folder.write("library/3.txt", format!("{HARBOUR} {BAKERY}"));
    let run = folder.discover(&["answers", "--against", "library", "--out", "-", "-q"]).expect(0);
    let mut pairs = run.pairs();
    pairs.sort_unstable();
    let expected = [
        ("answers/1.txt", "library/1.txt"),
        ("answers/1.txt", "library/3.txt"),
        ("answers/2.txt", "library/1.txt"),
        ("answers/2.txt", "library/3.txt"),
    ];
    assert_eq!(pairs, expected);
    let all = folder.discover(&["answers", "library", "--out", "-", "-q"]).expect(0);
    let between = |row: &&str| row.starts_with("answers/") && row.contains(",library/");
    let between: Vec<&str> = all.rows().into_iter().filter(between).collect();
    assert_eq!(run.rows(), between, "the scores are those of all documents together");
    // A file in both inputs is in the second.
    let run = folder.discover(&[".", "--against", "library", "--out", "-", "-q"]).expect(0);
    assert_eq!(run.pairs().len(), 4);
    let run = folder.discover(&["library", "--against", "library", "-q"]).expect(1);
    run.expect_quiet();
}

#[test]
fn both_inputs_may_have_the_same_ids() {
    let folder = Folder::new();
    folder.write("a.jsonl", record("1", HARBOUR) + &record("1", FERRY));
    folder.write("b.jsonl", record("1", HARBOUR) + &record("2", BAKERY));
    let run = folder.discover(&["a.jsonl", "--against", "b.jsonl", "--out", "-", "-q"]).expect(0);
    assert_eq!(run.pairs(), [("1", "1")]);
    assert_eq!(run.stderr, "textkin: 1: an earlier document has the same id; ids must be unique\n");
    let args = ["a.jsonl", "--against", "b.jsonl", "--strict", "-q"];
    folder.discover(&args).expect(2).expect_only(
        "1: an earlier document has the same id; ids must be unique; without --strict the document is skipped and the \
         run continues",
    );
}

#[test]
fn pairs_across_a_field_are_never_within_one_value() {
    let folder = Folder::new();
    let line = |id: &str, paper: Option<&str>, text: &str| {
        format!("{}\n", serde_json::json!({ "id": id, "paper": paper, "text": text }))
    };
    let lines = [
        line("t1", Some("Times"), HARBOUR),
        line("t2", Some("Times"), HARBOUR),
        line("p1", Some("Post"), HARBOUR),
        line("n1", None, HARBOUR),
        line("n2", None, HARBOUR),
    ];
    folder.write("x.jsonl", lines.concat());
    let run = folder.discover(&["x.jsonl", "--across", "paper", "--out", "-", "-q"]).expect(0);
    let expected = [
        ("t1", "p1"),
        ("t1", "n1"),
        ("t1", "n2"),
        ("t2", "p1"),
        ("t2", "n1"),
        ("t2", "n2"),
        ("p1", "n1"),
        ("p1", "n2"),
    ];
    assert_eq!(run.pairs(), expected);
    let run = folder.discover(&["x.jsonl", "--across", "newspaper", "-q"]).expect(2);
    run.expect_only("--across names the field 'newspaper', which no document has; fields: paper");
}

#[test]
fn an_id_that_occurs_twice_is_a_problem_in_every_command() {
    let folder = Folder::new();
    folder.write(
        "x.jsonl",
        [record("one", FERRY), record("one", BAKERY), record("two", FERRY)].concat(),
    );
    let message = "textkin: one: an earlier document has the same id; ids must be unique\n";
    let run = folder.discover(&["x.jsonl", "--out", "-", "-q"]).expect(0);
    assert_eq!((run.pairs(), run.stderr.as_str()), (vec![("one", "two")], message));
    folder.repo(&["create", "r", "-q"]).expect(0);
    let run = folder.repo(&["add", "r", "x.jsonl", "-q"]).expect(0);
    assert_eq!(run.stderr, message);
}
