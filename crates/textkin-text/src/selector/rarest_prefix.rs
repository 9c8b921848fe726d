//! `rarest-prefix:R[:P]`: keeps the `R` chunks that begin with the rarest word beginnings.
//!
//! In: chunks that begin with a word. Out: exactly min(R, number of distinct ones), each at its
//! first occurrence, by how many words of the document begin with the same `P` characters
//! (default 2; a shorter word is its own prefix); ties go to the lowest hash, which does not depend on edits
//! elsewhere.
//! Rarest-prefix selection of Hoad and Zobel (2003), who do not specify `P`; Heintze (1996).

use std::collections::HashMap;
use std::num::NonZeroU32;

use textkin_core::{Chunked, Selector};

use super::{begins_with_word, keep_first_occurrences, keep_smallest, retain};

/// Keeps the `r` chunks that begin with the rarest prefixes.
#[derive(Clone, Copy, Debug)]
pub struct RarestPrefix {
    /// Number of chunks to keep.
    pub r: NonZeroU32,
    /// Characters in a prefix.
    pub p: NonZeroU32,
}

impl RarestPrefix {
    /// Default number of characters in a prefix.
    pub const DEFAULT_P: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);
}

impl Selector for RarestPrefix {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        let tokens = document.tokens;
        let prefix_of = |token: usize| prefix(tokens.token(token), self.p.get() as usize);
        let mut counts: HashMap<&[u8], u32> = HashMap::new();
        for token in 0..tokens.len() {
            *counts.entry(prefix_of(token)).or_default() += 1;
        }
        retain(document, selection, |chunk| begins_with_word(tokens, chunk));
        keep_first_occurrences(document, selection);
        keep_smallest(selection, self.r, |index| {
            let chunk = &document.chunks[index as usize];
            (counts.get(prefix_of(chunk.first as usize)), chunk.hash)
        });
    }
}

/// Returns the first `p` characters of `token` (UTF-8).
fn prefix(token: &[u8], p: usize) -> &[u8] {
    let begins = |byte: &u8| byte & 0b1100_0000 != 0b1000_0000;
    let mut starts = token.iter().enumerate().filter(|(_, byte)| begins(byte));
    let end = starts.nth(p).map_or(token.len(), |(position, _)| position);
    &token[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_counted_in_characters() {
        assert_eq!(prefix("über".as_bytes(), 2), "üb".as_bytes());
        assert_eq!(prefix(b"a", 2), b"a");
    }
}
