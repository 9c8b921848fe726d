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
    /// Tokens of the longest stretch of one document that shared chunks cover without a gap: the smaller
    /// of the values of `a` and `b`.
    pub longest_run: u64,
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
        let [a, b] = self.lengths();
        ratio(self.shared as f64, a.min(b) as f64)
    }

    /// DECO's S3: shared chunks per word of the mean length.
    #[must_use]
    pub fn s3(&self) -> f64 {
        ratio(self.shared as f64, self.mean_length())
    }

    /// DECO's S4: shared chunks, each weighted by its rarity, per word of the mean length.
    #[must_use]
    pub fn s4(&self) -> f64 {
        ratio(self.rarity, self.mean_length())
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

    /// textkin's own measure: the share of the chunks that the documents have in common, where a shared
    /// chunk that `f` documents contain counts 2/f. 0 to 1, and 1 if both have the same chunks.
    ///
    /// If no third document has any of the shared text, this is Dice's coefficient: shared chunks per
    /// mean number of chunks. Text that many documents have counts little, unless next to nothing else
    /// distinguishes the two. So boilerplate scores low, and copies score 1 however many there are.
    #[must_use]
    pub fn kin(&self) -> f64 {
        let weighted = 2.0 * self.rarity;
        let mean_chunks = (self.chunks_a + self.chunks_b) as f64 / 2.0;
        ratio(weighted, weighted + (mean_chunks - self.shared as f64))
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

    /// The words of each document, or its chunks if they are more: runs of characters are. So the
    /// scores per word are at most 1 for every chunker.
    fn lengths(&self) -> [u64; 2] {
        [self.words_a.max(self.chunks_a), self.words_b.max(self.chunks_b)]
    }

    fn mean_length(&self) -> f64 {
        let [a, b] = self.lengths();
        (a + b) as f64 / 2.0
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
            Self::Kin => {
                "share of the text in common; text that n documents have counts 2/n (default)"
            }
            Self::S1 => "number of shared chunks",
            Self::S2 => "shared chunks per word of the shorter document",
            Self::S3 => "shared chunks per word of the mean length",
            Self::S4 => "shared chunks, weighted by rarity, per word of the mean length",
            Self::Ssr => "shared chunks over all chunks of both (resemblance, Jaccard index)",
            Self::Sscr => "words of both covered by shared chunks over all words of both",
            Self::Containment => "share of the shorter document's words covered by shared chunks",
            Self::ChunkContainment => "share of the smaller document's chunks that are shared",
            Self::MaxContainment => {
                "share of either document's words covered by shared chunks, the larger one"
            }
        }
    }

    /// The largest possible score; `None` if there is no limit.
    #[must_use]
    pub fn max_score(self) -> Option<f64> {
        match self {
            Self::S1 => None,
            _ => Some(1.0),
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

/// Parses a name; `jaccard` and `resemblance` are other names of `ssr`.
impl FromStr for Measure {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let own = if matches!(name, "jaccard" | "resemblance") { "ssr" } else { name };
        let found = Self::ALL.into_iter().find(|measure| measure.name() == own);
        found.ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|measure| measure.name()).collect();
            format!("unknown score '{name}'; use {}", names.join(", "))
        })
    }
}

/// Why a pair is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// Both documents have the same tokens.
    Copy,
    /// Almost all text of one document, by rarity, is in the other.
    Contained,
    /// The score reaches the threshold.
    #[default]
    Score,
    /// They share a long run of text that few documents have.
    LongRun,
    /// They share passages in other words.
    Rewritten,
}

impl Reason {
    /// Every reason; of several that apply, the first one is reported.
    pub const ALL: [Self; 5] =
        [Self::Copy, Self::Contained, Self::Score, Self::LongRun, Self::Rewritten];

    /// The reason in words, as files have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "exact copy",
            Self::Contained => "almost all of one is in the other",
            Self::Score => "score reaches the threshold",
            Self::LongRun => "long passage that few documents have",
            Self::Rewritten => "passages in other words",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
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
    /// Why it is listed.
    pub reason: Reason,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            longest_run: 5,
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
    fn kin_is_the_share_in_common_weighted_by_rarity() {
        // 3 of 4 and 12 chunks, with a weight of 2 · 1 for all of them.
        assert_eq!(overlap().kin(), 2.0 / (2.0 + 8.0 - 3.0));
        // Without a third document it is Dice's coefficient.
        let two = Overlap { rarity: 1.5, ..overlap() };
        assert_eq!(two.kin(), 3.0 / 8.0);
        for copies in [2, 3, 7, 1000, 1_000_003] {
            let rarity = 9.0 / f64::from(copies);
            let copies = Overlap { shared: 9, chunks_a: 9, chunks_b: 9, rarity, ..overlap() };
            assert_eq!(copies.kin(), 1.0);
        }
    }

    proptest! {
        #[test]
        fn kin_is_between_0_and_1_and_grows_with_what_is_shared(
            n_shared in 0_u64..500,
            more in 0_u64..50,
            own in [0_u64..500, 0_u64..500],
            frequencies in [2_u32..10_000, 2_u32..10_000],
        ) {
            let [first, second] = frequencies.map(f64::from);
            let (chunks_a, chunks_b) = (n_shared + more + own[0], n_shared + more + own[1]);
            let rarity = n_shared as f64 / first;
            let less = Overlap { shared: n_shared, rarity, chunks_a, chunks_b, ..Overlap::default() };
            let rarity = rarity + more as f64 / second;
            let more = Overlap { shared: n_shared + more, rarity, ..less };
            prop_assert!((0.0..=1.0).contains(&less.kin()) && less.kin() <= more.kin());
            prop_assert!(more.kin() <= 1.0);
            prop_assert_eq!(more.kin() == 1.0, more.shared > 0 && own == [0, 0]);
        }

        /// A document that is added changes the weight of a chunk from 2/f to 2/(f + 1), and so the score
        /// by no more than that ratio. One that shares nothing with the pair changes nothing.
        #[test]
        fn another_document_changes_kin_by_no_more_than_the_weights(
            frequencies in prop::collection::vec((2_u32..1000, any::<bool>()), 1..50),
            own in [0_u64..500, 0_u64..500],
        ) {
            let shared = frequencies.len() as u64;
            let score = |rarity: f64| Overlap {
                shared,
                rarity,
                chunks_a: shared + own[0],
                chunks_b: shared + own[1],
                ..Overlap::default()
            }.kin();
            let before = frequencies.iter().map(|&(f, _)| 1.0 / f64::from(f)).sum();
            let grown = frequencies.iter().map(|&(f, is_in)| f64::from(f + u32::from(is_in)));
            let after: f64 = grown.map(f64::recip).sum();
            let ratio = after / before;
            prop_assert!(score(after) <= score(before));
            prop_assert!(score(after) >= score(before) * ratio * (1.0 - 1e-12));
        }
    }

    #[test]
    fn scores_per_word_are_at_most_1_for_runs_of_characters() {
        let chars = Overlap { words_a: 10, chunks_a: 48, words_b: 9, chunks_b: 45, ..overlap() };
        let chars = Overlap { shared: 45, rarity: 22.5, ..chars };
        assert_eq!((chars.s2(), chars.s3(), chars.s4()), (1.0, 45.0 / 46.5, 22.5 / 46.5));
        for measure in Measure::ALL {
            let score = measure.score(&chars);
            assert!(measure.max_score().is_none_or(|max| score <= max), "{measure}: {score}");
        }
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
