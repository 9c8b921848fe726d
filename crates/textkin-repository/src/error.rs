//! What can go wrong with a repository.

use std::path::PathBuf;

use textkin_core::Damage;

/// Why a repository cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read, written or made durable.
    #[error("cannot {doing} {}", path.display())]
    File {
        /// `read`, `write`, …
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no repository.
    #[error("{0} is no repository; make one with: textkin repo create {0}", path.display())]
    Missing {
        /// The folder.
        path: PathBuf,
    },
    /// There is a repository already.
    #[error("{0} is a repository already; add documents with: textkin repo add {0} FILES", path.display())]
    AlreadyExists {
        /// The folder.
        path: PathBuf,
    },
    /// There is something already.
    #[error("{} is there already and not empty; a repository needs a new or empty folder", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// It was made by a later version.
    #[error(
        "{} was made by textkin {created_by} (format {version}), this version reads up to format {supported}; \
         install textkin {created_by} or later",
        path.display()
    )]
    Newer {
        /// The folder.
        path: PathBuf,
        /// Its format.
        version: u32,
        /// The latest format that can be read.
        supported: u32,
        /// The version of textkin that made it.
        created_by: String,
    },
    /// It was made by an earlier version, in a format that is not read any more.
    #[error(
        "{} was made by another version of textkin ({created_by}, format {version}), this one reads format {supported}; \
         make it anew from the documents, or from what that version's textkin repo export writes",
        path.display()
    )]
    Older {
        /// The folder.
        path: PathBuf,
        /// Its format.
        version: u32,
        /// The format that can be read.
        supported: u32,
        /// The version of textkin that made it.
        created_by: String,
    },
    /// Another process writes.
    #[error("{} is being written by another process; wait until it is done, or stop it", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// A file does not hold what it should.
    #[error(transparent)]
    Damage(#[from] Damage),
    /// A document with this id is there.
    #[error("'{id}' is in the repository already")]
    DuplicateId {
        /// The id.
        id: String,
    },
    /// A document is beyond what can be stored.
    #[error("'{id}' cannot be stored: {reason}")]
    InvalidDocument {
        /// The beginning of its id.
        id: String,
        /// What is wrong: lower case, no full stop.
        reason: String,
    },
    /// An earlier step of a change failed, and the writer cannot know or do the rest.
    #[error("a change of {} could not be finished; open it again to see what it holds", path.display())]
    Unfinished {
        /// The folder.
        path: PathBuf,
    },
    /// The documents that were made again are not those that were asked for.
    #[error("{0}")]
    Reindex(String),
}

impl Error {
    pub(crate) fn file(
        doing: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { doing, path, source }
    }
}
