//! The window method: slots for some of the selected chunks, each with a few bits of every word around it.
//!
//! In the paper a slot records the origin of one chunk, and a document needs a slot for every six words.
//! Here a slot covers a chunk and the words around it: text that matches the window, word by word, is
//! copied as far as it matches. A few slots cover a whole document, and passages begin and end at exact
//! words.
//!
//! 1. Look up the selected chunks ([`crate::lookup`]). A found chunk is copied as far as its window
//!    matches; [`crate::diagonals`] derives the labels of all chunks.
//! 2. After a fully matching window, `reach` more words count as copied if the origin is so old that
//!    chunks of its age are mostly evicted. For a younger origin the next chunk would have been found, so
//!    its absence shows that the text differs.
//! 3. If most anchors ([`crate::anchors`]) were found in one such origin, the text between and beyond them
//!    counts as copied too, as far as no other anchor contradicts it.
//! 4. Store landmarks: the first selected chunk at least `spacing` words after the previous one, with its
//!    origin; anchors; and, where there is room, the chunks between them.
//!
//! Long documents are processed in parts. Each part is looked up after the parts before it are stored:
//! chunks found in the document itself are new, and bridges do not cross parts.
//!
//! Eviction: every slot has a score. Landmarks start higher than other chunks, anchors higher still, every
//! hit adds to the score, and an anchor that is found as an anchor again regains its full score. The
//! lowest score is evicted, the oldest first, and subtracted from all others, so that a bucket ages as
//! fast as new landmarks arrive. A chunk between landmarks never evicts a higher score.

use std::fmt;
use std::ops::Range;

use crate::chunks::{SelectedChunk, size};
use crate::diagonals::{Diagonals, GuessLimits};
use crate::eviction::lowest_from;
use crate::label::{OriginLabels, OriginPosition};
use crate::lookup::{Lookup, LookupDocument};
use crate::settings::within;
use crate::table::{
    BATCH, BucketLayout, Content, DefaultLayout, FieldWidths, HasLayout, PREFETCH_WINDOW, Slot,
    SlotTable,
};
use crate::window::Packing;
use crate::{Error, WindowMethod};

/// Bytes of an offset: words of the origin, modulo 65,536.
const OFFSET_BYTES: usize = 2;

/// Chunks of a document that are traced at a time; they need about 40 bytes each.
const CHUNKS_PER_PART: u32 = 1 << 13;

/// Window tracer with any table layout.
pub(crate) trait AnyWindowTracer: fmt::Debug + Send {
    /// Labels every chunk of a document with its origin, and stores some of the selected chunks.
    fn trace(&mut self, document: &LookupDocument<'_>, labels: &mut OriginLabels);

    fn horizon(&self) -> Horizon;

    fn set_horizon(&mut self, horizon: Horizon);

    /// Returns the bytes of the whole table.
    fn table(&self) -> &[u8];

    /// Returns the bytes of the whole table, to be overwritten by a saved table of the same settings.
    fn table_mut(&mut self) -> &mut [u8];
}

/// Creates a window tracer for a new stream.
///
/// # Errors
/// If the memory does not hold a single bucket, cannot be allocated, or a setting is out of range.
pub(crate) fn window_tracer(
    method: WindowMethod,
    memory: u64,
    bucket: u16,
) -> Result<Box<dyn AnyWindowTracer>, Error> {
    let layout = layout(&method, bucket)?;
    if layout == DefaultLayout::LAYOUT {
        return Ok(Box::new(WindowTracer::new(method, memory, DefaultLayout)?));
    }
    Ok(Box::new(WindowTracer::new(method, memory, layout)?))
}

/// Returns the layout of a bucket with this many slots.
fn layout(method: &WindowMethod, bucket: u16) -> Result<BucketLayout, Error> {
    // No word may cross a lane of 64 bits.
    if !matches!(method.bits, 1 | 2 | 4 | 8) {
        let (value, expected) = (u64::from(method.bits), "1, 2, 4 or 8");
        return Err(Error::Setting { name: "bits", value, expected });
    }
    let side_bits = u64::from(method.window) * u64::from(method.bits);
    within("window × bits", side_bits, 8..=64, "8 to 64")?;
    within("window × bits modulo 8", side_bits % 8, 0..=0, "0, for whole bytes")?;
    let widths = FieldWidths {
        tag: usize::from(method.tag_bytes),
        score: 1,
        offset: OFFSET_BYTES,
        side: packing(method).side_bytes(),
        origin: usize::from(method.origin_bytes),
    };
    BucketLayout::checked(bucket, widths)
}

fn packing(method: &WindowMethod) -> Packing {
    Packing { words: method.window, bits: method.bits }
}

/// Window tracer: table of landmarks, and buffers.
#[derive(Debug)]
struct WindowTracer<S: HasLayout> {
    method: WindowMethod,
    table: SlotTable<S>,
    horizon: Horizon,
    /// Chunks traced at a time.
    part: u32,
    /// Buffers for the current document, reused.
    lookup: Lookup,
    diagonals: Diagonals,
}

impl<S: HasLayout> AnyWindowTracer for WindowTracer<S> {
    /// Processes the document in parts, so that a long one needs little more memory than a short one.
    fn trace(&mut self, document: &LookupDocument<'_>, labels: &mut OriginLabels) {
        let mut landmarks = Landmarks {
            // The first landmark has enough words before it to fill its window, if possible.
            next: u32::from(self.method.window),
            last_chance: document.selection.last().copied(),
        };
        let n_chunks = document.chunks.len();
        let (mut start, mut selection) = (0, document.selection);
        while start < n_chunks {
            let end = n_chunks.min(start.saturating_add(self.part));
            let n_selected = selection.partition_point(|index| *index < end);
            let (of_part, others) = selection.split_at(n_selected);
            let part = LookupDocument { selection: of_part, ..*document };
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

impl<S: HasLayout> WindowTracer<S> {
    fn new(method: WindowMethod, memory: u64, shape: S) -> Result<Self, Error> {
        let table = SlotTable::with_layout(memory, shape)?;
        let (horizon, diagonals) = Default::default();
        let lookup = Lookup::new(packing(&method));
        Ok(Self { method, table, horizon, part: CHUNKS_PER_PART, lookup, diagonals })
    }

    fn trace_part(
        &mut self,
        document: &LookupDocument<'_>,
        part: Range<u32>,
        landmarks: &mut Landmarks,
        labels: &mut OriginLabels,
    ) {
        let LookupDocument { number, chunks, selection, .. } = *document;
        let is_first = part.start == 0;
        self.lookup.run(&mut self.table, &self.method, document, is_first);
        let Lookup { hits, missed, anchors, .. } = &self.lookup;
        let limits = GuessLimits::new(&self.method);
        self.diagonals.assign(chunks, part, hits, limits);
        if self.horizon.age.is_some() {
            let is_old = |origin| self.horizon.is_beyond(number.saturating_sub(origin));
            self.diagonals.extend_beyond_windows(chunks, hits, limits, is_old);
            self.diagonals.extend_around_anchors(
                anchors.indices(),
                hits,
                limits,
                size(document.words.len()),
                is_old,
            );
        }
        let mut not_found = missed.iter().map(|chunk| chunk.index).peekable();
        let found = selection.iter().filter(|index| not_found.next_if_eq(index).is_none());
        self.diagonals.label(chunks, found.copied(), labels);
        self.remember(document, is_first, landmarks);
    }

    fn remember(
        &mut self,
        document: &LookupDocument<'_>,
        is_first: bool,
        landmarks: &mut Landmarks,
    ) {
        let missed = std::mem::take(&mut self.lookup.missed);
        let spacing = u32::from(self.method.spacing);
        // A chunk that occurs twice in a document is stored once.
        let mut stored = SeenFilter::default();
        let anchors = std::mem::take(&mut self.lookup.anchors);
        // The next missed chunk, and the next anchor.
        let (mut next_missed, mut anchor) = (0, 0);
        for index in document.selection {
            let is_anchor = anchors.indices().get(anchor) == Some(index);
            anchor += usize::from(is_anchor);
            let first = document.chunks.words(*index).start;
            let new = missed.get(next_missed).filter(|chunk| chunk.index == *index);
            let is_landmark = first >= landmarks.next || landmarks.last_chance == Some(*index);
            if is_landmark || new.is_none() {
                landmarks.next = first.saturating_add(spacing);
                landmarks.last_chance = None;
            }
            let Some(chunk) = new else { continue };
            if next_missed % BATCH == 0 && missed.len() > PREFETCH_WINDOW {
                missed[next_missed..]
                    .iter()
                    .take(BATCH)
                    .for_each(|chunk| self.table.prefetch_bucket(chunk.hash));
            }
            next_missed += 1;
            let score = match (is_anchor, is_landmark) {
                (true, _) => self.method.anchor_worth,
                (false, true) => self.method.landmark_worth,
                (false, false) => self.method.minor_worth,
            };
            let is_stored = (!is_first || stored.may_contain(chunk.hash))
                && self.table.find(chunk.hash).is_some();
            if score > 0 && !is_stored {
                stored.add(chunk.hash);
                let own = OriginPosition { origin: document.number, offset: Some(chunk.first) };
                let from = self.diagonals.position_of(chunk).unwrap_or(own);
                self.store(document, chunk, from, score);
            }
        }
        (self.lookup.missed, self.lookup.anchors) = (missed, anchors);
    }

    fn store(
        &mut self,
        document: &LookupDocument<'_>,
        chunk: &SelectedChunk,
        from: OriginPosition,
        score: u8,
    ) {
        let bucket = self.table.bucket_of(chunk.hash);
        let Some(slot) = self.make_room(document.number, bucket, score) else { return };
        let window = self.lookup.window(chunk);
        let content = Content {
            offset: from.offset.map_or(0, u64::from),
            before: window.before,
            after: window.after,
            origin: from.origin,
        };
        self.table.set_slot(slot, chunk.hash, u64::from(score), &content);
    }

    /// Returns a slot for a chunk with this score; `None` if the chunk is minor and all others score higher.
    fn make_room(&mut self, number: u64, bucket: usize, score: u8) -> Option<Slot> {
        if let Some(free) = self.table.take_free(bucket) {
            self.horizon.record_eviction(None, number);
            return Some(free);
        }
        let index = lowest_from(self.table.scores(bucket), self.table.hand(bucket));
        let slot = Slot { bucket, index };
        let scores = self.table.scores_mut(bucket);
        let lowest = scores[index];
        if lowest > score && score == self.method.minor_worth {
            self.horizon.record_eviction(Some(0), number);
            return None;
        }
        scores.iter_mut().for_each(|score| *score = score.saturating_sub(lowest));
        self.table.move_hand_past(bucket, index);
        let age = number.saturating_sub(self.table.origin(slot, number));
        self.horizon.record_eviction(Some(age), number);
        Some(slot)
    }
}

/// Positions of the next landmark in a document.
struct Landmarks {
    /// Minimum first word of the next landmark.
    next: u32,
    /// The last selected chunk, which becomes a landmark if none came before.
    last_chance: Option<u32>,
}

/// Small Bloom filter of the hashes stored for the current document.
#[derive(Default)]
struct SeenFilter {
    bits: [u64; 32],
}

impl SeenFilter {
    fn may_contain(&self, hash: u64) -> bool {
        let (lane, bit) = Self::bit_of(hash);
        self.bits[lane] & bit != 0
    }

    fn add(&mut self, hash: u64) {
        let (lane, bit) = Self::bit_of(hash);
        self.bits[lane] |= bit;
    }

    fn bit_of(hash: u64) -> (usize, u64) {
        let [.., high, _] = hash.to_le_bytes();
        (usize::from(high % 32), 1 << (hash >> 24 & 63))
    }
}

/// Age in documents at which half of the stored chunks have been evicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Horizon {
    /// `None` until a chunk is evicted.
    age: Option<u64>,
}

impl Horizon {
    /// Restores the horizon from a saved state.
    pub(crate) fn from_number(number: u64) -> Self {
        Self { age: (number != u64::MAX).then_some(number) }
    }

    /// Returns the horizon as stored in a state.
    pub(crate) fn to_number(self) -> u64 {
        self.age.unwrap_or(u64::MAX)
    }

    /// Returns whether chunks of this age are mostly evicted.
    fn is_beyond(self, age: u64) -> bool {
        self.age.is_some_and(|horizon| age >= horizon)
    }

    /// Records that document `number` evicted a chunk of this age, or found a free slot (`None`). The
    /// horizon is a running median; nothing is beyond it while most chunks find a free slot.
    fn record_eviction(&mut self, age: Option<u64>, number: u64) {
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
    use crate::chunks::DocumentChunks;
    use crate::document_trace::DocumentSizes;
    use crate::table::SlotField;

    #[test]
    fn the_horizon_is_the_median_age_of_evicted_chunks() {
        let mut horizon = Horizon::default();
        // A table with free slots has evicted nothing, however old.
        (0..100).for_each(|_| horizon.record_eviction(None, 3));
        assert!(!horizon.is_beyond(u64::MAX));
        for age in (0..=1000).cycle().map(|age| age * 617 % 1001).take(100_000) {
            horizon.record_eviction(Some(age), 2000);
        }
        assert!((400..600).contains(&horizon.to_number()), "{horizon:?}");
        assert_eq!(Horizon::from_number(horizon.to_number()), horizon);
        (0..10_000).for_each(|_| horizon.record_eviction(None, 2000));
        assert!(!horizon.is_beyond(2000), "{horizon:?}");
        assert_eq!(Horizon::from_number(Horizon::default().to_number()), Horizon::default());
    }

    /// Traces a document with all runs of 8 words selected, in parts of `part` chunks.
    fn trace<S: HasLayout>(
        tracer: &mut WindowTracer<S>,
        number: u64,
        words: &[u64],
        part: u32,
    ) -> DocumentTrace {
        tracer.part = part;
        let chunks = DocumentChunks::runs(words.len(), 8);
        let selection: Vec<u32> = (0..chunks.len()).collect();
        let mut labels = OriginLabels::default();
        tracer.trace(&LookupDocument { number, words, chunks, selection: &selection }, &mut labels);
        let n_words = u32::try_from(words.len()).unwrap();
        let sizes = DocumentSizes { words: n_words, chunks: chunks.len(), selected: chunks.len() };
        DocumentTrace::new(number, sizes, &labels)
    }

    #[test]
    fn the_size_of_parts_does_not_change_the_result() {
        let words = |from: u64, n: u64| (from..from + n).map(mix).collect::<Vec<u64>>();
        for part in [16, 50, 333, 8192] {
            let mut tracer =
                WindowTracer::new(WindowMethod::default(), 1 << 20, DefaultLayout).unwrap();
            // Text that occurs twice in a document is new, whatever the parts.
            let twice = [words(0, 500), words(0, 500), words(9_000, 100)].concat();
            let traced = trace(&mut tracer, 0, &twice, part);
            assert_eq!((traced.fresh_words, traced.dominant_origin), (1_100, 0), "{part}");
            assert!(traced.blocks.is_empty(), "{part}");
            // A copy is one block, wherever parts begin.
            let copy = [words(50_000, 40), words(0, 500), words(70_000, 33)].concat();
            let traced = trace(&mut tracer, 1, &copy, part);
            assert_eq!(traced.fresh, [(0, 40), (540, 573)], "{part}");
            assert_eq!((traced.old_words, traced.dominant_origin), (500, 0), "{part}");
            let positions =
                traced.blocks.iter().map(|block| (block.origin, block.start, block.end));
            assert_eq!(positions.collect::<Vec<_>>(), [(0, 40, 540)], "{part}");
        }
    }

    #[test]
    fn anchors_identify_copies_of_evicted_documents() {
        // The landmarks of a few documents fill the table; the anchors of all of them fit.
        let copied = |anchors: u8| {
            let method = WindowMethod { anchors, ..WindowMethod::default() };
            let mut tracer = WindowTracer::new(method, 8_000, DefaultLayout).unwrap();
            let words = |number: u64| (number * 1_000..number * 1_000 + 300).map(mix);
            (0..60).for_each(|number| {
                trace(&mut tracer, number, &words(number).collect::<Vec<u64>>(), CHUNKS_PER_PART);
            });
            let copies = (0..30).filter(|number| {
                let traced = trace(
                    &mut tracer,
                    60 + number,
                    &words(*number).collect::<Vec<_>>(),
                    CHUNKS_PER_PART,
                );
                traced.dominant_origin == *number
            });
            copies.count()
        };
        assert_eq!(copied(0), 0);
        assert!(copied(4) > 20, "{}", copied(4));
    }

    fn tracer(slots: u16) -> WindowTracer<BucketLayout> {
        let method = WindowMethod { landmark_worth: 8, ..WindowMethod::default() };
        let memory = 11 * u64::from(slots) + 4;
        WindowTracer::new(method, memory, layout(&method, slots).unwrap()).unwrap()
    }

    #[test]
    fn the_default_layout_matches_the_default_settings_and_gives_equal_results() {
        let method = WindowMethod::default();
        assert_eq!(layout(&method, 17).unwrap(), DefaultLayout::LAYOUT);
        let mut usual = WindowTracer::new(method, 20_000, DefaultLayout).unwrap();
        let mut any = WindowTracer::new(method, 20_000, DefaultLayout::LAYOUT).unwrap();
        for number in 0..300 {
            // Documents that partly copy one another, and more of them than the table holds.
            let words = |from: u64| (from..from + 150).map(mix);
            let words: Vec<u64> = words(number * 1_000).chain(words(number / 5 * 700)).collect();
            assert_eq!(
                trace(&mut usual, number, &words, CHUNKS_PER_PART),
                trace(&mut any, number, &words, CHUNKS_PER_PART)
            );
        }
        assert_eq!(usual.table(), any.table());
        assert_eq!(usual.horizon(), any.horizon());
    }

    #[test]
    fn the_lowest_score_is_evicted_and_subtracted_from_all() {
        let mut tracer = tracer(3);
        for score in [8, 5, 8] {
            let slot = tracer.make_room(9, 0, score).unwrap();
            tracer.table.set_number(slot, SlotField::Score, u64::from(score));
        }
        assert_eq!(tracer.make_room(9, 0, 1), None);
        assert_eq!(tracer.make_room(9, 0, 8), Some(Slot { bucket: 0, index: 1 }));
        assert_eq!(tracer.table.scores(0), [3, 0, 3]);
    }

    #[test]
    fn of_equal_scores_the_oldest_is_evicted() {
        let mut tracer = tracer(3);
        let mut leaving = Vec::new();
        for _ in 0..9 {
            let slot = tracer.make_room(9, 0, 8).unwrap();
            tracer.table.set_number(slot, SlotField::Score, 8);
            leaving.push(slot.index);
        }
        assert_eq!(leaving, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
    }
}
