//! The names (ids) of all documents of a stream, on disk.
//!
//! One file has the name of each document as a JSON string on a line of its own, in the order of the
//! stream, for people and other programs. The other, with `.index` appended to its path, has the end
//! of each line as eight bytes, little-endian, so that the name of any document takes two reads.
//! Memory is bounded: a few names that are not written yet.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Bytes of names to write at a time.
const WRITE_BYTES: usize = 1 << 14;
/// Bytes of the end of a line.
const END_BYTES: u64 = 8;

/// The names of all documents of a stream, in a file and its index.
#[derive(Debug)]
pub struct NameFile {
    path: PathBuf,
    names: File,
    index: File,
    /// Number of names, and the bytes of their lines.
    n_names: u64,
    n_bytes: u64,
    /// Number of names in the file.
    n_written: u64,
    /// The lines that are not written yet, and their ends.
    lines: Vec<u8>,
    ends: Vec<u8>,
    /// The first failure.
    failure: Option<io::Error>,
}

impl NameFile {
    /// Creates the file for a new stream, or empties it.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path) -> Result<Self, Error> {
        Self::open(path, 0)
    }

    /// Opens the file of a stream of which `n_documents` documents have been traced; the names of later
    /// ones are removed.
    ///
    /// # Errors
    /// If it cannot be opened, or has fewer names.
    pub fn resume(path: &Path, n_documents: u64) -> Result<Self, Error> {
        Self::open(path, n_documents)
    }

    fn open(path: &Path, n_names: u64) -> Result<Self, Error> {
        let failed = |source| Error::NameFile { path: path.to_owned(), source };
        let open = |path: &Path| {
            File::options().read(true).write(true).create(true).truncate(false).open(path)
        };
        let mut names = open(path).map_err(failed)?;
        let mut index = open(&index_path(path)).map_err(failed)?;
        let found = index.metadata().map_err(failed)?.len() / END_BYTES;
        let too_few =
            |found| Error::TooFewNames { path: path.to_owned(), found, expected: n_names };
        if found < n_names {
            return Err(too_few(found));
        }
        let n_bytes = end_of(&mut index, n_names).map_err(failed)?;
        if names.metadata().map_err(failed)?.len() < n_bytes {
            return Err(too_few(0));
        }
        let cut = |file: &mut File, bytes| {
            file.set_len(bytes).and_then(|()| file.seek(SeekFrom::Start(bytes))).map_err(failed)
        };
        cut(&mut names, n_bytes)?;
        cut(&mut index, n_names * END_BYTES)?;
        Ok(Self {
            path: path.to_owned(),
            names,
            index,
            n_names,
            n_bytes,
            n_written: n_names,
            lines: Vec::new(),
            ends: Vec::new(),
            failure: None,
        })
    }

    /// Adds the name of the next document. [`Self::check`] reports failures.
    pub(super) fn push(&mut self, name: &str) {
        let before = self.lines.len();
        // Writing to memory does not fail.
        serde_json::to_writer(&mut self.lines, name).ok();
        self.lines.push(b'\n');
        self.n_names += 1;
        self.n_bytes += (self.lines.len() - before) as u64;
        self.ends.extend_from_slice(&self.n_bytes.to_le_bytes());
        if self.lines.len() >= WRITE_BYTES {
            self.flush();
        }
    }

    /// Returns the name of a document; `None` if there is none, or it cannot be read.
    /// [`Self::check`] reports failures.
    pub(super) fn get(&mut self, number: u64) -> Option<String> {
        if number >= self.n_names {
            return None;
        }
        if number >= self.n_written {
            self.flush();
        }
        let read = self.read(number);
        // Further names are written at the end.
        let back = self.names.seek(SeekFrom::End(0)).and(self.index.seek(SeekFrom::End(0)));
        match read.and_then(|name| back.map(|_| name)) {
            Ok(name) => Some(name),
            Err(error) => {
                self.failure.get_or_insert(error);
                None
            }
        }
    }

    /// Returns the first failure.
    ///
    /// # Errors
    /// If names could not be written or read.
    pub(super) fn check(&mut self) -> Result<(), Error> {
        match self.failure.take() {
            Some(source) => Err(Error::NameFile { path: self.path.clone(), source }),
            None => Ok(()),
        }
    }

    /// Writes all names to disk.
    ///
    /// # Errors
    /// If names could not be written or read.
    pub(super) fn sync(&mut self) -> Result<(), Error> {
        self.flush();
        if let Err(error) = self.names.sync_data().and_then(|()| self.index.sync_data()) {
            self.failure.get_or_insert(error);
        }
        self.check()
    }

    fn flush(&mut self) {
        let written =
            self.names.write_all(&self.lines).and_then(|()| self.index.write_all(&self.ends));
        if let Err(error) = written {
            self.failure.get_or_insert(error);
        }
        self.lines.clear();
        self.ends.clear();
        self.n_written = self.n_names;
    }

    fn read(&mut self, number: u64) -> io::Result<String> {
        let [start, end] = [number, number + 1].map(|n_names| end_of(&mut self.index, n_names));
        let (start, end) = (start?, end?);
        let mut line = Vec::new();
        self.names.seek(SeekFrom::Start(start))?;
        (&self.names).take(end.saturating_sub(start)).read_to_end(&mut line)?;
        Ok(serde_json::from_slice(&line)?)
    }
}

/// Returns where the line of the last of the first `n_names` names ends.
fn end_of(index: &mut File, n_names: u64) -> io::Result<u64> {
    let Some(last) = n_names.checked_sub(1) else { return Ok(0) };
    let mut end = 0_u64.to_le_bytes();
    index.seek(SeekFrom::Start(last * END_BYTES))?;
    index.read_exact(&mut end)?;
    Ok(u64::from_le_bytes(end))
}

fn index_path(path: &Path) -> PathBuf {
    let mut index = OsString::from(path);
    index.push(".index");
    index.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn every_name_is_found_again_also_after_a_resume(
            names in prop::collection::vec("\\PC{0,9}|[a\n\"]{900}", 0..60),
            resumed_at in 0_usize..60,
            lookups in prop::collection::vec(0_usize..60, 0..20),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("names.jsonl");
            let resumed_at = resumed_at.min(names.len());
            let mut file = NameFile::create(&path).unwrap();
            names.iter().for_each(|name| file.push(name));
            file.sync().unwrap();
            // Names of documents after the last checkpoint are written again.
            let mut file = NameFile::resume(&path, resumed_at as u64).unwrap();
            for (number, name) in names.iter().enumerate().skip(resumed_at) {
                prop_assert_eq!(file.get(number as u64), None);
                file.push(name);
                for lookup in lookups.iter().filter(|lookup| **lookup <= number) {
                    prop_assert_eq!(file.get(*lookup as u64), Some(names[*lookup].clone()));
                }
            }
            file.sync().unwrap();
            for (number, name) in names.iter().enumerate() {
                prop_assert_eq!(file.get(number as u64), Some(name.clone()));
            }
            let lines = std::fs::read_to_string(&path).unwrap();
            let read: Vec<String> =
                lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            prop_assert_eq!(read, names);
        }
    }

    #[test]
    fn a_file_with_too_few_names_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("names.jsonl");
        let mut file = NameFile::create(&path).unwrap();
        file.push("a");
        file.sync().unwrap();
        let error = NameFile::resume(&path, 2).unwrap_err().to_string();
        let expected = format!(
            "{} has the names of 1 of the 2 documents in the state; use the file of the run that wrote the state, or start again with another state",
            path.display()
        );
        assert_eq!(error, expected);
        // The lines are missing.
        std::fs::write(&path, "").unwrap();
        assert!(matches!(NameFile::resume(&path, 1), Err(Error::TooFewNames { found: 0, .. })));
        let missing = folder.path().join("none").join("names.jsonl");
        let error = NameFile::create(&missing).unwrap_err().to_string();
        assert!(error.starts_with("cannot read or write the names file"), "{error}");
    }
}
