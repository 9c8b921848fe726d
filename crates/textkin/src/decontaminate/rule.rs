//! Rules: when an evaluation item counts as contained in a document.

use std::fmt;
use std::str::FromStr;

/// A rule by name. `textkin` aligns the words of an item with the document; the others count n-grams as their
/// publications describe, on the words of textkin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preset {
    /// The share of the question that is found, weighted by rarity, without contradictions; short or ambiguous
    /// questions need their answer or passage near by.
    #[default]
    Textkin,
    /// Any shared n-gram, where n is the 5th percentile of the lengths of the items of a benchmark, between 8 and 13
    /// words (Brown et al. 2020, appendix C).
    Gpt3,
    /// At least 70 % of the 8-grams of the item (Chowdhery et al. 2022, section 8).
    Palm,
    /// At least 80 % of the words of the item in runs that begin with 10 equal words and have up to 4 mismatches
    /// (Touvron et al. 2023, appendix A.6).
    Llama,
    /// More than 50 % of the words of the item in shared 8-grams (Lambert et al. 2024, section 3.2).
    Tulu,
    /// Shared 5-grams weighted by rarity, all of them for items of up to 25 words and 81.5 % from 50 words on, and 80 %
    /// of the answer near by; items under 20 words are not judged (allenai/decon, default configuration).
    Decon,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 6] =
        [Self::Textkin, Self::Gpt3, Self::Palm, Self::Llama, Self::Tulu, Self::Decon];

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Textkin => "textkin",
            Self::Gpt3 => "gpt3",
            Self::Palm => "palm",
            Self::Llama => "llama",
            Self::Tulu => "tulu",
            Self::Decon => "decon",
        }
    }

    /// Returns the minimum share of an item of this many words.
    pub(super) fn min_share(self, words: usize) -> f64 {
        match self {
            Self::Textkin => 0.8,
            Self::Gpt3 => 0.0,
            Self::Palm => 0.7,
            Self::Llama => 0.8,
            Self::Tulu => 0.5,
            Self::Decon => {
                let progress = (words as f64 - 25.0) / 25.0;
                1.0 - (1.0 - 0.815) * progress.clamp(0.0, 1.0)
            }
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|preset| preset.name() == name);
        let names = || Self::ALL.map(Self::name).join(", ");
        found.ok_or_else(|| format!("expected one of {}, got '{name}'", names()))
    }
}

/// What is removed from a document that contains an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cut {
    /// The whole document.
    #[default]
    Document,
    /// The text that belongs to the item.
    Span,
    /// Nothing.
    None,
}

impl fmt::Display for Cut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Document => "document",
            Self::Span => "span",
            Self::None => "none",
        })
    }
}

impl FromStr for Cut {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "document" => Ok(Self::Document),
            "span" => Ok(Self::Span),
            "none" => Ok(Self::None),
            _ => Err(format!("expected document, span or none, got '{name}'")),
        }
    }
}
