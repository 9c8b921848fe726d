//! Result for one document: its fresh words, copied blocks and dominant origin.

use std::ops::Range;

use crate::label::{LabelledRun, OriginLabels, OriginPosition};

/// Copied block: consecutive chunks of one origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// First word.
    pub start: u32,
    /// One past the last word. Blocks of different origins may share words.
    pub end: u32,
    /// Number of the earliest document known to contain the block.
    pub origin: u64,
    /// Word of the origin where the block begins, if the method stores it (modulo 65,536 with the window
    /// method).
    pub origin_offset: Option<u32>,
    /// Number of its words that belong to chunks of this origin.
    pub words: u32,
    /// Number of those that belong only to chunks whose origin was estimated.
    pub estimated: u32,
}

/// Result of tracing one document.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentTrace {
    /// Number of the document in its stream, from 0.
    pub number: u64,
    /// Number of words.
    pub words: u32,
    /// Number of chunks.
    pub chunks: u32,
    /// Number of selected chunks.
    pub selected: u32,
    /// Number of words outside copied chunks.
    pub fresh_words: u32,
    /// Number of words in copied chunks.
    pub old_words: u32,
    /// Document that most chunks came from: the document itself if none was copied, or if as many are
    /// new.
    pub dominant_origin: u64,
    /// Share of labelled chunks that came from the dominant origin; 0 without chunks.
    pub dominant_share: f64,
    /// Whether the dominant origin has at least a tenth more chunks than any other document.
    pub is_clear: bool,
    /// Copied blocks, in text order.
    pub blocks: Vec<Block>,
    /// New words, as maximal runs `start..end`.
    pub fresh: Vec<(u32, u32)>,
    /// Copied words that are only in chunks with an estimated origin, as runs.
    pub estimated: Vec<(u32, u32)>,
}

impl DocumentTrace {
    /// Returns whether the dominant origin is another document.
    #[must_use]
    pub fn is_copied(&self) -> bool {
        self.dominant_origin != self.number
    }

    /// Builds the result from the labels of a document.
    pub(crate) fn new(number: u64, sizes: DocumentSizes, labels: &OriginLabels) -> Self {
        let is_old = |run: &&LabelledRun| run.origin.is_some();
        let old = labels.runs.iter().filter(is_old).map(|run| run.start..run.end);
        let fresh = uncovered(sizes.words, old);
        let unfound = uncovered(sizes.words, labels.found.iter().cloned());
        let estimated = without(&unfound, &fresh);
        let fresh_words = fresh.iter().map(|(start, end)| end - start).sum();
        let dominant = dominant(number, &labels.runs);
        Self {
            number,
            words: sizes.words,
            chunks: sizes.chunks,
            selected: sizes.selected,
            fresh_words,
            old_words: sizes.words - fresh_words,
            dominant_origin: dominant.origin,
            dominant_share: dominant.share,
            is_clear: dominant.is_clear,
            blocks: blocks(labels),
            fresh,
            estimated,
        }
    }
}

/// Sizes of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DocumentSizes {
    pub(crate) words: u32,
    pub(crate) chunks: u32,
    pub(crate) selected: u32,
}

fn blocks(labels: &OriginLabels) -> Vec<Block> {
    let n_copied = labels.runs.iter().filter(|run| run.origin.is_some()).count();
    let mut blocks = Vec::with_capacity(n_copied);
    let mut found = labels.found.as_slice();
    for runs in labels.runs.chunk_by(LabelledRun::continues) {
        let n_found: u32 = runs.iter().map(|run| run.n_found).sum();
        let (of_block, rest) = found.split_at(found.len().min(n_found as usize));
        found = rest;
        let Some(OriginPosition { origin, offset }) = runs[0].origin else { continue };
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

/// Counts the words in any of these runs, which are ordered by start.
fn covered(runs: impl Iterator<Item = Range<u32>>) -> u32 {
    let mut covered_to = 0;
    let mut words = 0;
    for Range { start, end } in runs {
        words += end.saturating_sub(start.max(covered_to));
        covered_to = covered_to.max(end);
    }
    words
}

/// Returns the words outside these runs, which are ordered by start, as maximal runs.
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

/// Subtracts `others` from `runs`; each of `others` lies within one run.
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

/// Returns the origin of most chunks; ties go to the document itself, then to the earliest.
fn dominant(number: u64, runs: &[LabelledRun]) -> Dominant {
    let origin_of = |run: &LabelledRun| run.origin.map_or(number, |position| position.origin);
    let mut origins: Vec<(u64, u64)> = Vec::new();
    let (mut n_chunks, mut last) = (0, (number, 0));
    for run in runs {
        let (origin, n) = (origin_of(run), u64::from(run.n_chunks));
        n_chunks += n;
        // Consecutive runs often have the same origin.
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
