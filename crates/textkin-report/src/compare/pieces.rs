//! A text cut where anything about it changes: passages, segments, exclusions, repeats.

use std::ops::Range;

use textkin_core::{Exclusion, SegmentKind, WordSpan};

use super::{Comparison, Side};

/// A part of a text about which everything is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextPiece {
    /// Bytes of the text; empty where the other side alone has words.
    pub(super) bytes: Range<usize>,
    /// The passage it belongs to, by its place in the list.
    pub(super) passage: Option<usize>,
    /// What it is in its passage.
    pub(super) kind: Option<SegmentKind>,
    /// Why it does not count.
    pub(super) excluded: Option<Exclusion>,
    /// Whether it is found in the other text and belongs to no passage by itself.
    pub(super) is_repeat: bool,
    /// Whether it disguises a word.
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

/// All of the text of one side, in order.
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

/// The same, cut also where letters disguise words.
pub(super) fn marked_pieces(comparison: &Comparison<'_>, side: Side) -> Vec<TextPiece> {
    let document = side.of(&comparison.a, &comparison.b);
    let disguised: Vec<(Range<usize>, ())> =
        document.disguised.iter().map(|span| (span.range(), ())).collect();
    let mut pieces = pieces(comparison, side);
    overlay(&mut pieces, &disguised, |piece, ()| piece.is_disguised = true);
    pieces
}

/// The pieces that passages and their segments make.
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
            // Words made of one character share its bytes: they belong to the first of them.
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

/// Cuts the pieces at the ends of `ranges`, which are ascending, and changes what lies inside.
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
    fn pieces_are_the_whole_text_in_order() {
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
    fn what_is_excluded_inside_a_passage_is_cut_out_of_it() {
        let sample = samples::edited();
        let comparison = sample.view();
        let told: Vec<(&str, Option<Exclusion>)> = pieces(&comparison, Side::A)
            .into_iter()
            .map(|piece| (&comparison.a.text[piece.bytes], piece.excluded))
            .filter(|(_, excluded)| excluded.is_some())
            .collect();
        assert_eq!(told, [("“not <mine>”", Some(Exclusion::Quotation))]);
    }
}
