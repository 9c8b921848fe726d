//! A copy of standard input in a temporary file, to be read more than once.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// An unnamed temporary file, which disappears however the run ends.
#[derive(Clone, Debug)]
pub(crate) struct StdinSpool(Arc<Mutex<File>>);

impl StdinSpool {
    /// Copies all of `reader`.
    pub(crate) fn new(reader: &mut dyn Read, folder: &Path) -> io::Result<Self> {
        let mut file = tempfile::tempfile_in(folder)?;
        io::copy(reader, &mut file)?;
        Ok(Self(Arc::new(Mutex::new(file))))
    }

    /// Returns a reader from the beginning.
    pub(crate) fn reader(&self) -> SpoolReader {
        SpoolReader { file: Arc::clone(&self.0), at: 0 }
    }
}

/// A reader of the copy, with its own position.
pub(crate) struct SpoolReader {
    file: Arc<Mutex<File>>,
    at: u64,
}

impl Read for SpoolReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.at))?;
        let n = file.read(buffer)?;
        self.at += n as u64;
        Ok(n)
    }
}
