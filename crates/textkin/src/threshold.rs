//! Thresholds as people write them.

use std::fmt;

use textkin_core::Measure;

use crate::defaults::DEFAULT_THRESHOLD;

/// A threshold as written: a number, or one of DECO's levels, which depend on the score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// The number itself.
    Number(f64),
    /// T1 to T5.
    Level(usize),
}

impl Default for Threshold {
    fn default() -> Self {
        Self::Number(DEFAULT_THRESHOLD)
    }
}

/// Writes it as [`Threshold::parse`] reads it.
impl fmt::Display for Threshold {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Level(level) => write!(formatter, "T{level}"),
        }
    }
}

impl Threshold {
    /// Reads it as written.
    ///
    /// # Errors
    /// In words, if it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let level = text.strip_prefix(['t', 'T']).and_then(|level| level.parse().ok());
        if let Some(level @ 1..=5) = level {
            return Ok(Self::Level(level));
        }
        match text.parse::<f64>() {
            Ok(number) if number >= 0.0 && number.is_finite() => Ok(Self::Number(number)),
            _ => Err(format!("'{text}' is neither a number from 0 on nor one of T1 to T5")),
        }
    }

    /// The number it stands for under `measure`.
    ///
    /// # Errors
    /// In words, if the measure has no such level.
    pub fn number(self, measure: Measure) -> Result<f64, String> {
        match self {
            Self::Number(number) => Ok(number),
            Self::Level(level) => measure.preset(level).ok_or_else(|| {
                format!(
                    "T{level} is given for s1, s2, s3 and s4, not for {measure}; write a number"
                )
            }),
        }
    }
}
