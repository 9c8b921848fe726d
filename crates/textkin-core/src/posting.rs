//! Postings: in which documents of a repository a word or a chunk stands.
//!
//! A repository is made of [`IndexSegment`]s, each with documents numbered from 0. A search looks words and
//! chunks up in every part and never reads the documents that hold none of them.

use std::fmt;
use std::sync::Arc;

/// What is stored about the length of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Length {
    /// Its words: f_d.
    pub words: u32,
    /// Its different words.
    pub terms: u32,
    /// The cosine length: W_d = √Σ (1 + ln f_dt)².
    pub cosine: f64,
    /// Σ f_dt².
    pub squares: f64,
}

impl Length {
    /// The length of a document whose words occur so often.
    ///
    /// Sums of fractions depend on their order: give the counts in order of the hashes of their
    /// words, so that the same document has the same length wherever it is stored.
    #[must_use]
    pub fn of(counts: impl IntoIterator<Item = u32>) -> Self {
        let mut length = Self::default();
        let mut weights = 0.0;
        for count in counts {
            let weight = 1.0 + f64::from(count).ln();
            weights += weight * weight;
            length.words = length.words.saturating_add(count);
            length.terms += 1;
            length.squares += f64::from(count) * f64::from(count);
        }
        length.cosine = weights.sqrt();
        length
    }
}

/// A stored part that does not hold what it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorruptionError {
    /// The file.
    pub file: String,
    /// What is wrong: lower case, no full stop.
    pub reason: String,
}

impl fmt::Display for CorruptionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} is damaged: {}", self.file, self.reason)
    }
}

impl std::error::Error for CorruptionError {}

/// The address of a document in a repository: its segment and its number there.
///
/// Addresses are ordered as the documents of the repository are. An address is valid for one opened
/// repository only: compaction moves documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentAddress {
    /// Number of the segment, from 0.
    pub segment: u32,
    /// Number of the document in the segment.
    pub document: u32,
}

/// Some documents with a word, ascending, and how often each has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostingBlock {
    /// The documents.
    pub documents: Vec<u32>,
    /// How often each has the word, as many as documents.
    pub counts: Vec<u32>,
}

/// The documents of one part that have one word, read from the lowest to the highest.
///
/// Removed documents may be among them: ask [`IndexSegment::is_live`].
pub trait PostingList {
    /// Documents in the list, removed ones counted.
    fn len(&self) -> u32;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `block` with the next documents, at most some hundred; false at the end.
    ///
    /// # Errors
    /// If what is stored is damaged.
    fn next_block(&mut self, block: &mut PostingBlock) -> Result<bool, CorruptionError>;

    /// Passes over whole blocks that hold no document from `document` on, without reading them.
    /// The next block may still begin with lower ones. Never goes back.
    fn skip_to(&mut self, document: u32);
}

/// A part of a repository: some documents, and where words and chunks stand in them.
pub trait IndexSegment: Sync {
    /// Number of documents, removed ones counted; they are numbered from 0.
    fn n_documents(&self) -> u32;

    /// Number of documents that are not removed. Cheap: every search asks for it.
    fn n_live(&self) -> u32;

    /// Whether a document is there and not removed.
    fn is_live(&self, document: u32) -> bool;

    /// The length of a document.
    ///
    /// # Errors
    /// If what is stored is damaged.
    fn length(&self, document: u32) -> Result<Length, CorruptionError>;

    /// How many documents that are not removed have the word with this hash. Cheap.
    ///
    /// # Errors
    /// If what is stored is damaged.
    fn live_documents(&self, term: u64) -> Result<u32, CorruptionError>;

    /// The documents that have the word with this hash, if any has.
    ///
    /// # Errors
    /// If what is stored is damaged.
    fn postings(&self, term: u64) -> Result<Option<Box<dyn PostingList + '_>>, CorruptionError>;

    /// Appends the documents that hold the chunk with this hash, ascending, none that is removed.
    /// There may be a few among them that do not: only some bits of the hash are stored.
    ///
    /// # Errors
    /// If what is stored is damaged.
    fn documents_with_chunk(
        &self,
        chunk: u64,
        documents: &mut Vec<u32>,
    ) -> Result<(), CorruptionError>;
}

/// A part may be borrowed or shared.
macro_rules! part_behind {
    ($pointer:ty, $($bound:tt)+) => {
        impl<P: $($bound)+> IndexSegment for $pointer {
            fn n_documents(&self) -> u32 {
                (**self).n_documents()
            }

            fn n_live(&self) -> u32 {
                (**self).n_live()
            }

            fn is_live(&self, document: u32) -> bool {
                (**self).is_live(document)
            }

            fn length(&self, document: u32) -> Result<Length, CorruptionError> {
                (**self).length(document)
            }

            fn live_documents(&self, term: u64) -> Result<u32, CorruptionError> {
                (**self).live_documents(term)
            }

            fn postings(&self, term: u64) -> Result<Option<Box<dyn PostingList + '_>>, CorruptionError> {
                (**self).postings(term)
            }

            fn documents_with_chunk(&self, chunk: u64, documents: &mut Vec<u32>) -> Result<(), CorruptionError> {
                (**self).documents_with_chunk(chunk, documents)
            }
        }
    };
}

part_behind!(&P, IndexSegment + ?Sized);
part_behind!(Arc<P>, IndexSegment + Send + ?Sized);
