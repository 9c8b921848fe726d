//! Texts with what is marked in them: matches, changes, exclusions, origins.

use std::collections::BTreeSet;

use crate::format;
use crate::markup::Html;
use crate::svg::hue;
use crate::view::{OriginDocument, OriginState, Piece, PieceKind};

/// The most characters in disguise whose numbers are told.
const MAX_NUMBERS: usize = 8;

/// A side of a comparison. The mark of match 3 has the id `a3` or `b3` and a number that leads to
/// the other side.
#[must_use]
pub(crate) fn compared(side: &str, pieces: &[Piece]) -> Html {
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
             aria-label=\"match {number}, to the other text\">{number}</a>"
        ));
    })
}

/// An excerpt: the same marks, without places to lead to.
#[must_use]
pub(crate) fn excerpt(pieces: &[Piece]) -> Html {
    marked(pieces, |html, index| {
        html.push(&format!("<mark class=\"{}\">", hue(index)));
    })
}

fn marked(pieces: &[Piece], mut open: impl FnMut(&mut Html, usize)) -> Html {
    let mut html = Html::default();
    let mut current = None;
    for piece in pieces {
        if piece.of != current {
            if current.is_some() {
                html.push("</mark>");
            }
            if let Some(index) = piece.of {
                open(&mut html, index);
            }
            current = piece.of;
        }
        write_piece(piece, &mut html);
    }
    if current.is_some() {
        html.push("</mark>");
    }
    html
}

fn write_piece(piece: &Piece, html: &mut Html) {
    let (class, title) = match (&piece.excluded, piece.kind) {
        (Some(reason), _) => ("x", format!("does not count: {reason}")),
        (None, PieceKind::Changed) if piece.text.is_empty() => {
            ("gap", "the other text has words here".to_owned())
        }
        (None, PieceKind::Changed) => ("d", "changed".to_owned()),
        (None, PieceKind::Kept) => ("k", "the same, in too short a run to count".to_owned()),
        (None, _) if piece.is_repeat => {
            ("r", "repeats what the other text has elsewhere".to_owned())
        }
        (None, _) if piece.of.is_none() && piece.text.contains(char::is_alphanumeric) => {
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

/// The characters of a piece; those that disguise a word are marked, with their numbers.
fn write_characters(piece: &Piece, html: &mut Html) {
    if !piece.is_disguised {
        html.text(&piece.text);
        return;
    }
    let numbers: Vec<String> = (piece.text.chars().take(MAX_NUMBERS))
        .map(|character| format!("U+{:04X}", u32::from(character)))
        .collect();
    html.push("<i class=\"h\" title=\"in disguise: ").push(&numbers.join(" ")).push("\">");
    html.text(&piece.text).push("</i>");
}

/// A document whose passages are tinted by where they are known from.
#[must_use]
pub(crate) fn origins(document: &OriginDocument) -> Html {
    let mut html = Html::default();
    for piece in &document.pieces {
        let Some(holding) = &piece.holding else {
            html.text(&piece.text);
            continue;
        };
        let number = holding.origin + 1;
        let holder = document.origins.get(holding.origin).map(|origin| &origin.document);
        let said = holder.map_or_else(String::new, |holder| {
            let when = holder.time.as_deref().map_or_else(|| "undated".to_owned(), format::day);
            let state = match holding.state {
                OriginState::Earliest => "earliest known holder",
                OriginState::Tied => "one of several of the same time",
                OriginState::Undated => "a holder without a time",
            };
            let holders = format::counted(holding.holders, "holder", "holders");
            format!("{number}: {} ({state}, {when}; {holders} since)", holder.name())
        });
        html.push(&format!("<mark class=\"{} {}\">", hue(holding.origin), holding.state.name()));
        let target =
            holding.fragment.as_deref().map_or_else(|| format!("#origin-{number}"), str::to_owned);
        html.push("<a class=\"n\" href=\"").text(&target).push("\" aria-label=\"");
        html.text(&format!("origin {said}")).push(&format!("\">{number}</a>"));
        html.text(&piece.text).push("</mark>");
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, of: Option<usize>) -> Piece {
        Piece { text: text.to_owned(), of, ..Piece::default() }
    }

    #[test]
    fn one_match_is_one_mark_with_one_place() {
        let changed = Piece { kind: PieceKind::Changed, ..piece("other", Some(0)) };
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
        let disguised = Piece { is_disguised: true, ..piece("\u{430}", None) };
        let html = compared("b", &[piece("<b>\u{202e}'\"", None), disguised]);
        assert!(html.as_str().contains("&lt;b&gt;\u{fffd}&#39;&quot;"));
        assert!(html.as_str().contains("U+0430"));
    }
}
