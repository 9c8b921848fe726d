//! Matching: the index of all documents, and what a text shares with which of them.

pub(crate) mod codec;
pub(crate) mod comparison;
pub(crate) mod exclusions;
pub(crate) mod index;
pub(crate) mod match_set;
pub(crate) mod occurrences;
pub(crate) mod probe;
#[cfg(test)]
mod results_tests;
pub(crate) mod saved_results;

/// Counts the texts that were split into words, to prove that something needs none.
#[cfg(test)]
pub(crate) mod tokenized {
    use std::cell::Cell;

    thread_local!(static COUNT: Cell<u64> = const { Cell::new(0) });

    /// Counts a text.
    pub(crate) fn count() {
        COUNT.set(COUNT.get() + 1);
    }

    /// Returns how many texts this thread has split so far.
    pub(crate) fn get() -> u64 {
        COUNT.get()
    }
}
