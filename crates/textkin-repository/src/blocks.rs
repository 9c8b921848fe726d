//! Compressed blocks of the bytes of consecutive documents.
//!
//! Blocks are short, so that a single document is read quickly. They share a dictionary, samples of
//! the whole at even distances, so that they still compress well. The table has a line of 16 bytes
//! per block, its start uncompressed and compressed, and a last line for the end.

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::OnceLock;

use textkin_core::CorruptionError;
use zstd::bulk::Compressor;
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::{DCtx, get_error_name};

use crate::pages::{Pages, u64_at};

/// The zstd compression level.
const COMPRESSION: i32 = 5;
/// Maximum bytes of a dictionary.
const MAX_DICTIONARY: usize = 256 << 10;
/// A dictionary has at most one byte for this many bytes of data.
const DICTIONARY_SHARE: usize = 64;
/// Minimum bytes of a dictionary; smaller ones are not used.
const MIN_DICTIONARY: usize = 16 << 10;
/// Bytes of a sample in a dictionary.
const SAMPLE: usize = 1 << 10;
/// Bytes of a line of the table.
const LINE: usize = 16;

thread_local! {
    /// The decompression context: creating one takes as long as decompressing a block.
    static CONTEXT: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// Collects bytes and compresses them in blocks.
#[derive(Debug)]
pub(crate) struct BlockBuilder {
    bytes: Vec<u8>,
    starts: Vec<usize>,
    /// Maximum bytes of a block, except for a larger document.
    size: usize,
}

/// Compressed blocks.
#[derive(Debug, Default)]
pub(crate) struct Compressed {
    /// The compressed dictionary; empty without one.
    pub(crate) dictionary: Vec<u8>,
    pub(crate) table: Vec<u8>,
    pub(crate) blocks: Vec<Vec<u8>>,
}

impl BlockBuilder {
    pub(crate) fn new(size: usize) -> Self {
        Self { bytes: Vec::new(), starts: Vec::new(), size }
    }

    /// Returns the number of bytes added.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Appends the bytes of a document and returns the offset of their end.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> u64 {
        let is_full = |start: &usize| {
            let filled = self.bytes.len() - start;
            filled > 0 && filled + bytes.len() > self.size
        };
        if !bytes.is_empty() && self.starts.last().is_none_or(is_full) {
            self.starts.push(self.bytes.len());
        }
        self.bytes.extend_from_slice(bytes);
        self.bytes.len() as u64
    }

    pub(crate) fn compress(&self) -> io::Result<Compressed> {
        let dictionary = self.dictionary();
        let mut compressed = Compressed::default();
        let prepared = EncoderDictionary::try_copy(&dictionary, COMPRESSION)?;
        let mut compressor = match dictionary.is_empty() {
            true => Compressor::new(COMPRESSION)?,
            false => {
                compressed.dictionary = zstd::bulk::compress(&dictionary, COMPRESSION)?;
                Compressor::with_prepared_dictionary(&prepared)?
            }
        };
        let ends = self.starts.iter().skip(1).copied().chain([self.bytes.len()]);
        let mut stored = 0u64;
        let mut line = |plain: usize, stored: u64| {
            compressed.table.extend_from_slice(&(plain as u64).to_le_bytes());
            compressed.table.extend_from_slice(&stored.to_le_bytes());
        };
        for (&start, end) in self.starts.iter().zip(ends) {
            line(start, stored);
            let block = compressor.compress(&self.bytes[start..end])?;
            stored += block.len() as u64;
            compressed.blocks.push(block);
        }
        line(self.bytes.len(), stored);
        Ok(compressed)
    }

    fn dictionary(&self) -> Vec<u8> {
        let size = (self.bytes.len() / DICTIONARY_SHARE).min(MAX_DICTIONARY);
        if size < MIN_DICTIONARY {
            return Vec::new();
        }
        let n_samples = size / SAMPLE;
        let step = self.bytes.len() / n_samples;
        // The first byte keeps it from looking like a dictionary in zstd's own format.
        let mut dictionary = vec![b'\n'];
        for start in (0..n_samples).map(|sample| sample * step) {
            let end = (start + SAMPLE).min(self.bytes.len());
            dictionary.extend_from_slice(&self.bytes[start..end]);
        }
        dictionary
    }
}

/// The compressed blocks of a file: the sections of dictionary, table and blocks.
pub(crate) struct Blocks {
    pub(crate) dictionary: usize,
    pub(crate) table: usize,
    pub(crate) blocks: usize,
    /// The dictionary, read on first use.
    prepared: OnceLock<DecoderDictionary<'static>>,
}

impl fmt::Debug for Blocks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Blocks").field("blocks", &self.blocks).finish_non_exhaustive()
    }
}

/// The byte ranges of a block, uncompressed and stored.
struct BlockRange {
    plain: Range<u64>,
    stored: Range<u64>,
}

impl Blocks {
    pub(crate) fn new([dictionary, table, blocks]: [usize; 3]) -> Self {
        Self { dictionary, table, blocks, prepared: OnceLock::new() }
    }

    /// Returns the number of uncompressed bytes.
    pub(crate) fn plain_len(&self, pages: &Pages) -> Result<u64, CorruptionError> {
        let last = (pages.len(self.table) / LINE).saturating_sub(1);
        Ok(self.line_start(pages, last)?.0)
    }

    fn line_start(&self, pages: &Pages, line: usize) -> Result<(u64, u64), CorruptionError> {
        let bytes = pages.get(self.table, LINE * line..LINE * line + LINE)?;
        u64_at(bytes, 0)
            .zip(u64_at(bytes, 8))
            .ok_or_else(|| pages.corrupt("the block table is truncated"))
    }

    /// Returns the block that contains the byte at `position`.
    fn line(&self, pages: &Pages, position: u64) -> Result<BlockRange, CorruptionError> {
        let n_blocks = (pages.len(self.table) / LINE).saturating_sub(1);
        let (mut low, mut high) = (0, n_blocks);
        while high - low > 1 {
            let middle = low.midpoint(high);
            if self.line_start(pages, middle)?.0 <= position { low = middle } else { high = middle }
        }
        let (start, end) = (self.line_start(pages, low)?, self.line_start(pages, low + 1)?);
        Ok(BlockRange { plain: start.0..end.0, stored: start.1..end.1 })
    }

    fn read(&self, pages: &Pages, line: &BlockRange) -> Result<Vec<u8>, CorruptionError> {
        let size = line.plain.end.checked_sub(line.plain.start);
        let size = size.and_then(|size| usize::try_from(size).ok());
        let size = size.ok_or_else(|| pages.corrupt("the block table is invalid"))?;
        let position = |position: u64| usize::try_from(position).unwrap_or(usize::MAX);
        let stored =
            pages.get(self.blocks, position(line.stored.start)..position(line.stored.end))?;
        let dictionary = self.prepared(pages)?;
        let mut block = Vec::with_capacity(size);
        let decompressed = CONTEXT.with_borrow_mut(|context| match dictionary {
            None => context.decompress(&mut block, stored),
            Some(dictionary) => {
                context.decompress_using_ddict(&mut block, stored, dictionary.as_ddict())
            }
        });
        decompressed
            .map_err(|code| pages.corrupt(format!("invalid block: {}", get_error_name(code))))?;
        match block.len() == size {
            true => Ok(block),
            false => Err(pages.corrupt("the size of a block does not match the table")),
        }
    }

    fn prepared(
        &self,
        pages: &Pages,
    ) -> Result<Option<&DecoderDictionary<'static>>, CorruptionError> {
        if pages.len(self.dictionary) == 0 {
            return Ok(None);
        }
        if let Some(dictionary) = self.prepared.get() {
            return Ok(Some(dictionary));
        }
        let corrupt = |error: io::Error| pages.corrupt(format!("invalid dictionary: {error}"));
        let stored = pages.section(self.dictionary)?;
        let plain = zstd::bulk::decompress(stored, MAX_DICTIONARY + SAMPLE).map_err(corrupt)?;
        let prepared = DecoderDictionary::try_copy(&plain).map_err(corrupt)?;
        Ok(Some(self.prepared.get_or_init(|| prepared)))
    }

    /// Creates a reader of consecutive ranges.
    pub(crate) fn reader<'a>(&'a self, pages: &'a Pages) -> BlockReader<'a> {
        BlockReader { blocks: self, pages, plain: 0..0, block: Vec::new() }
    }
}

/// Reads the bytes of documents; each block is decompressed once if they are ascending.
#[derive(Debug)]
pub(crate) struct BlockReader<'a> {
    blocks: &'a Blocks,
    pages: &'a Pages,
    /// The range of bytes in `block`.
    plain: Range<u64>,
    block: Vec<u8>,
}

impl BlockReader<'_> {
    /// Returns the bytes of a document.
    pub(crate) fn get(&mut self, range: Range<u64>) -> Result<&[u8], CorruptionError> {
        if range.is_empty() {
            return Ok(&[]);
        }
        if !self.plain.contains(&range.start) {
            let line = self.blocks.line(self.pages, range.start)?;
            self.plain = 0..0;
            self.block = self.blocks.read(self.pages, &line)?;
            self.plain = line.plain;
        }
        let position = |position: u64| {
            let position = position.checked_sub(self.plain.start)?;
            usize::try_from(position).ok()
        };
        let range = position(range.start).zip(position(range.end));
        let bytes = range.and_then(|(start, end)| self.block.get(start..end));
        bytes.ok_or_else(|| self.pages.corrupt("a document extends beyond its block"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::io::{Bytes, MemoryFile};
    use crate::pages::{FileFormat, PageWriter};

    const FORMAT: FileFormat = FileFormat { magic: *b"testtest", version: 1, sections: 3 };

    fn read_back(items: &[Vec<u8>], size: usize) {
        let mut builder = BlockBuilder::new(size);
        let ends: Vec<u64> = items.iter().map(|item| builder.push(item)).collect();
        let compressed = builder.compress().expect("in memory");
        let file = MemoryFile::default();
        let mut writer = PageWriter::begin(Box::new(file.clone()), FORMAT).expect("in memory");
        writer.section([&compressed.dictionary[..]]).expect("in memory");
        writer.section([&compressed.table[..]]).expect("in memory");
        writer.section(compressed.blocks.iter().map(|block| &block[..])).expect("in memory");
        writer.finish().expect("in memory");
        let bytes = Bytes::Memory(file.contents().into());
        let pages = Pages::open("test", bytes, &[FORMAT]).expect("the data is intact");
        let blocks = Blocks::new([0, 1, 2]);
        let all: usize = items.iter().map(Vec::len).sum();
        assert_eq!(blocks.plain_len(&pages).expect("the data is intact"), all as u64);
        let range =
            |number: usize| if number == 0 { 0..ends[0] } else { ends[number - 1]..ends[number] };
        let mut in_order = blocks.reader(&pages);
        for (number, item) in items.iter().enumerate() {
            assert_eq!(in_order.get(range(number)).expect("the data is intact"), item);
        }
        for (number, item) in items.iter().enumerate().rev().step_by(7) {
            assert_eq!(blocks.reader(&pages).get(range(number)).expect("the data is intact"), item);
        }
        let beyond = blocks.reader(&pages).get(0..all as u64 + 1).map(<[u8]>::len);
        assert!(beyond.is_err(), "reading past the end fails");
    }

    proptest! {
        #[test]
        fn items_are_read_back(
            items in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..90), 0..60),
            size in 1usize..200,
        ) {
            read_back(&items, size);
        }
    }

    #[test]
    fn large_data_is_compressed_with_a_dictionary() {
        let words = ["kin", "of", "a", "text", "that", "was", "copied", "\n"];
        let item = |n: usize| -> Vec<u8> {
            let word = |m: usize| words[(n * n + m * m * 7 + m * n) % words.len()];
            (0..400).flat_map(|m| format!("{} ", word(m)).into_bytes()).collect()
        };
        let items: Vec<Vec<u8>> = (0..1500).map(item).collect();
        read_back(&items, 16 << 10);
        let mut builder = BlockBuilder::new(16 << 10);
        items.iter().for_each(|item| {
            builder.push(item);
        });
        let compressed = builder.compress().expect("in memory");
        assert!(!compressed.dictionary.is_empty());
    }
}
