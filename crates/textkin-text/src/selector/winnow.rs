//! `winnow:W`: keeps the chunk with the smallest hash of each `W` consecutive ones.
//!
//! In: the chunks still selected. Out: the smallest of every `W` consecutive ones, the rightmost on ties; with
//! fewer than `W` chunks, the smallest of all.
//! Guarantee: texts that share `W + K − 1` consecutive tokens share a kept chunk of `K` words.
//! O(n), whatever `W`.
//! Schleimer, Wilkerson and Aiken (2003), as described by Abdel-Hamid et al. (2009).

use std::collections::VecDeque;
use std::num::NonZeroU32;

use textkin_core::{Chunked, Selector};

/// Keeps the smallest hash of each window.
#[derive(Clone, Copy, Debug)]
pub struct Winnow {
    /// Consecutive chunks of which at least one is kept.
    pub window: NonZeroU32,
}

impl Selector for Winnow {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        let window = selection.len().min(self.window.get() as usize);
        let hash = |index: u32| document.chunks[index as usize].hash;
        // Candidates: positions in the selection, with strictly ascending hashes.
        let mut candidates: VecDeque<usize> = VecDeque::new();
        let mut kept = Vec::new();
        for (position, &index) in selection.iter().enumerate() {
            while candidates.back().is_some_and(|&back| hash(selection[back]) >= hash(index)) {
                candidates.pop_back();
            }
            candidates.push_back(position);
            if position + 1 < window {
                continue;
            }
            candidates.pop_front_if(|front| *front + window <= position);
            let smallest = candidates.front().map(|&front| selection[front]);
            if kept.last().copied() != smallest {
                kept.extend(smallest);
            }
        }
        *selection = kept;
    }
}
