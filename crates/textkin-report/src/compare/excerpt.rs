//! The text of passages on both sides, without the rest of the documents.

use super::page::write_piece;
use super::pieces::{TextPiece, marked_pieces};
use super::{Comparison, Side};

/// Part of one side of a passage.
#[derive(Clone, Debug)]
pub(crate) struct PassageText<'a> {
    /// Its text.
    pub(crate) text: &'a str,
    piece: TextPiece,
}

impl PassageText<'_> {
    /// Writes `text`, all or part of it, as HTML.
    pub(crate) fn write(&self, text: &str, html: &mut String) {
        write_piece(&self.piece, text, html);
    }
}

/// Returns both sides of the passages with the ascending indexes `wanted`.
pub(crate) fn passage_texts<'a>(
    comparison: &Comparison<'a>,
    wanted: &[usize],
) -> Vec<[Vec<PassageText<'a>>; 2]> {
    let mut texts: Vec<[Vec<PassageText<'a>>; 2]> = vec![Default::default(); wanted.len()];
    for (at, side) in [Side::A, Side::B].into_iter().enumerate() {
        let text = side.of(comparison.a.text, comparison.b.text);
        for piece in marked_pieces(comparison, side) {
            let index = piece.passage.and_then(|passage| wanted.binary_search(&passage).ok());
            if let Some(index) = index {
                texts[index][at].push(PassageText { text: &text[piece.bytes.clone()], piece });
            }
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::samples;

    #[test]
    fn a_passage_has_its_text_on_both_sides() {
        for sample in samples::all() {
            let comparison = sample.view();
            let wanted: Vec<usize> = (0..comparison.passages.len()).collect();
            let texts = passage_texts(&comparison, &wanted);
            for (passage, [a, _]) in comparison.passages.iter().zip(&texts) {
                let joined: String = a.iter().map(|part| part.text).collect();
                assert_eq!(joined, comparison.a.text[passage.a.span.range()]);
            }
        }
    }
}
