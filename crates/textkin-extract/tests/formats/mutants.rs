//! Mutated documents: valid documents with bits flipped, and parts cut, repeated, moved and taken from
//! other documents; also inside containers, where checksums would otherwise protect the parsers.
//!
//! Tries a few thousand; run `TEXTKIN_FUZZ_CASES=1000000 cargo test --release -p textkin-extract
//! mutants` for more. Failing cases go into `tests/regressions` of `textkin-cli`.

use std::io::Read;
use std::time::{Duration, Instant};

use textkin_extract::ExtractLimits;

use crate::samples::{every_format, extract_within, zip};

/// Number of mutated documents.
fn n_cases() -> u64 {
    let n_cases_set = std::env::var("TEXTKIN_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok());
    n_cases_set.unwrap_or(3_000)
}

const MAX_TEXT: usize = 1 << 16;
const MAX_TIME: Duration = Duration::from_secs(10);

/// Pseudorandom numbers, the same in every run.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % n.max(1)
    }

    fn range(&mut self, len: usize) -> std::ops::Range<usize> {
        let start = self.below(len);
        start..start + self.below((len - start).min(64) + 1)
    }
}

/// Fragments with a meaning for parsers.
const SYNTAX_FRAGMENTS: [&[u8]; 24] = [
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

fn mutate(bytes: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=rng.below(4) {
        if bytes.is_empty() {
            return bytes;
        }
        let at = rng.below(bytes.len());
        match rng.below(8) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(rng.range(bytes.len()))),
            3 => {
                let piece = bytes[rng.range(bytes.len())].to_vec();
                let piece = piece.repeat(1 + rng.below(40));
                bytes.splice(at..at, piece);
            }
            4 => {
                let piece = other.get(rng.range(other.len().max(1))).unwrap_or_default().to_vec();
                bytes.splice(at..at, piece);
            }
            5 => {
                let tail = other.get(rng.below(other.len())..).unwrap_or_default();
                bytes.truncate(at);
                bytes.extend_from_slice(tail);
            }
            _ => {
                let piece = SYNTAX_FRAGMENTS[rng.below(SYNTAX_FRAGMENTS.len())];
                bytes.splice(at..at, piece.repeat(1 + rng.below(3)));
            }
        }
    }
    bytes
}

fn check(name: &str, bytes: &[u8]) {
    let start = Instant::now();
    let limits = ExtractLimits {
        max_text_bytes: MAX_TEXT,
        max_entries: 1000,
        max_expanded_bytes: 16 << 20,
        deadline: Some(start + MAX_TIME),
        ..ExtractLimits::default()
    };
    let (collected, _) = extract_within(name, bytes, &limits);
    let n_bytes: usize = collected.documents.iter().map(|document| document.text.len()).sum();
    assert!(n_bytes <= MAX_TEXT, "{name}");
    assert!(start.elapsed() < 2 * MAX_TIME, "{name} took {:?}", start.elapsed());
}

/// Returns the entries of a zip archive.
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
fn mutated_documents_of_every_format_stay_within_their_limits() {
    let formats = every_format();
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    for case in 0..n_cases() {
        let (name, valid) = &formats[rng.below(formats.len())];
        let (_, other) = &formats[rng.below(formats.len())];
        match parts(valid).filter(|_| case % 3 > 0) {
            None => check(name, &mutate(valid, other, &mut rng)),
            Some(mut parts) => {
                let at = rng.below(parts.len());
                let other = parts[rng.below(parts.len())].1.clone();
                parts[at].1 = mutate(&parts[at].1, &other, &mut rng);
                let entries: Vec<(&str, &[u8])> =
                    parts.iter().map(|(name, part)| (name.as_str(), part.as_slice())).collect();
                check(name, &zip(&entries));
            }
        }
    }
}
