//! The errors of repositories.

use std::path::PathBuf;

use textkin_core::CorruptionError;

/// Reasons why a repository cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read, written or synced.
    #[error("cannot {action} {}", path.display())]
    File {
        /// `read`, `write`, …
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The folder does not contain a repository.
    #[error("{0} is not a repository; create one with: textkin repo create {0}", path.display())]
    Missing {
        /// The folder.
        path: PathBuf,
    },
    /// The folder already contains a repository.
    #[error("{0} is already a repository; add documents with: textkin repo add {0} FILES", path.display())]
    AlreadyExists {
        /// The folder.
        path: PathBuf,
    },
    /// The folder contains other files.
    #[error("{} already exists and is not empty; choose a new or empty folder", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The repository was created by a later version.
    #[error(
        "{} was created by textkin {created_by} (format {version}); this version reads formats up to {supported}; \
         install textkin {created_by} or later",
        path.display()
    )]
    Newer {
        /// The folder.
        path: PathBuf,
        /// The format of the repository.
        version: u32,
        /// The latest format that can be read.
        supported: u32,
        /// The version of textkin that created it.
        created_by: String,
    },
    /// The repository was created by an earlier version, in a format that is no longer supported.
    #[error(
        "{} was created by another version of textkin ({created_by}, format {version}); this version reads format \
        {supported}; create it again from the documents, or from the output of that version's textkin repo export",
        path.display()
    )]
    Older {
        /// The folder.
        path: PathBuf,
        /// The format of the repository.
        version: u32,
        /// The format that can be read.
        supported: u32,
        /// The version of textkin that created it.
        created_by: String,
    },
    /// Another process holds the write lock.
    #[error("{} is being written by another process; wait until it has finished, or stop it", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// A file is corrupt.
    #[error(transparent)]
    Corrupt(#[from] CorruptionError),
    /// A document with this id already exists.
    #[error("'{id}' is already in the repository")]
    DuplicateId {
        /// The id.
        id: String,
    },
    /// A document exceeds the limits of the format.
    #[error("cannot store '{id}': {reason}")]
    InvalidDocument {
        /// The beginning of its id.
        id: String,
        /// The limit that it exceeds: lower case, no full stop.
        reason: String,
    },
    /// An earlier step of a change failed, and the state on disk is uncertain.
    #[error("a change to {} could not be completed; reopen it to see what it contains", path.display())]
    Unfinished {
        /// The folder.
        path: PathBuf,
    },
    /// Stored documents could not be indexed again for a merge.
    #[error("{0}")]
    Reindex(String),
}

impl Error {
    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}
