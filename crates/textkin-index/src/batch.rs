//! Batches: some thousand texts with their normalized tokens and one record per chunk.
//!
//! In: the tokens of distinct texts, from one worker. Out: a [`Batch`] whose records are ordered by
//! partition (the top bits of their hash) and, within a partition, by position. A batch is the unit that is
//! held in memory or spilled to disk.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use textkin_core::chunk::{
    RollingHash, RunHashes, overlapping_count, short_token_hash, token_hash,
};
use textkin_core::{Chunk, Identity, Tokens};

use crate::array::{Array, SpillFile, Window};
use crate::error::Error;
use crate::record::{Link, Record};

/// Records are split by this many top bits of their hash.
pub(crate) const PARTITION_BITS: u32 = 12;
/// Number of partitions.
pub(crate) const PARTITIONS: usize = 1 << PARTITION_BITS;
/// The offset of every 8th token is stored.
const SAMPLE: usize = 8;
/// The text of every 256th chunk is stored.
const BLOCK: usize = 256;
/// A batch is full when it has this many chunks…
const FULL_CHUNKS: usize = 1 << 20;
/// …or this many bytes of text.
const FULL_BYTES: usize = 32 << 20;

/// Texts are read from disk in pieces of about this many bytes.
const READ_BYTES: usize = 1 << 18;

/// How chunks are made, and when two of them are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchSettings {
    /// `Some(k)`: the chunks are all runs of `k` tokens and need not be stored.
    pub overlapping_words: Option<u32>,
    /// When two chunks are the same.
    pub identity: Identity,
    /// Whether a selector keeps only some of the chunks.
    pub selective: bool,
    /// Whether records are created now, or later by a filter that reads the texts again.
    pub records: bool,
    /// Number of top bits used of each hash; 64 except in tests of hash collisions.
    pub hash_bits: u32,
}

impl BatchSettings {
    /// Returns the settings for chunks whose texts are not available: only their hashes are compared.
    #[must_use]
    pub fn of_stored_chunks(hash_bits: u32) -> Self {
        Self {
            overlapping_words: None,
            identity: Identity::Hash,
            selective: false,
            records: true,
            hash_bits,
        }
    }

    /// Mask of the bits that are used of each hash.
    #[must_use]
    pub fn hash_mask(&self) -> u64 {
        u64::MAX << (64 - self.hash_bits.clamp(1, 64))
    }
}

/// Address of a text: its batch and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextAddress {
    /// Number of the batch.
    pub batch: u32,
    /// Number of the text in the batch.
    pub text: u32,
}

/// One text of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchText {
    /// Where its tokens begin in the batch's text.
    pub(crate) start: u32,
    /// Its first sampled token.
    pub(crate) sample: u32,
    /// Position of its first chunk.
    pub(crate) chunk: u32,
    /// Number of tokens.
    pub(crate) tokens: u32,
}

/// Tokens and bytes of a chunk in its text, for chunkers whose chunks are stored.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ChunkBounds {
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Some thousand texts, their records or links, and the data for verifying them.
#[derive(Debug, Default)]
pub struct Batch {
    pub(crate) texts: Vec<BatchText>,
    pub(crate) n_chunks: u32,
    /// Text of the first chunk of each block of chunks.
    blocks: Vec<u32>,
    pub(crate) text: Array<u8>,
    samples: Array<u32>,
    pub(crate) chunk_bounds: Array<ChunkBounds>,
    pub(crate) records: Array<Record>,
    /// Where each partition begins in `records`.
    pub(crate) partition_starts: Vec<u32>,
    pub(crate) links: Array<Link>,
    /// One bit per chunk: a selector kept it.
    pub(crate) selected: Vec<u64>,
}

impl Batch {
    /// Bytes of memory in use.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let vectors = self.texts.capacity() * size_of::<BatchText>()
            + (self.blocks.capacity() + self.partition_starts.capacity()) * 4
            + self.selected.capacity() * 8;
        vectors as u64
            + self.text.memory()
            + self.samples.memory()
            + self.chunk_bounds.memory()
            + self.records.memory()
            + self.links.memory()
    }

    /// Moves the large arrays to `spill_file`.
    pub(crate) fn spill(&mut self, spill_file: &Arc<SpillFile>) -> Result<(), Error> {
        self.text.spill(spill_file)?;
        self.samples.spill(spill_file)?;
        self.chunk_bounds.spill(spill_file)?;
        self.links.spill(spill_file)?;
        self.records.spill(spill_file)
    }

    /// Where the records of partition `partition` begin.
    #[inline]
    pub(crate) fn partition_start(&self, partition: usize) -> usize {
        self.partition_starts.get(partition).map_or(0, |&start| start as usize)
    }

    /// Number of the text that contains the chunk at `position`.
    #[inline]
    pub(crate) fn text_of(&self, position: u32) -> usize {
        let block = position as usize / BLOCK;
        let first = self.blocks[block] as usize;
        let last = self.blocks.get(block + 1).map_or(self.texts.len(), |&next| next as usize + 1);
        let later = &self.texts[(first + 1).min(last)..last];
        first + later.partition_point(|text| text.chunk <= position)
    }

    /// Position one past the last chunk of text `text`.
    pub(crate) fn chunks_end(&self, text: usize) -> u32 {
        self.texts.get(text + 1).map_or(self.n_chunks, |next| next.chunk)
    }

    /// One past the last byte of text `text`.
    pub(crate) fn text_end(&self, text: usize) -> u32 {
        self.texts.get(text + 1).map_or(self.text.len() as u32, |next| next.start)
    }

    /// The normalized bytes of text `text`.
    pub(crate) fn text_bytes<'a>(
        &'a self,
        text: usize,
        window: &'a mut Window<u8>,
    ) -> Result<&'a [u8], Error> {
        self.text.read(self.texts[text].start as usize..self.text_end(text) as usize, window)
    }

    /// Calls `visit` with the number and the bytes of every text, in order.
    pub(crate) fn for_each_text(&self, mut visit: impl FnMut(usize, &[u8])) -> Result<(), Error> {
        let mut window = Window::default();
        let mut first = 0;
        while first < self.texts.len() {
            // Reads many texts at a time: one disk read for each would be slow.
            let start = self.texts[first].start as usize;
            let within = |text: &BatchText| (text.start as usize) < start + READ_BYTES;
            let end = first + self.texts[first..].partition_point(within);
            let range = start..self.text_end(end - 1) as usize;
            let bytes = self.text.read(range, &mut window)?;
            for text in first..end {
                let position = self.texts[text].start as usize..self.text_end(text) as usize;
                visit(text, &bytes[position.start - start..position.end - start]);
            }
            first = end;
        }
        Ok(())
    }

    /// Where token `token` of text `text` begins in the batch's text.
    pub(crate) fn token_start(
        &self,
        text: usize,
        token: u32,
        samples: &mut Window<u32>,
        bytes: &mut Window<u8>,
    ) -> Result<u32, Error> {
        let position = &self.texts[text];
        let sample = position.sample as usize + token as usize / SAMPLE;
        let base = self.samples.read(sample..sample + 1, samples)?[0];
        let skip = token as usize % SAMPLE;
        if skip == 0 {
            return Ok(base);
        }
        let end = self.text_end(text);
        // Most tokens are short, so one read is usually enough; the next one is larger.
        let mut window = 32 * SAMPLE as u32;
        loop {
            let window_end = base.saturating_add(window).min(end);
            let bytes = self.text.read(base as usize..window_end as usize, bytes)?;
            if let Some(offset) = after_separators(bytes, skip) {
                return Ok(base + offset as u32);
            }
            if window_end == end {
                return Ok(end);
            }
            window = window.saturating_mul(4);
        }
    }

    /// Creates the records of the chunks that `keep` keeps. Given the token hashes of a text, `keep`
    /// sets a flag for each chunk of the text. `records` is a buffer.
    pub(crate) fn make_records(
        &mut self,
        settings: &BatchSettings,
        records: &mut Vec<Record>,
        mut keep: impl FnMut(&[u64], &mut Vec<bool>),
    ) -> Result<(), Error> {
        let rolling = RollingHash::new(settings.overlapping_words.unwrap_or(1));
        let mask = settings.hash_mask();
        let (mut kept, mut tokens) = (Vec::new(), Vec::new());
        records.clear();
        self.for_each_text(|text, bytes| {
            hash_tokens(bytes, &mut tokens);
            keep(&tokens, &mut kept);
            if !kept.contains(&true) {
                return;
            }
            let mut flags = kept.iter();
            let mut position = self.texts[text].chunk;
            rolling.hash_all(&tokens, |hash| {
                if flags.next() == Some(&true) {
                    records.push(Record::new(hash & mask, position));
                }
                position += 1;
            });
        })?;
        self.partition(
            records.len(),
            records.iter().map(|record| (record.value(), record.position())),
        );
        Ok(())
    }

    /// Removes the records of the texts for which `is_dropped` is true.
    pub(crate) fn drop_records(&mut self, is_dropped: &[bool]) -> Result<(), Error> {
        let mut window = Window::default();
        let records = self.records.read_all(&mut window)?;
        let mut kept = Vec::with_capacity(records.len());
        let mut starts = Vec::with_capacity(PARTITIONS + 1);
        for partition in 0..PARTITIONS {
            starts.push(kept.len() as u32);
            let range = self.partition_start(partition)..self.partition_start(partition + 1);
            let remains = |record: &&Record| !is_dropped[self.text_of(record.position())];
            kept.extend(records[range].iter().filter(remains));
        }
        starts.push(kept.len() as u32);
        self.partition_starts = starts;
        self.records = Array::Memory(kept);
        Ok(())
    }

    /// Sorts records by partition; `values` yields hash and position, ordered by position.
    fn partition(&mut self, n_values: usize, values: impl Iterator<Item = (u64, u32)> + Clone) {
        let mut starts = vec![0u32; PARTITIONS + 1];
        for (hash, _) in values.clone() {
            starts[partition_of(hash) + 1] += 1;
        }
        for partition in 0..PARTITIONS {
            starts[partition + 1] += starts[partition];
        }
        let mut next = starts.clone();
        let mut records = vec![Record::default(); n_values];
        for (hash, position) in values {
            let at = &mut next[partition_of(hash)];
            records[*at as usize] = Record::new(hash, position);
            *at += 1;
        }
        self.partition_starts = starts;
        self.records = Array::Memory(records);
    }
}

#[inline]
fn partition_of(hash: u64) -> usize {
    (hash >> (64 - PARTITION_BITS)) as usize
}

/// Hashes each token of a normalized text.
///
/// Examines eight bytes at a time: most tokens end within them.
pub(crate) fn hash_tokens(text: &[u8], hashes: &mut Vec<u64>) {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const SEPARATORS: u64 = ONES * Tokens::SEPARATOR as u64;
    hashes.clear();
    let mut rest = text;
    while let Some(&bytes) = rest.first_chunk() {
        let word = u64::from_le_bytes(bytes);
        // The lowest set bit belongs to the first separator; later ones may be wrong.
        let differs = word ^ SEPARATORS;
        let found = differs.wrapping_sub(ONES) & !differs & (ONES << 7);
        let token = if found == 0 {
            let len = 8 + end_of_token(&rest[8..]);
            hashes.push(token_hash(&rest[..len]));
            len
        } else {
            let len = found.trailing_zeros() / 8;
            if len > 0 {
                let own = word & ((1 << (8 * len)) - 1);
                hashes.push(short_token_hash(u128::from(own), len as usize));
            }
            len as usize
        };
        rest = rest.get(token + 1..).unwrap_or_default();
    }
    let tokens = rest.split(|&byte| byte == Tokens::SEPARATOR);
    hashes.extend(tokens.filter(|token| !token.is_empty()).map(token_hash));
}

/// The offset of the first separator, or the length.
fn end_of_token(bytes: &[u8]) -> usize {
    bytes.iter().position(|&byte| byte == Tokens::SEPARATOR).unwrap_or(bytes.len())
}

/// The offset after the `n`-th separator.
fn after_separators(bytes: &[u8], n: usize) -> Option<usize> {
    memchr::memchr_iter(Tokens::SEPARATOR, bytes).nth(n - 1).map(|offset| offset + 1)
}

/// The words of a large text, which is read part by part so that little more than its words is in memory.
#[derive(Debug, Default)]
pub struct LargeText {
    text: Vec<u8>,
    samples: Vec<u32>,
    n_tokens: usize,
}

impl LargeText {
    /// Creates an empty text with room for `bytes` bytes.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        Self { text: Vec::with_capacity(bytes), ..Self::default() }
    }

    /// Appends the tokens of the next part.
    pub fn push(&mut self, tokens: &Tokens) {
        let start = self.text.len() as u32;
        let first = self.n_tokens.next_multiple_of(SAMPLE) - self.n_tokens;
        let sampled = (first..tokens.len()).step_by(SAMPLE);
        self.samples.extend(sampled.map(|token| start + tokens.start(token)));
        self.text.extend_from_slice(tokens.normalized());
        self.n_tokens += tokens.len();
    }

    /// Its normalized tokens, as [`Tokens::normalized`].
    #[must_use]
    pub fn normalized(&self) -> &[u8] {
        &self.text
    }

    /// Number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n_tokens
    }

    /// Whether it has no tokens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n_tokens == 0
    }
}

/// Collects texts into a [`Batch`].
#[derive(Debug)]
pub struct BatchBuilder {
    settings: BatchSettings,
    mask: u64,
    rolling: RollingHash,
    batch: Batch,
    text: Vec<u8>,
    samples: Vec<u32>,
    chunk_bounds: Vec<ChunkBounds>,
    hashes: Vec<u64>,
    /// Whether the batch is one large text, whose chunks are hashed once all of it is there.
    is_large: bool,
}

impl BatchBuilder {
    /// Starts an empty batch.
    #[must_use]
    pub fn new(settings: BatchSettings) -> Self {
        Self {
            settings,
            mask: settings.hash_mask(),
            rolling: RollingHash::new(settings.overlapping_words.unwrap_or(1)),
            batch: Batch::default(),
            text: Vec::new(),
            samples: Vec::new(),
            chunk_bounds: Vec::new(),
            hashes: Vec::with_capacity(if settings.records { FULL_CHUNKS } else { 0 }),
            is_large: false,
        }
    }

    /// Whether no text was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.batch.texts.is_empty()
    }

    /// Whether to finish the batch and begin a new one before adding a text of `bytes` bytes.
    #[must_use]
    pub fn is_full(&self, bytes: usize) -> bool {
        let beyond =
            !self.is_empty() && self.text.len() + bytes > FULL_BYTES.max(u32::MAX as usize / 2);
        let is_full = self.batch.n_chunks as usize >= FULL_CHUNKS || self.text.len() >= FULL_BYTES;
        is_full || beyond || self.is_large
    }

    /// Adds a text whose chunks are all runs of `k` words. Returns its number in the batch.
    pub fn add_words(&mut self, tokens: &Tokens) -> u32 {
        let k = self.settings.overlapping_words.unwrap_or(1) as usize;
        let n_chunks = overlapping_count(tokens.len(), k) as u32;
        let number = self.add_text(tokens.len(), n_chunks);
        self.add_tokens(tokens);
        if self.settings.records {
            let (mask, hashes) = (self.mask, &mut self.hashes);
            hashes.reserve(n_chunks as usize);
            self.rolling.hash_all(tokens.hashes(), |hash| hashes.push(hash & mask));
        }
        number
    }

    /// Adds a large text whose chunks are all runs of `k` words, as the only text of the batch. Returns its number.
    pub fn add_large(&mut self, text: LargeText) -> u32 {
        debug_assert!(self.is_empty(), "a large text has a batch of its own");
        let k = self.settings.overlapping_words.unwrap_or(1) as usize;
        let number = self.add_text(text.len(), overlapping_count(text.len(), k) as u32);
        (self.text, self.samples) = (text.text, text.samples);
        self.hashes = Vec::new();
        self.is_large = true;
        number
    }

    /// Adds a text with its chunks. Returns its number in the batch.
    ///
    /// `selection` holds the ascending indices of the chunks that a selector kept, `None` for all.
    pub fn add_chunks(
        &mut self,
        tokens: &Tokens,
        chunks: &[Chunk],
        selection: Option<&[u32]>,
    ) -> u32 {
        let first = self.batch.n_chunks;
        let number = self.add_text(tokens.len(), chunks.len() as u32);
        self.add_tokens(tokens);
        self.add_chunk_bounds(chunks);
        if self.settings.selective {
            self.batch.selected.resize((self.batch.n_chunks as usize).div_ceil(64), 0);
            let mut select = |index: u32| {
                let position = (first + index) as usize;
                self.batch.selected[position / 64] |= 1 << (position % 64);
            };
            match selection {
                Some(selection) => selection.iter().copied().for_each(&mut select),
                None => (0..chunks.len() as u32).for_each(&mut select),
            }
        }
        number
    }

    /// Adds the chunks of a text of `words` words that is not available. Returns its number in the batch.
    ///
    /// The settings must be those of [`BatchSettings::of_stored_chunks`].
    pub fn add_stored_chunks(&mut self, words: u32, chunks: &[Chunk]) -> u32 {
        debug_assert_eq!(self.settings.identity, Identity::Hash, "there are no bytes to compare");
        let number = self.add_text(words as usize, chunks.len() as u32);
        self.add_chunk_bounds(chunks);
        number
    }

    fn add_chunk_bounds(&mut self, chunks: &[Chunk]) {
        if self.settings.overlapping_words.is_none() {
            let position = |chunk: &Chunk| ChunkBounds {
                first: chunk.first,
                count: chunk.count,
                start: chunk.start,
                end: chunk.end,
            };
            self.chunk_bounds.extend(chunks.iter().map(position));
        }
        let mask = self.mask;
        self.hashes.extend(chunks.iter().map(|chunk| chunk.hash & mask));
    }

    fn add_text(&mut self, n_tokens: usize, n_chunks: u32) -> u32 {
        let number = self.batch.texts.len() as u32;
        let start = self.text.len() as u32;
        let first = self.batch.n_chunks;
        self.batch.texts.push(BatchText {
            start,
            sample: self.samples.len() as u32,
            chunk: first,
            tokens: n_tokens as u32,
        });
        self.batch.n_chunks += n_chunks;
        let blocks = (self.batch.n_chunks as usize).div_ceil(BLOCK);
        // A block belongs to the text that contains its first chunk, which may be an earlier one.
        self.batch.blocks.resize(blocks, number);
        number
    }

    fn add_tokens(&mut self, tokens: &Tokens) {
        let start = self.text.len() as u32;
        self.text.extend_from_slice(tokens.normalized());
        let sampled = (0..tokens.len()).step_by(SAMPLE);
        self.samples.extend(sampled.map(|token| start + tokens.start(token)));
    }

    /// Finishes the batch and sorts its records.
    #[must_use]
    pub fn finish(self) -> Batch {
        let Self { settings, mut batch, mut text, mut samples, chunk_bounds, hashes, .. } = self;
        text.shrink_to_fit();
        if settings.records && self.is_large {
            let tokens = text.split(|&byte| byte == Tokens::SEPARATOR);
            let tokens = tokens.filter(|token| !token.is_empty()).map(token_hash);
            let mask = self.mask;
            let hashes = RunHashes::new(self.rolling, tokens).map(|hash| hash & mask);
            batch.partition(batch.n_chunks as usize, hashes.zip(0u32..));
        } else if settings.records {
            let selected = std::mem::take(&mut batch.selected);
            let positions = hashes.iter().copied().zip(0u32..);
            if settings.selective {
                let flag = |position: u32| {
                    (selected[position as usize / 64] >> (position % 64)) as u32 & 1
                };
                batch.partition(
                    hashes.len(),
                    positions.map(|(hash, position)| {
                        (hash, position | (flag(position) * Record::SELECTED))
                    }),
                );
            } else {
                batch.partition(hashes.len(), positions);
            }
            batch.selected = selected;
        }
        samples.shrink_to_fit();
        batch.texts.shrink_to_fit();
        batch.text = Array::Memory(text);
        batch.samples = Array::Memory(samples);
        batch.chunk_bounds = Array::Memory(chunk_bounds);
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_large_text_gives_the_batch_of_its_tokens(
            parts in prop::collection::vec(prop::collection::vec("[a-z]{1,9}", 0..30), 0..5),
            k in 1..5u32,
        ) {
            let settings = BatchSettings {
                overlapping_words: Some(k),
                identity: Identity::Bytes,
                selective: false,
                records: true,
                hash_bits: 20,
            };
            let tokens = |parts: &[Vec<String>]| {
                let mut tokens = Tokens::default();
                for token in parts.iter().flatten() {
                    tokens.push(token.as_bytes(), textkin_core::Span::default());
                }
                tokens
            };
            let mut large = LargeText::with_capacity(0);
            for part in &parts {
                large.push(&tokens(std::slice::from_ref(part)));
            }
            let whole = tokens(&parts);
            prop_assert_eq!((large.normalized(), large.len()), (whole.normalized(), whole.len()));
            let (mut found, mut expected) = (BatchBuilder::new(settings), BatchBuilder::new(settings));
            found.add_large(large);
            expected.add_words(&whole);
            prop_assert!(found.is_full(0));
            let (found, expected) = (found.finish(), expected.finish());
            let of = |batch: &Batch| {
                let (mut text, mut samples, mut records) = Default::default();
                let text = batch.text.read_all(&mut text).unwrap().to_vec();
                let samples = batch.samples.read_all(&mut samples).unwrap().to_vec();
                let records = batch.records.read_all(&mut records).unwrap().to_vec();
                (text, samples, records, batch.partition_starts.clone(), batch.n_chunks)
            };
            prop_assert_eq!(of(&found), of(&expected));
        }

        #[test]
        fn hash_tokens_equals_hashing_each_token(tokens in prop::collection::vec("[a-zé\u{80}]{1,20}", 0..30)) {
            let text = tokens.iter().fold(Vec::new(), |mut text, token| {
                text.extend_from_slice(token.as_bytes());
                text.push(Tokens::SEPARATOR);
                text
            });
            let expected: Vec<u64> = tokens.iter().map(|token| token_hash(token.as_bytes())).collect();
            for text in [&text[..], text.strip_suffix(&[Tokens::SEPARATOR]).unwrap_or_default()] {
                let mut hashes = Vec::new();
                hash_tokens(text, &mut hashes);
                prop_assert_eq!(&hashes, &expected);
            }
        }
    }
}
