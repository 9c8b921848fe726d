//! In-memory segment: for tests, and for collections that are not stored.

use hashbrown::HashMap;
use textkin_core::{CorruptionError, IndexSegment, Length, PostingBlock, PostingList};

use crate::cursor::first_from;

/// Number of postings in one block.
const BLOCK: usize = 128;

/// An index segment in memory.
#[derive(Clone, Debug)]
pub struct MemorySegment {
    terms: HashMap<u64, Postings>,
    chunks: HashMap<u64, Vec<u32>>,
    lengths: Vec<Length>,
    live: Vec<bool>,
    n_live: u32,
    mask: u64,
}

#[derive(Clone, Debug, Default)]
struct Postings {
    block: PostingBlock,
    live: u32,
}

impl Default for MemorySegment {
    fn default() -> Self {
        Self::with_chunk_bits(64)
    }
}

impl MemorySegment {
    /// Creates a segment that stores only `bits` bits of the hash of a chunk, as files do.
    #[must_use]
    pub fn with_chunk_bits(bits: u32) -> Self {
        let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        Self {
            terms: HashMap::new(),
            chunks: HashMap::new(),
            lengths: Vec::new(),
            live: Vec::new(),
            n_live: 0,
            mask,
        }
    }

    /// Adds a document with these words and chunks, given by their hashes. Returns its number.
    pub fn add(&mut self, words: &[u64], chunks: &[u64]) -> u32 {
        let document = self.n_documents();
        let mut words = words.to_vec();
        words.sort_unstable();
        let mut counts = Vec::new();
        for same in words.chunk_by(|a, b| a == b) {
            let count = u32::try_from(same.len()).unwrap_or(u32::MAX);
            let postings = self.terms.entry(same[0]).or_default();
            postings.block.documents.push(document);
            postings.block.counts.push(count);
            postings.live += 1;
            counts.push(count);
        }
        for chunk in chunks {
            let documents = self.chunks.entry(chunk & self.mask).or_default();
            if documents.last() != Some(&document) {
                documents.push(document);
            }
        }
        self.lengths.push(Length::of(counts));
        self.live.push(true);
        self.n_live += 1;
        document
    }

    /// Removes a document. Visits all terms.
    pub fn remove(&mut self, document: u32) {
        if !self.is_live(document) {
            return;
        }
        self.live[document as usize] = false;
        self.n_live -= 1;
        for postings in self.terms.values_mut() {
            if postings.block.documents.binary_search(&document).is_ok() {
                postings.live -= 1;
            }
        }
    }
}

impl IndexSegment for MemorySegment {
    fn n_documents(&self) -> u32 {
        u32::try_from(self.live.len()).unwrap_or(u32::MAX)
    }

    fn n_live(&self) -> u32 {
        self.n_live
    }

    fn is_live(&self, document: u32) -> bool {
        self.live.get(document as usize).copied().unwrap_or(false)
    }

    fn length(&self, document: u32) -> Result<Length, CorruptionError> {
        let length = self.lengths.get(document as usize).copied();
        length.ok_or_else(|| CorruptionError {
            file: "memory".to_owned(),
            reason: format!("document {document} does not exist"),
        })
    }

    fn live_documents(&self, term: u64) -> Result<u32, CorruptionError> {
        Ok(self.terms.get(&term).map_or(0, |postings| postings.live))
    }

    fn postings(&self, term: u64) -> Result<Option<Box<dyn PostingList + '_>>, CorruptionError> {
        let Some(postings) = self.terms.get(&term) else { return Ok(None) };
        Ok(Some(Box::new(MemoryList { block: &postings.block, at: 0 })))
    }

    fn documents_with_chunk(
        &self,
        chunk: u64,
        documents: &mut Vec<u32>,
    ) -> Result<(), CorruptionError> {
        let all = self.chunks.get(&(chunk & self.mask)).map_or(&[][..], Vec::as_slice);
        documents.extend(all.iter().filter(|document| self.is_live(**document)));
        Ok(())
    }
}

struct MemoryList<'a> {
    block: &'a PostingBlock,
    at: usize,
}

impl PostingList for MemoryList<'_> {
    fn len(&self) -> u32 {
        u32::try_from(self.block.documents.len()).unwrap_or(u32::MAX)
    }

    fn next_block(&mut self, block: &mut PostingBlock) -> Result<bool, CorruptionError> {
        let end = self.block.documents.len().min(self.at + BLOCK);
        block.documents.clear();
        block.counts.clear();
        block.documents.extend_from_slice(&self.block.documents[self.at..end]);
        block.counts.extend_from_slice(&self.block.counts[self.at..end]);
        self.at = end;
        Ok(!block.documents.is_empty())
    }

    fn skip_to(&mut self, document: u32) {
        let ahead = &self.block.documents[self.at..];
        self.at += first_from(ahead, document) / BLOCK * BLOCK;
    }
}
