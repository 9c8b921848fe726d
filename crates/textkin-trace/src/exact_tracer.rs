//! Exact tracer: stores every chunk. Its results are the ground truth for the other methods.

use std::hash::{BuildHasherDefault, Hasher};

use hashbrown::HashMap;

use crate::chunks::SelectedChunk;
use crate::label::OriginLabel;

/// First occurrence of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FirstOccurrence {
    pub(crate) origin: u64,
    pub(crate) offset: u32,
}

/// First occurrence of every chunk so far.
#[derive(Debug, Default)]
pub(crate) struct ExactTracer {
    pub(crate) first: HashMap<u64, FirstOccurrence, BuildHasherDefault<IdentityHasher>>,
}

impl ExactTracer {
    /// Returns the origin of each selected chunk, and stores new chunks.
    pub(crate) fn trace(
        &mut self,
        number: u64,
        selected: &[SelectedChunk],
    ) -> Vec<Option<OriginLabel>> {
        let label = |chunk: &SelectedChunk| {
            let own = FirstOccurrence { origin: number, offset: chunk.first };
            let first = *self.first.entry(chunk.hash).or_insert(own);
            let is_copied = first.origin != number;
            is_copied.then(|| OriginLabel::found(first.origin, Some(first.offset)))
        };
        selected.iter().map(label).collect()
    }
}

/// Hasher that returns the chunk hash unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
