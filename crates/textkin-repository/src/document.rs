//! Documents: what is put in, and what is stored of each.

use textkin_core::Length;

use crate::error::Error;

/// The longest id, time or metadata.
const MOST_STRING: usize = 64 << 20;
/// The most bytes of evidence of a document.
pub(crate) const MOST_EVIDENCE: usize = 1 << 30;
/// The most different words, and the most chunks, of a document.
pub(crate) const MOST_POSTINGS: usize = 1 << 26;

/// A document to be stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
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
    pub evidence: Vec<u8>,
}

impl Entry {
    /// Whether it keeps within the bounds of the format: every number of it that a segment stores in
    /// four bytes fits into them.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let is_long =
            |string: &Option<String>| string.as_ref().is_some_and(|s| s.len() > MOST_STRING);
        let reason = if self.id.len() > MOST_STRING {
            "its id is longer than 64 MiB"
        } else if is_long(&self.time) {
            "its time is longer than 64 MiB"
        } else if is_long(&self.metadata) {
            "its metadata are longer than 64 MiB"
        } else if self.evidence.len() > MOST_EVIDENCE {
            "its text is longer than 1 GiB"
        } else if self.terms.len() > MOST_POSTINGS {
            "it has more than 67 million different words"
        } else if self.chunks.len() > MOST_POSTINGS {
            "it has more than 67 million chunks"
        } else if self.terms.iter().any(|term| term.1 == 0) {
            "it has a word that does not occur in it"
        } else {
            return Ok(());
        };
        let id = self.id.chars().take(100).collect();
        Err(Error::Entry { id, reason: reason.to_owned() })
    }
}

/// What is stored of a document, beside its evidence, words and chunks.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) added: u64,
    pub(crate) digest: [u8; 16],
    pub(crate) length: Length,
    /// Where id, time and metadata begin.
    pub(crate) strings: u64,
    pub(crate) id_len: u32,
    /// [`NONE`] without one.
    pub(crate) time_len: u32,
    /// [`NONE`] without one.
    pub(crate) metadata_len: u32,
    /// The block that holds its evidence, and where in it.
    pub(crate) block: u32,
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
}

/// A string that is not there.
pub(crate) const NONE: u32 = u32::MAX;

impl Record {
    /// Bytes of a record.
    pub(crate) const SIZE: usize = 80;

    pub(crate) fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        let mut at = 0;
        let mut put = |part: &[u8]| {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        };
        put(&self.added.to_le_bytes());
        put(&self.digest);
        put(&self.length.words.to_le_bytes());
        put(&self.length.terms.to_le_bytes());
        put(&self.length.cosine.to_le_bytes());
        put(&self.length.squares.to_le_bytes());
        put(&self.strings.to_le_bytes());
        for number in
            [self.id_len, self.time_len, self.metadata_len, self.block, self.offset, self.bytes]
        {
            put(&number.to_le_bytes());
        }
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; Self::SIZE]) -> Self {
        let word = |at: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(number)
        };
        let half = |at: usize| {
            let mut number = [0; 4];
            number.copy_from_slice(&bytes[at..at + 4]);
            u32::from_le_bytes(number)
        };
        let mut digest = [0; 16];
        digest.copy_from_slice(&bytes[8..24]);
        Self {
            added: word(0),
            digest,
            length: Length {
                words: half(24),
                terms: half(28),
                cosine: f64::from_bits(word(32)),
                squares: f64::from_bits(word(40)),
            },
            strings: word(48),
            id_len: half(56),
            time_len: half(60),
            metadata_len: half(64),
            block: half(68),
            offset: half(72),
            bytes: half(76),
        }
    }
}
