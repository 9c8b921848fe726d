//! Files of sections, with a checksum for every page.
//!
//! ```text
//! magic (8)  version (4)  zero (4)
//! section …                                consecutive
//! checksum of each page (4)                pages of 4 KiB of everything above
//! start (8)  length (8)                    of each section
//! start of the checksums (8)  number of sections (8)
//! checksum of the checksums, the table and the two numbers (8)  magic (8)
//! ```
//!
//! All numbers are little-endian, checksums are XXH3. A page is checked when it is first read, so
//! that opening is cheap and corrupt bytes are never used.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use textkin_core::CorruptionError;
use xxhash_rust::xxh3::xxh3_64;

use crate::io::{Bytes, OutFile};

/// Bytes of a page.
const PAGE: usize = 4096;
const HEAD: usize = 16;
const TAIL: usize = 32;

/// A file format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileFormat {
    pub(crate) magic: [u8; 8],
    pub(crate) version: u32,
    pub(crate) sections: usize,
}

/// A file that has been written but not yet synced.
pub(crate) struct WrittenFile {
    pub(crate) out: Box<dyn OutFile>,
    /// The size of the file.
    pub(crate) bytes: u64,
    /// The checksum that identifies the file.
    pub(crate) sum: u64,
}

/// Writes a file section by section.
pub(crate) struct PageWriter {
    out: Box<dyn OutFile>,
    format: FileFormat,
    page: Vec<u8>,
    sums: Vec<u8>,
    position: u64,
    sections: Vec<(u64, u64)>,
}

impl PageWriter {
    pub(crate) fn begin(out: Box<dyn OutFile>, format: FileFormat) -> io::Result<Self> {
        let page = Vec::with_capacity(PAGE);
        let mut writer =
            Self { out, format, page, sums: Vec::new(), position: 0, sections: Vec::new() };
        writer.put(&format.magic)?;
        writer.put(&format.version.to_le_bytes())?;
        writer.put(&[0; 4])?;
        Ok(writer)
    }

    /// Writes the next section from its parts.
    pub(crate) fn section<'a>(
        &mut self,
        parts: impl IntoIterator<Item = &'a [u8]>,
    ) -> io::Result<()> {
        let start = self.position;
        for part in parts {
            self.put(part)?;
        }
        self.sections.push((start, self.position - start));
        Ok(())
    }

    fn put(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.position += bytes.len() as u64;
        while !bytes.is_empty() {
            let room = (PAGE - self.page.len()).min(bytes.len());
            self.page.extend_from_slice(&bytes[..room]);
            bytes = &bytes[room..];
            if self.page.len() == PAGE {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.page.is_empty() {
            self.sums.extend_from_slice(&page_sum(&self.page).to_le_bytes());
            self.out.write_all(&self.page)?;
            self.page.clear();
        }
        Ok(())
    }

    /// Writes checksums and the section table, without syncing the file.
    pub(crate) fn finish(mut self) -> io::Result<WrittenFile> {
        debug_assert_eq!(
            self.sections.len(),
            self.format.sections,
            "every section has been written"
        );
        self.flush()?;
        let sums_start = self.position;
        let mut tail = std::mem::take(&mut self.sums);
        for (start, length) in &self.sections {
            tail.extend_from_slice(&start.to_le_bytes());
            tail.extend_from_slice(&length.to_le_bytes());
        }
        tail.extend_from_slice(&sums_start.to_le_bytes());
        tail.extend_from_slice(&(self.sections.len() as u64).to_le_bytes());
        let sum = xxh3_64(&tail);
        tail.extend_from_slice(&sum.to_le_bytes());
        tail.extend_from_slice(&self.format.magic);
        self.out.write_all(&tail)?;
        self.out.flush()?;
        Ok(WrittenFile { out: self.out, bytes: sums_start + tail.len() as u64, sum })
    }
}

#[expect(clippy::cast_possible_truncation, reason = "half of the checksum is stored")]
fn page_sum(page: &[u8]) -> u32 {
    xxh3_64(page) as u32
}

/// A file of sections that is checked as it is read.
#[derive(Debug)]
pub(crate) struct Pages {
    name: String,
    bytes: Bytes,
    sections: Vec<Range<usize>>,
    sums_start: usize,
    /// The checksum of the checksums.
    sum: u64,
    /// A bit for every page that has been checked.
    checked: Box<[AtomicU64]>,
}

impl Pages {
    /// Opens `bytes` as a file of one of several versions of a format.
    pub(crate) fn open(
        name: &str,
        bytes: Bytes,
        formats: &[FileFormat],
    ) -> Result<Self, CorruptionError> {
        let corrupt =
            |reason: &str| CorruptionError { file: name.to_owned(), reason: reason.to_owned() };
        let all = bytes.as_ref();
        if all.len() < HEAD + TAIL {
            return Err(corrupt("the file is truncated"));
        }
        let is_magic = |bytes: &[u8]| formats.iter().any(|format| bytes == format.magic);
        if !is_magic(&all[..8]) || !is_magic(&all[all.len() - 8..]) {
            return Err(corrupt("the file does not start and end with the expected signature"));
        }
        let number = |at: usize| u64_at(all, at).and_then(|number| usize::try_from(number).ok());
        let tail = all.len() - TAIL;
        let sums_start = number(tail).filter(|start| (HEAD..=tail).contains(start));
        let sums_start = sums_start.ok_or_else(|| corrupt("the end of the file is invalid"))?;
        let sum = xxh3_64(&all[sums_start..tail + 16]);
        if u64_at(all, tail + 16) != Some(sum) {
            return Err(corrupt("checksum mismatch at the end of the file"));
        }
        let version = all[8..12].iter().rev().fold(0u32, |n, byte| n << 8 | u32::from(*byte));
        let Some(format) = formats.iter().find(|format| format.version == version) else {
            return Err(corrupt(&format!("unknown format version {version}")));
        };
        let n_pages = sums_start.div_ceil(PAGE);
        let table = sums_start + 4 * n_pages;
        if number(tail + 8) != Some(format.sections) || table + 16 * format.sections != tail {
            return Err(corrupt("the number of sections is wrong"));
        }
        let section = |index: usize| {
            let (start, length) = (number(table + 16 * index)?, number(table + 16 * index + 8)?);
            let end = start.checked_add(length)?;
            (end <= sums_start).then_some(start..end)
        };
        let sections: Option<Vec<_>> = (0..format.sections).map(section).collect();
        let sections = sections.ok_or_else(|| corrupt("a section extends beyond the file"))?;
        let checked = (0..n_pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self { name: name.to_owned(), bytes, sections, sums_start, sum, checked })
    }

    /// Returns the name of the file for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the checksum that identifies the file: [`WrittenFile::sum`].
    pub(crate) fn sum(&self) -> u64 {
        self.sum
    }

    pub(crate) fn corrupt(&self, reason: impl Into<String>) -> CorruptionError {
        CorruptionError { file: self.name.clone(), reason: reason.into() }
    }

    /// Returns the size of the file in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.bytes.as_ref().len() as u64
    }

    /// Returns the number of sections.
    pub(crate) fn n_sections(&self) -> usize {
        self.sections.len()
    }

    /// Returns the size of a section in bytes.
    pub(crate) fn len(&self, section: usize) -> usize {
        self.sections[section].len()
    }

    /// Returns a range of bytes of a section.
    #[inline]
    pub(crate) fn get(
        &self,
        section: usize,
        range: Range<usize>,
    ) -> Result<&[u8], CorruptionError> {
        let Range { start, end } = self.sections[section];
        let (from, to) = (start.saturating_add(range.start), start.saturating_add(range.end));
        if from > to || to > end {
            return Err(self.corrupt("a byte range extends beyond its section"));
        }
        self.check(from..to)?;
        Ok(&self.bytes.as_ref()[from..to])
    }

    /// Returns a whole section.
    pub(crate) fn section(&self, section: usize) -> Result<&[u8], CorruptionError> {
        self.get(section, 0..self.len(section))
    }

    /// Checks all pages.
    pub(crate) fn check_all(&self) -> Result<(), CorruptionError> {
        for word in &self.checked {
            word.store(0, Ordering::Relaxed);
        }
        self.check(0..self.sums_start)
    }

    #[inline]
    fn check(&self, range: Range<usize>) -> Result<(), CorruptionError> {
        for page in range.start / PAGE..range.end.div_ceil(PAGE) {
            let bit = 1u64 << (page % 64);
            if self.checked[page / 64].load(Ordering::Relaxed) & bit == 0 {
                self.check_page(page)?;
                self.checked[page / 64].fetch_or(bit, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    #[cold]
    fn check_page(&self, page: usize) -> Result<(), CorruptionError> {
        let all = self.bytes.as_ref();
        let bytes = &all[page * PAGE..((page + 1) * PAGE).min(self.sums_start)];
        let at = self.sums_start + 4 * page;
        if all[at..at + 4] == page_sum(bytes).to_le_bytes() {
            return Ok(());
        }
        let position = page * PAGE;
        Err(self.corrupt(format!("checksum mismatch in the page at byte {position}")))
    }
}

/// Reads the eight-byte number at `at`.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|number| u64::from_le_bytes(*number))
}

/// Reads the four-byte number at `at`.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|number| u32::from_le_bytes(*number))
}
