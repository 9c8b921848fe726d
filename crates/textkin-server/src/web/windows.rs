//! Windows: the parts of long texts that a page shows at once.
//!
//! In: a text, and where the reader is. Out: the bytes to show, and the queries of the parts before and
//! after. A script loads these as the reader scrolls; without scripts they are links.

use std::ops::Range;

use super::fields::Fields;

/// The maximum bytes of a text that is shown whole.
const WHOLE: usize = 120_000;
/// The bytes of one part of a longer text.
const PART: usize = 40_000;
/// The bytes shown before the passage that a part is about.
const BEFORE: usize = 2_000;

/// Where the reader is in a text: the fields `from` and `to` of the query, with the suffix of the text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Position {
    from: Option<usize>,
    to: Option<usize>,
}

impl Position {
    /// Reads the position in the text that `suffix` names.
    pub(super) fn read(query: &Fields, suffix: &str) -> Self {
        Self {
            from: query.number(&format!("from{suffix}")),
            to: query.number(&format!("to{suffix}")),
        }
    }

    /// Returns the bytes of `text` to show. Without a position, the part has the byte `about`.
    pub(super) fn window(self, text: &str, about: usize) -> Range<usize> {
        if text.len() <= WHOLE {
            return 0..text.len();
        }
        let from = self.from.unwrap_or(about.saturating_sub(BEFORE));
        let from = text.floor_char_boundary(from.min(text.len()));
        // What follows a part continues where it ended; other parts begin and end with a word.
        let from = match (self.from, self.to) {
            (Some(_), None) => from,
            _ => after_space(text, from, text.len()),
        };
        match self.to {
            Some(to) => from..text.floor_char_boundary(to.min(text.len())).max(from),
            None => {
                let to = text.floor_char_boundary((from + PART).min(text.len()));
                let cut = text[from..to].rfind(char::is_whitespace).filter(|_| to < text.len());
                from..cut.map_or(to, |cut| after_space(text, from + cut, to))
            }
        }
    }
}

/// Returns the first position from `at` on that begins a word: one after white space. If there is none
/// before `end` or within some words, it is `at`.
fn after_space(text: &str, at: usize, end: usize) -> usize {
    let is_begin = |at: usize| text[..at].chars().next_back().is_none_or(char::is_whitespace);
    let until = text.floor_char_boundary((at + 200).min(end));
    let places = text[at..until].char_indices().map(|(place, _)| at + place).chain([until]);
    places.into_iter().find(|&at| is_begin(at)).unwrap_or(at)
}

/// Returns the fields of a query for the parts before and after a window of a text with `length` bytes.
pub(super) fn neighbours(
    window: &Range<usize>,
    length: usize,
    suffix: &str,
) -> (Option<String>, Option<String>) {
    let before = window.start.saturating_sub(PART)..window.start;
    let earlier = (window.start > 0).then(|| query(&before, suffix));
    let later = (window.end < length).then(|| format!("from{suffix}={}", window.end));
    (earlier, later)
}

/// Returns a range as fields of a query.
pub(super) fn query(range: &Range<usize>, suffix: &str) -> String {
    format!("from{suffix}={}&to{suffix}={}", range.start, range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(query: &str) -> Position {
        let field = |field: &str| field.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned()));
        Position::read(&Fields(query.split('&').filter_map(field).collect()), "_a")
    }

    #[test]
    fn parts_cover_a_long_text_without_gaps() {
        let sentences = "é and more words, a\u{2003}few of them ".repeat(10_000);
        for text in [sentences, "no spaces é".replace(' ', "").repeat(20_000)] {
            let mut part = Position::default().window(&text, 0);
            assert_eq!(part.start, 0);
            let mut shown = text[part.clone()].to_owned();
            while let (_, Some(later)) = neighbours(&part, text.len(), "_a") {
                part = position(&later).window(&text, 0);
                shown += &text[part.clone()];
            }
            assert!(shown == text, "a part is missing or comes twice");
            let mut shown = text[part.clone()].to_owned();
            while let (Some(earlier), _) = neighbours(&part, text.len(), "_a") {
                // The position of the other text is named in full and stays.
                assert_eq!(position(&query(&part, "_a")).window(&text, 0), part);
                part = position(&earlier).window(&text, 0);
                shown.insert_str(0, &text[part.clone()]);
            }
            assert!(shown == text, "a part is missing or comes twice");
        }
    }

    #[test]
    fn a_part_shows_what_it_is_about_and_short_texts_are_whole() {
        let text = "words ".repeat(50_000);
        let window = Position::default().window(&text, 150_000);
        assert!(window.contains(&150_000) && window.len() <= PART);
        assert_eq!((window.start % 6, window.end % 6), (0, 0));
        assert_eq!(position("from_a=7&to_a=9").window("short text", 3), 0..10);
        let beyond = format!("from_a={}", usize::MAX);
        assert!(position(&beyond).window(&text, 0).is_empty());
    }
}
