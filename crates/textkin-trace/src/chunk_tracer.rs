//! The method of the paper: one slot per selected chunk.
//!
//! The tracer looks up the selected chunks in order and stores missing ones with the document as their
//! origin. Then it estimates origins, and then it updates lucky scores. With `stores_estimated`, it
//! stores missing chunks after the estimation, with the estimated origin.

use std::ops::Range;

use crate::chunks::SelectedChunk;
use crate::estimation::{Evidence, TableEntry};
use crate::eviction::{Eviction, Lucky};
use crate::label::OriginLabel;
use crate::table::{BATCH, Content, FieldWidths, SlotField, SlotTable};
use crate::{ChunkMethod, Error};
use textkin_core::Random;

/// Tracer of the paper: its table, eviction and estimation.
#[derive(Debug)]
pub(crate) struct ChunkTracer {
    method: ChunkMethod,
    pub(crate) table: SlotTable,
    pub(crate) random: Random,
}

impl ChunkTracer {
    pub(crate) fn new(
        method: ChunkMethod,
        memory: u64,
        bucket: u16,
        seed: u64,
    ) -> Result<Self, Error> {
        let widths = FieldWidths {
            tag: usize::from(method.tag_bytes),
            score: method.eviction.score_bytes(),
            offset: usize::from(method.estimation.bridges()),
            side: usize::from(method.estimation.expands()),
            origin: usize::from(method.origin_bytes),
        };
        let table = SlotTable::new(memory, bucket, widths)?;
        Ok(Self { method, table, random: Random::new(seed) })
    }

    /// Returns the origin of each selected chunk, and stores the chunks.
    pub(crate) fn trace(
        &mut self,
        number: u64,
        selected: &[SelectedChunk],
    ) -> Vec<Option<OriginLabel>> {
        let hashes: Vec<u64> = selected.iter().map(|chunk| chunk.hash).collect();
        let bytes: Vec<u8> = hashes.iter().map(|hash| first_byte(*hash)).collect();
        let mut found = Vec::with_capacity(hashes.len());
        for (position, hash) in hashes.iter().enumerate() {
            if position % BATCH == 0 {
                hashes[position..]
                    .iter()
                    .take(BATCH)
                    .for_each(|hash| self.table.prefetch_bucket(*hash));
            }
            found.push(self.lookup(*hash, number));
            if found[position].is_none() && !self.method.stores_estimated {
                self.store(*hash, position, &bytes, OriginLabel::found(number, None));
            }
        }
        let evidence = Evidence { number, found: &found, bytes: &bytes };
        let labels = self.method.estimation.estimate(&evidence, self.method.bridge_limit);
        if self.method.stores_estimated {
            for (position, hash) in hashes.iter().enumerate() {
                if found[position].is_none() && self.table.find(*hash).is_none() {
                    let own = OriginLabel::found(number, None);
                    self.store(*hash, position, &bytes, labels[position].unwrap_or(own));
                }
            }
        }
        if let Eviction::Lucky(rule) = self.method.eviction {
            let is_new: Vec<bool> = found.iter().map(Option::is_none).collect();
            self.reward(rule, &hashes, &rule.gains(&is_new, &copied_blocks(&labels)));
        }
        labels
    }

    fn lookup(&mut self, hash: u64, number: u64) -> Option<TableEntry> {
        let slot = self.table.find(hash)?;
        let [offset, ..] = self.table.number(slot, SlotField::Offset).to_le_bytes();
        let [before, ..] = self.table.number(slot, SlotField::Before).to_le_bytes();
        let [after, ..] = self.table.number(slot, SlotField::After).to_le_bytes();
        let found = TableEntry { origin: self.table.origin(slot, number), offset, before, after };
        self.method.eviction.found(&mut self.table, slot);
        Some(found)
    }

    fn store(&mut self, hash: u64, position: usize, bytes: &[u8], label: OriginLabel) {
        let bucket = self.table.bucket_of(hash);
        let slot = self.method.eviction.make_room(&mut self.table, bucket, &mut self.random);
        let at = |position: Option<usize>| {
            position.and_then(|position| bytes.get(position)).map_or(0, |byte| u64::from(*byte))
        };
        let score = self.table.number(slot, SlotField::Score);
        let content = Content {
            offset: label.offset.map_or(position as u64, u64::from),
            before: at(position.checked_sub(1)),
            after: at(position.checked_add(1)),
            origin: label.origin,
        };
        self.table.set_slot(slot, hash, score, &content);
    }

    fn reward(&mut self, rule: Lucky, hashes: &[u64], gains: &[u8]) {
        for (hash, gain) in hashes.iter().zip(gains) {
            // A chunk may have been evicted by a later one of the same document.
            let Some(slot) = self.table.find(*hash) else { continue };
            let scores = self.table.scores_mut(slot.bucket);
            scores[slot.index] = scores[slot.index].saturating_add(*gain);
        }
        for hash in hashes {
            let bucket = self.table.bucket_of(*hash);
            rule.halve_if_high(self.table.scores_mut(bucket));
        }
    }
}

/// Returns the byte that identifies a neighbour: bits that are not part of the tag.
fn first_byte(hash: u64) -> u8 {
    let [.., first] = hash.to_le_bytes();
    first
}

/// Returns the maximal runs of selected chunks with one origin.
fn copied_blocks(labels: &[Option<OriginLabel>]) -> Vec<Range<usize>> {
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
        let of = |origin| Some(OriginLabel::found(origin, None));
        let labels = [None, of(1), of(1), of(2), None, None, of(2)];
        assert_eq!(copied_blocks(&labels), [1..3, 3..4, 6..7]);
        assert!(copied_blocks(&[]).is_empty());
    }
}
