//! A slot for each selected chunk: the method of the paper.
//!
//! Selected chunks are looked up in order, those that are missing are stored as the document's own;
//! then origins are estimated, and then lucky scores change. With `stores_estimated`, missing chunks
//! are stored after the estimation, with the origin it gave them.

use std::ops::Range;

use crate::chunks::Selected;
use crate::estimation::{Evidence, Found};
use crate::eviction::{Eviction, Lucky};
use crate::label::Label;
use crate::table::{BATCH, Content, Field, Table, Widths};
use crate::{ChunkMethod, Error};
use textkin_core::Random;

/// The table of the paper and its rules.
#[derive(Debug)]
pub(crate) struct ChunkTracer {
    method: ChunkMethod,
    pub(crate) table: Table,
    pub(crate) random: Random,
}

impl ChunkTracer {
    pub(crate) fn new(
        method: ChunkMethod,
        memory: u64,
        bucket: u16,
        seed: u64,
    ) -> Result<Self, Error> {
        let widths = Widths {
            tag: usize::from(method.tag_bytes),
            score: method.eviction.score_bytes(),
            offset: usize::from(method.estimation.bridges()),
            side: usize::from(method.estimation.expands()),
            origin: usize::from(method.origin_bytes),
        };
        let table = Table::new(memory, bucket, widths)?;
        Ok(Self { method, table, random: Random::new(seed) })
    }

    /// Says where each selected chunk came from, and remembers them.
    pub(crate) fn trace(&mut self, number: u64, selected: &[Selected]) -> Vec<Option<Label>> {
        let hashes: Vec<u64> = selected.iter().map(|chunk| chunk.hash).collect();
        let bytes: Vec<u8> = hashes.iter().map(|hash| first_byte(*hash)).collect();
        let mut found = Vec::with_capacity(hashes.len());
        for (place, hash) in hashes.iter().enumerate() {
            if place % BATCH == 0 {
                hashes[place..].iter().take(BATCH).for_each(|hash| self.table.fetch(*hash));
            }
            found.push(self.look_up(*hash, number));
            if found[place].is_none() && !self.method.stores_estimated {
                self.store(*hash, place, &bytes, Label::found(number, None));
            }
        }
        let evidence = Evidence { number, found: &found, bytes: &bytes };
        let labels = self.method.estimation.estimate(&evidence, self.method.bridge_limit);
        if self.method.stores_estimated {
            for (place, hash) in hashes.iter().enumerate() {
                if found[place].is_none() && self.table.find(*hash).is_none() {
                    let own = Label::found(number, None);
                    self.store(*hash, place, &bytes, labels[place].unwrap_or(own));
                }
            }
        }
        if let Eviction::Lucky(rule) = self.method.eviction {
            let is_new: Vec<bool> = found.iter().map(Option::is_none).collect();
            self.reward(rule, &hashes, &rule.gains(&is_new, &copied_blocks(&labels)));
        }
        labels
    }

    fn look_up(&mut self, hash: u64, number: u64) -> Option<Found> {
        let slot = self.table.find(hash)?;
        let [offset, ..] = self.table.number(slot, Field::Offset).to_le_bytes();
        let [before, ..] = self.table.number(slot, Field::Before).to_le_bytes();
        let [after, ..] = self.table.number(slot, Field::After).to_le_bytes();
        let found = Found { origin: self.table.origin(slot, number), offset, before, after };
        self.method.eviction.found(&mut self.table, slot);
        Some(found)
    }

    fn store(&mut self, hash: u64, place: usize, bytes: &[u8], label: Label) {
        let bucket = self.table.bucket_of(hash);
        let slot = self.method.eviction.make_room(&mut self.table, bucket, &mut self.random);
        let at = |place: Option<usize>| {
            place.and_then(|place| bytes.get(place)).map_or(0, |byte| u64::from(*byte))
        };
        let score = self.table.number(slot, Field::Score);
        let content = Content {
            offset: label.offset.map_or(place as u64, u64::from),
            before: at(place.checked_sub(1)),
            after: at(place.checked_add(1)),
            origin: label.origin,
        };
        self.table.set_slot(slot, hash, score, &content);
    }

    fn reward(&mut self, rule: Lucky, hashes: &[u64], gains: &[u8]) {
        for (hash, gain) in hashes.iter().zip(gains) {
            // A chunk may have had to leave for a later one of the same document.
            let Some(slot) = self.table.find(*hash) else { continue };
            let scores = self.table.scores_mut(slot.bucket);
            scores[slot.index] = scores[slot.index].saturating_add(*gain);
        }
        for hash in hashes {
            let bucket = self.table.bucket_of(*hash);
            rule.settle(self.table.scores_mut(bucket));
        }
    }
}

/// What neighbours are told apart by: bits that the tag of a chunk does not repeat.
fn first_byte(hash: u64) -> u8 {
    let [.., first] = hash.to_le_bytes();
    first
}

/// Maximal runs of selected chunks of one origin.
fn copied_blocks(labels: &[Option<Label>]) -> Vec<Range<usize>> {
    let mut start = 0;
    let runs = labels.chunk_by(|a, b| a.map(|a| a.origin) == b.map(|b| b.origin));
    let ranges = runs.map(|run| {
        start += run.len();
        (run[0].is_some(), start - run.len()..start)
    });
    ranges.filter(|(is_copied, _)| *is_copied).map(|(_, range)| range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_maximal_runs_of_one_origin() {
        let of = |origin| Some(Label::found(origin, None));
        let labels = [None, of(1), of(1), of(2), None, None, of(2)];
        assert_eq!(copied_blocks(&labels), [1..3, 3..4, 6..7]);
        assert!(copied_blocks(&[]).is_empty());
    }
}
