//! Cursors: positions in the postings of one term that only move forward.

use textkin_core::{CorruptionError, IndexSegment, PostingBlock, PostingList};

use crate::weights::WeightedTerm;

/// A position in the postings of one term.
pub(crate) struct Cursor<'p> {
    /// The number of the term.
    pub(crate) term: usize,
    list: Box<dyn PostingList + 'p>,
    block: PostingBlock,
    at: usize,
    ended: bool,
}

impl<'p> Cursor<'p> {
    /// Opens the postings of term number `term` of a query, if the segment has any.
    pub(crate) fn of<P: IndexSegment>(
        segment: &'p P,
        term: usize,
        weighted: &WeightedTerm,
    ) -> Result<Option<Self>, CorruptionError> {
        if !weighted.is_chunk {
            return Self::open(segment, term, weighted.hash);
        }
        let mut documents = Vec::new();
        segment.documents_with_chunk(weighted.hash, &mut documents)?;
        Ok(Self::new(term, Box::new(ChunkDocuments { documents, is_read: false })))
    }

    /// Opens the postings of the word with this hash, if the segment has any. Reads none yet.
    pub(crate) fn open<P: IndexSegment>(
        segment: &'p P,
        term: usize,
        hash: u64,
    ) -> Result<Option<Self>, CorruptionError> {
        Ok(segment.postings(hash)?.and_then(|list| Self::new(term, list)))
    }

    fn new(term: usize, list: Box<dyn PostingList + 'p>) -> Option<Self> {
        let block = PostingBlock::default();
        (!list.is_empty()).then_some(Self { term, list, block, at: 0, ended: false })
    }

    /// Moves to the first document that is at least `document`, and returns it.
    pub(crate) fn seek(&mut self, document: u32) -> Result<Option<u32>, CorruptionError> {
        if self.block.documents.last().is_none_or(|last| *last < document) {
            self.load(document)?;
        }
        let ahead = self.block.documents.get(self.at..).unwrap_or_default();
        self.at += first_from(ahead, document);
        Ok(self.block.documents.get(self.at).copied())
    }

    /// Returns how often `document` contains the term. Documents must be passed in ascending order.
    pub(crate) fn count_in(&mut self, document: u32) -> Result<u32, CorruptionError> {
        if self.seek(document)? != Some(document) {
            return Ok(0);
        }
        Ok(self.block.counts.get(self.at).copied().unwrap_or(0))
    }

    /// Calls `each` with all documents from the current one up to `end`, with their counts.
    pub(crate) fn for_each_before(
        &mut self,
        end: u32,
        mut each: impl FnMut(u32, u32),
    ) -> Result<(), CorruptionError> {
        loop {
            let documents = self.block.documents.get(self.at..).unwrap_or_default();
            let n = match documents.last() {
                Some(last) if *last < end => documents.len(),
                _ => documents.partition_point(|document| *document < end),
            };
            let counts = self.block.counts.get(self.at..).unwrap_or_default();
            for (document, count) in documents[..n].iter().zip(counts) {
                each(*document, *count);
            }
            self.at += n;
            if self.ended || self.at < self.block.documents.len() {
                return Ok(());
            }
            self.read()?;
        }
    }

    /// Reads the first block that reaches `document`, or ends.
    fn load(&mut self, document: u32) -> Result<(), CorruptionError> {
        while !self.ended {
            self.list.skip_to(document);
            self.read()?;
            if self.block.documents.last().is_some_and(|last| *last >= document) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Reads the next block, or ends.
    fn read(&mut self) -> Result<(), CorruptionError> {
        self.at = 0;
        let read = self.list.next_block(&mut self.block)?;
        self.ended = !read || self.block.documents.is_empty();
        if self.ended {
            self.block.documents.clear();
            self.block.counts.clear();
        }
        Ok(())
    }
}

/// The documents that contain a chunk, as postings.
struct ChunkDocuments {
    documents: Vec<u32>,
    is_read: bool,
}

impl PostingList for ChunkDocuments {
    fn len(&self) -> u32 {
        u32::try_from(self.documents.len()).unwrap_or(u32::MAX)
    }

    fn next_block(&mut self, block: &mut PostingBlock) -> Result<bool, CorruptionError> {
        block.documents.clear();
        block.counts.clear();
        if !std::mem::replace(&mut self.is_read, true) {
            block.documents.append(&mut self.documents);
            block.counts.resize(block.documents.len(), 1);
        }
        Ok(!block.documents.is_empty())
    }

    fn skip_to(&mut self, _: u32) {}
}

/// Index of the first of ascending `documents` that is not below `document`, by galloping search.
pub(crate) fn first_from(documents: &[u32], document: u32) -> usize {
    let mut step = 4;
    let mut low = 0;
    while let Some(probe) = documents.get(low + step)
        && *probe < document
    {
        low += step;
        step *= 2;
    }
    let high = (low + step).min(documents.len());
    low + documents[low..high].partition_point(|near| *near < document)
}

#[cfg(test)]
mod tests {
    use super::first_from;

    #[test]
    fn the_first_document_that_is_not_below_a_number_is_found() {
        let documents: Vec<u32> = (0..300).map(|number| number * 3).collect();
        for document in 0..1000 {
            let naive = documents.iter().filter(|near| **near < document).count();
            assert_eq!(first_from(&documents, document), naive);
        }
        assert_eq!(first_from(&[], 3), 0);
    }
}
