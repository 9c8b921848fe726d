//! The layout of an index file.
//!
//! ```text
//! magic (8 bytes)  version (4)  zero (4)
//! section …                              one after the other, in order of their numbers
//! number (4) zero (4) start (8) length (8) checksum (8)     for each section
//! number of sections (8)  checksum of the table (8)  magic (8)
//! ```
//!
//! All numbers are little-endian. Checksums are XXH3 of 64 bits. A list of lists is a section of
//! `n + 1` offsets of 8 bytes into the section that follows it.

use super::error::{StoreError, corrupt};

pub(super) const MAGIC: [u8; 8] = *b"tkshared";
pub(super) const VERSION: u32 = 1;
/// Bytes before the first section.
pub(super) const HEAD: usize = 16;
/// Bytes of one entry of the table.
pub(super) const ENTRY: usize = 32;
/// Bytes after the table.
pub(super) const TAIL: usize = 24;

/// The content of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Section {
    /// The settings of the chunks, as JSON.
    About = 0,
    /// Where the id of each document begins.
    IdStarts = 1,
    Ids = 2,
    /// The text of each document, 4 bytes; `u32::MAX` for a document without words.
    TextOfDocument = 3,
    /// The words of each text, 4 bytes.
    Words = 4,
    /// The chunks and the documents of each group, 4 bytes each.
    Groups = 5,
    /// Where the postings of each group begin.
    PostingStarts = 6,
    /// The texts of each group: the first, then the distance to each next one, minus one.
    Postings = 7,
    /// The fingerprints of all chunks, ascending, 8 bytes.
    Fingerprints = 8,
    /// The group of each chunk, 4 bytes.
    GroupOfChunk = 9,
    /// Where the text of each chunk begins; empty if texts are not stored.
    ChunkTextStarts = 10,
    ChunkTexts = 11,
}

/// Number of sections.
pub(super) const SECTIONS: usize = 12;

/// Appends `number` in seven-bit groups, the lowest first.
pub(super) fn put_varint(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number from the front of `bytes`.
pub(super) fn take_varint(bytes: &mut &[u8]) -> Result<u32, StoreError> {
    let mut number = 0u32;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) =
            bytes.split_first().ok_or(corrupt("a list of postings is truncated"))?;
        *bytes = rest;
        let part = u32::from(byte & 0x7f);
        if shift == 28 && part > 0xf {
            break;
        }
        number |= part << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(corrupt("a posting has too many bits"))
}
