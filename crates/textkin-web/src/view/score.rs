//! Scores: words of one text that the other holds too, never without the count they are a part of.

use serde::Serialize;

use crate::format;

/// Words that are shared, of the words that count. With no words that count there is no share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Words in runs that the other text holds too, after exclusions.
    pub shared: u64,
    /// Words that remain after exclusions.
    pub words: u64,
}

impl Share {
    /// A share of `shared` words of `words`.
    #[must_use]
    pub fn new(shared: u64, words: u64) -> Self {
        Self { shared, words }
    }

    /// The share in 0..=1, or nothing if no word counts.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a share is shown, not added up")]
        (self.words > 0).then(|| (self.shared as f64 / self.words as f64).min(1.0))
    }

    /// `40%`, or `n/a` if no word counts. Only all is 100%, and only none is 0%.
    #[must_use]
    pub fn percent(&self) -> String {
        format::percent(self.shared, self.words)
    }

    /// `412 of 1,030 words`.
    #[must_use]
    pub fn counts(&self) -> String {
        format!("{} of {}", format::number(self.shared), format::words(self.words))
    }
}

/// Both directions of a pair: how much of this text the other holds, and how much of the other this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// The share of this text that is in the other.
    pub here: Share,
    /// The share of the other that is in this text.
    pub there: Share,
}

impl Score {
    /// A score of the shares of both texts.
    #[must_use]
    pub fn new(here: Share, there: Share) -> Self {
        Self { here, there }
    }

    /// `412 of 1,030 words, 40%; 9% of the other (409 of 4,577 words)`.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!(
            "{}, {}; {} of the other ({})",
            self.here.counts(),
            self.here.percent(),
            self.there.percent(),
            self.there.counts()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_says_both_directions_and_both_counts() {
        let score = Score::new(Share::new(412, 1030), Share::new(409, 4577));
        let said = "412 of 1,030 words, 40%; 9% of the other (409 of 4,577 words)";
        assert_eq!(score.sentence(), said);
    }

    #[test]
    fn no_words_give_no_share() {
        assert_eq!(Share::new(0, 0).percent(), "n/a");
        assert_eq!(Share::new(0, 0).ratio(), None);
        assert_eq!(Share::new(0, 5).percent(), "0%");
        assert_eq!(Share::new(5, 5).percent(), "100%");
    }
}
