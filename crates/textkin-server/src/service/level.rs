//! Levels: how much of a text reappeared, in three steps.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How much of a text reappeared, by the larger of both containments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatchLevel {
    /// Some of it: 5 % or more by default.
    Some,
    /// Much of it: 50 % or more by default.
    High,
    /// All of it.
    Exact,
}

impl MatchLevel {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Some => "some",
            Self::High => "high",
            Self::Exact => "exact",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::Some, Self::High, Self::Exact].into_iter().find(|level| level.name() == name)
    }
}

/// The minimum share of each level. The defaults are those of SCAM for chunks larger than a word.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LevelThresholds {
    /// Minimum share of the level `exact`.
    pub exact: f64,
    /// Minimum share of the level `high`.
    pub high: f64,
    /// Minimum share of the level `some`.
    pub some: f64,
}

impl Default for LevelThresholds {
    fn default() -> Self {
        Self { exact: 1.0, high: 0.5, some: 0.05 }
    }
}

impl LevelThresholds {
    /// Returns the level of a share; `None` if it is below all thresholds.
    #[must_use]
    pub fn level(&self, share: f64) -> Option<MatchLevel> {
        if share >= self.exact {
            Some(MatchLevel::Exact)
        } else if share >= self.high {
            Some(MatchLevel::High)
        } else if share >= self.some {
            Some(MatchLevel::Some)
        } else {
            None
        }
    }

    /// Whether the thresholds are shares in ascending order.
    pub(crate) fn is_valid(&self) -> bool {
        0.0 < self.some && self.some <= self.high && self.high <= self.exact && self.exact <= 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_levels_are_those_of_scam() {
        let levels = LevelThresholds::default();
        assert_eq!(levels.level(1.0), Some(MatchLevel::Exact));
        assert_eq!(levels.level(0.999), Some(MatchLevel::High));
        assert_eq!(levels.level(0.5), Some(MatchLevel::High));
        assert_eq!(levels.level(0.05), Some(MatchLevel::Some));
        assert_eq!(levels.level(0.049), None);
        assert!(levels.is_valid());
        assert!(!LevelThresholds { some: 0.6, ..levels }.is_valid());
        assert!(!LevelThresholds { some: f64::NAN, ..levels }.is_valid());
    }
}
