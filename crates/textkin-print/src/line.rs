//! Pieces to lines: as many as fit, in the order in which they stand on paper.

use std::rc::Rc;

use crate::font::Fonts;
use crate::shape::{Glyph, Label, Paragraph, Piece, Shaper};

/// A line.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The text of its paragraph, which its pieces count bytes in.
    pub(crate) text: Rc<str>,
    /// From left to right.
    pub(crate) pieces: Vec<Piece>,
    /// Of all pieces, in units of the size of the type.
    pub(crate) width: f32,
    /// Whether its paragraph runs from right to left.
    pub(crate) is_rtl: bool,
}

/// The lines of a paragraph that are at most `width` wide, in units of the size of the type. There is
/// at least one.
pub(crate) fn lines(
    shaper: &mut Shaper,
    fonts: &mut Fonts,
    paragraph: &Paragraph,
    width: f32,
) -> Vec<Line> {
    let (pieces, is_rtl) = shaper.pieces(fonts, paragraph);
    let mut filler = Filler { width, lines: Vec::new(), line: Vec::new(), used: 0.0 };
    let mut unit: Vec<Piece> = Vec::new();
    for piece in pieces {
        if piece.is_breakable {
            filler.add(&mut unit);
        }
        unit.push(piece);
    }
    filler.add(&mut unit);
    filler.end();
    let text: Rc<str> = paragraph.text.as_str().into();
    let line = |pieces: Vec<Piece>| Line {
        text: Rc::clone(&text),
        width: pieces.iter().map(|piece| piece.width).sum(),
        pieces: on_paper(pieces),
        is_rtl,
    };
    filler.lines.into_iter().map(line).collect()
}

struct Filler {
    width: f32,
    lines: Vec<Vec<Piece>>,
    line: Vec<Piece>,
    used: f32,
}

impl Filler {
    /// Adds pieces that should stand in one line, and empties them.
    fn add(&mut self, unit: &mut Vec<Piece>) {
        let space = unit.last().map_or(0.0, |piece| piece.space);
        let width = unit.iter().map(|piece| piece.width).sum::<f32>() - space;
        if self.used + width > self.width && !self.line.is_empty() {
            self.end();
        }
        let is_too_wide = width > self.width;
        for piece in unit.drain(..) {
            match is_too_wide {
                true => self.add_broken(piece),
                false => self.put(piece),
            }
        }
    }

    fn add_broken(&mut self, piece: Piece) {
        let mut rest = piece;
        while self.used + rest.width - rest.space > self.width {
            let Some((head, tail)) = split(&rest, self.width - self.used, self.line.is_empty())
            else {
                if self.line.is_empty() {
                    break;
                }
                self.end();
                continue;
            };
            self.put(head);
            self.end();
            rest = tail;
        }
        self.put(rest);
    }

    fn put(&mut self, piece: Piece) {
        self.used += piece.width;
        self.line.push(piece);
    }

    fn end(&mut self) {
        self.lines.push(std::mem::take(&mut self.line));
        self.used = 0.0;
    }
}

/// What of a piece fits into `width`, and the rest: at least one character if `must`.
fn split(piece: &Piece, width: f32, must: bool) -> Option<(Piece, Piece)> {
    let glyphs = piece.glyphs();
    let count = glyphs.len();
    let at = |place: usize| match piece.is_rtl() {
        true => &glyphs[count - 1 - place],
        false => &glyphs[place],
    };
    let mut used = piece.label.as_ref().map_or(0.0, Label::width);
    let mut cut = 0;
    let mut cut_used = used;
    for place in 0..count {
        if place > 0 && at(place).start != at(place - 1).start {
            let is_first = cut == 0;
            if used > width && !(must && is_first) {
                break;
            }
            (cut, cut_used) = (place, used);
        }
        used += at(place).advance;
    }
    if cut == 0 || (cut_used > width && !must) {
        return None;
    }
    let end = piece.base + at(cut).start as usize;
    let (mut head, mut tail) = (piece.clone(), piece.clone());
    (head.end, tail.start) = (end, end);
    match piece.is_rtl() {
        true => (head.from, tail.to) = (piece.to - cut, piece.to - cut),
        false => (head.to, tail.from) = (piece.from + cut, piece.from + cut),
    }
    (head.width, head.space) = (cut_used, 0.0);
    tail.label = None;
    tail.width = tail.glyphs().iter().map(|glyph: &Glyph| glyph.advance).sum();
    Some((head, tail))
}

/// Pieces of a line from left to right (rule L2 of the bidirectional algorithm).
fn on_paper(mut pieces: Vec<Piece>) -> Vec<Piece> {
    let highest = pieces.iter().map(|piece| piece.level).max().unwrap_or(0);
    for level in (1..=highest).rev() {
        let mut at = 0;
        while at < pieces.len() {
            let run = pieces[at..].iter().take_while(|piece| piece.level >= level).count();
            pieces[at..at + run].reverse();
            at += run.max(1);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Look;

    fn broken(text: &str, width: f32) -> Vec<Line> {
        let mut fonts = Fonts::new().unwrap();
        let paragraph = Paragraph::new(text, Look::default());
        lines(&mut Shaper::default(), &mut fonts, &paragraph, width)
    }

    /// The text of lines in logical order.
    fn texts(lines: &[Line]) -> Vec<&str> {
        let text = |line: &Line| {
            let start = line.pieces.iter().map(|piece| piece.start).min().unwrap_or(0);
            let end = line.pieces.iter().map(|piece| piece.end).max().unwrap_or(0);
            (start, end)
        };
        lines.iter().map(|line| (line, text(line))).map(|(line, (a, b))| &line.text[a..b]).collect()
    }

    #[test]
    fn words_are_whole_and_nothing_is_lost() {
        let found = broken("The quick brown fox jumps over the lazy dog", 8.0);
        assert!(found.len() > 2);
        assert_eq!(texts(&found).concat(), "The quick brown fox jumps over the lazy dog");
        for line in &found {
            assert!(line.width - line.pieces.last().unwrap().space <= 8.0);
            assert!(texts(std::slice::from_ref(line))[0].ends_with([' ', 'g']));
        }
    }

    #[test]
    fn an_endless_word_is_broken_into_full_lines() {
        for word in ["x", "א", "日", "é"] {
            let text = word.repeat(5000);
            let found = broken(&text, 20.0);
            assert_eq!(texts(&found).concat(), text);
            assert!(found.iter().all(|line| line.width <= 20.0));
            assert!(found.len() < 600, "{word}: {}", found.len());
        }
        assert_eq!(broken("wide", 0.1).len(), 4);
    }

    #[test]
    fn hebrew_stands_from_right_to_left_and_its_numbers_do_not() {
        let found = broken("שלום 123 עולם", 100.0);
        assert!(found[0].is_rtl);
        let starts: Vec<usize> = found[0].pieces.iter().map(|piece| piece.start).collect();
        assert!(starts.is_sorted_by(|a, b| a > b), "{starts:?}");
        let number = found[0].pieces.iter().find(|piece| !piece.is_rtl()).unwrap();
        assert_eq!(&found[0].text[number.start..number.end], "123");
        assert!(!broken("left שלום", 100.0)[0].is_rtl);
    }

    #[test]
    fn a_paragraph_of_nothing_is_an_empty_line() {
        assert_eq!(broken("", 10.0).len(), 1);
        assert_eq!(broken("   ", 0.5).len(), 1);
    }
}
