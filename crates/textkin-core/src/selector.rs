//! Selectors: choose which chunks of a document are kept.

use crate::chunk::{Chunked, overlapping_count};
use crate::token::Tokens;

/// Chooses which chunks of one document are kept.
///
/// A selector has settings but no state: the same document gives the same selection on any thread and any
/// machine. A selector that depends on the whole collection is constructed from the result of an earlier
/// pass.
pub trait Selector: Send + Sync {
    /// Narrows `selection`, the ascending indices into `document.chunks` that are still selected, to those
    /// that this selector keeps, in the same order.
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>);

    /// Whether [`Selector::select_runs`] can be called instead of [`Selector::select`] if the chunks are
    /// all runs of `k` words.
    fn selects_runs(&self) -> bool {
        false
    }

    /// Like [`Selector::select`], for all runs of `k` consecutive tokens
    /// ([`Chunker::overlapping_words`]), without creating them: run `n` begins with token `n`, and fewer
    /// than `k` tokens form one run.
    ///
    /// Has no effect unless [`Selector::selects_runs`] returns true.
    ///
    /// [`Chunker::overlapping_words`]: crate::Chunker::overlapping_words
    fn select_runs(&self, _tokens: &Tokens, _k: usize, _selection: &mut Vec<u32>) {}

    /// Like [`Selector::select_runs`], if all runs are still selected and `selection` is empty, so that
    /// they need not be listed.
    fn select_of_all_runs(&self, tokens: &Tokens, k: usize, selection: &mut Vec<u32>) {
        let n_runs = overlapping_count(tokens.len(), k);
        selection.extend(0..u32::try_from(n_runs).expect("a text is bounded to 4 GiB"));
        self.select_runs(tokens, k, selection);
    }

    /// Whether it needs the starts of sentences and paragraphs.
    fn needs_structure(&self) -> bool {
        false
    }
}
