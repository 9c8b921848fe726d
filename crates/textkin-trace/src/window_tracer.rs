//! A slot for a selected chunk now and then, with a window: a few bits of each word around it.
//!
//! A slot of the paper says where one chunk came from, and a document has a slot for every six
//! words. Here a slot says it of the chunk and of the words around it: where a document agrees with
//! the window, word by word, it is copied as far as it agrees. So few slots tell of a whole
//! document, and where a passage begins and ends is known to the word.
//!
//! 1. Selected chunks are looked up. What is found is copied as far as its window agrees.
//! 2. Two chunks found at the same distance as in their origin, whose windows agree to their ends
//!    towards each other, are joined by a bridge.
//! 3. Where a window agrees to its end, what comes next is probably copied too: by `reach` words, if
//!    the origin is so old that chunks of its age are mostly forgotten. Of a younger origin the next
//!    chunk would have been found: that it was not tells that it is another.
//! 4. A chunk of the document is copied if its words are. What was found goes before what is
//!    guessed, and an earlier guess before a later one.
//! 5. Landmarks are stored: the first selected chunk `spacing` words after the last, with the origin
//!    that it was said to have; and, where there is room, the chunks between them.
//!
//! Eviction: a slot has a worth, more if it is a landmark, still more if its hash says so (some are to
//! outlive the others), more whenever it is found. The least worth
//! leaves, the oldest first, and what it was worth is taken from all others, so that a bucket forgets
//! as fast as new landmarks come. A chunk between landmarks makes nothing of more worth leave.

use std::ops::Range;

use hashbrown::HashMap;
use textkin_core::{Chunk, Chunked};

use crate::eviction::lowest_from;
use crate::label::Label;
use crate::settings::within;
use crate::table::{BATCH, Field, Slot, Table, Widths};
use crate::window::{Agreement, Packing};
use crate::{Error, WindowMethod};

/// Bytes of an offset: words of the origin, modulo 65,536.
const OFFSET_BYTES: usize = 2;

/// The bits of a hash from here on are in no tag of usual length and tell no bucket.
const LEVEL_BITS: u32 = 20;
/// Chunks whose buckets are still near when they are stored; of more, they are fetched again.
const NEAR: usize = 1024;

/// The table of landmarks and its rules.
#[derive(Debug)]
pub(crate) struct WindowTracer {
    method: WindowMethod,
    packing: Packing,
    pub(crate) table: Table,
    pub(crate) horizon: Horizon,
}

impl WindowTracer {
    pub(crate) fn new(method: WindowMethod, memory: u64, bucket: u16) -> Result<Self, Error> {
        within("bits", u64::from(method.bits), 1..=8, "1 to 8")?;
        let side_bits = u64::from(method.window) * u64::from(method.bits);
        within("window × bits", side_bits, 8..=64, "8 to 64")?;
        within("window × bits modulo 8", side_bits % 8, 0..=0, "0: whole bytes")?;
        let packing = Packing { words: method.window, bits: method.bits };
        let widths = Widths {
            tag: usize::from(method.tag_bytes),
            score: 1,
            offset: OFFSET_BYTES,
            around: packing.bytes(),
            origin: usize::from(method.origin_bytes),
        };
        let table = Table::new(memory, bucket, widths)?;
        Ok(Self { method, packing, table, horizon: Horizon::default() })
    }

    /// Says where every chunk came from, and remembers some of those selected.
    pub(crate) fn trace(
        &mut self,
        number: u64,
        document: &Chunked<'_>,
        selection: &[u32],
    ) -> Vec<Option<Label>> {
        let mut found: Vec<Option<Hit>> = Vec::with_capacity(selection.len());
        for batch in selection.chunks(BATCH) {
            self.table.fetch(batch.iter().map(|chunk| document.chunks[*chunk as usize].hash));
            let hits = batch.iter().map(|chunk| self.look_up(number, document, *chunk));
            found.extend(hits);
        }
        let labels = self.label(number, document, selection, &found);
        self.remember(number, document, selection, &found, &labels);
        labels
    }

    fn look_up(&mut self, number: u64, document: &Chunked<'_>, chunk: u32) -> Option<Hit> {
        let chunk = document.chunks[chunk as usize];
        let slot = self.table.find(chunk.hash)?;
        let there = self.packing.unpacked(self.table.field(slot, Field::Around));
        let offset = low_16(self.table.number(slot, Field::Offset));
        let mut agreement = self.packing.agreement(document.tokens.hashes(), &chunk, there);
        // There is nothing before the first word of the origin.
        agreement.before = agreement.before.min(u32::from(offset));
        let origin = self.table.origin(slot, number);
        let worth = &mut self.table.scores_mut(slot.bucket)[slot.index];
        *worth = worth.saturating_add(self.method.found_worth);
        let diagonal = offset.wrapping_sub(low_16(u64::from(chunk.first)));
        Some(Hit { chunk, origin, offset, diagonal, agreement })
    }

    fn label(
        &self,
        number: u64,
        document: &Chunked<'_>,
        selection: &[u32],
        found: &[Option<Hit>],
    ) -> Vec<Option<Label>> {
        let chunks = document.chunks;
        let mut labels = vec![None; chunks.len()];
        for (chunk, hit) in selection.iter().zip(found) {
            labels[*chunk as usize] =
                hit.map(|hit| Label::found(hit.origin, hit.place_of(hit.chunk)));
        }
        for hit in found.iter().flatten() {
            hit.claim(chunks, hit.words(), &mut labels);
        }
        self.bridge(chunks, found, &mut labels);
        for hit in found.iter().flatten() {
            if self.horizon.is_beyond(number.saturating_sub(hit.origin)) {
                hit.claim(chunks, self.reach(hit), &mut labels);
            }
        }
        labels
    }

    /// Labels what lies between two hits whose windows agree to the end towards each other.
    fn bridge(&self, chunks: &[Chunk], found: &[Option<Hit>], labels: &mut [Option<Label>]) {
        let whole = u32::from(self.method.window);
        let mut last_on_diagonal: HashMap<(u64, u16), Hit> = HashMap::new();
        for end in found.iter().flatten() {
            let last = last_on_diagonal.insert((end.origin, end.diagonal), *end);
            let Some(start) = last else { continue };
            let gap = end.chunk.first.saturating_sub(start.chunk.first + start.chunk.count);
            let enough = whole.min(gap);
            let agrees = start.agreement.after >= enough && end.agreement.before >= enough;
            if agrees && gap < u32::from(self.method.bridge_limit) {
                // What lies within the words of either is claimed already.
                let from = start.words().end.saturating_sub(start.chunk.count.saturating_sub(1));
                end.claim(chunks, from..end.words().end, labels);
            }
        }
    }

    /// The words of a hit and those beyond its window, where that agrees to its end.
    fn reach(&self, hit: &Hit) -> Range<u32> {
        let (words, whole) = (hit.words(), u32::from(self.method.window));
        let reach = |agreeing| if agreeing == whole { u32::from(self.method.reach) } else { 0 };
        let there = u32::from(hit.offset) - hit.agreement.before;
        let start = words.start.saturating_sub(reach(hit.agreement.before).min(there));
        start..words.end + reach(hit.agreement.after)
    }

    fn remember(
        &mut self,
        number: u64,
        document: &Chunked<'_>,
        selection: &[u32],
        found: &[Option<Hit>],
        labels: &[Option<Label>],
    ) {
        let spacing = u32::from(self.method.spacing);
        // The first landmark has words before it that its window can tell of, if there are enough.
        let mut next_landmark = u32::from(self.method.window);
        let mut has_landmark = false;
        for (place, index) in selection.iter().enumerate() {
            if place % BATCH == 0 && selection.len() > NEAR {
                let batch = selection[place..].iter().take(BATCH);
                self.table.fetch(batch.map(|chunk| document.chunks[*chunk as usize].hash));
            }
            let chunk = document.chunks[*index as usize];
            let is_last_chance = place + 1 == selection.len() && !has_landmark;
            let is_landmark = chunk.first >= next_landmark || is_last_chance;
            if is_landmark || found[place].is_some() {
                next_landmark = chunk.first.saturating_add(spacing);
                has_landmark = true;
            }
            if found[place].is_none() && self.table.find(chunk.hash).is_none() {
                let own = Label::found(number, Some(chunk.first));
                let minor_worth = self.method.minor_worth;
                let worth = if is_landmark { self.landmark_worth(chunk.hash) } else { minor_worth };
                if worth == 0 {
                    continue;
                }
                let label = labels[*index as usize].unwrap_or(own);
                self.store(number, document, &chunk, label, worth);
            }
        }
    }

    /// What a landmark is worth: by its hash, so that it is the same wherever it stands.
    fn landmark_worth(&self, hash: u64) -> u8 {
        let level = (hash >> LEVEL_BITS).trailing_zeros().min(u32::from(self.method.levels));
        let worth = u32::from(self.method.landmark_worth) << level;
        u8::try_from(worth).unwrap_or(u8::MAX)
    }

    fn store(
        &mut self,
        number: u64,
        document: &Chunked<'_>,
        chunk: &Chunk,
        label: Label,
        worth: u8,
    ) {
        let bucket = self.table.bucket_of(chunk.hash);
        let Some(slot) = self.make_room(number, bucket, worth) else { return };
        let window = self.packing.window(document.tokens.hashes(), chunk);
        self.table.set_tag(slot, chunk.hash);
        self.table.set_number(slot, Field::Origin, label.origin);
        self.table.set_number(slot, Field::Offset, label.offset.map_or(0, u64::from));
        self.table.set(slot, Field::Around, &self.packing.stored(window));
        self.table.set_number(slot, Field::Score, u64::from(worth));
    }

    /// A slot for a chunk of such worth, unless it is a minor one and all others are worth more.
    fn make_room(&mut self, number: u64, bucket: usize, worth: u8) -> Option<Slot> {
        if let Some(free) = self.table.take_free(bucket) {
            self.horizon.forget(None, number);
            return Some(free);
        }
        let index = lowest_from(self.table.scores(bucket), self.table.hand(bucket));
        let slot = Slot { bucket, index };
        let scores = self.table.scores_mut(bucket);
        let least = scores[index];
        if least > worth && worth == self.method.minor_worth {
            self.horizon.forget(Some(0), number);
            return None;
        }
        scores.iter_mut().for_each(|score| *score = score.saturating_sub(least));
        self.table.move_hand_past(bucket, index);
        let age = number.saturating_sub(self.table.origin(slot, number));
        self.horizon.forget(Some(age), number);
        Some(slot)
    }
}

/// A selected chunk that the table knows.
#[derive(Clone, Copy, Debug)]
struct Hit {
    chunk: Chunk,
    origin: u64,
    /// Words before it in the origin, modulo 65,536.
    offset: u16,
    /// Offset in the origin less offset here, modulo 65,536.
    diagonal: u16,
    agreement: Agreement,
}

impl Hit {
    /// The words that are copied as far as the window tells.
    fn words(&self) -> Range<u32> {
        let end = self.chunk.first + self.chunk.count;
        self.chunk.first - self.agreement.before..end + self.agreement.after
    }

    /// Where a chunk on the same diagonal stood in the origin.
    fn place_of(&self, chunk: Chunk) -> Option<u32> {
        Some(u32::from(self.diagonal.wrapping_add(low_16(u64::from(chunk.first)))))
    }

    /// Labels every chunk within `words` that has no label yet.
    fn claim(&self, chunks: &[Chunk], words: Range<u32>, labels: &mut [Option<Label>]) {
        // Of runs of words, one begins with each word.
        let is_at = |place: usize| chunks.get(place).is_some_and(|c| c.first == words.start);
        let from = match words.start as usize {
            place if is_at(place) => place,
            _ => chunks.partition_point(|chunk| chunk.first < words.start),
        };
        for (chunk, label) in chunks[from..].iter().zip(&mut labels[from..]) {
            if chunk.first >= words.end {
                break;
            }
            if chunk.first + chunk.count <= words.end && label.is_none() {
                *label = Some(Label::estimated(self.origin, self.place_of(*chunk)));
            }
        }
    }
}

/// The age, in documents, by which half of what is stored has been forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Horizon {
    /// None while nothing was forgotten.
    age: Option<u64>,
}

impl Horizon {
    /// As kept in a state.
    pub(crate) fn from_number(number: u64) -> Self {
        Self { age: (number != u64::MAX).then_some(number) }
    }

    /// As kept in a state.
    pub(crate) fn to_number(self) -> u64 {
        self.age.unwrap_or(u64::MAX)
    }

    /// Whether chunks of this age are mostly forgotten.
    fn is_beyond(self, age: u64) -> bool {
        self.age.is_some_and(|horizon| age >= horizon)
    }

    /// Takes note that a chunk of this age was forgotten for one of document `number`, or none: a
    /// running median, which nothing so far is beyond if most chunks found a free slot.
    fn forget(&mut self, age: Option<u64>, number: u64) {
        if self.age.is_none() && age.is_none() {
            return;
        }
        let nothing = number.saturating_add(1).min(u64::MAX - 1);
        let horizon = self.age.unwrap_or(nothing);
        let step = (horizon / 256).max(1);
        let is_older = age.is_none_or(|age| age > horizon);
        let moved =
            if is_older { horizon.saturating_add(step) } else { horizon.saturating_sub(step) };
        self.age = Some(moved.min(nothing));
    }
}

fn low_16(number: u64) -> u16 {
    let [low, high, ..] = number.to_le_bytes();
    u16::from_le_bytes([low, high])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_horizon_is_the_median_age_of_what_is_forgotten() {
        let mut horizon = Horizon::default();
        // A table with free slots has forgotten nothing, however old.
        (0..100).for_each(|_| horizon.forget(None, 3));
        assert!(!horizon.is_beyond(u64::MAX));
        for age in (0..=1000).cycle().map(|age| age * 617 % 1001).take(100_000) {
            horizon.forget(Some(age), 2000);
        }
        assert!((400..600).contains(&horizon.to_number()), "{horizon:?}");
        assert_eq!(Horizon::from_number(horizon.to_number()), horizon);
        (0..10_000).for_each(|_| horizon.forget(None, 2000));
        assert!(!horizon.is_beyond(2000), "{horizon:?}");
        assert_eq!(Horizon::from_number(Horizon::default().to_number()), Horizon::default());
    }

    fn tracer(slots: u16) -> WindowTracer {
        let method = WindowMethod { landmark_worth: 8, ..WindowMethod::default() };
        WindowTracer::new(method, 13 * u64::from(slots) + 4, slots).unwrap()
    }

    #[test]
    fn the_least_worth_leaves_and_its_worth_is_taken_from_all() {
        let mut tracer = tracer(3);
        for worth in [8, 5, 8] {
            let slot = tracer.make_room(9, 0, worth).unwrap();
            tracer.table.set_number(slot, Field::Score, u64::from(worth));
        }
        assert_eq!(tracer.make_room(9, 0, 1), None);
        assert_eq!(tracer.make_room(9, 0, 8), Some(Slot { bucket: 0, index: 1 }));
        assert_eq!(tracer.table.scores(0), [3, 0, 3]);
    }

    #[test]
    fn of_equal_worth_the_oldest_leaves() {
        let mut tracer = tracer(3);
        let mut leaving = Vec::new();
        for _ in 0..9 {
            let slot = tracer.make_room(9, 0, 8).unwrap();
            tracer.table.set_number(slot, Field::Score, 8);
            leaving.push(slot.index);
        }
        assert_eq!(leaving, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
    }
}
