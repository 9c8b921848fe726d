//! `break:P` and `break:P:revised`: segments whose ends depend only on the text (content-defined chunking).
//!
//! In: tokens. Out: segments, each ending with a token whose hash is divisible by `P`; what
//! follows the last such token is the last segment. Revised: segments of fewer than `P` tokens
//! are dropped as noise, so that a document may have no chunk.
//! Guarantee: unrevised segments partition the tokens, and inserting a word changes only the
//! segment it is in (no “phasing”).
//! COPS and SCAM (Shivakumar and Garcia-Molina 1996); revised by Seo and Croft (2008), as
//! described by Abdel-Hamid et al. (2009).

use std::num::NonZeroU32;
use std::ops::Range;

use textkin_core::hash::HashKind;
use textkin_core::{Chunk, Chunker, Tokens};

use super::chunk_of_run;

/// Segments that end at hashed breakpoints.
#[derive(Clone, Copy, Debug)]
pub struct Breakpoint {
    /// Divisor: a token whose hash is divisible by it ends a segment. Also the mean length of segments.
    pub p: NonZeroU32,
    /// Minimum length of a segment, in tokens: 1, or `p` if revised.
    pub shortest: NonZeroU32,
    /// Hash function of segments.
    pub hash: HashKind,
}

impl Chunker for Breakpoint {
    fn chunk(&self, tokens: &Tokens, chunks: &mut Vec<Chunk>) {
        let kept = segments(tokens.hashes(), self.p)
            .filter(|segment| segment.len() >= self.shortest.get() as usize);
        chunks.extend(kept.map(|segment| chunk_of_run(tokens, segment, self.hash)));
    }
}

/// Returns the segments of a document with these token hashes; they partition it.
pub(super) fn segments(hashes: &[u64], p: NonZeroU32) -> impl Iterator<Item = Range<usize>> {
    let divisor = u64::from(p.get());
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = hashes.get(start..).filter(|rest| !rest.is_empty())?;
        let length =
            rest.iter().position(|hash| hash % divisor == 0).map_or(rest.len(), |at| at + 1);
        let segment = start..start + length;
        start = segment.end;
        Some(segment)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::chunker::testing::{any_text, chunks, coverage, numbered, tokens};

    fn breakpoint(p: u32, shortest: u32) -> Breakpoint {
        let number = |value| NonZeroU32::new(value).unwrap();
        Breakpoint { p: number(p), shortest: number(shortest), hash: HashKind::default() }
    }

    #[test]
    fn a_segment_ends_with_each_divisible_token() {
        let four = NonZeroU32::new(4).unwrap();
        let segments: Vec<Range<usize>> = segments(&[1, 4, 8, 3, 5, 12, 7], four).collect();
        assert_eq!(segments, [0..2, 2..3, 3..6, 6..7]);
    }

    #[test]
    fn an_inserted_word_changes_only_its_own_segment() {
        let words = |tokens: &Tokens| chunks(&breakpoint(8, 1), tokens).len();
        let before = numbered(1000);
        let mut text = String::from_utf8(before.normalized().to_vec()).unwrap();
        text.insert_str(0, "inserted ");
        let after = tokens(&text);
        let hashes = |tokens: &Tokens| -> Vec<u64> {
            chunks(&breakpoint(8, 1), tokens).iter().rev().map(|chunk| chunk.hash).collect()
        };
        let same = hashes(&before).iter().zip(hashes(&after)).filter(|(a, b)| **a == *b).count();
        assert!(same + 1 >= words(&before));
    }

    #[test]
    fn an_empty_document_has_no_segment() {
        assert!(chunks(&breakpoint(4, 1), &tokens("")).is_empty());
        assert_eq!(chunks(&breakpoint(u32::MAX, 1), &tokens("same same same")).len(), 1);
    }

    proptest! {
        #[test]
        fn segments_partition_the_tokens(document in any_text(60), p in 1_u32..9) {
            let tokens = tokens(&document);
            let covered = coverage(tokens.len(), chunks(&breakpoint(p, 1), &tokens).into_iter());
            prop_assert!(covered.iter().all(|&times| times == 1));
        }

        #[test]
        fn revised_segments_are_the_long_ones(document in any_text(60), p in 1_u32..9) {
            let tokens = tokens(&document);
            let mut all = chunks(&breakpoint(p, 1), &tokens);
            all.retain(|chunk| chunk.count >= p);
            prop_assert_eq!(chunks(&breakpoint(p, p), &tokens), all);
        }
    }
}
