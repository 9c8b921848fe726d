//! `textkin dedup`: removed and kept documents, outputs and messages.

use std::io::{Read as _, Write as _};
use std::process::Stdio;

use crate::support::{BAKERY, Dice, Folder, HARBOUR, Run, names, record};

fn dedup(folder: &Folder, arguments: &[&str]) -> Run {
    folder.textkin(&[&["dedup"], arguments].concat())
}

/// Two documents, a copy of the first, a longer version of the second.
fn collection() -> [String; 4] {
    let longer = format!("{BAKERY} And salt.");
    [record("a", HARBOUR), record("b", BAKERY), record("c", HARBOUR), record("d", &longer)]
}

#[test]
fn copies_are_removed_and_the_rest_is_unchanged() {
    let folder = Folder::new();
    let [a, b, c, d] = collection();
    folder.write("x.jsonl", [a.as_str(), "\n", &b, "{broken\r\n", &c, &d].concat());
    let run = dedup(&folder, &["x.jsonl", "--out", "y.jsonl", "--log", "log.jsonl"]).expect(0);
    assert_eq!(folder.read("y.jsonl"), [a.as_str(), "\n", &b, "{broken\r\n", &d].concat());
    assert_eq!(
        run.stdout,
        "removed 1 of 4 documents · 10 of 48 words (20.8 %)\n  contained in one document that stays: 1 · at least 90 % contained: 0\n  most duplicated: a (1)\n"
    );
    assert!(run.stderr.starts_with("textkin: x.jsonl:4: invalid JSON"), "{run:?}");
    let log = folder.json_lines("log.jsonl");
    let expected =
        serde_json::json!({ "document": "c", "duplicate_of": "a", "score": 1.0, "words": 10 });
    assert_eq!(log, [expected]);
    // The longer document contains the shorter one.
    dedup(&folder, &["x.jsonl", "--keep", "longest", "--out", "z.jsonl", "--quiet"]).expect(0);
    assert_eq!(folder.read("z.jsonl"), [a.as_str(), "\n", "{broken\r\n", &d].concat());
    let run = dedup(&folder, &["z.jsonl", "--out", "again.jsonl"]).expect(1);
    assert_eq!(run.stdout, "removed 0 of 2 documents · 0 of 25 words (0.0 %)\n");
    assert_eq!(folder.read("again.jsonl"), folder.read("z.jsonl"));
}

#[test]
fn keep_rule_can_use_a_field() {
    let folder = Folder::new();
    let row = |id, stars| format!("{id},{stars},\"{HARBOUR}\"\r\n");
    let rows = [row("a", "9"), row("b", "10"), row("c", "")];
    folder.write("x.csv", format!("id,stars,text\r\n{}", rows.concat()));
    dedup(&folder, &["x.csv", "--keep", "field:stars", "--out", "y.csv"]).expect(0);
    assert_eq!(folder.read("y.csv"), format!("id,stars,text\r\n{}", rows[1]));
    folder.write("t.txt", HARBOUR);
    let run = dedup(&folder, &["t.txt", "--keep", "field:stars", "--out", "u.txt"]).expect(2);
    run.expect_only("--keep field:NAME needs records; text files have no fields");
}

#[test]
fn directory_becomes_a_directory_without_duplicates() {
    let folder = Folder::new();
    folder.write("in/a.txt", HARBOUR);
    folder.write("in/sub/b.txt", HARBOUR);
    folder.write("in/sub/c.txt", BAKERY);
    folder.write("in/d.bin", [0u8, 1, 2, 0, 255]);
    dedup(&folder, &["in", "--out", "out", "--dry-run"]).expect(0);
    assert!(!folder.path("out").exists());
    dedup(&folder, &["in", "--out", "out"]).expect(0);
    assert_eq!(names(&folder.path("out")), ["a.txt", "d.bin", "sub"]);
    assert_eq!(names(&folder.path("out/sub")), ["c.txt"]);
    assert_eq!(folder.read_bytes("out/d.bin"), [0u8, 1, 2, 0, 255]);
    let run = dedup(&folder, &["in", "--out", "out"]).expect(2);
    run.expect_only("out already exists and is not an empty directory; choose another");
    for out in ["in", "in/new"] {
        let run = dedup(&folder, &["in", "--out", out]).expect(2);
        run.expect_only(&format!(
            "the output {out} is inside the input in; choose another directory"
        ));
    }
    assert_eq!(folder.names(), ["in", "out"]);
}

#[test]
fn several_files_are_cleaned_together_and_inputs_never_overwritten() {
    let folder = Folder::new();
    let [a, b, c, d] = collection();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all([c, d.clone()].concat().as_bytes()).unwrap();
    folder.write("p/1.jsonl", [a.clone(), b].concat());
    folder.write("p/2.jsonl.gz", gz.finish().unwrap());
    dedup(&folder, &["p/*.jsonl*", "--out", "out"]).expect(0);
    assert_eq!(folder.read("out/p/1.jsonl"), folder.read("p/1.jsonl"));
    let mut text = String::new();
    let bytes = folder.read_bytes("out/p/2.jsonl.gz");
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap();
    assert_eq!(text, d);
    let run = dedup(&folder, &["p/1.jsonl", "--out", "p/1.jsonl"]).expect(2);
    run.expect_only("p/1.jsonl is an input and would be overwritten; choose another output");
}

#[test]
fn annotate_removes_nothing() {
    let folder = Folder::new();
    folder.write("x.jsonl", collection().concat());
    dedup(&folder, &["x.jsonl", "--annotate", "--out", "y.jsonl"]).expect(0);
    let marks: Vec<_> = folder
        .json_lines("y.jsonl")
        .iter()
        .map(|line| line["textkin_duplicate_of"].clone())
        .collect();
    let null = serde_json::Value::Null;
    assert_eq!(marks, [null.clone(), null.clone(), "a".into(), null]);
    dedup(&folder, &["y.jsonl", "--annotate", "--out", "z.jsonl"]).expect(2);
    assert_eq!(folder.names(), ["x.jsonl", "y.jsonl"]);
}

#[test]
fn repeated_passages_and_lines_are_removed() {
    let folder = Folder::new();
    let text = |id, text: String| record(id, &text);
    folder.write(
        "x.jsonl",
        [
            text("a", format!("{HARBOUR}\n\nOne.")),
            text("b", format!("Two.\n\n{HARBOUR}\n\nThree.")),
        ]
        .concat(),
    );
    for level in [["passage", "8"], ["line", "3"]] {
        let arguments =
            ["x.jsonl", "--level", level[0], "--min-words", level[1], "--out", "y.jsonl"];
        dedup(&folder, &[&arguments[..], &["--log", "log.jsonl"]].concat()).expect(0);
        let lines = folder.json_lines("y.jsonl");
        assert_eq!(lines[0]["text"], format!("{HARBOUR}\n\nOne."));
        assert_eq!(lines[1]["text"], "Two.\n\nThree.");
        let log = folder.json_lines("log.jsonl");
        assert_eq!((&log[0]["start"], &log[0]["words"]), (&6.into(), &10.into()));
        dedup(
            &folder,
            &["y.jsonl", "--level", level[0], "--min-words", level[1], "--out", "z.jsonl"],
        )
        .expect(1);
        assert_eq!(folder.read("y.jsonl"), folder.read("z.jsonl"));
    }
    let run = dedup(&folder, &["x.jsonl", "--level", "line", "--threshold", "0.5", "--out", "z"])
        .expect(2);
    assert!(run.stderr.starts_with("textkin: --threshold requires the level document"));
}

#[test]
fn standard_input_is_read_twice_and_large_losses_warn() {
    let folder = Folder::new();
    let lines: String = (0..30).map(|n| record(&n.to_string(), HARBOUR)).collect();
    let mut command = folder.command(&["dedup", "-", "--out", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), record("0", HARBOUR));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        stderr,
        "textkin: warning: - loses 29 of 30 documents and 290 of 300 words\nremoved 29 of 30 documents · 290 of 300 words (96.7 %)\n  contained in one document that stays: 29 · at least 90 % contained: 0\n  most duplicated: 0 (29)\n"
    );
}

#[test]
fn result_does_not_depend_on_performance_options() {
    let folder = Folder::new();
    let mut dice = Dice::new(5);
    let mut texts: Vec<Vec<String>> = (0..60).map(|_| dice.words(30)).collect();
    for number in 0..60 {
        let other = texts[dice.roll(60)].clone();
        texts[number].truncate(5);
        texts[number].extend(other);
    }
    let lines: String = texts
        .iter()
        .enumerate()
        .map(|(n, words)| record(&n.to_string(), &words.join(" ")))
        .collect();
    folder.write("x.jsonl", lines);
    for keep in ["first", "best"] {
        let arguments = ["x.jsonl", "--threshold", "0.6", "--keep", keep, "--log", "log"];
        dedup(&folder, &[&arguments[..], &["--out", "y"]].concat()).expect(0);
        let expected = (folder.read("y"), folder.read("log"));
        for options in [["--threads", "1"], ["--threads", "4"], ["--plan", "spill"]] {
            dedup(&folder, &[&arguments[..], &["--out", "y"], &options].concat()).expect(0);
            assert_eq!((folder.read("y"), folder.read("log")), expected, "{keep} {options:?}");
        }
    }
}

/// Records that compress badly, so that the output is large.
fn many(n: usize) -> String {
    let mut dice = Dice::new(3);
    (0..n).map(|number| record(&number.to_string(), &dice.text(60))).collect()
}

#[test]
fn damaged_compressed_records_are_truncated_and_fail() {
    let folder = Folder::new();
    let lines = many(4000);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(lines.as_bytes()).unwrap();
    let bytes = encoder.finish().unwrap();
    folder.write("x.jsonl.gz", &bytes[..bytes.len() / 2]);
    let run = dedup(&folder, &["x.jsonl.gz", "--out", "y.jsonl.gz"]).expect(2);
    let mut text = String::new();
    let bytes = folder.read_bytes("y.jsonl.gz");
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap();
    assert!(
        lines.starts_with(&text) && text.ends_with('\n'),
        "whole records, none of them changed"
    );
    let n = text.lines().count();
    assert!((100..4000).contains(&n), "{n} records");
    let expected = format!(
        "textkin: x.jsonl.gz: the gzip data is truncated; written up to line {n}, the rest is lost\n"
    );
    assert!(run.stderr.contains(&expected), "{}", run.stderr);
}

#[cfg(unix)]
mod unwell {
    use std::io::BufRead;
    use std::process::{Child, Command};

    use super::*;

    fn interrupt(child: &Child) {
        let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// The log is a pipe whose reader stops after a line: everything else is written by then, but not renamed yet.
    #[test]
    fn ctrl_c_while_writing_leaves_nothing_behind() {
        let folder = Folder::new();
        std::fs::create_dir_all(folder.path("tree/inner")).unwrap();
        folder.write("tree/inner/x.jsonl", [many(9000), many(9000)].concat());
        folder.write("y.jsonl", "old");
        let file = "tree/inner/x.jsonl";
        for [input, out, level] in
            [[file, "y.jsonl", "document"], [file, "y.jsonl", "line"], ["tree", "copy", "document"]]
        {
            let arguments = ["dedup", input, "--level", level, "--out", out, "--log", "-"];
            let mut command = folder.command(&arguments);
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut reader = std::io::BufReader::with_capacity(64, child.stdout.take().unwrap());
            let mut first = String::new();
            reader.read_line(&mut first).unwrap();
            assert_eq!(folder.names().len(), 3, "{:?}", folder.names());
            interrupt(&child);
            let output = child.wait_with_output().unwrap();
            drop(reader);
            assert_eq!(output.status.code(), Some(130), "{output:?}");
            assert_eq!(folder.names(), ["tree", "y.jsonl"]);
            assert_eq!(folder.read("y.jsonl"), "old");
        }
    }

    /// A limit on file size simulates a full disk.
    #[test]
    fn full_disk_is_reported_and_leaves_nothing_behind() {
        let folder = Folder::new();
        folder.write("x.jsonl", many(3000));
        std::fs::create_dir_all(folder.path("tree/inner")).unwrap();
        folder.write("tree/inner/x.jsonl", many(3000));
        folder.write("y.jsonl", "old");
        let program = folder.command(&[]).get_program().to_owned();
        for (input, out) in [("x.jsonl", "y.jsonl"), ("tree", "copy")] {
            let mut shell = Command::new("sh");
            // Ignore the signal of the limit, so that the write fails instead.
            let script = "trap '' XFSZ; ulimit -f 100; exec \"$0\" dedup \"$1\" --out \"$2\"";
            shell.args(["-c", script]).arg(&program).args([input, out]);
            let output = shell.current_dir(folder.path("")).output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{stderr}");
            assert!(
                stderr.contains(if input == "tree" { "x.jsonl" } else { "y.jsonl" }),
                "{stderr}"
            );
            assert!(stderr.contains("too large"), "{stderr}");
            assert_eq!(folder.names(), ["tree", "x.jsonl", "y.jsonl"]);
            assert_eq!(folder.read("y.jsonl"), "old");
        }
    }
}

#[test]
fn unchanged_files_are_not_counted_as_removed() {
    let folder = Folder::new();
    folder.write("in/a.txt", HARBOUR);
    folder.write("in/b.html", format!("<html><body><p>{HARBOUR}</p></body></html>"));
    folder.write("in/c.txt", format!("Before it. {HARBOUR}"));
    let options = ["--level", "passage", "--min-words", "8", "--log", "log.jsonl", "--out", "out"];
    let run = folder.textkin(&[&["dedup", "in"], &options[..]].concat()).expect(0);
    assert!(run.stdout.contains("removed 1 passage in 1 of 3 documents"), "{}", run.stdout);
    assert!(run.stderr.contains("b.html: not plain text"), "{}", run.stderr);
    assert_eq!(folder.read("out/b.html"), folder.read("in/b.html"));
    let log = folder.read("log.jsonl");
    assert!(log.lines().count() == 1 && log.contains("in/c.txt"), "{log}");
    folder.write("two/a.txt", HARBOUR);
    folder.write("two/b.html", format!("<html><body><p>{HARBOUR}</p></body></html>"));
    let dry = ["dedup", "two", "--level", "passage", "--min-words", "8", "--dry-run"];
    let run = folder.textkin(&dry).expect(1);
    assert!(
        run.stdout.starts_with("would remove 0 passages in 0 of 2 documents"),
        "{}",
        run.stdout
    );
}

#[test]
fn dedup_without_an_output_mentions_the_dry_run() {
    let folder = Folder::new();
    folder.write("x.jsonl", record("a", HARBOUR));
    let run = folder.textkin(&["dedup", "x.jsonl"]).expect(2);
    assert!(run.stderr.contains("'--dry-run'"), "{}", run.stderr);
}
