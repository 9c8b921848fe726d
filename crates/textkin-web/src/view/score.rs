//! Scores: words that two texts share, always with the number of words they are a share of.

use serde::Serialize;

use crate::format;

/// Shared words, of the counted words. If no words count, there is no share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Words in matches with the other text, after exclusions.
    pub shared: u64,
    /// Words that remain after exclusions.
    pub words: u64,
}

impl Share {
    /// Creates a share: `shared` of `words`.
    #[must_use]
    pub fn new(shared: u64, words: u64) -> Self {
        Self { shared, words }
    }

    /// Returns the share in 0..=1, or `None` if no words count.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a share is shown, not added up")]
        (self.words > 0).then(|| (self.shared as f64 / self.words as f64).min(1.0))
    }

    /// Returns `40%`, or `n/a` if no words count. Only all words are 100%, and only none are 0%.
    #[must_use]
    pub fn percent(&self) -> String {
        format::percent(self.shared, self.words)
    }

    /// Returns `412 of 1,030 words`.
    #[must_use]
    pub fn counts(&self) -> String {
        format!("{} of {}", format::number(self.shared), format::words(self.words))
    }
}

/// Both directions of a pair: the share of this text found in the other, and the reverse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// The share of this text that is in the other.
    pub here: Share,
    /// The share of the other that is in this text.
    pub there: Share,
}

impl Score {
    /// Creates a score from the shares of both texts.
    #[must_use]
    pub fn new(here: Share, there: Share) -> Self {
        Self { here, there }
    }

    /// Returns `412 of 1,030 words (40%) of this text; 409 of 4,577 words (9%) of the source`.
    #[must_use]
    pub fn sentence(&self) -> String {
        self.between("this text", "the source")
    }

    /// Returns `412 of 1,030 words of this text; 409 of 4,577 words of the source`.
    #[must_use]
    pub fn word_counts(&self) -> String {
        format!("{} of this text; {} of the source", self.here.counts(), self.there.counts())
    }

    /// Returns [`Score::sentence`] with other names for the two texts.
    #[must_use]
    pub fn between(&self, this: &str, other: &str) -> String {
        format!(
            "{} ({}) of {this}; {} ({}) of {other}",
            self.here.counts(),
            self.here.percent(),
            self.there.counts(),
            self.there.percent()
        )
    }
}

/// What the page about the numbers names: `GET /numbers`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers {
    /// The words of the shortest match.
    pub min_match: u32,
    /// The minimum share of the level *some*.
    pub some: f64,
    /// The minimum share of the level *high*.
    pub high: f64,
    /// How many documents of a repository the graph compares.
    pub max_graph: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_has_both_directions_and_both_counts() {
        let score = Score::new(Share::new(412, 1030), Share::new(409, 4577));
        let expected =
            "412 of 1,030 words (40%) of this text; 409 of 4,577 words (9%) of the source";
        assert_eq!(score.sentence(), expected);
    }

    #[test]
    fn no_words_give_no_share() {
        assert_eq!(Share::new(0, 0).percent(), "n/a");
        assert_eq!(Share::new(0, 0).ratio(), None);
        assert_eq!(Share::new(0, 5).percent(), "0%");
        assert_eq!(Share::new(5, 5).percent(), "100%");
    }
}
