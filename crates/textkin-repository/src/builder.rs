//! Builds a segment.
//!
//! In: documents. Out: the file of a segment.

use std::io;

use textkin_core::Length;
use textkin_core::chunk::mix;
use textkin_core::parallel::join;

use crate::blocks::{BlockBuilder, Compressed};
use crate::document::{PreparedDocument, Record, encode_metadata};
use crate::encoding::{ChunkPosting, Encoded, Layout, Posting, encode};
use crate::error::Error;
use crate::io::OutFile;
use crate::pages::{PageWriter, WrittenFile};
use crate::segment::{FORMAT, FORMAT_WITH_PAIRS, SegmentInfo};
use crate::table::{self, short};

/// Bytes of content that are compressed together.
const CONTENT_BLOCK: usize = 8 << 10;
/// Bytes of times and metadata that are compressed together.
const METADATA_BLOCK: usize = 4 << 10;
/// The layout of chunk postings. The same number of hash bits is stored in every segment, so that
/// lookups do not depend on how documents are spread over segments. In a repository of n chunks, a
/// lookup of an absent chunk finds a false match with probability n/2³⁴. Search results are
/// verified.
const CHUNKS: Layout =
    Layout { hash_bits: ChunkPosting::HASH_BITS, has_counts: false, bucket: 24, long: 64 };
/// The layout of the postings of pairs of words. Most pairs occur once, as chunks do.
const WORD_PAIRS: Layout = CHUNKS;
/// The layout of word postings, with all bits of the hash. Words are far fewer and have longer
/// lists.
const TERMS: Layout = Layout { hash_bits: 64, has_counts: true, bucket: 6, long: 16 };
/// Maximum memory of the documents of one segment while it is built, in bytes.
const MAX_BYTES: usize = 1 << 31;

/// Below this size, in bytes, starting threads costs more than it saves.
const MIN_PARALLEL_BYTES: usize = 1 << 20;

/// Collects the documents of a segment.
#[derive(Debug)]
pub(crate) struct SegmentBuilder {
    records: Vec<Record>,
    ids: Vec<u8>,
    /// Times and metadata.
    metadata: BlockBuilder,
    content: BlockBuilder,
    terms: Vec<Posting>,
    chunks: Vec<ChunkPosting>,
    /// The pairs of words, if they are indexed.
    word_pairs: Option<Vec<ChunkPosting>>,
    words: u64,
}

impl Default for SegmentBuilder {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            ids: Vec::new(),
            metadata: BlockBuilder::new(METADATA_BLOCK),
            content: BlockBuilder::new(CONTENT_BLOCK),
            terms: Vec::new(),
            chunks: Vec::new(),
            word_pairs: None,
            words: 0,
        }
    }
}

impl SegmentBuilder {
    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns the memory in use, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.terms.len() * size_of::<Posting>()
            + (self.chunks.len() + self.word_pairs.as_ref().map_or(0, Vec::len))
                * size_of::<ChunkPosting>()
            + self.content.len()
            + self.metadata.len()
            + self.ids.len()
            + self.records.len() * size_of::<Record>()
    }

    /// Returns whether `entry` does not fit into this segment.
    pub(crate) fn is_full(&self, entry: &PreparedDocument) -> bool {
        let strings = [&entry.time, &entry.metadata].into_iter().flatten().map(String::len);
        let bytes = entry.content.len()
            + size_of::<Posting>() * entry.terms.len()
            + size_of::<ChunkPosting>()
                * (entry.chunks.len() + entry.word_pairs.as_ref().map_or(0, Vec::len))
            + size_of::<Record>()
            + strings.sum::<usize>()
            + entry.id.len();
        !self.is_empty() && self.memory().saturating_add(bytes) > MAX_BYTES
    }

    /// Appends a document after checking its limits.
    pub(crate) fn add(&mut self, entry: &PreparedDocument) -> Result<(), Error> {
        entry.check()?;
        self.append(entry).map_err(|error| Error::InvalidDocument {
            id: entry.id.chars().take(100).collect(),
            reason: error.to_string(),
        })
    }

    fn append(&mut self, entry: &PreparedDocument) -> io::Result<()> {
        let document = short(self.records.len())?;
        // Sorted, so that the length, a floating-point sum, is the same wherever the document is
        // stored.
        let mut terms = entry.terms.clone();
        terms.sort_unstable();
        let length = Length::of(terms.iter().map(|term| term.1));
        self.words += u64::from(length.words);
        self.ids.extend_from_slice(entry.id.as_bytes());
        let mut bytes = Vec::new();
        encode_metadata(entry.time.as_deref(), entry.metadata.as_deref(), &mut bytes)?;
        self.records.push(Record {
            length,
            added: entry.added,
            digest: entry.digest,
            id_end: self.ids.len() as u64,
            metadata_end: self.metadata.push(&bytes),
            content_end: self.content.push(&entry.content),
        });
        let term = |(hash, count): (u64, u32)| Posting { hash, document, count };
        self.terms.extend(terms.into_iter().map(term));
        add_postings(&entry.chunks, document, &mut self.chunks)?;
        if let Some(pairs) = &entry.word_pairs {
            add_postings(pairs, document, self.word_pairs.get_or_insert_default())?;
        }
        Ok(())
    }

    /// Writes the segment without syncing it.
    pub(crate) fn finish(mut self, out: Box<dyn OutFile>) -> io::Result<WrittenFile> {
        let n_documents = short(self.records.len())?;
        let is_small = self.memory() < MIN_PARALLEL_BYTES;
        let (mut terms, mut chunks) =
            (std::mem::take(&mut self.terms), std::mem::take(&mut self.chunks));
        let mut terms = move || {
            terms.sort_unstable();
            encode(&terms, n_documents, TERMS)
        };
        let word_pairs = self.word_pairs.take();
        let chunks = move || -> io::Result<_> {
            chunks.sort_unstable();
            chunks.dedup();
            let chunks = encode(&chunks, n_documents, CHUNKS)?;
            let word_pairs = word_pairs.map(|mut pairs| {
                pairs.sort_unstable();
                pairs.dedup();
                encode(&pairs, n_documents, WORD_PAIRS)
            });
            Ok((chunks, word_pairs.transpose()?))
        };
        // Three tasks of about equal work, whatever the number of cores.
        let blocks =
            || -> io::Result<_> { Ok((self.metadata.compress()?, self.content.compress()?)) };
        let (terms, chunks, blocks) = match is_small {
            true => (terms(), chunks(), blocks()),
            false => std::thread::scope(|scope| {
                let (terms, chunks) = (scope.spawn(terms), scope.spawn(chunks));
                let blocks = blocks();
                (join(terms), join(chunks), blocks)
            }),
        };
        let (metadata, content) = blocks?;
        let (chunks, word_pairs) = chunks?;
        self.write(out, [&terms?, &chunks], word_pairs.as_ref(), [&metadata, &content])
    }

    fn write(
        &self,
        out: Box<dyn OutFile>,
        [terms, chunks]: [&Encoded; 2],
        word_pairs: Option<&Encoded>,
        blocks: [&Compressed; 2],
    ) -> io::Result<WrittenFile> {
        let (documents, table) = Record::table(&self.records);
        let (id_order, order) = self.id_order()?;
        let info = SegmentInfo {
            documents: short(self.records.len())?,
            words: self.words,
            metadata_bytes: self.metadata.len() as u64,
            content_bytes: self.content.len() as u64,
            terms: terms.shape,
            chunks: chunks.shape,
            table: documents,
            id_order,
            term_directory: terms.columns.clone(),
            chunk_directory: chunks.columns.clone(),
            word_pairs: word_pairs.map(|pairs| (pairs.shape, pairs.columns.clone())),
        };
        let info = serde_json::to_vec(&info).map_err(io::Error::other)?;
        let mut writer =
            PageWriter::begin(out, if word_pairs.is_some() { FORMAT_WITH_PAIRS } else { FORMAT })?;
        for section in [&info, &table, &self.ids, &order] {
            writer.section([&section[..]])?;
        }
        for Compressed { dictionary, table, blocks } in blocks {
            writer.section([&dictionary[..]])?;
            writer.section([&table[..]])?;
            writer.section(blocks.iter().map(|block| &block[..]))?;
        }
        for encoded in [Some(terms), Some(chunks), word_pairs].into_iter().flatten() {
            writer.section([&encoded.directory[..]])?;
            writer.section([&encoded.buckets[..]])?;
            writer.section([&encoded.lists[..]])?;
        }
        writer.finish()
    }

    /// Sorts the documents by id; ids are mostly ascending already.
    fn id_order(&self) -> io::Result<(table::Columns, Vec<u8>)> {
        let mut order: Vec<u32> = (0..short(self.records.len())?).collect();
        order.sort_by_key(|&document| self.id(document));
        let order: Vec<u64> = order.into_iter().map(u64::from).collect();
        Ok(table::write(&[(&order, true)]))
    }

    fn id(&self, document: u32) -> &[u8] {
        let end = |document: usize| usize::try_from(self.records[document].id_end).unwrap_or(0);
        let document = document as usize;
        let start = if document == 0 { 0 } else { end(document - 1) };
        &self.ids[start..end(document)]
    }
}

/// Appends the postings of chunks or pairs of words of a document.
fn add_postings(hashes: &[u64], document: u32, postings: &mut Vec<ChunkPosting>) -> io::Result<()> {
    for &hash in hashes {
        let posting = ChunkPosting::new(mix(hash), document);
        postings
            .push(posting.ok_or_else(|| io::Error::other("the segment has too many documents"))?);
    }
    Ok(())
}
