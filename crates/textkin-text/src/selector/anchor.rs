//! `anchor[:FILE]`: keeps the chunks that begin with one of a set of short strings.
//!
//! In: chunks, and anchors of any length in the normal form of tokens; without a list the 35 of
//! [`Anchor::COMMON`]. Out: the chunks whose text begins with one.
//! Guarantee: context-free.
//! Manber (1994); 35 anchors of two characters, “th” and “it” rejected, in Hoad and Zobel (2003),
//! who do not list them: these are our own choice, common at the beginning of English words but not
//! extremely so.

use std::collections::{BTreeSet, HashSet};

use textkin_core::{Chunked, Selector};

use super::retain;

/// Keeps chunks that begin with an anchor.
#[derive(Clone, Debug)]
pub struct Anchor {
    anchors: HashSet<Box<[u8]>>,
    lengths: BTreeSet<usize>,
}

impl Anchor {
    /// Default anchors.
    pub const COMMON: [&str; 35] = [
        "ac", "ad", "ag", "ap", "ba", "bo", "br", "ca", "ch", "cl", "cr", "da", "di", "dr", "en",
        "ex", "fa", "fi", "gr", "im", "la", "le", "li", "lo", "mi", "mu", "pa", "pl", "qu", "ra",
        "sc", "sp", "tr", "un", "vi",
    ];

    /// Creates a selector from a list of anchors; empty ones are ignored.
    pub fn new<'a>(anchors: impl IntoIterator<Item = &'a str>) -> Self {
        let anchors = anchors.into_iter().filter(|anchor| !anchor.is_empty());
        let anchors: HashSet<Box<[u8]>> = anchors.map(|anchor| anchor.as_bytes().into()).collect();
        let lengths = anchors.iter().map(|anchor| anchor.len()).collect();
        Self { anchors, lengths }
    }
}

impl Default for Anchor {
    fn default() -> Self {
        Self::new(Self::COMMON)
    }
}

impl Selector for Anchor {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        let text = document.tokens.normalized();
        retain(document, selection, |chunk| {
            let chunk = &text[chunk.start as usize..chunk.end as usize];
            let mut beginnings = self.lengths.iter().filter_map(|&length| chunk.get(..length));
            beginnings.any(|beginning| self.anchors.contains(beginning))
        });
    }
}
