//! Lists of texts that contain the same chunks, each list once, with the number of its chunks.
//!
//! In: packed postings. Out: [`WorkItem`]s of bounded size. Equal lists are merged within a
//! partition, and across partitions in the bucket of the list. A list of very many texts is split
//! into blocks of texts, and every two blocks form an item of their own, so that no item has many
//! more pairs than others and no partition gets all the most common chunks.

use hashbrown::HashMap;
use textkin_core::chunk::mix;
use xxhash_rust::xxh3::xxh3_64;

use super::common::push_common;
use super::error::Error;
use super::text_table::{self, TextTable, TextTableWriter};
use super::wire::{WireReader, push};
use super::{BucketBytes, bucket};

/// Lists of texts. An item is twice the number of a text, plus one if the chunk is selected there;
/// items are sorted by the keys of their texts.
#[derive(Debug)]
pub(super) struct Lists {
    texts: TextTable,
    /// The number of chunks of each list.
    chunks: HashMap<List, u64>,
    /// The encoded common chunks.
    common_chunks: Vec<u8>,
}

/// The texts that contain the same chunks; for common chunks, only the texts that have copies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct List {
    items: Box<[u32]>,
    /// Number of documents that contain the chunks, if these are common; else 0.
    common: u64,
}

impl Lists {
    pub(super) fn new(texts: TextTable) -> Self {
        Self { texts, chunks: HashMap::new(), common_chunks: Vec::new() }
    }

    /// Sorts a list and returns the number of documents that have its texts.
    pub(super) fn sort(&self, list: &mut Vec<u32>) -> u64 {
        let text = |item: u32| self.texts.get(item >> 1);
        // A document that was read twice is one text; it is selected if either occurrence was.
        list.sort_unstable_by_key(|&item| (text(item).key, !item & 1));
        list.dedup_by_key(|item| *item >> 1);
        list.iter().map(|&item| u64::from(text(item).copies)).sum()
    }

    /// Adds `chunks` chunks that the texts of `list` contain, unless there are fewer than two
    /// texts. `list` must be sorted; `common` is as in [`List`].
    pub(super) fn add(&mut self, list: &[u32], common: u64, chunks: u64) {
        if list.len() < 2 && (common == 0 || list.is_empty()) {
            return;
        }
        *self.chunks.entry(List { items: list.into(), common }).or_insert(0) += chunks;
    }

    /// Adds a common chunk that occurs in the texts of `list`, which `documents` documents have.
    pub(super) fn add_common(
        &mut self,
        list: &mut Vec<u32>,
        documents: u64,
        fingerprint: u64,
        check: u32,
    ) {
        if list.len() < 2 {
            return;
        }
        push_common(&mut self.common_chunks, fingerprint, check, documents);
        list.retain(|&item| self.texts.get(item >> 1).copies > 1);
        self.add(list, documents, 1);
    }

    fn hash(&self, list: &List) -> u64 {
        let hash = |sum: u64, &item: &u32| {
            let text = self.texts.get(item >> 1).hash();
            mix(sum.wrapping_mul(31).wrapping_add(text ^ u64::from(item & 1)))
        };
        list.items.iter().fold(list.common, hash)
    }

    /// Returns the lists in an order that depends only on their contents.
    fn sorted(&self) -> Vec<(u64, &List, u64)> {
        let mut lists = Vec::with_capacity(self.chunks.len());
        for (list, &chunks) in &self.chunks {
            lists.push((self.hash(list), list, chunks));
        }
        let keys = |list: &List| -> Vec<(i64, u32)> {
            list.items.iter().map(|&item| (self.texts.get(item >> 1).key, item & 1)).collect()
        };
        lists.sort_unstable_by(|a, b| {
            let by_hash = a.0.cmp(&b.0).then(a.1.common.cmp(&b.1.common));
            by_hash.then_with(|| keys(a.1).cmp(&keys(b.1)))
        });
        lists
    }

    /// Packs the lists for `n_buckets` buckets.
    pub(super) fn pack(&self, n_buckets: u32) -> Vec<BucketBytes> {
        let mut writer = TextTableWriter::new(&self.texts);
        let mut packed = Vec::new();
        let lists = self.sorted();
        let bucket_of = |list: &(u64, &List, u64)| bucket(list.0, n_buckets);
        for part in lists.chunk_by(|one, other| bucket_of(one) == bucket_of(other)) {
            let mut body = Vec::new();
            for &(_, list, chunks) in part {
                push(&mut body, chunks);
                push(&mut body, list.common);
                push(&mut body, list.items.len() as u64);
                for &item in &list.items {
                    let index = writer.index(item >> 1);
                    push(&mut body, u64::from(index) << 1 | u64::from(item & 1));
                }
            }
            let mut bytes = vec![LISTS];
            bytes.append(&mut writer.finish(&self.texts, &body));
            packed.push(BucketBytes { bucket: bucket_of(&part[0]), bytes });
        }
        if !self.common_chunks.is_empty() {
            let mut bytes = vec![COMMON_CHUNKS];
            bytes.extend_from_slice(&self.common_chunks);
            // Any bucket works, as long as it is the same each time.
            let hash = mix(xxh3_64(&self.common_chunks));
            packed.push(BucketBytes { bucket: bucket(hash, n_buckets), bytes });
        }
        packed
    }
}

/// The first byte of packed lists.
const LISTS: u8 = 0;
/// The first byte of packed common chunks.
const COMMON_CHUNKS: u8 = 1;

/// Merges all lists of one or more buckets of lists.
#[derive(Debug)]
pub struct ListMerger {
    lists: Lists,
}

impl Default for ListMerger {
    fn default() -> Self {
        Self { lists: Lists::new(TextTable::default()) }
    }
}

/// A work item: pairs of texts that share chunks, to be counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkItem {
    /// Distributes items over partitions.
    pub salt: i64,
    /// Number of lists that begin in this item.
    pub lists: u64,
    /// Number of chunks of these lists.
    pub chunks: u64,
    /// Number of pairs of texts to count, once for every list.
    pub steps: u64,
    /// Number of pairs of texts, once for every chunk: the expected total of the sums.
    pub pairs: u64,
    /// Number of chunks of texts that have copies, once for every text: the expected total of their
    /// sums.
    pub self_pairs: u64,
    /// The encoded lists.
    pub bytes: Vec<u8>,
}

/// Number of pairs at which an item ends.
const ITEM_STEPS: u64 = 1 << 20;
/// Number of bytes at which an item ends.
const ITEM_BYTES: usize = 1 << 20;

impl ListMerger {
    /// Adds packed lists.
    ///
    /// # Errors
    /// If the bytes are corrupt.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut reader = WireReader::new(bytes, "lists");
        let [kind] = reader.array()?;
        match kind {
            LISTS => {}
            COMMON_CHUNKS => {
                self.lists.common_chunks.extend_from_slice(&bytes[1..]);
                return Ok(());
            }
            _ => return Err(reader.corrupt()),
        }
        let numbers = text_table::read(&mut reader, &mut self.lists.texts)?;
        let mut list = Vec::new();
        while !reader.is_empty() {
            let (chunks, common) = (reader.number()?, reader.number()?);
            let count = reader.count()?;
            list.clear();
            for _ in 0..count {
                list.push(item(&mut reader, &numbers)?);
            }
            self.lists.sort(&mut list);
            self.lists.add(&list, common, chunks);
        }
        Ok(())
    }

    /// Returns the common chunks, for [`CommonChunks::add`](super::CommonChunks::add).
    #[must_use]
    pub fn common_chunks(&self) -> &[u8] {
        &self.lists.common_chunks
    }

    /// Divides all lists into work items. A list of more than `block` texts is split.
    #[must_use]
    pub fn work(&self, block: usize) -> Vec<WorkItem> {
        let block = block.max(2);
        let mut builder = WorkBuilder::new(&self.lists.texts);
        let lists = self.lists.sorted();
        for &(hash, list, chunks) in &lists {
            if list.common > 0 {
                let info = ListInfo { chunks, documents: list.common };
                builder.push(hash, info, &list.items, PairWith::Copies);
                continue;
            }
            let list = &*list.items;
            let copies = |&item: &u32| u64::from(self.lists.texts.get(item >> 1).copies);
            let documents: u64 = list.iter().map(copies).sum();
            let info = ListInfo { chunks, documents };
            if list.len() <= block {
                builder.begin(1, chunks);
                builder.push(hash, info, list, PairWith::Same);
                continue;
            }
            builder.finish();
            builder.begin(1, chunks);
            let blocks: Vec<&[u32]> = list.chunks(block).collect();
            for (index, left) in blocks.iter().enumerate() {
                builder.push(hash, info, left, PairWith::Same);
                builder.finish();
                for right in &blocks[index + 1..] {
                    builder.push(hash, info, left, PairWith::Block(right));
                    builder.finish();
                }
            }
        }
        builder.finish();
        builder.done
    }
}

/// The chunks of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListInfo {
    /// Number of chunks.
    pub(super) chunks: u64,
    /// Number of documents that contain them, including copies.
    pub(super) documents: u64,
}

/// The texts that a list is paired with.
#[derive(Clone, Copy, Debug)]
enum PairWith<'a> {
    /// The same texts.
    Same,
    /// Another block of texts of the list.
    Block(&'a [u32]),
    /// None: only texts with copies are counted, paired with their copies.
    Copies,
}

/// Builds work items.
struct WorkBuilder<'a> {
    texts: &'a TextTable,
    writer: TextTableWriter,
    work: WorkItem,
    done: Vec<WorkItem>,
}

impl<'a> WorkBuilder<'a> {
    fn new(texts: &'a TextTable) -> Self {
        Self {
            texts,
            writer: TextTableWriter::new(texts),
            work: WorkItem::default(),
            done: Vec::new(),
        }
    }

    fn begin(&mut self, lists: u64, chunks: u64) {
        self.work.lists += lists;
        self.work.chunks += chunks;
    }

    /// Adds the pairs of `left` with `others`.
    fn push(&mut self, hash: u64, info: ListInfo, left: &[u32], others: PairWith<'_>) {
        let work = &mut self.work;
        let n = left.len() as u64;
        let (steps, right) = match others {
            PairWith::Same => (n * n.saturating_sub(1) / 2, &[][..]),
            PairWith::Block(right) => (n * right.len() as u64, right),
            PairWith::Copies => (0, &[][..]),
        };
        work.steps += steps;
        work.pairs += steps * info.chunks;
        if !matches!(others, PairWith::Block(_)) {
            let is_copied = |item: &&u32| self.texts.get(**item >> 1).copies > 1;
            work.self_pairs += left.iter().filter(is_copied).count() as u64 * info.chunks;
        }
        let salt = mix(hash ^ mix(self.done.len() as u64));
        work.salt = salt.cast_signed();
        let bytes = &mut work.bytes;
        push(bytes, info.chunks);
        push(bytes, info.documents);
        push(bytes, n);
        // The number of others plus one, or 0 for the same texts, so that an empty block is
        // distinct.
        push(bytes, if matches!(others, PairWith::Same) { 0 } else { right.len() as u64 + 1 });
        for &item in left.iter().chain(right) {
            let index = self.writer.index(item >> 1);
            push(bytes, u64::from(index) << 1 | u64::from(item & 1));
        }
        if work.steps >= ITEM_STEPS || work.bytes.len() >= ITEM_BYTES {
            self.finish();
        }
    }

    fn finish(&mut self) {
        let mut work = std::mem::take(&mut self.work);
        if !work.bytes.is_empty() {
            work.bytes = self.writer.finish(self.texts, &work.bytes);
            self.done.push(work);
        } else {
            // A list has begun, but none of its pairs have been added yet.
            self.work = work;
        }
    }
}

/// Reads an item of a list; `numbers` maps indices to the numbers of texts.
pub(super) fn item(reader: &mut WireReader<'_>, numbers: &[u32]) -> Result<u32, Error> {
    let item = reader.number()?;
    let index = usize::try_from(item >> 1).unwrap_or(usize::MAX);
    let number = *numbers.get(index).ok_or_else(|| reader.corrupt())?;
    Ok(number << 1 | u32::from(item & 1 == 1))
}
