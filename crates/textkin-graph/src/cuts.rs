//! Cuts: from how many classes on a group is too common to matter for a class.

use textkin_core::{Measure, Overlap, SharedChunks};

use crate::classes::Classes;
use crate::graph::GraphSettings;
use crate::rarity::Rarity;

/// For each class, the number of classes from which on a group is too common: all its groups in at
/// least so many classes together cannot make an edge. The largest number where there is no bound.
pub(crate) fn cuts(
    shared: &SharedChunks,
    classes: &Classes,
    rarity: &Rarity,
    settings: GraphSettings,
) -> Vec<u32> {
    let bounded = matches!(
        settings.measure,
        Measure::Kin | Measure::S1 | Measure::S3 | Measure::S4 | Measure::Ssr
    );
    if !bounded || settings.threshold <= 0.0 {
        return vec![u32::MAX; classes.len()];
    }
    let cut = |class: usize| {
        let entry = &shared.texts[classes.text(class as u32)];
        let mut groups: Vec<u32> = classes.groups.list(class).to_vec();
        groups.sort_unstable_by_key(|&group| std::cmp::Reverse(classes.size(group)));
        let (mut chunks, mut sum) = (0u64, 0u128);
        let mut cut = u32::MAX;
        let mut index = 0;
        while index < groups.len() {
            // Groups of one size are common together or not at all.
            let level = classes.size(groups[index]);
            while index < groups.len() && classes.size(groups[index]) == level {
                chunks += u64::from(shared.groups[groups[index] as usize].chunks);
                sum += rarity.of_group(groups[index]);
                index += 1;
            }
            // The best case of another text that shares some of these: it holds nothing else. Its
            // words have no lower bound: some chunkers make many chunks of a word. Where a cap has
            // left no word, one word of the other is the best case.
            let best = Overlap {
                shared: chunks,
                rarity: Rarity::to_f64(sum),
                words_a: u64::from(entry.words.max(1)),
                words_b: 0,
                chunks_a: u64::from(entry.chunks),
                chunks_b: chunks,
                covered_a: 0,
                covered_b: 0,
            };
            // A hair below the threshold, so that rounding never drops an edge.
            if settings.measure.score(&best) >= settings.threshold * (1.0 - 1e-9) {
                break;
            }
            cut = level;
        }
        cut
    };
    (0..classes.len()).map(cut).collect()
}
