//! Line ends that only the page of a PDF or an old text file had: they are shown as spaces.
//!
//! In: a text. Out: the same text with the same bytes, except that a line end within a paragraph is a
//! space. So all positions in it stay the same.

use std::borrow::Cow;

/// The width of lines that were broken by a program, in characters.
const WIDTHS: std::ops::RangeInclusive<usize> = 55..=120;
/// The minimum number of lines from which the width is derived.
const MIN_LINES: usize = 8;

/// Joins the lines of paragraphs, if the text was broken into lines of a fixed width. Verses, lists and
/// tables stay as they are.
#[must_use]
pub fn joined_lines(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut lengths: Vec<usize> =
        lines.iter().map(|line| line.trim().chars().count()).filter(|length| *length > 0).collect();
    lengths.sort_unstable();
    if lengths.len() < MIN_LINES {
        return Cow::Borrowed(text);
    }
    let width = lengths[lengths.len() * 9 / 10];
    let pairs = || lines.windows(2).filter(|pair| continues(pair[0], pair[1], width));
    // In prose, many lines begin within a sentence.
    let n_joined = pairs().count();
    let n_lower =
        pairs().filter(|pair| pair[1].trim_start().starts_with(char::is_lowercase)).count();
    if !WIDTHS.contains(&width) || n_lower * 3 < n_joined || n_joined == 0 {
        return Cow::Borrowed(text);
    }
    let mut joined = String::with_capacity(text.len());
    for (at, line) in lines.iter().enumerate() {
        joined.push_str(line);
        if let Some(next) = lines.get(at + 1) {
            joined.push(if continues(line, next, width) { ' ' } else { '\n' });
        }
    }
    Cow::Owned(joined)
}

/// Whether a paragraph goes on in the next line.
fn continues(line: &str, next: &str, width: usize) -> bool {
    let (line, first) = (line.trim(), next.trim_start());
    let length = line.chars().count();
    let is_indented = next.len() > first.len() + 1;
    let is_item = first.starts_with(['-', '*', '\u{2022}', '\u{2013}', '|']);
    // The last line of a paragraph is shorter, unless it happens to be full.
    let is_full = length * 100 >= width * 75;
    let is_end = line.ends_with(['.', '!', '?', ':', '\u{201d}', '"']);
    // A short line with the end of a sentence ends its paragraph.
    let ends_paragraph = is_end && length * 100 < width * 88;
    is_full && !(first.is_empty() || is_indented || is_item || ends_paragraph)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wrapped_prose_is_joined_and_paragraphs_stay() {
        let prose = "The reading rooms were opened in the spring of that year, and by the\n\
            autumn more than four thousand people had taken out a card. Nobody had\n\
            expected the demand for evening hours, least of all the council, which\n\
            had voted for them.\n\
            \n\
            A second room, for children, followed two winters later on the other side\n\
            of the river. What remained open was the question of who should choose\n\
            the books, and it was settled, as such questions are, by a committee of\n\
            three.\n\
            - a list\n\
            - of two\n";
        let joined = joined_lines(prose);
        assert!(joined.contains("by the autumn") && joined.contains("Nobody had expected"));
        assert!(
            joined.contains("for them.\n\nA second") && joined.contains("three.\n- a list\n- of")
        );
    }

    #[test]
    fn verses_and_short_texts_stay() {
        let verse =
            "The quality of mercy is not strained\nit droppeth as the gentle rain\n".repeat(9);
        assert_eq!(joined_lines(&verse), verse);
        assert_eq!(joined_lines("one\ntwo"), "one\ntwo");
    }

    proptest! {
        #[test]
        fn every_byte_but_line_ends_stays(text in "([a-zé ]{0,90}[.\n]){0,30}") {
            let joined = joined_lines(&text);
            prop_assert_eq!(joined.len(), text.len());
            for (a, b) in joined.bytes().zip(text.bytes()) {
                prop_assert!(a == b || (a == b' ' && b == b'\n'));
            }
        }
    }
}
