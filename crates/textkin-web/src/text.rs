//! Renders texts with marks: matches, changes, exclusions, origins.

use std::collections::BTreeSet;

use crate::format;
use crate::markup::Markup;
use crate::svg::hue;
use crate::view::{OriginDocument, OriginState, PieceKind, TextPiece};

/// The maximum number of disguised characters whose code points are listed.
const MAX_CODE_POINTS: usize = 8;

/// Renders one side of a comparison. The mark of match 3 has the ID `a3` or `b3` and a number that
/// links to the other side.
#[must_use]
pub(crate) fn compared(side: &str, pieces: &[TextPiece]) -> Markup {
    let other = if side == "a" { "b" } else { "a" };
    let mut seen = BTreeSet::new();
    marked(pieces, |html, index| {
        let number = index + 1;
        html.push(&format!("<mark class=\"{}\" data-match=\"{index}\"", hue(index)));
        if !seen.insert(index) {
            html.push(">");
            return;
        }
        html.push(&format!(
            " id=\"{side}{number}\"><a class=\"n\" href=\"#{other}{number}\" \
             aria-label=\"match {number}, go to the other text\">{number}</a>"
        ));
    })
}

/// Renders an excerpt: the same marks, without links.
#[must_use]
pub(crate) fn excerpt(pieces: &[TextPiece]) -> Markup {
    marked(pieces, |html, index| {
        html.push(&format!("<mark class=\"{}\">", hue(index)));
    })
}

fn marked(pieces: &[TextPiece], mut open: impl FnMut(&mut Markup, usize)) -> Markup {
    let mut html = Markup::default();
    let mut current = None;
    for piece in pieces {
        if piece.match_index != current {
            if current.is_some() {
                html.push("</mark>");
            }
            if let Some(index) = piece.match_index {
                open(&mut html, index);
            }
            current = piece.match_index;
        }
        write_piece(piece, &mut html);
    }
    if current.is_some() {
        html.push("</mark>");
    }
    html
}

fn write_piece(piece: &TextPiece, html: &mut Markup) {
    let (class, title) = match (&piece.excluded, piece.kind) {
        (Some(reason), _) => ("x", format!("excluded: {reason}")),
        (None, PieceKind::Changed) if piece.text.is_empty() => {
            ("gap", "words added in the other text".to_owned())
        }
        (None, PieceKind::Changed) => ("d", "changed".to_owned()),
        (None, PieceKind::TooShort) => ("k", "the same words, too few to count".to_owned()),
        (None, _) if piece.is_repeat => ("r", "repeats words of another match".to_owned()),
        (None, _) if piece.match_index.is_none() && piece.text.contains(char::is_alphanumeric) => {
            ("u", String::new())
        }
        _ => return write_characters(piece, html),
    };
    html.push("<span class=\"").push(class);
    if !title.is_empty() {
        html.push("\" title=\"").text(&title);
    }
    html.push("\">");
    write_characters(piece, html);
    html.push("</span>");
}

/// Writes the characters of a piece; disguised ones are marked, with their code points.
fn write_characters(piece: &TextPiece, html: &mut Markup) {
    if !piece.is_disguised {
        html.text(&piece.text);
        return;
    }
    let code_points: Vec<String> = (piece.text.chars().take(MAX_CODE_POINTS))
        .map(|character| format!("U+{:04X}", u32::from(character)))
        .collect();
    html.push("<i class=\"h\" title=\"disguised characters: ")
        .push(&code_points.join(" "))
        .push("\">");
    html.text(&piece.text).push("</i>");
}

/// Renders a document whose passages are coloured by origin.
#[must_use]
pub(crate) fn origins(document: &OriginDocument) -> Markup {
    let mut html = Markup::default();
    for piece in &document.pieces {
        let Some(origin) = &piece.origin else {
            html.text(&piece.text);
            continue;
        };
        let number = origin.index + 1;
        let source = document.origins.get(origin.index).map(|row| &row.document);
        let label = source.map_or_else(String::new, |source| {
            let when = source.time.as_deref().map_or_else(|| "undated".to_owned(), format::day);
            let state = match origin.state {
                OriginState::Earliest => "earliest known document",
                OriginState::Tied => "one of several documents with the same date",
                OriginState::Undated => "undated document",
            };
            let documents = format::documents(origin.documents);
            format!("{number}: {} ({state}, {when}; found in {documents})", source.name())
        });
        html.push(&format!("<mark class=\"{} {}\">", hue(origin.index), origin.state.name()));
        let target =
            origin.fragment.as_deref().map_or_else(|| format!("#origin-{number}"), str::to_owned);
        html.push("<a class=\"n\" href=\"").text(&target).push("\" aria-label=\"");
        html.text(&format!("origin {label}")).push(&format!("\">{number}</a>"));
        html.text(&piece.text).push("</mark>");
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, match_index: Option<usize>) -> TextPiece {
        TextPiece { text: text.to_owned(), match_index, ..TextPiece::default() }
    }

    #[test]
    fn each_match_is_one_mark_with_one_anchor() {
        let changed = TextPiece { kind: PieceKind::Changed, ..piece("other", Some(0)) };
        let pieces = [
            piece("before ", None),
            piece("same ", Some(0)),
            changed,
            piece(" after", None),
            piece("again", Some(0)),
        ];
        let html = compared("a", &pieces);
        assert_eq!(html.as_str().matches("<mark").count(), 2);
        assert_eq!(html.as_str().matches("id=\"a1\"").count(), 1);
        assert!(html.as_str().contains("href=\"#b1\""));
        assert_eq!(html.as_str().matches("</mark>").count(), 2);
    }

    #[test]
    fn text_is_escaped_and_reordering_is_visible() {
        let disguised = TextPiece { is_disguised: true, ..piece("\u{430}", None) };
        let html = compared("b", &[piece("<b>\u{202e}'\"", None), disguised]);
        assert!(html.as_str().contains("&lt;b&gt;\u{fffd}&#39;&quot;"));
        assert!(html.as_str().contains("U+0430"));
    }
}
