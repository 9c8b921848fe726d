//! Errors of index files.

use std::io;
use std::path::PathBuf;

/// Error while reading an index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is not an index.
    #[error("not an index of shared chunks; create one with textkin discover --index")]
    Foreign,
    /// The index was written by another version.
    #[error(
        "the index has format {found}, but this version reads format {}; create it again",
        super::format::VERSION
    )]
    Version {
        /// Format of the index.
        found: u32,
    },
    /// The index was truncated or changed.
    #[error("the index is corrupt: {what}; create it again")]
    Corrupt {
        /// What is wrong.
        what: &'static str,
    },
}

/// Creates a [`StoreError::Corrupt`].
pub(super) fn corrupt(what: &'static str) -> StoreError {
    StoreError::Corrupt { what }
}
