//! What makes a document the duplicate of another, and how far a few shared groups can make it one.

use textkin_core::{Measure, Overlap};

/// What makes a document the duplicate of one that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// The share of its own words that are in the other one.
    Held,
    /// The score of the two.
    Score(Measure),
}

/// What some of the groups of a text amount to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Portion {
    /// Their chunks.
    pub(super) chunks: u64,
    /// The rarity of these.
    pub(super) rarity: f64,
    /// The tokens of the text that they cover.
    pub(super) covered: u64,
}

impl Likeness {
    /// The likeness of document `a` to a kept document `b`.
    pub(super) fn of(self, overlap: &Overlap) -> f64 {
        match self {
            Self::Held => overlap.a_in_b(),
            Self::Score(measure) => measure.score(overlap),
        }
    }

    /// Whether it looks at covered tokens of `a`.
    pub(super) fn needs_coverage(self) -> bool {
        match self {
            Self::Held => true,
            Self::Score(measure) => measure.needs_coverage(),
        }
    }

    /// Whether it looks at covered tokens of `b`.
    pub(super) fn needs_coverage_of_other(self) -> bool {
        self != Self::Held && self.needs_coverage()
    }

    /// Whether it can be high by what is shared of the other text, though that is little of this
    /// one.
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

    /// The most that a text of so many words and chunks can reach with another one if they share no
    /// more than `portion`. If the likeness is two-sided, this text or the other must reach it.
    pub(super) fn most(self, words: u32, chunks: u32, portion: &Portion) -> f64 {
        let per = |part: f64, whole: u32| if part == 0.0 { 0.0 } else { part / f64::from(whole) };
        let (shared, covered) = (portion.chunks as f64, portion.covered as f64);
        let Self::Score(measure) = self else { return per(covered, words) };
        match measure {
            Measure::S1 => shared,
            Measure::S2 => per(shared, words),
            // The mean length is at least half of this one.
            Measure::S3 => 2.0 * per(shared, words),
            Measure::S4 => 2.0 * per(portion.rarity, words),
            Measure::Ssr | Measure::ChunkContainment => per(shared, chunks),
            Measure::Kin => per(shared, chunks).max(2.0 * per(portion.rarity, words)),
            // Of two shares the one of both together lies between them.
            Measure::Sscr | Measure::Containment | Measure::MaxContainment => per(covered, words),
        }
    }
}
