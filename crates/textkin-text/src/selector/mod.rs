//! Chunks to a selection: one file per selector, all behind [`Selector`].
//!
//! In: the chunks of one document and the ascending indices of those still selected.
//! Out: an ascending subset of them.
//! Selectors compose from left to right. A selector that judges each chunk separately, by content or position
//! (modulo, every, hailstorm, anchor, contains, kth-…), keeps the chunks of the current selection that it
//! would keep of all chunks. A selector that compares chunks (winnow, random, first, rarest-…, lowest,
//! no-overlap) compares only those still selected.
//! [`crate::grammar`] builds selectors from their names.

pub mod all;
pub mod spex;
pub mod modulo;
pub mod every;
pub mod winnow;
pub mod hailstorm;
pub mod random;
pub mod first;
pub mod first_sliding;
pub mod rarest_document;
pub mod rarest_collection;
pub mod rarest_prefix;
pub mod anchor;
pub mod kth_in_sentence;
pub mod kth_sentence;
pub mod kth_in_paragraph;
pub mod lowest;
pub mod contains;
pub mod no_overlap;
pub mod sequence;

pub use all::All;
pub use anchor::Anchor;
pub use contains::Contains;
pub use every::Every;
pub use first::First;
pub use first_sliding::FirstSliding;
pub use hailstorm::Hailstorm;
pub use kth_in_paragraph::KthInParagraph;
pub use kth_in_sentence::KthInSentence;
pub use kth_sentence::KthSentence;
pub use lowest::Lowest;
pub use modulo::Modulo;
pub use no_overlap::NoOverlap;
pub use random::Random;
pub use rarest_collection::{Frequencies, RarestCollection};
pub use rarest_document::RarestDocument;
pub use rarest_prefix::RarestPrefix;
pub use sequence::Sequence;
pub use spex::Spex;
pub use winnow::Winnow;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::num::NonZeroU32;

use textkin_core::{Chunk, Chunked, Selector, Tokens};

/// Returns the indices of the chunks of `document` that `selector` keeps, ascending.
///
/// ```
/// use std::num::NonZeroU32;
/// use textkin_core::hash::HashKind;
/// use textkin_core::{Chunked, Chunker, Span, Tokens};
/// use textkin_text::chunker::Words;
/// use textkin_text::selector::{Every, select};
///
/// let mut tokens = Tokens::default();
/// for word in ["a", "rose", "is", "a", "rose"] {
///     tokens.push(word.as_bytes(), Span::default());
/// }
/// let two = NonZeroU32::MIN.saturating_add(1);
/// let mut chunks = Vec::new();
/// Words { k: two, hash: HashKind::default() }.chunk(&tokens, &mut chunks);
/// let document = Chunked { tokens: &tokens, chunks: &chunks };
/// assert_eq!(select(&Every { l: two }, &document), [0, 2]);
/// ```
#[must_use]
pub fn select(selector: &dyn Selector, document: &Chunked<'_>) -> Vec<u32> {
    let n_chunks = u32::try_from(document.chunks.len()).expect("texts are limited to 4 GiB");
    let mut selection = (0..n_chunks).collect();
    selector.select(document, &mut selection);
    selection
}

/// Keeps the chunks for which `keep` holds.
fn retain(document: &Chunked<'_>, selection: &mut Vec<u32>, mut keep: impl FnMut(&Chunk) -> bool) {
    selection.retain(|&index| keep(&document.chunks[index as usize]));
}

/// Keeps the `r` indices with the smallest keys; no two keys may be equal.
fn keep_smallest<K: Ord>(selection: &mut Vec<u32>, r: NonZeroU32, key: impl Fn(u32) -> K) {
    let r = r.get() as usize;
    if selection.len() > r {
        selection.select_nth_unstable_by_key(r - 1, |&index| key(index));
        selection.truncate(r);
        selection.sort_unstable();
    }
}

/// Keeps the first occurrence of each chunk: a fixed resolution counts distinct hashes.
fn keep_first_occurrences(document: &Chunked<'_>, selection: &mut Vec<u32>) {
    let mut seen = HashSet::with_capacity(selection.len());
    retain(document, selection, |chunk| seen.insert(chunk.hash));
}

/// Returns whether `chunk` begins at a token start (chunks of characters need not).
fn begins_with_word(tokens: &Tokens, chunk: &Chunk) -> bool {
    tokens.start(chunk.first as usize) == chunk.start
}

/// Keeps the chunks that begin with one of the tokens in `starts`, ascending.
fn keep_beginning_at(document: &Chunked<'_>, selection: &mut Vec<u32>, starts: &[u32]) {
    retain(document, selection, |chunk| {
        starts.binary_search(&chunk.first).is_ok() && begins_with_word(document.tokens, chunk)
    });
}

/// Returns token `k` (from 1) of each run that begins at `starts`, if it exists.
fn kth_tokens(starts: &[u32], n_tokens: usize, k: NonZeroU32) -> Vec<u32> {
    let skip = k.get() as usize - 1;
    let runs = crate::chunker::sentence::runs(starts, n_tokens);
    runs.filter_map(|mut run| run.nth(skip)).filter_map(|token| u32::try_from(token).ok()).collect()
}
