//! Errors of an extraction.

use crate::FileKind;

/// Why no text, or not all of it, could be extracted. Each limit has its own variant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// This kind needs an extractor from the caller, and there is none.
    #[error("reading {0} requires a worker, but none is set")]
    NeedsWorker(FileKind),
    /// The bytes are not text and not a document.
    #[error("not text ({what})")]
    NotText {
        /// What the bytes appear to be.
        what: &'static str,
    },
    /// The bytes appear to be of a kind but cannot be parsed.
    #[error("cannot read as {kind}: {reason}")]
    Corrupt {
        /// What the bytes appear to be.
        kind: FileKind,
        /// What is wrong with them.
        reason: String,
    },
    /// The document is protected by a password.
    #[error("password-protected {0}; save it without a password")]
    Encrypted(FileKind),
    /// More text than allowed.
    #[error("more than {limit} bytes of text")]
    TooMuchText {
        /// The limit that was reached.
        limit: usize,
    },
    /// More entries than allowed, all containers together.
    #[error("more than {limit} entries in containers")]
    TooManyEntries {
        /// The limit that was reached.
        limit: usize,
    },
    /// Containers nested deeper than allowed.
    #[error("containers nested more than {limit} levels deep")]
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
    /// The compression ratio is higher than allowed: most likely a decompression bomb.
    #[error("decompresses to more than {limit} times its size")]
    TooDense {
        /// The limit that was reached.
        limit: u64,
    },
    /// The time limit was exceeded.
    #[error("exceeded the time limit")]
    Deadline,
    /// The sink stopped the extraction. [`extract`](crate::extract) returns success instead.
    #[error("stopped")]
    Stopped,
}

impl Error {
    /// Whether the error ends the whole extraction, not only the part in which it occurred.
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

    /// Creates an [`Error::Corrupt`].
    pub(crate) fn corrupt(kind: FileKind, reason: impl std::fmt::Display) -> Self {
        Self::Corrupt { kind, reason: reason.to_string() }
    }
}
