//! A whole text with what is said of its parts.

use super::SegmentKind;

/// A whole text, and which of its parts are found elsewhere or do not count.
#[derive(Clone, Debug, Default)]
pub struct MarkedText {
    /// The text, as it was sent.
    pub text: String,
    /// Its marks, ascending.
    pub marks: Vec<Mark>,
}

/// A part of a text.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// What is said of it.
    pub kind: SegmentKind,
}

/// A stretch of a text between two borders of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch<'a> {
    /// Its characters, at least one.
    pub text: &'a str,
    /// What is said of it, if anything.
    pub kind: Option<&'a SegmentKind>,
    /// The place of its mark among the marks.
    pub mark: Option<usize>,
}

impl MarkedText {
    /// The whole text in stretches, in order. Marks that overlap, go beyond the text or cut a
    /// character in two are shortened to what is left of them.
    pub fn stretches(&self) -> impl Iterator<Item = Stretch<'_>> {
        let mut at = 0;
        let ends = self.marks.iter().enumerate().map(Some).chain([None]);
        ends.flat_map(move |next| {
            let length = self.text.len();
            let (start, end) = next.map_or((length, length), |(_, mark)| {
                let start = self.text.floor_char_boundary(mark.start).max(at);
                (start, self.text.floor_char_boundary(mark.end).max(start))
            });
            let plain = Stretch { text: &self.text[at..start], kind: None, mark: None };
            let marked = Stretch {
                text: &self.text[start..end],
                kind: next.map(|(_, mark)| &mark.kind),
                mark: next.map(|(index, _)| index),
            };
            at = end;
            [plain, marked]
        })
        .filter(|stretch| !stretch.text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_the_whole_text_whatever_the_marks() {
        let mark = |start, end| Mark { start, end, kind: SegmentKind::Source(1) };
        let marks = vec![mark(1, 4), mark(3, 2), mark(2, 6), mark(5, 900), mark(900, 901)];
        let text = MarkedText { text: "aé日b c".to_owned(), marks };
        let found: Vec<_> = text.stretches().map(|part| (part.text, part.mark)).collect();
        assert_eq!(found, [("a", None), ("é", Some(0)), ("日", Some(2)), ("b c", Some(3))]);
        assert_eq!(MarkedText::default().stretches().count(), 0);
    }
}
