//! The whole text of a result, with passages in the colour and under the number of their source.
//!
//! In: a [`MarkedText`]. Out: HTML in parts of whole lines, of which a browser lays out only those in
//! sight; and the same marks as places that a script counts in what is shown, so that it can tint the
//! text anew without being sent it again.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::markup::{Html, shown};
use crate::svg::hue;
use crate::view::{MarkedText, SegmentKind, Stretch};

/// Bytes after which a part ends with the next line.
const PART: usize = 3000;

/// The text in parts. The first mark of source 3 has the id `found-3`; its number leads to
/// `#source-3`.
#[must_use]
pub(crate) fn whole(text: &MarkedText) -> Html {
    let mut html = Html::default();
    let mut seen = BTreeSet::new();
    let mut last = None;
    let mut length = 0;
    html.push("<div class=\"part\">");
    for stretch in text.stretches() {
        let mut rest = stretch.text;
        while !rest.is_empty() {
            let wanted = rest.floor_char_boundary(PART.saturating_sub(length));
            let end = rest[wanted..].find('\n').map_or(rest.len(), |at| wanted + at + 1);
            let (head, tail) = rest.split_at(end);
            write(&mut html, &Stretch { text: head, ..stretch }, stretch.mark != last, &mut seen);
            (rest, last, length) = (tail, stretch.mark.or(last), length + head.len());
            if length >= PART && head.ends_with('\n') {
                html.push("</div><div class=\"part\">");
                length = 0;
            }
        }
    }
    html.push("</div>");
    html
}

/// Writes a stretch that lies in one part; `is_first` says whether its mark begins with it.
fn write(html: &mut Html, stretch: &Stretch<'_>, is_first: bool, seen: &mut BTreeSet<usize>) {
    match stretch.kind {
        None => {
            html.text(stretch.text);
        }
        Some(SegmentKind::Source(number)) => {
            let hue = hue(number.saturating_sub(1));
            html.push(&format!("<mark class=\"{hue}\" data-of=\"{number}\""));
            if is_first && seen.insert(*number) {
                html.push(&format!(" id=\"found-{number}\""));
            }
            html.push(">");
            if is_first {
                html.push(&format!(
                    "<a class=\"n\" href=\"#source-{number}\" aria-label=\"source {number}\">{number}</a>"
                ));
            }
            html.text(stretch.text).push("</mark>");
        }
        Some(SegmentKind::Excluded(reason)) => {
            html.push("<span class=\"x\" data-of=\"").text(reason).push("\">");
            if is_first {
                html.push("<i class=\"why\">").text(reason).push("</i>");
            }
            html.text(stretch.text).push("</span>");
        }
    }
}

/// A mark as scripts have it: from, to, and the number of a source or why it does not count. Places
/// count units of UTF-16 in the text as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Place<'a> {
    Source(usize, usize, usize),
    Excluded(usize, usize, &'a str),
}

/// The marks of a text as scripts have them.
#[must_use]
pub(crate) fn places(text: &MarkedText) -> Vec<Place<'_>> {
    let mut at = 0;
    let mut places = Vec::new();
    for stretch in text.stretches() {
        let from = at;
        at += stretch.text.chars().filter_map(shown).map(char::len_utf16).sum::<usize>();
        match stretch.kind {
            Some(SegmentKind::Source(number)) => places.push(Place::Source(from, at, *number)),
            Some(SegmentKind::Excluded(reason)) => places.push(Place::Excluded(from, at, reason)),
            None => {}
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Mark;

    fn marked(text: &str, marks: &[(usize, usize, usize)]) -> MarkedText {
        let mark = |&(start, end, number): &(usize, usize, usize)| Mark {
            start,
            end,
            kind: SegmentKind::Source(number),
        };
        MarkedText { text: text.to_owned(), marks: marks.iter().map(mark).collect() }
    }

    #[test]
    fn a_mark_has_its_number_once_and_a_source_one_place() {
        let html = whole(&marked("one two three", &[(0, 3, 7), (8, 13, 7)]));
        assert_eq!(html.as_str().matches("href=\"#source-7\"").count(), 2);
        assert_eq!(html.as_str().matches("id=\"found-7\"").count(), 1);
        assert!(html.as_str().contains("<mark class=\"c0 l1\""));
    }

    #[test]
    fn parts_are_whole_lines_and_nothing_is_lost() {
        let text = "A line of words, again and again.\n".repeat(1000);
        let html = whole(&marked(&text, &[(102, text.len() - 102, 1)]));
        let parts = html.as_str().matches("<div class=\"part\">").count();
        assert!((5..=15).contains(&parts), "{parts}");
        assert_eq!(html.as_str().matches("again and again.\n").count(), 1000);
        assert_eq!(html.as_str().matches("class=\"n\"").count(), 1);
        assert_eq!(
            html.as_str().matches("<mark").count(),
            html.as_str().matches("</mark>").count()
        );
        let endless = "x".repeat(20_000);
        assert_eq!(whole(&marked(&endless, &[])).as_str().matches("<div").count(), 1);
    }

    #[test]
    fn hostile_text_is_text() {
        let excluded = Mark { start: 0, end: 3, kind: SegmentKind::Excluded("\"<i>".to_owned()) };
        let text = MarkedText { text: "<b>\u{202e}\0".to_owned(), marks: vec![excluded] };
        let html = whole(&text);
        assert!(html.as_str().contains("data-of=\"&quot;&lt;i&gt;\""));
        assert!(html.as_str().contains("&lt;b&gt;</span>\u{fffd}\u{fffd}</div>"));
    }

    #[test]
    fn places_count_what_is_shown() {
        // A carriage return is not shown, a smile takes two units.
        let text = marked("a\r\n😀 b\u{202e}c", &[(0, 1, 1), (3, 7, 2), (8, 13, 1)]);
        let places = places(&text);
        let expected = [Place::Source(0, 1, 1), Place::Source(2, 4, 2), Place::Source(5, 8, 1)];
        assert_eq!(places, expected);
        assert_eq!(serde_json::to_string(&places[0]).unwrap(), "[0,1,1]");
    }
}
