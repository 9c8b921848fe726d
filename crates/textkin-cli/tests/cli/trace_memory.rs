//! `textkin trace` stays within its memory limit, however long the stream.
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::fs::File;
use std::process::Stdio;
use std::time::Duration;

use crate::support::{Dice, Folder, record};

/// Bytes by which equal runs may differ: the system counts pages, the allocator blocks of pages.
const NOISE: u64 = 1 << 20;

/// Maximum memory for the current document as a multiple of its bytes: hashes and spans of its words, labels,
/// and memory the allocator has not released yet.
const TIMES_DOCUMENT: u64 = 8;

/// Returns the peak memory of the command when tracing a file on standard input: the least of three runs,
/// because a busy machine makes the allocator keep more.
fn peak(folder: &Folder, file: &str, memory: u64, preset: &str) -> u64 {
    (0..3).map(|_| peak_of_run(folder, file, memory, preset)).min().unwrap_or(0)
}

fn peak_of_run(folder: &Folder, file: &str, memory: u64, preset: &str) -> u64 {
    let memory = memory.to_string();
    let mut command = folder.command(&["trace", "-", "--memory", &memory, "--preset", preset]);
    let stdin = File::open(folder.path(file)).unwrap();
    let mut child = command.stdin(stdin).stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        peak = peak.max(kilobytes.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(peak > 0, "the run was over before it could be looked at");
    peak << 10
}

/// Returns generated documents as JSON lines of a total size, and the size of the longest line.
fn stream(bytes: usize) -> (String, u64) {
    let mut dice = Dice::new(5);
    let words = dice.words(4000);
    let (mut stream, mut longest) = (String::new(), 0);
    for number in 0.. {
        if stream.len() >= bytes {
            break;
        }
        let text: Vec<&str> = (0..300).map(|_| words[dice.roll(words.len())].as_str()).collect();
        let line = record(&format!("document-{number}"), &text.join(" "));
        longest = longest.max(line.len() as u64);
        write!(stream, "{line}").unwrap();
    }
    (stream, longest)
}

#[test]
fn memory_of_a_trace_is_bounded_for_long_streams() {
    let folder = Folder::new();
    let small = 128 << 10;
    let (stream, longest) = stream(100 * small);
    let head = |bytes: usize| &stream[..stream[..bytes].rfind('\n').unwrap() + 1];
    folder.write("tenth.jsonl", head(10 * small));
    folder.write("stream.jsonl", &stream);
    for preset in ["kin", "paper"] {
        // A stream of 100 times the memory needs no more than one of 10 times the memory.
        let tenth = peak(&folder, "tenth.jsonl", small as u64, preset);
        let whole = peak(&folder, "stream.jsonl", small as u64, preset);
        assert!(whole <= tenth + NOISE, "{preset}: {tenth} bytes, and then {whole}");
        // The total is the memory limit plus the current document.
        // The baseline run reads as much: a shorter one would end before it can be measured.
        let empty = peak(&folder, "stream.jsonl", 4000, preset);
        let memory = 8 << 20;
        let taken = peak(&folder, "stream.jsonl", memory, preset).saturating_sub(empty);
        let most = memory * 102 / 100 + longest + NOISE;
        assert!(taken <= most, "{preset}: {taken} bytes for a memory of {memory}");
    }
}

#[test]
fn large_document_needs_a_few_times_its_size() {
    let folder = Folder::new();
    let memory = 8 << 20;
    let (stream, _) = stream(8 << 20);
    let mut dice = Dice::new(7);
    let words = dice.words(4000);
    let text: Vec<&str> = (0..150_000).map(|_| words[dice.roll(words.len())].as_str()).collect();
    let large = record("large", &text.join(" "));
    let middle = stream[..stream.len() / 2].rfind('\n').unwrap() + 1;
    let (before, after) = stream.split_at(middle);
    folder.write("small.jsonl", &stream);
    folder.write("large.jsonl", format!("{before}{large}{after}"));
    let empty = peak(&folder, "small.jsonl", 4000, "kin");
    let taken = peak(&folder, "large.jsonl", memory, "kin").saturating_sub(empty);
    let most = memory * 102 / 100 + TIMES_DOCUMENT * large.len() as u64 + NOISE;
    assert!(taken <= most, "{taken} bytes for {memory} and a document of {}", large.len());
}
