//! Documents: as they are added, and as they are stored.

use std::io;

use textkin_core::Length;

use crate::error::Error;
use crate::list::{put_varint, take_varint};
use crate::table::{self, Columns, Row, short};

/// Maximum bytes of an id, a time or metadata.
const MAX_STRING: usize = 64 << 20;
/// Maximum bytes of the content of a document.
pub(crate) const MAX_CONTENT: usize = 1 << 30;
/// Maximum number of distinct words, and of chunks, of a document.
pub(crate) const MAX_POSTINGS: usize = 1 << 26;

/// A document to add to a repository.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PreparedDocument {
    /// The id, unique in the repository.
    pub id: String,
    /// When the document was written, according to its source.
    pub time: Option<String>,
    /// Other fields of the document, as a JSON object.
    pub metadata: Option<String>,
    /// When the document was added, in seconds since 1970.
    pub added: u64,
    /// 128 bits of the digest of the text.
    pub digest: [u8; 16],
    /// The hash of each distinct word, and its number of occurrences.
    pub terms: Vec<(u64, u32)>,
    /// The hashes of the indexed chunks, in any order.
    pub chunks: Vec<u64>,
    /// The hashes of the indexed pairs of words, in any order, if they are indexed. Either all documents of a
    /// repository have them or none.
    pub word_pairs: Option<Vec<u64>>,
    /// Bytes from which words and chunks can be computed again: the text, or its fingerprints.
    pub content: Vec<u8>,
}

impl PreparedDocument {
    /// Checks the limits of the format: every number that a segment stores in four bytes must fit.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let is_long =
            |string: &Option<String>| string.as_ref().is_some_and(|s| s.len() > MAX_STRING);
        let reason = if self.id.len() > MAX_STRING {
            "the id is longer than 64 MiB"
        } else if is_long(&self.time) {
            "the time is longer than 64 MiB"
        } else if is_long(&self.metadata) {
            "the metadata is longer than 64 MiB"
        } else if self.content.len() > MAX_CONTENT {
            "the text is longer than 1 GiB"
        } else if self.terms.len() > MAX_POSTINGS {
            "the document has more than 67 million distinct words"
        } else if self.chunks.len() > MAX_POSTINGS {
            "the document has more than 67 million chunks"
        } else if self.word_pairs.as_ref().is_some_and(|pairs| pairs.len() > MAX_POSTINGS) {
            "the document has more than 67 million pairs of words"
        } else if self.terms.iter().any(|term| term.1 == 0) {
            "the document lists a word with zero occurrences"
        } else {
            return Ok(());
        };
        let id = self.id.chars().take(100).collect();
        Err(Error::InvalidDocument { id, reason: reason.to_owned() })
    }
}

/// A stored document, without its content, words and chunks.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredDocument {
    /// The id.
    pub id: String,
    /// When the document was written, according to its source.
    pub time: Option<String>,
    /// Other fields of the document, as a JSON object.
    pub metadata: Option<String>,
    /// When the document was added, in seconds since 1970.
    pub added: u64,
    /// 128 bits of the digest of the text.
    pub digest: [u8; 16],
    /// The length in words.
    pub length: Length,
    /// Bytes of the content.
    pub bytes: u32,
}

/// A row of the document table.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) length: Length,
    pub(crate) added: u64,
    pub(crate) digest: [u8; 16],
    /// The ends of the id, of time and metadata, and of the content.
    pub(crate) id_end: u64,
    pub(crate) metadata_end: u64,
    pub(crate) content_end: u64,
}

/// The columns of the document table.
pub(crate) mod column {
    pub(crate) const WORDS: usize = 0;
    pub(crate) const TERMS: usize = 1;
    pub(crate) const SQUARES: usize = 2;
    pub(crate) const COSINE: usize = 3;
    pub(crate) const ID_END: usize = 4;
    pub(crate) const METADATA_END: usize = 5;
    pub(crate) const CONTENT_END: usize = 6;
    pub(crate) const ADDED: usize = 7;
    pub(crate) const DIGEST: [usize; 2] = [8, 9];
    pub(crate) const ALL: usize = 10;
}

impl Record {
    /// Writes the document table.
    pub(crate) fn table(records: &[Self]) -> (Columns, Vec<u8>) {
        let mut columns: [Vec<u64>; column::ALL] = Default::default();
        for record in records {
            let (low, high) = halves(record.digest);
            for (column, number) in [
                (column::WORDS, u64::from(record.length.words)),
                (column::TERMS, u64::from(record.length.terms)),
                (column::SQUARES, number_of(record.length.squares)),
                (column::COSINE, record.length.cosine.to_bits()),
                (column::ID_END, record.id_end),
                (column::METADATA_END, record.metadata_end),
                (column::CONTENT_END, record.content_end),
                (column::ADDED, record.added),
                (column::DIGEST[0], low),
                (column::DIGEST[1], high),
            ] {
                columns[column].push(number);
            }
        }
        let climbs = [column::ID_END, column::METADATA_END, column::CONTENT_END];
        let numbers = columns.iter().enumerate();
        let columns: Vec<(&[u64], bool)> =
            numbers.map(|(column, numbers)| (&numbers[..], climbs.contains(&column))).collect();
        table::write(&columns)
    }

    /// Reads a row.
    pub(crate) fn read(row: Row<'_>) -> Self {
        let mut digest = [0; 16];
        digest[..8].copy_from_slice(&row.get(column::DIGEST[0]).to_le_bytes());
        digest[8..].copy_from_slice(&row.get(column::DIGEST[1]).to_le_bytes());
        Self {
            length: Self::length(row),
            added: row.get(column::ADDED),
            digest,
            id_end: row.get(column::ID_END),
            metadata_end: row.get(column::METADATA_END),
            content_end: row.get(column::CONTENT_END),
        }
    }

    /// Reads only the length of a document.
    pub(crate) fn length(row: Row<'_>) -> Length {
        let short = |column: usize| u32::try_from(row.get(column)).unwrap_or(u32::MAX);
        Length {
            words: short(column::WORDS),
            terms: short(column::TERMS),
            cosine: f64::from_bits(row.get(column::COSINE)),
            squares: sum_of(row.get(column::SQUARES)),
        }
    }
}

/// Returns the lower and the higher half of a digest.
fn halves(digest: [u8; 16]) -> (u64, u64) {
    let number = u128::from_le_bytes(digest);
    let half = |number: u128| u64::try_from(number & u128::from(u64::MAX)).unwrap_or(0);
    (half(number), half(number >> 64))
}

/// Every integer up to this one is exact as a float; the bits of larger floats exceed it.
const WHOLE: u64 = 1 << 53;

/// Encodes a sum of squares of integers as an integer that is small if the sum is small.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an integer up to 2^53"
)]
fn number_of(squares: f64) -> u64 {
    if squares <= WHOLE as f64 { squares as u64 } else { squares.to_bits() }
}

fn sum_of(number: u64) -> f64 {
    if number <= WHOLE { number as f64 } else { f64::from_bits(number) }
}

/// Encodes time and metadata: a byte of flags for which are present, the length of the time, and
/// both.
pub(crate) fn encode_metadata(
    time: Option<&str>,
    metadata: Option<&str>,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    out.clear();
    let has = u8::from(time.is_some()) | u8::from(metadata.is_some()) << 1;
    if has == 0 {
        return Ok(());
    }
    out.push(has);
    if let Some(time) = time {
        put_varint(short(time.len())?, out);
        out.extend_from_slice(time.as_bytes());
    }
    out.extend_from_slice(metadata.unwrap_or_default().as_bytes());
    Ok(())
}

/// Time and metadata, if present.
pub(crate) type TimeAndMetadata<'a> = (Option<&'a str>, Option<&'a str>);

/// Decodes the output of [`encode_metadata`]; `None` for anything else.
pub(crate) fn read_metadata(bytes: &[u8]) -> Option<TimeAndMetadata<'_>> {
    let Some((has, mut rest)) = bytes.split_first() else { return Some((None, None)) };
    let time = match has & 1 {
        0 => None,
        _ => {
            let len = take_varint(&mut rest)?;
            let (time, tail) = rest.split_at_checked(len as usize)?;
            rest = tail;
            Some(std::str::from_utf8(time).ok()?)
        }
    };
    let metadata = match has & 2 {
        0 => None,
        _ => Some(std::str::from_utf8(rest).ok()?),
    };
    Some((time, metadata))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn time_and_metadata_round_trip(time: Option<String>, metadata: Option<String>) {
            let mut bytes = Vec::new();
            encode_metadata(time.as_deref(), metadata.as_deref(), &mut bytes).expect("the strings are short");
            prop_assert_eq!(read_metadata(&bytes), Some((time.as_deref(), metadata.as_deref())));
        }

        #[test]
        fn any_bytes_can_be_decoded(bytes: Vec<u8>) {
            read_metadata(&bytes);
        }

        #[test]
        fn sums_of_squares_round_trip(counts in prop::collection::vec(1u32.., 0..9)) {
            let squares = counts.iter().fold(0.0, |sum, &count| sum + f64::from(count) * f64::from(count));
            prop_assert_eq!(sum_of(number_of(squares)).to_bits(), squares.to_bits());
        }
    }
}
