//! Texts with commands for a typesetter between the words.

pub(super) mod latex;
pub(super) mod markdown;
pub(super) mod roff;
