//! Any report can be printed, and its text can be extracted again.

use proptest::prelude::*;
use textkin_print::{Annotation, Highlight, PdfReport, SourceRow, StripSegment, pdf};

/// A report with highlights at these bytes.
fn report(text: &str, marks: &[(usize, usize)]) -> PdfReport {
    let annotation = |at: usize| match at % 3 {
        2 => Annotation::Excluded("quotation".to_owned()),
        _ => Annotation::Source(at + 1),
    };
    let mark = |(at, &(start, end))| Highlight { start, end, annotation: annotation(at) };
    let source = |number| SourceRow {
        number,
        title: format!("Source number {number}"),
        facts: "reports · May 2021 · older".to_owned(),
        here: ["40%".to_owned(), "412 of 1,030 words".to_owned()],
        there: ["9%".to_owned(), "409 of 4,577 words".to_owned()],
        longest: "88 words".to_owned(),
    };
    PdfReport {
        title: "On libraries".to_owned(),
        facts: vec!["16 Nov 2026, 12:00".to_owned()],
        time: Some([2026, 11, 16, 12, 0, 0]),
        share: "40%".to_owned(),
        counts: "412 of 1,030 words found in 7 documents".to_owned(),
        notes: vec!["With nothing excluded: 49%.".to_owned()],
        warnings: vec!["31 zero-width characters between letters.".to_owned()],
        words: 1030,
        strip: vec![StripSegment { from: 10, to: 400, annotation: Annotation::Source(1) }],
        sources: (1..=30).map(source).collect(),
        after_sources: Some("And 14 documents with smaller matches.".to_owned()),
        text: text.to_owned(),
        marks: marks.iter().enumerate().map(mark).collect(),
        ..PdfReport::default()
    }
}

/// Extracts the text with the project's own PDF reader, white space normalized.
fn read(pdf: &[u8]) -> String {
    let read = textkin_extract::pdf_text(pdf, usize::MAX).expect("the PDF can be read");
    read.split_whitespace().collect::<Vec<_>>().join(" ")
}

const WORDS: &str = "The reading rooms of the city were opened in the spring of that year, and by \
    the autumn more than four thousand people had taken out a card. Nobody had expected the demand.";

#[test]
fn printed_text_can_be_extracted_in_order() {
    let text = format!("{WORDS}\n\n{WORDS}\r\n{WORDS}");
    let range_of = |words: &str| text.find(words).map(|at| (at, at + words.len())).unwrap();
    let marks = ["reading rooms", "the spring of that", "four thousand people"].map(range_of);
    let mut report = report(&text, &marks);
    let whole = read(&pdf(&report).unwrap());
    for words in [
        "On libraries",
        "16 Nov 2026, 12:00",
        "31 zero-width characters",
        "412 of 1,030 words found in 7 documents",
        "With nothing excluded: 49%.",
        "Source number 30",
        "And 14 documents with smaller matches.",
    ] {
        assert!(whole.contains(words), "{words:?} not found in {whole}");
    }
    report.sources.clear();
    let read = read(&pdf(&report).unwrap());
    // Numbers and reasons appear before passages; the words continue around them.
    assert!(read.contains("The 1 reading rooms of the city were opened in 2 the spring"), "{read}");
    let plain = WORDS.split_whitespace();
    let mut rest = &read[read.find(" Text ").unwrap() + 6..];
    for word in plain.clone().chain(plain.clone()).chain(plain) {
        let at = rest.find(word).unwrap_or_else(|| panic!("{word} is not in {rest}"));
        rest = &rest[at + word.len()..];
    }
}

#[test]
fn other_scripts_can_be_extracted() {
    let text = "Ελληνικά κείμενο\nкнига библиотека\né e\u{301} ﬁn\nשלום\nكتاب";
    let read = read(&pdf(&report(text, &[])).unwrap());
    // Hebrew is drawn from right to left; readers may or may not reverse it.
    for word in ["Ελληνικά", "библиотека", "שלום"] {
        let reversed: String = word.chars().rev().collect();
        assert!(read.contains(word) || read.contains(&reversed), "{word} is not in {read}");
    }
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    let report = report(&WORDS.repeat(40), &[(4, 17), (30, 440)]);
    assert_eq!(pdf(&report).unwrap(), pdf(&report).unwrap());
}

#[test]
fn difficult_texts_are_printed() {
    let endless = "x".repeat(1_000_000);
    let lines = "\n".repeat(100_000);
    let deep = "a\u{301}\u{302}".repeat(3000);
    for text in [
        "",
        " ",
        "\n\n",
        "\0\u{1}\u{7f}\u{85}\u{2028}\u{2029}\u{202e}\u{2066}",
        "\u{10fffd}\u{e000}\u{fdd0}\u{fffe}",
        "👩‍👩‍👧‍👦 🏳️‍🌈 😀 🇨🇭",
        "日本語の文章です。漢字とかな交じり。",
        "שלום (עולם) 123 abc مرحبا بالعالم 45%",
        "\u{301}\u{301} starts with marks",
        "नमस्ते दुनिया ไทยภาษา",
        &endless,
        &lines,
        &deep,
    ] {
        let mut report = report(text, &[(0, 3), (2, 1), (1, 7), (5, usize::MAX)]);
        let head = text.char_indices().nth(3000).map_or(text, |(at, _)| &text[..at]);
        report.title = head.to_owned();
        report.share = head.to_owned();
        report.sources[0].title = head.to_owned();
        report.marks[2].annotation = Annotation::Excluded(head.to_owned());
        assert!(pdf(&report).unwrap().starts_with(b"%PDF"), "{head}");
    }
    assert!(pdf(&PdfReport::default()).unwrap().starts_with(b"%PDF"));
}

#[test]
fn a_cut_is_stated() {
    let long = "x\n".repeat(120_000);
    let bytes = pdf(&report(&long, &[])).unwrap();
    assert!(
        read(&bytes).contains("Download the HTML report for the complete text."),
        "the last page states the cut"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_text_is_printed(text in "\\PC{0,200}|[\u{590}-\u{6ff} a-z0-9()\n\t]{0,300}|.{0,60}", marks in prop::collection::vec((0..400usize, 0..400usize), 0..6)) {
        let mut report = report(&text, &marks);
        report.title = text;
        prop_assert!(pdf(&report).is_ok());
    }
}
