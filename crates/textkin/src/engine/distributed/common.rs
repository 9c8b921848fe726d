//! Common chunks: those that occur in too many documents to form an edge alone.
//!
//! S4 weights a shared chunk by one over the number of documents that contain it. A text has no
//! more distinct chunks than words (if every chunk begins with another word), so that two texts
//! which share only chunks in more than `c` documents score less than 1/`c`. With `c` ≥ 1/threshold
//! such chunks lead to no pair. They are not counted by pairs, of which there would be c²/2 for
//! each, but looked up when pairs are compared word by word, and added there. The scores are the
//! same.

use hashbrown::HashMap;
use textkin_core::Measure;
use textkin_text::grammar::ChunkerKind;

use super::error::Error;
use super::wire::{WireReader, push};
use crate::settings::Settings;

/// The number of documents above which a chunk is common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommonCutoff(u32);

impl CommonCutoff {
    /// The default minimum; a lower cutoff saves no measurable work.
    pub const MIN: u32 = 100;

    /// Returns the cutoff for `settings`, at least `min` documents; `None` if common chunks alone
    /// may form an edge.
    #[must_use]
    pub fn new(settings: &Settings, min: u32) -> Option<Self> {
        let is_weighted = settings.score == Measure::S4 && settings.threshold > 0.0;
        let is_bounded = !matches!(settings.chunk, ChunkerKind::Chars { .. });
        if !is_weighted || !is_bounded || !settings.select.is_lossless() {
            return None;
        }
        let documents = (1.0 / settings.threshold).ceil();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked before"
        )]
        let documents =
            if documents < f64::from(u32::MAX) { documents as u32 } else { return None };
        Some(Self(documents.max(min).max(1)))
    }

    /// Returns the maximum number of documents of a chunk that is not common.
    #[must_use]
    pub fn documents(self) -> u32 {
        self.0
    }
}

/// Common chunks by fingerprint and check, with the number of documents that contain each.
#[derive(Debug, Default)]
pub struct CommonChunks {
    documents: HashMap<(u64, u32), u32>,
}

impl CommonChunks {
    /// Adds the output of [`ListMerger::common_chunks`](super::ListMerger::common_chunks).
    ///
    /// # Errors
    /// If the bytes are corrupt.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut reader = WireReader::new(bytes, "common chunks");
        while !reader.is_empty() {
            let fingerprint = u64::from_le_bytes(reader.array()?);
            let check = u32::from_le_bytes(reader.array()?);
            self.documents.insert((fingerprint, check), reader.small()?);
        }
        Ok(())
    }

    /// Returns whether there are no common chunks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Returns the number of documents of a chunk; 0 if it is not common.
    pub(super) fn documents_of(&self, fingerprint: u64, check: u32) -> u32 {
        self.documents.get(&(fingerprint, check)).copied().unwrap_or(0)
    }
}

/// Appends a common chunk.
pub(super) fn push_common(bytes: &mut Vec<u8>, fingerprint: u64, check: u32, documents: u64) {
    bytes.extend_from_slice(&fingerprint.to_le_bytes());
    bytes.extend_from_slice(&check.to_le_bytes());
    push(bytes, documents);
}
