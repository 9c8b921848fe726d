//! Probabilistic counting (000 §4.2.2): an upper bound of what two classes share, from hashed
//! counters.

use std::sync::atomic::{AtomicU32, Ordering};

use textkin_core::SharedChunks;
use textkin_core::chunk::mix;

use crate::classes::Classes;
use crate::count::Context;
use crate::threads::for_each;

/// Probabilistic counting: an upper bound of what two classes share, from hashed counters.
pub(crate) struct Sieve {
    chunks: Vec<AtomicU32>,
}

impl Sieve {
    pub(crate) fn new(
        shared: &SharedChunks,
        classes: &Classes,
        counters: usize,
        threads: usize,
    ) -> Self {
        let chunks: Vec<AtomicU32> =
            std::iter::repeat_with(AtomicU32::default).take(counters.max(1)).collect();
        let sieve = Self { chunks };
        for_each(
            threads,
            shared.groups.len(),
            64,
            || (),
            |(), group| {
                let weight = shared.groups[group].chunks;
                let holders = classes.of_group.list(group);
                for (index, &a) in holders.iter().enumerate() {
                    for &b in &holders[index + 1..] {
                        let counter = &sieve.chunks[sieve.slot(a, b)];
                        let add = |count: u32| Some(count.saturating_add(weight));
                        // The closure never refuses, so there is no error to handle.
                        let _ = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
                    }
                }
            },
        );
        sieve
    }

    fn slot(&self, a: u32, b: u32) -> usize {
        let hash = mix(u64::from(a.min(b)) << 32 | u64::from(a.max(b)));
        ((u128::from(hash) * self.chunks.len() as u128) >> 64) as usize
    }

    /// Whether the pair may be an edge, if it shared all that its counter holds.
    pub(crate) fn passes(&self, context: &Context<'_>, a: u32, b: u32) -> bool {
        let counted = self.chunks[self.slot(a, b)].load(Ordering::Relaxed);
        let mut overlap = context.overlap(a, b, 0, 0);
        overlap.shared = u64::from(counted).min(overlap.chunks_a.min(overlap.chunks_b));
        // A shared chunk is in two documents at least.
        overlap.rarity = overlap.shared as f64 / 2.0;
        overlap.covered_a = overlap.words_a;
        overlap.covered_b = overlap.words_b;
        context.settings.measure.score(&overlap) >= context.settings.threshold * (1.0 - 1e-9)
    }
}
