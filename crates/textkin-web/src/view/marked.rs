//! A whole text with marks: matches and exclusions.

use super::MarkKind;

/// A whole text, and which of its parts match a source or are excluded.
#[derive(Clone, Debug, Default)]
pub struct MarkedText {
    /// The text, as submitted.
    pub text: String,
    /// The marks, ascending.
    pub marks: Vec<TextMark>,
}

/// A marked part of a text.
#[derive(Clone, Debug, Default)]
pub struct TextMark {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
    /// Why it is marked.
    pub kind: MarkKind,
}

/// The text between two borders of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextRun<'a> {
    /// Its characters, at least one.
    pub text: &'a str,
    /// Why it is marked, if it is.
    pub kind: Option<&'a MarkKind>,
    /// The index of its mark.
    pub mark: Option<usize>,
}

impl MarkedText {
    /// Returns the whole text as runs, in order. Marks that overlap, go beyond the text or split a
    /// character are shortened to what is left of them.
    pub fn runs(&self) -> impl Iterator<Item = TextRun<'_>> {
        let mut at = 0;
        let ends = self.marks.iter().enumerate().map(Some).chain([None]);
        ends.flat_map(move |next| {
            let length = self.text.len();
            let (start, end) = next.map_or((length, length), |(_, mark)| {
                let start = self.text.floor_char_boundary(mark.start).max(at);
                (start, self.text.floor_char_boundary(mark.end).max(start))
            });
            let plain = TextRun { text: &self.text[at..start], kind: None, mark: None };
            let marked = TextRun {
                text: &self.text[start..end],
                kind: next.map(|(_, mark)| &mark.kind),
                mark: next.map(|(index, _)| index),
            };
            at = end;
            [plain, marked]
        })
        .filter(|run| !run.text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_the_whole_text_whatever_the_marks() {
        let mark = |start, end| TextMark { start, end, kind: MarkKind::Source(1) };
        let marks = vec![mark(1, 4), mark(3, 2), mark(2, 6), mark(5, 900), mark(900, 901)];
        let text = MarkedText { text: "aé日b c".to_owned(), marks };
        let found: Vec<_> = text.runs().map(|run| (run.text, run.mark)).collect();
        assert_eq!(found, [("a", None), ("é", Some(0)), ("日", Some(2)), ("b c", Some(3))]);
        assert_eq!(MarkedText::default().runs().count(), 0);
    }
}
