//! Levels: how much of a text reappeared, in three steps.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
pub use textkin_core::MatchLevel;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// The schema of a [`MatchLevel`] in the description of the API.
#[derive(Debug)]
pub(crate) struct LevelSchema;

impl PartialSchema for LevelSchema {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("How much of a text reappeared, by the larger of both containments."))
            .enum_values(Some(MatchLevel::ALL.map(MatchLevel::name)))
            .into()
    }
}

impl ToSchema for LevelSchema {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("MatchLevel")
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
    fn the_schema_of_a_level_is_that_of_an_enumeration() {
        /// How much of a text reappeared, by the larger of both containments.
        #[derive(ToSchema)]
        #[schema(rename_all = "lowercase")]
        #[expect(dead_code, reason = "only its schema counts")]
        enum Derived {
            Some,
            High,
            Exact,
        }
        let json =
            |schema| serde_json::to_value::<RefOr<Schema>>(schema).expect("a schema is JSON");
        assert_eq!(json(LevelSchema::schema()), json(Derived::schema()));
        for level in MatchLevel::ALL {
            assert_eq!(serde_json::to_value(level).expect("a level is JSON"), level.name());
        }
    }

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
