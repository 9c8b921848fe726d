//! An output file that is appended to across runs.
//!
//! Other outputs get their name once they are complete. This one is for endless results of a run that
//! can be interrupted and resumed: it has its name from the start, the caller remembers how many bytes
//! are valid, and resuming truncates the file to them.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::output::directory_of;
use crate::{Compression, Error};

/// A file that is appended to across runs.
#[derive(Debug)]
pub struct ResumableFile {
    name: PathBuf,
    file: BufWriter<File>,
    /// `None` for a pipe or a device, which cannot be truncated.
    bytes: Option<u64>,
}

impl ResumableFile {
    /// Starts an empty file.
    ///
    /// # Errors
    /// If it cannot be created, or its extension implies compression.
    pub fn create(path: &Path) -> Result<Self, Error> {
        Self::open(path, 0)
    }

    /// Continues after the first `bytes` bytes; the rest is truncated.
    ///
    /// # Errors
    /// If it cannot be opened, is shorter than that, or its extension implies compression.
    pub fn resume(path: &Path, bytes: u64) -> Result<Self, Error> {
        Self::open(path, bytes)
    }

    fn open(path: &Path, bytes: u64) -> Result<Self, Error> {
        if Compression::from_path(path) != Compression::None {
            return Err(Error::ResumableCompressed { path: path.to_owned() });
        }
        if path.is_dir() {
            return Err(Error::Directory { path: path.to_owned() });
        }
        let folder = directory_of(path);
        if !folder.exists() {
            return Err(Error::MissingDirectory {
                path: path.to_owned(),
                folder: folder.to_owned(),
            });
        }
        let created = |source| Error::Create { path: path.to_owned(), source };
        let mut options = File::options();
        let file = options.write(true).create(true).truncate(false).open(path).map_err(created)?;
        let metadata = file.metadata().map_err(created)?;
        let mut continued = Self { name: path.to_owned(), file: BufWriter::new(file), bytes: None };
        if metadata.is_file() {
            let found = metadata.len();
            if found < bytes {
                return Err(Error::TooShort { path: path.to_owned(), found, expected: bytes });
            }
            let file = continued.file.get_mut();
            let cut = file.set_len(bytes).and_then(|()| file.seek(SeekFrom::Start(bytes)));
            cut.map_err(|source| Error::write(path, source))?;
            continued.bytes = Some(bytes);
        }
        Ok(continued)
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(|source| Error::write(&self.name, source))?;
        self.bytes = self.bytes.map(|before| before + bytes.len() as u64);
        Ok(())
    }

    /// Flushes everything to disk and returns the number of bytes.
    ///
    /// # Errors
    /// If that fails.
    pub fn sync(&mut self) -> Result<u64, Error> {
        let synced = self.file.flush().and_then(|()| match self.bytes {
            Some(_) => self.file.get_ref().sync_all(),
            None => Ok(()),
        });
        synced.map_err(|source: io::Error| Error::write(&self.name, source))?;
        Ok(self.bytes.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_after_the_last_sync_are_truncated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grows.jsonl");
        std::fs::write(&path, "an earlier run").unwrap();
        let mut file = ResumableFile::create(&path).unwrap();
        file.write(b"one\n").unwrap();
        assert_eq!(file.sync().unwrap(), 4);
        file.write(b"two\n").unwrap();
        drop(file);
        let mut file = ResumableFile::resume(&path, 4).unwrap();
        file.write(b"2\n").unwrap();
        assert_eq!(file.sync().unwrap(), 6);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\n2\n");
        let error = ResumableFile::resume(&path, 7).unwrap_err().to_string();
        assert!(error.contains("has 6 bytes, but 7 were written before"), "{error}");
        assert!(ResumableFile::create(&folder.path().join("grows.jsonl.gz")).is_err());
        assert!(ResumableFile::create(folder.path()).is_err());
        assert!(ResumableFile::create(&folder.path().join("no/such")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_to() {
        let mut file = ResumableFile::resume(Path::new("/dev/null"), 100).unwrap();
        file.write(b"one\n").unwrap();
        assert_eq!(file.sync().unwrap(), 0);
    }
}
