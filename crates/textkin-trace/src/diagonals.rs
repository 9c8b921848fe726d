//! Labels of all chunks of a document, derived from the hits of a window tracer.
//!
//! A diagonal is an origin and the distance between positions there and here: all chunks of a passage that
//! was copied word for word are on one diagonal. Each chunk of a document is on a diagonal, or on none if it
//! is new. Found chunks take precedence over estimates, and earlier rules over later ones:
//!
//! 1. A found chunk is on the diagonal of its hit.
//! 2. So are chunks whose words are all in the chunk of the hit or match its window.
//! 3. Everything between two consecutive hits of a diagonal is on it if their windows match completely
//!    towards each other: a bridge.
//! 4. Beyond a fully matching window a few more words are on the diagonal, if the caller allows it.
//! 5. If most anchors of the part were found in one origin that the caller accepts, everything is on their
//!    diagonals from one anchor to the next, before the first and after the last; and a little towards an
//!    anchor that was not found.

use std::ops::Range;

use hashbrown::HashMap;

use crate::WindowMethod;
use crate::chunks::{DocumentChunks, SelectedChunk, size};
use crate::label::{LabelledRun, OriginLabels, OriginPosition};
use crate::window::Agreement;

/// Share of its anchors, as a fraction, that makes a document a copy of their origin. Below it, mails that
/// quote one another are as frequent as copies.
const MAJORITY: (usize, usize) = (3, 4);
/// One part in this many of the way to a missing anchor counts as copied.
const TOWARDS_MISSED: u32 = 4;

/// Selected chunk that was found in the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkHit {
    /// Index among all chunks.
    pub(crate) index: u32,
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// Words before the chunk in the origin, modulo 65,536.
    pub(crate) offset: u16,
    pub(crate) agreement: Agreement,
    pub(crate) origin: u64,
}

impl ChunkHit {
    /// Returns the words that the chunk and its window cover.
    #[inline]
    pub(crate) fn words(&self) -> Range<u32> {
        self.first - self.before()..self.first + self.count + self.after()
    }

    /// Returns the same words and `max` more on each side where all `whole` words of the window match.
    fn words_beyond_window(&self, whole: u32, max: u32) -> Range<u32> {
        let words = self.words();
        let beyond = |agreeing| if agreeing == whole { max } else { 0 };
        let there = u32::from(self.offset) - self.before();
        let start = words.start.saturating_sub(beyond(self.before()).min(there));
        start..words.end + beyond(self.after())
    }

    /// Returns the number of matching words before the chunk.
    fn before(&self) -> u32 {
        u32::from(self.agreement.before)
    }

    /// Returns the number of matching words after the chunk.
    fn after(&self) -> u32 {
        u32::from(self.agreement.after)
    }

    pub(crate) fn diagonal(&self) -> Diagonal {
        Diagonal { origin: self.origin, shift: self.offset.wrapping_sub(low_16(self.first)) }
    }
}

/// An origin, and the offset there minus the offset here, modulo 65,536.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Diagonal {
    origin: u64,
    shift: u16,
}

impl Diagonal {
    /// Returns the position in the origin of a word of the document.
    fn position_of(self, word: u32) -> OriginPosition {
        let offset = u32::from(self.shift.wrapping_add(low_16(word)));
        OriginPosition { origin: self.origin, offset: Some(offset) }
    }
}

/// Limits of estimation, in words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GuessLimits {
    /// Words of a full window.
    pub(crate) window: u32,
    /// Maximum length of a bridge, exclusive.
    pub(crate) bridge: u32,
    /// Words beyond a fully matching window.
    pub(crate) reach: u32,
}

impl GuessLimits {
    pub(crate) fn new(method: &WindowMethod) -> Self {
        Self {
            window: u32::from(method.window),
            bridge: u32::from(method.bridge_limit),
            reach: u32::from(method.reach),
        }
    }

    /// Returns whether everything between two hits of a diagonal is on it: their windows match towards each
    /// other.
    pub(crate) fn joins(self, start: &ChunkHit, end: &ChunkHit) -> bool {
        let gap = end.first.saturating_sub(start.first + start.count);
        let enough = self.window.min(gap);
        let agrees = start.after() >= enough && end.before() >= enough;
        agrees && gap < self.bridge
    }
}

/// Diagonal of each chunk of a part of a document. The buffers are reused for the next part.
#[derive(Debug, Default)]
pub(crate) struct Diagonals {
    /// Chunks of the part.
    part: Range<u32>,
    /// For each chunk, one more than the index of its diagonal; 0 if it has none. Empty without diagonals.
    chunk_diagonals: Vec<u32>,
    diagonals: Vec<Diagonal>,
    /// For each hit, its diagonal and the previous hit on it, or itself if it is the first.
    hit_diagonals: Vec<(u32, u32)>,
    /// For each diagonal, the last hit so far.
    last_hits: Vec<u32>,
    by_diagonal: HashMap<Diagonal, u32>,
    /// Each anchor, with its hit if that has an old origin.
    anchor_hits: Vec<(u32, Option<usize>)>,
}

impl Diagonals {
    /// Assigns the chunks of a part of a document to diagonals.
    pub(crate) fn assign(
        &mut self,
        chunks: DocumentChunks<'_>,
        part: Range<u32>,
        hits: &[ChunkHit],
        limits: GuessLimits,
    ) {
        self.chunk_diagonals.clear();
        self.diagonals.clear();
        self.part = part;
        if hits.is_empty() {
            return;
        }
        self.chunk_diagonals.resize(self.part.len(), 0);
        self.find_diagonals(hits);
        // Overlapping claims of consecutive hits are applied together.
        let mut claim = Claim { diagonal: 0, chunks: 0..0 };
        for (hit, (diagonal, _)) in hits.iter().zip(&self.hit_diagonals) {
            let next = Claim { diagonal: *diagonal, chunks: self.within(chunks, &hit.words()) };
            if !claim.try_extend(&next) {
                claim.apply(&mut self.chunk_diagonals);
                claim = next;
            }
        }
        claim.apply(&mut self.chunk_diagonals);
        for (position, (end, (diagonal, start))) in hits.iter().zip(&self.hit_diagonals).enumerate()
        {
            let Some(start) = hits[..position].get(*start as usize) else { continue };
            if let Some(words) = bridge(start, end, limits) {
                let chunks = self.within(chunks, &words);
                Claim { diagonal: *diagonal, chunks }.apply(&mut self.chunk_diagonals);
            }
        }
    }

    /// Assigns words beyond the windows of hits whose origin is old.
    pub(crate) fn extend_beyond_windows(
        &mut self,
        chunks: DocumentChunks<'_>,
        hits: &[ChunkHit],
        limits: GuessLimits,
        is_old: impl Fn(u64) -> bool,
    ) {
        for (hit, (diagonal, _)) in hits.iter().zip(&self.hit_diagonals) {
            if is_old(hit.origin) {
                let words = hit.words_beyond_window(limits.window, limits.reach);
                let chunks = self.within(chunks, &words);
                Claim { diagonal: *diagonal, chunks }.apply(&mut self.chunk_diagonals);
            }
        }
    }

    /// Assigns the text around anchors that were found in one old origin, if most of them were.
    pub(crate) fn extend_around_anchors(
        &mut self,
        anchors: &[u32],
        hits: &[ChunkHit],
        limits: GuessLimits,
        n_words: u32,
        is_old: impl Fn(u64) -> bool,
    ) {
        self.anchor_hits.clear();
        let found = anchors.iter().map(|anchor| {
            let position = hits.binary_search_by_key(anchor, |hit| hit.index).ok();
            (*anchor, position.filter(|position| is_old(hits[*position].origin)))
        });
        self.anchor_hits.extend(found);
        let origins = self.anchor_hits.iter().filter_map(|(_, hit)| Some(hits[(*hit)?].origin));
        let Some(origin) = majority_origin(origins.collect(), anchors.len()) else { return };
        let matching_hit =
            |(_, hit): &(u32, Option<usize>)| hit.filter(|hit| hits[*hit].origin == origin);
        for (number, anchor_hit) in self.anchor_hits.iter().enumerate() {
            let Some(hit) = matching_hit(anchor_hit) else { continue };
            let (at, diagonal) = (anchor_hit.0, self.hit_diagonals[hit].0);
            let hit = &hits[hit];
            // Distance to claim towards another anchor.
            let way =
                |other: &(u32, Option<usize>)| match (at.abs_diff(other.0), matching_hit(other)) {
                    (all, Some(_)) => all,
                    (all, None) => all / TOWARDS_MISSED,
                };
            let mut chunks = at..at;
            if hit.before() >= limits.window.min(hit.first) {
                let before = number.checked_sub(1).map(|before| way(&self.anchor_hits[before]));
                chunks.start = before.map_or(self.part.start, |way| at - way);
            }
            if hit.after() >= limits.window.min(n_words.saturating_sub(hit.first + hit.count)) {
                let after = self.anchor_hits.get(number + 1).map(way);
                chunks.end = after.map_or(self.part.end, |way| at + way);
            }
            let [start, end] =
                [chunks.start, chunks.end].map(|chunk| (chunk - self.part.start) as usize);
            Claim { diagonal, chunks: start..end }.apply(&mut self.chunk_diagonals);
        }
    }

    /// Finds the diagonal of each hit and the previous hit on it, and assigns the chunk of the hit.
    fn find_diagonals(&mut self, hits: &[ChunkHit]) {
        self.hit_diagonals.clear();
        self.last_hits.clear();
        self.by_diagonal.clear();
        let mut current: Option<(u32, Diagonal)> = None;
        for (number, hit) in (0..).zip(hits) {
            let diagonal = hit.diagonal();
            // Consecutive hits are mostly on the same diagonal.
            let same = current.filter(|(_, current)| *current == diagonal);
            let n_diagonals = size(self.diagonals.len());
            let index = match same {
                Some((index, _)) => index,
                None => *self.by_diagonal.entry(diagonal).or_insert(n_diagonals),
            };
            let before = if index == n_diagonals {
                self.diagonals.push(diagonal);
                self.last_hits.push(number);
                number
            } else {
                std::mem::replace(&mut self.last_hits[index as usize], number)
            };
            self.hit_diagonals.push((index, before));
            self.chunk_diagonals[(hit.index - self.part.start) as usize] = index + 1;
            current = Some((index, diagonal));
        }
    }

    /// Returns the range, within the part, of chunks that lie completely within these words.
    fn within(&self, chunks: DocumentChunks<'_>, words: &Range<u32>) -> Range<usize> {
        let Range { start, end } = chunks.within(words);
        let (first, len) = (self.part.start as usize, self.part.len());
        let [start, end] = [start, end].map(|chunk| chunk.saturating_sub(first).min(len));
        start..end
    }

    /// Returns where a chunk of the part came from.
    pub(crate) fn position_of(&self, chunk: &SelectedChunk) -> Option<OriginPosition> {
        let position = (chunk.index - self.part.start) as usize;
        self.position(*self.chunk_diagonals.get(position)?, chunk.first)
    }

    fn position(&self, diagonal: u32, word: u32) -> Option<OriginPosition> {
        Some(self.diagonals[diagonal.checked_sub(1)? as usize].position_of(word))
    }

    /// Appends the labels of all chunks of the part; `found` lists the found ones.
    pub(crate) fn label(
        &self,
        chunks: DocumentChunks<'_>,
        found: impl Iterator<Item = u32>,
        labels: &mut OriginLabels,
    ) {
        let Range { start: mut from, end } = self.part;
        if self.diagonals.is_empty() && from < end {
            let (n_chunks, start) = (end - from, chunks.words(from).start);
            let end = chunks.words(end - 1).end;
            labels.runs.push(LabelledRun { start, end, n_chunks, n_found: 0, origin: None });
            return;
        }
        let mut found = found.peekable();
        let mut diagonals = self.chunk_diagonals.as_slice();
        while let Some(diagonal) = diagonals.first() {
            let n_chunks = match chunks {
                // There may be words between chunks that are in none.
                DocumentChunks::Listed(_) => 1,
                DocumentChunks::Runs { .. } => length_of_run(diagonals, *diagonal),
            };
            diagonals = &diagonals[n_chunks..];
            let to = from + size(n_chunks);
            let mut n_found = 0;
            while let Some(index) = found.next_if(|index| *index < to) {
                labels.found.push(chunks.words(index));
                n_found += 1;
            }
            let (start, end) = (chunks.words(from).start, chunks.words(to - 1).end);
            let origin = self.position(*diagonal, start);
            labels.runs.push(LabelledRun { start, end, n_chunks: to - from, n_found, origin });
            from = to;
        }
    }
}

/// Returns the origin of most anchors, if there is one.
fn majority_origin(mut origins: Vec<u64>, n_anchors: usize) -> Option<u64> {
    origins.sort_unstable();
    // A majority value is also the median.
    let middle = *origins.get(origins.len() / 2)?;
    let n = origins.iter().filter(|origin| **origin == middle).count();
    (n * MAJORITY.1 >= n_anchors * MAJORITY.0).then_some(middle)
}

/// Counts the leading entries equal to `diagonal`.
fn length_of_run(diagonals: &[u32], diagonal: u32) -> usize {
    // 16 at a time: a loop without early exit compiles to vector instructions.
    let (whole, rest) = diagonals.as_chunks::<16>();
    for (position, diagonals) in whole.iter().enumerate() {
        let bit = |(position, other): (u32, &u32)| u32::from(*other != diagonal) << position;
        let others: u32 = (0..).zip(diagonals).map(bit).fold(0, |all, bit| all | bit);
        if others != 0 {
            return 16 * position + others.trailing_zeros() as usize;
        }
    }
    16 * whole.len() + rest.iter().take_while(|other| **other == diagonal).count()
}

/// Chunks to assign to a diagonal, unless they have one already.
struct Claim {
    diagonal: u32,
    chunks: Range<usize>,
}

impl Claim {
    /// Extends the claim by `next` if that has the same diagonal and touches this one.
    fn try_extend(&mut self, next: &Self) -> bool {
        let touches =
            self.chunks.start <= next.chunks.start && next.chunks.start <= self.chunks.end;
        if self.diagonal != next.diagonal || !touches {
            return false;
        }
        self.chunks.end = self.chunks.end.max(next.chunks.end);
        true
    }

    fn apply(&self, chunk_diagonals: &mut [u32]) {
        let diagonal = self.diagonal + 1;
        let chunks = chunk_diagonals[self.chunks.clone()].iter_mut();
        chunks.for_each(|chunk| *chunk = if *chunk == 0 { diagonal } else { *chunk });
    }
}

/// Returns the words of a bridge between two hits of a diagonal, if they are joined.
fn bridge(start: &ChunkHit, end: &ChunkHit, limits: GuessLimits) -> Option<Range<u32>> {
    // Chunks within the words of either hit are assigned already.
    let from = start.words().end.saturating_sub(start.count.saturating_sub(1));
    let is_bridge = from < end.words().start && limits.joins(start, end);
    is_bridge.then(|| from..end.words().end)
}

pub(crate) fn low_16(number: u32) -> u16 {
    let [low, high, ..] = number.to_le_bytes();
    u16::from_le_bytes([low, high])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIMITS: GuessLimits = GuessLimits { window: 4, bridge: 12, reach: 3 };
    const COUNT: u32 = 3;

    /// Random hits of a document of `n_words`, each with an origin, an offset and an agreement.
    fn hits(n_words: u32) -> impl Strategy<Value = Vec<ChunkHit>> {
        let hit = (any::<bool>(), 0_u64..3, 0_u16..3, 0..=LIMITS.window, 0..=LIMITS.window);
        prop::collection::vec(hit, n_words as usize + 1 - COUNT as usize).prop_map(move |hits| {
            let hit = |(first, hit): (u32, (bool, u64, u16, u32, u32))| {
                let (is_hit, origin, shift, before, after) = hit;
                let offset = shift * 5 + low_16(first);
                let before = before.min(first).min(u32::from(offset));
                let after = after.min(n_words - first - COUNT);
                let [before, after] = [before, after].map(|n| u8::try_from(n).unwrap());
                let agreement = Agreement { before, after };
                is_hit.then_some(ChunkHit {
                    index: first,
                    first,
                    count: COUNT,
                    offset,
                    agreement,
                    origin,
                })
            };
            (0..).zip(hits).filter_map(hit).collect()
        })
    }

    /// Naive implementation of rules 1 to 4, chunk by chunk.
    fn naive(
        n_words: u32,
        hits: &[ChunkHit],
        is_old: impl Fn(u64) -> bool,
    ) -> Vec<Option<Diagonal>> {
        let n_chunks = (n_words + 1 - COUNT) as usize;
        let mut diagonals: Vec<Option<Diagonal>> = vec![None; n_chunks];
        for hit in hits {
            diagonals[hit.index as usize] = Some(hit.diagonal());
        }
        let claim = |diagonals: &mut Vec<Option<Diagonal>>,
                     words: Range<u32>,
                     diagonal: Diagonal| {
            for (first, chunk_diagonal) in (0_u32..).zip(diagonals) {
                if first >= words.start && first + COUNT <= words.end && chunk_diagonal.is_none() {
                    *chunk_diagonal = Some(diagonal);
                }
            }
        };
        for hit in hits {
            claim(&mut diagonals, hit.words(), hit.diagonal());
        }
        for (position, end) in hits.iter().enumerate() {
            let start = hits[..position].iter().rfind(|start| start.diagonal() == end.diagonal());
            let Some(start) = start else { continue };
            let gap = end.first.saturating_sub(start.first + COUNT);
            let enough = gap.min(LIMITS.window);
            if start.after() >= enough && end.before() >= enough && gap < LIMITS.bridge {
                claim(&mut diagonals, start.first..end.first + COUNT, end.diagonal());
            }
        }
        for hit in hits.iter().filter(|hit| is_old(hit.origin)) {
            let whole = |agreeing| agreeing == LIMITS.window;
            let Range { mut start, mut end } = hit.words();
            let before = u32::from(hit.offset) - hit.before();
            start -= if whole(hit.before()) { LIMITS.reach.min(before).min(start) } else { 0 };
            end += if whole(hit.after()) { LIMITS.reach } else { 0 };
            claim(&mut diagonals, start..end, hit.diagonal());
        }
        diagonals
    }

    /// Naive implementation of rule 5: the first anchor that reaches a chunk claims it.
    fn naive_span(
        n_words: u32,
        diagonals: &mut [Option<Diagonal>],
        hits: &[ChunkHit],
        anchors: &[u32],
        is_old: impl Fn(u64) -> bool,
    ) {
        let hit_of = |anchor: u32| {
            hits.iter().find(|hit| hit.index == anchor).filter(|hit| is_old(hit.origin))
        };
        for origin in 0..3 {
            let matching_hit = |anchor: u32| hit_of(anchor).is_some_and(|hit| hit.origin == origin);
            let n_matching = anchors.iter().filter(|anchor| matching_hit(**anchor)).count();
            if n_matching == 0 || n_matching * 4 < anchors.len() * 3 {
                continue;
            }
            for (chunk, diagonal) in (0_u32..).zip(diagonals.iter_mut()) {
                let reaches = |anchor: u32| {
                    let Some(hit) = hit_of(anchor).filter(|_| matching_hit(anchor)) else {
                        return false;
                    };
                    let is_before = chunk < anchor;
                    let room = if is_before { hit.first } else { n_words - hit.first - COUNT };
                    let agreeing = if is_before { hit.before() } else { hit.after() };
                    let other = if is_before {
                        anchors.iter().rfind(|other| **other < anchor)
                    } else {
                        anchors.iter().find(|other| **other > anchor)
                    };
                    let way = match other {
                        None => u32::MAX,
                        Some(other) if matching_hit(*other) => other.abs_diff(anchor),
                        Some(other) => other.abs_diff(anchor) / 4,
                    };
                    let away = if is_before { anchor - chunk } else { chunk - anchor + 1 };
                    agreeing >= room.min(LIMITS.window) && away <= way
                };
                if diagonal.is_none() {
                    let anchor = anchors.iter().copied().find(|anchor| reaches(*anchor));
                    *diagonal = anchor.and_then(hit_of).map(ChunkHit::diagonal);
                }
            }
        }
    }

    #[test]
    fn anchors_of_one_old_origin_claim_the_text_between_them() {
        let hit = |first: u32, agreement| ChunkHit {
            index: first,
            first,
            count: COUNT,
            offset: low_16(first) + 50,
            agreement,
            origin: 7,
        };
        let whole = Agreement { before: 4, after: 4 };
        let hits = [hit(10, whole), hit(20, whole), hit(30, whole)];
        let extend_around_anchors = |hits: &[ChunkHit], anchors: &[u32], is_old: bool| {
            let chunks = DocumentChunks::runs(62, COUNT as usize);
            let mut diagonals = Diagonals::default();
            diagonals.assign(chunks, 0..60, hits, GuessLimits { bridge: 0, ..LIMITS });
            diagonals.extend_around_anchors(anchors, hits, LIMITS, 62, |_| is_old);
            let on_first =
                diagonals.chunk_diagonals.iter().map(|diagonal| u32::from(*diagonal == 1));
            (
                on_first.sum::<u32>(),
                diagonals.chunk_diagonals[..40].iter().all(|diagonal| *diagonal == 1),
            )
        };
        // Three of four anchors: up to a quarter of the way to the fourth.
        assert_eq!(extend_around_anchors(&hits, &[10, 20, 30, 50], true), (35, false));
        assert_eq!(extend_around_anchors(&hits, &[10, 20, 30], true), (60, true));
        // With a young origin the rest would have been found; two of four are not a majority.
        let (found, _) = extend_around_anchors(&hits, &[10, 20, 30, 50], false);
        assert_eq!(found, 27);
        assert_eq!(extend_around_anchors(&hits[..2], &[10, 20, 30, 50], true).0, 18);
        // Nothing beyond a window that does not match completely.
        let ends = Agreement { after: 3, ..whole };
        let hits = [hit(10, whole), hit(20, whole), hit(30, ends)];
        assert_eq!(extend_around_anchors(&hits, &[10, 20, 30], true).0, 34);
    }

    proptest! {
        #[test]
        fn diagonals_equal_those_of_the_naive_implementation(
            hits in hits(40),
            old in 0_u64..4,
            is_anchor in prop::collection::vec(prop::bool::weighted(0.1), 38),
        ) {
            let is_old = |origin| origin < old;
            let anchors: Vec<u32> = (0..38).filter(|chunk| is_anchor[*chunk as usize]).collect();
            let chunks = DocumentChunks::runs(40, COUNT as usize);
            let mut diagonals = Diagonals::default();
            diagonals.assign(chunks, 0..38, &hits, LIMITS);
            diagonals.extend_beyond_windows(chunks, &hits, LIMITS, is_old);
            diagonals.extend_around_anchors(&anchors, &hits, LIMITS, 40, is_old);
            let diagonal = |chunk: usize| diagonals.chunk_diagonals.get(chunk)?.checked_sub(1);
            let assigned: Vec<Option<Diagonal>> =
                (0..38).map(|chunk| Some(diagonals.diagonals[diagonal(chunk)? as usize])).collect();
            let mut expected = naive(40, &hits, is_old);
            naive_span(40, &mut expected, &hits, &anchors, is_old);
            prop_assert_eq!(&assigned, &expected);
            let mut labels = OriginLabels::default();
            diagonals.label(chunks, hits.iter().map(|hit| hit.index), &mut labels);
            prop_assert_eq!(labels.found.len(), hits.len());
            for run in &labels.runs {
                for chunk in run.start..run.start + run.n_chunks {
                    let position = expected[chunk as usize].map(|diagonal| diagonal.position_of(run.start));
                    prop_assert_eq!(run.origin, position);
                }
                let words = run.start..run.start + run.n_chunks;
                let n_found = hits.iter().filter(|hit| words.contains(&hit.index)).count();
                prop_assert_eq!(run.n_found as usize, n_found);
            }
            let n_chunks: u32 = labels.runs.iter().map(|run| run.n_chunks).sum();
            prop_assert_eq!(n_chunks, 38);
        }
    }
}
