//! Splits a text at every change of its status: passages, segments, exclusions, repeats.

use std::ops::Range;

use textkin_core::{Exclusion, SegmentKind, WordSpan};

use super::{Comparison, Side};

/// A part of a text with one status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextPiece {
    /// Byte range; empty where only the other side has words.
    pub(super) bytes: Range<usize>,
    /// Index of the passage it belongs to.
    pub(super) passage: Option<usize>,
    /// Kind of segment within the passage.
    pub(super) kind: Option<SegmentKind>,
    /// Why it is excluded.
    pub(super) excluded: Option<Exclusion>,
    /// Whether it repeats text of the other document outside of passages.
    pub(super) is_repeat: bool,
    /// Whether it contains look-alike or zero-width characters.
    pub(super) is_disguised: bool,
}

impl Side {
    pub(crate) fn of<T: Copy>(self, a: T, b: T) -> T {
        match self {
            Self::A => a,
            Self::B => b,
        }
    }
}

/// The whole text of one side, in order.
pub(super) fn pieces(comparison: &Comparison<'_>, side: Side) -> Vec<TextPiece> {
    let document = side.of(&comparison.a, &comparison.b);
    let excluded: Vec<(Range<usize>, Exclusion)> =
        document.excluded.iter().map(|excluded| (excluded.span.range(), excluded.reason)).collect();
    let repeats: Vec<(Range<usize>, ())> =
        document.repeats.iter().map(|repeat| (repeat.here.span.range(), ())).collect();
    let mut pieces = passage_pieces(comparison, side, document.text.len());
    overlay(&mut pieces, &excluded, |piece, reason| piece.excluded = Some(reason));
    overlay(&mut pieces, &repeats, |piece, ()| piece.is_repeat = true);
    pieces
}

/// Like [`pieces`], split also at disguised characters.
pub(super) fn marked_pieces(comparison: &Comparison<'_>, side: Side) -> Vec<TextPiece> {
    let document = side.of(&comparison.a, &comparison.b);
    let disguised: Vec<(Range<usize>, ())> =
        document.disguised.iter().map(|span| (span.range(), ())).collect();
    let mut pieces = pieces(comparison, side);
    overlay(&mut pieces, &disguised, |piece, ()| piece.is_disguised = true);
    pieces
}

/// The pieces formed by passages and their segments.
fn passage_pieces(comparison: &Comparison<'_>, side: Side, len: usize) -> Vec<TextPiece> {
    let stretch = |a: WordSpan, b: WordSpan| side.of(a, b);
    let mut order: Vec<usize> = (0..comparison.passages.len()).collect();
    order.sort_by_key(|&index| {
        let passage = &comparison.passages[index];
        stretch(passage.a, passage.b).first
    });
    let mut pieces = Vec::new();
    let mut at = 0;
    let mut push = |passage, kind, bytes: Range<usize>| {
        pieces.push(TextPiece {
            bytes,
            passage,
            kind,
            excluded: None,
            is_repeat: false,
            is_disguised: false,
        });
    };
    for index in order {
        let passage = &comparison.passages[index];
        let start = (stretch(passage.a, passage.b).span.start as usize).max(at);
        if start > at {
            push(None, None, at..start);
        }
        at = start;
        let mut before = SegmentKind::Same;
        for segment in &passage.segments {
            // Several words from one character share its bytes, which belong to the first word.
            let bytes = stretch(segment.a, segment.b).span.range();
            let (from, to) = (bytes.start.max(at), bytes.end.max(at));
            if from > at {
                let is_bridged = before.is_bridged() && segment.kind.is_bridged();
                let kind = if is_bridged { SegmentKind::Kept } else { SegmentKind::Same };
                push(Some(index), Some(kind), at..from);
            }
            push(Some(index), Some(segment.kind), from..to);
            (at, before) = (to, segment.kind);
        }
    }
    if at < len {
        push(None, None, at..len);
    }
    pieces
}

/// Splits the pieces at the ends of the ascending `ranges`, and changes those inside.
fn overlay<T: Copy>(
    pieces: &mut Vec<TextPiece>,
    ranges: &[(Range<usize>, T)],
    mut change: impl FnMut(&mut TextPiece, T),
) {
    if ranges.is_empty() {
        return;
    }
    let mut cut = Vec::with_capacity(pieces.len());
    let mut ranges = ranges.iter().peekable();
    for mut piece in pieces.drain(..) {
        loop {
            while ranges.next_if(|(range, _)| range.end <= piece.bytes.start).is_some() {}
            let Some((range, value)) =
                ranges.peek().filter(|(range, _)| range.start < piece.bytes.end)
            else {
                cut.push(piece);
                break;
            };
            if range.start > piece.bytes.start {
                let rest = range.start..piece.bytes.end;
                cut.push(TextPiece { bytes: piece.bytes.start..range.start, ..piece.clone() });
                piece.bytes = rest;
            }
            let end = range.end.min(piece.bytes.end);
            let mut inside = TextPiece { bytes: piece.bytes.start..end, ..piece.clone() };
            change(&mut inside, *value);
            cut.push(inside);
            piece.bytes.start = end;
            if piece.bytes.is_empty() {
                break;
            }
        }
    }
    *pieces = cut;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::samples;

    #[test]
    fn pieces_cover_the_whole_text_in_order() {
        for sample in samples::all() {
            let comparison = sample.view();
            for side in [Side::A, Side::B] {
                let text = side.of(comparison.a.text, comparison.b.text);
                let pieces = pieces(&comparison, side);
                let joined: String =
                    pieces.iter().map(|piece| &text[piece.bytes.clone()]).collect();
                assert_eq!(joined, text);
                assert!(pieces.iter().all(|piece| piece.passage.is_some() == piece.kind.is_some()));
            }
        }
    }

    #[test]
    fn exclusions_inside_a_passage_are_separate_pieces() {
        let sample = samples::edited();
        let comparison = sample.view();
        let excluded: Vec<(&str, Option<Exclusion>)> = pieces(&comparison, Side::A)
            .into_iter()
            .map(|piece| (&comparison.a.text[piece.bytes], piece.excluded))
            .filter(|(_, excluded)| excluded.is_some())
            .collect();
        assert_eq!(excluded, [("“not <mine>”", Some(Exclusion::Quotation))]);
    }
}
