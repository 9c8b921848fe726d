//! Documents: what is put in, and what is stored of each.

use std::io;

use textkin_core::Length;

use crate::error::Error;
use crate::list::{put_varint, take_varint};
use crate::table::{self, Columns, Row, short};

/// The longest id, time or metadata.
const MAX_STRING: usize = 64 << 20;
/// The most bytes of evidence of a document.
pub(crate) const MAX_CONTENT: usize = 1 << 30;
/// The most different words, and the most chunks, of a document.
pub(crate) const MAX_POSTINGS: usize = 1 << 26;

/// A document to be stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewDocument {
    /// Its id, unlike that of any other document in the repository.
    pub id: String,
    /// When it was written, as its source says.
    pub time: Option<String>,
    /// Whatever else is known of it: a JSON object.
    pub metadata: Option<String>,
    /// When it was added, in seconds since 1970.
    pub added: u64,
    /// 128 bits that stand for its text.
    pub digest: [u8; 16],
    /// The hash of each different word, and how often it occurs.
    pub terms: Vec<(u64, u32)>,
    /// The hashes of the chunks that are indexed, in any order.
    pub chunks: Vec<u64>,
    /// Bytes from which all of this can be made again: the text, or what stands for it.
    pub content: Vec<u8>,
}

impl NewDocument {
    /// Whether it keeps within the bounds of the format: every number of it that a segment stores in
    /// four bytes fits into them.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let is_long =
            |string: &Option<String>| string.as_ref().is_some_and(|s| s.len() > MAX_STRING);
        let reason = if self.id.len() > MAX_STRING {
            "its id is longer than 64 MiB"
        } else if is_long(&self.time) {
            "its time is longer than 64 MiB"
        } else if is_long(&self.metadata) {
            "its metadata are longer than 64 MiB"
        } else if self.content.len() > MAX_CONTENT {
            "its text is longer than 1 GiB"
        } else if self.terms.len() > MAX_POSTINGS {
            "it has more than 67 million different words"
        } else if self.chunks.len() > MAX_POSTINGS {
            "it has more than 67 million chunks"
        } else if self.terms.iter().any(|term| term.1 == 0) {
            "it has a word that does not occur in it"
        } else {
            return Ok(());
        };
        let id = self.id.chars().take(100).collect();
        Err(Error::InvalidDocument { id, reason: reason.to_owned() })
    }
}

/// What is stored of a document, beside its evidence, words and chunks.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredDocument {
    /// Its id.
    pub id: String,
    /// When it was written, as its source says.
    pub time: Option<String>,
    /// Whatever else is known of it: a JSON object.
    pub metadata: Option<String>,
    /// When it was added, in seconds since 1970.
    pub added: u64,
    /// 128 bits that stand for its text.
    pub digest: [u8; 16],
    /// Its length.
    pub length: Length,
    /// Bytes of its evidence.
    pub bytes: u32,
}

/// One line of the table of documents.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) length: Length,
    pub(crate) added: u64,
    pub(crate) digest: [u8; 16],
    /// Where its id, what else is known of it, and its evidence end.
    pub(crate) id_end: u64,
    pub(crate) metadata_end: u64,
    pub(crate) content_end: u64,
}

/// The columns of the table of documents.
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
    /// Writes the table of documents.
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

    /// Reads a line of it.
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

/// The lower and the higher half of a digest.
fn halves(digest: [u8; 16]) -> (u64, u64) {
    let number = u128::from_le_bytes(digest);
    let half = |number: u128| u64::try_from(number & u128::from(u64::MAX)).unwrap_or(0);
    (half(number), half(number >> 64))
}

/// Up to here every whole number is a float. The bits of larger floats are larger than it.
const WHOLE: u64 = 1 << 53;

/// A sum of squares of whole numbers, as a number that is small if the sum is.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole")]
fn number_of(squares: f64) -> u64 {
    if squares <= WHOLE as f64 { squares as u64 } else { squares.to_bits() }
}

fn sum_of(number: u64) -> f64 {
    if number <= WHOLE { number as f64 } else { f64::from_bits(number) }
}

/// What is known of a document, as it is compressed: which of time and metadata there are, the
/// length of the time, both.
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

/// Time and metadata, each if there is one.
pub(crate) type TimeAndMetadata<'a> = (Option<&'a str>, Option<&'a str>);

/// Reads what [`encode_metadata`] wrote; `None` if it did not.
pub(crate) fn read_metadata(bytes: &[u8]) -> Option<TimeAndMetadata<'_>> {
    let Some((has, mut rest)) = bytes.split_first() else { return Some((None, None)) };
    let time = match has & 1 {
        0 => None,
        _ => {
            let len = take_varint(&mut rest)?;
            let (time, behind) = rest.split_at_checked(len as usize)?;
            rest = behind;
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
        fn what_is_known_is_read_back(time: Option<String>, metadata: Option<String>) {
            let mut bytes = Vec::new();
            encode_metadata(time.as_deref(), metadata.as_deref(), &mut bytes).expect("it is short");
            prop_assert_eq!(read_metadata(&bytes), Some((time.as_deref(), metadata.as_deref())));
        }

        #[test]
        fn any_bytes_can_be_read(bytes: Vec<u8>) {
            read_metadata(&bytes);
        }

        #[test]
        fn sums_of_squares_come_back(counts in prop::collection::vec(1u32.., 0..9)) {
            let squares = counts.iter().fold(0.0, |sum, &count| sum + f64::from(count) * f64::from(count));
            prop_assert_eq!(sum_of(number_of(squares)).to_bits(), squares.to_bits());
        }
    }
}
