//! Alignment: where the words of an item are in a stretch of a document.
//!
//! In: two sequences of word hashes. Out: pairs of positions with equal words, ascending on both sides. Every word of
//! the item is either in a pair or missing; the document may have other words before, between and after.
//! Maximizes [`MATCH`] for each pair less [`OPEN`] and [`EXTEND`] for each gap in the document.

/// Gain of a pair of equal words.
const MATCH: i32 = 16;
/// Cost of a run of words of the document inside the item.
const OPEN: i32 = 12;
/// Cost of each word of such a run.
const EXTEND: i32 = 2;

/// How the best alignment reaches a cell.
const MISSING: u8 = 0;
const PAIR: u8 = 1;
const INSIDE: u8 = 2;
/// The gap that ends here has one word.
const OPENS: u8 = 4;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Aligner {
    best: Vec<i32>,
    steps: Vec<u8>,
}

impl Aligner {
    /// Appends the pairs of the best alignment of all of `item` with any part of `document`.
    pub(super) fn align(&mut self, item: &[u64], document: &[u64], pairs: &mut Vec<(u32, u32)>) {
        let width = document.len() + 1;
        self.best.clear();
        self.best.resize(width, 0);
        self.steps.clear();
        self.steps.resize((item.len() + 1) * width, MISSING);
        for (row, word) in item.iter().enumerate() {
            let mut diagonal = self.best[0];
            // Value of a gap in the document that ends at this column.
            let mut gap = i32::MIN / 2;
            let steps = &mut self.steps[(row + 1) * width..(row + 2) * width];
            for (column, other) in document.iter().enumerate() {
                let above = self.best[column + 1];
                let mut value = above;
                let mut step = MISSING;
                if word == other && diagonal + MATCH > value {
                    value = diagonal + MATCH;
                    step = PAIR;
                }
                // After the last word of the item, the rest of the document costs nothing.
                if row + 1 < item.len() {
                    let opened = self.best[column] - OPEN - EXTEND;
                    let mut flags = 0;
                    gap -= EXTEND;
                    if opened >= gap {
                        gap = opened;
                        flags = OPENS;
                    }
                    if gap > value {
                        value = gap;
                        step = INSIDE;
                    }
                    step |= flags;
                }
                diagonal = above;
                self.best[column + 1] = value;
                steps[column + 1] = step;
            }
        }
        let last = self.best.iter().enumerate().rev().max_by_key(|(_, value)| **value);
        let (mut row, mut column) = (item.len(), last.map_or(0, |(column, _)| column));
        let begin = pairs.len();
        while row > 0 && column > 0 {
            match self.steps[row * width + column] & 3 {
                PAIR => {
                    row -= 1;
                    column -= 1;
                    pairs.push((position(row), position(column)));
                }
                INSIDE => {
                    while self.steps[row * width + column] & OPENS == 0 {
                        column -= 1;
                    }
                    column -= 1;
                }
                _ => row -= 1,
            }
        }
        pairs[begin..].reverse();
    }
}

fn position(index: usize) -> u32 {
    u32::try_from(index).expect("windows are small")
}
