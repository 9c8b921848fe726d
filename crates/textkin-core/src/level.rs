//! Levels: how much of a text reappeared, in three steps.

use std::fmt;

/// How much of a text reappeared, by the larger of both containments.
///
/// ```
/// use textkin_core::MatchLevel;
///
/// assert!(MatchLevel::Exact > MatchLevel::Some);
/// assert_eq!(MatchLevel::parse("high"), Some(MatchLevel::High));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum MatchLevel {
    /// Some of it: 5 % or more by default.
    #[default]
    Some,
    /// Much of it: 50 % or more by default.
    High,
    /// All of it.
    Exact,
}

impl MatchLevel {
    /// All levels, lowest first.
    pub const ALL: [Self; 3] = [Self::Some, Self::High, Self::Exact];

    /// Returns the name used by programs: in JSON, forms, URLs and options.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Some => "some",
            Self::High => "high",
            Self::Exact => "exact",
        }
    }

    /// Returns the level with this [`name`](Self::name).
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }

    /// Returns the name that people read.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Some => "Some",
            Self::High => "High",
            Self::Exact => "Exact",
        }
    }

    /// Returns an explanation of the level.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Some => "at least 5% of one of the texts",
            Self::High => "at least half of one of the texts",
            Self::Exact => "all of one of the texts",
        }
    }
}

impl fmt::Display for MatchLevel {
    /// Writes the [`label`](Self::label).
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.label())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_back() {
        for level in MatchLevel::ALL {
            assert_eq!(MatchLevel::parse(level.name()), Some(level));
            assert_eq!(level.to_string().to_lowercase(), level.name());
        }
        assert_eq!(MatchLevel::parse("Some"), None);
        assert!(MatchLevel::ALL.is_sorted());
    }
}
