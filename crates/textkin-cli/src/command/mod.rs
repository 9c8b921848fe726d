//! The commands, one module each.

#[cfg(feature = "server")]
pub(crate) mod admin;
#[cfg(feature = "server")]
pub(crate) mod client;
pub(crate) mod compare;
pub(crate) mod dedup;
#[cfg(feature = "server")]
pub(crate) mod delivery;
pub(crate) mod discover;
pub(crate) mod doctor;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod index;
#[cfg(feature = "server")]
pub(crate) mod mail;
pub(crate) mod measures;
pub(crate) mod page;
pub(crate) mod repo;
pub(crate) mod schema;
pub(crate) mod search;
#[cfg(feature = "server")]
pub(crate) mod serve;
pub(crate) mod shell;
pub(crate) mod strategies;
pub(crate) mod trace;
pub(crate) mod verify;
