//! Filter of pairs by probabilistic counting (DECO §4.2.2).
//!
//! Hashed counters give an upper bound of what two classes share. Pairs whose bound cannot reach the
//! threshold need no exact counter.

use std::sync::atomic::{AtomicU32, Ordering};

use textkin_core::SharedChunks;
use textkin_core::chunk::mix;
use textkin_core::parallel::for_each_number;

use crate::classes::Classes;
use crate::count::Context;

/// Hashed counters: an upper bound of the chunks that two classes share.
pub(crate) struct PairFilter {
    chunks: Vec<AtomicU32>,
}

impl PairFilter {
    pub(crate) fn new(
        shared: &SharedChunks,
        classes: &Classes,
        counters: usize,
        threads: usize,
    ) -> Self {
        let chunks: Vec<AtomicU32> =
            std::iter::repeat_with(AtomicU32::default).take(counters.max(1)).collect();
        let pair_filter = Self { chunks };
        for_each_number(
            threads,
            shared.groups.len(),
            64,
            || (),
            |(), group| {
                let weight = shared.groups[group].chunks;
                let members = classes.of_group.list(group);
                for &a in members {
                    let side = classes.side(a);
                    let later = members.partition_point(|&other| other < side.end);
                    for &b in &members[later..] {
                        let counter = &pair_filter.chunks[pair_filter.slot(a, b)];
                        let add = |count: u32| Some(count.saturating_add(weight));
                        // The closure always returns a value, so this cannot fail.
                        let _ = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
                    }
                }
            },
        );
        pair_filter
    }

    fn slot(&self, a: u32, b: u32) -> usize {
        let hash = mix(u64::from(a.min(b)) << 32 | u64::from(a.max(b)));
        ((u128::from(hash) * self.chunks.len() as u128) >> 64) as usize
    }

    /// Whether the pair may be an edge if it shares no more than its counter.
    pub(crate) fn may_be_edge(&self, context: &Context<'_>, a: u32, b: u32) -> bool {
        let counted = self.chunks[self.slot(a, b)].load(Ordering::Relaxed);
        let mut overlap = context.overlap(a, b, 0, 0);
        overlap.shared = u64::from(counted).min(overlap.chunks_a.min(overlap.chunks_b));
        // A shared chunk is in at least two documents.
        overlap.rarity = overlap.shared as f64 / 2.0;
        overlap.covered_a = overlap.words_a;
        overlap.covered_b = overlap.words_b;
        let may_reach = |score: f64, threshold: f64| score >= threshold * (1.0 - 1e-9);
        may_reach(context.settings.measure.score(&overlap), context.settings.threshold)
            || context.listing.is_some_and(|listing| {
                let weight = listing.weight(a).min(listing.weight(b));
                may_reach(overlap.rarity, listing.rules.contained_share * weight)
                    || (listing.has_long_run(a) && listing.has_long_run(b))
            })
    }
}
