//! A segment: documents that were written together, in one immutable file.
//!
//! In: the bytes of a file and the list of removed documents. Out: documents, content and postings.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use textkin_core::chunk::mix;
use textkin_core::{CorruptionError, IndexSegment, Length, PostingBlock, PostingList};

use crate::blocks::{BlockReader, Blocks};
use crate::document::{Record, StoredDocument, column, read_metadata};
use crate::encoding::{ChunkPosting, Posting, PostingShape};
use crate::error::Error;
use crate::filter::ChunkFilter;
use crate::io::Bytes;
use crate::lookup::{FoundPostings, PostingLookup, Postings};
use crate::pages::{FileFormat, Pages};
use crate::removed::Removed;
use crate::sizes::Sizes;
use crate::table::{Columns, Table};

pub(crate) const FORMAT: FileFormat = FileFormat { magic: *b"tksegmnt", version: 2, sections: 16 };
/// The format of a segment with an index of pairs of words, which earlier versions do not read.
pub(crate) const FORMAT_WITH_PAIRS: FileFormat = FileFormat { version: 3, sections: 19, ..FORMAT };

/// The sections of a segment.
pub(crate) mod section {
    /// The [`super::SegmentInfo`] as JSON.
    pub(crate) const INFO: usize = 0;
    /// The document table.
    pub(crate) const DOCUMENTS: usize = 1;
    /// The ids, concatenated.
    pub(crate) const IDS: usize = 2;
    /// The documents sorted by id.
    pub(crate) const ID_ORDER: usize = 3;
    /// Times and metadata: dictionary, table, blocks.
    pub(crate) const METADATA: [usize; 3] = [4, 5, 6];
    /// Content: dictionary, table, blocks.
    pub(crate) const CONTENT: [usize; 3] = [7, 8, 9];
    /// Postings of words: directory, buckets, lists.
    pub(crate) const TERMS: [usize; 3] = [10, 11, 12];
    /// Postings of chunks: directory, buckets, lists.
    pub(crate) const CHUNKS: [usize; 3] = [13, 14, 15];
    /// Postings of pairs of words, if they are indexed: directory, buckets, lists.
    pub(crate) const WORD_PAIRS: [usize; 3] = [16, 17, 18];
}

#[cfg(test)]
mod tests;

/// The header of a segment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SegmentInfo {
    pub(crate) documents: u32,
    pub(crate) words: u64,
    #[serde(rename = "known_bytes")]
    pub(crate) metadata_bytes: u64,
    #[serde(rename = "evidence_bytes")]
    pub(crate) content_bytes: u64,
    pub(crate) terms: PostingShape,
    pub(crate) chunks: PostingShape,
    pub(crate) table: Columns,
    pub(crate) id_order: Columns,
    pub(crate) term_directory: Columns,
    pub(crate) chunk_directory: Columns,
    /// The shape and directory of the postings of pairs of words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) word_pairs: Option<(PostingShape, Columns)>,
}

/// A segment and its set of removed documents.
#[derive(Debug)]
pub struct Segment {
    name: String,
    path: PathBuf,
    pages: Pages,
    info: SegmentInfo,
    table: Table,
    id_order: Table,
    metadata: Blocks,
    content: Blocks,
    terms: PostingLookup,
    chunks: PostingLookup,
    word_pairs: Option<PostingLookup>,
    /// The filter of chunks, once it has been built.
    filter: OnceLock<ChunkFilter>,
    removed: Arc<Removed>,
}

impl Segment {
    pub(crate) fn open(
        path: &Path,
        name: &str,
        bytes: Bytes,
        removed: Arc<Removed>,
    ) -> Result<Self, Error> {
        let file = path.display().to_string();
        let pages = Pages::open(&file, bytes, &[FORMAT, FORMAT_WITH_PAIRS])?;
        let info = pages.section(section::INFO)?;
        let info: SegmentInfo = serde_json::from_slice(info)
            .map_err(|error| pages.corrupt(format!("invalid header: {error}")))?;
        let n_documents = info.documents as usize;
        let table = Table::open(&pages, section::DOCUMENTS, &info.table, column::ALL)?;
        let id_order = Table::open(&pages, section::ID_ORDER, &info.id_order, 1)?;
        if table.rows() != n_documents || id_order.rows() != n_documents {
            return Err(pages.corrupt("the number of documents does not match the header").into());
        }
        let terms = PostingLookup::open(&pages, section::TERMS, info.terms, &info.term_directory)?;
        let chunks =
            PostingLookup::open(&pages, section::CHUNKS, info.chunks, &info.chunk_directory)?;
        let word_pairs = match &info.word_pairs {
            Some((shape, columns)) if pages.n_sections() == FORMAT_WITH_PAIRS.sections => {
                Some(PostingLookup::open(&pages, section::WORD_PAIRS, *shape, columns)?)
            }
            Some(_) => return Err(pages.corrupt("the index of pairs of words is missing").into()),
            None => None,
        };
        if !removed.fits(info.documents) {
            return Err(pages
                .corrupt("the list of removed documents belongs to another file")
                .into());
        }
        Ok(Self {
            name: name.to_owned(),
            path: path.to_owned(),
            pages,
            info,
            table,
            id_order,
            metadata: Blocks::new(section::METADATA),
            content: Blocks::new(section::CONTENT),
            terms,
            chunks,
            word_pairs,
            filter: OnceLock::new(),
            removed,
        })
    }

    /// Builds a filter of the chunks, unless it exists or memory is short. From then on
    /// [`IndexSegment::for_each_chunk`] rules out most chunks that are absent. Building reads all chunks
    /// and takes memory, so it pays off for long-lived processes with many lookups.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn build_filter(&self) -> Result<(), CorruptionError> {
        if self.filter.get().is_none()
            && let Some(filter) = self.chunks.filter(&self.pages)?
        {
            // Another thread may have built the same filter in the meantime.
            self.filter.set(filter).ok();
        }
        Ok(())
    }

    /// Fills `positions` with the indices of those `chunks` that the segment may contain,
    /// ascending; without a filter, with all. The others are certainly absent and need no lookup.
    fn filter_chunks(&self, chunks: &[u64], positions: &mut Vec<usize>) {
        positions.clear();
        match self.filter.get() {
            None => positions.extend(0..chunks.len()),
            Some(filter) => {
                let hashes: Vec<u64> = chunks.iter().map(|chunk| mix(*chunk)).collect();
                self.chunks.filter_hashes(filter, &hashes, positions);
            }
        }
    }

    /// Returns the memory of the filter, in bytes.
    #[must_use]
    pub fn filter_bytes(&self) -> usize {
        self.filter.get().map_or(0, ChunkFilter::bytes)
    }

    /// Returns the name of the file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the checksum that identifies the file.
    pub(crate) fn sum(&self) -> u64 {
        self.pages.sum()
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of documents that are not removed.
    #[must_use]
    pub fn n_live(&self) -> u32 {
        self.info.documents.saturating_sub(self.removed.len())
    }

    /// Returns the memory that the live documents take while they are merged into another segment,
    /// in bytes.
    pub(crate) fn live_memory(&self) -> usize {
        let SegmentInfo { documents, metadata_bytes, content_bytes, terms, chunks, .. } =
            &self.info;
        let word_pairs = self.n_word_pairs();
        let bytes = u128::from(terms.postings) * size_of::<Posting>() as u128
            + u128::from(chunks.postings + word_pairs) * size_of::<ChunkPosting>() as u128
            + u128::from(*content_bytes)
            + u128::from(*metadata_bytes)
            + self.pages.len(section::IDS) as u128
            + u128::from(*documents) * size_of::<Record>() as u128;
        let share = u128::from(self.n_live()) * bytes / u128::from((*documents).max(1));
        usize::try_from(share).unwrap_or(usize::MAX)
    }

    pub(crate) fn removed(&self) -> &Arc<Removed> {
        &self.removed
    }

    /// Returns the size of the file, by kind of data.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        let len = |section: usize| self.pages.len(section) as u64;
        let sum = |sections: &[usize]| sections.iter().map(|&section| len(section)).sum();
        let mut sizes = Sizes {
            file: self.pages.size(),
            documents: sum(&[section::DOCUMENTS, section::IDS, section::ID_ORDER]),
            metadata: sum(&section::METADATA),
            metadata_uncompressed: self.info.metadata_bytes,
            content: sum(&section::CONTENT),
            content_uncompressed: self.info.content_bytes,
            terms: sum(&section::TERMS),
            chunks: sum(&section::CHUNKS),
            word_pairs: self.word_pairs.as_ref().map_or(0, |_| sum(&section::WORD_PAIRS)),
            words: self.info.words,
            term_postings: self.info.terms.postings,
            chunk_postings: self.info.chunks.postings,
            word_pair_postings: self.n_word_pairs(),
            rest: 0,
        };
        let parts = sizes.documents
            + sizes.metadata
            + sizes.content
            + sizes.terms
            + sizes.chunks
            + sizes.word_pairs;
        sizes.rest = sizes.file.saturating_sub(parts);
        sizes
    }

    /// Returns the number of postings of pairs of words.
    fn n_word_pairs(&self) -> u64 {
        self.info.word_pairs.as_ref().map_or(0, |(shape, _)| shape.postings)
    }

    /// Appends the documents that have the pair of words with this hash, ascending, without removed ones; if more than
    /// `max` have it, at least `max + 1` of them. A few of them may not have it, because only some bits of the hash are
    /// stored.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn documents_with_word_pair(
        &self,
        pair: u64,
        max: usize,
        documents: &mut Vec<u32>,
    ) -> Result<(), CorruptionError> {
        let Some(lookup) = &self.word_pairs else { return Ok(()) };
        let start = documents.len();
        self.append_live(lookup.find(&self.pages, mix(pair))?, documents, |documents| {
            documents.len() - start <= max
        })
    }

    /// Appends the live documents of a list, as long as `is_wanted` says that more are needed.
    fn append_live(
        &self,
        found: Option<FoundPostings<'_>>,
        documents: &mut Vec<u32>,
        is_wanted: impl Fn(&[u32]) -> bool,
    ) -> Result<(), CorruptionError> {
        match found {
            None => {}
            Some(FoundPostings::Few(block)) => {
                let live = block.documents.into_iter().filter(|&document| self.is_live(document));
                documents.extend(live);
            }
            Some(FoundPostings::Many(mut list)) => {
                let mut block = PostingBlock::default();
                while is_wanted(documents) && list.next_block(&mut block)? {
                    let live = block.documents.iter().filter(|document| self.is_live(**document));
                    documents.extend(live);
                }
            }
        }
        Ok(())
    }

    /// Iterates over the numbers of the documents that are not removed, ascending.
    pub fn live(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.info.documents).filter(|&document| self.is_live(document))
    }

    fn record(&self, document: u32) -> Result<Record, CorruptionError> {
        Ok(Record::read(self.table.row(&self.pages, document as usize)?))
    }

    /// Returns the byte range of a document, given the table column that holds its end.
    fn range(&self, document: u32, column: usize) -> Result<Range<u64>, CorruptionError> {
        let end = |document: u32| -> Result<u64, CorruptionError> {
            Ok(self.table.row(&self.pages, document as usize)?.get(column))
        };
        let start = if document == 0 { 0 } else { end(document - 1)? };
        Ok(start..end(document)?)
    }

    /// Returns the id of a document.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn id(&self, document: u32) -> Result<&str, CorruptionError> {
        let range = self.range(document, column::ID_END)?;
        let offset = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        let bytes = self.pages.get(section::IDS, offset(range.start)..offset(range.end))?;
        std::str::from_utf8(bytes).map_err(|_| self.pages.corrupt("an id is not valid UTF-8"))
    }

    /// Returns a document without its content.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn document(&self, document: u32) -> Result<StoredDocument, CorruptionError> {
        self.document_with(document, &mut self.metadata.reader(&self.pages))
    }

    fn document_with(
        &self,
        document: u32,
        metadata: &mut BlockReader<'_>,
    ) -> Result<StoredDocument, CorruptionError> {
        let record = self.record(document)?;
        let bytes = metadata.get(self.range(document, column::METADATA_END)?)?;
        let (time, metadata) = read_metadata(bytes)
            .ok_or_else(|| self.pages.corrupt("the metadata of a document is invalid"))?;
        Ok(StoredDocument {
            id: self.id(document)?.to_owned(),
            time: time.map(str::to_owned),
            metadata: metadata.map(str::to_owned),
            added: record.added,
            digest: record.digest,
            length: record.length,
            bytes: self.bytes(document)?,
        })
    }

    /// Returns the size of the content of a document, in bytes.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn bytes(&self, document: u32) -> Result<u32, CorruptionError> {
        let range = self.range(document, column::CONTENT_END)?;
        Ok(u32::try_from(range.end.saturating_sub(range.start)).unwrap_or(u32::MAX))
    }

    /// Returns the content of a document.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn content(&self, document: u32) -> Result<Vec<u8>, CorruptionError> {
        let range = self.range(document, column::CONTENT_END)?;
        self.content.reader(&self.pages).get(range).map(<[u8]>::to_vec)
    }

    /// Passes each of `documents` to `take` and stops at its first error. If they are ascending, no
    /// block is read twice.
    ///
    /// # Errors
    /// If the stored data is damaged, or `take` fails.
    pub fn read_documents<E: From<CorruptionError>>(
        &self,
        documents: impl IntoIterator<Item = u32>,
        mut take: impl FnMut(u32, StoredDocument) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut metadata = self.metadata.reader(&self.pages);
        documents
            .into_iter()
            .try_for_each(|document| take(document, self.document_with(document, &mut metadata)?))
    }

    /// Passes the content of each of `documents` to `take`, as [`Segment::read_documents`] does.
    ///
    /// # Errors
    /// If the stored data is damaged, or `take` fails.
    pub fn read_content<E: From<CorruptionError>>(
        &self,
        documents: impl IntoIterator<Item = u32>,
        mut take: impl FnMut(u32, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut content = self.content.reader(&self.pages);
        documents.into_iter().try_for_each(|document| {
            take(document, content.get(self.range(document, column::CONTENT_END)?)?)
        })
    }

    /// Passes each of `documents` with its content to `take`, as [`Segment::read_documents`] does.
    ///
    /// # Errors
    /// If the stored data is damaged, or `take` fails.
    pub fn read<E: From<CorruptionError>>(
        &self,
        documents: impl IntoIterator<Item = u32>,
        mut take: impl FnMut(u32, StoredDocument, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut content = self.content.reader(&self.pages);
        self.read_documents(documents, |document, stored| {
            take(document, stored, content.get(self.range(document, column::CONTENT_END)?)?)
        })
    }

    /// Returns the document with this id, removed or not.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn find(&self, id: &str) -> Result<Option<u32>, CorruptionError> {
        let (mut low, mut high) = (0, self.info.documents as usize);
        while low < high {
            let middle = low.midpoint(high);
            let document = self.id_order.row(&self.pages, middle)?.get(0);
            let document = u32::try_from(document).unwrap_or(u32::MAX);
            match self.id(document)?.as_bytes().cmp(id.as_bytes()) {
                std::cmp::Ordering::Equal => return Ok(Some(document)),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }

    /// Checks every byte, and calls `progress` with the share that is done.
    ///
    /// # Errors
    /// If a byte differs from what was written.
    pub fn check(&self, progress: &mut dyn FnMut(f64)) -> Result<(), CorruptionError> {
        self.pages.check_all()?;
        let plain =
            [(&self.metadata, self.info.metadata_bytes), (&self.content, self.info.content_bytes)];
        for (blocks, bytes) in plain {
            if blocks.plain_len(&self.pages)? != bytes {
                return Err(self.pages.corrupt("the size of the blocks does not match the header"));
            }
        }
        self.read(0..self.info.documents, |document, _, _| {
            progress(f64::from(document) / f64::from(self.info.documents));
            Ok::<(), CorruptionError>(())
        })
    }

    /// Calls `each` with the hash of every word of a live document and the number of such
    /// documents, ascending by hash.
    pub(crate) fn each_term(&self, mut each: impl FnMut(u64, u32)) -> Result<(), CorruptionError> {
        self.terms.each(&self.pages, |term, documents| {
            let live = documents.saturating_sub(self.removed.documents_with(term));
            if live > 0 {
                each(term, live);
            }
        })
    }

    /// Returns the number of documents that contain a word, including removed ones.
    fn all_documents(&self, term: u64) -> Result<u32, CorruptionError> {
        let found = self.terms.find(&self.pages, term)?;
        Ok(found.map_or(0, |found| found.len()))
    }
}

impl IndexSegment for Segment {
    fn n_documents(&self) -> u32 {
        self.info.documents
    }

    fn n_live(&self) -> u32 {
        Self::n_live(self)
    }

    fn is_live(&self, document: u32) -> bool {
        document < self.info.documents && !self.removed.contains(document)
    }

    fn length(&self, document: u32) -> Result<Length, CorruptionError> {
        Ok(Record::length(self.table.row(&self.pages, document as usize)?))
    }

    fn live_documents(&self, term: u64) -> Result<u32, CorruptionError> {
        let all = self.all_documents(term)?;
        all.checked_sub(self.removed.documents_with(term))
            .ok_or_else(|| self.pages.corrupt("more documents were removed than exist"))
    }

    fn postings(&self, term: u64) -> Result<Option<Box<dyn PostingList + '_>>, CorruptionError> {
        let found = self.terms.find(&self.pages, term)?;
        Ok(found.map(|found| Box::new(Postings { found, is_done: false }) as Box<dyn PostingList>))
    }

    fn documents_with_chunk(
        &self,
        chunk: u64,
        documents: &mut Vec<u32>,
    ) -> Result<(), CorruptionError> {
        self.append_live(self.chunks.find(&self.pages, mix(chunk))?, documents, |_| true)
    }

    fn for_each_chunk(
        &self,
        chunks: &[u64],
        take: &mut dyn FnMut(usize, &[u32]),
    ) -> Result<(), CorruptionError> {
        let (mut documents, mut passing) = (Vec::new(), Vec::new());
        self.filter_chunks(chunks, &mut passing);
        for index in passing {
            documents.clear();
            self.documents_with_chunk(chunks[index], &mut documents)?;
            if !documents.is_empty() {
                take(index, &documents);
            }
        }
        Ok(())
    }
}
