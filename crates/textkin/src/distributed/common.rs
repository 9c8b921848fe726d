//! Common chunks: those in so many documents that they alone make no edge.
//!
//! S4 weighs a shared chunk by one over the number of documents that have it. A text has no more distinct
//! chunks than words (where every chunk begins with another word), so that two texts which share nothing but
//! chunks in more than `c` documents score less than 1/`c`. With `c` ≥ 1/threshold such chunks lead to no
//! pair: they are not counted by pairs, of which there would be c²/2 for each, but looked up where pairs are
//! compared word by word, and added there. The scores are the same.

use hashbrown::HashMap;
use textkin_core::Measure;
use textkin_text::grammar::ChunkerKind;

use super::error::Error;
use super::wire::{WireReader, push};
use crate::settings::Settings;

/// In how many documents a chunk may be before it is common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommonCutoff(u32);

impl CommonCutoff {
    /// A lower one would save no work that shows.
    pub const MIN: u32 = 100;

    /// The cut of a run with `settings`, at `least` documents or more; `None` where common chunks alone may
    /// make an edge.
    #[must_use]
    pub fn new(settings: &Settings, least: u32) -> Option<Self> {
        let is_weighed = settings.score == Measure::S4 && settings.threshold > 0.0;
        let is_bounded = !matches!(settings.chunk, ChunkerKind::Chars { .. });
        if !is_weighed || !is_bounded || !settings.select.is_lossless() {
            return None;
        }
        let reach = (1.0 / settings.threshold).ceil();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked before"
        )]
        let reach = if reach < f64::from(u32::MAX) { reach as u32 } else { return None };
        Some(Self(reach.max(least).max(1)))
    }

    /// The most documents of a chunk that is not common.
    #[must_use]
    pub fn documents(self) -> u32 {
        self.0
    }
}

/// Common chunks by fingerprint and check, with the number of documents that have each.
#[derive(Debug, Default)]
pub struct CommonChunks {
    documents: HashMap<(u64, u32), u32>,
}

impl CommonChunks {
    /// Adds what [`ListMerger::common_chunks`](super::ListMerger::commons) gave.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut reader = WireReader::new(bytes, "common chunks");
        while !reader.is_empty() {
            let fingerprint = u64::from_le_bytes(reader.array()?);
            let check = u32::from_le_bytes(reader.array()?);
            self.documents.insert((fingerprint, check), reader.small()?);
        }
        Ok(())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The documents of a chunk; 0 if it is not common.
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
