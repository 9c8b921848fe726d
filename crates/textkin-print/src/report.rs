//! The content of a report: plain data, worded for the reader.

/// A result report.
#[derive(Clone, Debug, Default)]
pub struct PdfReport {
    /// The title of the text, repeated on every page.
    pub title: String,
    /// When the text was checked and against what: short phrases.
    pub facts: Vec<String>,
    /// When the text was checked: year, month, day, hour, minute, second, in UTC.
    pub time: Option<[u16; 6]>,
    /// `40%`.
    pub share: String,
    /// `412 of 1,030 words found in 7 documents`.
    pub counts: String,
    /// The share with nothing excluded, and the exclusions: one sentence each.
    pub notes: Vec<String>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Number of words in the text: the length of the strip.
    pub words: u64,
    /// Segments of the strip, ascending.
    pub strip: Vec<StripSegment>,
    /// The sources, best first.
    pub sources: Vec<SourceRow>,
    /// A note after the sources, or in their place.
    pub after_sources: Option<String>,
    /// A note before the text, or in its place.
    pub before_text: String,
    /// The text.
    pub text: String,
    /// Highlighted ranges, ascending, in bytes. Overlapping ones are shortened.
    pub marks: Vec<Highlight>,
}

/// Why words are highlighted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Annotation {
    /// They are also found in the source with this number, from 1.
    Source(usize),
    /// They are excluded, for this reason.
    Excluded(String),
}

/// A segment of the strip, which shows the matches along the text.
#[derive(Clone, Debug)]
pub struct StripSegment {
    /// Index of the first word.
    pub from: u64,
    /// Index after the last word.
    pub to: u64,
    /// Why it is marked.
    pub annotation: Annotation,
}

/// A highlighted range of the text.
#[derive(Clone, Debug)]
pub struct Highlight {
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    /// Why it is marked.
    pub annotation: Annotation,
}

/// A row of the table of sources.
#[derive(Clone, Debug, Default)]
pub struct SourceRow {
    /// Its number, from 1.
    pub number: usize,
    /// Its title, or a placeholder for a private match.
    pub title: String,
    /// Repository, date, badges.
    pub facts: String,
    /// Share of this text: `40%` and `412 of 1,030 words`.
    pub here: [String; 2],
    /// Share of the source; empty if it is not shown.
    pub there: [String; 2],
    /// Longest match: `88 words`; empty if it is not shown.
    pub longest: String,
}

/// Splits `text` at its highlights: byte ranges in order, each with the index of its highlight.
pub(crate) fn marked_ranges(text: &str, marks: &[Highlight]) -> Vec<(usize, usize, Option<usize>)> {
    let mut ranges = Vec::with_capacity(marks.len() * 2 + 1);
    let mut at = 0;
    for (index, mark) in marks.iter().enumerate() {
        let start = text.floor_char_boundary(mark.start).max(at);
        let end = text.floor_char_boundary(mark.end).max(start);
        if end > start {
            ranges.extend((start > at).then_some((at, start, None)));
            ranges.push((start, end, Some(index)));
            at = end;
        }
    }
    ranges.extend((at < text.len()).then_some((at, text.len(), None)));
    ranges
}
