//! Rows: the pairs of documents of a graph, in order of score, expanded from blocks one by one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use textkin_core::{Overlap, Pair};

use crate::graph::{Block, Graph, Kind};

impl Graph {
    /// The edges as pairs of documents: by score descending, then by `a`, then by `b`.
    #[must_use]
    pub fn rows(&self) -> Rows<'_> {
        self.rows_where(|_| true)
    }

    /// The edges of the blocks that `keep` accepts, in the order of [`Self::rows`]. The pairs of other
    /// blocks are not visited, however many there are.
    #[must_use]
    pub fn rows_where(&self, keep: fn(&Block) -> bool) -> Rows<'_> {
        Rows {
            graph: self,
            keep,
            next: 0,
            level_end: 0,
            heap: BinaryHeap::new(),
            cursors: Vec::new(),
        }
    }

    /// The documents of each text that several documents have, those with the most copies first.
    #[must_use]
    pub fn copies(&self) -> Vec<&[u32]> {
        let mut copies: Vec<&[u32]> =
            self.documents_of_text.iter().filter(|documents| documents.len() > 1).collect();
        copies.sort_by_key(|documents| (Reverse(documents.len()), documents[0]));
        copies
    }

    pub(crate) fn cursor(&self, block: &Block) -> Cursor<'_> {
        let (left, right) = match block.kind {
            Kind::Across { a, b } => {
                (self.documents_of_class.list(a as usize), self.documents_of_class.list(b as usize))
            }
            Kind::Within { class } => {
                let documents = self.documents_of_class.list(class as usize);
                (documents, documents)
            }
            Kind::Copies { text } => {
                let documents = match &self.sides {
                    Some(sides) => sides.documents_of_origin.list(text as usize),
                    None => self.documents_of_text.list(text as usize),
                };
                (documents, documents)
            }
        };
        let texts = match (block.kind, &self.sides) {
            (Kind::Within { .. }, _) => Some(&self.text_of_document[..]),
            (Kind::Across { .. }, Some(sides)) => Some(&sides.origin_of_document[..]),
            (Kind::Copies { .. }, Some(sides)) => Some(&sides.of_document[..]),
            (Kind::Across { .. } | Kind::Copies { .. }, None) => None,
        };
        let is_across = matches!(block.kind, Kind::Across { .. });
        Cursor::new(left, right, is_across, texts)
    }
}

/// Iterates over the rows of a [`Graph`].
#[derive(Debug)]
pub struct Rows<'a> {
    graph: &'a Graph,
    keep: fn(&Block) -> bool,
    /// The next block to begin.
    next: usize,
    /// One past the last block of the current score.
    level_end: usize,
    /// The next pair of each block of the current score, if several have many pairs.
    heap: BinaryHeap<Reverse<((u32, u32), usize)>>,
    cursors: Vec<(usize, Cursor<'a>)>,
}

impl Rows<'_> {
    /// Starts the blocks of the next score.
    fn begin_level(&mut self) {
        let blocks = &self.graph.blocks;
        let score = blocks[self.next].score;
        let same = blocks[self.next..].iter().take_while(|block| block.score == score);
        self.level_end = self.next + same.count();
        let level = &blocks[self.next..self.level_end];
        if level.len() == 1 || level.iter().any(|block| self.graph.n_rows(block) > 1) {
            self.cursors.clear();
            for (offset, block) in level.iter().enumerate().filter(|(_, block)| (self.keep)(block))
            {
                let cursor = self.graph.cursor(block);
                if let Some(pair) = cursor.peek() {
                    self.heap.push(Reverse((pair, self.cursors.len())));
                    self.cursors.push((self.next + offset, cursor));
                }
            }
            self.next = self.level_end;
        }
    }

    fn pair(&self, block: &Block, cursor: &Cursor<'_>, (a, b): (u32, u32)) -> Pair {
        let overlap = if cursor.is_swapped() { swapped(&block.overlap) } else { block.overlap };
        Pair { a, b, score: block.score, overlap, reason: block.reason }
    }
}

impl Iterator for Rows<'_> {
    type Item = Pair;

    fn next(&mut self) -> Option<Pair> {
        loop {
            if let Some(Reverse((pair, number))) = self.heap.pop() {
                let (block, cursor) = &self.cursors[number];
                let row = self.pair(&self.graph.blocks[*block], cursor, pair);
                let cursor = &mut self.cursors[number].1;
                cursor.advance();
                if let Some(next) = cursor.peek() {
                    self.heap.push(Reverse((next, number)));
                }
                return Some(row);
            }
            if self.next < self.level_end {
                let block = &self.graph.blocks[self.next];
                self.next += 1;
                if !(self.keep)(block) {
                    continue;
                }
                let cursor = self.graph.cursor(block);
                return cursor.peek().map(|pair| self.pair(block, &cursor, pair));
            }
            if self.next == self.graph.blocks.len() {
                return None;
            }
            self.begin_level();
        }
    }
}

/// Exchanges the sides of an overlap.
fn swapped(overlap: &Overlap) -> Overlap {
    Overlap {
        words_a: overlap.words_b,
        words_b: overlap.words_a,
        chunks_a: overlap.chunks_b,
        chunks_b: overlap.chunks_a,
        covered_a: overlap.covered_b,
        covered_b: overlap.covered_a,
        ..*overlap
    }
}

/// Walks the pairs of one block in order of the earlier, then of the later document.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    left: &'a [u32],
    right: &'a [u32],
    is_across: bool,
    /// If present, documents with the same text (of copies, with the same side) are not a pair.
    texts: Option<&'a [Option<u32>]>,
    /// The next document of each side that may be the earlier one of a pair.
    i: usize,
    j: usize,
    /// Index of the later document on the other side.
    later: usize,
}

impl<'a> Cursor<'a> {
    fn new(
        left: &'a [u32],
        right: &'a [u32],
        is_across: bool,
        texts: Option<&'a [Option<u32>]>,
    ) -> Self {
        let mut cursor = Self { left, right, is_across, texts, i: 0, j: 0, later: 0 };
        cursor.skip_exhausted();
        cursor
    }

    /// Whether the earlier document is on the right.
    fn is_swapped(&self) -> bool {
        self.is_across
            && match (self.left.get(self.i), self.right.get(self.j)) {
                (Some(left), Some(right)) => right < left,
                (left, _) => left.is_none(),
            }
    }

    /// The earlier document, and the side the later one is on.
    fn sides(&self) -> Option<(u32, &'a [u32])> {
        if self.is_swapped() {
            self.right.get(self.j).map(|&earlier| (earlier, self.left))
        } else {
            self.left.get(self.i).map(|&earlier| (earlier, self.right))
        }
    }

    /// The current pair.
    pub(crate) fn peek(&self) -> Option<(u32, u32)> {
        let (earlier, others) = self.sides()?;
        others.get(self.later).map(|&later| (earlier, later))
    }

    fn advance(&mut self) {
        self.later += 1;
        self.skip_same_text();
        self.skip_exhausted();
    }

    /// Moves to the next earlier document until it has a later one.
    fn skip_exhausted(&mut self) {
        if self.later == 0 {
            self.begin_earlier();
        }
        while let Some((_, others)) = self.sides() {
            if self.later < others.len() {
                return;
            }
            if self.is_swapped() {
                self.j += 1;
            } else {
                self.i += 1;
            }
            self.begin_earlier();
        }
    }

    fn begin_earlier(&mut self) {
        if let Some((earlier, others)) = self.sides() {
            self.later = others.partition_point(|&other| other <= earlier);
            self.skip_same_text();
        }
    }

    fn skip_same_text(&mut self) {
        let (Some(texts), Some((earlier, others))) = (self.texts, self.sides()) else { return };
        let text = texts[earlier as usize];
        while others.get(self.later).is_some_and(|&other| texts[other as usize] == text) {
            self.later += 1;
        }
    }
}
