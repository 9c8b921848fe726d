//! Mutated records: valid JSON lines, CSV and TSV with bits flipped and parts cut, repeated and moved.
//!
//! The result must be the same for any piece size. `TEXTKIN_FUZZ_CASES` sets the number of cases.

use textkin_source::{InputFormat, SourceSettings};

use crate::support::{read_as, settings};

const SEEDS: [(InputFormat, &str); 3] = [
    (
        InputFormat::Jsonl,
        "{\"id\": \"a\\u00e9\\ud83d\\ude00\", \"text\": \"one \\\"two\\\" \\\\ three\\n\", \"n\": -1.5e-3}\n\
         {\"text\":\"\",\"id\":7,\"deep\":{\"text\":[[{\"x\":null}],true]}}\n\n{\"id\":\"b\",\"text\":\"ü — end\"}",
    ),
    (InputFormat::Csv, "id,text\n1,\"quoted \"\"words\"\", and\na new line\"\n2,plain ü\r\n3,\n"),
    (InputFormat::Tsv, "id\ttext\n1\tone two\n2\t\"three\tfour\"\n"),
];

const SYNTAX_FRAGMENTS: [&str; 16] = [
    "\"", "\\", "{", "}", "[", "]", ",", ":", "\n", "\r\n", "\\u", "\\ud800", "\u{feff}", "\0",
    "\t", "1e999",
];

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % n.max(1)
    }
}

fn mutate(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=rng.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.below(bytes.len());
        let end = at + rng.below((bytes.len() - at).min(20) + 1);
        match rng.below(5) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].repeat(1 + rng.below(5));
                let target = rng.below(bytes.len());
                bytes.splice(target..target, piece);
            }
            _ => {
                let piece = SYNTAX_FRAGMENTS[rng.below(SYNTAX_FRAGMENTS.len())];
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
    bytes
}

#[test]
fn mutated_records_are_read_the_same_with_any_piece_size() {
    let n_cases = std::env::var("TEXTKIN_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok());
    let mut rng = Rng(0x2545_f491_4f6c_dd1d);
    for _ in 0..n_cases.unwrap_or(2_000u64) {
        let (format, valid) = SEEDS[rng.below(SEEDS.len())];
        let bytes = mutate(valid.as_bytes(), &mut rng);
        let whole = read_as(format, &bytes, &settings());
        let small = SourceSettings { piece_bytes: rng.below(50), ..settings() };
        assert_eq!(whole, read_as(format, &bytes, &small), "{bytes:?}");
    }
    // Deep nesting does not recurse.
    let deep = format!("{{\"x\":{}1{},\"text\":\"a\"}}", "[".repeat(10_000), "]".repeat(10_000));
    read_as(InputFormat::Jsonl, deep.as_bytes(), &settings());
    let deep = format!("{}\"text\":\"a\"{}", "{\"x\":{".repeat(10_000), "}".repeat(20_000));
    read_as(InputFormat::Jsonl, deep.as_bytes(), &settings());
}
