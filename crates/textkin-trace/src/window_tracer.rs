//! A slot for a selected chunk now and then, with a window: a few bits of each word around it.
//!
//! A slot of the paper says where one chunk came from, and a document has a slot for every six
//! words. Here a slot says it of the chunk and of the words around it: where a document agrees with
//! the window, word by word, it is copied as far as it agrees. So few slots tell of a whole
//! document, and where a passage begins and ends is known to the word.
//!
//! 1. Selected chunks are looked up ([`crate::look_up`]). What is found is copied as far as its window
//!    agrees, and what that makes of all chunks of the document is in [`crate::lines`].
//! 2. What comes after a window that agrees to its end is taken as copied too, by `reach` words, if
//!    the origin is so old that chunks of its age are mostly forgotten. Of a younger origin the next
//!    chunk would have been found: that it was not tells that it is another.
//! 3. If most anchors ([`crate::anchors`]) were found in one such origin, what lies between and beyond them
//!    is too, as far as no other anchor tells otherwise.
//! 4. Landmarks are stored: the first selected chunk `spacing` words after the last, with the origin
//!    that it was said to have; anchors; and, where there is room, the chunks between them.
//!
//! A long document is taken in parts, each of which is looked up when those before it are stored: what
//! is found in the document itself is its own, and nothing is bridged from one part to another.
//!
//! Eviction: a slot has a worth, more if it is a landmark, still more if it is an anchor, more whenever it
//! is found, and an anchor that is found as one again is worth as much as ever. The least worth leaves,
//! the oldest first, and what it was worth is taken from all others, so that a bucket forgets as fast as
//! new landmarks come. A chunk between landmarks makes nothing of more worth leave.

use std::fmt;
use std::ops::Range;

use crate::chunks::{Selected, size};
use crate::eviction::lowest_from;
use crate::label::{Labels, Place};
use crate::lines::{Limits, Lines};
use crate::look_up::{Document, LookUp};
use crate::settings::within;
use crate::table::{BATCH, Content, Layout, NEAR, Shape, Slot, Table, Usual, Widths};
use crate::window::Packing;
use crate::{Error, WindowMethod};

/// Bytes of an offset: words of the origin, modulo 65,536.
const OFFSET_BYTES: usize = 2;

/// Chunks of a document that are traced at a time: what is made of them takes about 40 bytes each.
const PART: u32 = 1 << 13;

/// A window tracer, whatever the shape of its table.
pub(crate) trait Windows: fmt::Debug + Send {
    /// Says where every chunk of a document came from, and remembers some of those selected.
    fn trace(&mut self, document: &Document<'_>, labels: &mut Labels);

    fn horizon(&self) -> Horizon;

    fn set_horizon(&mut self, horizon: Horizon);

    /// The whole table.
    fn table(&self) -> &[u8];

    /// The whole table, to be replaced by one of the same settings.
    fn table_mut(&mut self) -> &mut [u8];
}

/// A tracer at the beginning of a stream.
///
/// # Errors
/// If not even one bucket fits, there is not so much memory, or a setting is out of its range.
pub(crate) fn window_tracer(
    method: WindowMethod,
    memory: u64,
    bucket: u16,
) -> Result<Box<dyn Windows>, Error> {
    let layout = layout(&method, bucket)?;
    if layout == Usual::LAYOUT {
        return Ok(Box::new(WindowTracer::new(method, memory, Usual)?));
    }
    Ok(Box::new(WindowTracer::new(method, memory, layout)?))
}

/// Where everything is in a bucket of so many slots.
fn layout(method: &WindowMethod, bucket: u16) -> Result<Layout, Error> {
    // A word is whole in a lane of 64 bits.
    if !matches!(method.bits, 1 | 2 | 4 | 8) {
        let (value, expected) = (u64::from(method.bits), "1, 2, 4 or 8");
        return Err(Error::Setting { name: "bits", value, expected });
    }
    let side_bits = u64::from(method.window) * u64::from(method.bits);
    within("window × bits", side_bits, 8..=64, "8 to 64")?;
    within("window × bits modulo 8", side_bits % 8, 0..=0, "0: whole bytes")?;
    let widths = Widths {
        tag: usize::from(method.tag_bytes),
        score: 1,
        offset: OFFSET_BYTES,
        side: packing(method).side_bytes(),
        origin: usize::from(method.origin_bytes),
    };
    Layout::checked(bucket, widths)
}

fn packing(method: &WindowMethod) -> Packing {
    Packing { words: method.window, bits: method.bits }
}

/// The table of landmarks and its rules.
#[derive(Debug)]
struct WindowTracer<S: Shape> {
    method: WindowMethod,
    table: Table<S>,
    horizon: Horizon,
    /// Chunks of a document that are traced at a time.
    part: u32,
    /// Of the current document, kept for their memory.
    look_up: LookUp,
    lines: Lines,
}

impl<S: Shape> Windows for WindowTracer<S> {
    /// Part by part, so that what is made of a long document takes little more memory than of a short one.
    fn trace(&mut self, document: &Document<'_>, labels: &mut Labels) {
        let mut landmarks = Landmarks {
            // The first has words before it that its window can tell of, if there are enough.
            next: u32::from(self.method.window),
            last_chance: document.selection.last().copied(),
        };
        let n_chunks = document.chunks.len();
        let (mut start, mut selection) = (0, document.selection);
        while start < n_chunks {
            let end = n_chunks.min(start.saturating_add(self.part));
            let n_selected = selection.partition_point(|index| *index < end);
            let (of_part, others) = selection.split_at(n_selected);
            let part = Document { selection: of_part, ..*document };
            self.trace_part(&part, start..end, &mut landmarks, labels);
            (start, selection) = (end, others);
        }
    }

    fn horizon(&self) -> Horizon {
        self.horizon
    }

    fn set_horizon(&mut self, horizon: Horizon) {
        self.horizon = horizon;
    }

    fn table(&self) -> &[u8] {
        self.table.as_bytes()
    }

    fn table_mut(&mut self) -> &mut [u8] {
        self.table.as_bytes_mut()
    }
}

impl<S: Shape> WindowTracer<S> {
    fn new(method: WindowMethod, memory: u64, shape: S) -> Result<Self, Error> {
        let table = Table::of(memory, shape)?;
        let (horizon, lines) = Default::default();
        let look_up = LookUp::new(packing(&method));
        Ok(Self { method, table, horizon, part: PART, look_up, lines })
    }

    fn trace_part(
        &mut self,
        document: &Document<'_>,
        part: Range<u32>,
        landmarks: &mut Landmarks,
        labels: &mut Labels,
    ) {
        let Document { number, chunks, selection, .. } = *document;
        let is_first = part.start == 0;
        self.look_up.run(&mut self.table, &self.method, document, is_first);
        let LookUp { hits, missed, anchors, .. } = &self.look_up;
        let limits = Limits::new(&self.method);
        self.lines.draw(chunks, part, hits, limits);
        if self.horizon.age.is_some() {
            let is_old = |origin| self.horizon.is_beyond(number.saturating_sub(origin));
            self.lines.reach(chunks, hits, limits, is_old);
            self.lines.span(anchors.indices(), hits, limits, size(document.words.len()), is_old);
        }
        let mut not_found = missed.iter().map(|chunk| chunk.index).peekable();
        let found = selection.iter().filter(|index| not_found.next_if_eq(index).is_none());
        self.lines.label(chunks, found.copied(), labels);
        self.remember(document, is_first, landmarks);
    }

    fn remember(&mut self, document: &Document<'_>, is_first: bool, landmarks: &mut Landmarks) {
        let missed = std::mem::take(&mut self.look_up.missed);
        let spacing = u32::from(self.method.spacing);
        // A chunk that stands twice in a document is stored once.
        let mut stored = Sieve::default();
        let anchors = std::mem::take(&mut self.look_up.anchors);
        // The next of either.
        let (mut place, mut anchor) = (0, 0);
        for index in document.selection {
            let is_anchor = anchors.indices().get(anchor) == Some(index);
            anchor += usize::from(is_anchor);
            let first = document.chunks.words(*index).start;
            let new = missed.get(place).filter(|chunk| chunk.index == *index);
            let is_landmark = first >= landmarks.next || landmarks.last_chance == Some(*index);
            if is_landmark || new.is_none() {
                landmarks.next = first.saturating_add(spacing);
                landmarks.last_chance = None;
            }
            let Some(chunk) = new else { continue };
            if place % BATCH == 0 && missed.len() > NEAR {
                missed[place..].iter().take(BATCH).for_each(|chunk| self.table.fetch(chunk.hash));
            }
            place += 1;
            let worth = match (is_anchor, is_landmark) {
                (true, _) => self.method.anchor_worth,
                (false, true) => self.method.landmark_worth,
                (false, false) => self.method.minor_worth,
            };
            let is_stored =
                (!is_first || stored.may_hold(chunk.hash)) && self.table.find(chunk.hash).is_some();
            if worth > 0 && !is_stored {
                stored.add(chunk.hash);
                let own = Place { origin: document.number, offset: Some(chunk.first) };
                let from = self.lines.place_of(chunk).unwrap_or(own);
                self.store(document, chunk, from, worth);
            }
        }
        (self.look_up.missed, self.look_up.anchors) = (missed, anchors);
    }

    fn store(&mut self, document: &Document<'_>, chunk: &Selected, from: Place, worth: u8) {
        let bucket = self.table.bucket_of(chunk.hash);
        let Some(slot) = self.make_room(document.number, bucket, worth) else { return };
        let window = self.look_up.window(chunk);
        let content = Content {
            offset: from.offset.map_or(0, u64::from),
            before: window.before,
            after: window.after,
            origin: from.origin,
        };
        self.table.set_slot(slot, chunk.hash, u64::from(worth), &content);
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

/// Where landmarks are set in a document.
struct Landmarks {
    /// The first word of the next is at least this.
    next: u32,
    /// The last selected chunk, which is one if there was none before.
    last_chance: Option<u32>,
}

/// Says of most hashes that were not added that they were not.
#[derive(Default)]
struct Sieve {
    bits: [u64; 32],
}

impl Sieve {
    fn may_hold(&self, hash: u64) -> bool {
        let (lane, bit) = Self::place(hash);
        self.bits[lane] & bit != 0
    }

    fn add(&mut self, hash: u64) {
        let (lane, bit) = Self::place(hash);
        self.bits[lane] |= bit;
    }

    fn place(hash: u64) -> (usize, u64) {
        let [.., high, _] = hash.to_le_bytes();
        (usize::from(high % 32), 1 << (hash >> 24 & 63))
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

#[cfg(test)]
mod tests {
    use textkin_core::chunk::mix;

    use super::*;
    use crate::DocumentTrace;
    use crate::chunks::Chunks;
    use crate::document_trace::Sizes;
    use crate::table::Field;

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

    /// Traces a document all of whose runs of 8 words are selected, in parts of so many.
    fn trace<S: Shape>(
        tracer: &mut WindowTracer<S>,
        number: u64,
        words: &[u64],
        part: u32,
    ) -> DocumentTrace {
        tracer.part = part;
        let chunks = Chunks::runs(words.len(), 8);
        let selection: Vec<u32> = (0..chunks.len()).collect();
        let mut labels = Labels::default();
        tracer.trace(&Document { number, words, chunks, selection: &selection }, &mut labels);
        let n_words = u32::try_from(words.len()).unwrap();
        let sizes = Sizes { words: n_words, chunks: chunks.len(), selected: chunks.len() };
        DocumentTrace::new(number, sizes, &labels)
    }

    #[test]
    fn a_document_in_parts_is_told_as_one() {
        let words = |from: u64, n: u64| (from..from + n).map(mix).collect::<Vec<u64>>();
        for part in [16, 50, 333, 8192] {
            let mut tracer = WindowTracer::new(WindowMethod::default(), 1 << 20, Usual).unwrap();
            // What stands twice in a document is its own, in whatever parts.
            let twice = [words(0, 500), words(0, 500), words(9_000, 100)].concat();
            let said = trace(&mut tracer, 0, &twice, part);
            assert_eq!((said.new_words, said.dominant_origin), (1_100, 0), "{part}");
            assert!(said.blocks.is_empty(), "{part}");
            // A copy is one block, wherever parts begin.
            let copy = [words(50_000, 40), words(0, 500), words(70_000, 33)].concat();
            let said = trace(&mut tracer, 1, &copy, part);
            assert_eq!(said.new, [(0, 40), (540, 573)], "{part}");
            assert_eq!((said.copied_words, said.dominant_origin), (500, 0), "{part}");
            let places = said.blocks.iter().map(|block| (block.origin, block.start, block.end));
            assert_eq!(places.collect::<Vec<_>>(), [(0, 40, 540)], "{part}");
        }
    }

    #[test]
    fn a_copy_of_what_is_forgotten_but_for_its_anchors_is_told() {
        // The landmarks of a few documents fill the memory, the anchors of all of them do not.
        let copied = |anchors: u8| {
            let method = WindowMethod { anchors, ..WindowMethod::default() };
            let mut tracer = WindowTracer::new(method, 8_000, Usual).unwrap();
            let words = |number: u64| (number * 1_000..number * 1_000 + 300).map(mix);
            (0..60).for_each(|number| {
                trace(&mut tracer, number, &words(number).collect::<Vec<u64>>(), PART);
            });
            let copies = (0..30).filter(|number| {
                let said =
                    trace(&mut tracer, 60 + number, &words(*number).collect::<Vec<_>>(), PART);
                said.dominant_origin == *number
            });
            copies.count()
        };
        assert_eq!(copied(0), 0);
        assert!(copied(4) > 20, "{}", copied(4));
    }

    fn tracer(slots: u16) -> WindowTracer<Layout> {
        let method = WindowMethod { landmark_worth: 8, ..WindowMethod::default() };
        let memory = 11 * u64::from(slots) + 4;
        WindowTracer::new(method, memory, layout(&method, slots).unwrap()).unwrap()
    }

    #[test]
    fn the_usual_layout_is_that_of_the_defaults_and_gives_what_any_gives() {
        let method = WindowMethod::default();
        assert_eq!(layout(&method, 17).unwrap(), Usual::LAYOUT);
        let mut usual = WindowTracer::new(method, 20_000, Usual).unwrap();
        let mut any = WindowTracer::new(method, 20_000, Usual::LAYOUT).unwrap();
        for number in 0..300 {
            // Copies of one another, in part, and more than the table holds.
            let words = |from: u64| (from..from + 150).map(mix);
            let words: Vec<u64> = words(number * 1_000).chain(words(number / 5 * 700)).collect();
            assert_eq!(
                trace(&mut usual, number, &words, PART),
                trace(&mut any, number, &words, PART)
            );
        }
        assert_eq!(usual.table(), any.table());
        assert_eq!(usual.horizon(), any.horizon());
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
