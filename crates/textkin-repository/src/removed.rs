//! The removed documents of a segment, and the number of removed documents per word.

use std::io::{self, Write};

use textkin_core::CorruptionError;
use xxhash_rust::xxh3::xxh3_64;

use crate::io::OutFile;
use crate::pages::{WrittenFile, u32_at, u64_at};

const MAGIC: [u8; 8] = *b"tkremovd";
const VERSION: u32 = 1;

/// The removed documents of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Removed {
    /// A bit for each document of the segment; empty if none is removed.
    bits: Vec<u64>,
    n_documents: u32,
    len: u32,
    /// The hash of each word of removed documents, and how many of them contain it, sorted.
    terms: Vec<(u64, u32)>,
}

impl Removed {
    /// Returns the number of removed documents.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Returns whether this list can belong to a segment with `n_documents` documents.
    pub(crate) fn fits(&self, n_documents: u32) -> bool {
        self.bits.is_empty() || self.n_documents == n_documents
    }

    #[inline]
    pub(crate) fn contains(&self, document: u32) -> bool {
        let word = self.bits.get(document as usize / 64);
        word.is_some_and(|word| word >> (document % 64) & 1 == 1)
    }

    /// Returns how many removed documents contain a word.
    pub(crate) fn documents_with(&self, term: u64) -> u32 {
        let at = self.terms.binary_search_by_key(&term, |entry| entry.0);
        at.map_or(0, |at| self.terms[at].1)
    }

    /// Returns this list with further documents, given with their words; the segment has
    /// `n_documents`.
    pub(crate) fn with(&self, n_documents: u32, more: &[(u32, Vec<u64>)]) -> Self {
        let mut removed = self.clone();
        removed.n_documents = n_documents;
        removed.bits.resize(n_documents.div_ceil(64) as usize, 0);
        let mut terms: Vec<u64> = Vec::new();
        for (document, words) in more {
            if !removed.contains(*document) {
                removed.bits[*document as usize / 64] |= 1 << (document % 64);
                removed.len += 1;
                let mut words = words.clone();
                words.sort_unstable();
                words.dedup();
                terms.append(&mut words);
            }
        }
        terms.sort_unstable();
        for group in terms.chunk_by(|a, b| a == b) {
            let count = u32::try_from(group.len()).unwrap_or(u32::MAX);
            removed.terms.push((group[0], count));
        }
        removed.terms.sort_unstable();
        removed.terms.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                earlier.1 = earlier.1.saturating_add(later.1);
            }
            is_same
        });
        removed
    }

    /// Writes the list without syncing it.
    pub(crate) fn write(&self, mut out: Box<dyn OutFile>) -> io::Result<WrittenFile> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.n_documents.to_le_bytes());
        bytes.extend_from_slice(&(self.terms.len() as u64).to_le_bytes());
        self.bits.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        for (term, count) in &self.terms {
            bytes.extend_from_slice(&term.to_le_bytes());
            bytes.extend_from_slice(&count.to_le_bytes());
        }
        let sum = xxh3_64(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        out.write_all(&bytes)?;
        out.flush()?;
        Ok(WrittenFile { out, bytes: bytes.len() as u64, sum })
    }

    /// Reads a list, which must have the checksum `expected`.
    pub(crate) fn read(file: &str, bytes: &[u8], expected: u64) -> Result<Self, CorruptionError> {
        let corrupt =
            |reason: &str| CorruptionError { file: file.to_owned(), reason: reason.to_owned() };
        if bytes.len() < 32 || bytes[..8] != MAGIC {
            return Err(corrupt("the file does not start with the expected signature"));
        }
        let (contents, sum) = bytes.split_at(bytes.len() - 8);
        if sum != xxh3_64(contents).to_le_bytes() {
            return Err(corrupt("checksum mismatch"));
        }
        if sum != expected.to_le_bytes() {
            return Err(corrupt("this is not the file that was written under this name"));
        }
        if u32_at(contents, 8) != Some(VERSION) {
            return Err(corrupt("unknown format version"));
        }
        let truncated = || corrupt("the file is truncated");
        let n_documents = u32_at(contents, 12).ok_or_else(truncated)?;
        let n_terms = u64_at(contents, 16).and_then(|n| usize::try_from(n).ok());
        let n_terms = n_terms.ok_or_else(truncated)?;
        let n_words = n_documents.div_ceil(64) as usize;
        let size = n_terms.checked_mul(12).and_then(|size| size.checked_add(24 + 8 * n_words));
        if size != Some(contents.len()) {
            return Err(corrupt("the size of the file does not match its header"));
        }
        let (words, terms) = contents[24..].split_at(8 * n_words);
        let bits: Vec<u64> =
            words.chunks_exact(8).map(|word| u64_at(word, 0).unwrap_or(0)).collect();
        let term = |entry: &[u8]| (u64_at(entry, 0).unwrap_or(0), u32_at(entry, 8).unwrap_or(0));
        let terms = terms.chunks_exact(12).map(term).collect();
        let len = bits.iter().map(|word| word.count_ones()).sum();
        let beyond = 64 * n_words as u64 - u64::from(n_documents);
        if len > n_documents
            || bits.last().is_some_and(|word| u64::from(word.leading_zeros()) < beyond)
        {
            return Err(corrupt("the list removes documents that do not exist"));
        }
        Ok(Self { bits, n_documents, len, terms })
    }
}
