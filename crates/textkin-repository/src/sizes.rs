//! The sizes of segments, by kind of data.

use std::iter::Sum;

/// The sizes of one or more segments, by kind of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of the files.
    pub file: u64,
    /// Bytes of the ids, lengths and digests of documents.
    pub documents: u64,
    /// Bytes of times and metadata, compressed.
    pub metadata: u64,
    /// Bytes of times and metadata before compression.
    pub metadata_uncompressed: u64,
    /// Bytes of the content (texts or fingerprints), compressed.
    pub content: u64,
    /// Bytes of the content before compression.
    pub content_uncompressed: u64,
    /// Bytes of the postings of words.
    pub terms: u64,
    /// Bytes of the postings of chunks.
    pub chunks: u64,
    /// Bytes of the postings of pairs of words.
    pub word_pairs: u64,
    /// Bytes of checksums and headers.
    pub rest: u64,
    /// Number of words of all documents.
    pub words: u64,
    /// Number of distinct words, summed over all documents.
    pub term_postings: u64,
    /// Number of distinct chunks, summed over all documents.
    pub chunk_postings: u64,
    /// Number of distinct indexed pairs of words, summed over all documents.
    pub word_pair_postings: u64,
}

impl Sum for Sizes {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), |a, b| Self {
            file: a.file + b.file,
            documents: a.documents + b.documents,
            metadata: a.metadata + b.metadata,
            metadata_uncompressed: a.metadata_uncompressed + b.metadata_uncompressed,
            content: a.content + b.content,
            content_uncompressed: a.content_uncompressed + b.content_uncompressed,
            terms: a.terms + b.terms,
            chunks: a.chunks + b.chunks,
            word_pairs: a.word_pairs + b.word_pairs,
            rest: a.rest + b.rest,
            words: a.words + b.words,
            term_postings: a.term_postings + b.term_postings,
            chunk_postings: a.chunk_postings + b.chunk_postings,
            word_pair_postings: a.word_pair_postings + b.word_pair_postings,
        })
    }
}
