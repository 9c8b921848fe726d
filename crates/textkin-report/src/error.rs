//! Errors while writing; every variant names the file.

use std::io;
use std::path::{Path, PathBuf};

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file, or the temporary one beside it, could not be created.
    #[error("cannot create {}", display_name(path))]
    Create {
        /// The output.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The parent directory does not exist.
    #[error("cannot create {}: directory {} does not exist", path.display(), folder.display())]
    MissingDirectory {
        /// The output.
        path: PathBuf,
        /// The missing directory.
        folder: PathBuf,
    },
    /// A write, flush or rename failed.
    #[error("cannot write {}", display_name(path))]
    Write {
        /// The output.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The disk or the quota is full.
    #[error("no space left to write {}; free space or choose another disk", display_name(path))]
    DiskFull {
        /// The output.
        path: PathBuf,
    },
    /// The program that read the output has ended, as `head` does.
    #[error("the reader of {} has gone away (broken pipe)", display_name(path))]
    ClosedPipe {
        /// The output.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The target is a directory.
    #[error("{} is a directory; name a file in it", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
    },
    /// The output directory exists and is not empty.
    #[error("{} already exists and is not an empty directory; choose another", path.display())]
    DirectoryNotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A file that is appended to across runs cannot be compressed.
    #[error("{} is appended to across runs and cannot be compressed; drop the last extension", path.display())]
    ResumableCompressed {
        /// The file.
        path: PathBuf,
    },
    /// A file that is appended to is shorter than before.
    #[error(
        "{} has {found} bytes, but {expected} were written before; restore it or choose another file",
        path.display()
    )]
    TooShort {
        /// The file.
        path: PathBuf,
        /// Its length in bytes.
        found: u64,
        /// Bytes written before.
        expected: u64,
    },
    /// The extension is not that of a supported format.
    #[error(
        "unsupported output format '{}'; supported extensions are {} \
         (text formats also with .gz or .zst)",
        path.display(),
        crate::Format::extensions()
    )]
    UnknownFormat {
        /// The path as given.
        path: PathBuf,
    },
    /// The extension of the path is not one of a table.
    #[error("unsupported output format '{}'; use .jsonl, .csv or .parquet", path.display())]
    NoTableFormat {
        /// The path as given.
        path: PathBuf,
    },
    /// A compression suffix on a format that is compressed already.
    #[error("'{}': Parquet is already compressed; drop the last extension", path.display())]
    CompressedTwice {
        /// The path as given.
        path: PathBuf,
    },
    /// This build of textkin does not support the format.
    #[error("'{}': this build of textkin does not support Parquet", path.display())]
    FormatDisabled {
        /// The path as given.
        path: PathBuf,
    },
    /// The Parquet library failed.
    #[cfg(feature = "parquet")]
    #[error("cannot encode {}", display_name(path))]
    Parquet {
        /// The output.
        path: PathBuf,
        /// The error of the library.
        source: parquet::errors::ParquetError,
    },
}

impl Error {
    /// Whether the reader of the output has closed it, as `head` does; the program should exit quietly.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::ClosedPipe { .. })
    }

    /// Classifies a failed write to `path` by its cause.
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

fn display_name(path: &Path) -> String {
    if path == Path::new("-") { "standard output".into() } else { path.display().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_pipe_and_a_full_disk_are_distinguished() {
        let broken = Error::write(Path::new("-"), io::ErrorKind::BrokenPipe.into());
        assert!(broken.is_broken_pipe());
        assert_eq!(broken.to_string(), "the reader of standard output has gone away (broken pipe)");
        let full = Error::write(Path::new("p.csv"), io::ErrorKind::StorageFull.into());
        assert!(!full.is_broken_pipe());
        assert!(full.to_string().starts_with("no space left to write p.csv"));
    }
}
