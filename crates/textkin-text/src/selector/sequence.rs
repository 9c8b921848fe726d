//! Sequence of selectors, written with `+`.
//!
//! In: selectors in order. Out: the chunks that all of them keep, each applied to the result of the previous.

use textkin_core::chunk::overlapping_count;
use textkin_core::{Chunked, Selector, Tokens};

/// Selectors applied one after the other.
pub struct Sequence {
    selectors: Vec<Box<dyn Selector>>,
}

impl Sequence {
    /// Creates a sequence; an empty one keeps everything.
    #[must_use]
    pub fn new(selectors: Vec<Box<dyn Selector>>) -> Self {
        Self { selectors }
    }
}

impl std::fmt::Debug for Sequence {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Sequence").field("length", &self.selectors.len()).finish()
    }
}

impl Selector for Sequence {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        for selector in &self.selectors {
            selector.select(document, selection);
        }
    }

    fn selects_runs(&self) -> bool {
        self.selectors.iter().all(|selector| selector.selects_runs())
    }

    fn select_runs(&self, tokens: &Tokens, k: usize, selection: &mut Vec<u32>) {
        for selector in &self.selectors {
            selector.select_runs(tokens, k, selection);
        }
    }

    fn select_of_all_runs(&self, tokens: &Tokens, k: usize, selection: &mut Vec<u32>) {
        let Some((first, others)) = self.selectors.split_first() else {
            selection.extend((0..).take(overlapping_count(tokens.len(), k)));
            return;
        };
        first.select_of_all_runs(tokens, k, selection);
        for selector in others {
            selector.select_runs(tokens, k, selection);
        }
    }

    fn needs_structure(&self) -> bool {
        self.selectors.iter().any(|selector| selector.needs_structure())
    }
}
