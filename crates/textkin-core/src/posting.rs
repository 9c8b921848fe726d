//! Postings: the documents of a repository that contain a word or a chunk.
//!
//! A repository consists of [`IndexSegment`]s, each with documents numbered from 0. A search looks up words
//! and chunks in every segment and never reads the documents that contain none of them.

use std::fmt;
use std::sync::Arc;

/// Lengths of a document that rankings use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Length {
    /// Number of words: f_d.
    pub words: u32,
    /// Number of distinct words.
    pub terms: u32,
    /// The cosine length: W_d = √Σ (1 + ln f_dt)².
    pub cosine: f64,
    /// Σ f_dt².
    pub squares: f64,
}

impl Length {
    /// Computes the length of a document from the counts of its distinct words.
    ///
    /// Floating-point sums depend on the order of addition: pass the counts in order of the hashes of
    /// their words, so that a document has the same length wherever it is stored.
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

/// Error: a stored file is corrupt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorruptionError {
    /// The file.
    pub file: String,
    /// What is wrong: lower case, no full stop.
    pub reason: String,
}

impl fmt::Display for CorruptionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} is corrupt: {}", self.file, self.reason)
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

/// Some documents that contain a word, ascending, and how often each does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostingBlock {
    /// The documents.
    pub documents: Vec<u32>,
    /// How often each document contains the word.
    pub counts: Vec<u32>,
}

/// The documents of one segment that contain one word, in ascending order.
///
/// It may contain removed documents: check [`IndexSegment::is_live`].
pub trait PostingList {
    /// Number of documents in the list, including removed ones.
    fn len(&self) -> u32;

    /// Whether the list is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `block` with the next documents, at most a few hundred. Returns false at the end.
    ///
    /// # Errors
    /// If the stored data is corrupt.
    fn next_block(&mut self, block: &mut PostingBlock) -> Result<bool, CorruptionError>;

    /// Skips whole blocks that contain only documents below `document`, without reading them. The next
    /// block may still begin with lower documents. Never moves backwards.
    fn skip_to(&mut self, document: u32);
}

/// A segment of a repository: some documents, and an index of their words and chunks.
pub trait IndexSegment: Sync {
    /// Number of documents, including removed ones; they are numbered from 0.
    fn n_documents(&self) -> u32;

    /// Number of documents that are not removed. Cheap: every search calls it.
    fn n_live(&self) -> u32;

    /// Whether a document exists and is not removed.
    fn is_live(&self, document: u32) -> bool;

    /// The length of a document.
    ///
    /// # Errors
    /// If the stored data is corrupt.
    fn length(&self, document: u32) -> Result<Length, CorruptionError>;

    /// Number of documents that are not removed and contain the word with this hash. Cheap.
    ///
    /// # Errors
    /// If the stored data is corrupt.
    fn live_documents(&self, term: u64) -> Result<u32, CorruptionError>;

    /// The documents that contain the word with this hash, if any.
    ///
    /// # Errors
    /// If the stored data is corrupt.
    fn postings(&self, term: u64) -> Result<Option<Box<dyn PostingList + '_>>, CorruptionError>;

    /// Appends the documents that contain the chunk with this hash, ascending, without removed ones. A
    /// few of them may not contain it, because only some bits of the hash are stored.
    ///
    /// # Errors
    /// If the stored data is corrupt.
    fn documents_with_chunk(
        &self,
        chunk: u64,
        documents: &mut Vec<u32>,
    ) -> Result<(), CorruptionError>;

    /// Looks up many chunks: calls `take` with the index in `chunks` of each chunk that the segment
    /// contains and with its documents, as [`documents_with_chunk`](Self::documents_with_chunk) finds
    /// them, in the order of `chunks`.
    ///
    /// # Errors
    /// If the stored data is corrupt.
    fn for_each_chunk(
        &self,
        chunks: &[u64],
        take: &mut dyn FnMut(usize, &[u32]),
    ) -> Result<(), CorruptionError> {
        let mut documents = Vec::new();
        for (index, &chunk) in chunks.iter().enumerate() {
            documents.clear();
            self.documents_with_chunk(chunk, &mut documents)?;
            if !documents.is_empty() {
                take(index, &documents);
            }
        }
        Ok(())
    }
}

/// Implements [`IndexSegment`] for borrowed and shared segments.
macro_rules! segment_behind {
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

            fn for_each_chunk(&self, chunks: &[u64], take: &mut dyn FnMut(usize, &[u32])) -> Result<(), CorruptionError> {
                (**self).for_each_chunk(chunks, take)
            }
        }
    };
}

segment_behind!(&P, IndexSegment + ?Sized);
segment_behind!(Arc<P>, IndexSegment + Send + ?Sized);
