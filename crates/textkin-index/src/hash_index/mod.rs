//! Hash index: finds entries by hash, with a memory limit.
//!
//! In: entries with a hash, one after the other. Out: the entries with a given hash; new entries are
//! visible at once. New entries are in a memtable. When it is full, it is flushed to disk as a segment
//! sorted by hash (`segment`). Eight segments of one size are merged into one. A Bloom filter in memory
//! rules out most lookups of absent hashes. The result does not depend on the memory limit.

mod filter;
mod segment;

use bytemuck::Pod;
use hashbrown::HashTable;

use self::filter::BloomFilter;
use self::segment::HashSegment;
use crate::collect::Memory;
use crate::error::Error;

/// Number of segments of one size that are merged into one.
const MERGE_FACTOR: usize = 8;

/// Minimum number of entries of a flush, and minimum size of the filter in bytes.
const MIN_SPILL_ENTRIES: usize = 64;
const MIN_FILTER_BYTES: u64 = 1 << 10;

/// An entry that can be found by its hash.
pub trait HashEntry: Pod {
    /// The hash; different entries may have the same hash.
    fn hash(&self) -> u64;
}

/// Entries that can be found by hash, in memory and on disk.
#[derive(Debug)]
pub struct HashIndex<E> {
    memory: Memory,
    memtable: HashTable<E>,
    disk: Option<Disk<E>>,
}

#[derive(Debug)]
struct Disk<E> {
    filter: BloomFilter,
    /// For each size, its segments, the oldest first.
    levels: Vec<Vec<HashSegment<E>>>,
}

impl<E: HashEntry> HashIndex<E> {
    /// Creates an empty index. The memtable takes at most half of the budget, the filter an eighth.
    #[must_use]
    pub fn new(memory: Memory) -> Self {
        Self { memory, memtable: HashTable::new(), disk: None }
    }

    /// Finds the first entry with this hash that `is_match` accepts; new entries come before those on
    /// disk.
    ///
    /// # Errors
    /// If `is_match` fails, or the temporary file cannot be read.
    pub fn find<F: From<Error>>(
        &self,
        hash: u64,
        mut is_match: impl FnMut(&E) -> Result<bool, F>,
    ) -> Result<Option<E>, F> {
        let mut failure = None;
        let found = self.memtable.find(hash, |entry| {
            entry.hash() == hash
                && failure.is_none()
                && is_match(entry).unwrap_or_else(|error| {
                    failure = Some(error);
                    false
                })
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        if found.is_some() {
            return Ok(found.copied());
        }
        let Some(disk) = self.disk.as_ref().filter(|disk| disk.filter.may_contain(hash)) else {
            return Ok(None);
        };
        for segment in disk.levels.iter().flatten() {
            for entry in segment.with_hash(hash)? {
                if is_match(&entry)? {
                    return Ok(Some(entry));
                }
            }
        }
        Ok(None)
    }

    /// Adds an entry, even if an equal one exists.
    ///
    /// # Errors
    /// If the temporary file cannot be written.
    pub fn insert(&mut self, entry: E) -> Result<(), Error> {
        if self.memtable.len() == self.memtable.capacity()
            && self.memtable.len() >= MIN_SPILL_ENTRIES
        {
            // While a table grows, the old one still exists.
            let bytes = self.memtable.capacity() * 3 * (size_of::<E>() + 1);
            if bytes as u64 * 8 / 7 > self.memory.budget / 2 {
                self.flush()?;
            }
        }
        self.memtable.insert_unique(entry.hash(), entry, HashEntry::hash);
        Ok(())
    }

    /// Moves the entries of the memtable to disk.
    fn flush(&mut self) -> Result<(), Error> {
        let disk = match &mut self.disk {
            Some(disk) => disk,
            None => {
                let filter = BloomFilter::new((self.memory.budget / 8).max(MIN_FILTER_BYTES));
                self.disk.insert(Disk { filter, levels: Vec::new() })
            }
        };
        let mut entries: Vec<E> = self.memtable.drain().collect();
        // Drained entries have no order; entries with equal hashes are sorted by their bytes.
        entries.sort_unstable_by(|one, other| {
            let bytes = |entry: &E| bytemuck::bytes_of(entry).to_vec();
            one.hash().cmp(&other.hash()).then_with(|| bytes(one).cmp(&bytes(other)))
        });
        entries.iter().for_each(|entry| disk.filter.add(entry.hash()));
        let mut segment = HashSegment::write(&self.memory.temp_dir, &entries)?;
        drop(entries);
        for level in 0.. {
            if disk.levels.len() <= level {
                disk.levels.push(Vec::new());
            }
            disk.levels[level].push(segment);
            if disk.levels[level].len() < MERGE_FACTOR {
                break;
            }
            let segments = std::mem::take(&mut disk.levels[level]);
            segment = HashSegment::merge(&self.memory.temp_dir, &segments)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
    #[repr(C)]
    struct Numbered {
        hash: u64,
        number: u64,
    }

    impl HashEntry for Numbered {
        fn hash(&self) -> u64 {
            self.hash
        }
    }

    fn memory(budget: u64) -> Memory {
        Memory { budget, temp_dir: std::env::temp_dir() }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

        #[test]
        fn inserted_entries_are_found_with_any_budget(
            hashes in prop::collection::vec(prop_oneof![0u64..50, any::<u64>()], 0..3000),
            budget in prop::sample::select(vec![0u64, 4000, 20_000, 1 << 30]),
        ) {
            let mut index = HashIndex::new(memory(budget));
            let mut all = BTreeSet::new();
            for (number, &hash) in (0u64..).zip(&hashes) {
                let found = index.find(hash, |_| Ok::<bool, Error>(true)).unwrap();
                prop_assert_eq!(found.is_some(), all.contains(&hash));
                index.insert(Numbered { hash, number }).unwrap();
                all.insert(hash);
            }
            for (number, &hash) in (0u64..).zip(&hashes) {
                let is_match = |entry: &Numbered| Ok::<bool, Error>(entry.number == number);
                prop_assert_eq!(index.find(hash, is_match).unwrap(), Some(Numbered { hash, number }));
            }
            prop_assert!(index.disk.is_some() || budget > 0 || hashes.len() < 300);
        }
    }

    #[test]
    fn many_entries_are_merged_into_larger_segments() {
        let mut index = HashIndex::new(memory(0));
        let mix = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for number in 0..60_000 {
            index.insert(Numbered { hash: mix(number), number }).unwrap();
        }
        let levels = &index.disk.as_ref().unwrap().levels;
        assert!(levels.len() > 2 && levels.iter().all(|level| level.len() < MERGE_FACTOR));
        assert!(index.memtable.len() < 1000);
        for number in (0..60_000).step_by(7) {
            let found = index.find(mix(number), |_| Ok::<bool, Error>(true)).unwrap();
            assert_eq!(found.unwrap().number, number);
        }
    }
}
