//! Hostile files: each terminates quickly, within its limits, with a specific error.

use std::io::Read;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use textkin_extract::{Error, ExtractLimits, Extraction};

use crate::samples::{docx_of, every_format, extract_default, extract_within, gzip, tar, zip};
use crate::self_references::quine_zip;

/// Time limit of each case, generous for slow machines.
const MAX_TIME: Duration = Duration::from_secs(20);

/// Small limits that are reached quickly.
fn small() -> ExtractLimits {
    ExtractLimits {
        max_text_bytes: 1 << 20,
        max_entries: 1000,
        max_depth: 8,
        max_expanded_bytes: 64 << 20,
        max_ratio: 100,
        deadline: Some(Instant::now() + MAX_TIME),
    }
}

fn n_text_bytes(collected: &Extraction) -> usize {
    collected.documents.iter().map(|document| document.text.len()).sum()
}

#[test]
fn bombs_are_detected_by_their_ratio() {
    let bomb = vec![b' '; 40 << 20];
    let result = extract_within("bomb.gz", &gzip(&bomb), &small()).1;
    assert_eq!(result, Err(Error::TooDense { limit: 100 }));
    let archive = zip(&[("bomb.txt", &bomb), ("good.txt", b"good")]);
    let (collected, result) = extract_within("bomb.zip", &archive, &small());
    assert!(result.is_ok());
    assert_eq!(collected.problems[0].reason, "decompresses to more than 100 times its size");
    assert_eq!(collected.documents[0].text, "good");
    // The same inside a document.
    let letter = docx_of(&" ".repeat(40 << 20));
    assert_eq!(
        extract_within("bomb.docx", &letter, &small()).1,
        Err(Error::TooDense { limit: 100 })
    );
}

#[test]
fn binary_data_in_markup_is_refused_like_in_text() {
    let words = "some words of a page that goes on for long enough ".repeat(400);
    let binary: Vec<u8> = (0..8000u32).map(|n| [0, 1, 2, b'a', 0x80][n as usize % 5]).collect();
    let zeros = vec![0; 2000];
    let binary_error = Some(Error::NotText { what: "binary" });
    for (name, start, end) in [
        ("page.html", "<html><body><p>", "</p></body></html>"),
        ("page.html", "<html><meta charset=windows-1252><body><p>", "</p></body></html>"),
        ("letter.rtf", "{\\rtf1\\ansi\\ansicpg1252 ", "\\par}"),
    ] {
        // Far behind the beginning, which alone decides whether a file is text.
        let splice = |middle: &[u8]| {
            let parts = [start.as_bytes(), words.as_bytes(), middle, words.as_bytes()];
            extract_default(name, &[&parts.concat(), end.as_bytes()].concat())
        };
        assert_eq!(splice(&binary).err(), binary_error, "{name} {start}");
        assert_eq!(splice(&zeros.repeat(3)).err(), binary_error, "{name} {start}");
        // A few zeros are valid UTF-8; of a code page they are too many.
        assert_eq!(splice(&zeros).is_err(), name == "letter.rtf", "{name} {start}");
        let extracted = splice(b" one\0word ").unwrap();
        assert!(extracted.documents[0].text.contains("one"), "{name}");
    }
}

#[test]
fn all_parts_share_one_budget() {
    let part = "some words ".repeat(50_000).into_bytes();
    let parts: Vec<(String, &[u8])> =
        (0..10).map(|n| (format!("{n}.txt"), part.as_slice())).collect();
    let parts: Vec<(&str, &[u8])> =
        parts.iter().map(|(name, part)| (name.as_str(), *part)).collect();
    let limits = ExtractLimits { max_ratio: 100_000, ..small() };
    let (collected, result) = extract_within("a.zip", &zip(&parts), &limits);
    assert_eq!(result, Err(Error::TooMuchText { limit: 1 << 20 }));
    assert_eq!(collected.documents.len(), 1);
    let limits =
        ExtractLimits { max_expanded_bytes: 1 << 20, max_text_bytes: usize::MAX, ..limits };
    assert_eq!(
        extract_within("a.zip", &zip(&parts), &limits).1,
        Err(Error::TooMuchExpanded { limit: 1 << 20 })
    );
    let limits = ExtractLimits { max_entries: 3, ..ExtractLimits::default() };
    assert_eq!(
        extract_within("a.tar", &tar(&parts), &limits).1,
        Err(Error::TooManyEntries { limit: 3 })
    );
    let limits = ExtractLimits { deadline: Some(Instant::now()), ..ExtractLimits::default() };
    assert_eq!(extract_within("a.tar", &tar(&parts), &limits).1, Err(Error::Deadline));
}

#[test]
fn nested_archives_terminate() {
    let mut archive = zip(&[("a.txt", b"text")]);
    for _ in 0..100 {
        archive = zip(&[("inner.zip", &archive), ("again.zip", b"PK\x03\x04")]);
    }
    let (collected, result) = extract_within("deep.zip", &archive, &small());
    assert!(result.is_ok());
    let reasons: Vec<&str> =
        collected.problems.iter().map(|problem| problem.reason.as_str()).collect();
    assert!(reasons.contains(&"containers nested more than 8 levels deep"), "{reasons:?}");
    let mut compressed = b"text".to_vec();
    for _ in 0..100 {
        compressed = gzip(&compressed);
    }
    assert_eq!(
        extract_within("deep.gz", &compressed, &small()).1,
        Err(Error::TooDeep { limit: 8 })
    );
}

#[test]
fn an_archive_that_contains_itself_terminates() {
    let archive = quine_zip();
    let mut inside = Vec::new();
    let mut entries = zip::ZipArchive::new(std::io::Cursor::new(&archive)).unwrap();
    entries.by_index(0).unwrap().read_to_end(&mut inside).unwrap();
    assert_eq!(inside, archive, "the checksum is right");
    let start = Instant::now();
    let (collected, result) = extract_within("quine.zip", &archive, &ExtractLimits::default());
    assert!(start.elapsed() < MAX_TIME && result.is_ok());
    assert_eq!((collected.documents.len(), collected.problems.len()), (0, 1));
    assert_eq!(collected.problems[0].reason, "containers nested more than 8 levels deep");
    // It does not prevent other files from being read.
    let archive = zip(&[("a.zip", &archive), ("b.zip", &archive), ("c.txt", b"good")]);
    let (collected, _) = extract_within("more.zip", &archive, &ExtractLimits::default());
    assert_eq!((collected.documents.len(), collected.problems.len()), (1, 2));
}

/// Extracts with the default stack size of threads and checks the time.
fn extract_quickly(name: &str, bytes: &[u8]) -> Extraction {
    let start = Instant::now();
    let limits = ExtractLimits { max_text_bytes: 256 << 20, ..small() };
    let (collected, _) = extract_within(name, bytes, &limits);
    assert!(start.elapsed() < MAX_TIME, "{name} took {:?}", start.elapsed());
    collected
}

#[test]
fn deep_nesting_needs_neither_stack_nor_time() {
    const DEEP: usize = 10_000;
    let around =
        |before: &str, after: &str| format!("{}word{}", before.repeat(DEEP), after.repeat(DEEP));
    for (name, source) in [
        ("div.html", format!("<html>{}", around("<div>", "</div>"))),
        ("formatting.html", format!("<html>{}", around("<b><p>", "</p>"))),
        ("table.html", format!("<html>{}", around("<table><tr><td>", ""))),
        ("a.xml", format!("<?xml version='1.0'?>{}", around("<a>", "</a>"))),
        ("a.rtf", format!("{{\\rtf1 {}}}", around("{\\b ", "}"))),
        ("a.tex", around("{", "}")),
        ("environments.tex", around("\\begin{quote}", "\\end{quote}")),
        ("quotes.md", around(">", "")),
        ("lists.md", around("- ", "")),
        ("brackets.md", around("[", "](x)")),
        ("stars.md", around("*a **a ", "")),
        ("a.1", format!(".TH A 1\n{}", around(".RS\n", "\n.RE\n"))),
        ("ifs.1", format!(".TH A 1\n{}", around(".if n ", ""))),
    ] {
        let collected = extract_quickly(name, source.as_bytes());
        let has_word = collected.documents.iter().any(|document| document.text.contains("word"));
        assert!(has_word || name == "ifs.1", "{name}");
    }
    let paragraphs = "<w:p><w:r><w:t>word</w:t>".repeat(DEEP);
    assert!(extract_quickly("a.docx", &docx_of(&paragraphs)).documents[0].text.contains("word"));
}

#[test]
fn deep_messages_need_neither_stack_nor_time() {
    let multipart: String = (0..10_000)
        .map(|n| format!("Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n"))
        .collect();
    let message = format!("From: a@b\nMIME-Version: 1.0\n{multipart}\nword\n");
    let collected = extract_quickly("multipart.eml", message.as_bytes());
    assert!(collected.documents[0].notes[0].to_string().contains("multiparts"));
    let attached = format!(
        "From: a@b\nMIME-Version: 1.0\n{}\nword\n",
        "Content-Type: message/rfc822\n\n".repeat(100_000)
    );
    let collected = extract_quickly("messages.eml", attached.as_bytes());
    assert!(collected.problems[0].reason.contains("containers nested"));
    let parts = "--b\nContent-Type: multipart/mixed; boundary=absent\n\n\n".repeat(40_000);
    let absent = format!(
        "From: a@b\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n{parts}"
    );
    extract_quickly("absent.eml", absent.as_bytes());
}

#[test]
fn entities_are_never_expanded() {
    let mut declarations = "<!ENTITY a0 \"word\">".to_owned();
    for n in 1..30 {
        let previous = format!("&a{};", n - 1).repeat(10);
        declarations.push_str(&format!("<!ENTITY a{n} \"{previous}\">"));
    }
    let source = format!("<?xml version=\"1.0\"?><!DOCTYPE b [{declarations}]><b>&a29;</b>");
    assert_eq!(extract_quickly("bomb.xml", source.as_bytes()).documents[0].text, "&a29;");
}

#[test]
fn paths_outside_the_archive_are_only_labels() {
    let archive =
        tar(&[("../../etc/passwd", b"one"), ("/root/x\x07.txt", b"two"), ("..", b"three")]);
    let collected = extract_default("a.tar", &archive).unwrap();
    let names: Vec<&str> =
        collected.documents.iter().map(|document| document.name.as_str()).collect();
    assert_eq!(names[..2], ["etc/passwd", "root/x.txt"]);
    let archive = zip(&[("../../etc/passwd", b"one"), ("C:\\windows\\x.txt", b"two")]);
    let collected = extract_default("a.zip", &archive).unwrap();
    let names: Vec<&str> =
        collected.documents.iter().map(|document| document.name.as_str()).collect();
    assert_eq!(names, ["etc/passwd", "windows/x.txt"]);
}

#[test]
fn unterminated_tokens_are_read_in_linear_time() {
    let long = "a".repeat(200_000);
    for (name, before, after) in [
        ("a.txt", "", ""),
        ("a.html", "<html>", ""),
        ("a.html", "<html><", ">"),
        ("a.html", "<html><a b='", ""),
        ("a.html", "<html>&", ";"),
        ("a.xml", "<?xml?><x ", ">"),
        ("a.md", "# ", ""),
        ("a.tex", "\\", "{x}"),
        ("a.tex", "\\begin{", "}"),
        ("a.1", ".TH A 1\n.", ""),
        ("a.1", ".TH A 1\n\\[", ""),
        ("a.rtf", "{\\rtf1\\", "}"),
        ("a.rtf", "{\\rtf1 ", "}"),
        ("a.eml", "From: a@b\nSubject: ", "\n\nx"),
        ("a.warc", "WARC/1.0\r\n", "\r\n\r\n"),
    ] {
        extract_quickly(name, format!("{before}{long}{after}").as_bytes());
    }
    for (name, before, piece) in [
        ("a.html", "<html>", "<!["),
        ("a.html", "<html>", "<a b=\""),
        ("a.html", "<html>", "&a"),
        ("a.html", "<html>", "<!--"),
        ("a.html", "<html>", "</"),
        ("a.html", "<html>", "<title>"),
        ("a.md", "", "[a]("),
        ("a.md", "", "`a``"),
        ("a.md", "", "<a "),
        ("a.md", "", "| a\n|-\n"),
        ("a.md", "", "[^a]: \n"),
        ("a.md", "", "* a\n "),
        ("a.md", "", "&"),
        ("a.md", "", "a**b_"),
        ("a.md", "", "!["),
        ("a.txt", "\u{c}", "a-\nb\u{ad}"),
        ("a.txt", "", "\u{c}x\n"),
        ("a.txt", "", "a\u{200b}\u{430}"),
        ("a.rtf", "{\\rtf1", "\\u8364"),
        ("a.eml", "From: a@b\nSubject: ", "=?a?b?"),
        ("a.eml", "From: a@b\nTo: c\n", "a: b\n"),
        ("a.mbox", "From a b c d 1:2\nA: b\n", "\n\nFrom x\n"),
        ("a.warc", "WARC/1.0\n\n", "WARC/1.0\nContent-Length: 9999999\n"),
        ("a.1", ".TH A 1\n", "\\*["),
        ("a.1", ".TH A 1\n", ".ds a \\*a\\*a\n"),
    ] {
        extract_quickly(name, format!("{before}{}", piece.repeat(40_000)).as_bytes());
    }
}

#[test]
fn truncated_and_corrupt_files_give_a_reason() {
    for (name, bytes) in every_format() {
        for step in 0..40 {
            let cut = &bytes[..bytes.len() * step / 40];
            extract_quickly(name, cut);
            let mut flipped = bytes.clone();
            let at = (bytes.len() - 1) * step / 40;
            flipped[at] ^= 1 << (step % 8);
            let (collected, result) = extract_within(name, &flipped, &small());
            assert!(
                result.is_err()
                    || !collected.documents.is_empty()
                    || !collected.problems.is_empty(),
                "{name} {at}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_with_any_name_terminate(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        format in 0..21usize,
        n_kept in 0..12usize,
    ) {
        let formats = every_format();
        let (name, valid) = &formats[format];
        let mixed = [&valid[..n_kept.min(valid.len())], &bytes].concat();
        let (collected, _) = extract_within(name, &mixed, &small());
        prop_assert!(n_text_bytes(&collected) <= 1 << 20);
    }

    #[test]
    fn mutated_documents_stay_within_their_limits(
        format in 0..21usize,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let formats = every_format();
        let (name, valid) = &formats[format];
        let mut bytes = valid.clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let limits = ExtractLimits { max_text_bytes: 500, ..small() };
        let (collected, _) = extract_within(name, &bytes, &limits);
        prop_assert!(n_text_bytes(&collected) <= 500);
    }
}
