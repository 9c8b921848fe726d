//! Tables of texts: each text that some bytes refer to is stored once, with key and sizes.

use hashbrown::HashMap;
use textkin_core::chunk::mix;

use super::error::Error;
use super::wire::{WireReader, push};

/// The key and the sizes of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextSizes {
    /// The key, computed from its words.
    pub key: i64,
    /// Number of tokens.
    pub words: u32,
    /// Number of distinct chunks.
    pub chunks: u32,
    /// Number of documents that have this text.
    pub copies: u32,
}

impl TextSizes {
    /// Returns its contribution to the hash of a list or pair.
    pub(super) fn hash(&self) -> u64 {
        mix(self.key.cast_unsigned())
    }
}

/// Texts by number, in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct TextTable {
    texts: Vec<TextSizes>,
    numbers: HashMap<i64, u32>,
}

impl TextTable {
    /// Adds `text` and returns its number; an existing text keeps its number.
    pub(super) fn add(&mut self, text: TextSizes) -> Result<u32, Error> {
        let next = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        if next >= Self::MAX {
            return Err(Error::TooMany("texts"));
        }
        let number = *self.numbers.entry(text.key).or_insert(next);
        if number == next {
            self.texts.push(text);
        }
        Ok(number)
    }

    /// Maximum number of texts: one bit is reserved for flags.
    const MAX: u32 = 1 << 31;

    pub(super) fn get(&self, number: u32) -> TextSizes {
        self.texts[number as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(super) fn clear(&mut self) {
        self.texts.clear();
        self.numbers.clear();
    }
}

/// Writes the texts that some bytes refer to, and assigns each an index.
pub(super) struct TextTableWriter {
    /// For each text, its index plus one, or zero.
    indices: Vec<u32>,
    used: Vec<u32>,
}

impl TextTableWriter {
    pub(super) fn new(texts: &TextTable) -> Self {
        Self { indices: vec![0; texts.len()], used: Vec::new() }
    }

    /// Returns the index of the text with `number`.
    pub(super) fn index(&mut self, number: u32) -> u32 {
        let index = &mut self.indices[number as usize];
        if *index == 0 {
            self.used.push(number);
            *index = u32::try_from(self.used.len()).unwrap_or(u32::MAX);
        }
        *index - 1
    }

    /// Returns the texts used since the last call, in the order of their indices, followed by
    /// `body`.
    pub(super) fn finish(&mut self, texts: &TextTable, body: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.used.len() * 13 + body.len() + 4);
        push(&mut bytes, self.used.len() as u64);
        for number in self.used.drain(..) {
            let text = texts.get(number);
            bytes.extend_from_slice(&text.key.to_le_bytes());
            push(&mut bytes, u64::from(text.words));
            push(&mut bytes, u64::from(text.chunks));
            push(&mut bytes, u64::from(text.copies));
            self.indices[number as usize] = 0;
        }
        bytes.extend_from_slice(body);
        bytes
    }
}

/// Reads the texts at the start of bytes into `texts`, and returns the number of each index.
pub(super) fn read(reader: &mut WireReader<'_>, texts: &mut TextTable) -> Result<Vec<u32>, Error> {
    let count = reader.count()?;
    let mut numbers = Vec::with_capacity(count);
    for _ in 0..count {
        let key = i64::from_le_bytes(reader.array()?);
        let (words, chunks, copies) = (reader.small()?, reader.small()?, reader.small()?);
        numbers.push(texts.add(TextSizes { key, words, chunks, copies })?);
    }
    Ok(numbers)
}
