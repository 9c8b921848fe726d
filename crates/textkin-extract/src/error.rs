//! Why bytes gave no text, or not all of it.

use crate::FileKind;

/// Why bytes gave no text, or not all of it. Each limit that can end an extraction has its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// This kind is read by an extractor that was not given.
    #[error("{0} is read by a worker, and none was given")]
    NeedsWorker(FileKind),
    /// The bytes are of no kind that holds text.
    #[error("not text ({what})")]
    NotText {
        /// What they seem to be.
        what: &'static str,
    },
    /// The bytes say that they are of a kind and are damaged.
    #[error("not readable as {kind}: {reason}")]
    Corrupt {
        /// What the bytes seem to be.
        kind: FileKind,
        /// What is wrong with them.
        reason: String,
    },
    /// The text is behind a password.
    #[error("{0} with a password")]
    Encrypted(FileKind),
    /// More text than allowed.
    #[error("more than {limit} bytes of text")]
    TooMuchText {
        /// The limit that was reached.
        limit: usize,
    },
    /// More entries than allowed in all containers together.
    #[error("more than {limit} entries in containers")]
    TooManyEntries {
        /// The limit that was reached.
        limit: usize,
    },
    /// Containers within containers deeper than allowed.
    #[error("more than {limit} containers within one another")]
    TooDeep {
        /// The limit that was reached.
        limit: usize,
    },
    /// More bytes after decompression than allowed, all containers together.
    #[error("more than {limit} bytes after decompression")]
    TooMuchExpanded {
        /// The limit that was reached.
        limit: u64,
    },
    /// A compressed part grows more than allowed: most likely a bomb.
    #[error("grows to more than {limit} times its size when decompressed")]
    TooDense {
        /// The limit that was reached.
        limit: u64,
    },
    /// The time is over.
    #[error("took longer than allowed")]
    Deadline,
    /// The sink asked to stop. [`extract`](crate::extract) turns this into success.
    #[error("stopped")]
    Stopped,
}

impl Error {
    /// Whether the error ends the whole extraction, and not only the part where it occurred.
    pub fn is_final(&self) -> bool {
        matches!(
            self,
            Self::TooMuchText { .. }
                | Self::TooManyEntries { .. }
                | Self::TooMuchExpanded { .. }
                | Self::Deadline
                | Self::Stopped
        )
    }

    /// The bytes are damaged.
    pub(crate) fn corrupt(kind: FileKind, reason: impl std::fmt::Display) -> Self {
        Self::Corrupt { kind, reason: reason.to_string() }
    }
}
