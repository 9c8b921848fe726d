//! `textkin trace`: a line out for each line in, with places in bytes and origins by name.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Folder, record};

/// So many words that no other seed has.
fn sentence(seed: u32, n_words: u32) -> String {
    let words: Vec<String> = (0..n_words).map(|word| format!("word{seed}x{word}")).collect();
    words.join(" ")
}

fn jsonl(documents: &[(&str, &str)]) -> String {
    documents.iter().map(|(id, text)| record(id, text)).collect()
}

/// A text, and one that copies it among words of its own.
fn stream() -> (String, String) {
    let origin = sentence(1, 60);
    let copy = format!("{} — {origin}. {}", sentence(2, 20), sentence(3, 20));
    (origin, copy)
}

fn said(output: &str) -> Vec<Value> {
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn copied_blocks_have_their_origin_and_their_bytes() {
    let folder = Folder::new();
    let (origin, copy) = stream();
    folder.write("stream.jsonl", jsonl(&[("first", &origin), ("second", &copy)]));
    for means in [&[][..], &["--preset", "paper"], &["--memory", "unlimited"]] {
        let run = folder.textkin(&[&["trace", "stream.jsonl"], means].concat()).expect(0);
        let said = said(&run.stdout);
        assert_eq!(said[0]["fresh_words"], 60);
        assert_eq!(said[1]["dominant_origin"], "first", "{means:?}");
        let [block] = said[1]["blocks"].as_array().unwrap().as_slice() else { panic!("{said:?}") };
        let place = |name: &str| usize::try_from(block[name].as_u64().unwrap()).unwrap();
        let copied = &copy[place("start")..place("end")];
        assert!(origin.contains(copied) || copied.contains(&origin), "{means:?}: {copied}");
        assert_eq!(block["origin"], "first");
    }
}

#[test]
fn a_file_gets_what_standard_output_would() {
    let folder = Folder::new();
    let (origin, copy) = stream();
    folder.write("stream.jsonl", jsonl(&[("first", &origin), ("second", &copy)]));
    let run = folder.textkin(&["trace", "stream.jsonl"]).expect(0);
    folder.textkin(&["trace", "stream.jsonl", "--out", "origins.jsonl"]).expect(0);
    assert_eq!(folder.read("origins.jsonl"), run.stdout);
}

#[test]
fn lines_of_standard_input_are_answered_as_they_come() {
    let folder = Folder::new();
    let mut command = folder.command(&["trace", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let (origin, copy) = stream();
    for (number, text) in [origin, copy].iter().enumerate() {
        stdin.write_all(jsonl(&[("line", text)]).as_bytes()).unwrap();
        stdin.flush().unwrap();
        // Standard input is still open: the answer does not wait for its end.
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(said(&line)[0]["number"], number);
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let folder = Folder::new();
    folder.write("stream.jsonl", jsonl(&[("a", &sentence(1, 20))]));
    let refused = |arguments: &[&str]| {
        folder.textkin(&[&["trace", "stream.jsonl"], arguments].concat()).expect(2).stderr
    };
    assert!(refused(&["--memory", "100"]).contains("one bucket of 16 slots takes 212 bytes"));
    assert!(refused(&["--evict", "lru"]).contains("add --preset paper"));
    assert!(refused(&["--preset", "best"]).contains("there are kin, paper"));
    folder.textkin(&["trace", "stream.jsonl"]).expect(1);
}
