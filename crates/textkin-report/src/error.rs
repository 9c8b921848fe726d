//! What can go wrong while writing; every variant names the file.

use std::io;
use std::path::{Path, PathBuf};

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file, or the temporary one beside it, could not be created.
    #[error("cannot create {}", shown(path))]
    Create {
        /// What was to be written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder it should be in is not there.
    #[error("cannot create {}: there is no folder {}; make it first", path.display(), folder.display())]
    MissingDirectory {
        /// What was to be written.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// A write, flush or rename failed.
    #[error("cannot write {}", shown(path))]
    Write {
        /// What was being written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk, or the user's share of it, is full.
    #[error("no space left to write {}; free some or choose another disk", shown(path))]
    DiskFull {
        /// What was being written.
        path: PathBuf,
    },
    /// The program that read the output has ended, as `head` does.
    #[error("nobody reads {} any more", shown(path))]
    ClosedPipe {
        /// What was being written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The target is a directory.
    #[error("{} is a directory; name a file in it", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
    },
    /// The folder is there and not empty.
    #[error("{} is there already and not an empty folder; name another", path.display())]
    DirectoryNotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A file that goes on cannot be compressed.
    #[error("{} is to go on over several runs and cannot be compressed; leave the last extension out", path.display())]
    ResumableCompressed {
        /// The file.
        path: PathBuf,
    },
    /// A file that goes on has lost something.
    #[error(
        "{} holds {found} bytes, and {expected} were written before; bring it back or name another",
        path.display()
    )]
    TooShort {
        /// The file.
        path: PathBuf,
        /// Bytes it holds.
        found: u64,
        /// Bytes that were acknowledged.
        expected: u64,
    },
    /// The extension tells no format.
    #[error(
        "the extension of '{}' names no format; the known ones are {} \
         (text formats also with .gz or .zst)",
        path.display(),
        crate::Format::extensions()
    )]
    UnknownFormat {
        /// The path as given.
        path: PathBuf,
    },
    /// A compression suffix on a format that compresses by itself.
    #[error("'{}': parquet compresses by itself; leave the last extension out", path.display())]
    CompressedTwice {
        /// The path as given.
        path: PathBuf,
    },
    /// The format was left out when textkin was built.
    #[error("'{}': this textkin was built without parquet", path.display())]
    FormatDisabled {
        /// The path as given.
        path: PathBuf,
    },
    /// The Parquet library refused the data.
    #[cfg(feature = "parquet")]
    #[error("cannot encode {}", shown(path))]
    Parquet {
        /// What was being written.
        path: PathBuf,
        /// What the library said.
        source: parquet::errors::ParquetError,
    },
}

impl Error {
    /// Whether the reader of the output went away, which is no fault of anybody: end quietly.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::ClosedPipe { .. })
    }

    /// Sorts a failed write to `path` by its cause.
    #[must_use]
    pub fn write(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            io::ErrorKind::BrokenPipe => Self::ClosedPipe { path, source },
            _ => Self::Write { path, source },
        }
    }
}

fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard output".into() } else { path.display().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_and_a_full_disk_are_told_apart() {
        let pipe = Error::write(Path::new("-"), io::ErrorKind::BrokenPipe.into());
        assert!(pipe.is_broken_pipe());
        assert_eq!(pipe.to_string(), "nobody reads standard output any more");
        let full = Error::write(Path::new("p.csv"), io::ErrorKind::StorageFull.into());
        assert!(!full.is_broken_pipe());
        assert!(full.to_string().starts_with("no space left to write p.csv"));
    }
}
