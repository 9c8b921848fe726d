//! The nouns of the registry that decide: roles and permissions, match levels.

mod access;
pub(crate) mod level;

pub(crate) use self::access::RepositoryAccess;
pub use self::access::{Actor, Role, Scope};
pub use self::level::{LevelThresholds, MatchLevel};
