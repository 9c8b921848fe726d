//! Which selected chunks of a document the table knows.
//!
//! What lies between two chunks that were found at the same distance as in their origin, and whose
//! windows agree towards each other, need not be looked up: it is known as well by its words as it
//! would be by its tag. So chunks are looked up in two rounds: first some, so far apart that their
//! windows just meet; then the others, unless they are between two that are joined so. Of a copied
//! passage about a quarter are looked up, of a fresh one all; of a short document all, in one round.
//!
//! Buckets are asked for a batch ahead, one right after the other, so that the processor looks for many at once, and the content of
//! slots before any of it is read: the memory is waited for as little as can be.

use crate::WindowMethod;
use crate::anchors::Anchors;
use crate::chunks::{Chunks, Selected};
use crate::lines::{Hit, Limits};
use crate::table::{BATCH, Content, Shape, Slot, Table};
use crate::window::{PackedWords, Packing, Window};

/// Selected chunks that are all looked up in one round.
const FEW: usize = 2 * BATCH;

/// What the table knows of a document. Its memory is used again for the next.
#[derive(Debug)]
pub(crate) struct LookUp {
    /// Selected chunks that were found, in text order.
    pub(crate) hits: Vec<Hit>,
    /// Selected chunks that are in no slot, or in one of an earlier part of the document, in text order;
    /// those that were not looked up are known.
    pub(crate) missed: Vec<Selected>,
    /// The chunks of either round.
    rounds: [Vec<Selected>; 2],
    /// Those of its batch that were found, and where.
    slots: Vec<(Selected, Slot)>,
    hits_before: Vec<Hit>,
    missed_before: Vec<Selected>,
    /// The words of the document, for windows.
    packed: PackedWords,
    /// Those of its chunks that are remembered for longest.
    pub(crate) anchors: Anchors,
}

/// A document as it is looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Document<'a> {
    pub(crate) number: u64,
    /// The hashes of its words.
    pub(crate) words: &'a [u64],
    pub(crate) chunks: Chunks<'a>,
    /// Those of its chunks, or of a part of them, that are selected, ascending.
    pub(crate) selection: &'a [u32],
}

impl LookUp {
    pub(crate) fn new(packing: Packing) -> Self {
        let packed = PackedWords::new(packing);
        let (hits, missed, rounds, slots, hits_before, missed_before, anchors) = Default::default();
        Self { hits, missed, rounds, slots, hits_before, missed_before, packed, anchors }
    }

    /// The window of a chunk of the document.
    pub(crate) fn window(&self, chunk: &Selected) -> Window {
        self.packed.window(chunk)
    }

    /// Looks the selected chunks of a part of a document up. What is found gains worth. The first part
    /// comes first.
    pub(crate) fn run<S: Shape>(
        &mut self,
        table: &mut Table<S>,
        method: &WindowMethod,
        document: &Document<'_>,
        is_first: bool,
    ) {
        self.hits.clear();
        self.missed.clear();
        self.choose_first(document, u32::from(method.window));
        fetch(table, &self.rounds[0], 0);
        // While the memory is waited for.
        if is_first {
            self.packed.pack(document.words);
        }
        self.anchors.choose(document, usize::from(method.anchors));
        self.look_up(table, method, document, 0);
        self.choose_others(document, Limits::new(method));
        if !self.rounds[1].is_empty() {
            let n = (self.hits.len(), self.missed.len());
            fetch(table, &self.rounds[1], 0);
            self.look_up(table, method, document, 1);
            merge(&mut self.hits, n.0, &mut self.hits_before, |hit| hit.index);
            merge(&mut self.missed, n.1, &mut self.missed_before, |chunk| chunk.index);
        }
    }

    /// The chunks of the first round: each is the last that the window of the one before still meets
    /// with its own, or else the next one.
    fn choose_first(&mut self, document: &Document<'_>, window: u32) {
        let [first, _] = &mut self.rounds;
        first.clear();
        if document.selection.len() <= FEW {
            // All of them are asked for at once, which takes hardly longer than a part of them.
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

    /// The chunks of the second round: those that are not between two hits that are joined.
    fn choose_others(&mut self, document: &Document<'_>, limits: Limits) {
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
                    before.line() == after.line() && limits.join(before, after)
                });
            } else if !is_joined {
                others.push(document.chunks.selected(document.words, *index));
            }
        }
    }

    fn look_up<S: Shape>(
        &mut self,
        table: &mut Table<S>,
        method: &WindowMethod,
        document: &Document<'_>,
        round: usize,
    ) {
        let Self { hits, missed, rounds, slots, packed, anchors, .. } = self;
        let chunks = &rounds[round];
        let (n_missed, mut has_own) = (missed.len(), false);
        for (place, batch) in chunks.chunks(BATCH).enumerate() {
            fetch(table, chunks, place + 1);
            slots.clear();
            for chunk in batch {
                if let Some(slot) = table.find(chunk.hash) {
                    table.fetch_slot(slot);
                    slots.push((*chunk, slot));
                } else {
                    // Where it will probably be stored.
                    table.fetch_slot(table.next_free(chunk.hash));
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
                let worth = &mut table.scores_mut(slot.bucket)[slot.index];
                *worth = worth.saturating_add(method.found_worth);
                if anchors.hold(chunk.index) {
                    *worth = method.anchor_worth.max(*worth);
                }
            }
        }
        if has_own {
            missed[n_missed..].sort_unstable_by_key(|chunk| chunk.index);
        }
    }
}

/// Asks for the buckets of a batch, before any of them is searched.
fn fetch<S: Shape>(table: &Table<S>, chunks: &[Selected], batch: usize) {
    let chunks = chunks.get(batch * BATCH..).unwrap_or_default();
    chunks.iter().take(BATCH).for_each(|chunk| table.fetch(chunk.hash));
}

/// What a slot says of the chunk that it holds.
#[inline]
fn hit<S: Shape>(
    table: &Table<S>,
    packed: &PackedWords,
    document: &Document<'_>,
    chunk: &Selected,
    slot: Slot,
) -> Hit {
    let Content { offset, before, after, origin } = table.content(slot);
    let [low, high, ..] = offset.to_le_bytes();
    let offset = u16::from_le_bytes([low, high]);
    let mut agreement = packed.agreement(chunk, Window { before, after });
    // There is nothing before the first word of the origin.
    agreement.before = agreement.before.min(u8::try_from(offset).unwrap_or(u8::MAX));
    let origin = table.whole_origin(origin, document.number);
    let Selected { index, first, count, .. } = *chunk;
    Hit { index, first, count, offset, agreement, origin }
}

/// Orders a list whose first `n` are ordered, and the others.
fn merge<T: Copy>(list: &mut [T], n: usize, first: &mut Vec<T>, key: impl Fn(&T) -> u32) {
    if n == 0 || n == list.len() {
        return;
    }
    first.clear();
    first.extend_from_slice(&list[..n]);
    let (mut place, mut next) = (0, n);
    for one in first.iter() {
        while let Some(other) = list.get(next).copied().filter(|other| key(other) < key(one)) {
            list[place] = other;
            (place, next) = (place + 1, next + 1);
        }
        list[place] = *one;
        place += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn two_ordered_lists_become_one(
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
