//! Changed records: valid JSON lines, CSV and TSV with bits flipped, parts cut, repeated and moved.
//!
//! Whatever comes out, it is the same for pieces of any size. `TEXTKIN_FUZZ_CASES` asks for more.

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
    fn roll(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % n.max(1)
    }
}

fn changed(bytes: &[u8], dice: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=dice.roll(4) {
        if bytes.is_empty() {
            break;
        }
        let at = dice.roll(bytes.len());
        let end = at + dice.roll((bytes.len() - at).min(20) + 1);
        match dice.roll(5) {
            0 => bytes[at] ^= 1 << dice.roll(8),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].repeat(1 + dice.roll(5));
                let place = dice.roll(bytes.len());
                bytes.splice(place..place, piece);
            }
            _ => {
                let piece = SYNTAX_FRAGMENTS[dice.roll(SYNTAX_FRAGMENTS.len())];
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
    bytes
}

#[test]
fn changed_records_are_read_the_same_in_pieces_of_any_size() {
    let asked = std::env::var("TEXTKIN_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok());
    let mut dice = Rng(0x2545_f491_4f6c_dd1d);
    for _ in 0..asked.unwrap_or(2_000u64) {
        let (format, valid) = SEEDS[dice.roll(SEEDS.len())];
        let bytes = changed(valid.as_bytes(), &mut dice);
        let whole = read_as(format, &bytes, &settings());
        let small = SourceSettings { piece_bytes: dice.roll(50), ..settings() };
        assert_eq!(whole, read_as(format, &bytes, &small), "{bytes:?}");
    }
    // Nesting is no recursion.
    let deep = format!("{{\"x\":{}1{},\"text\":\"a\"}}", "[".repeat(10_000), "]".repeat(10_000));
    read_as(InputFormat::Jsonl, deep.as_bytes(), &settings());
    let deep = format!("{}\"text\":\"a\"{}", "{\"x\":{".repeat(10_000), "}".repeat(20_000));
    read_as(InputFormat::Jsonl, deep.as_bytes(), &settings());
}
