//! The full text of a result, with each match in the colour and under the number of its source.
//!
//! In: a [`MarkedText`]. Out: HTML in parts of whole lines, so that a browser lays out only the
//! visible ones; and the same marks as positions, so that a script can recolour the text without
//! receiving it again.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::markup::{Markup, shown};
use crate::svg::hue;
use crate::view::{MarkKind, MarkedText, TextRun};

/// Bytes after which a part ends with the next line.
const PART_LEN: usize = 3000;

/// Renders the text in parts. The first mark of source 3 has the ID `found-3`; its number links to
/// `#source-3`.
#[must_use]
pub(crate) fn render(text: &MarkedText) -> Markup {
    let mut html = Markup::default();
    let mut seen = BTreeSet::new();
    let mut last = None;
    let mut length = 0;
    html.push("<div class=\"part\">");
    for run in text.runs() {
        let mut rest = run.text;
        while !rest.is_empty() {
            let wanted = rest.floor_char_boundary(PART_LEN.saturating_sub(length));
            let end = rest[wanted..].find('\n').map_or(rest.len(), |at| wanted + at + 1);
            let (head, tail) = rest.split_at(end);
            write(&mut html, &TextRun { text: head, ..run }, run.mark != last, &mut seen);
            (rest, last, length) = (tail, run.mark.or(last), length + head.len());
            if length >= PART_LEN && head.ends_with('\n') {
                html.push("</div><div class=\"part\">");
                length = 0;
            }
        }
    }
    html.push("</div>");
    html
}

/// Writes a run that lies in one part; `is_first` says whether its mark begins with it.
fn write(html: &mut Markup, run: &TextRun<'_>, is_first: bool, seen: &mut BTreeSet<usize>) {
    match run.kind {
        None => {
            html.text(run.text);
        }
        Some(MarkKind::Source(number)) => {
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
            html.text(run.text).push("</mark>");
        }
        Some(MarkKind::Excluded(reason)) => {
            html.push("<span class=\"x\" data-of=\"").text(reason).push("\">");
            if is_first {
                html.push("<i class=\"why\">").text(reason).push("</i>");
            }
            html.text(run.text).push("</span>");
        }
    }
}

/// A mark as scripts receive it: start, end, and the number of a source or the reason of an
/// exclusion. Positions count UTF-16 units in the text as shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum MarkSpan<'a> {
    Source(usize, usize, usize),
    Excluded(usize, usize, &'a str),
}

/// Returns the marks of a text as scripts receive them.
#[must_use]
pub(crate) fn mark_spans(text: &MarkedText) -> Vec<MarkSpan<'_>> {
    let mut at = 0;
    let mut spans = Vec::new();
    for run in text.runs() {
        let from = at;
        at += run.text.chars().filter_map(shown).map(char::len_utf16).sum::<usize>();
        match run.kind {
            Some(MarkKind::Source(number)) => spans.push(MarkSpan::Source(from, at, *number)),
            Some(MarkKind::Excluded(reason)) => spans.push(MarkSpan::Excluded(from, at, reason)),
            None => {}
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::TextMark;

    fn marked(text: &str, marks: &[(usize, usize, usize)]) -> MarkedText {
        let mark = |&(start, end, number): &(usize, usize, usize)| TextMark {
            start,
            end,
            kind: MarkKind::Source(number),
        };
        MarkedText { text: text.to_owned(), marks: marks.iter().map(mark).collect() }
    }

    #[test]
    fn each_mark_is_numbered_once_and_each_source_has_one_anchor() {
        let html = render(&marked("one two three", &[(0, 3, 7), (8, 13, 7)]));
        assert_eq!(html.as_str().matches("href=\"#source-7\"").count(), 2);
        assert_eq!(html.as_str().matches("id=\"found-7\"").count(), 1);
        assert!(html.as_str().contains("<mark class=\"c0 l1\""));
    }

    #[test]
    fn parts_are_whole_lines_and_nothing_is_lost() {
        let text = "A line of words, again and again.\n".repeat(1000);
        let html = render(&marked(&text, &[(102, text.len() - 102, 1)]));
        let parts = html.as_str().matches("<div class=\"part\">").count();
        assert!((5..=15).contains(&parts), "{parts}");
        assert_eq!(html.as_str().matches("again and again.\n").count(), 1000);
        assert_eq!(html.as_str().matches("class=\"n\"").count(), 1);
        assert_eq!(
            html.as_str().matches("<mark").count(),
            html.as_str().matches("</mark>").count()
        );
        let endless = "x".repeat(20_000);
        assert_eq!(render(&marked(&endless, &[])).as_str().matches("<div").count(), 1);
    }

    #[test]
    fn hostile_text_is_escaped() {
        let excluded = TextMark { start: 0, end: 3, kind: MarkKind::Excluded("\"<i>".to_owned()) };
        let text = MarkedText { text: "<b>\u{202e}\0".to_owned(), marks: vec![excluded] };
        let html = render(&text);
        assert!(html.as_str().contains("data-of=\"&quot;&lt;i&gt;\""));
        assert!(html.as_str().contains("&lt;b&gt;</span>\u{fffd}\u{fffd}</div>"));
    }

    #[test]
    fn mark_spans_count_the_characters_shown() {
        // A carriage return is not shown, a smile takes two units.
        let text = marked("a\r\n😀 b\u{202e}c", &[(0, 1, 1), (3, 7, 2), (8, 13, 1)]);
        let spans = mark_spans(&text);
        let expected =
            [MarkSpan::Source(0, 1, 1), MarkSpan::Source(2, 4, 2), MarkSpan::Source(5, 8, 1)];
        assert_eq!(spans, expected);
        assert_eq!(serde_json::to_string(&spans[0]).unwrap(), "[0,1,1]");
    }
}
