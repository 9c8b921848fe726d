//! A comparison as one self-contained HTML page.
//!
//! In: a comparison. Out: a page with both texts side by side that needs no network and runs only its
//! own script. Texts are a few elements per passage, never one per word. The page contains the
//! comparison as JSON, so that it can be verified later.
//!
//! `page.html` is the template, `page.css` the style, `page.js` the script; without scripts the page
//! can still be read and printed.

use std::fmt::Write as _;

use textkin_core::{Overlap, SegmentKind};

use super::json::{WithText, comparison_json};
use super::pieces::{TextPiece, marked_pieces};
use super::policy::policy;
use super::{ComparedText, Comparison, Side};
use crate::label::visible;
use crate::notes::notes_text;
use crate::terminal::{counted, percent_text, thousands};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Number of colours and underlines; passage numbers distinguish the rest.
const COLOURS: usize = 6;
const LINES: usize = 4;

/// Maximum disguised characters listed by code point.
const MAX_NUMBERS: usize = 4;

/// Renders the comparison as an HTML page.
#[must_use]
pub fn comparison_page(comparison: &Comparison<'_>) -> String {
    let mut page = String::with_capacity(
        (comparison.a.text.len() + comparison.b.text.len()) * 5 / 4
            + TEMPLATE.len()
            + STYLE.len()
            + SCRIPT.len(),
    );
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("every placeholder is closed");
        page.push_str(before);
        fill(name, comparison, &mut page);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// Writes the value of the placeholder `name`.
fn fill(name: &str, comparison: &Comparison<'_>, page: &mut String) {
    let settings = &comparison.settings;
    match name {
        "policy" => page.push_str(&policy(STYLE, SCRIPT)),
        "style" => page.push_str(STYLE),
        "script" => page.push_str(SCRIPT),
        "version" => escape(settings.version, page),
        "id_a" => escape(&visible(comparison.a.id), page),
        "id_b" => escape(&visible(comparison.b.id), page),
        "score" => score(&comparison.overlap, page),
        "raw" => {
            if let Some(raw) = &comparison.raw {
                page.push_str("<p class=\"raw\">Before exclusions: ");
                score(raw, page);
                page.push_str("</p>");
            }
        }
        "notes" => notes(comparison, page),
        "counts" => page.push_str(&counts(comparison)),
        "text_a" => text(comparison, Side::A, page),
        "text_b" => text(comparison, Side::B, page),
        "rewritten" => super::rewritten::section(comparison, page),
        "details" => details(comparison, page),
        // Text with "</script>" must not end the element.
        "json" => page.push_str(&comparison_json(comparison, WithText::No).replace('<', "\\u003c")),
        _ => unreachable!("unknown placeholder '{name}'"),
    }
}

/// Writes the shares in both directions, with word counts.
fn score(overlap: &Overlap, page: &mut String) {
    let side = |covered, words, here, there| {
        format!(
            "<span class=\"share\"><b>{}</b> of {here} is also in {there}: {} of {} words</span>",
            percent_text(covered, words),
            thousands(covered),
            thousands(words)
        )
    };
    page.push_str(&side(overlap.covered_a, overlap.words_a, "A", "B"));
    page.push(' ');
    page.push_str(&side(overlap.covered_b, overlap.words_b, "B", "A"));
}

/// Writes the notes on both documents.
fn notes(comparison: &Comparison<'_>, page: &mut String) {
    for (name, document) in [("A", &comparison.a), ("B", &comparison.b)] {
        if !document.notes.is_empty() {
            // Writing to a string does not fail.
            let _ = write!(page, "<p class=\"notes\"><b>{name}</b> ");
            escape(&notes_text(&document.notes), page);
            page.push_str("</p>");
        }
    }
}

fn counts(comparison: &Comparison<'_>) -> String {
    let n_moved = comparison.passages.iter().filter(|passage| passage.is_moved).count();
    let mut parts = vec![counted(comparison.passages.len() as u64, "passage", "passages")];
    if n_moved > 0 {
        parts.push(format!("{} moved", thousands(n_moved as u64)));
    }
    let (a, b) = (comparison.a.bridged, comparison.b.bridged);
    if a + b > 0 {
        parts.push(format!("changed words: {} in A, {} in B", thousands(a), thousands(b)));
    }
    let repeated = |document: &ComparedText<'_>| -> u64 {
        document.repeats.iter().map(|repeat| u64::from(repeat.here.count)).sum()
    };
    let (a, b) = (repeated(&comparison.a), repeated(&comparison.b));
    if a + b > 0 {
        parts.push(format!("repeated words: {} in A, {} in B", thousands(a), thousands(b)));
    }
    if let Some(rewritten) = comparison.rewritten {
        parts.push(super::rewritten::summary_line(rewritten));
    }
    parts.join(" · ")
}

/// Writes settings, digests and version for people; the JSON has them for programs.
fn details(comparison: &Comparison<'_>, page: &mut String) {
    let settings = &comparison.settings;
    let overlap = &comparison.overlap;
    let mut rows = vec![
        ("Created by", format!("textkin {}", settings.version)),
        ("Minimum match", format!("{} words", settings.k)),
        ("Changed words allowed inside a passage", format!("up to {} in a row", settings.max_gap)),
        ("Normalization", settings.normalize.to_owned()),
        ("Resemblance (ssr)", format!("{:.4}", overlap.ssr())),
        ("Shared words of both (sscr)", format!("{:.4}", overlap.sscr())),
        ("BLAKE3 of text A", comparison.a.digest.clone()),
        ("BLAKE3 of text B", comparison.b.digest.clone()),
    ];
    if settings.min_words > 0 {
        rows.push(("Minimum matching words of a passage", settings.min_words.to_string()));
    }
    rows.extend(settings.templates.iter().map(|digest| ("BLAKE3 of a template", digest.clone())));
    rows.extend(settings.stop_list.map(|digest| ("BLAKE3 of the stop list", digest.to_owned())));
    for (name, value) in rows {
        let _ = write!(page, "<dt>{name}</dt><dd>");
        escape(&value, page);
        page.push_str("</dd>");
    }
}

/// The text of one side.
fn text(comparison: &Comparison<'_>, side: Side, page: &mut String) {
    let document = side.of(&comparison.a, &comparison.b);
    let letter = side.of('a', 'b');
    let mut open: Option<usize> = None;
    for piece in marked_pieces(comparison, side) {
        if piece.passage != open {
            if open.is_some() {
                page.push_str("</mark>");
            }
            if let Some(index) = piece.passage {
                let (number, colour, line) = (index + 1, index % COLOURS, index / COLOURS % LINES);
                // Writing to a string does not fail.
                let _ = write!(
                    page,
                    "<mark id=\"{letter}{number}\" class=\"c{colour} l{line}\" data-n=\"{number}\">"
                );
            }
            open = piece.passage;
        }
        write_piece(&piece, &document.text[piece.bytes.clone()], page);
    }
    if open.is_some() {
        page.push_str("</mark>");
    }
}

/// Writes a piece of a text as HTML.
pub(super) fn write_piece(piece: &TextPiece, text: &str, page: &mut String) {
    let (class, title) = match (piece.excluded, piece.kind) {
        (Some(reason), _) => ("x", format!("excluded: {reason}")),
        (None, Some(SegmentKind::Changed)) if text.is_empty() => {
            ("gap", "the other text has extra words here".to_owned())
        }
        (None, Some(SegmentKind::Changed)) => ("d", "changed".to_owned()),
        (None, Some(SegmentKind::Kept)) => {
            ("k", "same words, but too few in a row to count".to_owned())
        }
        (None, _) if piece.is_repeat => {
            ("r", "repeats text that is already part of a passage".to_owned())
        }
        (None, None) if text.contains(char::is_alphanumeric) => ("u", String::new()),
        _ => return write_text(piece, text, page),
    };
    let _ = write!(page, "<span class=\"{class}\"");
    if !title.is_empty() {
        let _ = write!(page, " title=\"{title}\"");
    }
    page.push('>');
    write_text(piece, text, page);
    page.push_str("</span>");
}

/// Writes the characters of a piece; disguised ones are marked, with their code points.
fn write_text(piece: &TextPiece, text: &str, page: &mut String) {
    if !piece.is_disguised {
        return escape(text, page);
    }
    let numbers: Vec<String> = (text.chars().take(MAX_NUMBERS))
        .map(|character| format!("U+{:04X}", u32::from(character)))
        .collect();
    let (numbers, is_more) = (numbers.join(" "), text.chars().count() > MAX_NUMBERS);
    let more = if is_more { " …" } else { "" };
    // Writing to a string does not fail.
    let _ = write!(
        page,
        "<i class=\"h\" title=\"look-alike or invisible character: {numbers}{more}\">"
    );
    escape(text, page);
    page.push_str("</i>");
}

/// Appends text as HTML. Control and direction characters become visible; line ends are unified.
pub(crate) fn escape(text: &str, page: &mut String) {
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '"' => page.push_str("&quot;"),
            '\'' => page.push_str("&#39;"),
            '\n' | '\t' => page.push(character),
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' => page.push('\n'),
            '\u{c}' => page.push('\n'),
            '\0'..'\u{20}'
            | '\u{7f}'..='\u{9f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => {
                page.push_str(&visible(character.encode_utf8(&mut [0; 4])));
            }
            _ => page.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::samples;
    use proptest::prelude::*;

    #[test]
    fn the_page_is_complete_and_texts_are_escaped() {
        for sample in samples::all() {
            let page = comparison_page(&sample.view());
            assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
            assert!(!page.contains("<script>alert") && !page.contains("<mine>"));
            assert!(!page.contains("{{") && !page.contains('\u{1b}'));
            assert_eq!(page.matches("<mark").count(), page.matches("</mark>").count());
            assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
        }
    }

    #[test]
    fn the_page_needs_no_network() {
        let page = comparison_page(&samples::edited().view());
        assert!(page.contains("default-src &#39;none&#39;") || page.contains("default-src 'none'"));
        let namespace = "http://www.w3.org/2000/svg";
        for address in ["http:", "https:", "//cdn", "@import", "url(", "src="] {
            assert!(!page.replace(namespace, "").contains(address), "{address}");
        }
        assert!(!page.contains("style=\"") && !page.contains("onclick"), "the policy forbids both");
    }

    #[test]
    fn each_passage_has_its_number_on_both_sides() {
        let page = comparison_page(&samples::edited().view());
        assert!(page.contains("<mark id=\"a1\" class=\"c0 l0\" data-n=\"1\">"));
        assert!(page.contains("<mark id=\"b1\""));
        assert!(
            page.contains(
                "<span class=\"x\" title=\"excluded: quotation\">“not &lt;mine&gt;”</span>"
            )
        );
        assert!(page.contains("<span class=\"d\" title=\"changed\">eight</span>"));
        assert!(page.contains("<span class=\"r\""));
    }

    proptest! {
        #[test]
        fn no_text_escapes_from_its_element(text in "[<>&\"'a/\\r\\n\u{0}\u{202e}]{0,20}") {
            let mut escaped = String::new();
            escape(&text, &mut escaped);
            let forbidden = ['<', '>', '"', '\'', '\0', '\u{202e}', '\r'];
            prop_assert!(!escaped.contains(forbidden), "{}", escaped);
        }
    }
}
