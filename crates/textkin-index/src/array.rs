//! Arrays that live in memory or in a temporary file, behind one interface.
//!
//! The temporary file has no name from the moment it exists, so that nothing is left of it however the
//! process ends.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Pod;

use crate::error::Error;

/// A nameless temporary file that arrays are spilled to when memory is full.
#[derive(Debug)]
pub struct SpillFile {
    file: File,
    end: AtomicU64,
    directory: PathBuf,
}

impl SpillFile {
    /// Creates a spill file in `directory`.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn new(directory: &Path) -> Result<Self, Error> {
        let file = tempfile::tempfile_in(directory).map_err(|source| Error::SpillFile {
            directory: directory.display().to_string(),
            source,
        })?;
        Ok(Self { file, end: AtomicU64::new(0), directory: directory.to_owned() })
    }

    /// Bytes written so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    pub(crate) fn append(&self, bytes: &[u8]) -> Result<u64, Error> {
        let offset = self.end.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.write_at(bytes, offset)?;
        Ok(offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), Error> {
        write_all_at(&self.file, bytes, offset).map_err(|source| self.error(source))
    }

    pub(crate) fn read_at(&self, bytes: &mut [u8], offset: u64) -> Result<(), Error> {
        read_exact_at(&self.file, bytes, offset).map_err(|source| self.error(source))
    }

    fn error(&self, source: io::Error) -> Error {
        Error::SpillFile { directory: self.directory.display().to_string(), source }
    }
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        bytes = &bytes[n..];
        offset += n as u64;
    }
    Ok(())
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_read(file, bytes, offset)?;
        if n == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[n..];
        offset += n as u64;
    }
    Ok(())
}

/// An array of plain values, in memory or in a [`SpillFile`].
#[derive(Debug)]
pub(crate) enum Array<T> {
    Memory(Vec<T>),
    Disk { spill_file: Arc<SpillFile>, offset: u64, len: usize },
}

/// The part of an array on disk that was read last. It extends a little beyond the requested range,
/// because most reads continue where the last one ended.
#[derive(Debug)]
pub(crate) struct Window<T> {
    /// Where the array begins in its spill file; identifies the array.
    offset: Option<u64>,
    start: usize,
    items: Vec<T>,
}

impl<T> Window<T> {
    const AHEAD: usize = (16 << 10) / size_of::<T>();
}

impl<T> Default for Window<T> {
    fn default() -> Self {
        Self { offset: None, start: 0, items: Vec::new() }
    }
}

impl<T> Default for Array<T> {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

impl<T: Pod> Array<T> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Memory(items) => items.len(),
            Self::Disk { len, .. } => *len,
        }
    }

    /// Bytes of memory in use.
    pub(crate) fn memory(&self) -> u64 {
        match self {
            Self::Memory(items) => (items.capacity() * size_of::<T>()) as u64,
            Self::Disk { .. } => 0,
        }
    }

    /// Moves the items to `spill_file` if they are in memory.
    pub(crate) fn spill(&mut self, spill_file: &Arc<SpillFile>) -> Result<(), Error> {
        let Self::Memory(items) = self else { return Ok(()) };
        let offset = spill_file.append(bytemuck::cast_slice(items))?;
        *self = Self::Disk { spill_file: Arc::clone(spill_file), offset, len: items.len() };
        Ok(())
    }

    /// The items of `range`, borrowed from memory or read into `window`.
    pub(crate) fn read<'a>(
        &'a self,
        range: Range<usize>,
        window: &'a mut Window<T>,
    ) -> Result<&'a [T], Error> {
        match self {
            Self::Memory(items) => Ok(&items[range]),
            Self::Disk { spill_file, offset, len } => {
                let is_cached = window.offset == Some(*offset)
                    && window.start <= range.start
                    && range.end <= window.start + window.items.len();
                if !is_cached {
                    let ahead = range.start + Window::<T>::AHEAD;
                    let end = range.end.max(ahead).min(*len);
                    window.offset = None;
                    window.items.resize(end - range.start, T::zeroed());
                    let start = offset + (range.start * size_of::<T>()) as u64;
                    spill_file.read_at(bytemuck::cast_slice_mut(&mut window.items), start)?;
                    window.offset = Some(*offset);
                    window.start = range.start;
                }
                Ok(&window.items[range.start - window.start..range.end - window.start])
            }
        }
    }

    /// All items, borrowed or read.
    pub(crate) fn read_all<'a>(&'a self, window: &'a mut Window<T>) -> Result<&'a [T], Error> {
        self.read(0..self.len(), window)
    }

    /// Reads the items of `range` into `items`, for arrays on disk.
    pub(crate) fn read_into(&self, range: Range<usize>, items: &mut Vec<T>) -> Result<(), Error> {
        match self {
            Self::Memory(all) => items.extend_from_slice(&all[range]),
            Self::Disk { spill_file, offset, .. } => {
                let start = offset + (range.start * size_of::<T>()) as u64;
                items.resize(range.len(), T::zeroed());
                spill_file.read_at(bytemuck::cast_slice_mut(items), start)?;
            }
        }
        Ok(())
    }

    /// Writes `items` back at `start`, for arrays on disk; arrays in memory are changed in place.
    pub(crate) fn write_back(&self, start: usize, items: &[T]) -> Result<(), Error> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::Disk { spill_file, offset, .. } => {
                let at = offset + (start * size_of::<T>()) as u64;
                spill_file.write_at(bytemuck::cast_slice(items), at)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_reads_the_same_from_memory_and_from_disk() {
        let spill_file = Arc::new(SpillFile::new(&std::env::temp_dir()).unwrap());
        let items: Vec<u32> = (0..1000).collect();
        let mut array = Array::Memory(items.clone());
        array.spill(&spill_file).unwrap();
        assert_eq!(array.memory(), 0);
        let mut window = Window::default();
        for range in [10..990, 20..30, 0..1, 999..1000, 5..5, 0..1000] {
            assert_eq!(array.read(range.clone(), &mut window).unwrap(), &items[range]);
        }
        array.write_back(3, &[7, 7]).unwrap();
        assert_eq!(array.read(2..6, &mut Window::default()).unwrap(), &[2, 7, 7, 5]);
    }
}
