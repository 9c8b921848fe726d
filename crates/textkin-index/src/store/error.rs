//! What can be wrong with an index file.

use std::io;
use std::path::PathBuf;

/// Why an index cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is something else.
    #[error("this is no index of shared chunks (textkin discover --index writes one)")]
    Foreign,
    /// It was written by another version.
    #[error(
        "the index has format {found}, this version reads {}; write it again",
        super::format::VERSION
    )]
    Version {
        /// The format it has.
        found: u32,
    },
    /// It was cut off or changed.
    #[error("the index is damaged: {what}; write it again")]
    Damaged {
        /// What does not hold.
        what: &'static str,
    },
}

/// A [`StoreError::Damaged`].
pub(super) fn damaged(what: &'static str) -> StoreError {
    StoreError::Damaged { what }
}
