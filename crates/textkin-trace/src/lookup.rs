//! Lookup of the selected chunks of a document in the table.
//!
//! Chunks between two found chunks need no lookup if the distance is the same as in the origin and both
//! windows match towards each other: their words identify them as well as their tags would. So the lookup
//! has two rounds: first chunks so far apart that their windows just meet, then the others, except those
//! between two joined chunks. About a quarter of the chunks of a copied passage are looked up, and all
//! chunks of a new one; short documents take one round.
//!
//! Buckets are prefetched one batch ahead, and slots before any content is read, to wait for memory as
//! little as possible.

use crate::WindowMethod;
use crate::anchors::{self, Anchors};
use crate::chunks::{DocumentChunks, SelectedChunk};
use crate::diagonals::{ChunkHit, GuessLimits};
use crate::table::{BATCH, Content, HasLayout, Slot, SlotTable};
use crate::window::{PackedWords, Packing, WordWindow};

/// Maximum number of selected chunks that are looked up in a single round.
const MAX_SINGLE_ROUND: usize = 2 * BATCH;

/// Lookup result of a document. The buffers are reused for the next document.
#[derive(Debug)]
pub(crate) struct Lookup {
    /// Selected chunks that were found, in text order.
    pub(crate) hits: Vec<ChunkHit>,
    /// Selected chunks that are in no slot, or in one stored by an earlier part of the document, in text
    /// order. Chunks that were not looked up count as found.
    pub(crate) missed: Vec<SelectedChunk>,
    /// Chunks of each round.
    rounds: [Vec<SelectedChunk>; 2],
    /// Found chunks of the batch, and their slots.
    slots: Vec<(SelectedChunk, Slot)>,
    hits_before: Vec<ChunkHit>,
    missed_before: Vec<SelectedChunk>,
    /// Packed words of the document, for windows.
    packed: PackedWords,
    /// Anchors of the document.
    pub(crate) anchors: Anchors,
}

/// Document, or part of one, to look up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookupDocument<'a> {
    pub(crate) number: u64,
    /// Word hashes.
    pub(crate) words: &'a [u64],
    pub(crate) chunks: DocumentChunks<'a>,
    /// Indices of the selected chunks, ascending.
    pub(crate) selection: &'a [u32],
}

impl Lookup {
    pub(crate) fn new(packing: Packing) -> Self {
        let packed = PackedWords::new(packing);
        let (hits, missed, rounds, slots, hits_before, missed_before, anchors) = Default::default();
        Self { hits, missed, rounds, slots, hits_before, missed_before, packed, anchors }
    }

    /// Returns the window of a chunk of the document.
    pub(crate) fn window(&self, chunk: &SelectedChunk) -> WordWindow {
        self.packed.window(chunk)
    }

    /// Looks up the selected chunks of a part of a document. Found slots gain score. The first part must
    /// come first.
    pub(crate) fn run<S: HasLayout>(
        &mut self,
        table: &mut SlotTable<S>,
        method: &WindowMethod,
        document: &LookupDocument<'_>,
        is_first: bool,
    ) {
        self.hits.clear();
        self.missed.clear();
        self.choose_first(document, u32::from(method.window));
        prefetch_bucket(table, &self.rounds[0], 0);
        // While memory is being fetched.
        if is_first {
            self.packed.pack(document.words);
        }
        self.anchors.choose(document, method.anchors);
        self.lookup(table, method, document, 0);
        self.choose_others(document, GuessLimits::new(method));
        if !self.rounds[1].is_empty() {
            let n = (self.hits.len(), self.missed.len());
            prefetch_bucket(table, &self.rounds[1], 0);
            self.lookup(table, method, document, 1);
            merge(&mut self.hits, n.0, &mut self.hits_before, |hit| hit.index);
            merge(&mut self.missed, n.1, &mut self.missed_before, |chunk| chunk.index);
        }
    }

    /// Chooses the chunks of the first round: each is the last one whose window meets that of the previous
    /// one, or else the next one.
    fn choose_first(&mut self, document: &LookupDocument<'_>, window: u32) {
        let [first, _] = &mut self.rounds;
        first.clear();
        if document.selection.len() <= MAX_SINGLE_ROUND {
            // All are prefetched together, which takes hardly longer than a part of them.
            let all = document.selection.iter();
            first.extend(all.map(|index| document.chunks.selected(document.words, *index)));
            return;
        }
        let mut choose = |index: u32| {
            first.push(document.chunks.selected(document.words, index));
            document.chunks.words(index).end + 2 * window
        };
        let Some((&index, others)) = document.selection.split_first() else { return };
        let mut met_to = choose(index);
        let mut last_met = None;
        for index in others {
            let start = document.chunks.words(*index).start;
            if start > met_to
                && let Some(last_met) = last_met.take()
            {
                met_to = choose(last_met);
            }
            match start > met_to {
                true => met_to = choose(*index),
                false => last_met = Some(*index),
            }
        }
        last_met.map(choose);
    }

    /// Chooses the chunks of the second round: those that are not between two joined hits.
    fn choose_others(&mut self, document: &LookupDocument<'_>, limits: GuessLimits) {
        let [first, others] = &mut self.rounds;
        others.clear();
        if first.len() == document.selection.len() {
            return;
        }
        let mut first = first.iter().map(|chunk| chunk.index).peekable();
        let mut hits = self.hits.iter().peekable();
        let mut is_joined = false;
        for index in document.selection {
            if first.next_if_eq(index).is_some() {
                let before = hits.next_if(|hit| hit.index == *index);
                let after = hits.peek().filter(|hit| first.peek() == Some(&hit.index));
                is_joined = before.zip(after).is_some_and(|(before, after)| {
                    before.diagonal() == after.diagonal() && limits.joins(before, after)
                });
            } else if !is_joined {
                others.push(document.chunks.selected(document.words, *index));
            }
        }
    }

    fn lookup<S: HasLayout>(
        &mut self,
        table: &mut SlotTable<S>,
        method: &WindowMethod,
        document: &LookupDocument<'_>,
        round: usize,
    ) {
        let Self { hits, missed, rounds, slots, packed, anchors, .. } = self;
        let chunks = &rounds[round];
        let (n_missed, mut has_own) = (missed.len(), false);
        for (number, batch) in chunks.chunks(BATCH).enumerate() {
            prefetch_bucket(table, chunks, number + 1);
            slots.clear();
            for chunk in batch {
                if let Some(slot) = table.find(chunk.hash) {
                    table.prefetch_slot(slot);
                    slots.push((*chunk, slot));
                } else {
                    // The slot where it will probably be stored.
                    table.prefetch_slot(table.next_free(chunk.hash));
                    missed.push(*chunk);
                }
            }
            for (chunk, slot) in slots.iter() {
                let hit = hit(table, packed, document, chunk, *slot);
                if hit.origin == document.number {
                    has_own = true;
                    missed.push(*chunk);
                    continue;
                }
                hits.push(hit);
                let score = &mut table.scores_mut(slot.bucket)[slot.index];
                *score = score.saturating_add(method.found_worth);
                if let Some(rank) = anchors.rank(chunk.index) {
                    *score = anchors::worth(method, rank).max(*score);
                }
            }
        }
        if has_own {
            missed[n_missed..].sort_unstable_by_key(|chunk| chunk.index);
        }
    }
}

/// Prefetches the buckets of a batch before any of them is searched.
fn prefetch_bucket<S: HasLayout>(table: &SlotTable<S>, chunks: &[SelectedChunk], batch: usize) {
    let chunks = chunks.get(batch * BATCH..).unwrap_or_default();
    chunks.iter().take(BATCH).for_each(|chunk| table.prefetch_bucket(chunk.hash));
}

/// Returns the hit of a chunk found in a slot.
#[inline]
fn hit<S: HasLayout>(
    table: &SlotTable<S>,
    packed: &PackedWords,
    document: &LookupDocument<'_>,
    chunk: &SelectedChunk,
    slot: Slot,
) -> ChunkHit {
    let Content { offset, before, after, origin } = table.content(slot);
    let [low, high, ..] = offset.to_le_bytes();
    let offset = u16::from_le_bytes([low, high]);
    let mut agreement = packed.agreement(chunk, WordWindow { before, after });
    // No word precedes the first word of the origin.
    agreement.before = agreement.before.min(u8::try_from(offset).unwrap_or(u8::MAX));
    let origin = table.whole_origin(origin, document.number);
    let SelectedChunk { index, first, count, .. } = *chunk;
    ChunkHit { index, first, count, offset, agreement, origin }
}

/// Merges the sorted first `n` entries of a list with the sorted rest.
fn merge<T: Copy>(list: &mut [T], n: usize, first: &mut Vec<T>, key: impl Fn(&T) -> u32) {
    if n == 0 || n == list.len() {
        return;
    }
    first.clear();
    first.extend_from_slice(&list[..n]);
    let (mut position, mut next) = (0, n);
    for one in first.iter() {
        while let Some(other) = list.get(next).copied().filter(|other| key(other) < key(one)) {
            list[position] = other;
            (position, next) = (position + 1, next + 1);
        }
        list[position] = *one;
        position += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn merging_two_sorted_lists_sorts_the_whole(
            mut a in prop::collection::vec(0_u32..50, 0..20),
            mut b in prop::collection::vec(0_u32..50, 0..20),
        ) {
            a.sort_unstable();
            b.sort_unstable();
            let mut list = [a.as_slice(), b.as_slice()].concat();
            merge(&mut list, a.len(), &mut Vec::new(), |number| *number);
            a.extend(b);
            a.sort_unstable();
            prop_assert_eq!(list, a);
        }
    }
}
