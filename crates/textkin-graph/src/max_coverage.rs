//! Upper bounds of coverage: how many tokens the shared chunks of a pair can cover.
//!
//! Coverage is computed for pairs that are held in memory. A pair that cannot reach the threshold even
//! if its shared chunks cover as many tokens as possible need not be held.

use textkin_core::{Overlap, SharedChunks};

use crate::classes::Classes;
use crate::graph::{GraphSettings, Kind};

/// For each class, the maximum over its groups of the tokens that the group covers, per chunk.
pub(crate) struct MaxCoverage(Vec<f64>);

impl MaxCoverage {
    pub(crate) fn new(shared: &SharedChunks, classes: &Classes) -> Self {
        let mut tokens = vec![0u64; shared.groups.len()];
        let max_per_chunk = |class: u32| {
            let groups = classes.groups.list(class as usize);
            for run in shared.runs_of_text.list(classes.text(class)) {
                tokens[run.group as usize] += u64::from(run.end - run.start);
            }
            let per_chunk = |&group: &u32| {
                let tokens = std::mem::take(&mut tokens[group as usize]);
                tokens as f64 / f64::from(shared.groups[group as usize].chunks.max(1))
            };
            groups.iter().map(per_chunk).fold(0.0, f64::max)
        };
        Self((0..classes.len() as u32).map(max_per_chunk).collect())
    }

    /// Whether the pairs of a block may reach the threshold. All measures that depend on coverage
    /// increase with it.
    pub(crate) fn may_be_edge(
        &self,
        settings: GraphSettings,
        kind: Kind,
        overlap: &Overlap,
    ) -> bool {
        let (a, b) = match kind {
            Kind::Across { a, b } => (a, b),
            Kind::Within { class } => (class, class),
            Kind::Copies { .. } => return true,
        };
        let covered = |class: u32, words: u64| {
            // Rounded up: too much keeps a pair that is dropped later, too little would lose a pair.
            let tokens = (overlap.shared as f64 * self.0[class as usize] * (1.0 + 1e-9)).ceil();
            (tokens as u64).min(words)
        };
        let best = Overlap {
            covered_a: covered(a, overlap.words_a),
            covered_b: covered(b, overlap.words_b),
            ..*overlap
        };
        settings.measure.score(&best) >= settings.threshold
    }
}
