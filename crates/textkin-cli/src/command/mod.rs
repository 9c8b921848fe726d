//! One file per command.

pub(crate) mod admin;
pub(crate) mod client;
pub(crate) mod compare;
pub(crate) mod dedup;
pub(crate) mod delivering;
pub(crate) mod discover;
pub(crate) mod doctor;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod index;
pub(crate) mod mail;
pub(crate) mod measures;
pub(crate) mod page;
pub(crate) mod raw;
pub(crate) mod repo;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod strategies;
pub(crate) mod trace;
pub(crate) mod verify;
