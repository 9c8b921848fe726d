//! The nouns of the registry that decide: roles and permissions, match levels.

mod access;
pub(crate) mod level;

pub use self::access::{Action, Actor, Role, Scope};
pub(crate) use self::access::{Nearness, RepositoryAccess};
pub use self::level::{LevelThresholds, MatchLevel};
