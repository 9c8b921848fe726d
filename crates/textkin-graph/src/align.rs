//! Alignment: finds where two texts share text.
//!
//! In: the tokens of two texts, `a` and `b`. Out: passages in the order of `a`, with their position on
//! both sides, and the overlap that discovery reports for the same two texts.
//!
//! The steps:
//! 1. *Chunks.* Every run of `k` tokens of either text gets a number; equal runs get the same one
//!    (`chunks`).
//! 2. *Runs.* Equal chunks are seeds of runs, which are extended as far as both texts agree. A chunk
//!    that is frequent in both texts has too many pairs of positions. Its n-th position in one text is
//!    then paired with the n-th in the other, so that time and memory stay linear in the texts (`runs`).
//! 3. *Choice.* The longest run is chosen, then the longest of what remains on both sides, and so on:
//!    the greedy string tiling of Wise (1993). Each token belongs to at most one run. The remainder of a
//!    run whose other tokens are already used is kept down to half of `k` (`choose`).
//! 4. *Bridges.* Runs that follow one another on both sides, at most `max_gap` tokens apart, form one
//!    passage; the tokens between them are aligned one by one (`passages`).
//! 5. *Repeats.* Tokens that lie in a shared chunk but in no run are listed with a position where they
//!    also occur (`repeats`).
//!
//! Guarantee: a token lies in a run or a repeat exactly if it lies in a shared chunk, so that coverage
//! equals what discovery counts, unless `min_words` drops short passages. Words that a cap excluded take part in all steps, so that they can be
//! shown where they occur, but they never count; passages without other words are listed separately.
//! Moved text is found: passages may cross. The texts are first put into a fixed order, so that
//! `align(b, a)` is the mirror image of `align(a, b)`.

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
use textkin_core::{Overlap, Passage, Repeat, Segment, TokenRange, Tokens, WordSpan};

use chunks::Chunks;

/// Settings of an alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlignSettings {
    /// Tokens in the shortest run that counts: the `K` of `words:K`. Default 8.
    pub k: NonZeroU32,
    /// Which runs form a passage, and which passages count.
    pub passages: PassageRules,
}

impl Default for AlignSettings {
    fn default() -> Self {
        Self { k: NonZeroU32::MIN.saturating_add(7), passages: PassageRules::default() }
    }
}

/// Which runs form a passage, and which passages count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassageRules {
    /// Maximum number of tokens, on either side, between two runs of a passage. Default 5.
    pub max_gap: u32,
    /// Minimum number of matching tokens of a passage, and of a repeat. Shorter ones are dropped, and their tokens
    /// are not covered. Default 0: all count.
    pub min_words: u32,
}

impl Default for PassageRules {
    fn default() -> Self {
        Self { max_gap: 5, min_words: 0 }
    }
}

/// Rules with this `max_gap` that drop no passage.
impl From<u32> for PassageRules {
    fn from(max_gap: u32) -> Self {
        Self { max_gap, min_words: 0 }
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

/// The text that two documents share, and where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Alignment {
    /// The counts that discovery reports for these two texts alone. If words are excluded,
    /// `shared`, `chunks_a` and `chunks_b` still count the whole texts, because the alignment does
    /// not know which chunks are common.
    pub overlap: Overlap,
    /// Passages in the order of `a`; they do not overlap on either side.
    pub passages: Vec<Passage>,
    /// Passages that consist of excluded words only.
    pub excluded_passages: Vec<Passage>,
    /// Tokens of `a` in shared chunks and in no run of a passage, in order.
    pub repeats_a: Vec<Repeat>,
    /// Tokens of `b` in shared chunks and in no run of a passage, in order.
    pub repeats_b: Vec<Repeat>,
    /// Tokens between the runs of passages; they never count as contained.
    pub bridged: Bridged,
}

/// Aligns two texts. Passages have byte spans if the tokens have.
///
/// Takes linear time, except for sorting the runs and for the gaps, which take at most `max_gap`
/// steps per token.
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
    align_excluding(a, b, [&[], &[]], settings)
}

/// Aligns two texts whose words in `excluded` do not count, because a cap on common chunks excluded
/// them. The ranges are ascending; parts that lie outside a text are ignored.
#[must_use]
pub fn align_excluding(
    a: &Tokens,
    b: &Tokens,
    excluded: [&[TokenRange]; 2],
    settings: &AlignSettings,
) -> Alignment {
    let is_mirrored = (a.len(), a.normalized()) > (b.len(), b.normalized());
    let [excluded_a, excluded_b] = [(a, excluded[0]), (b, excluded[1])].map(|(tokens, ranges)| {
        let mut flags = vec![false; tokens.len()];
        for range in ranges {
            let end = (range.end as usize).min(flags.len());
            flags[(range.start as usize).min(end)..end].fill(true);
        }
        flags
    });
    let max_pairs = runs::MAX_PAIRS;
    if is_mirrored {
        mirrored(align_ordered([b, a], [&excluded_b, &excluded_a], settings, max_pairs))
    } else {
        align_ordered([a, b], [&excluded_a, &excluded_b], settings, max_pairs)
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
    excluded: [&[bool]; 2],
    settings: &AlignSettings,
    max_pairs: usize,
) -> Alignment {
    let [numbers_a, numbers_b] = numbered(a, b);
    let k = settings.k.get() as usize;
    let chunks = Chunks::new([&numbers_a, &numbers_b], k);
    let mut covered = [0, 1].map(|side| {
        let mut covered = chunks.covered(side);
        covered
            .iter_mut()
            .zip(excluded[side])
            .for_each(|(covered, is_excluded)| *covered &= !is_excluded);
        covered
    });
    let runs = runs::find(&numbers_a, &numbers_b, &chunks, max_pairs);
    let chosen = choose::choose(runs, a.len(), b.len(), chunks.k());
    let in_runs = |ranges: &mut dyn Iterator<Item = Range<usize>>, n: usize| {
        let mut flags = vec![false; n];
        ranges.for_each(|range| flags[range].fill(true));
        flags
    };
    let in_runs_a = in_runs(&mut chosen.iter().map(|run| run.a..run.a + run.len), a.len());
    let in_runs_b = in_runs(&mut chosen.iter().map(|run| run.b..run.b + run.len), b.len());
    let sides = passages::Sides { a, b, numbers_a: &numbers_a, numbers_b: &numbers_b, excluded };
    let passages::Joined { passages, excluded_passages, dropped } =
        passages::join(&sides, &chosen, &settings.passages);
    for run in dropped {
        covered[0][run.a..run.a + run.len].fill(false);
        covered[1][run.b..run.b + run.len].fill(false);
    }
    let missing = |covered: &[bool], in_runs: &[bool]| -> Vec<bool> {
        covered.iter().zip(in_runs).map(|(&covered, &in_run)| covered && !in_run).collect()
    };
    let mut repeats_a = repeats::list([a, b], &chunks, 0, &missing(&covered[0], &in_runs_a));
    let mut repeats_b = repeats::list([b, a], &chunks, 1, &missing(&covered[1], &in_runs_b));
    for (repeats, covered) in [&mut repeats_a, &mut repeats_b].into_iter().zip(&mut covered) {
        repeats.retain(|repeat| {
            let is_kept = repeat.here.count >= settings.passages.min_words;
            let words = repeat.here.first as usize..repeat.here.end() as usize;
            covered[words].iter_mut().for_each(|is_covered| *is_covered &= is_kept);
            is_kept
        });
    }
    let count = |covered: &[bool]| covered.iter().filter(|&&is_covered| is_covered).count() as u64;
    // Excluded tokens are skipped, as if the text did not have them.
    let longest = |side: usize| {
        let tokens = covered[side].iter().zip(excluded[side]);
        let (mut run, mut longest) = (0, 0);
        for (&is_covered, _) in tokens.filter(|(_, is_excluded)| !**is_excluded) {
            run = if is_covered { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        longest
    };
    let shared = chunks.n_shared();
    let overlap = Overlap {
        shared,
        rarity: shared as f64 / 2.0,
        words_a: a.len() as u64 - count(excluded[0]),
        words_b: b.len() as u64 - count(excluded[1]),
        chunks_a: chunks.n_distinct(0),
        chunks_b: chunks.n_distinct(1),
        covered_a: count(&covered[0]),
        covered_b: count(&covered[1]),
        longest_run: longest(0).min(longest(1)),
    };
    let bridged = Bridged {
        a: n_bridged(&passages, [&covered[0], excluded[0]], |segment| segment.a),
        b: n_bridged(&passages, [&covered[1], excluded[1]], |segment| segment.b),
    };
    Alignment { overlap, passages, excluded_passages, repeats_a, repeats_b, bridged }
}

/// Numbers the tokens of both texts; two numbers are equal exactly if the bytes are.
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

/// Returns the tokens of `range` with their span; an empty range has the end of the token before.
fn word_span(tokens: &Tokens, range: Range<usize>) -> WordSpan {
    let (first, count) = (range.start as u32, range.len() as u32);
    let mut word_span = WordSpan { first, count, ..WordSpan::default() };
    let spans = tokens.spans();
    if spans.is_empty() {
        return word_span;
    }
    if range.is_empty() {
        let position = range.start.checked_sub(1).map_or(0, |before| spans[before].end);
        (word_span.span.start, word_span.span.end) = (position, position);
    } else {
        word_span.span.start = spans[range.start].start;
        word_span.span.end = spans[range.end - 1].end;
    }
    word_span
}

/// Counts the tokens of bridged segments that are neither covered nor excluded.
fn n_bridged(
    passages: &[Passage],
    [covered, excluded]: [&[bool]; 2],
    side: impl Fn(&Segment) -> WordSpan,
) -> u64 {
    let segments = passages.iter().flat_map(|passage| &passage.segments);
    let bridged = segments.filter(|segment| segment.kind.is_bridged()).map(side);
    let uncovered = |word_span: WordSpan| {
        let tokens = word_span.first as usize..word_span.end() as usize;
        tokens.filter(|&token| !covered[token] && !excluded[token]).count() as u64
    };
    bridged.map(uncovered).sum()
}

/// Exchanges the two sides of an alignment.
fn mirrored(alignment: Alignment) -> Alignment {
    let Alignment { overlap, mut passages, mut excluded_passages, repeats_a, repeats_b, bridged } =
        alignment;
    for passage in passages.iter_mut().chain(&mut excluded_passages) {
        std::mem::swap(&mut passage.a, &mut passage.b);
        for segment in &mut passage.segments {
            std::mem::swap(&mut segment.a, &mut segment.b);
        }
    }
    passages.sort_by_key(|passage| passage.a.first);
    excluded_passages.sort_by_key(|passage| passage.a.first);
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
        excluded_passages,
        repeats_a: repeats_b,
        repeats_b: repeats_a,
        bridged: Bridged { a: bridged.b, b: bridged.a },
    }
}
