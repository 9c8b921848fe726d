//! Cuts: the bytes to remove from a text, chosen so that the rest stays readable.

use std::ops::Range;

use textkin_core::Span;

/// Characters that join several tokens into one written word, which is never split by a cut.
const JOINERS: &str = "-\u{2010}\u{2011}'\u{2019}/_.:@&+~=·";

/// The spans to remove from a text, ascending and separate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cuts(Vec<Span>);

impl Cuts {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a cut and merges it with the cuts that it touches.
    pub(crate) fn insert(&mut self, mut span: Span) {
        let touches = |cut: &Span| cut.start <= span.end && span.start <= cut.end;
        let first = self.0.partition_point(|cut| cut.end < span.start);
        let n = self.0[first..].iter().take_while(|cut| touches(cut)).count();
        if let Some((head, tail)) = self.0[first..first + n].first().zip(self.0[..first + n].last())
        {
            span = Span::new(span.start.min(head.start), span.end.max(tail.end));
        }
        self.0.splice(first..first + n, [span]);
    }

    /// Returns `text` without the cuts.
    pub(crate) fn apply(&self, text: &str) -> String {
        self.rest(text).text
    }

    /// Returns `text` without the cuts, with the original positions. A space is inserted where two
    /// words would become adjacent.
    pub(super) fn rest(&self, text: &str) -> RemainingText {
        let mut rest =
            RemainingText { text: String::with_capacity(text.len()), segments: Vec::new() };
        let mut at = 0;
        for cut in
            self.0.iter().map(|cut| cut.range()).chain(std::iter::once(text.len()..text.len()))
        {
            let segment = &text[at..cut.start];
            let is_open = |text: &str| text.chars().next_back().is_some_and(|c| !c.is_whitespace());
            if is_open(&rest.text) && segment.starts_with(|c: char| !c.is_whitespace()) {
                rest.text.push(' ');
            }
            if !segment.is_empty() {
                rest.segments.push(KeptSegment { at: rest.text.len(), from: at..cut.start });
            }
            rest.text.push_str(segment);
            at = cut.end;
        }
        rest
    }
}

/// The text that remains after cuts.
#[derive(Debug)]
pub(super) struct RemainingText {
    pub(super) text: String,
    segments: Vec<KeptSegment>,
}

/// A kept part of a text: its start in the remaining text, and its original range.
#[derive(Debug)]
struct KeptSegment {
    at: usize,
    from: Range<usize>,
}

impl RemainingText {
    /// Returns the original position of a range of the remaining text.
    pub(super) fn original(&self, range: Range<usize>) -> Span {
        let end_of = |segment: &KeptSegment| segment.at + segment.from.len();
        let first = self.segments.partition_point(|segment| end_of(segment) <= range.start);
        let last = self.segments.partition_point(|segment| segment.at < range.end);
        let start = self
            .segments
            .get(first)
            .map_or(0, |segment| segment.from.start + range.start.saturating_sub(segment.at));
        let end = self.segments[..last].last().map_or(start, |segment| {
            segment.from.start + (range.end - segment.at).min(segment.from.len())
        });
        let byte = |offset: usize| u32::try_from(offset).expect("a text is limited to 4 GiB");
        Span::new(byte(start), byte(end.max(start)))
    }
}

/// Drops tokens at both ends that are parts of a written word which extends beyond `tokens`
/// (`well-known`), unless no token would remain.
pub(super) fn without_partial_words(
    text: &str,
    spans: &[Span],
    tokens: Range<usize>,
) -> Range<usize> {
    let (mut start, mut end) = (tokens.start, tokens.end);
    while start < end && start > 0 && is_joined(text, spans[start - 1], spans[start]) {
        start += 1;
    }
    while end > start && end < spans.len() && is_joined(text, spans[end - 1], spans[end]) {
        end -= 1;
    }
    if start < end { start..end } else { tokens }
}

/// Returns whether two consecutive tokens belong to the same written word.
fn is_joined(text: &str, one: Span, other: Span) -> bool {
    if other.start < one.end {
        return true;
    }
    let gap = &text[one.end as usize..other.start as usize];
    !gap.is_empty() && gap.chars().all(|character| JOINERS.contains(character))
}

/// Returns the bytes to remove for `tokens`, including attached punctuation. Of the white space on
/// both sides, the side with more line ends is kept.
pub(super) fn bytes_of(text: &str, spans: &[Span], tokens: Range<usize>) -> Range<usize> {
    let (mut start, mut end) =
        (spans[tokens.start].start as usize, spans[tokens.end - 1].end as usize);
    let before = if tokens.start == 0 { 0 } else { spans[tokens.start - 1].end as usize };
    let after = spans.get(tokens.end).map_or(text.len(), |next| next.start as usize);
    // One character may be several tokens, so that spans overlap.
    let (before, after) = (before.min(start), after.max(end));
    match text[before..start].char_indices().rfind(|(_, character)| character.is_whitespace()) {
        Some((at, space)) => start = before + at + space.len_utf8(),
        None if before == 0 => start = 0,
        None => {}
    }
    match text[end..after].find(char::is_whitespace) {
        Some(at) => end += at,
        None if after == text.len() => end = after,
        None => {}
    }
    let head = text[..start].trim_end();
    let tail = text[end..].trim_start();
    let (left, right) = (&text[head.len()..start], &text[end..text.len() - tail.len()]);
    let n_lines = |space: &str| space.matches('\n').count();
    match (head.is_empty(), tail.is_empty()) {
        (true, true) => 0..text.len(),
        (true, false) => start..end + right.len(),
        (false, true) => head.len()..end,
        (false, false) if left.is_empty() || right.is_empty() => start..end,
        (false, false) if n_lines(right) > n_lines(left) => head.len()..end,
        (false, false) => start..end + right.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str, words: &[&str]) -> Vec<Span> {
        let mut at = 0;
        let span = |word: &&str| {
            let start = at + text[at..].find(word).unwrap();
            at = start + word.len();
            Span::new(u32::try_from(start).unwrap(), u32::try_from(at).unwrap())
        };
        words.iter().map(span).collect()
    }

    fn cut(text: &str, words: &[&str], tokens: Range<usize>) -> String {
        let mut cuts = Cuts::default();
        let range = bytes_of(text, &spans(text, words), tokens);
        cuts.insert(Cuts::default().rest(text).original(range));
        cuts.apply(text)
    }

    #[test]
    fn punctuation_is_removed_with_its_words_and_one_space_is_kept() {
        assert_eq!(
            cut("one (two three), four", &["one", "two", "three", "four"], 1..3),
            "one four"
        );
        assert_eq!(
            cut("one\n\ntwo. three\nfour", &["one", "two", "three", "four"], 1..2),
            "one\n\nthree\nfour"
        );
        assert_eq!(cut("one two\n\nthree", &["one", "two", "three"], 1..2), "one\n\nthree");
    }

    #[test]
    fn no_punctuation_is_left_at_the_ends() {
        assert_eq!(cut("one, two\n", &["one", "two"], 0..1), "two\n");
        assert_eq!(cut("one two.\n", &["one", "two"], 1..2), "one\n");
        assert_eq!(cut(" one two.\n", &["one", "two"], 0..2), "");
    }

    #[test]
    fn separate_words_stay_separate() {
        assert_eq!(cut("天地玄", &["天", "地", "玄"], 1..2), "天 玄");
        assert_eq!(cut("1;2;3", &["1", "2", "3"], 1..2), "1; ;3");
    }

    #[test]
    fn a_written_word_of_several_tokens_is_not_split() {
        let text = "a well-known two-fold b";
        let spans = spans(text, &["a", "well", "known", "two", "fold", "b"]);
        assert_eq!(without_partial_words(text, &spans, 2..4), 2..4);
        assert_eq!(without_partial_words(text, &spans, 2..5), 3..5);
        assert_eq!(without_partial_words(text, &spans, 1..4), 1..3);
    }

    #[test]
    fn touching_cuts_are_merged() {
        let mut cuts = Cuts::default();
        for (start, end) in [(10, 12), (2, 4), (12, 14), (4, 5), (20, 21), (3, 11)] {
            cuts.insert(Span::new(start, end));
        }
        assert_eq!(cuts.0, [Span::new(2, 14), Span::new(20, 21)]);
    }

    #[test]
    fn positions_are_mapped_to_the_original_text() {
        let mut cuts = Cuts::default();
        cuts.insert(Span::new(4, 8));
        let rest = cuts.rest("one two three");
        assert_eq!(rest.text, "one three");
        assert_eq!(rest.original(4..9), Span::new(8, 13));
        assert_eq!(rest.original(0..3), Span::new(0, 3));
        assert_eq!(rest.original(0..9), Span::new(0, 13));
    }
}
