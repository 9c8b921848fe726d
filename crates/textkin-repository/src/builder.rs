//! Makes a segment of documents.

use std::io;

use textkin_core::Length;
use textkin_core::chunk::mix;

use crate::document::{Entry, NONE, Record};
use crate::encoding::{Encoded, Layout, Posting, encode, short};
use crate::error::Error;
use crate::io::OutFile;
use crate::pages::{PageWriter, Written};
use crate::segment::{About, KIND};

/// Bytes of evidence that are compressed together.
const BLOCK_BYTES: usize = 64 << 10;
/// How hard evidence is compressed.
const COMPRESSION: i32 = 5;
/// Bits that are kept of a chunk's hash: as many in every segment, so that what is found does not
/// depend on how documents are spread over segments. In a repository of n chunks, one that is not there
/// is taken for one that is in n/2³⁴ cases. What a search reports is verified.
const CHUNKS: Layout = Layout { hash_bits: 34, has_counts: false, bucket: 24, long: 64 };
/// Words are told apart by all bits. There are far fewer of them, with longer lists.
const TERMS: Layout = Layout { hash_bits: 64, has_counts: true, bucket: 6, long: 16 };
/// From so many bytes on that documents take while a segment is made, another segment begins. That
/// is at most 2²⁷ postings, of 22 bytes at worst.
const MOST_BYTES: usize = 1 << 31;

/// Below so many bytes threads cost more than they save.
const FEW_BYTES: usize = 1 << 20;

/// Gathers documents for a segment.
#[derive(Debug, Default)]
pub(crate) struct SegmentBuilder {
    records: Vec<Record>,
    strings: Vec<u8>,
    /// The evidence of all documents, cut into blocks at `block_starts`.
    evidence: Vec<u8>,
    block_starts: Vec<usize>,
    terms: Vec<Posting>,
    chunks: Vec<Posting>,
    words: u64,
}

impl SegmentBuilder {
    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Bytes of memory in use.
    pub(crate) fn memory(&self) -> usize {
        (self.terms.len() + self.chunks.len()) * size_of::<Posting>()
            + self.evidence.len()
            + self.strings.len()
            + self.records.len() * size_of::<Record>()
    }

    /// Whether `entry` must go to another segment.
    pub(crate) fn is_full(&self, entry: &Entry) -> bool {
        let strings = [&entry.time, &entry.metadata].into_iter().flatten().map(String::len);
        let bytes = entry.evidence.len()
            + size_of::<Posting>() * (entry.terms.len() + entry.chunks.len())
            + size_of::<Record>()
            + strings.sum::<usize>()
            + entry.id.len();
        !self.is_empty() && self.memory().saturating_add(bytes) > MOST_BYTES
    }

    /// Appends a document that keeps within bounds.
    pub(crate) fn add(&mut self, entry: &Entry) -> Result<(), Error> {
        entry.check()?;
        self.append(entry).map_err(|error| Error::Entry {
            id: entry.id.chars().take(100).collect(),
            reason: error.to_string(),
        })
    }

    fn append(&mut self, entry: &Entry) -> io::Result<()> {
        let document = short(self.records.len())?;
        let len = |string: &Option<String>| {
            string.as_ref().map_or(Ok(NONE), |string| short(string.len()))
        };
        if self.block_starts.last().is_none_or(|start| {
            let filled = self.evidence.len() - start;
            filled > 0 && filled + entry.evidence.len() > BLOCK_BYTES
        }) {
            self.block_starts.push(self.evidence.len());
        }
        let block = self.block_starts.len() - 1;
        // In one order, so that a document has the same length wherever it is stored.
        let mut terms = entry.terms.clone();
        terms.sort_unstable();
        let length = Length::of(terms.iter().map(|term| term.1));
        self.records.push(Record {
            added: entry.added,
            digest: entry.digest,
            length,
            strings: self.strings.len() as u64,
            id_len: short(entry.id.len())?,
            time_len: len(&entry.time)?,
            metadata_len: len(&entry.metadata)?,
            block: short(block)?,
            offset: short(self.evidence.len() - self.block_starts[block])?,
            bytes: short(entry.evidence.len())?,
        });
        self.words += u64::from(length.words);
        self.strings.extend_from_slice(entry.id.as_bytes());
        for string in [&entry.time, &entry.metadata].into_iter().flatten() {
            self.strings.extend_from_slice(string.as_bytes());
        }
        self.evidence.extend_from_slice(&entry.evidence);
        let term = |(hash, count): (u64, u32)| Posting { hash, document, count };
        self.terms.extend(terms.into_iter().map(term));
        let chunk = |&hash: &u64| Posting { hash: mix(hash), document, count: 1 };
        self.chunks.extend(entry.chunks.iter().map(chunk));
        Ok(())
    }

    /// Writes the segment; it is not yet synced.
    pub(crate) fn finish(mut self, out: Box<dyn OutFile>) -> io::Result<Written> {
        let n_documents = short(self.records.len())?;
        let is_small = self.memory() < FEW_BYTES;
        let (mut terms, mut chunks) =
            (std::mem::take(&mut self.terms), std::mem::take(&mut self.chunks));
        let mut terms = move || {
            terms.sort_unstable();
            encode(&terms, n_documents, TERMS)
        };
        let mut chunks = move || {
            chunks.sort_unstable();
            chunks.dedup();
            encode(&chunks, n_documents, CHUNKS)
        };
        // Three parts of about equal work, whatever the number of cores.
        let (terms, chunks, blocks) = match is_small {
            true => (terms(), chunks(), self.compressed()),
            false => std::thread::scope(|scope| {
                let (terms, chunks) = (scope.spawn(terms), scope.spawn(chunks));
                let blocks = self.compressed();
                (join(terms), join(chunks), blocks)
            }),
        };
        self.write(out, &terms?, &chunks?, &blocks?)
    }

    fn compressed(&self) -> io::Result<Vec<Vec<u8>>> {
        let ends = self.block_starts.iter().skip(1).copied().chain([self.evidence.len()]);
        let mut compressor = zstd::bulk::Compressor::new(COMPRESSION)?;
        let compress =
            |(&start, end): (&usize, usize)| compressor.compress(&self.evidence[start..end]);
        self.block_starts.iter().zip(ends).map(compress).collect()
    }

    fn write(
        &self,
        out: Box<dyn OutFile>,
        terms: &Encoded,
        chunks: &Encoded,
        blocks: &[Vec<u8>],
    ) -> io::Result<Written> {
        let about = About {
            documents: short(self.records.len())?,
            words: self.words,
            evidence_bytes: self.evidence.len() as u64,
            terms: terms.shape,
            chunks: chunks.shape,
        };
        let about = serde_json::to_vec(&about).map_err(io::Error::other)?;
        let mut writer = PageWriter::begin(out, KIND)?;
        writer.section([&about[..]])?;
        let records: Vec<[u8; Record::SIZE]> =
            self.records.iter().map(|record| record.to_bytes()).collect();
        writer.section(records.iter().map(|record| &record[..]))?;
        writer.section([&self.strings[..]])?;
        let mut order: Vec<u32> = (0..short(self.records.len())?).collect();
        order.sort_by_key(|&document| self.id(document));
        let order: Vec<[u8; 4]> = order.into_iter().map(u32::to_le_bytes).collect();
        writer.section(order.iter().map(|document| &document[..]))?;
        let mut table = Vec::with_capacity(16 * blocks.len());
        let mut start = 0u64;
        for (number, block) in blocks.iter().enumerate() {
            let from = self.block_starts[number];
            let to = self.block_starts.get(number + 1).copied().unwrap_or(self.evidence.len());
            table.extend_from_slice(&start.to_le_bytes());
            table.extend_from_slice(&short(block.len())?.to_le_bytes());
            table.extend_from_slice(&short(to - from)?.to_le_bytes());
            start += block.len() as u64;
        }
        writer.section([&table[..]])?;
        writer.section(blocks.iter().map(|block| &block[..]))?;
        for encoded in [terms, chunks] {
            writer.section([&encoded.directory[..]])?;
            writer.section([&encoded.buckets[..]])?;
            writer.section([&encoded.lists[..]])?;
        }
        writer.finish()
    }

    fn id(&self, document: u32) -> &[u8] {
        let record = &self.records[document as usize];
        let start = usize::try_from(record.strings).unwrap_or(usize::MAX);
        &self.strings[start..start + record.id_len as usize]
    }
}

fn join<T>(handle: std::thread::ScopedJoinHandle<'_, T>) -> T {
    handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
