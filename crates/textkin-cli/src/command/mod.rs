//! One file per command.

pub(crate) mod discover;
pub(crate) mod strategies;
