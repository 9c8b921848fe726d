//! Alignment: where two texts share what they share.
//!
//! In: the tokens of two texts, `a` and `b`. Out: passages in the order of `a`, with their place on
//! both sides, and the overlap that discovery gives for the same two texts.
//!
//! The steps:
//! 1. *Chunks.* Every run of `k` tokens of either text gets the number of its equals (`chunks`).
//! 2. *Runs.* Equal chunks are seeds of runs, which are extended as far as both texts agree. A chunk
//!    that is frequent in both texts has too many pairs of places; its n-th place in one text is then
//!    paired with the n-th in the other, so that time and memory stay linear in the texts (`runs`).
//! 3. *Choice.* The longest run is taken, then the longest of what is left on both sides, and so on:
//!    the greedy string tiling of Wise (1993). Each token belongs to at most one run. What is left of
//!    a run whose other tokens are taken is kept down to half of `k` (`choose`).
//! 4. *Bridges.* Runs that follow one another on both sides, at most `max_gap` tokens apart, are one
//!    passage; the tokens between are aligned one by one (`passages`).
//! 5. *Repeats.* Tokens that lie in a shared chunk and in no run are listed with a place where they
//!    also stand (`repeats`).
//!
//! Guarantee: a token lies in a run or a repeat exactly if it lies in a shared chunk, so that what is
//! covered is what discovery counts. Words that a cap set aside take part in all steps, so that they
//! can be shown in their place, and count in none: a passage without other words is listed apart. Moved text is found: passages may cross. The texts are put into
//! an order of their own first, so that `align(b, a)` is the mirror of `align(a, b)`.

mod choose;
mod chunks;
mod passages;
mod repeats;
mod runs;
#[cfg(test)]
mod tests;

use std::num::NonZeroU32;
use std::ops::Range;

use hashbrown::HashTable;
use textkin_core::{Overlap, Passage, Repeat, Segment, Stretch, TokenRange, Tokens};

use chunks::Chunks;

/// How two texts are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlignSettings {
    /// Tokens in the shortest run that counts: the `K` of `words:K`. Default 8.
    pub k: NonZeroU32,
    /// The most tokens, on either side, between two runs of a passage. Default 5.
    pub max_gap: u32,
}

impl Default for AlignSettings {
    fn default() -> Self {
        Self { k: NonZeroU32::MIN.saturating_add(7), max_gap: 5 }
    }
}

/// Tokens of bridged segments that lie in no shared chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bridged {
    /// In `a`.
    pub a: u64,
    /// In `b`.
    pub b: u64,
}

/// What two texts share and where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Alignment {
    /// The same counts that discovery gives for these two texts alone. Where words are set aside,
    /// `shared`, `chunks_a` and `chunks_b` are still those of whole texts: which chunks are common
    /// is not known here.
    pub overlap: Overlap,
    /// Passages in the order of `a`; their stretches do not overlap on either side.
    pub passages: Vec<Passage>,
    /// What both texts have and neither counts: as `passages`, and without a word that counts.
    pub set_aside: Vec<Passage>,
    /// Tokens of `a` in shared chunks and in no run of a passage, in order.
    pub repeats_a: Vec<Repeat>,
    /// Tokens of `b` in shared chunks and in no run of a passage, in order.
    pub repeats_b: Vec<Repeat>,
    /// Tokens between the runs of passages, which are never contained.
    pub bridged: Bridged,
}

/// Aligns two texts. Stretches have spans if the tokens have.
///
/// Linear in the texts, but for sorting the runs and for the gaps, which take `max_gap` steps per
/// token at most.
///
/// ```
/// use textkin_core::{Span, Tokens};
/// use textkin_graph::{AlignSettings, align};
///
/// let tokens = |text: &str| {
///     let mut tokens = Tokens::default();
///     text.split(' ').for_each(|word| tokens.push(word.as_bytes(), Span::default()));
///     tokens
/// };
/// let a = tokens("row row row your boat gently down the stream");
/// let b = tokens("please row row row your boat gently down the river");
/// let alignment = align(&a, &b, &AlignSettings::default());
/// assert_eq!(alignment.passages[0].matched, 8);
/// assert_eq!((alignment.passages[0].a.first, alignment.passages[0].b.first), (0, 1));
/// ```
#[must_use]
pub fn align(a: &Tokens, b: &Tokens, settings: &AlignSettings) -> Alignment {
    align_without(a, b, [&[], &[]], settings)
}

/// Aligns two texts of which the words `aside`, ascending in each, do not count: a cap on common
/// chunks set them aside. What lies outside a text is passed over.
#[must_use]
pub fn align_without(
    a: &Tokens,
    b: &Tokens,
    aside: [&[TokenRange]; 2],
    settings: &AlignSettings,
) -> Alignment {
    let is_mirrored = (a.len(), a.normalized()) > (b.len(), b.normalized());
    let [aside_a, aside_b] = [(a, aside[0]), (b, aside[1])].map(|(tokens, ranges)| {
        let mut flags = vec![false; tokens.len()];
        for range in ranges {
            let end = (range.end as usize).min(flags.len());
            flags[(range.start as usize).min(end)..end].fill(true);
        }
        flags
    });
    let max_pairs = runs::MAX_PAIRS;
    if is_mirrored {
        mirrored(align_ordered([b, a], [&aside_b, &aside_a], settings, max_pairs))
    } else {
        align_ordered([a, b], [&aside_a, &aside_b], settings, max_pairs)
    }
}

/// A run of equal tokens: `a..a + len` and `b..b + len`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    a: usize,
    b: usize,
    len: usize,
}

fn align_ordered(
    [a, b]: [&Tokens; 2],
    aside: [&[bool]; 2],
    settings: &AlignSettings,
    max_pairs: usize,
) -> Alignment {
    let [numbers_a, numbers_b] = numbered(a, b);
    let k = settings.k.get() as usize;
    let chunks = Chunks::new([&numbers_a, &numbers_b], k);
    let covered = [0, 1].map(|side| {
        let mut covered = chunks.covered(side);
        covered.iter_mut().zip(aside[side]).for_each(|(covered, is_aside)| *covered &= !is_aside);
        covered
    });
    let count = |covered: &[bool]| covered.iter().filter(|&&is_covered| is_covered).count() as u64;
    let shared = chunks.n_shared();
    let overlap = Overlap {
        shared,
        rarity: shared as f64 / 2.0,
        words_a: a.len() as u64 - count(aside[0]),
        words_b: b.len() as u64 - count(aside[1]),
        chunks_a: chunks.n_distinct(0),
        chunks_b: chunks.n_distinct(1),
        covered_a: count(&covered[0]),
        covered_b: count(&covered[1]),
    };
    let runs = runs::find(&numbers_a, &numbers_b, &chunks, max_pairs);
    let chosen = choose::choose(runs, a.len(), b.len(), chunks.k());
    let in_runs = |ranges: &mut dyn Iterator<Item = Range<usize>>, n: usize| {
        let mut flags = vec![false; n];
        ranges.for_each(|range| flags[range].fill(true));
        flags
    };
    let in_runs_a = in_runs(&mut chosen.iter().map(|run| run.a..run.a + run.len), a.len());
    let in_runs_b = in_runs(&mut chosen.iter().map(|run| run.b..run.b + run.len), b.len());
    let sides = passages::Sides { a, b, numbers_a: &numbers_a, numbers_b: &numbers_b, aside };
    let passages::Joined { passages, set_aside } =
        passages::join(&sides, &chosen, settings.max_gap as usize);
    let missing = |covered: &[bool], in_runs: &[bool]| -> Vec<bool> {
        covered.iter().zip(in_runs).map(|(&covered, &in_run)| covered && !in_run).collect()
    };
    let repeats_a = repeats::list([a, b], &chunks, 0, &missing(&covered[0], &in_runs_a));
    let repeats_b = repeats::list([b, a], &chunks, 1, &missing(&covered[1], &in_runs_b));
    let bridged = Bridged {
        a: n_bridged(&passages, [&covered[0], aside[0]], |segment| segment.a),
        b: n_bridged(&passages, [&covered[1], aside[1]], |segment| segment.b),
    };
    Alignment { overlap, passages, set_aside, repeats_a, repeats_b, bridged }
}

/// The tokens of both texts as numbers: equal numbers exactly for equal bytes.
fn numbered(a: &Tokens, b: &Tokens) -> [Vec<u32>; 2] {
    let texts = [a, b];
    let mut firsts: Vec<(usize, usize)> = Vec::new();
    let mut table: HashTable<u32> = HashTable::new();
    [0, 1].map(|side| {
        let tokens: &Tokens = texts[side];
        let number = |index: usize| {
            let bytes = tokens.token(index);
            let is_equal = |&number: &u32| {
                let (side, first) = firsts[number as usize];
                texts[side].token(first) == bytes
            };
            let hash = tokens.hashes()[index];
            if let Some(&number) = table.find(hash, is_equal) {
                return number;
            }
            let number = firsts.len() as u32;
            firsts.push((side, index));
            let rehash = |&number: &u32| {
                let (side, first) = firsts[number as usize];
                texts[side].hashes()[first]
            };
            table.insert_unique(hash, number, rehash);
            number
        };
        (0..tokens.len()).map(number).collect()
    })
}

/// The tokens `range` with their place in the text; an empty range stands after the token before.
fn stretch(tokens: &Tokens, range: Range<usize>) -> Stretch {
    let (first, count) = (range.start as u32, range.len() as u32);
    let mut stretch = Stretch { first, count, ..Stretch::default() };
    let spans = tokens.spans();
    if spans.is_empty() {
        return stretch;
    }
    if range.is_empty() {
        let place = range.start.checked_sub(1).map_or(0, |before| spans[before].end);
        (stretch.span.start, stretch.span.end) = (place, place);
    } else {
        stretch.span.start = spans[range.start].start;
        stretch.span.end = spans[range.end - 1].end;
    }
    stretch
}

/// The tokens of bridged segments that are neither covered nor set aside.
fn n_bridged(
    passages: &[Passage],
    [covered, aside]: [&[bool]; 2],
    side: impl Fn(&Segment) -> Stretch,
) -> u64 {
    let segments = passages.iter().flat_map(|passage| &passage.segments);
    let bridged = segments.filter(|segment| segment.kind.is_bridged()).map(side);
    let uncovered = |stretch: Stretch| {
        let tokens = stretch.first as usize..stretch.end() as usize;
        tokens.filter(|&token| !covered[token] && !aside[token]).count() as u64
    };
    bridged.map(uncovered).sum()
}

/// The same alignment with the sides exchanged.
fn mirrored(alignment: Alignment) -> Alignment {
    let Alignment { overlap, mut passages, mut set_aside, repeats_a, repeats_b, bridged } =
        alignment;
    for passage in passages.iter_mut().chain(&mut set_aside) {
        std::mem::swap(&mut passage.a, &mut passage.b);
        for segment in &mut passage.segments {
            std::mem::swap(&mut segment.a, &mut segment.b);
        }
    }
    passages.sort_by_key(|passage| passage.a.first);
    set_aside.sort_by_key(|passage| passage.a.first);
    let overlap = Overlap {
        words_a: overlap.words_b,
        words_b: overlap.words_a,
        chunks_a: overlap.chunks_b,
        chunks_b: overlap.chunks_a,
        covered_a: overlap.covered_b,
        covered_b: overlap.covered_a,
        ..overlap
    };
    Alignment {
        overlap,
        passages,
        set_aside,
        repeats_a: repeats_b,
        repeats_b: repeats_a,
        bridged: Bridged { a: bridged.b, b: bridged.a },
    }
}
