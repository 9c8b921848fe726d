//! Two sources as one: the documents of the first, then those of the second.
//!
//! In: two sources. Out: a source whose second [part](Source::part) is the second one, so that each document
//! of the first can be compared with those of the second only.

use textkin_core::{Piece, Rewind, RewindError, Source};

/// Two sources, one after the other, as two parts.
pub struct SourcePair {
    first: Box<dyn Rewind>,
    second: Box<dyn Rewind>,
    is_second: bool,
}

impl SourcePair {
    /// Creates a source of the documents of `first`, then of `second`.
    pub fn new(first: Box<dyn Rewind>, second: Box<dyn Rewind>) -> Self {
        Self { first, second, is_second: false }
    }
}

impl std::fmt::Debug for SourcePair {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SourcePair").finish_non_exhaustive()
    }
}

impl Source for SourcePair {
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        if !self.is_second {
            let piece = self.first.next_piece();
            if piece.is_some() {
                return piece;
            }
            self.is_second = true;
        }
        self.second.next_piece()
    }

    fn part(&self) -> u32 {
        u32::from(self.is_second)
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.first.total_bytes()? + self.second.total_bytes()?)
    }

    fn has_texts(&self) -> bool {
        self.first.has_texts() && self.second.has_texts()
    }
}

impl Rewind for SourcePair {
    fn rewind(&self) -> Result<Box<dyn Rewind>, RewindError> {
        Ok(Box::new(Self::new(self.first.rewind()?, self.second.rewind()?)))
    }
}
