//! Measures of duplicates, and upper bounds of them for some of the shared groups.

use textkin_core::{Measure, Overlap};

/// The measure that makes a document a duplicate of a kept document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DuplicateMeasure {
    /// The share of its words that the kept document contains.
    Containment,
    /// The score of the pair.
    Score(Measure),
}

/// Sums over some of the groups of a text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Portion {
    /// Number of chunks.
    pub(super) chunks: u64,
    /// Rarity of the chunks.
    pub(super) rarity: f64,
    /// Tokens of the text that the chunks cover.
    pub(super) covered: u64,
}

impl DuplicateMeasure {
    /// The similarity of document `a` to a kept document `b`.
    pub(super) fn of(self, overlap: &Overlap) -> f64 {
        match self {
            Self::Containment => overlap.a_in_b(),
            Self::Score(measure) => measure.score(overlap),
        }
    }

    /// Whether it depends on the covered tokens of `a`.
    pub(super) fn needs_coverage(self) -> bool {
        match self {
            Self::Containment => true,
            Self::Score(measure) => measure.needs_coverage(),
        }
    }

    /// Whether it depends on the covered tokens of `b`.
    pub(super) fn needs_coverage_of_other(self) -> bool {
        self != Self::Containment && self.needs_coverage()
    }

    /// Whether it can be high because most of the other text is shared, even if that is little of this
    /// text.
    pub(super) fn is_two_sided(self) -> bool {
        matches!(
            self,
            Self::Score(
                Measure::S2
                    | Measure::Sscr
                    | Measure::Containment
                    | Measure::ChunkContainment
                    | Measure::MaxContainment
            )
        )
    }

    /// Upper bound of the similarity of a text of the given size to another text if they share no more
    /// than `portion`. If the measure is two-sided, it suffices that the other text reaches it.
    pub(super) fn upper_bound(self, words: u32, chunks: u32, portion: &Portion) -> f64 {
        let per = |part: f64, whole: u32| if part == 0.0 { 0.0 } else { part / f64::from(whole) };
        let (shared, covered) = (portion.chunks as f64, portion.covered as f64);
        let Self::Score(measure) = self else { return per(covered, words) };
        match measure {
            Measure::S1 => shared,
            Measure::S2 => per(shared, words),
            // The mean length is at least half of this length.
            Measure::S3 => 2.0 * per(shared, words),
            Measure::S4 => 2.0 * per(portion.rarity, words),
            Measure::Ssr | Measure::ChunkContainment => per(shared, chunks),
            // In the best case, the other text contains nothing else.
            Measure::Kin => {
                let weighted = 2.0 * portion.rarity;
                let unshared = (f64::from(chunks) - shared).max(0.0) / 2.0;
                if weighted == 0.0 { 0.0 } else { weighted / (weighted + unshared) }
            }
            // The share of both together lies between the two shares.
            Measure::Sscr | Measure::Containment | Measure::MaxContainment => per(covered, words),
        }
    }
}
