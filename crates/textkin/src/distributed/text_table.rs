//! The texts that one part of the work speaks of: keys and sizes, each once.

use hashbrown::HashMap;
use textkin_core::chunk::mix;

use super::error::Error;
use super::wire::{WireReader, push};

/// What is known of a text wherever it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextSizes {
    /// Its key, of its words.
    pub key: i64,
    /// Its tokens.
    pub words: u32,
    /// Its distinct chunks.
    pub chunks: u32,
    /// Documents that have it.
    pub copies: u32,
}

impl TextSizes {
    /// What it adds to the hash of a list or pair it is in.
    pub(super) fn hash(&self) -> u64 {
        mix(self.key.cast_unsigned())
    }
}

/// Texts by number, in the order they came.
#[derive(Debug, Default)]
pub(super) struct TextTable {
    texts: Vec<TextSizes>,
    numbers: HashMap<i64, u32>,
}

impl TextTable {
    /// The number of `text`; a text that is known keeps its number.
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

    /// One more than the largest number: a bit is left for others.
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

/// Writes the texts that some bytes name, and gives each its place there.
pub(super) struct TextTableWriter {
    /// For each number, the place plus one, or zero.
    places: Vec<u32>,
    named: Vec<u32>,
}

impl TextTableWriter {
    pub(super) fn new(texts: &TextTable) -> Self {
        Self { places: vec![0; texts.len()], named: Vec::new() }
    }

    /// The place of the text with `number`.
    pub(super) fn place(&mut self, number: u32) -> u32 {
        let place = &mut self.places[number as usize];
        if *place == 0 {
            self.named.push(number);
            *place = u32::try_from(self.named.len()).unwrap_or(u32::MAX);
        }
        *place - 1
    }

    /// The texts named since the last time, in order of place, followed by `body`.
    pub(super) fn finish(&mut self, texts: &TextTable, body: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.named.len() * 13 + body.len() + 4);
        push(&mut bytes, self.named.len() as u64);
        for number in self.named.drain(..) {
            let text = texts.get(number);
            bytes.extend_from_slice(&text.key.to_le_bytes());
            push(&mut bytes, u64::from(text.words));
            push(&mut bytes, u64::from(text.chunks));
            push(&mut bytes, u64::from(text.copies));
            self.places[number as usize] = 0;
        }
        bytes.extend_from_slice(body);
        bytes
    }
}

/// Reads the texts that bytes begin with into `texts`: the number of each place.
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
