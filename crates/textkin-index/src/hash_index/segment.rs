//! Segment: entries in a temporary file, sorted by hash, with the first hash of each block in memory.

use std::marker::PhantomData;
use std::path::Path;

use super::HashEntry;
use crate::array::SpillFile;
use crate::error::Error;

/// Number of entries of a block; a block is read as a whole.
const BLOCK: usize = 256;

/// Number of blocks that a merge reads of a segment at once.
const AHEAD: usize = 16;

#[derive(Debug)]
pub(super) struct HashSegment<E> {
    spill_file: SpillFile,
    len: usize,
    /// The hash that each block begins with.
    firsts: Vec<u64>,
    entries: PhantomData<E>,
}

impl<E: HashEntry> HashSegment<E> {
    /// Writes entries that are sorted by hash.
    pub(super) fn write(directory: &Path, entries: &[E]) -> Result<Self, Error> {
        let spill_file = SpillFile::new(directory)?;
        spill_file.append(bytemuck::cast_slice(entries))?;
        let firsts = entries.chunks(BLOCK).map(|block| block[0].hash()).collect();
        Ok(Self { spill_file, len: entries.len(), firsts, entries: PhantomData })
    }

    /// Merges all entries of `segments` into one segment.
    pub(super) fn merge(directory: &Path, segments: &[Self]) -> Result<Self, Error> {
        let len = segments.iter().map(|segment| segment.len).sum();
        let spill_file = SpillFile::new(directory)?;
        let mut merged = Self { spill_file, len, firsts: Vec::new(), entries: PhantomData };
        let mut readers: Vec<Reader<'_, E>> = segments.iter().map(Reader::new).collect();
        let mut block: Vec<E> = Vec::with_capacity(BLOCK * AHEAD);
        loop {
            // There are few segments, so a linear search is enough.
            let mut smallest: Option<(u64, usize)> = None;
            for (at, reader) in readers.iter_mut().enumerate() {
                if let Some(entry) = reader.peek()?
                    && smallest.is_none_or(|(hash, _)| entry.hash() < hash)
                {
                    smallest = Some((entry.hash(), at));
                }
            }
            let next = match smallest {
                Some((_, at)) => readers[at].next()?,
                None => None,
            };
            block.extend(next);
            if block.len() == block.capacity() || next.is_none() {
                merged.spill_file.append(bytemuck::cast_slice(&block))?;
                merged.firsts.extend(block.chunks(BLOCK).map(|block| block[0].hash()));
                block.clear();
            }
            if next.is_none() {
                return Ok(merged);
            }
        }
    }

    /// The entries with this hash.
    pub(super) fn with_hash(&self, hash: u64) -> Result<Vec<E>, Error> {
        // Equal hashes may begin at the end of the previous block.
        let mut block = self.firsts.partition_point(|&first| first < hash).saturating_sub(1);
        let mut found = Vec::new();
        while self.firsts.get(block).is_some_and(|&first| first <= hash) {
            let entries = self.read(block, 1)?;
            let from = entries.partition_point(|entry| entry.hash() < hash);
            let to = entries.partition_point(|entry| entry.hash() <= hash);
            found.extend_from_slice(&entries[from..to]);
            if to < entries.len() {
                break;
            }
            block += 1;
        }
        Ok(found)
    }

    /// Reads the entries of `n_blocks` blocks.
    fn read(&self, block: usize, n_blocks: usize) -> Result<Vec<E>, Error> {
        let start = (block * BLOCK).min(self.len);
        let end = (start + n_blocks * BLOCK).min(self.len);
        let mut entries = vec![E::zeroed(); end - start];
        let offset = (start * size_of::<E>()) as u64;
        self.spill_file.read_at(bytemuck::cast_slice_mut(&mut entries), offset)?;
        Ok(entries)
    }
}

/// Reads a segment from end to end.
struct Reader<'a, E> {
    segment: &'a HashSegment<E>,
    /// The next block to read.
    block: usize,
    entries: Vec<E>,
    at: usize,
}

impl<'a, E: HashEntry> Reader<'a, E> {
    fn new(segment: &'a HashSegment<E>) -> Self {
        Self { segment, block: 0, entries: Vec::new(), at: 0 }
    }

    fn peek(&mut self) -> Result<Option<E>, Error> {
        if self.at == self.entries.len() {
            self.entries = self.segment.read(self.block, AHEAD)?;
            self.block += AHEAD;
            self.at = 0;
        }
        Ok(self.entries.get(self.at).copied())
    }

    fn next(&mut self) -> Result<Option<E>, Error> {
        let next = self.peek()?;
        self.at += usize::from(next.is_some());
        Ok(next)
    }
}
