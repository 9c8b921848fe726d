use std::io::{Read as _, Write as _};

use textkin_core::Source;
use textkin_source::{InputFormat, Inputs, SourceSettings};

use crate::support::{Folder, read_as, read_bytes, settings};

pub(crate) const KINDS: [&str; 4] = ["gz", "zst", "xz", "bz2"];

pub(crate) fn compress(kind: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match kind {
        "gz" => {
            let mut encoder = flate2::write::GzEncoder::new(&mut out, flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap();
        }
        "zst" => {
            let mut encoder = zstd::Encoder::new(&mut out, 1).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap();
        }
        "xz" => {
            liblzma::read::XzEncoder::new(bytes, 1).read_to_end(&mut out).unwrap();
        }
        _ => {
            bzip2::read::BzEncoder::new(bytes, bzip2::Compression::fast())
                .read_to_end(&mut out)
                .unwrap();
        }
    }
    out
}

/// Lines that do not compress well.
fn lines(n: usize) -> String {
    let mut state = 7u64;
    let mut text = String::new();
    for number in 0..n {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        text.push_str(&format!(
            "{{\"id\":{number},\"text\":\"{state:x} {:x}\"}}\n",
            state ^ 0x5555
        ));
    }
    text
}

#[test]
fn every_format_can_be_compressed() {
    for kind in KINDS {
        let folder = Folder::new();
        folder.write(&format!("a.jsonl.{kind}"), compress(kind, b"{\"text\":\"j\"}\n"));
        folder.write(&format!("b.csv.{kind}"), compress(kind, b"text\nc\n"));
        folder.write(&format!("c.txt.{kind}"), compress(kind, b"t"));
        folder.write("d.jsonl", compress(kind, b"{\"text\":\"without ending\"}\n"));
        folder.write("e", compress(kind, b"no name at all"));
        folder.write("f.txt", compress(kind, b""));
        let read = folder.read(&[""], &settings());
        assert_eq!(read.texts(), ["j", "c", "t", "without ending", "no name at all", ""], "{kind}");
        assert_eq!(read.problems, Vec::<String>::new());
    }
}

#[test]
fn a_decompression_bomb_is_a_problem_before_it_fills_memory() {
    let spaces = vec![b' '; 24 << 20];
    let gentle = [vec![b' '; 4 << 20], lines(100).into_bytes()].concat();
    for kind in KINDS {
        // The fast level of gzip reaches a ratio of at most 160, below the limit.
        let bomb = match kind {
            "gz" => {
                let best = flate2::Compression::best();
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), best);
                encoder.write_all(&spaces).unwrap();
                encoder.finish().unwrap()
            }
            _ => compress(kind, &spaces),
        };
        let folder = Folder::new();
        folder.write(&format!("bomb.txt.{kind}"), &bomb);
        folder.write(&format!("gentle.txt.{kind}"), compress(kind, &gentle));
        let read = folder.read(&[""], &settings());
        assert_eq!(read.texts().len(), 1, "{kind}");
        let reason = "decompresses to more than 500 times its size";
        assert!(read.problems.iter().all(|problem| problem.contains(reason)), "{kind}");
        assert_eq!(read.problems.len(), 1, "{kind}");
        let as_text = SourceSettings { input_format: Some(InputFormat::Text), ..settings() };
        assert_eq!(read_bytes(&bomb, &as_text).problems.len(), 1, "{kind}");
    }
}

#[test]
fn the_content_decides_the_compression_not_the_name() {
    let folder = Folder::new();
    folder.write("a.jsonl.gz", "{\"text\":\"plain\"}");
    folder.write("b.txt.zst", "BZh9 is how this text begins");
    let read = folder.read(&[""], &settings());
    assert_eq!(read.texts(), ["plain", "BZh9 is how this text begins"]);
}

#[test]
fn members_and_frames_are_all_read() {
    for kind in KINDS {
        let two =
            [compress(kind, b"{\"text\":\"a\"}\n{\"te"), compress(kind, b"xt\":\"b\"}\n")].concat();
        assert_eq!(read_bytes(&two, &settings()).texts(), ["a", "b"], "{kind}");
    }
}

#[test]
fn truncated_data_is_a_problem_after_the_intact_records() {
    let text = lines(20_000);
    for kind in KINDS {
        let whole = compress(kind, text.as_bytes());
        let folder = Folder::new();
        let cut = &whole[..whole.len() * 3 / 4];
        folder.write("a.jsonl", cut);
        let words = compress(kind, text.replace(['{', '}'], "").as_bytes());
        folder.write("b.txt", &words[..words.len() * 3 / 4]);
        folder.write("c.jsonl", "{\"text\":\"after\"}");
        let set = SourceSettings { piece_bytes: 10_000, ..settings() };
        let read = folder.read(&[""], &set);
        let n = read.documents.len() - 1;
        assert!(kind == "bz2" || n > 5000, "{kind}: {n}");
        assert!(read.ids()[..n].iter().enumerate().all(|(number, id)| *id == number.to_string()));
        assert_eq!(read.ids()[n], "c.jsonl:1");
        assert_eq!(read.problems.len(), 2, "{kind}: {:?}", read.problems);
        assert!(
            read.problems[0].starts_with(&format!("a.jsonl:{}: the ", n + 1)),
            "{}",
            read.problems[0]
        );
        assert!(read.problems[0].ends_with("data is truncated"), "{}", read.problems[0]);
        assert!(read.problems[1].starts_with("b.txt: the "), "{}", read.problems[1]);
    }
}

#[test]
fn every_truncation_is_detected() {
    let text = lines(3);
    for kind in KINDS {
        let whole = compress(kind, text.as_bytes());
        for end in 10..whole.len() {
            for format in [InputFormat::Jsonl, InputFormat::Text, InputFormat::Csv] {
                let read = read_as(format, &whole[..end], &settings());
                assert!(!read.problems.is_empty(), "{kind} {format} {end} of {}", whole.len());
            }
        }
        assert_eq!(read_as(InputFormat::Jsonl, &whole, &settings()).documents.len(), 3);
    }
}

#[test]
fn corrupt_data_is_a_problem() {
    let text = lines(5000);
    for kind in KINDS {
        let mut bytes = compress(kind, text.as_bytes());
        let middle = bytes.len() / 2;
        for byte in &mut bytes[middle..middle + 40] {
            *byte ^= 0xa5;
        }
        let read = read_as(InputFormat::Jsonl, &bytes, &settings());
        assert!(
            read.problems.iter().any(|problem| problem.contains("data is")),
            "{kind} {:?}",
            read.problems
        );
    }
}

#[test]
fn decompression_bombs_are_limited() {
    let zeros = vec![b'a'; 50 << 20];
    for kind in KINDS {
        let folder = Folder::new();
        folder.write("bomb.txt", compress(kind, &zeros));
        folder.write("bomb.jsonl", compress(kind, &zeros));
        let limited = SourceSettings { max_document_bytes: 1 << 20, ..settings() };
        let read = folder.read(&[""], &limited);
        assert_eq!(read.problems.len(), 2);
        assert!(read.problems.iter().all(|problem| problem.contains("than 1048576 bytes")));
    }
}

#[test]
fn a_wide_window_is_read() {
    let text = format!("{{\"text\":\"{}\"}}\n", "w".repeat(1000));
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.long_distance_matching(true).unwrap();
    encoder.window_log(27).unwrap();
    encoder.write_all(text.as_bytes()).unwrap();
    let bytes = encoder.finish().unwrap();
    assert_eq!(read_bytes(&bytes, &settings()).documents.len(), 1);
}

#[test]
fn pieces_count_compressed_bytes() {
    let text = lines(50_000);
    for kind in KINDS {
        let folder = Folder::new();
        let path = folder.write("a.jsonl", compress(kind, text.as_bytes()));
        let set = SourceSettings { piece_bytes: 100_000, ..settings() };
        let mut inputs = Inputs::open(&[&path], &set).unwrap();
        let mut bytes = 0;
        while let Some(piece) = inputs.next_piece() {
            bytes += piece.bytes();
        }
        assert_eq!(Some(bytes), inputs.total_bytes(), "{kind}");
    }
}

#[test]
fn a_record_with_too_high_a_ratio_is_a_problem_and_the_rest_is_read() {
    let huge = " ".repeat(24 << 20);
    let lines = format!("{{\"text\":\"one\"}}\n{{\"text\":\"{huge}\"}}\n{{\"text\":\"two\"}}\n");
    let rows = format!("text\none\n\"{huge}\"\ntwo\n");
    for (name, content, line) in [("a.jsonl.zst", lines, 2), ("a.csv.zst", rows, 3)] {
        for piece_bytes in [1 << 16, 4 << 20, 64 << 20] {
            let folder = Folder::new();
            folder.write(name, compress("zst", content.as_bytes()));
            // Uncompressed, the same record is read.
            folder.write(name.trim_end_matches(".zst"), content.as_bytes());
            let settings = SourceSettings { piece_bytes, ..settings() };
            let read = folder.read(&[name], &settings);
            assert_eq!(read.documents.len(), 2, "{name} {piece_bytes}");
            assert_eq!(read.problems.len(), 1);
            let problem = &read.problems[0];
            assert!(problem.contains(&format!("{name}:{line}: longer than ")), "{problem}");
            assert!(problem.contains("500 times the size of the compressed file"), "{problem}");
            let read = folder.read(&[name.trim_end_matches(".zst")], &settings);
            assert_eq!((read.documents.len(), read.problems.len()), (3, 0));
        }
    }
}
