//! Changed documents: each valid document with bits flipped, parts cut, repeated, moved and taken
//! from another one, and the same done inside containers, where checksums would hide the parsers.
//!
//! A few thousand each time; `TEXTKIN_FUZZ_CASES=1000000 cargo test --release -p textkin-extract
//! mutants` for longer. What is found goes into `tests/regressions` of the command.

use std::io::Read;
use std::time::{Duration, Instant};

use textkin_extract::ExtractLimits;

use crate::made::{every_format, found_within, zip};

/// How many changed documents are tried.
fn n_cases() -> u64 {
    let asked = std::env::var("TEXTKIN_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok());
    asked.unwrap_or(3_000)
}

const MAX_TEXT: usize = 1 << 16;
const SOON: Duration = Duration::from_secs(10);

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % n.max(1)
    }

    fn range(&mut self, len: usize) -> std::ops::Range<usize> {
        let start = self.roll(len);
        start..start + self.roll((len - start).min(64) + 1)
    }
}

/// What tells parsers something.
const TELLING: [&[u8]; 24] = [
    b"<",
    b">",
    b"</",
    b"<!--",
    b"]]>",
    b"&#x110000;",
    b"\"",
    b"'",
    b"{",
    b"}",
    b"\\",
    b"\\u-1",
    b"\n.",
    b"\n\n",
    b"--",
    b"=?utf-8?q?",
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"PK\x05\x06",
    b"99999999999999999999",
    b"-1",
    b"%",
    b"$$",
];

fn changed(bytes: &[u8], other: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=dice.roll(4) {
        if bytes.is_empty() {
            return bytes;
        }
        let at = dice.roll(bytes.len());
        match dice.roll(8) {
            0 => bytes[at] ^= 1 << dice.roll(8),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(dice.range(bytes.len()))),
            3 => {
                let piece = bytes[dice.range(bytes.len())].to_vec();
                let piece = piece.repeat(1 + dice.roll(40));
                bytes.splice(at..at, piece);
            }
            4 => {
                let piece = other.get(dice.range(other.len().max(1))).unwrap_or_default().to_vec();
                bytes.splice(at..at, piece);
            }
            5 => {
                let tail = other.get(dice.roll(other.len())..).unwrap_or_default();
                bytes.truncate(at);
                bytes.extend_from_slice(tail);
            }
            _ => {
                let piece = TELLING[dice.roll(TELLING.len())];
                bytes.splice(at..at, piece.repeat(1 + dice.roll(3)));
            }
        }
    }
    bytes
}

fn try_it(name: &str, bytes: &[u8]) {
    let begun = Instant::now();
    let limits = ExtractLimits {
        max_text_bytes: MAX_TEXT,
        max_entries: 1000,
        max_expanded_bytes: 16 << 20,
        deadline: Some(begun + SOON),
        ..ExtractLimits::default()
    };
    let (collected, _) = found_within(name, bytes, &limits);
    let n_bytes: usize = collected.documents.iter().map(|document| document.text.len()).sum();
    assert!(n_bytes <= MAX_TEXT, "{name}");
    assert!(begun.elapsed() < 2 * SOON, "{name} took {:?}", begun.elapsed());
}

/// The parts of a zip archive.
fn parts(bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).ok()?;
    let mut parts = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).ok()?;
        let name = file.name().ok()?.into_owned();
        let mut content = Vec::new();
        file.read_to_end(&mut content).ok()?;
        parts.push((name, content));
    }
    Some(parts)
}

#[test]
fn changed_documents_of_every_format_end_within_their_limits() {
    let formats = every_format();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for case in 0..n_cases() {
        let (name, valid) = &formats[dice.roll(formats.len())];
        let (_, other) = &formats[dice.roll(formats.len())];
        match parts(valid).filter(|_| case % 3 > 0) {
            None => try_it(name, &changed(valid, other, &mut dice)),
            Some(mut parts) => {
                let at = dice.roll(parts.len());
                let other = parts[dice.roll(parts.len())].1.clone();
                parts[at].1 = changed(&parts[at].1, &other, &mut dice);
                let entries: Vec<(&str, &[u8])> =
                    parts.iter().map(|(name, part)| (name.as_str(), part.as_slice())).collect();
                try_it(name, &zip(&entries));
            }
        }
    }
}
