//! Archives and compressed files; their parts are extracted in turn.

pub(super) mod compressed;
pub(super) mod tar;
pub(super) mod zip;
