//! Errors of finding shared chunks.

use std::io;

/// Error while finding shared chunks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The temporary file could not be written or read; usually the disk is full.
    #[error(
        "cannot use a temporary file in {directory}; free some space there or choose another directory with --temp-dir"
    )]
    SpillFile {
        /// Directory of the temporary file.
        directory: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Two different posting lists had the same 128-bit sum.
    #[error("the posting lists of a group do not agree; please report this collection as a bug")]
    Groups,
    /// A stop was requested.
    #[error("interrupted")]
    Stopped,
}
