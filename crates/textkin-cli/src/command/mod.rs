//! One file per command.

pub(crate) mod discover;
pub(crate) mod doctor;
pub(crate) mod index;
pub(crate) mod strategies;
