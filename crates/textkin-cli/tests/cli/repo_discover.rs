//! After any changes, discovery and search in a repository equal those in a new one with the same documents.

use std::collections::BTreeSet;

use crate::support::{Dice, Folder, Run, collection, lines, record};

const SEARCH: [&str; 6] =
    ["--score", "kin,identity5,cosine,scam,fingerprint,inner", "--format", "json", "--top", "10"];

/// Creates `name` with options and adds files one by one.
fn create_repository(folder: &Folder, name: &str, options: &[&str], files: &[&str]) {
    folder.repo(&[&["create", name], options].concat()).expect(0);
    for file in files {
        folder.repo(&["add", name, file]).expect(0);
    }
}

/// A repository `r` that grew, shrank and changed, and the same as JSON lines in `r.jsonl`.
fn changed(options: &[&str]) -> Folder {
    let folder = Folder::new();
    let documents = collection(60);
    folder.write("1.jsonl", lines(&documents[..25]));
    folder.write("2.jsonl", lines(&documents[25..40]));
    folder.write("3.jsonl", lines(&documents[40..]));
    let swapped =
        [("d3".to_owned(), documents[50].1.clone()), ("d44".to_owned(), documents[3].1.clone())];
    folder.write("swapped.jsonl", lines(&swapped));
    create_repository(&folder, "r", options, &["1.jsonl", "2.jsonl"]);
    folder.repo(&["remove", "r", "--id", "d1", "--id", "d30", "--id", "d39"]).expect(0);
    folder.repo(&["add", "r", "3.jsonl"]).expect(0);
    folder.repo(&["replace", "r", "swapped.jsonl"]).expect(0);
    folder.repo(&["remove", "r", "--where", "words<15"]).expect(0);
    let is_gone = |id: &str| ["d1", "d30", "d39", "d3", "d44"].contains(&id);
    let stay = documents.iter().filter(|(id, _)| !is_gone(id)).chain(&swapped);
    let is_long = |(_, text): &&(String, String)| text.split_whitespace().count() >= 15;
    folder.write("r.jsonl", lines(stay.filter(is_long)));
    folder
}

fn searched(folder: &Folder, name: &str) -> Run {
    let arguments = [&["search", name, "1.jsonl", "3.jsonl"], &SEARCH[..]].concat();
    folder.textkin(&arguments).expect(0)
}

#[test]
fn discovery_and_search_equal_those_of_a_new_repository() {
    let making: [&[&str]; 4] = [
        &[],
        &["--chunk", "words:5", "--select", "modulo:2", "--normalize", "nfkc+fold+stop:en"],
        &["--fingerprints-only"],
        &["--fingerprints-only", "--chunk", "words:4"],
    ];
    for options in making {
        let folder = changed(options);
        create_repository(&folder, "fresh", options, &["r.jsonl"]);
        let keeps_text = !options.contains(&"--fingerprints-only");
        // The options of a discovery of the exported texts.
        let settings: Vec<&str> =
            options.iter().copied().filter(|option| *option != "--fingerprints-only").collect();
        let expected = folder.discover(&[&["r.jsonl", "--out", "-", "-q"], &settings[..]].concat());
        assert!(expected.stdout.lines().count() > 5, "{expected:?}");
        let searches = searched(&folder, "fresh").stdout;
        for step in ["changed", "compacted", "merged"] {
            let run = folder.discover(&["r", "--out", "-", "-q"]).expect(0);
            assert_eq!(run.stdout, expected.stdout, "{options:?} {step}");
            assert_eq!(searched(&folder, "r").stdout, searches, "{options:?} {step}");
            let export = folder.repo(&["export", "r"]);
            if keeps_text {
                assert_eq!(export.expect(0).stdout, folder.read("r.jsonl"), "{options:?} {step}");
            } else {
                export.expect(2).expect_only("r stores only fingerprints, so there is nothing to export (textkin repo list shows its documents)");
            }
            match step {
                "changed" => {
                    folder.repo(&["compact", "r"]).expect(0);
                }
                _ => {
                    // Many small changes are merged automatically.
                    for n in 0..12 {
                        folder.write("one.jsonl", record(&format!("one{n}"), "one more document"));
                        folder.repo(&["add", "r", "one.jsonl"]).expect(0);
                    }
                    folder.repo(&["remove", "r", "--where", "id~one"]).expect(0);
                }
            }
            folder.repo(&["check", "r"]).expect(0);
        }
    }
}

#[test]
fn discover_outputs_equal_those_of_exported_documents() {
    let folder = changed(&[]);
    for out in ["p.csv", "p.jsonl", "p.graphml"] {
        folder.discover(&["r", "--out", out, "-q"]).expect(0);
        let got = folder.read(out);
        folder.discover(&["r.jsonl", "--out", out, "-q"]).expect(0);
        assert_eq!(got, folder.read(out));
    }
    for option in ["--clusters", "--explain", "--imatch"] {
        folder.discover(&["r", option, "x.jsonl", "-q"]).expect(0);
        let got = folder.read("x.jsonl");
        folder.discover(&["r.jsonl", option, "x.jsonl", "-q"]).expect(0);
        assert_eq!(got, folder.read("x.jsonl"), "{option}");
    }
}

#[test]
fn new_pairs_are_all_pairs_with_a_new_document() {
    for options in [&[][..], &["--fingerprints-only"]] {
        let folder = changed(options);
        let mut dice = Dice::new(9);
        let old = lines(&collection(60)[10..20]).replace("\"d", "\"copy");
        let new = [old, record("other", &dice.text(80)), record("d50", &dice.text(60))].concat();
        folder.write("new.jsonl", &new);
        // The listing rules need the whole repository; `repo add` lists pairs by their score.
        let arguments = ["add", "r", "new.jsonl", "--existing", "replace", "--out", "new.csv"];
        let threshold = ["--threshold", "0.02"];
        let run = folder.repo(&[&arguments[..], &threshold].concat()).expect(0);
        let report = folder.read("new.csv");
        let whole = folder.discover(&["r", "--out", "-", "-q", "--threshold", "0.02"]).expect(0);
        let names: BTreeSet<String> = new
            .lines()
            .map(|line| {
                serde_json::from_str::<serde_json::Value>(line).unwrap()["id"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        let is_new = |row: &&str| row.split(',').take(2).any(|id| names.contains(id));
        let expected: Vec<&str> = whole.rows().into_iter().filter(is_new).collect();
        assert!(expected.len() > 5, "{expected:?}");
        assert_eq!(report.lines().skip(1).collect::<Vec<_>>(), expected);
        let told = format!(", {} new pairs\n", expected.len());
        assert!(run.stdout.ends_with(&told), "{run:?}");
    }
}

#[test]
fn new_pairs_on_standard_output_are_only_rows() {
    let folder = changed(&[]);
    folder.write("new.jsonl", record("copy", &collection(60)[12].1));
    let run = folder.repo(&["add", "r", "new.jsonl", "--out", "-"]).expect(0);
    assert!(run.pairs().contains(&("d12", "copy")), "{run:?}");
    assert!(run.stderr.starts_with("added 1 document with "), "{run:?}");
    folder.write("new.jsonl", record("no matches", &Dice::new(77).text(90)));
    let run = folder.repo(&["add", "r", "new.jsonl", "--out", "none.csv"]).expect(0);
    assert!(run.stdout.ends_with(", 0 new pairs\n"), "{run:?}");
    assert_eq!(folder.read("none.csv").lines().count(), 1);
    let run = folder.repo(&["add", "r", "new.jsonl", "--out", "no/such/x.csv"]).expect(2);
    run.expect_only("cannot create no/such/x.csv: directory no/such does not exist");
    let run = folder.repo(&["add", "r", "new.jsonl", "--out", "new.jsonl"]).expect(2);
    run.expect_only("new.jsonl is an input and would be overwritten; choose another output");
}

#[test]
fn conflicting_settings_are_rejected_with_a_remedy() {
    let folder = changed(&[]);
    let run = folder.discover(&["r", "--chunk", "words:5"]).expect(2);
    run.expect_only(
        "r was created with --chunk words:8; to use another setting, export its documents: \
         textkin repo export r | textkin discover - --chunk words:5",
    );
    // The remedy works.
    let export = folder.repo(&["export", "r"]).expect(0);
    let arguments = ["-", "--chunk", "words:5"];
    folder.discover_from(export.stdout.as_bytes(), &arguments).expect(0);
    folder.discover(&["r", "--chunk", "words:8", "-q"]).expect(0);
    folder.repo(&["create", "five", "--chunk", "words:5"]).expect(0);
    folder.repo(&["add", "five", "r.jsonl"]).expect(0);
    let five = folder.discover(&["five", "--out", "-", "-q"]).expect(0);
    let fresh = folder.discover(&["r.jsonl", "--chunk", "words:5", "--out", "-", "-q"]).expect(0);
    assert_eq!(five.stdout, fresh.stdout);
    let run = folder.discover(&["r", "1.jsonl"]).expect(2);
    run.expect_only("r is a repository and must be the only input; add the other documents to it with textkin repo add");
}

#[test]
fn export_can_be_compressed_and_filtered() {
    let folder = changed(&[]);
    folder.repo(&["export", "r", "--out", "x.jsonl.gz"]).expect(0);
    create_repository(&folder, "again", &[], &["x.jsonl.gz"]);
    let pairs = |name| folder.discover(&[name, "--out", "-", "-q"]).expect(0).stdout;
    assert_eq!(pairs("again"), pairs("r"));
    let run = folder.repo(&["export", "r", "--where", "id=d12"]).expect(0);
    assert_eq!(run.stdout, record("d12", &collection(60)[12].1));
    folder.repo(&["export", "r", "--where", "id=nix"]).expect(1);
}
