//! How the bytes of segments are spent.

use std::iter::Sum;

/// How the bytes of some segments are spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The whole files.
    pub file: u64,
    /// Ids, lengths and digests of documents.
    pub documents: u64,
    /// Times and metadata, compressed.
    pub metadata: u64,
    /// The same before compression.
    pub metadata_uncompressed: u64,
    /// Texts or what stands for them, compressed.
    pub content: u64,
    /// The same before compression.
    pub content_uncompressed: u64,
    /// Where words stand.
    pub terms: u64,
    /// Where chunks stand.
    pub chunks: u64,
    /// Checksums, and what files say of themselves.
    pub rest: u64,
    /// Words of all documents.
    pub words: u64,
    /// Different words of each document.
    pub term_postings: u64,
    /// Chunks of all documents, each counted once a document.
    pub chunk_postings: u64,
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
            rest: a.rest + b.rest,
            words: a.words + b.words,
            term_postings: a.term_postings + b.term_postings,
            chunk_postings: a.chunk_postings + b.chunk_postings,
        })
    }
}
