//! What can go wrong while shared chunks are found.

use std::io;

/// Why shared chunks could not be found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The temporary file could not be written or read: the disk is full, most of the time.
    #[error(
        "cannot use the temporary file in {directory}; free some space there or name another place with --temp-dir"
    )]
    SpillFile {
        /// Where the temporary file is.
        directory: String,
        /// What the system said.
        source: io::Error,
    },
    /// Two different posting lists had the same 128-bit sum.
    #[error("the posting lists of a group do not agree; please report this collection as a bug")]
    Groups,
    /// The run was asked to stop.
    #[error("interrupted")]
    Stopped,
}
