//! What is said of one document: its fresh words, its copied blocks, its dominant origin.

use textkin_core::{Chunk, Chunked};

use crate::label::Label;

/// A copied block: consecutive chunks of one origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its first word.
    pub start: u32,
    /// One past its last word. Blocks of different origins may share words.
    pub end: u32,
    /// Number of the earliest document known to hold it.
    pub origin: u64,
    /// The word of the origin that it begins with there, where the method keeps that (modulo 65,536
    /// with windows).
    pub origin_offset: Option<u32>,
    /// How many of its words belong to chunks of this origin.
    pub words: u32,
    /// How many of those belong only to chunks whose origin was estimated from others.
    pub estimated: u32,
}

/// What is said of one document.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    /// Number of the document in its stream, from 0.
    pub number: u64,
    /// Its words.
    pub words: u32,
    /// Its chunks.
    pub chunks: u32,
    /// Those that were looked up.
    pub selected: u32,
    /// Words of no copied chunk.
    pub fresh_words: u32,
    /// Words of copied chunks.
    pub old_words: u32,
    /// The document that most of its chunks came from: itself if none was copied, or if there are as
    /// many of its own.
    pub dominant_origin: u64,
    /// The share of its chunks that did, of those with a label; 0 if there is no chunk.
    pub dominant_share: f64,
    /// Whether that is a tenth more than came from any other document.
    pub is_clear: bool,
    /// Its copied blocks, in text order.
    pub blocks: Vec<Block>,
    /// Its fresh words, as `start..end` of maximal runs.
    pub fresh: Vec<(u32, u32)>,
    /// Its old words that are only in chunks whose origin was estimated, likewise.
    pub estimated: Vec<(u32, u32)>,
}

impl Traced {
    /// Whether the dominant origin is another document.
    #[must_use]
    pub fn is_copied(&self) -> bool {
        self.dominant_origin != self.number
    }

    /// Puts together the labels of the chunks at `places`, which ascend.
    pub(crate) fn new(
        number: u64,
        document: &Chunked<'_>,
        n_selected: usize,
        labelled: &[Labelled],
    ) -> Self {
        let words = count(document.tokens.len());
        let fresh = uncovered(words, labelled, |_| true);
        let unfound = uncovered(words, labelled, |label| !label.is_estimated);
        let estimated = without(&unfound, &fresh);
        let fresh_words = fresh.iter().map(|(start, end)| end - start).sum();
        let dominant = dominant(number, labelled);
        Self {
            number,
            words,
            chunks: count(document.chunks.len()),
            selected: count(n_selected),
            fresh_words,
            old_words: words - fresh_words,
            dominant_origin: dominant.origin,
            dominant_share: dominant.share,
            is_clear: dominant.is_clear,
            blocks: labelled.chunk_by(Labelled::continues).filter_map(block).collect(),
            fresh,
            estimated,
        }
    }
}

/// The words of a chunk and where they came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Labelled {
    /// Its first word.
    start: u32,
    /// One past its last word.
    end: u32,
    /// None if it is the document's own.
    label: Option<Label>,
}

impl Labelled {
    pub(crate) fn new(chunk: &Chunk, label: Option<Label>) -> Self {
        Self { start: chunk.first, end: chunk.first + chunk.count, label }
    }

    /// Whether `next` is of the same block: the same origin, and as far on as there.
    fn continues(&self, next: &Self) -> bool {
        let (Some(a), Some(b)) = (self.label, next.label) else {
            return self.label.is_none() && next.label.is_none();
        };
        let diagonal = |label: Label, start: u32| {
            label.offset.map(|offset| offset.wrapping_sub(start) & 0xffff)
        };
        a.origin == b.origin && diagonal(a, self.start) == diagonal(b, next.start)
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn block(run: &[Labelled]) -> Option<Block> {
    let first = run.first()?;
    let label = first.label?;
    let end = run.iter().map(|labelled| labelled.end).max()?;
    let words = covered(run.iter());
    let is_found = |labelled: &&Labelled| labelled.label.is_some_and(|label| !label.is_estimated);
    let found = covered(run.iter().filter(is_found));
    Some(Block {
        start: first.start,
        end,
        origin: label.origin,
        origin_offset: label.offset,
        words,
        estimated: words - found,
    })
}

/// Words of any of these chunks, which begin in order.
fn covered<'a>(run: impl Iterator<Item = &'a Labelled>) -> u32 {
    let mut covered_to = 0;
    let mut words = 0;
    for Labelled { start, end, .. } in run {
        words += end.saturating_sub(*start.max(&covered_to));
        covered_to = covered_to.max(*end);
    }
    words
}

/// Words of no chunk with a label that counts, as maximal runs.
fn uncovered(
    n_words: u32,
    labelled: &[Labelled],
    counts: impl Fn(&Label) -> bool,
) -> Vec<(u32, u32)> {
    let mut runs = Vec::new();
    let mut old_to = 0;
    let labelled = labelled.iter().filter(|labelled| labelled.label.as_ref().is_some_and(&counts));
    for Labelled { start, end, .. } in labelled {
        if *start > old_to {
            runs.push((old_to, *start));
        }
        old_to = old_to.max(*end);
    }
    if old_to < n_words {
        runs.push((old_to, n_words));
    }
    runs
}

/// What is left of runs without others, each of which lies within one of them.
fn without(runs: &[(u32, u32)], others: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut left = Vec::new();
    let mut others = others.iter().peekable();
    for &(mut start, end) in runs {
        while let Some(other) = others.next_if(|other| other.0 < end) {
            if other.0 > start {
                left.push((start, other.0));
            }
            start = other.1;
        }
        if start < end {
            left.push((start, end));
        }
    }
    left
}

struct Dominant {
    origin: u64,
    share: f64,
    is_clear: bool,
}

/// The origin of most chunks; the document itself, then the earliest, where several have as many.
fn dominant(number: u64, labelled: &[Labelled]) -> Dominant {
    let origin_of = |labelled: &Labelled| labelled.label.map_or(number, |label| label.origin);
    let mut origins: Vec<u64> = labelled.iter().map(origin_of).collect();
    origins.sort_unstable();
    let (mut best, mut best_count, mut second_count) = (number, 0, 0);
    let runs = origins.chunk_by(|a, b| a == b);
    for (origin, n) in runs.map(|run| (run[0], run.len())) {
        let wins = n > best_count || (n == best_count && origin == number);
        second_count = second_count.max(if wins { best_count } else { n });
        if wins {
            (best, best_count) = (origin, n);
        }
    }
    Dominant {
        origin: best,
        share: if origins.is_empty() { 0.0 } else { best_count as f64 / origins.len() as f64 },
        is_clear: best_count * 10 >= second_count * 11 && best_count > 0,
    }
}
