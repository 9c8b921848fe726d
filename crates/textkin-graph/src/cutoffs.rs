//! Cutoffs: for each class, the number of classes from which a group is too common to matter.

use textkin_core::{Measure, Overlap, SharedChunks};

use crate::classes::Classes;
use crate::graph::GraphSettings;
use crate::listing::Listing;
use crate::rarity::Rarity;

/// Computes a cutoff for each class: all its groups that are in at least this many classes, taken
/// together, cannot make an edge. `u32::MAX` if there is no such bound.
pub(crate) fn cutoffs(
    shared: &SharedChunks,
    classes: &Classes,
    rarity: &Rarity,
    listing: Option<&Listing<'_>>,
    settings: GraphSettings,
) -> Vec<u32> {
    let bounded = matches!(
        settings.measure,
        Measure::Kin | Measure::S1 | Measure::S3 | Measure::S4 | Measure::Ssr
    );
    if !bounded || settings.threshold <= 0.0 {
        return vec![u32::MAX; classes.len()];
    }
    let cutoff = |class: usize| {
        let entry = &shared.texts[classes.text(class as u32)];
        let mut groups: Vec<u32> = classes.groups.list(class).to_vec();
        groups.sort_unstable_by_key(|&group| std::cmp::Reverse(classes.size(group)));
        let (mut chunks, mut sum) = (0u64, 0u128);
        let mut cutoff = u32::MAX;
        let mut index = 0;
        while index < groups.len() {
            // Groups of one size are all common or all rare.
            let level = classes.size(groups[index]);
            while index < groups.len() && classes.size(groups[index]) == level {
                chunks += u64::from(shared.groups[groups[index] as usize].chunks);
                sum += rarity.of_group(groups[index]);
                index += 1;
            }
            // In the best case, the other text contains nothing but these groups. Its words have no
            // lower bound, because some chunkers make many chunks of a word. If a cap left no word,
            // one word is the best case.
            let best = Overlap {
                shared: chunks,
                rarity: Rarity::to_f64(sum),
                words_a: u64::from(entry.words.max(1)),
                words_b: 0,
                chunks_a: u64::from(entry.chunks),
                chunks_b: chunks,
                covered_a: 0,
                covered_b: 0,
                longest_run: 0,
            };
            // Slightly below the threshold, so that rounding never drops an edge.
            let may_reach = |score: f64, threshold: f64| score >= threshold * (1.0 - 1e-9);
            let may_be_contained = listing.is_some_and(|listing| {
                let weight = listing.weight(class as u32);
                may_reach(best.rarity, listing.rules.contained_share * weight)
            });
            if may_be_contained || may_reach(settings.measure.score(&best), settings.threshold) {
                break;
            }
            cutoff = level;
        }
        // Groups that can be part of a long run must be found.
        match listing.filter(|listing| listing.has_long_run(class as u32)) {
            Some(listing) => cutoff.max(listing.rules.run_documents.saturating_add(1)),
            None => cutoff,
        }
    };
    (0..classes.len()).map(cutoff).collect()
}
