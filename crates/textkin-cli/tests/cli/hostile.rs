//! Hostile files: each is read or reported as a problem, and the run continues within its limits.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::self_references::{looping_pdfs, quine_zip};
use crate::support::{BAKERY, Folder, HARBOUR, record};

/// A page as a PostScript program.
const PROGRAM: &str = "%!PS\n/line { 72 exch moveto show } bind def /Courier 10 selectfont\n\
    0 1 9 { /i exch def (a row of words on the page ) 700 i 14 mul sub line i 2 string cvs show } for\n\
    { 1 0 div } stopped { clear (caught) 400 line } if showpage\n";

/// A zip archive; archives in it are stored, other entries are compressed.
fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in entries {
        // Compressed data would grow with every layer.
        let is_archive = name.ends_with(".zip");
        let level = flate2::Compression::new(if is_archive { 0 } else { 9 });
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
        encoder.write_all(content).unwrap();
        let deflated = encoder.finish().unwrap();
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let number = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
        let short = |n: usize| u16::try_from(n).unwrap().to_le_bytes();
        let mut common = vec![20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0x58];
        common.extend(crc.sum().to_le_bytes());
        common.extend(number(deflated.len()));
        common.extend(number(content.len()));
        common.extend(short(name.len()));
        common.extend([0, 0]);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(number(archive.len()));
        directory.extend(name.as_bytes());
        archive.extend(b"PK\x03\x04");
        archive.extend(&common);
        archive.extend(name.as_bytes());
        archive.extend(&deflated);
    }
    let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
    let n_entries = u16::try_from(entries.len()).unwrap().to_le_bytes();
    end.extend([n_entries, n_entries].concat());
    end.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
    end.extend(u32::try_from(archive.len()).unwrap().to_le_bytes());
    end.extend([0, 0]);
    [archive, directory, end].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns all hostile files with their names.
fn hostile() -> Vec<(String, Vec<u8>)> {
    const DEEP: usize = 10_000;
    let spaces = vec![b' '; 32 << 20];
    let mut nested = zip(&[("a.txt", HARBOUR.as_bytes())]);
    for _ in 0..200 {
        nested = zip(&[("inner.zip", &nested)]);
    }
    let around = |before: &str, after: &str| {
        format!("{}word{}", before.repeat(DEEP), after.repeat(DEEP)).into_bytes()
    };
    let mut entities = "<!ENTITY a0 \"word\">".to_owned();
    for n in 1..30 {
        let previous = format!("&a{};", n - 1).repeat(10);
        entities.push_str(&format!("<!ENTITY a{n} \"{previous}\">"));
    }
    let letter = |body: &str| {
        zip(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", body.as_bytes())])
    };
    let mut files = vec![
        ("bomb.gz".to_owned(), gzip(&spaces)),
        ("bomb.zip".to_owned(), zip(&[("bomb.txt", &spaces)])),
        (
            "bomb.docx".to_owned(),
            zip(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", &spaces)]),
        ),
        ("nested.zip".to_owned(), nested),
        ("deep.html".to_owned(), [b"<html>".to_vec(), around("<div>", "</div>")].concat()),
        (
            "deep.xml".to_owned(),
            [b"<?xml version='1.0'?>".to_vec(), around("<a>", "</a>")].concat(),
        ),
        (
            "deep.rtf".to_owned(),
            [b"{\\rtf1 ".to_vec(), around("{\\b ", "}"), b"}".to_vec()].concat(),
        ),
        ("deep.tex".to_owned(), around("\\begin{quote}", "\\end{quote}")),
        ("deep.md".to_owned(), around("> ", "")),
        (
            "deep.jsonl".to_owned(),
            [b"{\"text\":\"deep\",\"x\":".to_vec(), around("[", "]"), b"}".to_vec()].concat(),
        ),
        (
            "deep.eml".to_owned(),
            format!(
                "From: a@b\nMIME-Version: 1.0\n{}\nword\n",
                "Content-Type: message/rfc822\n\n".repeat(DEEP)
            )
            .into_bytes(),
        ),
        ("deep.docx".to_owned(), letter(&"<w:p><w:r><w:t>word</w:t>".repeat(DEEP))),
        (
            "entities.xml".to_owned(),
            format!("<?xml version=\"1.0\"?><!DOCTYPE b [{entities}]><b>&a29;</b>").into_bytes(),
        ),
        (
            "names.zip".to_owned(),
            zip(&[("../../../outside.txt", HARBOUR.as_bytes()), ("/outside.txt", b"b")]),
        ),
        ("long.txt".to_owned(), "a".repeat(200_000).into_bytes()),
        (
            "long.html".to_owned(),
            format!("<html><p>{}</p><{}>", "a".repeat(200_000), "b".repeat(200_000)).into_bytes(),
        ),
        ("loop.pdf".to_owned(), std::fs::read(regressions().join("loop.pdf")).unwrap()),
        ("quine.zip".to_owned(), quine_zip()),
    ];
    for (name, bytes) in looping_pdfs() {
        files.push((format!("looped-{name}"), bytes));
    }
    // Formats read by a worker, truncated and with bits flipped.
    let honest = looping_pdfs().swap_remove(1).1;
    for step in 1..8 {
        for (name, bytes) in [("pdf", &honest), ("ps", &PROGRAM.as_bytes().to_vec())] {
            let at = bytes.len() * step / 8;
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << step;
            files.push((format!("cut-{step}.{name}"), bytes[..at].to_vec()));
            files.push((format!("flipped-{step}.{name}"), flipped));
        }
    }
    // All other formats, truncated and with a bit flipped.
    for entry in std::fs::read_dir(regressions()).unwrap() {
        let path = entry.unwrap().path();
        let (name, bytes) =
            (path.file_name().unwrap().to_str().unwrap(), std::fs::read(&path).unwrap());
        let mut flipped = bytes.clone();
        let middle = bytes.len() / 2;
        flipped[middle] ^= 0x10;
        files.push((format!("cut-{name}"), bytes[..middle].to_vec()));
        files.push((format!("flipped-{name}"), flipped));
    }
    files
}

fn regressions() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/regressions"))
}

#[test]
fn hostile_files_are_read_within_limits_or_reported() {
    let folder = Folder::new();
    folder.write("in/a.txt", HARBOUR);
    folder.write("in/b.txt", HARBOUR);
    let files = hostile();
    for (name, bytes) in &files {
        folder.write(&format!("in/{name}"), bytes);
    }
    let started = Instant::now();
    let run = folder
        .discover(&[
            "in",
            "--out",
            "p.csv",
            "--stats",
            "s.json",
            "--index",
            "i.tkx",
            "--max-seconds",
            "20",
        ])
        .expect(0);
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    let stats = folder.json("s.json");
    assert!(stats["peak_rss_bytes"].as_u64().unwrap() < 2 << 30, "{stats}");
    assert!(folder.read("p.csv").contains("in/a.txt,in/b.txt,"));
    assert!(!folder.path("outside.txt").exists());
    // Each is a reported problem or a document of the index.
    let index = folder.read_bytes("i.tkx");
    for (name, bytes) in &files {
        let is_document = || index.windows(name.len()).any(|part| part == name.as_bytes());
        let is_told = run.stderr.contains(&format!("in/{name}")) || bytes.is_empty();
        // Records and messages have their own ids.
        let has_records = ["jsonl", "csv", "mbox", "warc"].iter().any(|end| name.ends_with(end));
        assert!(is_told || is_document() || has_records, "{name}: {}", run.stderr);
    }
    for name in [
        "bomb.gz",
        "bomb.zip",
        "bomb.docx",
        "nested.zip",
        "quine.zip",
        "looped-pages.pdf",
        "deep.eml",
        "cut-cut.gz",
        "flipped-old.doc",
    ] {
        assert!(run.stderr.contains(&format!("textkin: in/{name}")), "{name}: {}", run.stderr);
    }
}

#[test]
fn commands_survive_all_regression_files() {
    let folder = Folder::new();
    folder.write("honest.txt", BAKERY);
    folder.write("records.jsonl", record("r", BAKERY));
    let mut names = Vec::new();
    for entry in std::fs::read_dir(regressions()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        folder.write(&name, std::fs::read(&path).unwrap());
        names.push(name);
    }
    names.sort();
    for name in &names {
        for arguments in [
            &["discover", name, "honest.txt", "--threshold", "0"][..],
            &["compare", name, "honest.txt", "--format", "json"],
            &["compare", name, name, "--html", "page.html"],
            &["verify", name, "honest.txt", name],
            &["dedup", name, "--out", "cleaned", "--dry-run"],
        ] {
            let run = folder.textkin(arguments);
            assert!((0..=2).contains(&run.code), "{arguments:?}: {run:?}");
            assert!(!run.stderr.contains("panicked"), "{arguments:?}: {run:?}");
            assert!(run.code < 2 || run.stderr.contains(name.as_str()), "{arguments:?}: {run:?}");
        }
    }
}
