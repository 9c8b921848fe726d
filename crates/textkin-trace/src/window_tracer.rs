//! A slot for a selected chunk now and then, with a window: a few bits of each word around it.
//!
//! A slot of the paper says where one chunk came from, and a document has a slot for every six
//! words. Here a slot says it of the chunk and of the words around it: where a document agrees with
//! the window, word by word, it is copied as far as it agrees. So few slots tell of a whole
//! document, where a passage begins and ends is known to the word, and a hash that agrees by chance
//! is told apart by its window.
//!
//! 1. Selected chunks are looked up. What is found is copied as far as its window agrees.
//! 2. Two chunks found at the same distance as in their origin, whose windows agree to their ends
//!    towards each other, are joined by a bridge.
//! 3. A chunk of the document is copied if its words are; of several origins the earliest has it.
//! 4. Landmarks are stored: the first selected chunk `spacing` words after the last, with the origin
//!    that it was found to have; and, where there is room, the chunks between them.
//!
//! Eviction: a slot has a worth, more if it is a landmark, more whenever it is found. The least worth
//! leaves, and what it was worth is taken from all others, so that a bucket forgets as fast as
//! new landmarks come, and never faster. A chunk between landmarks makes nothing of more worth leave.

use std::ops::Range;

use hashbrown::HashMap;
use textkin_core::{Chunk, Chunked};

use crate::eviction::lowest;
use crate::label::Label;
use crate::random::Random;
use crate::settings::within;
use crate::table::{Field, Slot, Table, Widths};
use crate::{Error, WindowMethod};

/// Bytes of an offset: words of the origin, modulo 65,536.
const OFFSET_BYTES: usize = 2;
/// Worth of a chunk between landmarks.
const MINOR_WORTH: u8 = 1;

/// The table of landmarks and its rules.
#[derive(Debug)]
pub(crate) struct WindowTracer {
    method: WindowMethod,
    pub(crate) table: Table,
    pub(crate) random: Random,
}

/// A selected chunk that the table knows.
#[derive(Clone, Copy, Debug)]
struct Hit {
    chunk: Chunk,
    origin: u64,
    /// Offset in the origin less offset here, modulo 65,536.
    diagonal: u16,
    /// Words before the chunk that agree with the window.
    before: u32,
    /// Words after it that do.
    after: u32,
}

impl Hit {
    /// The words that are copied as far as this hit tells.
    fn words(&self) -> Range<u32> {
        self.chunk.first - self.before..self.chunk.first + self.chunk.count + self.after
    }
}

/// A few bits of each word on one side of a chunk, the nearest in the lowest bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Window {
    before: u64,
    after: u64,
}

impl WindowTracer {
    pub(crate) fn new(
        method: WindowMethod,
        memory: u64,
        bucket: u16,
        seed: u64,
    ) -> Result<Self, Error> {
        within("bits", u64::from(method.bits), 1..=8, "1 to 8")?;
        let side_bits = u64::from(method.window) * u64::from(method.bits);
        within("window × bits", side_bits, 8..=64, "8 to 64")?;
        within("window × bits modulo 8", side_bits % 8, 0..=0, "0: whole bytes")?;
        let widths = Widths {
            tag: usize::from(method.tag_bytes),
            score: 1,
            offset: OFFSET_BYTES,
            around: usize::from(method.window) * usize::from(method.bits) / 4,
            origin: usize::from(method.origin_bytes),
        };
        let table = Table::new(memory, bucket, widths)?;
        Ok(Self { method, table, random: Random::new(seed) })
    }

    /// Says where every chunk came from, and remembers some of those selected.
    pub(crate) fn trace(
        &mut self,
        number: u64,
        document: &Chunked<'_>,
        selection: &[u32],
    ) -> Vec<Option<Label>> {
        let hits: Vec<Option<Hit>> =
            selection.iter().map(|chunk| self.look_up(document, *chunk, number)).collect();
        let mut labels = vec![None; document.chunks.len()];
        for hit in hits.iter().flatten() {
            claim(document.chunks, hit.words(), hit, &mut labels);
        }
        self.bridge(document.chunks, &hits, &mut labels);
        for (chunk, hit) in selection.iter().zip(&hits) {
            if let (Some(hit), Some(label)) = (hit, &mut labels[*chunk as usize]) {
                label.is_estimated = label.origin != hit.origin;
            }
        }
        self.remember(number, document, selection, &hits, &labels);
        labels
    }

    fn look_up(&mut self, document: &Chunked<'_>, chunk: u32, number: u64) -> Option<Hit> {
        let chunk = document.chunks[chunk as usize];
        let slot = self.table.find(chunk.hash)?;
        let hashes = document.tokens.hashes();
        let [before_here, after_here] = sides(hashes, &chunk).map(|side| side.len());
        let (here, there) = (self.window(hashes, &chunk), self.stored_window(slot));
        let agreeing = |here: u64, there: u64, available: usize| {
            let words = (here ^ there).trailing_zeros() / u32::from(self.method.bits);
            let most = u32::try_from(available).unwrap_or(u32::MAX);
            words.min(u32::from(self.method.window)).min(most)
        };
        let before = agreeing(here.before, there.before, before_here);
        let after = agreeing(here.after, there.after, after_here);
        let offset = self.table.number(slot, Field::Offset);
        let diagonal = low_16(offset).wrapping_sub(low_16(u64::from(chunk.first)));
        let origin = self.table.origin(slot, number);
        let score = &mut self.table.scores_mut(slot.bucket)[slot.index];
        *score = score.saturating_add(self.method.found_worth);
        Some(Hit { chunk, origin, diagonal, before, after })
    }

    /// Labels what lies between two hits whose windows agree to the end towards each other.
    fn bridge(&self, chunks: &[Chunk], hits: &[Option<Hit>], labels: &mut [Option<Label>]) {
        let whole = u32::from(self.method.window);
        let mut last_on_diagonal: HashMap<(u64, u16), Hit> = HashMap::new();
        for end in hits.iter().flatten() {
            let last = last_on_diagonal.insert((end.origin, end.diagonal), *end);
            let Some(start) = last else { continue };
            let gap = end.chunk.first.saturating_sub(start.chunk.first + start.chunk.count);
            let agrees = start.after >= whole.min(gap) && end.before >= whole.min(gap);
            if agrees && gap < u32::from(self.method.bridge_limit) {
                claim(chunks, start.words().start..end.words().end, end, labels);
            }
        }
    }

    fn remember(
        &mut self,
        number: u64,
        document: &Chunked<'_>,
        selection: &[u32],
        hits: &[Option<Hit>],
        labels: &[Option<Label>],
    ) {
        let spacing = u32::from(self.method.spacing);
        // The first landmark has words before it that its window can tell of.
        let mut next_landmark = u32::from(self.method.window);
        let n_words = u32::try_from(document.tokens.len()).unwrap_or(u32::MAX);
        for (place, chunk) in selection.iter().enumerate() {
            let index = *chunk as usize;
            let chunk = document.chunks[index];
            let is_last = place + 1 == selection.len() && n_words < next_landmark + spacing;
            let is_landmark = chunk.first >= next_landmark || (is_last && next_landmark <= spacing);
            if is_landmark || hits[place].is_some() {
                next_landmark = chunk.first + spacing;
            }
            if hits[place].is_none() && self.table.find(chunk.hash).is_none() {
                let own = Label::found(number, Some(chunk.first));
                let worth = if is_landmark { self.method.landmark_worth } else { MINOR_WORTH };
                self.store(document, &chunk, labels[index].unwrap_or(own), worth);
            }
        }
    }

    fn store(&mut self, document: &Chunked<'_>, chunk: &Chunk, label: Label, worth: u8) {
        let bucket = self.table.bucket_of(chunk.hash);
        let Some(slot) = self.make_room(bucket, worth) else { return };
        let window = self.window(document.tokens.hashes(), chunk);
        let side = usize::from(self.method.window) * usize::from(self.method.bits) / 8;
        let mut around = [0; 16];
        around[..side].copy_from_slice(&window.before.to_le_bytes()[..side]);
        around[side..2 * side].copy_from_slice(&window.after.to_le_bytes()[..side]);
        self.table.set_tag(slot, chunk.hash);
        self.table.set_number(slot, Field::Origin, label.origin);
        self.table.set_number(slot, Field::Offset, label.offset.map_or(0, u64::from));
        self.table.set(slot, Field::Around, &around);
        self.table.set_number(slot, Field::Score, u64::from(worth));
    }

    /// A slot for a chunk of such worth, unless all others are worth more.
    fn make_room(&mut self, bucket: usize, worth: u8) -> Option<Slot> {
        if let Some(free) = self.table.take_free(bucket) {
            return Some(free);
        }
        let index = lowest(self.table.scores(bucket), &mut self.random);
        let scores = self.table.scores_mut(bucket);
        let least = scores[index];
        if least > worth && worth == MINOR_WORTH {
            return None;
        }
        scores.iter_mut().for_each(|score| *score = score.saturating_sub(least));
        Some(Slot { bucket, index })
    }

    fn window(&self, hashes: &[u64], chunk: &Chunk) -> Window {
        let [before, after] = sides(hashes, chunk);
        Window {
            before: self.packed(before.iter().rev().copied()),
            after: self.packed(after.iter().copied()),
        }
    }

    fn packed(&self, hashes: impl Iterator<Item = u64>) -> u64 {
        let bits = u32::from(self.method.bits);
        let words = hashes.take(usize::from(self.method.window)).enumerate();
        words.fold(0, |packed, (place, hash)| packed | (hash >> (64 - bits)) << (place as u32 * bits))
    }

    fn stored_window(&self, slot: Slot) -> Window {
        let around = self.table.field(slot, Field::Around);
        let [before, after] = [&around[..around.len() / 2], &around[around.len() / 2..]].map(|side| {
            let mut bytes = [0; 8];
            bytes[..side.len()].copy_from_slice(side);
            u64::from_le_bytes(bytes)
        });
        Window { before, after }
    }
}

/// The hashes of the words before and after a chunk.
fn sides<'a>(hashes: &'a [u64], chunk: &Chunk) -> [&'a [u64]; 2] {
    let end = (chunk.first + chunk.count) as usize;
    [&hashes[..chunk.first as usize], &hashes[end..]]
}

fn low_16(number: u64) -> u16 {
    let [low, high, ..] = number.to_le_bytes();
    u16::from_le_bytes([low, high])
}

/// Labels every chunk within `words`, unless it has an earlier origin already.
fn claim(chunks: &[Chunk], words: Range<u32>, hit: &Hit, labels: &mut [Option<Label>]) {
    let from = chunks.partition_point(|chunk| chunk.first < words.start);
    for (chunk, label) in chunks.iter().zip(labels).skip(from) {
        if chunk.first >= words.end {
            break;
        }
        let is_inside = chunk.first + chunk.count <= words.end;
        if is_inside && label.is_none_or(|label| label.origin > hit.origin) {
            let offset = hit.diagonal.wrapping_add(low_16(u64::from(chunk.first)));
            *label = Some(Label::estimated(hit.origin, Some(u32::from(offset))));
        }
    }
}
