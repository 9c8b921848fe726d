//! What is printed: plain data, in the words in which it is to be read.

/// What was found of a text.
#[derive(Clone, Debug, Default)]
pub struct PdfReport {
    /// The title of the text. Every page has it.
    pub title: String,
    /// When it was sent, and where it was looked for: short phrases.
    pub facts: Vec<String>,
    /// When it was sent: year, month, day, hour, minute, second, in UTC.
    pub time: Option<[u16; 6]>,
    /// `40%`.
    pub share: String,
    /// `412 of 1,030 words found in 7 documents`.
    pub counts: String,
    /// What it is with nothing excluded, and what is excluded: a sentence each.
    pub notes: Vec<String>,
    /// What is worth a warning.
    pub warnings: Vec<String>,
    /// Words of the text: the length of the strip.
    pub words: u64,
    /// Runs of words of the strip, ascending.
    pub strip: Vec<StripSegment>,
    /// Where it was found, best first.
    pub sources: Vec<SourceRow>,
    /// What is said after the sources, or instead of them.
    pub after_sources: Option<String>,
    /// What is said before the text, or instead of it.
    pub before_text: String,
    /// The text.
    pub text: String,
    /// Its marks, ascending, in bytes. Those that overlap are shortened.
    pub marks: Vec<Highlight>,
}

/// What is said of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Annotation {
    /// They are found in the source of this number, from 1 on.
    Source(usize),
    /// They do not count, for this reason.
    Excluded(String),
}

/// A run of words of the strip.
#[derive(Clone, Debug)]
pub struct StripSegment {
    /// The first word, from 0 on.
    pub from: u64,
    /// The word after the last.
    pub to: u64,
    /// What is said of it.
    pub annotation: Annotation,
}

/// A part of the text.
#[derive(Clone, Debug)]
pub struct Highlight {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// What is said of it.
    pub annotation: Annotation,
}

/// A row of the table of sources.
#[derive(Clone, Debug, Default)]
pub struct SourceRow {
    /// Its number, from 1 on.
    pub number: usize,
    /// Its title, or that it is held by another owner.
    pub title: String,
    /// Repository, date, badges.
    pub facts: String,
    /// `40%`, and `412 of 1,030 words`.
    pub here: [String; 2],
    /// The same of the other text; empty where it is not told.
    pub there: [String; 2],
    /// `88 words`; empty where it is not told.
    pub longest: String,
}

/// Where the marks of `text` are: its bytes in order, each stretch with the place of its mark.
pub(crate) fn marked_ranges(text: &str, marks: &[Highlight]) -> Vec<(usize, usize, Option<usize>)> {
    let mut found = Vec::with_capacity(marks.len() * 2 + 1);
    let mut at = 0;
    for (index, mark) in marks.iter().enumerate() {
        let start = text.floor_char_boundary(mark.start).max(at);
        let end = text.floor_char_boundary(mark.end).max(start);
        if end > start {
            found.extend((start > at).then_some((at, start, None)));
            found.push((start, end, Some(index)));
            at = end;
        }
    }
    found.extend((at < text.len()).then_some((at, text.len(), None)));
    found
}
