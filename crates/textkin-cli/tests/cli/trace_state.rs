//! `textkin trace --state`: a killed trace resumes without any difference in the result.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Folder, collection, lines, record, run};

/// Returns the arguments of a small trace with a state.
const TRACE: [&str; 6] = ["trace", "stream.jsonl", "--memory", "20kB", "--state", "s.state"];

fn with<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&TRACE[..], arguments].concat()
}

/// Returns what an uninterrupted trace writes.
fn uninterrupted(folder: &Folder, arguments: &[&str]) -> String {
    let arguments = [&["trace", "stream.jsonl", "--memory", "20kB"], arguments].concat();
    folder.textkin(&[&arguments[..], &["--out", "whole"]].concat()).expect(0);
    folder.read("whole")
}

#[test]
fn killed_trace_writes_the_same_as_an_uninterrupted_one() {
    let folder = Folder::new();
    folder.write("stream.jsonl", lines(&collection(4000)));
    for preset in ["kin", "paper"] {
        let whole = uninterrupted(&folder, &["--preset", preset]);
        let arguments = ["--checkpoint-every", "40", "--preset", preset, "--out", "origins.jsonl"];
        let (mut resumed, mut kills) = (0, 0);
        loop {
            let mut command = folder.command(&with(&arguments));
            let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
            let began = Instant::now();
            let patience = Duration::from_millis(40 + 17 * kills);
            let mut code = None;
            while code.is_none() && began.elapsed() < patience {
                std::thread::sleep(Duration::from_millis(1));
                code = child.try_wait().unwrap();
            }
            // On Unix this is SIGKILL, which cannot be caught.
            child.kill().unwrap();
            let mut results = String::new();
            std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut results).unwrap();
            child.wait().unwrap();
            assert!(!results.contains("cannot"), "{results}");
            resumed += u32::from(results.contains("textkin: resuming after document "));
            kills += 1;
            if let Some(code) = code {
                assert_eq!(code.code(), Some(0), "{results}");
                break;
            }
        }
        assert!(resumed > 0, "{preset}: killed {kills} times and never resumed");
        assert!(folder.read("origins.jsonl") == whole, "{preset}: another result");
        let left: Vec<String> =
            folder.names().into_iter().filter(|name| name.ends_with(".tmp")).collect();
        assert!(left.is_empty(), "{left:?}");
        std::fs::remove_file(folder.path("s.state")).unwrap();
        std::fs::remove_file(folder.path("origins.jsonl")).unwrap();
    }
}

#[test]
fn output_after_the_last_checkpoint_is_truncated_and_repeated() {
    let folder = Folder::new();
    let documents = collection(100);
    folder.write("stream.jsonl", lines(&documents[..60]));
    let out = ["--out", "origins.jsonl"];
    folder.textkin(&with(&out)).expect(0);
    let state = folder.read_bytes("s.state");
    folder.write("stream.jsonl", lines(&documents));
    folder.textkin(&with(&out)).expect(0);
    let longer = folder.read("origins.jsonl");
    assert_eq!(longer, uninterrupted(&folder, &[]));
    // As if the second run had been killed before its first checkpoint.
    folder.write("s.state", state);
    let run = folder.textkin(&with(&out)).expect(0);
    run.expect_only("resuming after document 60 (id d59)");
    assert_eq!(folder.read("origins.jsonl"), longer);
    // Nothing new, nothing to do.
    let run = folder.textkin(&with(&out)).expect(0);
    run.expect_only("resuming after document 100 (id d99)");
    assert_eq!(folder.read("origins.jsonl"), longer);
}

#[test]
fn standard_input_continues() {
    let folder = Folder::new();
    let documents = collection(100);
    folder.write("stream.jsonl", lines(&documents));
    let whole = uninterrupted(&folder, &[]);
    let arguments = ["trace", "-", "--memory", "20kB", "--state", "s.state"];
    let mut command = folder.command(&[&arguments[..], &["--checkpoint-every", "10"]].concat());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdin.write_all(lines(&documents[..47]).as_bytes()).unwrap();
    stdin.flush().unwrap();
    let mut answers = String::new();
    for _ in 0..47 {
        stdout.read_line(&mut answers).unwrap();
    }
    // The line after the checkpoint was answered, so the state is on disk. The rest is lost.
    child.kill().unwrap();
    child.wait().unwrap();
    let rest = lines(&documents[40..]);
    let run = folder.textkin_from(rest.as_bytes(), &arguments).expect(0);
    run.expect_only(
        "resuming after document 40 (id d39); standard input is expected to continue from there",
    );
    let first_40: String = answers.lines().take(40).map(|line| format!("{line}\n")).collect();
    assert_eq!(first_40 + &run.stdout, whole);
}

#[test]
fn other_inputs_are_appended() {
    let folder = Folder::new();
    let documents = collection(40);
    folder.write("stream.jsonl", lines(&documents));
    let whole = uninterrupted(&folder, &[]);
    folder.write("monday.jsonl", lines(&documents[..25]));
    folder.write("tuesday.jsonl", lines(&documents[25..]));
    let means = ["--memory", "20kB", "--state", "s.state", "--out", "origins.jsonl"];
    let trace = |input: &str| folder.textkin(&[&["trace", input], &means[..]].concat());
    trace("monday.jsonl");
    trace("tuesday.jsonl").expect(0).expect_only(
        "resuming after document 25 (id d24); the inputs differ from those of the last run (monday.jsonl) and are appended to them",
    );
    assert_eq!(folder.read("origins.jsonl"), whole);
}

#[test]
fn incompatible_states_are_rejected_and_unchanged() {
    let folder = Folder::new();
    let documents = collection(30);
    folder.write("stream.jsonl", lines(&documents));
    folder.textkin(&with(&["--out", "origins.jsonl"])).expect(0);
    let (state, out) = (folder.read_bytes("s.state"), folder.read("origins.jsonl"));
    let refused = |arguments: &[&str], words: &str| {
        let run = folder.textkin(arguments).expect(2);
        assert!(run.stderr.contains(words), "{run:?}");
        assert!(run.stderr.contains("s.state") || run.stderr.contains("origins.jsonl"), "{run:?}");
    };
    let mut other = TRACE;
    other[3] = "30kB";
    refused(&other, "created with memory 20000 bytes, but 30000 bytes was requested");
    refused(&with(&["--select", "all"]), "with select hailstorm+no-overlap, but all was requested");
    refused(&with(&["--chunk", "words:5"]), "with chunk words:8, but words:5 was requested");
    refused(&with(&["--preset", "paper"]), "with method windows, but chunks was requested");
    refused(&with(&["--constant", "reach=9"]), "with reach 8, but 9 was requested");
    refused(
        &with(&["--out", "origins.jsonl", "--format", "text"]),
        "origins.jsonl was started with --format json",
    );
    refused(&with(&["--out", "origins.jsonl.gz"]), "cannot be compressed");
    assert_eq!(folder.read_bytes("s.state"), state);
    assert_eq!(folder.read("origins.jsonl"), out);

    let mut damaged = state.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    let newer = [&state[..8], &[9], &state[9..]].concat();
    let foreign = b"PK\x03\x04 not ours".to_vec();
    let cut = state[..state.len() - 1].to_vec();
    let cases = [
        (damaged, "the state is corrupt"),
        (newer, "unsupported state version 9"),
        (foreign, "not the state of a trace"),
        (cut, "unexpected end of data"),
        (Vec::new(), "not the state of a trace"),
    ];
    for (bytes, words) in cases {
        folder.write("s.state", &bytes);
        refused(&TRACE, words);
        assert_eq!(folder.read_bytes("s.state"), bytes);
    }
    folder.write("s.state", &state);

    // The inputs were removed or changed.
    folder.write("stream.jsonl", lines(&documents[..29]));
    let run = folder.textkin(&TRACE).expect(2);
    assert!(
        run.stderr.contains("have 29 documents, but the state has already traced 30 of them"),
        "{run:?}"
    );
    folder.write("stream.jsonl", lines(&documents[1..]) + &record("new", "text"));
    let run = folder.textkin(&TRACE).expect(2);
    assert!(run.stderr.contains("document 30 is 'new', but was 'd29'"), "{run:?}");
    assert_eq!(folder.read_bytes("s.state"), state);
    // The output was changed.
    folder.write("stream.jsonl", lines(&documents));
    folder.write("origins.jsonl", &out[..out.len() - 5]);
    refused(&with(&["--out", "origins.jsonl"]), "were written before; restore it");
    refused(
        &["trace", "stream.jsonl", "--state", "no/such/s.state"],
        "directory no/such does not exist",
    );
    let run = folder.textkin(&with(&["--checkpoint-every", "0"])).expect(2);
    assert!(run.stderr.contains("the interval must be at least"), "{run:?}");
    let run = folder.textkin(&with(&["--checkpoint-every", "often"])).expect(2);
    assert!(run.stderr.contains("expected a number of documents or a time"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn interrupted_stream_saves_its_state() {
    let folder = Folder::new();
    let documents = collection(20);
    let arguments = ["trace", "-", "--memory", "20kB", "--state", "s.state"];
    let mut command = folder.command(&arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(lines(&documents).as_bytes()).unwrap();
    stdin.flush().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut answers = String::new();
    for _ in 0..20 {
        stdout.read_line(&mut answers).unwrap();
    }
    let mut kill = std::process::Command::new("kill");
    kill.args(["-TERM", &child.id().to_string()]);
    run(kill).expect(0);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let results = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        results,
        "textkin: stopped after document 20; run again with --state s.state to resume\n"
    );
    let run = folder.textkin_from(b"", &arguments);
    assert!(run.stderr.contains("resuming after document 20 (id d19)"), "{run:?}");
    drop(stdin);
}
