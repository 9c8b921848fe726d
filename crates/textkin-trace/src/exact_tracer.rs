//! Every chunk is remembered: the truth.

use std::hash::{BuildHasherDefault, Hasher};

use hashbrown::HashMap;

use crate::chunks::Selected;
use crate::label::Label;

/// Where a chunk stood first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct First {
    pub(crate) origin: u64,
    pub(crate) offset: u32,
}

/// The first place of every chunk so far.
#[derive(Debug, Default)]
pub(crate) struct ExactTracer {
    pub(crate) first: HashMap<u64, First, BuildHasherDefault<Unchanged>>,
}

impl ExactTracer {
    /// Says where each selected chunk came from, and remembers them.
    pub(crate) fn trace(&mut self, number: u64, selected: &[Selected]) -> Vec<Option<Label>> {
        let label = |chunk: &Selected| {
            let own = First { origin: number, offset: chunk.first };
            let first = *self.first.entry(chunk.hash).or_insert(own);
            let is_copied = first.origin != number;
            is_copied.then(|| Label::found(first.origin, Some(first.offset)))
        };
        selected.iter().map(label).collect()
    }
}

/// The hash of a chunk is one already.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unchanged(u64);

impl Hasher for Unchanged {
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
