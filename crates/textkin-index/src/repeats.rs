//! Repeats: finds the hashes that occur more than once, partition by partition.
//!
//! In: the records of all batches, ordered by partition. Out: the same records, each hash replaced by a
//! [`Link`]: unique, the first occurrence of a repeated chunk (with its group), or a later occurrence (with
//! the position of the first). The table of a partition fits the cache, so that a record costs a few
//! nanoseconds.
//!
//! Chunks that occur in the same texts form one group. The list of texts is summed up in 128 bits while
//! records are visited in text order, and the sum is the key of the group. [`crate::shared`] later checks
//! that no two different lists had the same sum.

use std::ops::Range;

use hashbrown::HashTable;
use textkin_core::chunk::mix;
use textkin_core::parallel::try_for_each;

use crate::array::Array;
use crate::batch::{Batch, PARTITIONS};
use crate::chunk_list::FirstOccurrence;
use crate::error::Error;
use crate::record::{Link, LinkKind, Record};
use crate::work::{Progress, Stop};

/// A group in the table of one worker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// Sum of the list of texts.
    pub(crate) key: u128,
    /// Number of texts.
    pub(crate) n_texts: u32,
    /// Number of chunks.
    pub(crate) n_chunks: u32,
}

/// The results of all workers, in addition to the links in the records.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    /// The groups of each worker.
    pub(crate) tables: Vec<Vec<Group>>,
    /// For each text, how many of its chunk occurrences repeat an earlier one of the same text.
    pub(crate) within_text: Vec<u32>,
    /// Number of distinct hashes among the records.
    pub(crate) distinct: u64,
    /// The first occurrence of every hash that two or more documents may have, if requested.
    pub(crate) first_occurrences: Vec<FirstOccurrence>,
}

/// The settings of a pass over all partitions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass<'a> {
    pub(crate) threads: usize,
    /// Bytes that records on disk may take in memory, over all threads.
    pub(crate) memory: u64,
    pub(crate) selective: bool,
    /// For each text, whether several documents have it. Present if first occurrences are requested.
    pub(crate) copied: Option<&'a [bool]>,
    pub(crate) progress: &'a Progress,
    pub(crate) stop: &'a Stop,
}

/// Replaces the hash in every record by its link.
///
/// `first_texts[batch]` is the number of the first text of that batch in the collection.
pub(crate) fn link_repeats(
    batches: &mut [Batch],
    first_texts: &[u32],
    n_texts: usize,
    pass: Pass<'_>,
) -> Result<Repeats, Error> {
    let ranges = partition_ranges(batches, pass);
    pass.progress.begin("finding repeats", ranges.len() as u64);
    // The records are moved out of their batches during the pass: each task changes its part of
    // them while all tasks read the batches.
    let mut records: Vec<_> =
        batches.iter_mut().map(|batch| std::mem::take(&mut batch.records)).collect();
    let result: Vec<WorkerResult> = {
        let batches: &[Batch] = batches;
        let workers = try_for_each(
            pass.threads,
            tasks(batches, &mut records, &ranges),
            |number| Worker::new(number, batches, first_texts, n_texts, pass.copied),
            |worker, mut task| {
                pass.stop.check()?;
                task.load()?;
                for partition in task.partitions.clone() {
                    if pass.selective {
                        worker.link::<true>(&mut task, partition);
                    } else {
                        worker.link::<false>(&mut task, partition);
                    }
                }
                pass.progress.advance(1);
                task.store()
            },
        )?;
        workers.into_iter().map(|worker| worker.result).collect()
    };
    for (batch, records) in batches.iter_mut().zip(records) {
        batch.records = records;
    }
    let mut repeats = Repeats { within_text: vec![0; n_texts], ..Repeats::default() };
    for result in result {
        repeats.distinct += result.distinct;
        repeats.tables.push(result.groups);
        for (sum, count) in repeats.within_text.iter_mut().zip(result.within_text) {
            *sum += count;
        }
        repeats.first_occurrences.extend(result.first_occurrences);
    }
    Ok(repeats)
}

/// The results of one worker.
#[derive(Default)]
struct WorkerResult {
    groups: Vec<Group>,
    within_text: Vec<u32>,
    distinct: u64,
    first_occurrences: Vec<FirstOccurrence>,
}

/// Splits the partitions into ranges, one per task: enough to keep the threads busy, and small enough that
/// records on disk fit in memory.
fn partition_ranges(batches: &[Batch], pass: Pass<'_>) -> Vec<Range<usize>> {
    let on_disk = batches.iter().filter(|batch| batch.records.memory() == 0);
    let bytes: usize = on_disk.map(|batch| batch.records.len() * size_of::<Record>()).sum();
    let share = (pass.memory / pass.threads.max(1) as u64).max(1 << 20);
    let n_ranges = (bytes as u64).div_ceil(share).clamp(256, PARTITIONS as u64);
    let step = PARTITIONS / n_ranges.next_power_of_two() as usize;
    (0..PARTITIONS).step_by(step).map(|start| start..start + step).collect()
}

/// The records of a range of partitions, one slice per batch.
struct Task<'a> {
    partitions: Range<usize>,
    slices: Vec<RecordSlice<'a>>,
}

/// The records of one batch for a task.
enum RecordSlice<'a> {
    Memory(&'a mut [Record]),
    Disk { array: &'a Array<Record>, range: Range<usize>, records: Vec<Record> },
}

impl RecordSlice<'_> {
    fn records(&self) -> &[Record] {
        match self {
            Self::Memory(records) => records,
            Self::Disk { records, .. } => records,
        }
    }

    fn records_mut(&mut self) -> &mut [Record] {
        match self {
            Self::Memory(records) => records,
            Self::Disk { records, .. } => records,
        }
    }
}

impl Task<'_> {
    fn load(&mut self) -> Result<(), Error> {
        for slice in &mut self.slices {
            if let RecordSlice::Disk { array, range, records } = slice {
                array.read_into(range.clone(), records)?;
            }
        }
        Ok(())
    }

    fn store(&self) -> Result<(), Error> {
        for slice in &self.slices {
            if let RecordSlice::Disk { array, range, records } = slice {
                array.write_back(range.start, records)?;
            }
        }
        Ok(())
    }
}

fn tasks<'a>(
    batches: &[Batch],
    records: &'a mut [Array<Record>],
    ranges: &[Range<usize>],
) -> Vec<Task<'a>> {
    let task = |partitions: &Range<usize>| Task {
        partitions: partitions.clone(),
        slices: Vec::with_capacity(batches.len()),
    };
    let mut tasks: Vec<Task<'a>> = ranges.iter().map(task).collect();
    for (batch, array) in batches.iter().zip(records) {
        let bounds = |partitions: &Range<usize>| {
            batch.partition_start(partitions.start)..batch.partition_start(partitions.end)
        };
        match array {
            Array::Memory(records) => {
                let mut rest = records.as_mut_slice();
                for task in &mut tasks {
                    let (head, tail) = rest.split_at_mut(bounds(&task.partitions).len());
                    task.slices.push(RecordSlice::Memory(head));
                    rest = tail;
                }
            }
            disk => {
                let disk: &Array<Record> = disk;
                for task in &mut tasks {
                    let range = bounds(&task.partitions);
                    task.slices.push(RecordSlice::Disk { array: disk, range, records: Vec::new() });
                }
            }
        }
    }
    tasks
}

/// A hash that occurs more than once.
struct RepeatedHash {
    hash: u64,
    /// Number of its first record in the partition.
    first: u32,
    /// The text of its latest record.
    last_text: u32,
    n_texts: u32,
    /// The text of its latest selected record.
    last_selected: u32,
    /// Sum of the list of texts, and of those in which it is selected.
    key: u128,
    /// The link of the first record, and of later ones.
    first_link: Link,
    later_link: Link,
}

const EMPTY: u32 = u32::MAX;
/// Marks a slot that holds the number of an entry, not of a record.
const ENTRY: u32 = 1 << 31;

/// The tables of one thread.
struct Worker<'a> {
    number: u16,
    batches: &'a [Batch],
    first_texts: &'a [u32],
    slots: Vec<u32>,
    hashes: Vec<u64>,
    entries: Vec<RepeatedHash>,
    entry_of: Vec<u32>,
    /// For each batch, the number of its first record in the partition.
    slice_starts: Vec<u32>,
    group_numbers: GroupNumbers,
    copied: Option<&'a [bool]>,
    result: WorkerResult,
}

impl<'a> Worker<'a> {
    fn new(
        number: usize,
        batches: &'a [Batch],
        first_texts: &'a [u32],
        n_texts: usize,
        copied: Option<&'a [bool]>,
    ) -> Self {
        Self {
            number: number as u16,
            batches,
            first_texts,
            slots: Vec::new(),
            hashes: Vec::new(),
            entries: Vec::new(),
            entry_of: Vec::new(),
            slice_starts: Vec::new(),
            group_numbers: GroupNumbers::default(),
            copied,
            result: WorkerResult { within_text: vec![0; n_texts], ..WorkerResult::default() },
        }
    }

    /// Links the records of `partition`.
    fn link<const SELECTIVE: bool>(&mut self, task: &mut Task<'_>, partition: usize) {
        self.gather(task, partition);
        self.find::<SELECTIVE>(task, partition);
        self.name_groups();
        if let Some(copied) = self.copied {
            self.record_first_occurrences(task, partition, copied);
        }
        self.write(task, partition);
    }

    /// Records the first occurrence of every hash that two or more documents may have.
    fn record_first_occurrences(&mut self, task: &Task<'_>, partition: usize, copied: &[bool]) {
        for entry in &self.entries {
            if let LinkKind::Later { batch, position } = entry.later_link.kind()
                && (entry.n_texts > 1 || copied[entry.last_text as usize])
            {
                self.result.first_occurrences.push(FirstOccurrence {
                    batch,
                    position,
                    hash: entry.hash,
                });
            }
        }
        let mut number = 0;
        for batch in 0..task.slices.len() {
            for record in &task.slices[batch].records()[self.bounds(task, partition, batch)] {
                let text = self.first_texts[batch] as usize
                    + self.batches[batch].text_of(record.position());
                if self.entry_of[number] == EMPTY && copied[text] {
                    let hash = self.hashes[number];
                    self.result.first_occurrences.push(FirstOccurrence {
                        batch: batch as u32,
                        position: record.position(),
                        hash,
                    });
                }
                number += 1;
            }
        }
    }

    /// The records of batch `batch` in `partition`, within the slice of the task.
    fn bounds(&self, task: &Task<'_>, partition: usize, batch: usize) -> Range<usize> {
        let batch = &self.batches[batch];
        let base = batch.partition_start(task.partitions.start);
        batch.partition_start(partition) - base..batch.partition_start(partition + 1) - base
    }

    fn gather(&mut self, task: &Task<'_>, partition: usize) {
        self.hashes.clear();
        self.slice_starts.clear();
        for (batch, slice) in task.slices.iter().enumerate() {
            self.slice_starts.push(self.hashes.len() as u32);
            let records = &slice.records()[self.bounds(task, partition, batch)];
            self.hashes.extend(records.iter().map(|record| record.value()));
        }
        self.entries.clear();
        self.entry_of.clear();
        self.entry_of.resize(self.hashes.len(), EMPTY);
        self.slots.clear();
        self.slots.resize((self.hashes.len() * 2).next_power_of_two().max(2), EMPTY);
    }

    fn find<const SELECTIVE: bool>(&mut self, task: &Task<'_>, partition: usize) {
        let mask = self.slots.len() - 1;
        let mut number = 0u32;
        let mut repeated = 0u64;
        for batch in 0..task.slices.len() {
            let bounds = self.bounds(task, partition, batch);
            for record in &task.slices[batch].records()[bounds] {
                let hash = self.hashes[number as usize];
                let mut slot = hash as usize & mask;
                let entry = loop {
                    let held = self.slots[slot];
                    if held == EMPTY {
                        self.slots[slot] = number;
                        break None;
                    } else if held & ENTRY != 0 {
                        if self.entries[(held & !ENTRY) as usize].hash == hash {
                            break Some(held & !ENTRY);
                        }
                    } else if self.hashes[held as usize] == hash {
                        let entry = self.new_entry::<SELECTIVE>(task, partition, held);
                        self.slots[slot] = entry | ENTRY;
                        break Some(entry);
                    }
                    slot = (slot + 1) & mask;
                };
                if let Some(entry) = entry {
                    repeated += 1;
                    self.entry_of[number as usize] = entry;
                    let position = record.position();
                    let text =
                        self.first_texts[batch] + self.batches[batch].text_of(position) as u32;
                    let entry = &mut self.entries[entry as usize];
                    if entry.last_text == text {
                        self.result.within_text[text as usize] += 1;
                    } else {
                        entry.last_text = text;
                        entry.n_texts += 1;
                        entry.key = entry.key.wrapping_add(list_term(text));
                    }
                    if SELECTIVE && record.is_selected() && entry.last_selected != text {
                        entry.last_selected = text;
                        entry.key = entry.key.wrapping_add(selected_term(text));
                    }
                }
                number += 1;
            }
        }
        self.result.distinct += self.hashes.len() as u64 - repeated;
    }

    /// Adds an entry for a hash seen for the second time, from its first record.
    fn new_entry<const SELECTIVE: bool>(
        &mut self,
        task: &Task<'_>,
        partition: usize,
        first: u32,
    ) -> u32 {
        let batch = self.slice_starts.partition_point(|&start| start <= first) - 1;
        let within =
            self.bounds(task, partition, batch).start + (first - self.slice_starts[batch]) as usize;
        let record = task.slices[batch].records()[within];
        let position = record.position();
        let text = self.first_texts[batch] + self.batches[batch].text_of(position) as u32;
        let selected = SELECTIVE && record.is_selected();
        let selected_key = if selected { selected_term(text) } else { 0 };
        let number = self.entries.len() as u32;
        self.entry_of[first as usize] = number;
        self.entries.push(RepeatedHash {
            hash: record.value(),
            first,
            last_text: text,
            n_texts: 1,
            last_selected: if selected { text } else { u32::MAX },
            key: list_term(text).wrapping_add(selected_key),
            first_link: Link::first_unshared(),
            later_link: Link::later(batch as u32, position),
        });
        number
    }

    fn name_groups(&mut self) {
        for entry in self.entries.iter_mut().filter(|entry| entry.n_texts > 1) {
            let group = Group { key: entry.key, n_texts: entry.n_texts, n_chunks: 1 };
            let number = self.group_numbers.add(group, &mut self.result.groups);
            entry.first_link = Link::first(self.number, number);
        }
    }

    fn write(&self, task: &mut Task<'_>, partition: usize) {
        let mut number = 0u32;
        for batch in 0..task.slices.len() {
            let bounds = self.bounds(task, partition, batch);
            for record in &mut task.slices[batch].records_mut()[bounds] {
                let link = match self.entry_of[number as usize] {
                    EMPTY => Link::UNIQUE,
                    entry => {
                        let entry = &self.entries[entry as usize];
                        if entry.first == number { entry.first_link } else { entry.later_link }
                    }
                };
                record.set_value(link.raw());
                number += 1;
            }
        }
    }
}

/// The number that text `text` adds to the sum of a list. Sums of 128 random bits per text are equal for
/// different lists with a probability of 2^-128.
fn list_term(text: u32) -> u128 {
    let low = mix(u64::from(text) ^ 0x5851_f42d_4c95_7f2d);
    let high = mix(u64::from(text) ^ 0xd1b5_4a32_d192_ed03);
    u128::from(high) << 64 | u128::from(low)
}

/// The number that text `text` adds if the chunk is selected there.
fn selected_term(text: u32) -> u128 {
    list_term(text).rotate_left(41) ^ (list_term(!text) << 1)
}

/// Finds groups by their list of texts. It stores only numbers; the caller holds the groups.
#[derive(Debug, Default)]
pub(crate) struct GroupNumbers(HashTable<u32>);

impl GroupNumbers {
    /// Adds `group` to `groups`, or its chunks to the group with the same texts. Returns the number of
    /// the group.
    pub(crate) fn add(&mut self, group: Group, groups: &mut Vec<Group>) -> u32 {
        let is_same = |&number: &u32| {
            let other = &groups[number as usize];
            (other.key, other.n_texts) == (group.key, group.n_texts)
        };
        if let Some(&number) = self.0.find(hash_of(&group), is_same) {
            groups[number as usize].n_chunks += group.n_chunks;
            return number;
        }
        let number = groups.len() as u32;
        groups.push(group);
        self.0.insert_unique(hash_of(&group), number, |&number| hash_of(&groups[number as usize]));
        number
    }
}

/// Uses the key as hash: keys are random.
fn hash_of(group: &Group) -> u64 {
    group.key as u64
}
