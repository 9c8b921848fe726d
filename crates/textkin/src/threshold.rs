//! Parsing of thresholds.

use std::fmt;

use textkin_core::Measure;
use textkin_graph::ListingRules;

use crate::defaults::DEFAULT_THRESHOLD;

/// A threshold as the user writes it: `auto`, a number, or one of the levels of DECO, which depend on the
/// score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Threshold {
    /// The default threshold and, with the score kin, the default [`ListingRules`].
    #[default]
    Auto,
    /// A number.
    Number(f64),
    /// One of the levels T1 to T5.
    Level(usize),
}

/// Formats the threshold as [`Threshold::parse`] accepts it.
impl fmt::Display for Threshold {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => formatter.write_str("auto"),
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Level(level) => write!(formatter, "T{level}"),
        }
    }
}

impl Threshold {
    /// Parses a threshold.
    ///
    /// # Errors
    /// A message, if `text` is not a threshold.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let level = text.strip_prefix(['t', 'T']).and_then(|level| level.parse().ok());
        if let Some(level @ 1..=5) = level {
            return Ok(Self::Level(level));
        }
        match text.parse::<f64>() {
            Ok(number) if number >= 0.0 && number.is_finite() => Ok(Self::Number(number)),
            _ => Err(format!("expected a non-negative number, T1 to T5 or auto, got '{text}'")),
        }
    }

    /// Returns the number for `measure`.
    ///
    /// # Errors
    /// A message, if the measure has no such level.
    pub fn number(self, measure: Measure) -> Result<f64, String> {
        match self {
            Self::Auto => Ok(DEFAULT_THRESHOLD),
            Self::Number(number) => Ok(number),
            Self::Level(level) => measure.preset(level).ok_or_else(|| {
                format!(
                    "T{level} is defined for s1, s2, s3 and s4, not for {measure}; write a number"
                )
            }),
        }
    }

    /// Returns what lists a pair besides its score: nothing, unless the threshold is automatic.
    #[must_use]
    pub fn rules(self, measure: Measure) -> Option<ListingRules> {
        (self == Self::Auto && measure == Measure::Kin).then(ListingRules::default)
    }
}
