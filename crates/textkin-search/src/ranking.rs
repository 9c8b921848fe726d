//! Rankings: the measures that order documents by similarity to a query.
//!
//! Notation of Hoad and Zobel (2003): N documents, f_t of them with term t, f_dt occurrences of t in document
//! d, f_d words of d, W_d = √Σ(1+ln f_dt)². Sums are over the terms in both q and d. The measure of SCAM
//! follows Shivakumar and Garcia-Molina (1995).

use std::fmt;
use std::str::FromStr;

use textkin_core::name::nearest;

/// The measure that ranks documents by similarity to a query.
///
/// ```
/// use textkin_search::Ranking;
/// assert_eq!("identity5".parse(), Ok(Ranking::Identity5));
/// let error = "cosin".parse::<Ranking>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown measure 'cosin'; did you mean 'cosine'?");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Ranking {
    /// Σ (1 + ln f_dt) · ln(1 + N/f_t)
    Inner,
    /// The inner product ÷ √f_d
    Normalised,
    /// The inner product ÷ W_d
    Cosine,
    /// Σ ln(N/f_t) / (1 + |f_dt − f_qt|) ÷ (1 + |f_d − f_q|)
    Identity1,
    /// Σ ln(1 + N/f_t) / (1 + |f_dt − f_qt|) ÷ (1 + ln(1 + |f_d − f_q|))
    Identity2,
    /// Identity 2, each term multiplied by f_dt + f_qt
    Identity3,
    /// Identity 2 with ln(N/f_t)
    Identity4,
    /// Identity 2 with N/f_t
    Identity5,
    /// SCAM's subset measure: the larger of both directions, at most 1
    Scam(Closeness),
    /// Number of chunks of the query that the document has
    Fingerprint,
    /// Runs of 1, 2, 4, … k and 2k words of the query that the document has: see [`crate::rank_kin`]
    #[default]
    Kin,
}

/// SCAM's closeness ε: a word counts if its frequencies a and b in the two texts satisfy
/// a/b + b/a < ε (the *closeness set* of the paper).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closeness(f64);

impl Closeness {
    /// Creates the closeness ε, if it is above 2; at 2, not even equal frequencies are close.
    #[must_use]
    pub fn new(epsilon: f64) -> Option<Self> {
        (epsilon > 2.0 && epsilon.is_finite()).then_some(Self(epsilon))
    }

    /// The value of ε.
    #[must_use]
    pub fn epsilon(self) -> f64 {
        self.0
    }

    /// Whether two frequencies are close.
    #[must_use]
    pub fn is_close(self, a: u32, b: u32) -> bool {
        let ratio = f64::from(a) / f64::from(b);
        ratio + ratio.recip() < self.0
    }
}

/// ε = 2.5: a word may occur less than twice as often in one text as in the other.
impl Default for Closeness {
    fn default() -> Self {
        Self(2.5)
    }
}

impl Ranking {
    /// Every ranking, with its default settings, in the order of the documentation.
    pub const ALL: [Self; 11] = [
        Self::Inner,
        Self::Normalised,
        Self::Cosine,
        Self::Identity1,
        Self::Identity2,
        Self::Identity3,
        Self::Identity4,
        Self::Identity5,
        Self::Scam(Closeness(2.5)),
        Self::Fingerprint,
        Self::Kin,
    ];

    /// Its name on the command line and in files, without settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Inner => "inner",
            Self::Normalised => "normalised",
            Self::Cosine => "cosine",
            Self::Identity1 => "identity1",
            Self::Identity2 => "identity2",
            Self::Identity3 => "identity3",
            Self::Identity4 => "identity4",
            Self::Identity5 => "identity5",
            Self::Scam(_) => "scam",
            Self::Fingerprint => "fingerprint",
            Self::Kin => "kin",
        }
    }

    /// One-line summary of what it measures.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Inner => "shared words, weighted by rarity and frequency; favours long documents",
            Self::Normalised => "inner, divided by the square root of the document's length",
            Self::Cosine => {
                "inner, divided by the document's weight; finds the same topic rather than the same text"
            }
            Self::Identity1 => {
                "words that occur equally often in both, in documents of equal length"
            }
            Self::Identity2 => "identity1, with a much smaller penalty for differences in length",
            Self::Identity3 => {
                "identity2, with more weight for frequent words of query and document"
            }
            Self::Identity4 => "identity2, with no weight for words that occur in every document",
            Self::Identity5 => {
                "identity2, with far more weight for rare words; the best in its paper"
            }
            Self::Scam(_) => {
                "share of one text that is in the other, by words that are about equally frequent in both"
            }
            Self::Fingerprint => "number of chunks of the query that the document has",
            Self::Kin => "all shared wording, from rare words to copied sentences (default)",
        }
    }

    /// The formula, on one line. Sums are over the terms in both query and document.
    #[must_use]
    pub fn formula(self) -> &'static str {
        match self {
            Self::Inner => "Σ (1 + ln f_dt) · ln(1 + N/f_t)",
            Self::Normalised => "1/√f_d · Σ (1 + ln f_dt) · ln(1 + N/f_t)",
            Self::Cosine => "1/W_d · Σ (1 + ln f_dt) · ln(1 + N/f_t)",
            Self::Identity1 => "1/(1 + |f_d − f_q|) · Σ ln(N/f_t) / (1 + |f_dt − f_qt|)",
            Self::Identity2 => {
                "1/(1 + ln(1 + |f_d − f_q|)) · Σ ln(1 + N/f_t) / (1 + |f_dt − f_qt|)"
            }
            Self::Identity3 => {
                "1/(1 + ln(1 + |f_d − f_q|)) · Σ ln(1 + N/f_t) · (f_dt + f_qt) / (1 + |f_dt − f_qt|)"
            }
            Self::Identity4 => "1/(1 + ln(1 + |f_d − f_q|)) · Σ ln(N/f_t) / (1 + |f_dt − f_qt|)",
            Self::Identity5 => "1/(1 + ln(1 + |f_d − f_q|)) · Σ (N/f_t) / (1 + |f_dt − f_qt|)",
            Self::Scam(_) => {
                "min(1, Σ f_qt · f_dt / min(Σ f_qt², Σ f_dt²)), terms with f_qt/f_dt + f_dt/f_qt < ε"
            }
            Self::Fingerprint => "|chunks of q ∩ chunks of d|",
            Self::Kin => {
                "A^0.6 · min(1, A·f_q/f_d)^0.4, A = Σ |g|·(N/f_g)^1.25 ÷ the same sum of q, runs g of 1, 2, 4, … k, 2k words"
            }
        }
    }

    /// Whether it is *ideal*: no document outranks one that is the query itself.
    ///
    /// In the identity measures every summand is largest where f_dt = f_qt (also in the third:
    /// (2f + x)/(1 + x) falls as x grows, because 2f > 1), none is negative because f_t ≤ N, and
    /// the divisor is smallest where f_d = f_q. SCAM is capped at 1, which the query reaches;
    /// others may tie with it. No document has more chunks of the query than the query, nor more of
    /// its runs of words, and both factors of kin are at most 1, which the query reaches.
    ///
    /// The products are not ideal: a document that repeats a word of the query has a larger inner
    /// product. A document that consists only of the rarest word of the query has a larger normalized
    /// product and a larger cosine, because the rarity of words is on one side only.
    #[must_use]
    pub fn is_ideal(self) -> bool {
        !matches!(self, Self::Inner | Self::Normalised | Self::Cosine)
    }
}

impl fmt::Display for Ranking {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scam(closeness) if *closeness != Closeness::default() => {
                write!(formatter, "scam:{}", closeness.epsilon())
            }
            other => formatter.write_str(other.name()),
        }
    }
}

/// Error while parsing a [`Ranking`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RankingError {
    /// The name is unknown.
    #[error("unknown measure '{name}'; {}", hint(*.suggestion))]
    UnknownName {
        /// The unknown name.
        name: String,
        /// The most similar known name.
        suggestion: Option<&'static str>,
    },
    /// The ranking does not take an argument.
    #[error("{name}: only scam takes an argument; write {name}")]
    ExtraArgument {
        /// The ranking.
        name: &'static str,
    },
    /// ε is not a number above 2.
    #[error("scam: expected a number above 2, got '{argument}'; write it like scam:2.5")]
    Closeness {
        /// The invalid argument.
        argument: String,
    },
}

fn hint(suggestion: Option<&str>) -> String {
    match suggestion {
        Some(name) => format!("did you mean '{name}'?"),
        None => "run `textkin measures` for a list".to_owned(),
    }
}

impl FromStr for Ranking {
    type Err = RankingError;

    fn from_str(written: &str) -> Result<Self, RankingError> {
        let (name, argument) = match written.split_once(':') {
            Some((name, argument)) => (name, Some(argument)),
            None => (written, None),
        };
        let spelled = if name == "normalized" { "normalised" } else { name };
        let Some(ranking) = Self::ALL.into_iter().find(|ranking| ranking.name() == spelled) else {
            let suggestion = nearest(name, Self::ALL.iter().map(|ranking| ranking.name()));
            return Err(RankingError::UnknownName { name: name.to_owned(), suggestion });
        };
        match (ranking, argument) {
            (_, None) => Ok(ranking),
            (Self::Scam(_), Some(argument)) => {
                let closeness = argument.parse().ok().and_then(Closeness::new);
                let argument = argument.to_owned();
                closeness.map(Self::Scam).ok_or(RankingError::Closeness { argument })
            }
            (_, Some(_)) => Err(RankingError::ExtraArgument { name: ranking.name() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(written: &str) -> String {
        written.parse::<Ranking>().unwrap_err().to_string()
    }

    #[test]
    fn every_ranking_round_trips_as_text() {
        let strict = Ranking::Scam(Closeness::new(2.1).unwrap());
        for ranking in Ranking::ALL.into_iter().chain([strict]) {
            assert_eq!(ranking.to_string().parse(), Ok(ranking));
        }
        assert_eq!("normalized".parse(), Ok(Ranking::Normalised));
    }

    #[test]
    fn a_misspelled_name_gets_a_suggestion() {
        assert_eq!(error("identiy5"), "unknown measure 'identiy5'; did you mean 'identity5'?");
        assert_eq!(error("scan:3"), "unknown measure 'scan'; did you mean 'scam'?");
        assert_eq!(error("bm25"), "unknown measure 'bm25'; run `textkin measures` for a list");
        assert_eq!(error("cosine:3"), "cosine: only scam takes an argument; write cosine");
        for argument in ["2", "", "x", "nan", "inf"] {
            assert!(error(&format!("scam:{argument}")).contains("expected a number above 2"));
        }
    }

    #[test]
    fn frequencies_are_close_if_neither_is_twice_the_other() {
        let closeness = Closeness::default();
        assert!(closeness.is_close(3, 3) && closeness.is_close(3, 5) && closeness.is_close(5, 3));
        assert!(!closeness.is_close(3, 6) && !closeness.is_close(6, 3));
    }
}
