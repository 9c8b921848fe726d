//! A traced document as one self-contained HTML page: its text, with passages coloured by origin.
//!
//! In: an [`OriginPage`]. Out: a page that needs no network and no script ([`origin_page`]). Passages
//! of one origin share a colour and a number; estimated parts have a lighter shade.
//!
//! `page.html` is the template, `page.css` the style.

use std::fmt::Write as _;

use textkin_core::Span;

use crate::compare::{escape, policy};
use crate::label::visible;
use crate::terminal::{counted, percent_text, thousands};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");

/// Number of colours and underlines; origin numbers distinguish the rest.
const COLOURS: usize = 6;
const LINES: usize = 4;

/// A document and the origins of its passages.
#[derive(Clone, Debug)]
pub struct OriginPage<'a> {
    /// The version of textkin.
    pub version: &'a str,
    /// The name of the document.
    pub id: &'a str,
    /// Its number in the stream, from 0.
    pub number: u64,
    /// When it was written, if that is known.
    pub time: Option<&'a str>,
    /// Its text.
    pub text: &'a str,
    /// Its words.
    pub words: u64,
    /// Words without an origin.
    pub fresh_words: u64,
    /// Its passages, in text order; those of different origins may share words.
    pub passages: &'a [OriginPassage],
    /// Parts of the text with an estimated origin, in order.
    pub estimated: &'a [Span],
    /// All settings by name, so that the trace can be repeated.
    pub settings: &'a [(String, String)],
}

/// A passage of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginPassage {
    /// Its position in the text.
    pub span: Span,
    /// The number of its origin in the stream.
    pub number: u64,
    /// The name of its origin, unless it was evicted.
    pub name: Option<String>,
    /// Its words, not counting those of earlier passages.
    pub words: u64,
    /// Words with an estimated origin.
    pub estimated: u64,
}

/// Renders the document as an HTML page.
#[must_use]
pub fn origin_page(document: &OriginPage<'_>) -> String {
    let origins = origins(document.passages);
    let mut page = String::with_capacity(
        TEMPLATE.len() + STYLE.len() + document.text.len() * 5 / 4 + (1 << 12),
    );
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("every placeholder is closed");
        page.push_str(before);
        fill(name, document, &origins, &mut page);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// Writes the value of the placeholder `name`.
fn fill(name: &str, document: &OriginPage<'_>, origins: &[Origin<'_>], page: &mut String) {
    match name {
        "policy" => page.push_str(&policy(STYLE, "")),
        "style" => page.push_str(STYLE),
        "version" => escape(document.version, page),
        "id" => escape(&visible(document.id), page),
        "score" => score(document, page),
        "counts" => counts(document, origins, page),
        "strip" => strip(document, origins, page),
        "text" => text(document, origins, page),
        "origins" => legend(document, origins, page),
        "details" => details(document, page),
        _ => unreachable!("unknown placeholder '{name}'"),
    }
}

/// One origin and its counts.
#[derive(Debug)]
struct Origin<'a> {
    number: u64,
    name: Option<&'a str>,
    words: u64,
    estimated: u64,
    /// Index of its first passage.
    first: usize,
}

impl Origin<'_> {
    fn shown(&self) -> String {
        self.name.map_or_else(|| format!("document {}", self.number), visible)
    }
}

/// The origins of all passages, most words first.
fn origins(passages: &[OriginPassage]) -> Vec<Origin<'_>> {
    let mut by_number: Vec<(usize, &OriginPassage)> = passages.iter().enumerate().collect();
    by_number.sort_by_key(|(index, passage)| (passage.number, *index));
    let mut origins: Vec<Origin<'_>> = Vec::new();
    for of_origin in by_number.chunk_by(|a, b| a.1.number == b.1.number) {
        let (first, OriginPassage { number, name, .. }) = of_origin[0];
        let words = of_origin.iter().map(|(_, passage)| passage.words).sum();
        let estimated = of_origin.iter().map(|(_, passage)| passage.estimated).sum();
        origins.push(Origin { number: *number, name: name.as_deref(), words, estimated, first });
    }
    origins.sort_by_key(|origin| (std::cmp::Reverse(origin.words), origin.number));
    origins
}

/// The index of the origin of a passage.
fn index_of(origins: &[Origin<'_>], passage: &OriginPassage) -> usize {
    origins.iter().position(|origin| origin.number == passage.number).unwrap_or(0)
}

fn classes(index: usize) -> String {
    format!("c{} l{}", index % COLOURS, index / COLOURS % LINES)
}

fn score(document: &OriginPage<'_>, page: &mut String) {
    let old = document.words.saturating_sub(document.fresh_words);
    let (words, old_words) = (thousands(document.words), thousands(old));
    let share = percent_text(old, document.words);
    // Writing to a string does not fail.
    let _ =
        write!(page, "<b>{share}</b> of the text appeared earlier: {old_words} of {words} words");
}

fn counts(document: &OriginPage<'_>, origins: &[Origin<'_>], page: &mut String) {
    let mut parts = vec![format!("Document {} in the stream", thousands(document.number + 1))];
    parts.extend(document.time.map(|time| format!("written {}", visible(time))));
    parts.push(counted(document.passages.len() as u64, "passage", "passages"));
    parts.push(counted(origins.len() as u64, "origin", "origins"));
    escape(&parts.join(" · "), page);
}

/// A piece of the text with one origin, all estimated or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OriginPiece {
    start: usize,
    end: usize,
    /// The passage it belongs to; if there are several, the first one.
    passage: Option<usize>,
    is_estimated: bool,
}

fn pieces(document: &OriginPage<'_>) -> Vec<OriginPiece> {
    let text = document.text;
    let byte = |offset: u32| text.floor_char_boundary((offset as usize).min(text.len()));
    let mut pieces = Vec::new();
    let mut at = 0;
    let mut push_pieces = |at: &mut usize, end: usize, passage: Option<usize>| {
        let mut cuts: Vec<(usize, bool)> = Vec::new();
        if passage.is_some() {
            let from = document.estimated.partition_point(|span| byte(span.end) <= *at);
            for span in document.estimated[from..].iter().take_while(|span| byte(span.start) < end)
            {
                cuts.push((byte(span.start).max(*at), false));
                cuts.push((byte(span.end).min(end), true));
            }
        }
        cuts.push((end, false));
        for (cut, is_estimated) in cuts {
            if cut > *at {
                pieces.push(OriginPiece { start: *at, end: cut, passage, is_estimated });
                *at = cut;
            }
        }
    };
    for (index, passage) in document.passages.iter().enumerate() {
        let (start, end) = (byte(passage.span.start), byte(passage.span.end));
        // Text between the words of two adjacent passages belongs to neither.
        let is_word_char = |(_, letter): &(usize, char)| letter.is_alphanumeric();
        let gap =
            text[at..].char_indices().find(is_word_char).map_or(text.len(), |(gap, _)| at + gap);
        let start = if start < at { gap.min(end) } else { start };
        if start > at {
            push_pieces(&mut at, start, None);
        }
        if end > at {
            push_pieces(&mut at, end, Some(index));
        }
    }
    push_pieces(&mut at, text.len(), None);
    pieces
}

fn text(document: &OriginPage<'_>, origins: &[Origin<'_>], page: &mut String) {
    let (mut last, mut last_origin) = (None, None);
    for piece in pieces(document) {
        let text = &document.text[piece.start..piece.end];
        let Some(index) = piece.passage else {
            escape(text, page);
            if text.contains(char::is_alphanumeric) {
                last_origin = None;
            }
            continue;
        };
        let passage = &document.passages[index];
        let origin = index_of(origins, passage);
        let classes = classes(origin);
        let guess = if piece.is_estimated { " guess" } else { "" };
        let _ = write!(page, "<mark class=\"{classes}{guess}\"");
        if last != Some(index) {
            let _ = write!(page, " id=\"p{}\"", index + 1);
            last = Some(index);
        }
        if last_origin != Some(origin) {
            let _ = write!(page, " data-n=\"{}\"", origin + 1);
            last_origin = Some(origin);
        }
        page.push_str(" title=\"");
        escape(&origins[origin].shown(), page);
        let how = if piece.is_estimated { " (estimated)" } else { "" };
        let words = counted(passage.words, "word", "words");
        let _ = write!(page, ", {words}{how}\">");
        escape(text, page);
        page.push_str("</mark>");
    }
}

/// Draws the whole text as a bar.
fn strip(document: &OriginPage<'_>, origins: &[Origin<'_>], page: &mut String) {
    page.push_str("<svg class=\"strip\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Positions of passages in the text\">");
    let scale = 1000.0 / document.text.len().max(1) as f64;
    for piece in pieces(document) {
        let Some(index) = piece.passage else { continue };
        let origin = index_of(origins, &document.passages[index]);
        let (x, width) = (piece.start as f64 * scale, (piece.end - piece.start) as f64 * scale);
        let guess = if piece.is_estimated { " guess" } else { "" };
        let _ = write!(
            page,
            "<rect class=\"c{}{guess}\" x=\"{x:.2}\" y=\"0\" width=\"{:.2}\" height=\"10\"/>",
            origin % COLOURS,
            width.max(0.5)
        );
    }
    page.push_str("</svg>");
}

fn legend(document: &OriginPage<'_>, origins: &[Origin<'_>], page: &mut String) {
    page.push_str("<table><thead><tr><th></th><th>Document</th><th class=\"n\">Words</th><th class=\"n\">Share</th><th class=\"n\">Estimated</th></tr></thead><tbody>");
    for (index, origin) in origins.iter().enumerate() {
        let (number, classes) = (index + 1, classes(index));
        let _ = write!(
            page,
            "<tr class=\"{classes}\"><td><span class=\"chip\">{number}</span></td><td><a href=\"#p{}\">",
            origin.first + 1
        );
        escape(&origin.shown(), page);
        let _ = write!(
            page,
            "</a></td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            thousands(origin.words),
            percent_text(origin.words, document.words),
            thousands(origin.estimated)
        );
    }
    let _ = write!(
        page,
        "<tr><td></td><td>New text</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td></td></tr></tbody></table>",
        thousands(document.fresh_words),
        percent_text(document.fresh_words, document.words)
    );
}

fn details(document: &OriginPage<'_>, page: &mut String) {
    let created = ("Created by".to_owned(), format!("textkin {}", document.version));
    for (name, value) in std::iter::once(&created).chain(document.settings) {
        page.push_str("<dt>");
        escape(name, page);
        page.push_str("</dt><dd>");
        escape(value, page);
        page.push_str("</dd>");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn passage(start: u32, end: u32, number: u64) -> OriginPassage {
        let name = (number > 0).then(|| format!("<o{number}>"));
        OriginPassage { span: Span::new(start, end), number, name, words: 3, estimated: 1 }
    }

    fn page<'a>(
        text: &'a str,
        passages: &'a [OriginPassage],
        estimated: &'a [Span],
    ) -> OriginPage<'a> {
        OriginPage {
            version: "0",
            id: "a<b>",
            number: 6,
            time: Some("2020"),
            text,
            words: 9,
            fresh_words: 3,
            passages,
            estimated,
            settings: &[],
        }
    }

    #[test]
    fn passages_have_the_number_and_colour_of_their_origin() {
        let text = "one <two> three & four five";
        let passages = [passage(0, 9, 7), passage(10, 15, 0), passage(18, 22, 7)];
        let html = origin_page(&page(text, &passages, &[Span::new(4, 9)]));
        assert!(html.contains(
            "<mark class=\"c0 l0\" id=\"p1\" data-n=\"1\" title=\"&lt;o7&gt;, 3 words\">one </mark>\
             <mark class=\"c0 l0 guess\" title=\"&lt;o7&gt;, 3 words (estimated)\">&lt;two&gt;</mark> \
             <mark class=\"c1 l0\" id=\"p2\" data-n=\"2\" title=\"document 0, 3 words\">three</mark> \
             &amp; <mark class=\"c0 l0\" id=\"p3\" data-n=\"1\""
        ));
        assert!(html.contains("<title>Origins of a&lt;b&gt;</title>"));
        assert!(html.contains("</b> of the text appeared earlier: 6 of 9 words"), "{html}");
        assert!(
            !html.contains("<script") && !html.contains("http://") && !html.contains("https://")
        );
        assert!(!html.contains("{{") && !html.contains("}}"));
    }

    proptest! {
        #[test]
        fn the_page_has_the_whole_text_once(
            text in "[a-é <&\\n]{0,60}",
            spans in prop::collection::vec((0_u32..70, 0_u32..30, 0_u64..4), 0..6),
            guesses in prop::collection::vec((0_u32..9, 1_u32..9), 0..4),
        ) {
            let mut passages: Vec<OriginPassage> = spans
                .into_iter()
                .map(|(start, length, number)| passage(start, start + length, number))
                .collect();
            passages.sort_by_key(|passage| passage.span.start);
            let mut at = 0;
            let guesses: Vec<Span> = guesses
                .into_iter()
                .map(|(gap, length)| {
                    let start = at + gap;
                    at = start + length;
                    Span::new(start, at)
                })
                .collect();
            let document = page(&text, &passages, &guesses);
            let pieces = pieces(&document);
            let whole: String = pieces.iter().map(|piece| &text[piece.start..piece.end]).collect();
            prop_assert_eq!(whole, text.clone());
            let byte = |offset: u32| text.floor_char_boundary((offset as usize).min(text.len()));
            for piece in &pieces {
                let letters = text[piece.start..piece.end].contains(char::is_alphanumeric);
                let is_in = |passage: &OriginPassage| {
                    byte(passage.span.start) < piece.end && piece.start < byte(passage.span.end)
                };
                prop_assert!(piece.passage.is_none_or(|index| is_in(&passages[index])));
                prop_assert!(piece.passage.is_some() || !letters || !passages.iter().any(is_in));
            }
            let html = origin_page(&document);
            prop_assert_eq!(html.matches("<mark").count(), html.matches("</mark>").count());
        }
    }
}
