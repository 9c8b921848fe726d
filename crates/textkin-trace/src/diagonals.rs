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
//! 5. If at least half of the anchors that should still be in the table were found in one origin that the
//!    caller accepts, everything is on their diagonals from one anchor to the next, before the first and
//!    after the last; and half of the way to an anchor that was not found there.

use std::ops::Range;

use hashbrown::HashMap;

use crate::WindowMethod;
use crate::anchors::Anchor;
use crate::chunks::{DocumentChunks, SelectedChunk, size};
use crate::label::{LabelledRun, OriginLabels, OriginPosition};
use crate::window::Agreement;

/// Share of the anchors, as a fraction, that makes a part of a document a copy of their origin.
const MAJORITY: (usize, usize) = (1, 2);
/// One part in this many of the way to a missing anchor counts as copied.
const TOWARDS_MISSED: u32 = 2;
/// A single anchor makes a document a copy only if it has moved by at most one part in this many of the
/// words of the document. Text that moved further is mostly a quotation.
const MAX_SHIFT: u32 = 3;

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

    /// Returns how many words the chunk is away from its position in the origin, modulo 65,536.
    fn shift(&self) -> u32 {
        let Diagonal { shift, .. } = self.diagonal();
        u32::from(shift.min(shift.wrapping_neg()))
    }

    pub(crate) fn diagonal(&self) -> Diagonal {
        Diagonal { origin: self.origin, shift: self.offset.wrapping_sub(low_16(self.first)) }
    }
}

/// Anchor, and the index of its hit if it was found.
#[derive(Clone, Copy, Debug)]
struct AnchorHit {
    anchor: Anchor,
    hit: Option<usize>,
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
    /// Each anchor, with the index of its hit.
    anchor_hits: Vec<AnchorHit>,
    /// The origins of these hits.
    anchor_origins: Vec<u64>,
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
    ///
    /// `n_kept` returns how many anchors of a document are mostly still in the table; `None` if the
    /// document is not old.
    pub(crate) fn extend_around_anchors(
        &mut self,
        anchors: &[Anchor],
        hits: &[ChunkHit],
        limits: GuessLimits,
        n_words: u32,
        n_kept: impl Fn(u64) -> Option<usize>,
    ) {
        self.anchor_hits.clear();
        self.anchor_hits.extend(anchors.iter().map(|anchor| AnchorHit {
            anchor: *anchor,
            hit: hits.binary_search_by_key(&anchor.index, |hit| hit.index).ok(),
        }));
        let Some((origin, n_kept)) = self.origin_of_anchors(hits, n_words, n_kept) else { return };
        // Anchors that were probably evicted show nothing.
        self.anchor_hits
            .retain(|AnchorHit { anchor, hit }| hit.is_some() || usize::from(anchor.rank) < n_kept);
        let matching_hit =
            |anchor: &AnchorHit| anchor.hit.filter(|hit| hits[*hit].origin == origin);
        for (number, anchor_hit) in self.anchor_hits.iter().enumerate() {
            let Some(hit) = matching_hit(anchor_hit) else { continue };
            let (at, diagonal) = (anchor_hit.anchor.index, self.hit_diagonals[hit].0);
            let hit = &hits[hit];
            // Distance to claim towards another anchor.
            let way = |other: &AnchorHit| {
                let all = at.abs_diff(other.anchor.index);
                if matching_hit(other).is_some() { all } else { all / TOWARDS_MISSED }
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

    /// Returns the old origin in which most anchors were found, and how many anchors of that document
    /// are mostly still in the table.
    fn origin_of_anchors(
        &mut self,
        hits: &[ChunkHit],
        n_words: u32,
        n_kept: impl Fn(u64) -> Option<usize>,
    ) -> Option<(u64, usize)> {
        let (anchors, origins) = (&self.anchor_hits, &mut self.anchor_origins);
        origins.clear();
        origins.extend(anchors.iter().filter_map(|anchor| Some(hits[anchor.hit?].origin)));
        origins.sort_unstable();
        origins.dedup();
        let mut best: Option<(usize, u64, usize)> = None;
        for origin in &self.anchor_origins {
            let Some(n_kept) = n_kept(*origin) else { continue };
            let n_kept = n_kept.clamp(1, anchors.len());
            let kept = anchors.iter().filter(|anchor| usize::from(anchor.anchor.rank) < n_kept);
            let of_origin = kept
                .filter_map(|anchor| Some(&hits[anchor.hit?]))
                .filter(|hit| hit.origin == *origin);
            let (n_found, n_moved) = of_origin.fold((0, 0), |(n_found, n_moved), hit| {
                (n_found + 1, n_moved + usize::from(hit.shift() > n_words / MAX_SHIFT))
            });
            let is_majority = n_found * MAJORITY.1 >= n_kept * MAJORITY.0;
            let is_evidence = n_found > 1 || (n_found == 1 && n_moved == 0);
            if is_majority && is_evidence && best.is_none_or(|(n, ..)| n_found > n) {
                best = Some((n_found, *origin, n_kept));
            }
        }
        best.map(|(_, origin, n_kept)| (origin, n_kept))
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
        anchors: &[Anchor],
        n_kept: impl Fn(u64) -> Option<usize>,
    ) {
        let hit_of = |anchor: &Anchor| hits.iter().find(|hit| hit.index == anchor.index);
        // For each origin: the number of anchors that should be there, and the hits of those.
        let all_kept = |origin: u64| {
            let n_kept = n_kept(origin)?.max(1).min(anchors.len());
            let kept = anchors.iter().filter(|anchor| usize::from(anchor.rank) < n_kept);
            let found: Vec<&ChunkHit> =
                kept.filter_map(hit_of).filter(|hit| hit.origin == origin).collect();
            let shift = |hit: &ChunkHit| (i64::from(hit.offset) - i64::from(hit.first)).abs();
            let is_copy = match found.as_slice() {
                [] => false,
                [hit] => shift(hit) <= i64::from(n_words / MAX_SHIFT),
                _ => true,
            };
            (is_copy && 2 * found.len() >= n_kept).then_some((found.len(), n_kept))
        };
        let copies = (0..3).filter_map(|origin| Some((origin, all_kept(origin)?)));
        let best =
            copies.max_by_key(|(origin, (n_found, _))| (*n_found, std::cmp::Reverse(*origin)));
        let Some((origin, (_, n_kept))) = best else { return };
        let matching_hit = |anchor: &Anchor| hit_of(anchor).filter(|hit| hit.origin == origin);
        let counts =
            |anchor: &Anchor| usize::from(anchor.rank) < n_kept || hit_of(anchor).is_some();
        let anchors: Vec<Anchor> = anchors.iter().copied().filter(counts).collect();
        for (chunk, diagonal) in (0_u32..).zip(diagonals.iter_mut()) {
            let reaches = |anchor: &Anchor| {
                let Some(hit) = matching_hit(anchor) else { return false };
                let is_before = chunk < anchor.index;
                let room = if is_before { hit.first } else { n_words - hit.first - COUNT };
                let agreeing = if is_before { hit.before() } else { hit.after() };
                let other = if is_before {
                    anchors.iter().rfind(|other| other.index < anchor.index)
                } else {
                    anchors.iter().find(|other| other.index > anchor.index)
                };
                let way = match other {
                    None => u32::MAX,
                    Some(other) if matching_hit(other).is_some() => {
                        other.index.abs_diff(anchor.index)
                    }
                    Some(other) => other.index.abs_diff(anchor.index) / 2,
                };
                let away = if is_before { anchor.index - chunk } else { chunk - anchor.index + 1 };
                agreeing >= room.min(LIMITS.window) && away <= way
            };
            if diagonal.is_none() {
                let anchor = anchors.iter().find(|anchor| reaches(anchor));
                *diagonal = anchor.and_then(matching_hit).map(ChunkHit::diagonal);
            }
        }
    }

    #[test]
    fn anchors_of_one_old_origin_claim_the_text_between_them() {
        let hit = |first: u32, agreement| ChunkHit {
            index: first,
            first,
            count: COUNT,
            offset: low_16(first) + 20,
            agreement,
            origin: 7,
        };
        let whole = Agreement { before: 4, after: 4 };
        let hits = [hit(10, whole), hit(20, whole), hit(30, whole)];
        // Ranks in text order; returns the number of claimed chunks, and whether all up to 40 are.
        let extend = |hits: &[ChunkHit], anchors: &[u32], n_kept: Option<usize>| {
            let chunks = DocumentChunks::runs(62, COUNT as usize);
            let mut diagonals = Diagonals::default();
            diagonals.assign(chunks, 0..60, hits, GuessLimits { bridge: 0, ..LIMITS });
            let anchor = |(index, rank): (&u32, u8)| Anchor { index: *index, rank };
            let anchors: Vec<Anchor> = anchors.iter().zip(0..).map(anchor).collect();
            diagonals.extend_around_anchors(&anchors, hits, LIMITS, 62, |_| n_kept);
            let on_first =
                diagonals.chunk_diagonals.iter().map(|diagonal| u32::from(*diagonal == 1));
            (
                on_first.sum::<u32>(),
                diagonals.chunk_diagonals[..40].iter().all(|diagonal| *diagonal == 1),
            )
        };
        // Three of four anchors: half of the way to the fourth.
        assert_eq!(extend(&hits, &[10, 20, 30, 50], Some(4)), (40, true));
        assert_eq!(extend(&hits, &[10, 20, 30], Some(3)), (60, true));
        // The fourth was evicted, if the origin is so old that only three anchors are kept.
        assert_eq!(extend(&hits, &[10, 20, 30, 50], Some(3)), (60, true));
        // With a young origin the rest would have been found; one of three is not a majority.
        assert_eq!(extend(&hits, &[10, 20, 30, 50], None).0, 27);
        assert_eq!(extend(&hits[..2], &[10, 20, 30, 50], Some(4)).0, 25);
        assert_eq!(extend(&hits[..1], &[10, 30, 50], Some(3)).0, 9);
        // A single anchor, unless it has moved far.
        assert_eq!(extend(&hits[..1], &[10, 30, 50], Some(1)).0, 60);
        let moved = [ChunkHit { offset: 31, ..hits[0] }];
        assert_eq!(extend(&moved, &[10, 30, 50], Some(1)).0, 9);
        // Nothing beyond a window that does not match completely.
        let ends = Agreement { after: 3, ..whole };
        let hits = [hit(10, whole), hit(20, whole), hit(30, ends)];
        assert_eq!(extend(&hits, &[10, 20, 30], Some(3)).0, 34);
    }

    proptest! {
        #[test]
        fn diagonals_equal_those_of_the_naive_implementation(
            hits in hits(40),
            old in 0_u64..4,
            is_anchor in prop::collection::vec(prop::bool::weighted(0.1), 38),
            kept in prop::collection::vec(0_usize..6, 3),
        ) {
            let is_old = |origin| origin < old;
            let n_kept = |origin: u64| is_old(origin).then(|| kept[usize::try_from(origin).unwrap()]);
            // Of the anchors, every third chunk has the smallest keys.
            let mut ranked: Vec<u32> =
                (0..38).filter(|chunk| is_anchor[*chunk as usize]).collect();
            ranked.sort_unstable_by_key(|chunk| (chunk % 3, *chunk));
            let mut anchors: Vec<Anchor> =
                ranked.iter().zip(0..).map(|(index, rank)| Anchor { index: *index, rank }).collect();
            anchors.sort_unstable_by_key(|anchor| anchor.index);
            let chunks = DocumentChunks::runs(40, COUNT as usize);
            let mut diagonals = Diagonals::default();
            diagonals.assign(chunks, 0..38, &hits, LIMITS);
            diagonals.extend_beyond_windows(chunks, &hits, LIMITS, is_old);
            diagonals.extend_around_anchors(&anchors, &hits, LIMITS, 40, n_kept);
            let diagonal = |chunk: usize| diagonals.chunk_diagonals.get(chunk)?.checked_sub(1);
            let assigned: Vec<Option<Diagonal>> =
                (0..38).map(|chunk| Some(diagonals.diagonals[diagonal(chunk)? as usize])).collect();
            let mut expected = naive(40, &hits, is_old);
            naive_span(40, &mut expected, &hits, &anchors, n_kept);
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
