//! The nouns of the registry that decide: ids, roles and permissions, match levels.

mod access;
mod ids;
pub(crate) mod level;

pub use self::access::{Action, Actor, Role, Scope};
pub(crate) use self::access::{Nearness, RepositoryAccess};
pub use self::ids::{
    AccountId, AlertId, ContactRequestId, DeliveryId, DocumentId, HookId, JobId, KeyId, MessageId,
    ReattributionId, ReceiptId, RepositoryId, StopPhraseId, TeamId, TemplateId, WatchId,
};
pub use self::level::{LevelThresholds, MatchLevel};
