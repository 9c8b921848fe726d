//! Hostile PDF and PostScript: text or an error, quickly and within limits.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use textkin_extract::{Error, pdf_text, postscript_text};

use crate::pdf_postscript::{MAX_TEXT, sample_pdf};
use crate::self_references::{READABLE, looping_pdfs};

/// An endless program is stopped at a step limit, which takes seconds, or longer on a busy machine.
const MAX_TIME: Duration = Duration::from_secs(120);

/// Reads `bytes` as PDF.
fn read_pdf(bytes: &[u8]) -> Result<String, Error> {
    check_limits(bytes, pdf_text)
}

/// Reads `bytes` as PostScript.
fn read_postscript(bytes: &[u8]) -> Result<String, Error> {
    check_limits(bytes, postscript_text)
}

fn check_limits(
    bytes: &[u8],
    read: fn(&[u8], usize) -> Result<String, Error>,
) -> Result<String, Error> {
    let start = Instant::now();
    let result = read(bytes, MAX_TEXT);
    assert!(start.elapsed() < MAX_TIME, "it took {:?}", start.elapsed());
    match &result {
        Ok(text) => assert!(text.len() < MAX_TEXT + 1000),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    result
}

#[test]
fn self_referencing_pdfs_are_read_or_give_an_error() {
    for (name, bytes) in looping_pdfs() {
        let result = read_pdf(&bytes);
        // In some, the loop prevents reading the text.
        let unreadable = ["pages", "drawn", "composite", "length", "filters", "object-streams"];
        let is_readable = !unreadable.contains(&name.trim_end_matches(".pdf"));
        match result {
            Ok(text) if is_readable => assert!(text.contains(READABLE), "{name}: {text:?}"),
            Ok(text) => assert!(text.len() < 10_000, "{name}: {text:?}"),
            Err(error) => assert!(!is_readable, "{name}: {error}"),
        }
    }
}

/// Deflates zeros and text that inflate to 110 MB, twice, as the content of a page.
fn nested_flate(dictionary: &str, extra: &[&str]) -> Vec<u8> {
    use std::io::Write;
    let deflate = |bytes: &[u8]| {
        let mut encoder =
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let text = format!("BT /F1 9 Tf {} ET", "(word ) Tj ".repeat(10_000_000));
    let content = deflate(&deflate(text.as_bytes()));
    let length = content.len();
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        &format!("<< /Length {length} {dictionary} >>\nstream\n"),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ];
    for (index, object) in objects.iter().chain(extra).enumerate() {
        offsets.push(file.len());
        write!(file, "{} 0 obj\n{object}", index + 1).unwrap();
        if index == 3 {
            file.extend_from_slice(&content);
            file.extend_from_slice(b"\nendstream");
        }
        file.extend_from_slice(b"\nendobj\n");
    }
    let (table, size) = (file.len(), offsets.len() + 1);
    write!(file, "xref\n0 {size}\n0000000000 65535 f \n").unwrap();
    for offset in offsets {
        writeln!(file, "{offset:010} 00000 n ").unwrap();
    }
    write!(file, "trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n").unwrap();
    file
}

#[test]
fn a_small_pdf_that_grows_very_much_is_rejected_quickly() {
    // The second hides its filters from a look at the bytes of the file.
    let filters = "[/FlateDecode /FlateDecode]";
    let hidden = ["/Filter 6 0 R".to_owned(), filters.to_owned()];
    for (dictionary, extra) in
        [(format!("/Filter {filters}"), vec![]), (hidden[0].clone(), vec![hidden[1].as_str()])]
    {
        let bytes = nested_flate(&dictionary, &extra);
        assert!(bytes.len() < 10_000, "{}", bytes.len());
        let start = Instant::now();
        let result = pdf_text(&bytes, usize::MAX);
        let time = start.elapsed();
        assert_eq!(result, Err(Error::TooDense { limit: 500 }), "{dictionary}");
        assert!(time < Duration::from_secs(5), "{dictionary}: {time:?}");
    }
}

/// A program that uses much of the language: procedures, fonts, data and a comment.
const PROGRAM: &str = "%!PS-Adobe-3.0\n%%Title: (a page)\n/line { 72 exch moveto show } bind def\n\
    /Helvetica findfont dup length dict begin { 1 index /FID ne { def } { pop pop } ifelse } forall\n\
    /Encoding ISOLatin1Encoding def currentdict end /Latin exch definefont pop\n\
    /Latin 10 selectfont (caf\\351 \\(closed\\)) 700 line <48656c6c6f> 686 line\n\
    0 1 5 { /i exch def 72 600 i 14 mul sub moveto (row ) show i 2 string cvs show } for\n\
    gsave 0.5 dup scale 100 100 translate [1 0 0 1 5 5] concat (scaled) 20 line grestore\n\
    /words [(one) (two) (three)] def words { 10 0 rmoveto show } forall\n\
    currentfile /ASCIIHexDecode filter 5 string readstring 776f726473> pop 500 line\n\
    { 1 0 div } stopped { clear (caught) 400 line } if\n\
    << /a 1 /b (two) >> { pop pop } forall 3 -1 roll count copy clear showpage\n";

#[test]
fn mutated_and_truncated_postscript_terminates() {
    let text = read_postscript(PROGRAM.as_bytes()).unwrap();
    assert!(text.contains("café (closed)") && text.contains("row 5"), "{text}");
    for at in 0..PROGRAM.len() {
        // Truncated everywhere; one bit flipped in each byte, at varying positions.
        let _ = read_postscript(&PROGRAM.as_bytes()[..at]);
        let mut flipped = PROGRAM.as_bytes().to_vec();
        flipped[at] ^= 1 << (at % 8);
        let _ = read_postscript(&flipped);
    }
}

#[test]
fn mutated_and_truncated_pdf_terminates() {
    let bytes = sample_pdf();
    for at in (0..bytes.len()).step_by(bytes.len() / 500) {
        let _ = read_pdf(&bytes[..at]);
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        let _ = read_pdf(&flipped);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn mutated_postscript_terminates(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        moved in (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0usize..40),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = PROGRAM.as_bytes().to_vec();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let (from, to, len) = moved;
        let from = from.index(bytes.len());
        let piece = bytes[from..(from + len).min(bytes.len())].to_vec();
        let to = to.index(bytes.len());
        bytes.splice(to..to, piece);
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let _ = read_postscript(&bytes);
    }

    #[test]
    fn mutated_loops_terminate(
        index in any::<prop::sample::Index>(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), b'0'..=b'9'), 1..6),
    ) {
        // References and offsets are digits: other digits point elsewhere.
        let loops = looping_pdfs();
        let mut bytes = loops[index.index(loops.len())].1.clone();
        let digits: Vec<usize> =
            (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
        for (at, digit) in changes {
            bytes[digits[at.index(digits.len())]] = digit;
        }
        let _ = read_pdf(&bytes);
    }
}
