//! What is said of one document: its fresh words, its copied blocks, its dominant origin.

use std::ops::Range;

use crate::label::{Labelled, Labels, Place};

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
pub struct DocumentTrace {
    /// Number of the document in its stream, from 0.
    pub number: u64,
    /// Its words.
    pub words: u32,
    /// Its chunks.
    pub chunks: u32,
    /// Those that were looked up.
    pub selected: u32,
    /// Words of no copied chunk.
    pub new_words: u32,
    /// Words of copied chunks.
    pub copied_words: u32,
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
    pub new: Vec<(u32, u32)>,
    /// Its old words that are only in chunks whose origin was estimated, likewise.
    pub estimated: Vec<(u32, u32)>,
}

impl DocumentTrace {
    /// Whether the dominant origin is another document.
    #[must_use]
    pub fn is_copied(&self) -> bool {
        self.dominant_origin != self.number
    }

    /// Puts together the labels of a document.
    pub(crate) fn new(number: u64, sizes: Sizes, labels: &Labels) -> Self {
        let is_old = |run: &&Labelled| run.place.is_some();
        let old = labels.runs.iter().filter(is_old).map(|run| run.start..run.end);
        let new = uncovered(sizes.words, old);
        let unfound = uncovered(sizes.words, labels.found.iter().cloned());
        let estimated = without(&unfound, &new);
        let new_words = new.iter().map(|(start, end)| end - start).sum();
        let dominant = dominant(number, &labels.runs);
        Self {
            number,
            words: sizes.words,
            chunks: sizes.chunks,
            selected: sizes.selected,
            new_words,
            copied_words: sizes.words - new_words,
            dominant_origin: dominant.origin,
            dominant_share: dominant.share,
            is_clear: dominant.is_clear,
            blocks: blocks(labels),
            new,
            estimated,
        }
    }
}

/// How large a document is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) words: u32,
    pub(crate) chunks: u32,
    pub(crate) selected: u32,
}

fn blocks(labels: &Labels) -> Vec<Block> {
    let n_places = labels.runs.iter().filter(|run| run.place.is_some()).count();
    let mut blocks = Vec::with_capacity(n_places);
    let mut found = labels.found.as_slice();
    for runs in labels.runs.chunk_by(Labelled::continues) {
        let n_found: u32 = runs.iter().map(|run| run.n_found).sum();
        let (of_block, rest) = found.split_at(found.len().min(n_found as usize));
        found = rest;
        let Some(Place { origin, offset }) = runs[0].place else { continue };
        let words = covered(runs.iter().map(|run| run.start..run.end));
        blocks.push(Block {
            start: runs[0].start,
            end: runs.iter().map(|run| run.end).max().unwrap_or(runs[0].end),
            origin,
            origin_offset: offset,
            words,
            estimated: words - covered(of_block.iter().cloned()),
        });
    }
    blocks
}

/// Words of any of these runs, which begin in order.
fn covered(runs: impl Iterator<Item = Range<u32>>) -> u32 {
    let mut covered_to = 0;
    let mut words = 0;
    for Range { start, end } in runs {
        words += end.saturating_sub(start.max(covered_to));
        covered_to = covered_to.max(end);
    }
    words
}

/// Words of none of these runs, which begin in order, as maximal runs.
fn uncovered(n_words: u32, covering: impl Iterator<Item = Range<u32>>) -> Vec<(u32, u32)> {
    let mut runs = Vec::new();
    let mut covered_to = 0;
    for Range { start, end } in covering {
        if start > covered_to {
            runs.push((covered_to, start));
        }
        covered_to = covered_to.max(end);
    }
    if covered_to < n_words {
        runs.push((covered_to, n_words));
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
fn dominant(number: u64, runs: &[Labelled]) -> Dominant {
    let origin_of = |run: &Labelled| run.place.map_or(number, |place| place.origin);
    let mut origins: Vec<(u64, u64)> = Vec::new();
    let (mut n_chunks, mut last) = (0, (number, 0));
    for run in runs {
        let (origin, n) = (origin_of(run), u64::from(run.n_chunks));
        n_chunks += n;
        // Those that follow one another are often of one origin.
        if origin != last.0 {
            origins.push(last);
            last = (origin, 0);
        }
        last.1 += n;
    }
    origins.push(last);
    origins.sort_unstable();
    let (mut best, mut best_count, mut second_count) = (number, 0, 0);
    for of_one in origins.chunk_by(|a, b| a.0 == b.0) {
        let (origin, n) = (of_one[0].0, of_one.iter().map(|(_, n)| n).sum::<u64>());
        let wins = n > best_count || (n == best_count && origin == number);
        second_count = second_count.max(if wins { best_count } else { n });
        if wins {
            (best, best_count) = (origin, n);
        }
    }
    Dominant {
        origin: best,
        share: if n_chunks == 0 { 0.0 } else { best_count as f64 / n_chunks as f64 },
        is_clear: best_count * 10 >= second_count * 11 && best_count > 0,
    }
}
