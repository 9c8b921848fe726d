//! From what was found to the labels of all chunks: what a window tracer makes of its hits.
//!
//! A line is an origin and how far a document is ahead of it: of a passage that was copied word by
//! word, all chunks are on one. Each chunk of a document is on a line, or on none if it is its own.
//! What was found goes before what is guessed, and an earlier guess before a later one:
//!
//! 1. A chunk that was found is on the line of its hit.
//! 2. So are those all of whose words are in the hit's chunk or agree with its window.
//! 3. Between two hits that follow one another on a line, whose windows agree to their ends towards
//!    each other, all is on that line: a bridge.
//! 4. Beyond a window that agrees to its end, a few words are too, where the caller says so.
//! 5. If most anchors of the part were found in one origin of which the caller says so, all is on their
//!    lines from one to the next, before the first and after the last; and a little towards an anchor that
//!    was not.

use std::ops::Range;

use hashbrown::HashMap;

use crate::WindowMethod;
use crate::chunks::{Chunks, Selected, size};
use crate::label::{Labelled, Labels, Place};
use crate::window::Agreement;

/// A document is taken as a copy of another if so many parts of so many of its anchors are: of less than
/// that, mails that quote one another are as many as copies.
const MAX: (usize, usize) = (3, 4);
/// Towards an anchor that was not found, one part in so many of the way is taken as copied.
const TOWARDS_MISSED: u32 = 4;

/// A selected chunk that the table knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// Its place among all chunks, its first word and its number of words.
    pub(crate) index: u32,
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// Words before it in the origin, modulo 65,536.
    pub(crate) offset: u16,
    pub(crate) agreement: Agreement,
    pub(crate) origin: u64,
}

impl Hit {
    /// The words that are copied as far as the window tells.
    #[inline]
    pub(crate) fn words(&self) -> Range<u32> {
        self.first - self.before()..self.first + self.count + self.after()
    }

    /// The same and `most` words beyond the window, where it agrees to its end of `whole` words.
    fn words_beyond(&self, whole: u32, most: u32) -> Range<u32> {
        let words = self.words();
        let beyond = |agreeing| if agreeing == whole { most } else { 0 };
        let there = u32::from(self.offset) - self.before();
        let start = words.start.saturating_sub(beyond(self.before()).min(there));
        start..words.end + beyond(self.after())
    }

    /// Words that agree before it.
    fn before(&self) -> u32 {
        u32::from(self.agreement.before)
    }

    /// Words that agree after it.
    fn after(&self) -> u32 {
        u32::from(self.agreement.after)
    }

    pub(crate) fn line(&self) -> Line {
        Line { origin: self.origin, diagonal: self.offset.wrapping_sub(low_16(self.first)) }
    }
}

/// An origin, and offsets there less offsets here, modulo 65,536.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    origin: u64,
    diagonal: u16,
}

impl Line {
    /// Where a word here stood there.
    fn place_of(self, word: u32) -> Place {
        let offset = u32::from(self.diagonal.wrapping_add(low_16(word)));
        Place { origin: self.origin, offset: Some(offset) }
    }
}

/// How far guesses go, in words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Words of a window that agrees to its end.
    pub(crate) window: u32,
    /// A bridge spans fewer than this.
    pub(crate) bridge: u32,
    /// Beyond a window that agrees to its end.
    pub(crate) reach: u32,
}

impl Limits {
    pub(crate) fn new(method: &WindowMethod) -> Self {
        Self {
            window: u32::from(method.window),
            bridge: u32::from(method.bridge_limit),
            reach: u32::from(method.reach),
        }
    }

    /// Whether all between two hits of a line is on it: their windows agree towards each other.
    pub(crate) fn join(self, start: &Hit, end: &Hit) -> bool {
        let gap = end.first.saturating_sub(start.first + start.count);
        let enough = self.window.min(gap);
        let agrees = start.after() >= enough && end.before() >= enough;
        agrees && gap < self.bridge
    }
}

/// The line of each chunk of a part of a document. Its memory is used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// The chunks of the part.
    part: Range<u32>,
    /// For each chunk, one more than its line; 0 if it is on none. Empty if there is no line.
    of_chunks: Vec<u32>,
    lines: Vec<Line>,
    /// For each hit, its line and the hit before it on that line; itself if there is none.
    of_hits: Vec<(u32, u32)>,
    /// For each line, its last hit so far.
    last_hits: Vec<u32>,
    by_line: HashMap<Line, u32>,
    /// Each anchor, with the hit it was found by if that is of an old origin.
    of_anchors: Vec<(u32, Option<usize>)>,
}

impl Lines {
    /// Puts the chunks of a part of a document on lines.
    pub(crate) fn draw(
        &mut self,
        chunks: Chunks<'_>,
        part: Range<u32>,
        hits: &[Hit],
        limits: Limits,
    ) {
        self.of_chunks.clear();
        self.lines.clear();
        self.part = part;
        if hits.is_empty() {
            return;
        }
        self.of_chunks.resize(self.part.len(), 0);
        self.find_lines(hits);
        // What hits that follow one another claim together is claimed at once.
        let mut claimed = Claimed { line: 0, chunks: 0..0 };
        for (hit, (line, _)) in hits.iter().zip(&self.of_hits) {
            let next = Claimed { line: *line, chunks: self.within(chunks, &hit.words()) };
            if !claimed.takes(&next) {
                claimed.put(&mut self.of_chunks);
                claimed = next;
            }
        }
        claimed.put(&mut self.of_chunks);
        for (place, (end, (line, start))) in hits.iter().zip(&self.of_hits).enumerate() {
            let Some(start) = hits[..place].get(*start as usize) else { continue };
            if let Some(words) = bridge(start, end, limits) {
                let chunks = self.within(chunks, &words);
                Claimed { line: *line, chunks }.put(&mut self.of_chunks);
            }
        }
    }

    /// The same of what lies beyond the windows of hits whose origin is old.
    pub(crate) fn reach(
        &mut self,
        chunks: Chunks<'_>,
        hits: &[Hit],
        limits: Limits,
        is_old: impl Fn(u64) -> bool,
    ) {
        for (hit, (line, _)) in hits.iter().zip(&self.of_hits) {
            if is_old(hit.origin) {
                let words = hit.words_beyond(limits.window, limits.reach);
                let chunks = self.within(chunks, &words);
                Claimed { line: *line, chunks }.put(&mut self.of_chunks);
            }
        }
    }

    /// The same of what lies around the anchors that were found in one old origin, if most of them were.
    pub(crate) fn span(
        &mut self,
        anchors: &[u32],
        hits: &[Hit],
        limits: Limits,
        n_words: u32,
        is_old: impl Fn(u64) -> bool,
    ) {
        self.of_anchors.clear();
        let found = anchors.iter().map(|anchor| {
            let place = hits.binary_search_by_key(anchor, |hit| hit.index).ok();
            (*anchor, place.filter(|place| is_old(hits[*place].origin)))
        });
        self.of_anchors.extend(found);
        let origins = self.of_anchors.iter().filter_map(|(_, hit)| Some(hits[(*hit)?].origin));
        let Some(origin) = most_of(origins.collect(), anchors.len()) else { return };
        let is_its =
            |(_, hit): &(u32, Option<usize>)| hit.filter(|hit| hits[*hit].origin == origin);
        for (number, of_anchor) in self.of_anchors.iter().enumerate() {
            let Some(hit) = is_its(of_anchor) else { continue };
            let (at, line) = (of_anchor.0, self.of_hits[hit].0);
            let hit = &hits[hit];
            // How far towards another anchor.
            let way = |other: &(u32, Option<usize>)| match (at.abs_diff(other.0), is_its(other)) {
                (all, Some(_)) => all,
                (all, None) => all / TOWARDS_MISSED,
            };
            let mut chunks = at..at;
            if hit.before() >= limits.window.min(hit.first) {
                let before = number.checked_sub(1).map(|before| way(&self.of_anchors[before]));
                chunks.start = before.map_or(self.part.start, |way| at - way);
            }
            if hit.after() >= limits.window.min(n_words.saturating_sub(hit.first + hit.count)) {
                let after = self.of_anchors.get(number + 1).map(way);
                chunks.end = after.map_or(self.part.end, |way| at + way);
            }
            let [start, end] =
                [chunks.start, chunks.end].map(|chunk| (chunk - self.part.start) as usize);
            Claimed { line, chunks: start..end }.put(&mut self.of_chunks);
        }
    }

    /// Finds the line of each hit, and the hit before it there, and puts its chunk on it.
    fn find_lines(&mut self, hits: &[Hit]) {
        self.of_hits.clear();
        self.last_hits.clear();
        self.by_line.clear();
        let mut current: Option<(u32, Line)> = None;
        for (number, hit) in (0..).zip(hits) {
            let line = hit.line();
            // Those that follow one another mostly are on the same.
            let same = current.filter(|(_, current)| *current == line);
            let n_lines = size(self.lines.len());
            let index = match same {
                Some((index, _)) => index,
                None => *self.by_line.entry(line).or_insert(n_lines),
            };
            let before = if index == n_lines {
                self.lines.push(line);
                self.last_hits.push(number);
                number
            } else {
                std::mem::replace(&mut self.last_hits[index as usize], number)
            };
            self.of_hits.push((index, before));
            self.of_chunks[(hit.index - self.part.start) as usize] = index + 1;
            current = Some((index, line));
        }
    }

    /// The places of those chunks all of whose words are among these, in the part.
    fn within(&self, chunks: Chunks<'_>, words: &Range<u32>) -> Range<usize> {
        let Range { start, end } = chunks.within(words);
        let (first, len) = (self.part.start as usize, self.part.len());
        let [start, end] = [start, end].map(|chunk| chunk.saturating_sub(first).min(len));
        start..end
    }

    /// Where a chunk of the part came from.
    pub(crate) fn place_of(&self, chunk: &Selected) -> Option<Place> {
        let place = (chunk.index - self.part.start) as usize;
        self.place(*self.of_chunks.get(place)?, chunk.first)
    }

    fn place(&self, line: u32, word: u32) -> Option<Place> {
        Some(self.lines[line.checked_sub(1)? as usize].place_of(word))
    }

    /// The labels of all chunks of the part, of which these were found.
    pub(crate) fn label(
        &self,
        chunks: Chunks<'_>,
        found: impl Iterator<Item = u32>,
        labels: &mut Labels,
    ) {
        let Range { start: mut from, end } = self.part;
        if self.lines.is_empty() && from < end {
            let (n_chunks, start) = (end - from, chunks.words(from).start);
            let end = chunks.words(end - 1).end;
            labels.runs.push(Labelled { start, end, n_chunks, n_found: 0, place: None });
            return;
        }
        let mut found = found.peekable();
        let mut lines = self.of_chunks.as_slice();
        while let Some(line) = lines.first() {
            let n_chunks = match chunks {
                // There may be words between them that are in none.
                Chunks::Listed(_) => 1,
                Chunks::Runs { .. } => length_of_run(lines, *line),
            };
            lines = &lines[n_chunks..];
            let to = from + size(n_chunks);
            let mut n_found = 0;
            while let Some(index) = found.next_if(|index| *index < to) {
                labels.found.push(chunks.words(index));
                n_found += 1;
            }
            let (start, end) = (chunks.words(from).start, chunks.words(to - 1).end);
            let place = self.place(*line, start);
            labels.runs.push(Labelled { start, end, n_chunks: to - from, n_found, place });
            from = to;
        }
    }
}

/// The origin of most anchors, if there is one.
fn most_of(mut origins: Vec<u64>, n_anchors: usize) -> Option<u64> {
    origins.sort_unstable();
    // What more than half have, the one in the middle has.
    let middle = *origins.get(origins.len() / 2)?;
    let n = origins.iter().filter(|origin| **origin == middle).count();
    (n * MAX.1 >= n_anchors * MAX.0).then_some(middle)
}

/// How many of the first are `line`.
fn length_of_run(lines: &[u32], line: u32) -> usize {
    // Many at once: a loop without a way out becomes vector instructions.
    let (whole, rest) = lines.as_chunks::<16>();
    for (place, lines) in whole.iter().enumerate() {
        let bit = |(place, other): (u32, &u32)| u32::from(*other != line) << place;
        let others: u32 = (0..).zip(lines).map(bit).fold(0, |all, bit| all | bit);
        if others != 0 {
            return 16 * place + others.trailing_zeros() as usize;
        }
    }
    16 * whole.len() + rest.iter().take_while(|other| **other == line).count()
}

/// Chunks that are put on a line, unless they are on another already.
struct Claimed {
    line: u32,
    chunks: Range<usize>,
}

impl Claimed {
    /// Takes what `next` claims too, if it is for the same line and goes on where this ends.
    fn takes(&mut self, next: &Self) -> bool {
        let touches =
            self.chunks.start <= next.chunks.start && next.chunks.start <= self.chunks.end;
        if self.line != next.line || !touches {
            return false;
        }
        self.chunks.end = self.chunks.end.max(next.chunks.end);
        true
    }

    fn put(&self, of_chunks: &mut [u32]) {
        let line = self.line + 1;
        let chunks = of_chunks[self.chunks.clone()].iter_mut();
        chunks.for_each(|chunk| *chunk = if *chunk == 0 { line } else { *chunk });
    }
}

/// The words in which to look for chunks between two hits of a line, if they are to be joined.
fn bridge(start: &Hit, end: &Hit, limits: Limits) -> Option<Range<u32>> {
    // What lies within the words of either is on the line already.
    let from = start.words().end.saturating_sub(start.count.saturating_sub(1));
    let is_bridge = from < end.words().start && limits.join(start, end);
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

    const LIMITS: Limits = Limits { window: 4, bridge: 12, reach: 3 };
    const COUNT: u32 = 3;

    /// Hits of a document of so many words, each with an origin, an offset and an agreement.
    fn hits(n_words: u32) -> impl Strategy<Value = Vec<Hit>> {
        let hit = (any::<bool>(), 0_u64..3, 0_u16..3, 0..=LIMITS.window, 0..=LIMITS.window);
        prop::collection::vec(hit, n_words as usize + 1 - COUNT as usize).prop_map(move |hits| {
            let hit = |(first, hit): (u32, (bool, u64, u16, u32, u32))| {
                let (is_hit, origin, shift, before, after) = hit;
                let offset = shift * 5 + low_16(first);
                let before = before.min(first).min(u32::from(offset));
                let after = after.min(n_words - first - COUNT);
                let [before, after] = [before, after].map(|n| u8::try_from(n).unwrap());
                let agreement = Agreement { before, after };
                is_hit.then_some(Hit {
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

    /// Chunk by chunk, as the head of this file says.
    fn naive(n_words: u32, hits: &[Hit], is_old: impl Fn(u64) -> bool) -> Vec<Option<Line>> {
        let n_chunks = (n_words + 1 - COUNT) as usize;
        let mut lines: Vec<Option<Line>> = vec![None; n_chunks];
        for hit in hits {
            lines[hit.index as usize] = Some(hit.line());
        }
        let claim = |lines: &mut Vec<Option<Line>>, words: Range<u32>, line: Line| {
            for (first, of_chunk) in (0_u32..).zip(lines) {
                if first >= words.start && first + COUNT <= words.end && of_chunk.is_none() {
                    *of_chunk = Some(line);
                }
            }
        };
        for hit in hits {
            claim(&mut lines, hit.words(), hit.line());
        }
        for (place, end) in hits.iter().enumerate() {
            let start = hits[..place].iter().rfind(|start| start.line() == end.line());
            let Some(start) = start else { continue };
            let gap = end.first.saturating_sub(start.first + COUNT);
            let enough = gap.min(LIMITS.window);
            if start.after() >= enough && end.before() >= enough && gap < LIMITS.bridge {
                claim(&mut lines, start.first..end.first + COUNT, end.line());
            }
        }
        for hit in hits.iter().filter(|hit| is_old(hit.origin)) {
            let whole = |agreeing| agreeing == LIMITS.window;
            let Range { mut start, mut end } = hit.words();
            let before = u32::from(hit.offset) - hit.before();
            start -= if whole(hit.before()) { LIMITS.reach.min(before).min(start) } else { 0 };
            end += if whole(hit.after()) { LIMITS.reach } else { 0 };
            claim(&mut lines, start..end, hit.line());
        }
        lines
    }

    /// Chunk by chunk: what the first anchor that reaches a chunk makes of it.
    fn naive_span(
        n_words: u32,
        lines: &mut [Option<Line>],
        hits: &[Hit],
        anchors: &[u32],
        is_old: impl Fn(u64) -> bool,
    ) {
        let hit_of = |anchor: u32| {
            hits.iter().find(|hit| hit.index == anchor).filter(|hit| is_old(hit.origin))
        };
        for origin in 0..3 {
            let is_its = |anchor: u32| hit_of(anchor).is_some_and(|hit| hit.origin == origin);
            let n_its = anchors.iter().filter(|anchor| is_its(**anchor)).count();
            if n_its == 0 || n_its * 4 < anchors.len() * 3 {
                continue;
            }
            for (chunk, line) in (0_u32..).zip(lines.iter_mut()) {
                let reaches = |anchor: u32| {
                    let Some(hit) = hit_of(anchor).filter(|_| is_its(anchor)) else { return false };
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
                        Some(other) if is_its(*other) => other.abs_diff(anchor),
                        Some(other) => other.abs_diff(anchor) / 4,
                    };
                    let away = if is_before { anchor - chunk } else { chunk - anchor + 1 };
                    agreeing >= room.min(LIMITS.window) && away <= way
                };
                if line.is_none() {
                    let anchor = anchors.iter().copied().find(|anchor| reaches(*anchor));
                    *line = anchor.and_then(hit_of).map(Hit::line);
                }
            }
        }
    }

    #[test]
    fn all_is_copied_between_anchors_of_one_old_origin_and_a_quarter_of_the_way_to_another() {
        let hit = |first: u32, agreement| Hit {
            index: first,
            first,
            count: COUNT,
            offset: low_16(first) + 50,
            agreement,
            origin: 7,
        };
        let whole = Agreement { before: 4, after: 4 };
        let hits = [hit(10, whole), hit(20, whole), hit(30, whole)];
        let span = |hits: &[Hit], anchors: &[u32], is_old: bool| {
            let chunks = Chunks::runs(62, COUNT as usize);
            let mut lines = Lines::default();
            lines.draw(chunks, 0..60, hits, Limits { bridge: 0, ..LIMITS });
            lines.span(anchors, hits, LIMITS, 62, |_| is_old);
            let on_one = lines.of_chunks.iter().map(|line| u32::from(*line == 1));
            (on_one.sum::<u32>(), lines.of_chunks[..40].iter().all(|line| *line == 1))
        };
        // Three of four: as far as a quarter of the way to the fourth, and no further.
        assert_eq!(span(&hits, &[10, 20, 30, 50], true), (35, false));
        assert_eq!(span(&hits, &[10, 20, 30], true), (60, true));
        // Of a young origin the rest would have been found; and two of four are not most.
        let (found, _) = span(&hits, &[10, 20, 30, 50], false);
        assert_eq!(found, 27);
        assert_eq!(span(&hits[..2], &[10, 20, 30, 50], true).0, 18);
        // Beyond a window that does not agree to its end, nothing is.
        let ends = Agreement { after: 3, ..whole };
        let hits = [hit(10, whole), hit(20, whole), hit(30, ends)];
        assert_eq!(span(&hits, &[10, 20, 30], true).0, 34);
    }

    proptest! {
        #[test]
        fn lines_are_those_of_claiming_chunk_by_chunk(
            hits in hits(40),
            old in 0_u64..4,
            is_anchor in prop::collection::vec(prop::bool::weighted(0.1), 38),
        ) {
            let is_old = |origin| origin < old;
            let anchors: Vec<u32> = (0..38).filter(|chunk| is_anchor[*chunk as usize]).collect();
            let chunks = Chunks::runs(40, COUNT as usize);
            let mut lines = Lines::default();
            lines.draw(chunks, 0..38, &hits, LIMITS);
            lines.reach(chunks, &hits, LIMITS, is_old);
            lines.span(&anchors, &hits, LIMITS, 40, is_old);
            let line = |chunk: usize| lines.of_chunks.get(chunk)?.checked_sub(1);
            let drawn: Vec<Option<Line>> =
                (0..38).map(|chunk| Some(lines.lines[line(chunk)? as usize])).collect();
            let mut expected = naive(40, &hits, is_old);
            naive_span(40, &mut expected, &hits, &anchors, is_old);
            prop_assert_eq!(&drawn, &expected);
            let mut labels = Labels::default();
            lines.label(chunks, hits.iter().map(|hit| hit.index), &mut labels);
            prop_assert_eq!(labels.found.len(), hits.len());
            for run in &labels.runs {
                for chunk in run.start..run.start + run.n_chunks {
                    let place = expected[chunk as usize].map(|line| line.place_of(run.start));
                    prop_assert_eq!(run.place, place);
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
