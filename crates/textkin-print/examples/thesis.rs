//! Writes a sample report: `cargo run --release -p textkin-print --example thesis -- OUT.pdf [WORDS]`.
#![expect(clippy::print_stdout, reason = "an example for the terminal")]

use std::time::Instant;

use textkin_print::{Annotation, Highlight, PdfReport, SourceRow, StripSegment, pdf};

const SENTENCES: [&str; 6] = [
    "The reading rooms of the city were opened in the spring of that year, and by the autumn more than four thousand people had taken out a card.",
    "Nobody had expected the demand for evening hours, least of all the council.",
    "“Who reads, lives twice,” it said above the door, in letters a foot high.",
    "ספריית העיר נפתחה באביב של אותה שנה (1907), ועד הסתיו הוצאו יותר מ-4,000 כרטיסים.",
    "Die Bücher wurden pünktlich zurückgegeben; Лампы были починены, και η θέρμανση πληρώθηκε. 図書館 😀",
    "What remained open was the question of who should choose the books.",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: thesis OUT.pdf [WORDS]")?;
    let words: usize = std::env::args().nth(2).map_or(Ok(1000), |words| words.parse())?;
    let report = report(words);
    let start = Instant::now();
    let bytes = pdf(&report)?;
    println!("{words} words, {} bytes, {:?}", bytes.len(), start.elapsed());
    std::fs::write(path, bytes)?;
    Ok(())
}

fn report(words: usize) -> PdfReport {
    let (mut text, mut marks, mut count, mut strip) = (String::new(), Vec::new(), 0, Vec::new());
    for at in 0.. {
        if count >= words {
            break;
        }
        let sentence = SENTENCES[(at * 7 + at / 5) % 6];
        let start = text.len();
        text += sentence;
        let annotation = match at % 5 {
            1 | 3 => Some(Annotation::Source(at % 9 + 1)),
            2 if sentence.starts_with('“') => Some(Annotation::Excluded("quotation".to_owned())),
            _ => None,
        };
        let n_words = sentence.split(' ').count();
        if let Some(annotation) = annotation {
            strip.push(StripSegment {
                from: count as u64,
                to: (count + n_words) as u64,
                annotation: annotation.clone(),
            });
            marks.push(Highlight { start, end: text.len(), annotation });
        }
        count += n_words;
        text += if at % 6 == 5 { "\n\n" } else { " " };
    }
    let source = |number| SourceRow {
        number,
        title: ["Annual report of the libraries 2023", "Minutes of a meeting", "דוח שנתי"]
            [number % 3]
            .to_owned(),
        facts: "reports · May 2021 · older · same cluster".to_owned(),
        here: ["40%".to_owned(), "412 of 1,030 words".to_owned()],
        there: ["9%".to_owned(), "409 of 4,577 words".to_owned()],
        longest: "88 words".to_owned(),
    };
    PdfReport {
        title: "On libraries, and on those who read in them.pdf".to_owned(),
        facts: vec!["16 Nov 2026, 12:00".to_owned(), "against reports, theses".to_owned()],
        time: Some([2026, 11, 16, 12, 0, 0]),
        share: "40%".to_owned(),
        counts: "412 of 1,030 words found in 9 documents".to_owned(),
        notes: vec![
            "With nothing excluded: 49%, 590 of 1,210 words.".to_owned(),
            "Excluded: matches shorter than 8 words, quotations.".to_owned(),
        ],
        warnings: vec!["31 zero-width characters between letters.".to_owned()],
        words: count as u64,
        strip,
        sources: (1..=9).map(source).collect(),
        after_sources: Some("And 14 documents with smaller matches.".to_owned()),
        before_text: "Matches are numbered by source.".to_owned(),
        text,
        marks,
    }
}
