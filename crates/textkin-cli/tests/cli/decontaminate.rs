//! `textkin decontaminate`: removed and kept documents, outputs and messages.

use std::io::{Read as _, Write as _};

use serde_json::json;

use crate::support::{BAKERY, Folder, HARBOUR, Run, names, record};

/// A question that is found alone, and one that needs its answer.
const LONG: &str = "A baker sells 48 loaves before noon and half as many after noon. Each loaf costs 3 crowns. How many \
    crowns does she take in that day?";
const SHORT: &str = "Which bird can fly backwards?";

fn decontaminate(folder: &Folder, arguments: &[&str]) -> Run {
    folder.textkin(&[&["decontaminate"], arguments].concat())
}

/// A folder with a quiz of two questions.
fn with_quiz() -> Folder {
    let folder = Folder::new();
    let long = json!({ "id": "q1", "question": LONG, "answer": "216" });
    let short = json!({ "id": "q2", "question": SHORT, "answer": "the hummingbird" });
    folder.write("quiz.jsonl", format!("{long}\n{short}\n"));
    folder
}

/// Two documents that contain a question, and two that do not.
fn corpus() -> [String; 4] {
    let leak = format!("{BAKERY}\n\n{}\n\n{HARBOUR}", LONG.replace(" before", "\nbefore"));
    [
        record("a", HARBOUR),
        record("b", &leak),
        record("c", &format!("{SHORT} I do not know.")),
        record("d", &format!("{SHORT} (a) the owl (b) the hummingbird")),
    ]
}

#[test]
fn documents_with_items_are_removed_and_the_rest_is_unchanged() {
    let folder = with_quiz();
    let [a, b, c, d] = corpus();
    folder.write("x.jsonl", [a.as_str(), "\r\n", &b, "{broken\n", &c, &d].concat());
    let command = ["x.jsonl", "--against", "quiz.jsonl", "--out", "y.jsonl", "--log", "hits.jsonl"];
    let run =
        decontaminate(&folder, &[&command[..], &["--items", "items.jsonl"]].concat()).expect(0);
    assert_eq!(folder.read("y.jsonl"), [a.as_str(), "\r\n", "{broken\n", &c].concat());
    assert_eq!(
        run.stdout,
        "removed 2 of 4 documents, which contain evaluation items\n  quiz: 2 of 2 items leaked, 0 partly\n"
    );
    assert!(run.stderr.starts_with("textkin: x.jsonl:4: invalid JSON"), "{run:?}");
    let hits = folder.json_lines("hits.jsonl");
    let found = |hit: &serde_json::Value| {
        [&hit["document"], &hit["item"], &hit["reason"]].map(Clone::clone)
    };
    let found: Vec<_> = hits.iter().map(found).collect();
    assert_eq!(json!(found), json!([["b", "q1", "question"], ["d", "q2", "question and answer"]]));
    assert_eq!((&hits[0]["share"], &hits[1]["answer_share"]), (&json!(1.0), &json!(1.0)));
    let items = folder.json_lines("items.jsonl");
    let statuses: Vec<_> =
        items.iter().map(|item| (&item["status"], &item["first_document"])).collect();
    assert_eq!(json!(statuses), json!([["leaked", "b"], ["leaked", "d"]]));

    let run =
        decontaminate(&folder, &["y.jsonl", "--against", "quiz.jsonl", "--dry-run"]).expect(1);
    assert!(run.stdout.contains("quiz: 0 of 2 items leaked, 1 partly"), "{run:?}");
    assert!(!folder.path("z.jsonl").exists());
    decontaminate(&folder, &["x.jsonl", "--against", "quiz.jsonl", "--strict", "--out", "z.jsonl"])
        .expect(2);
    assert!(!folder.path("z.jsonl").exists());
}

#[test]
fn spans_and_nothing_can_be_cut() {
    let folder = with_quiz();
    folder.write("x.jsonl", corpus().concat());
    let command = ["x.jsonl", "--against", "quiz.jsonl"];
    decontaminate(&folder, &[&command[..], &["--cut", "span", "--out", "y.jsonl"]].concat())
        .expect(0);
    let rest = folder.json_lines("y.jsonl");
    assert_eq!(rest.len(), 4);
    assert_eq!(rest[1]["text"], format!("{BAKERY}\n\n\n\n{HARBOUR}"));
    assert_eq!(rest[3]["text"], "");
    decontaminate(&folder, &[&command[..], &["--cut", "none", "--out", "z.jsonl"]].concat())
        .expect(0);
    assert_eq!(folder.read("z.jsonl"), folder.read("x.jsonl"));
}

#[test]
fn output_does_not_depend_on_threads_or_format() {
    let folder = with_quiz();
    let filler = "some words about the weather that fill the block ".repeat(40);
    let mut lines = String::new();
    let mut table = "id,text\n".to_owned();
    for number in 0..3_000 {
        let text = match number % 10 {
            0 => format!("{filler}{LONG}"),
            1 => format!("{SHORT} The hummingbird."),
            _ => format!("{number} {filler}"),
        };
        lines.push_str(&record(&number.to_string(), &text));
        table.push_str(&format!("{number},\"{text}\"\n"));
    }
    folder.write("x.jsonl", &lines);
    folder.write("x.csv", table);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(lines.as_bytes()).unwrap();
    folder.write("x.jsonl.gz", gz.finish().unwrap());
    let run = |input: &str, out: &str, threads: &str| {
        let command =
            ["--against", "quiz.jsonl", "--log", "log", "-j", threads, "--out", out, input];
        decontaminate(&folder, &command).expect(0);
        (folder.read_bytes(out), folder.read("log"))
    };
    let (one, log) = run("x.jsonl", "one", "1");
    assert_eq!(log.lines().count(), 600);
    let (four, log_of_four) = run("x.jsonl", "four", "4");
    assert!(one == four && log == log_of_four);
    let kept: Vec<&str> =
        lines.lines().enumerate().filter(|(at, _)| at % 10 > 1).map(|(_, line)| line).collect();
    assert!(String::from_utf8(one).unwrap().lines().eq(kept));
    let (csv, log_of_csv) = run("x.csv", "csv", "2");
    assert_eq!(
        (log_of_csv, csv.iter().filter(|byte| **byte == b'\n').count()),
        (log.clone(), 2_401)
    );
    let (packed, log_of_packed) = run("x.jsonl.gz", "packed", "3");
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut text).unwrap();
    assert!(text == four && log_of_packed == log);
}

#[test]
fn items_in_many_documents_are_public_material() {
    let folder = with_quiz();
    let quote = |id: &str| record(id, &format!("As everybody knows: {LONG}"));
    let leak = record("d", &format!("{SHORT} The hummingbird."));
    folder.write("x.jsonl", [quote("a"), quote("b"), quote("c"), leak.clone()].concat());
    let command = ["x.jsonl", "--against", "quiz.jsonl", "--out", "y.jsonl", "--max-df"];
    let run = decontaminate(&folder, &[&command[..], &["2"]].concat()).expect(0);
    assert!(run.stdout.contains("1 of 2 items leaked, 0 partly, 1 public"), "{run:?}");
    assert_eq!(folder.read("y.jsonl"), [quote("a"), quote("b"), quote("c")].concat());
    decontaminate(&folder, &[&command[..], &["3"]].concat()).expect(0);
    assert_eq!(folder.read("y.jsonl"), "");
}

#[test]
fn folders_become_folders() {
    let folder = with_quiz();
    folder.write("in/a.txt", HARBOUR);
    folder.write("in/sub/b.txt", LONG);
    folder.write("in/sub/c.txt", BAKERY);
    decontaminate(&folder, &["in", "--against", "quiz.jsonl", "--out", "out"]).expect(0);
    assert_eq!(names(&folder.path("out")), ["a.txt", "sub"]);
    assert_eq!(names(&folder.path("out/sub")), ["c.txt"]);
}

#[test]
fn bad_items_are_clear_errors_and_nothing_is_written() {
    let folder = with_quiz();
    folder.write("x.jsonl", corpus().concat());
    let run = |against: &str, more: &[&str]| {
        let command = ["x.jsonl", "--out", "y.jsonl", "--log", "l.jsonl", "--against", against];
        let run = decontaminate(&folder, &[&command[..], more].concat()).expect(2);
        assert_eq!(folder.names(), ["bad.jsonl", "quiz.jsonl", "x.jsonl"]);
        run.stderr
    };
    folder.write("bad.jsonl", "{\"prompt\":\"Why?\"}\n");
    assert_eq!(
        run("bad.jsonl", &[]),
        "textkin: cannot read an evaluation set: bad.jsonl:1: no field 'question'; fields here: prompt; choose one with \
         --question-field\n"
    );
    folder.write("bad.jsonl", "{\"question\":\" ?\"}\n");
    assert_eq!(run("bad.jsonl", &[]), "textkin: the evaluation sets have no item with words\n");
    assert!(run("missing.jsonl", &[]).contains("missing.jsonl"));
    let error = run("quiz.jsonl", &["--threshold", "80"]);
    assert!(
        error.contains(
            "--threshold is a share of an item above 0 and up to 1, got 80; did you mean 0.8?"
        ),
        "{error}"
    );
    assert!(run("quiz.jsonl", &["--preset", "gpt4"]).contains("gpt3, palm"));
}

#[test]
fn empty_and_repeated_items_are_counted() {
    let folder = with_quiz();
    let quiz = folder.read("quiz.jsonl");
    let word = json!({ "question": "Bird?" });
    folder.write("quiz.jsonl", format!("{quiz}{quiz}{word}\n{}\n", json!({ "question": "" })));
    folder.write("x.jsonl", corpus().concat());
    let command = ["x.jsonl", "--against", "quiz.jsonl", "--dry-run", "--stats", "s.json"];
    let run = decontaminate(&folder, &command).expect(0);
    assert!(
        run.stdout.contains("2 of 3 items leaked, 0 partly, 1 too short to be judged"),
        "{run:?}"
    );
    assert!(run.stdout.contains("evaluation records without words: 1"), "{run:?}");
    let statistics: serde_json::Value = serde_json::from_str(&folder.read("s.json")).unwrap();
    assert_eq!((&statistics["items"], &statistics["item_records"]), (&json!(3), &json!(6)));
}

#[test]
fn logs_are_verified() {
    let folder = with_quiz();
    folder.write("x.jsonl", corpus().concat());
    let command =
        ["x.jsonl", "--against", "quiz.jsonl", "--dry-run", "--log", "hits.jsonl", "--quiet"];
    decontaminate(&folder, &command).expect(0);
    let run = folder.textkin(&["verify", "hits.jsonl", "x.jsonl"]).expect(0);
    assert_eq!(run.stdout, "log valid: 2 hits\n");
    let log = folder.read("hits.jsonl");
    for (from, to) in [
        ("crowns does she", "crowns does he"),
        ("\"document\":\"d\"", "\"document\":\"e\""),
        ("\"question_start\":0", "\"question_start\":6"),
        ("\"share\":1.0", "\"share\":2.0"),
    ] {
        assert!(log.contains(from), "{from} in {log}");
        folder.write("other.jsonl", log.replacen(from, to, 1));
        let run = folder.textkin(&["verify", "other.jsonl", "x.jsonl"]).expect(1);
        assert!(run.stdout.ends_with("log invalid: 1 of 2 hits failed\n"), "{from}: {run:?}");
    }
}

#[test]
fn missing_inputs_are_reported() {
    let folder = with_quiz();
    folder.write("x.jsonl", corpus().concat());
    let run = decontaminate(&folder, &["nosuch.jsonl", "--against", "quiz.jsonl", "--dry-run"]);
    assert!(run.expect(2).stderr.contains("nosuch.jsonl: no such file"));
    let both = ["x.jsonl", "nosuch.jsonl", "--against", "quiz.jsonl", "--dry-run"];
    assert!(decontaminate(&folder, &both).expect(0).stderr.contains("nosuch.jsonl: no such file"));
    let strict = decontaminate(&folder, &[&both[..], &["--strict"]].concat()).expect(2);
    assert!(strict.stderr.contains("nosuch.jsonl: no such file"), "{strict:?}");
    let run = decontaminate(&folder, &["x.jsonl", "--against", "nosuch", "--dry-run"]).expect(2);
    assert!(run.stderr.contains("cannot read an evaluation set: nosuch: no such file"), "{run:?}");
}
