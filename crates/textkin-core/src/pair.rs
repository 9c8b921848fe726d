//! Pairs: two documents and their overlap, and the measures that score it.

use std::fmt;
use std::str::FromStr;

/// Counts of what two documents `a` and `b` share: everything that a measure needs.
///
/// Chunks are counted once per document, even if they occur more often.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// Chunks in both.
    pub shared: u64,
    /// Sum over the shared chunks of 1 / number of documents with that chunk.
    pub rarity: f64,
    /// Tokens of `a`.
    pub words_a: u64,
    /// Tokens of `b`.
    pub words_b: u64,
    /// Chunks of `a`.
    pub chunks_a: u64,
    /// Chunks of `b`.
    pub chunks_b: u64,
    /// Tokens of `a` covered by occurrences of shared chunks.
    pub covered_a: u64,
    /// Tokens of `b` covered by occurrences of shared chunks.
    pub covered_b: u64,
}

impl Overlap {
    /// DECO's S1: the number of shared chunks.
    #[must_use]
    pub fn s1(&self) -> f64 {
        self.shared as f64
    }

    /// DECO's S2: shared chunks per word of the shorter document.
    #[must_use]
    pub fn s2(&self) -> f64 {
        ratio(self.shared as f64, self.words_a.min(self.words_b) as f64)
    }

    /// DECO's S3: shared chunks per word of the mean length.
    #[must_use]
    pub fn s3(&self) -> f64 {
        ratio(self.shared as f64, self.mean_words())
    }

    /// DECO's S4: shared chunks, each weighted by its rarity, per word of the mean length.
    #[must_use]
    pub fn s4(&self) -> f64 {
        ratio(self.rarity, self.mean_words())
    }

    /// IDS shared shingle ratio (Broder's resemblance): shared chunks over all chunks of both.
    #[must_use]
    pub fn ssr(&self) -> f64 {
        let union = self.chunks_a + self.chunks_b - self.shared;
        ratio(self.shared as f64, union as f64)
    }

    /// IDS shared shingle coverage ratio: covered tokens of both over all tokens of both.
    #[must_use]
    pub fn sscr(&self) -> f64 {
        let covered = self.covered_a + self.covered_b;
        ratio(covered as f64, (self.words_a + self.words_b) as f64)
    }

    /// Share of the words of `a` covered by chunks shared with `b`.
    #[must_use]
    pub fn a_in_b(&self) -> f64 {
        ratio(self.covered_a as f64, self.words_a as f64)
    }

    /// Share of the words of `b` covered by chunks shared with `a`.
    #[must_use]
    pub fn b_in_a(&self) -> f64 {
        ratio(self.covered_b as f64, self.words_b as f64)
    }

    /// textkin's own measure: the resemblance if it is at least one half, otherwise S4.
    ///
    /// S4 finds rare shared text best. But a text with m near-duplicates scores about 1/m with each of
    /// them, and so falls below any threshold as their number grows. Texts that are at least half the
    /// same therefore count whatever their rarity.
    #[must_use]
    pub fn kin(&self) -> f64 {
        let resemblance = self.ssr();
        if resemblance >= 0.5 { resemblance.max(self.s4()) } else { self.s4() }
    }

    /// Containment by chunks: shared chunks over the chunks of the document with fewer chunks.
    #[must_use]
    pub fn chunk_containment(&self) -> f64 {
        ratio(self.shared as f64, self.chunks_a.min(self.chunks_b) as f64)
    }

    /// Containment by words: the covered share of the shorter document (the larger share if both are
    /// equally long).
    #[must_use]
    pub fn containment(&self) -> f64 {
        match self.words_a.cmp(&self.words_b) {
            std::cmp::Ordering::Less => self.a_in_b(),
            std::cmp::Ordering::Greater => self.b_in_a(),
            std::cmp::Ordering::Equal => self.a_in_b().max(self.b_in_a()),
        }
    }

    /// The larger of both containments by words.
    #[must_use]
    pub fn max_containment(&self) -> f64 {
        self.a_in_b().max(self.b_in_a())
    }

    fn mean_words(&self) -> f64 {
        (self.words_a + self.words_b) as f64 / 2.0
    }
}

/// Divides; 0 if `whole` is 0, because an empty document shares nothing.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

/// The rule that scores an overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// [`Overlap::kin`]
    #[default]
    Kin,
    /// [`Overlap::s1`]
    S1,
    /// [`Overlap::s2`]
    S2,
    /// [`Overlap::s3`]
    S3,
    /// [`Overlap::s4`]
    S4,
    /// [`Overlap::ssr`]
    Ssr,
    /// [`Overlap::sscr`]
    Sscr,
    /// [`Overlap::containment`]
    Containment,
    /// [`Overlap::chunk_containment`]
    ChunkContainment,
    /// [`Overlap::max_containment`]
    MaxContainment,
}

impl Measure {
    /// Every measure, in the order of the documentation.
    pub const ALL: [Self; 10] = [
        Self::Kin,
        Self::S1,
        Self::S2,
        Self::S3,
        Self::S4,
        Self::Ssr,
        Self::Sscr,
        Self::Containment,
        Self::ChunkContainment,
        Self::MaxContainment,
    ];

    /// Computes the score of `overlap`.
    #[must_use]
    pub fn score(self, overlap: &Overlap) -> f64 {
        match self {
            Self::Kin => overlap.kin(),
            Self::S1 => overlap.s1(),
            Self::S2 => overlap.s2(),
            Self::S3 => overlap.s3(),
            Self::S4 => overlap.s4(),
            Self::Ssr => overlap.ssr(),
            Self::Sscr => overlap.sscr(),
            Self::Containment => overlap.containment(),
            Self::ChunkContainment => overlap.chunk_containment(),
            Self::MaxContainment => overlap.max_containment(),
        }
    }

    /// Whether it needs the covered tokens, which cost more to compute than the shared chunks.
    #[must_use]
    pub fn needs_coverage(self) -> bool {
        matches!(self, Self::Sscr | Self::Containment | Self::MaxContainment)
    }

    /// Its name on the command line and in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kin => "kin",
            Self::S1 => "s1",
            Self::S2 => "s2",
            Self::S3 => "s3",
            Self::S4 => "s4",
            Self::Ssr => "ssr",
            Self::Sscr => "sscr",
            Self::Containment => "containment",
            Self::ChunkContainment => "chunk-containment",
            Self::MaxContainment => "max-containment",
        }
    }

    /// One-line summary of what it measures.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Kin => "ssr if texts are at least half the same, otherwise s4 (default)",
            Self::S1 => "number of shared chunks",
            Self::S2 => "shared chunks per word of the shorter document",
            Self::S3 => "shared chunks per word of the mean length",
            Self::S4 => "shared chunks, weighted by rarity, per word of the mean length",
            Self::Ssr => "shared chunks over all chunks of both (resemblance)",
            Self::Sscr => "words of both covered by shared chunks over all words of both",
            Self::Containment => "share of the shorter document's words covered by shared chunks",
            Self::ChunkContainment => "share of the smaller document's chunks that are shared",
            Self::MaxContainment => {
                "share of either document's words covered by shared chunks, the larger one"
            }
        }
    }

    /// The thresholds T1…T5 of DECO's Table 1, for the measures that have them.
    #[must_use]
    pub fn preset(self, level: usize) -> Option<f64> {
        let levels = match self {
            Self::S1 => [20.0, 100.0, 200.0, 500.0, 1000.0],
            Self::S2 => [0.03, 0.05, 0.10, 0.15, 0.30],
            Self::S3 => [0.02, 0.05, 0.10, 0.15, 0.30],
            Self::S4 => [0.02, 0.05, 0.20, 0.50, 1.0],
            _ => return None,
        };
        levels.get(level.checked_sub(1)?).copied()
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Measure {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|measure| measure.name() == name);
        found.ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|measure| measure.name()).collect();
            format!("unknown score '{name}'; use {}", names.join(", "))
        })
    }
}

/// Two documents, as positions in input order, and their overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The earlier document.
    pub a: u32,
    /// The later document.
    pub b: u32,
    /// Score of the overlap by the selected measure.
    pub score: f64,
    /// Counts of what they share.
    pub overlap: Overlap,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap() -> Overlap {
        Overlap {
            shared: 3,
            rarity: 1.0,
            words_a: 10,
            words_b: 30,
            chunks_a: 4,
            chunks_b: 12,
            covered_a: 5,
            covered_b: 6,
        }
    }

    #[test]
    fn the_formulas_are_those_of_the_papers() {
        let overlap = overlap();
        assert_eq!(overlap.s1(), 3.0);
        assert_eq!(overlap.s2(), 3.0 / 10.0);
        assert_eq!(overlap.s3(), 3.0 / 20.0);
        assert_eq!(overlap.s4(), 1.0 / 20.0);
        assert_eq!(overlap.ssr(), 3.0 / 13.0);
        assert_eq!(overlap.sscr(), 11.0 / 40.0);
        assert_eq!((overlap.a_in_b(), overlap.b_in_a()), (5.0 / 10.0, 6.0 / 30.0));
        assert_eq!(overlap.containment(), 5.0 / 10.0);
        assert_eq!(overlap.chunk_containment(), 3.0 / 4.0);
        assert_eq!(overlap.max_containment(), 5.0 / 10.0);
    }

    #[test]
    fn kin_is_s4_until_half_of_the_chunks_are_shared() {
        assert_eq!(overlap().kin(), overlap().s4());
        let half = Overlap { shared: 8, chunks_a: 12, chunks_b: 12, ..overlap() };
        assert_eq!(half.kin(), 0.5);
        let copies = Overlap { shared: 9, chunks_a: 9, chunks_b: 9, rarity: 0.001, ..overlap() };
        assert_eq!(copies.kin(), 1.0);
    }

    #[test]
    fn an_empty_side_shares_nothing() {
        let empty = Overlap::default();
        for measure in Measure::ALL {
            assert_eq!(measure.score(&empty), 0.0, "{measure}");
        }
    }

    #[test]
    fn every_name_parses_as_its_measure() {
        for measure in Measure::ALL {
            assert_eq!(measure.name().parse(), Ok(measure));
        }
        assert!("s5".parse::<Measure>().is_err());
    }

    #[test]
    fn the_thresholds_of_decos_table_are_presets() {
        assert_eq!(Measure::S4.preset(2), Some(0.05));
        assert_eq!(Measure::S1.preset(5), Some(1000.0));
        assert_eq!(Measure::S2.preset(0), None);
        assert_eq!(Measure::S2.preset(6), None);
        assert_eq!(Measure::Ssr.preset(1), None);
    }
}
