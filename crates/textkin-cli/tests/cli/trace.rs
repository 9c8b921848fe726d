//! `textkin trace`: one result per document, with byte spans and origins by id.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Folder, record};

/// Returns `n` words that no other seed generates.
fn sentence(seed: u32, n_words: u32) -> String {
    let words: Vec<String> = (0..n_words).map(|word| format!("word{seed}x{word}")).collect();
    words.join(" ")
}

fn jsonl(documents: &[(&str, &str)]) -> String {
    documents.iter().map(|(id, text)| record(id, text)).collect()
}

/// A text, and one that contains a copy of it.
fn stream() -> (String, String) {
    let origin = sentence(1, 60);
    let copy = format!("{} — {origin}. {}", sentence(2, 20), sentence(3, 20));
    (origin, copy)
}

fn results(output: &str) -> Vec<Value> {
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn copied_blocks_have_origin_and_span() {
    let folder = Folder::new();
    let (origin, copy) = stream();
    folder.write("stream.jsonl", jsonl(&[("first", &origin), ("second", &copy)]));
    for options in [&[][..], &["--preset", "paper"], &["--memory", "unlimited"]] {
        let run = folder.textkin(&[&["trace", "stream.jsonl"], options].concat()).expect(0);
        let results = results(&run.stdout);
        assert_eq!(results[0]["fresh_words"], 60);
        assert_eq!(results[1]["dominant_origin"], "first", "{options:?}");
        let [block] = results[1]["blocks"].as_array().unwrap().as_slice() else {
            panic!("{results:?}")
        };
        let place = |name: &str| usize::try_from(block[name].as_u64().unwrap()).unwrap();
        let copied = &copy[place("start")..place("end")];
        assert!(origin.contains(copied) || copied.contains(&origin), "{options:?}: {copied}");
        assert_eq!(block["origin"], "first");
    }
}

#[test]
fn out_file_equals_standard_output() {
    let folder = Folder::new();
    let (origin, copy) = stream();
    folder.write("stream.jsonl", jsonl(&[("first", &origin), ("second", &copy)]));
    let run = folder.textkin(&["trace", "stream.jsonl"]).expect(0);
    folder.textkin(&["trace", "stream.jsonl", "--out", "origins.jsonl"]).expect(0);
    assert_eq!(folder.read("origins.jsonl"), run.stdout);
}

#[test]
fn each_line_of_standard_input_is_answered_at_once() {
    let folder = Folder::new();
    let mut command = folder.command(&["trace", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let (origin, copy) = stream();
    for (number, text) in [origin, copy].iter().enumerate() {
        stdin.write_all(jsonl(&[("line", text)]).as_bytes()).unwrap();
        stdin.flush().unwrap();
        // Standard input is still open: the result does not wait for its end.
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(results(&line)[0]["number"], number);
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn invalid_options_are_rejected() {
    let folder = Folder::new();
    folder.write("stream.jsonl", jsonl(&[("a", &sentence(1, 20))]));
    let refused = |arguments: &[&str]| {
        folder.textkin(&[&["trace", "stream.jsonl"], arguments].concat()).expect(2).stderr
    };
    assert!(refused(&["--memory", "100"]).contains("one bucket of 17 slots needs 192 bytes"));
    assert!(refused(&["--evict", "lru"]).contains("require --preset paper"));
    assert!(refused(&["--preset", "best"]).contains("available: kin, paper"));
    let constant = |constant: &str| refused(&["--constant", constant]);
    assert!(constant("lucky-limt=4").contains("did you mean lucky-limit?"));
    assert!(constant("lucky-limit=4").contains("only applies to --preset paper --evict lucky"));
    assert!(constant("reach=300").contains("reach must be between 0 and 255, got 300"));
    assert!(constant("reach=far").contains("expected a number for reach, got 'far'"));
    assert!(constant("reach").contains("expected NAME=VALUE"));
    assert!(constant("window=7").contains("window × bits"));
    folder
        .textkin(&["trace", "stream.jsonl", "--constant", "bits=4", "--constant", "reach=0"])
        .expect(1);
    folder.textkin(&["trace", "stream.jsonl"]).expect(1);
}

/// A stream of records with times, the origin of a passage after its copy.
fn dated() -> String {
    let passage = sentence(1, 40);
    let copy = format!("{passage} {}", sentence(2, 10));
    let records = [
        ("copy", Some("2021-05-01"), copy.as_str()),
        ("origin", Some("2020-05-01"), &passage),
        ("tied", Some("2021-05-01T00:00:00Z"), &copy),
        ("undated", None, &passage),
        ("unclear", Some("a while ago"), &passage),
        ("empty", Some("2022"), ""),
        ("last", Some("2023"), &passage),
    ];
    let line = |(id, time, text): (&str, Option<&str>, &str)| match time {
        Some(time) => format!("{}\n", json!({ "id": id, "published": time, "text": text })),
        None => record(id, text),
    };
    records.into_iter().map(line).collect()
}

fn ids(results: &[Value]) -> Vec<&str> {
    results.iter().map(|document| document["id"].as_str().unwrap()).collect()
}

#[test]
fn documents_out_of_order_are_reported() {
    let folder = Folder::new();
    folder.write("stream.jsonl", dated());
    let trace = ["trace", "stream.jsonl", "--time-field", "published"];
    let run = folder.textkin(&trace).expect(0);
    run.expect_only(
        "1 document is earlier than a previous one (first origin: 2020-05-01T00:00:00Z after \
         2021-05-01T00:00:00Z), 1 document is as old as the latest previous one, 1 document has no \
         time (first undated), 1 document has an invalid time (first unclear: 'a while ago'); \
         documents were traced in order of arrival, use --sort to trace them by time",
    );
    let lines = results(&run.stdout);
    assert_eq!(lines[1]["dominant_origin"], "copy");
    assert_eq!((&lines[1]["time"], &lines[3]["time"]), (&json!("2020-05-01"), &Value::Null));
    // Without times nothing is reported about them.
    folder.textkin(&["trace", "stream.jsonl"]).expect(0).expect_quiet();
}

#[test]
fn sort_orders_by_time_then_arrival_and_undated_last() {
    let folder = Folder::new();
    folder.write("stream.jsonl", dated());
    let sort = ["trace", "stream.jsonl", "--time-field", "published", "--sort"];
    let run = folder.textkin(&sort).expect(0);
    run.expect_only(
        "1 document has no time (first undated), 1 document has an invalid time (first unclear: 'a \
         while ago'); they come after the others",
    );
    let lines = results(&run.stdout);
    assert_eq!(ids(&lines), ["origin", "copy", "tied", "empty", "last", "undated", "unclear"]);
    for (line, origin) in [(0, "origin"), (1, "origin"), (2, "origin"), (4, "origin")] {
        assert_eq!(lines[line]["dominant_origin"], origin, "{}", lines[line]);
    }
    assert_eq!((&lines[3]["words"], &lines[3]["blocks"]), (&json!(0), &json!([])));
    let strict = folder.textkin(&[&sort[..], &["--strict"]].concat()).expect(2);
    assert!(strict.stderr.contains("'undated' has no valid time"), "{strict:?}");

    let stdin = ["trace", "-", "--time-field", "published", "--sort"];
    let piped = folder.textkin_from(dated().as_bytes(), &stdin).expect(0);
    assert_eq!(piped.stdout, run.stdout);
    assert!(piped.stderr.contains("reading the whole input before the first result"));

    let state = [&sort[..], &["--state", "s", "--checkpoint-every", "2"]].concat();
    folder.textkin(&state).expect(0);
    let unsorted = folder.textkin(&[&state[..4], &state[5..]].concat()).expect(2);
    assert!(unsorted.stderr.contains("cannot be resumed without it"), "{unsorted:?}");
    let again = folder.textkin(&state).expect(0);
    assert_eq!(again.stdout, "");
}

#[test]
fn most_copied_documents_are_shown_with_their_bounds() {
    let folder = Folder::new();
    let [a, b] = [1, 2].map(|seed| sentence(seed, 30));
    let both = format!("{a} {b}");
    let stream =
        [("a", &a), ("b", &b), ("c", &a), ("d", &both), ("e", &a)].map(|(id, text)| (id, &**text));
    folder.write("stream.jsonl", jsonl(&stream));
    let trace = ["trace", "stream.jsonl", "--top", "5", "--top-out", "top.json"];
    let run = folder.textkin(&trace).expect(0);
    assert_eq!(
        run.stderr,
        "most copied documents:\n    copies       words  document\n         3          90  a\n         1          30  b\n"
    );
    let origin = |origin: &str, number: u32, copies: u32, words: u32| json!({ "origin": origin, "number": number, "copies": copies, "copies_at_most": copies, "words": words });
    let expected = json!({
        "documents": 5,
        "origins": [origin("a", 0, 3, 90), origin("b", 1, 1, 30)],
        "others_at_most": 0,
    });
    assert_eq!(folder.json("top.json"), expected);
    // Counters are part of the state.
    folder.write("head.jsonl", jsonl(&stream[..3]));
    folder.write("tail.jsonl", jsonl(&stream[3..]));
    for input in ["head.jsonl", "tail.jsonl"] {
        let state = [&["trace", input], &trace[2..], &["--state", "s"]].concat();
        folder.textkin(&state).expect(0);
    }
    assert_eq!(folder.json("top.json"), expected);
    // Too little memory for counters is reported.
    let small = folder.textkin(&[&trace[..4], &["--memory", "2kB"]].concat()).expect(0);
    assert_eq!(
        small.stderr,
        "textkin: not enough memory to count copies; no document was copied more than 4 times\n"
    );
    let lone = folder.textkin(&["trace", "stream.jsonl", "--top-out", "x"]).expect(2);
    assert!(lone.stderr.contains("--top <N>"), "{lone:?}");
}

#[test]
fn html_shows_a_document_with_its_origins() {
    let folder = Folder::new();
    let (origin, copy) = stream();
    let copy = format!("<b>mine</b> {copy}");
    folder.write("stream.jsonl", jsonl(&[("first", &origin), ("se<c>ond", &copy), ("third", "x")]));
    folder.textkin(&["trace", "stream.jsonl", "--html", "page.html"]).expect(0);
    let page = folder.read("page.html");
    assert!(page.contains("<h1>se&lt;c&gt;ond</h1>"), "{page}");
    assert!(page.contains("&lt;b&gt;mine&lt;/b&gt;") && page.contains(">first</a>"), "{page}");
    let third = ["trace", "stream.jsonl", "--html", "page.html", "--html-document", "third"];
    folder.textkin(&third).expect(0);
    assert!(folder.read("page.html").contains("0 of 1 words"));
    let none = ["trace", "stream.jsonl", "--html", "none.html", "--html-document", "fourth"];
    folder.textkin(&none).expect(2).expect_only("the input has no document 'fourth' to show");
    let folders = folder.textkin(&["trace", "stream.jsonl", "--html", "no/such.html"]).expect(2);
    assert!(folders.stderr.contains("directory no does not exist"), "{folders:?}");
}

/// “We use Rabin's fingerprints throughout the paper” (Abdel-Hamid et al. 2009).
#[test]
fn chunks_can_be_hashed_by_rabin() {
    let folder = Folder::new();
    let (origin, copy) = stream();
    folder.write("stream.jsonl", jsonl(&[("first", &origin), ("second", &copy)]));
    for hash in ["polynomial", "rabin", "shift-add-xor", "shift-add-xor-32"] {
        for preset in ["kin", "paper"] {
            let options = ["--hash", hash, "--preset", preset, "--memory", "1MiB"];
            let run =
                folder.textkin(&[&["trace", "stream.jsonl"], &options[..]].concat()).expect(0);
            let results = results(&run.stdout);
            assert_eq!(results[1]["dominant_origin"], "first", "{hash}, {preset}");
            // A selection of chunks may miss words at the ends of the copy.
            let min = if preset == "kin" { 60 } else { 40 };
            let old_words = results[1]["old_words"].as_u64().unwrap();
            assert!((min..=60).contains(&old_words), "{hash}, {preset}: {old_words}");
        }
    }
    let state = ["trace", "stream.jsonl", "--state", "s", "--memory", "1MiB", "--hash"];
    folder.textkin(&[&state[..], &["rabin"]].concat()).expect(0);
    let run = folder.textkin(&[&state[..], &["polynomial"]].concat()).expect(2);
    assert!(run.stderr.contains("hash"), "{run:?}");
}
