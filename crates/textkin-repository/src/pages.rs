//! A file in sections, with a checksum for every page of it.
//!
//! ```text
//! magic (8)  version (4)  zero (4)
//! section …                                one after the other
//! checksum of each page (4)                pages of 4 KiB of everything above
//! start (8)  length (8)                    of each section
//! start of the checksums (8)  number of sections (8)
//! checksum of checksums, table and the two numbers (8)  magic (8)
//! ```
//!
//! All numbers are little-endian, checksums are XXH3. A page is checked when it is first looked at,
//! so that opening is cheap, and no answer is ever made of bytes that changed.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use textkin_core::Damage;
use xxhash_rust::xxh3::xxh3_64;

use crate::io::{Bytes, OutFile};

/// Bytes of a page.
const PAGE: usize = 4096;
const HEAD: usize = 16;
const TAIL: usize = 32;

/// What kind of file it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(crate) magic: [u8; 8],
    pub(crate) version: u32,
    pub(crate) sections: usize,
}

/// A file that is written, but not yet synced.
pub(crate) struct WrittenFile {
    pub(crate) out: Box<dyn OutFile>,
    /// Its size.
    pub(crate) bytes: u64,
    /// A checksum that tells it from every other file.
    pub(crate) sum: u64,
}

/// Writes a file, section after section.
pub(crate) struct PageWriter {
    out: Box<dyn OutFile>,
    kind: Kind,
    page: Vec<u8>,
    sums: Vec<u8>,
    position: u64,
    sections: Vec<(u64, u64)>,
}

impl PageWriter {
    pub(crate) fn begin(out: Box<dyn OutFile>, kind: Kind) -> io::Result<Self> {
        let page = Vec::with_capacity(PAGE);
        let mut writer =
            Self { out, kind, page, sums: Vec::new(), position: 0, sections: Vec::new() };
        writer.put(&kind.magic)?;
        writer.put(&kind.version.to_le_bytes())?;
        writer.put(&[0; 4])?;
        Ok(writer)
    }

    /// Writes the next section, given in parts.
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

    /// Writes the rest; the file is not yet synced.
    pub(crate) fn finish(mut self) -> io::Result<WrittenFile> {
        debug_assert_eq!(self.sections.len(), self.kind.sections, "every section is written");
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
        tail.extend_from_slice(&self.kind.magic);
        self.out.write_all(&tail)?;
        self.out.flush()?;
        Ok(WrittenFile { out: self.out, bytes: sums_start + tail.len() as u64, sum })
    }
}

#[expect(clippy::cast_possible_truncation, reason = "half of the checksum is stored")]
fn page_sum(page: &[u8]) -> u32 {
    xxh3_64(page) as u32
}

/// A file in sections, checked as it is read.
#[derive(Debug)]
pub(crate) struct Pages {
    name: String,
    bytes: Bytes,
    sections: Vec<Range<usize>>,
    sums_start: usize,
    /// The checksum of all checksums.
    sum: u64,
    /// A bit for every page that was found whole.
    checked: Box<[AtomicU64]>,
}

impl Pages {
    /// Takes `bytes` as a file of this kind.
    pub(crate) fn open(name: &str, bytes: Bytes, kind: Kind) -> Result<Self, Damage> {
        let damaged = |reason: &str| Damage { file: name.to_owned(), reason: reason.to_owned() };
        let all = bytes.as_ref();
        if all.len() < HEAD + TAIL {
            return Err(damaged("it is cut off"));
        }
        if all[..8] != kind.magic || all[all.len() - 8..] != kind.magic {
            return Err(damaged("it does not begin and end as it should"));
        }
        let number = |at: usize| u64_at(all, at).and_then(|number| usize::try_from(number).ok());
        let tail = all.len() - TAIL;
        let sums_start = number(tail).filter(|start| (HEAD..=tail).contains(start));
        let sums_start = sums_start.ok_or_else(|| damaged("its end makes no sense"))?;
        let sum = xxh3_64(&all[sums_start..tail + 16]);
        if u64_at(all, tail + 16) != Some(sum) {
            return Err(damaged("the checksum of its end does not fit"));
        }
        let version = all[8..12].iter().rev().fold(0u32, |n, byte| n << 8 | u32::from(*byte));
        if version != kind.version {
            return Err(damaged(&format!("format {version} is not known")));
        }
        let n_pages = sums_start.div_ceil(PAGE);
        let table = sums_start + 4 * n_pages;
        if number(tail + 8) != Some(kind.sections) || table + 16 * kind.sections != tail {
            return Err(damaged("it has other parts than it should"));
        }
        let section = |index: usize| {
            let (start, length) = (number(table + 16 * index)?, number(table + 16 * index + 8)?);
            let end = start.checked_add(length)?;
            (end <= sums_start).then_some(start..end)
        };
        let sections: Option<Vec<_>> = (0..kind.sections).map(section).collect();
        let sections = sections.ok_or_else(|| damaged("a part of it lies outside"))?;
        let checked = (0..n_pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self { name: name.to_owned(), bytes, sections, sums_start, sum, checked })
    }

    /// The file, as it is named in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The checksum that tells this file from every other: [`WrittenFile::sum`].
    pub(crate) fn sum(&self) -> u64 {
        self.sum
    }

    pub(crate) fn damaged(&self, reason: impl Into<String>) -> Damage {
        Damage { file: self.name.clone(), reason: reason.into() }
    }

    /// Bytes of the whole file.
    pub(crate) fn size(&self) -> u64 {
        self.bytes.as_ref().len() as u64
    }

    /// Bytes of a section.
    pub(crate) fn len(&self, section: usize) -> usize {
        self.sections[section].len()
    }

    /// Some bytes of a section.
    #[inline]
    pub(crate) fn get(&self, section: usize, range: Range<usize>) -> Result<&[u8], Damage> {
        let Range { start, end } = self.sections[section];
        let (from, to) = (start.saturating_add(range.start), start.saturating_add(range.end));
        if from > to || to > end {
            return Err(self.damaged("it speaks of bytes that it does not have"));
        }
        self.check(from..to)?;
        Ok(&self.bytes.as_ref()[from..to])
    }

    /// A whole section.
    pub(crate) fn section(&self, section: usize) -> Result<&[u8], Damage> {
        self.get(section, 0..self.len(section))
    }

    /// Checks all pages.
    pub(crate) fn check_all(&self) -> Result<(), Damage> {
        for word in &self.checked {
            word.store(0, Ordering::Relaxed);
        }
        self.check(0..self.sums_start)
    }

    #[inline]
    fn check(&self, range: Range<usize>) -> Result<(), Damage> {
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
    fn check_page(&self, page: usize) -> Result<(), Damage> {
        let all = self.bytes.as_ref();
        let bytes = &all[page * PAGE..((page + 1) * PAGE).min(self.sums_start)];
        let at = self.sums_start + 4 * page;
        if all[at..at + 4] == page_sum(bytes).to_le_bytes() {
            return Ok(());
        }
        let position = page * PAGE;
        Err(self.damaged(format!("the bytes from {position} on are not those that were written")))
    }
}

/// The number of eight bytes at `at`.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|number| u64::from_le_bytes(*number))
}

/// The number of four bytes at `at`.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|number| u32::from_le_bytes(*number))
}
