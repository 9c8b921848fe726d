//! The window method: slots for some of the selected chunks, each with a few bits of every word around it.
//!
//! In the paper a slot records the origin of one chunk, and a document needs a slot for every six words.
//! Here a slot covers a chunk and the words around it: text that matches the window, word by word, is
//! copied as far as it matches. A few slots cover a whole document, and passages begin and end at exact
//! words.
//!
//! 1. Look up the selected chunks ([`crate::lookup`]). A found chunk is copied as far as its window
//!    matches; [`crate::diagonals`] derives the labels of all chunks.
//! 2. After a fully matching window, `reach` more words count as copied if the origin is so old that the
//!    chunks between its landmarks are mostly evicted ([`crate::clock`]). For a younger origin the next
//!    chunk would have been found, so its absence shows that the text differs.
//! 3. If most anchors ([`crate::anchors`]) that are left of one such origin were found, the text between
//!    and beyond them counts as copied too, as far as no other anchor contradicts it.
//! 4. Store landmarks: the first selected chunk at least `spacing` words after the previous one, with its
//!    origin; anchors; and, where there is room, the chunks between them.
//!
//! Long documents are processed in parts. Each part is looked up after the parts before it are stored:
//! chunks found in the document itself are new, and bridges do not cross parts.
//!
//! Eviction: every slot has a score, and stays in the table in proportion to it. Anchors start highest, in
//! order of their keys. Landmarks rank behind them: those of a long document start lower, and every second
//! one higher than the others, every fourth higher still, so that the landmarks left of an old document are
//! sparse but evenly spaced. Every hit adds to the score, and an anchor that is found as an anchor again
//! regains its full score. The lowest score is evicted, the oldest first, and subtracted from all others,
//! so that a bucket ages as fast as new landmarks arrive. A chunk between landmarks never evicts a higher
//! score. Nor does a landmark in text that was copied from an old origin: the landmarks of the origin did
//! not last until the text came back, and neither would these.

use std::fmt;
use std::ops::Range;

use crate::anchors;
use crate::chunks::{SelectedChunk, size};
use crate::clock::EvictionClock;
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

/// How often the rank of a landmark is halved at most.
const MAX_HALVINGS: u32 = 4;

/// Window tracer with any table layout.
pub(crate) trait AnyWindowTracer: fmt::Debug + Send {
    /// Labels every chunk of a document with its origin, and stores some of the selected chunks.
    fn trace(&mut self, document: &LookupDocument<'_>, labels: &mut OriginLabels);

    fn clock(&self) -> &EvictionClock;

    fn set_clock(&mut self, clock: EvictionClock);

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
    clock: EvictionClock,
    /// Chunks traced at a time.
    part: u32,
    /// Buffers for the current document, reused.
    lookup: Lookup,
    diagonals: Diagonals,
}

impl<S: HasLayout> AnyWindowTracer for WindowTracer<S> {
    /// Processes the document in parts, so that a long one needs little more memory than a short one.
    fn trace(&mut self, document: &LookupDocument<'_>, labels: &mut OriginLabels) {
        let n_words = size(document.words.len()).min(self.part);
        let mut landmarks = Landmarks {
            // The first landmark has enough words before it to fill its window, if possible.
            next: u32::from(self.method.window),
            last_chance: document.selection.last().copied(),
            n_expected: n_words / u32::from(self.method.spacing),
            n_passed: 0,
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

    fn clock(&self) -> &EvictionClock {
        &self.clock
    }

    fn set_clock(&mut self, clock: EvictionClock) {
        self.clock = clock;
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
        let (clock, diagonals) = Default::default();
        let lookup = Lookup::new(packing(&method));
        Ok(Self { method, table, clock, part: CHUNKS_PER_PART, lookup, diagonals })
    }

    fn trace_part(
        &mut self,
        document: &LookupDocument<'_>,
        part: Range<u32>,
        landmarks: &mut Landmarks,
        labels: &mut OriginLabels,
    ) {
        let LookupDocument { chunks, selection, .. } = *document;
        let is_first = part.start == 0;
        self.lookup.run(&mut self.table, &self.method, document, is_first);
        let Lookup { hits, missed, anchors: chosen, .. } = &self.lookup;
        let limits = GuessLimits::new(&self.method);
        self.diagonals.assign(chunks, part, hits, limits);
        let (clock, method) = (&self.clock, &self.method);
        let is_old = |origin| is_old(method, clock, origin);
        // While the first document is not old, none is.
        if is_old(0) {
            self.diagonals.extend_beyond_windows(chunks, hits, limits, is_old);
            let n_kept = |origin| {
                let is_kept = |rank: &u8| clock.is_kept(anchors::worth(method, *rank), origin);
                is_old(origin).then(|| (0..method.anchors).take_while(is_kept).count())
            };
            let n_words = size(document.words.len());
            self.diagonals.extend_around_anchors(chosen.as_slice(), hits, limits, n_words, n_kept);
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
        let chosen = std::mem::take(&mut self.lookup.anchors);
        // The next missed chunk, and the next anchor.
        let (mut next_missed, mut anchor) = (0, 0);
        for index in document.selection {
            let rank = chosen.as_slice().get(anchor).filter(|anchor| anchor.index == *index);
            let rank = rank.map(|anchor| anchor.rank);
            anchor += usize::from(rank.is_some());
            let first = document.chunks.words(*index).start;
            let new = missed.get(next_missed).filter(|chunk| chunk.index == *index);
            let is_landmark = first >= landmarks.next || landmarks.last_chance == Some(*index);
            if is_landmark || new.is_none() {
                landmarks.next = first.saturating_add(spacing);
                landmarks.last_chance = None;
                landmarks.n_passed += 1;
            }
            let Some(chunk) = new else { continue };
            if next_missed % BATCH == 0 && missed.len() > PREFETCH_WINDOW {
                missed[next_missed..]
                    .iter()
                    .take(BATCH)
                    .for_each(|chunk| self.table.prefetch_bucket(chunk.hash));
            }
            next_missed += 1;
            let is_old_copy = || {
                let from = self.diagonals.position_of(chunk);
                from.is_some_and(|from| is_old(&self.method, &self.clock, from.origin))
            };
            let score = match rank.map(|rank| anchors::worth(&self.method, rank)) {
                Some(of_anchor) if is_landmark => of_anchor.max(landmarks.worth(&self.method)),
                Some(of_anchor) => of_anchor,
                None if is_landmark && !is_old_copy() => landmarks.worth(&self.method),
                None => self.method.minor_worth,
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
        (self.lookup.missed, self.lookup.anchors) = (missed, chosen);
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
            return Some(free);
        }
        let index = lowest_from(self.table.scores(bucket), self.table.hand(bucket));
        let slot = Slot { bucket, index };
        let scores = self.table.scores_mut(bucket);
        let lowest = scores[index];
        if lowest > score && score == self.method.minor_worth {
            return None;
        }
        scores.iter_mut().for_each(|score| *score = score.saturating_sub(lowest));
        self.clock.advance(lowest, self.table.n_buckets() as u64, number);
        self.table.move_hand_past(bucket, index);
        Some(slot)
    }
}

/// Positions of the next landmark in a document.
struct Landmarks {
    /// Minimum first word of the next landmark.
    next: u32,
    /// The last selected chunk, which becomes a landmark if none came before.
    last_chance: Option<u32>,
    /// Approximate number of landmarks in the document, or in a part of a long one.
    n_expected: u32,
    /// Number of landmarks so far, found or not.
    n_passed: u32,
}

impl Landmarks {
    /// Returns the initial score of the latest landmark, higher than that of other chunks.
    ///
    /// All landmarks rank behind the anchors; every second one ranks as if there were half as many, every
    /// fourth as if there were a quarter, and so on. As with anchors, the score is inversely proportional to
    /// the rank.
    fn worth(&self, method: &WindowMethod) -> u8 {
        let halvings = self.n_passed.saturating_sub(1).trailing_zeros().min(MAX_HALVINGS);
        let rank = u32::from(method.anchors).max(1) + (self.n_expected >> halvings);
        let worth = u32::from(method.anchor_worth) / rank;
        u8::try_from(worth).unwrap_or(u8::MAX).max(method.minor_worth.saturating_add(1))
    }
}

/// Returns whether chunks between the landmarks of a document are mostly evicted.
#[inline]
fn is_old(method: &WindowMethod, clock: &EvictionClock, document: u64) -> bool {
    !clock.is_kept(method.minor_worth.max(1), document)
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

#[cfg(test)]
mod tests {
    use textkin_core::chunk::mix;

    use super::*;
    use crate::DocumentTrace;
    use crate::chunks::DocumentChunks;
    use crate::document_trace::DocumentSizes;
    use crate::table::SlotField;

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
    fn fewer_chunks_are_left_of_older_documents_and_identify_copies() {
        let mut tracer = WindowTracer::new(WindowMethod::default(), 10_000, DefaultLayout).unwrap();
        let words =
            |number: u64| -> Vec<u64> { (number * 1_000..number * 1_000 + 300).map(mix).collect() };
        for number in 0..200 {
            trace(&mut tracer, number, &words(number), CHUNKS_PER_PART);
        }
        // Slots of the latest 10, 20, 40, 80 and 160 documents.
        let table = &tracer.table;
        let slots = (0..table.n_buckets())
            .flat_map(|bucket| (0..table.len(bucket)).map(move |index| Slot { bucket, index }));
        let ages: Vec<u64> = slots.map(|slot| 199 - table.origin(slot, 199)).collect();
        let younger = |age: u64| ages.iter().filter(|other| **other < age).count();
        let of_each: Vec<usize> =
            [20, 40, 80, 160].iter().map(|age| (younger(*age) - younger(age / 2)) / 10).collect();
        assert!(of_each.is_sorted_by(|younger, older| *older <= 2 * younger), "{of_each:?}");
        let of_one = |age: u64| (younger(2 * age) - younger(age)) as f64 / age as f64;
        assert!(of_one(10) > 2.0 * of_one(40) && of_one(40) > of_one(80), "{of_each:?}");
        let is_found = |number: &u64| {
            let traced = trace(&mut tracer, 200 + number, &words(*number), CHUNKS_PER_PART);
            traced.dominant_origin == *number && traced.old_words > 250
        };
        let n_found = (100..200).filter(is_found).count();
        assert!(n_found >= 50, "{n_found}");
    }

    fn tracer(slots: u16) -> WindowTracer<BucketLayout> {
        let method = WindowMethod::default();
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
        assert_eq!(usual.clock(), any.clock());
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
