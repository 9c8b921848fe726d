//! Lists: the texts that hold the same chunks, each list once, with the number of its chunks.
//!
//! Lists that are equal in one part meet again with those of other parts in the bucket of the list.
//! What comes out is *work*: pieces of bounded size. A list of very many texts is cut into blocks
//! of texts, and every two blocks are a piece of their own, so that no piece has more pairs than
//! others and no part gets the most common chunks of all.

use hashbrown::HashMap;
use textkin_core::chunk::mix;
use xxhash_rust::xxh3::xxh3_64;

use super::common::push_common;
use super::error::Error;
use super::text_table::{self, TextTable, TextTableWriter};
use super::wire::{WireReader, push};
use super::{BucketBytes, bucket};

/// Lists of texts by their texts. An item is twice the number of a text, and one if the chunk is selected
/// there; items stand in the order of the keys of their texts.
#[derive(Debug)]
pub(super) struct Lists {
    texts: TextTable,
    /// The number of chunks of each list.
    chunks: HashMap<List, u64>,
    /// The common chunks, as bytes.
    common_chunks: Vec<u8>,
}

/// The texts that hold the same chunks; or, of common chunks, those of them that have copies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct List {
    items: Box<[u32]>,
    /// Documents that have the chunks, if these are common; else 0.
    common: u64,
}

impl Lists {
    pub(super) fn new(texts: TextTable) -> Self {
        Self { texts, chunks: HashMap::new(), common_chunks: Vec::new() }
    }

    /// Puts a list in order: the number of documents that have its texts.
    pub(super) fn sort(&self, list: &mut Vec<u32>) -> u64 {
        let text = |item: u32| self.texts.get(item >> 1);
        // A document that was read twice is one text; it is selected if it ever was.
        list.sort_unstable_by_key(|&item| (text(item).key, !item & 1));
        list.dedup_by_key(|item| *item >> 1);
        list.iter().map(|&item| u64::from(text(item).copies)).sum()
    }

    /// Adds `chunks` chunks that stand in the texts of `list`, which is in order, unless that is fewer than
    /// two texts. `common` is as in [`List`].
    pub(super) fn add(&mut self, list: &[u32], common: u64, chunks: u64) {
        if list.len() < 2 && (common == 0 || list.is_empty()) {
            return;
        }
        *self.chunks.entry(List { items: list.into(), common }).or_insert(0) += chunks;
    }

    /// Adds a common chunk that `documents` documents have, which are those of the texts of `list`.
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

    /// The lists in an order that depends on nothing but them.
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

    /// Packed for `n_buckets` buckets of lists.
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
                    let place = writer.place(item >> 1);
                    push(&mut body, u64::from(place) << 1 | u64::from(item & 1));
                }
            }
            let mut bytes = vec![LISTS];
            bytes.append(&mut writer.finish(&self.texts, &body));
            packed.push(BucketBytes { bucket: bucket_of(&part[0]), bytes });
        }
        if !self.common_chunks.is_empty() {
            let mut bytes = vec![COMMONS];
            bytes.extend_from_slice(&self.common_chunks);
            // Any bucket will do, as long as it is the same each time.
            let hash = mix(xxh3_64(&self.common_chunks));
            packed.push(BucketBytes { bucket: bucket(hash, n_buckets), bytes });
        }
        packed
    }
}

/// What packed bytes are, by their first one.
const LISTS: u8 = 0;
const COMMONS: u8 = 1;

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

/// A piece of work: pairs of texts that share chunks, to be counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkItem {
    /// Spreads pieces over parts.
    pub salt: i64,
    /// Lists in it that begin in it.
    pub lists: u64,
    /// Chunks of these lists.
    pub chunks: u64,
    /// Pairs of texts to be counted, each once for every list.
    pub steps: u64,
    /// The same, each once for every chunk: what the sums of all pairs must come to.
    pub pairs: u64,
    /// Chunks of texts that have copies, each once for every text: what their sums must come to.
    pub self_pairs: u64,
    /// The lists.
    pub bytes: Vec<u8>,
}

/// A piece ends with so many pairs or bytes, whichever comes first.
const PIECE_STEPS: u64 = 1 << 20;
const PIECE_BYTES: usize = 1 << 20;

impl ListMerger {
    /// Adds lists that were packed.
    ///
    /// # Errors
    /// If they are damaged.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut reader = WireReader::new(bytes, "lists");
        let [kind] = reader.array()?;
        match kind {
            LISTS => {}
            COMMONS => {
                self.lists.common_chunks.extend_from_slice(&bytes[1..]);
                return Ok(());
            }
            _ => return Err(reader.damaged()),
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

    /// The common chunks, for [`CommonChunks::add`](super::CommonChunks::add).
    #[must_use]
    pub fn common_chunks(&self) -> &[u8] {
        &self.lists.common_chunks
    }

    /// The work that all lists make. A list of more than `block` texts is cut.
    #[must_use]
    pub fn work(&self, block: usize) -> Vec<WorkItem> {
        let block = block.max(2);
        let mut pieces = Pieces::new(&self.lists.texts);
        let lists = self.lists.sorted();
        for &(hash, list, chunks) in &lists {
            if list.common > 0 {
                let entry = ListInfo { chunks, documents: list.common };
                pieces.push(hash, entry, &list.items, Others::None);
                continue;
            }
            let list = &*list.items;
            let copies = |&item: &u32| u64::from(self.lists.texts.get(item >> 1).copies);
            let documents: u64 = list.iter().map(copies).sum();
            let entry = ListInfo { chunks, documents };
            if list.len() <= block {
                pieces.begin(1, chunks);
                pieces.push(hash, entry, list, Others::Same);
                continue;
            }
            pieces.finish();
            pieces.begin(1, chunks);
            let blocks: Vec<&[u32]> = list.chunks(block).collect();
            for (index, left) in blocks.iter().enumerate() {
                pieces.push(hash, entry, left, Others::Same);
                pieces.finish();
                for right in &blocks[index + 1..] {
                    pieces.push(hash, entry, left, Others::These(right));
                    pieces.finish();
                }
            }
        }
        pieces.finish();
        pieces.done
    }
}

/// What is said of the chunks of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListInfo {
    /// How many there are.
    pub(super) chunks: u64,
    /// Documents that have them, copies counted.
    pub(super) documents: u64,
}

/// What a list is paired with.
#[derive(Clone, Copy, Debug)]
enum Others<'a> {
    /// Itself.
    Same,
    /// Others of its texts.
    These(&'a [u32]),
    /// Nothing: only what texts with copies share with these is counted.
    None,
}

/// Work in the making.
struct Pieces<'a> {
    texts: &'a TextTable,
    writer: TextTableWriter,
    work: WorkItem,
    done: Vec<WorkItem>,
}

impl<'a> Pieces<'a> {
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
    fn push(&mut self, hash: u64, entry: ListInfo, left: &[u32], others: Others<'_>) {
        let work = &mut self.work;
        let n = left.len() as u64;
        let (steps, right) = match others {
            Others::Same => (n * n.saturating_sub(1) / 2, &[][..]),
            Others::These(right) => (n * right.len() as u64, right),
            Others::None => (0, &[][..]),
        };
        work.steps += steps;
        work.pairs += steps * entry.chunks;
        if !matches!(others, Others::These(_)) {
            let is_copied = |item: &&u32| self.texts.get(**item >> 1).copies > 1;
            work.self_pairs += left.iter().filter(is_copied).count() as u64 * entry.chunks;
        }
        let salt = mix(hash ^ mix(self.done.len() as u64));
        work.salt = salt.cast_signed();
        let bytes = &mut work.bytes;
        push(bytes, entry.chunks);
        push(bytes, entry.documents);
        push(bytes, n);
        // One more than there are others, 0 for the same, so that no others are not the same.
        push(bytes, if matches!(others, Others::Same) { 0 } else { right.len() as u64 + 1 });
        for &item in left.iter().chain(right) {
            let place = self.writer.place(item >> 1);
            push(bytes, u64::from(place) << 1 | u64::from(item & 1));
        }
        if work.steps >= PIECE_STEPS || work.bytes.len() >= PIECE_BYTES {
            self.finish();
        }
    }

    fn finish(&mut self) {
        let mut work = std::mem::take(&mut self.work);
        if !work.bytes.is_empty() {
            work.bytes = self.writer.finish(self.texts, &work.bytes);
            self.done.push(work);
        } else {
            // Of a list that begins, nothing but its number is known yet.
            self.work = work;
        }
    }
}

/// Reads an item of a list whose texts have `numbers`.
pub(super) fn item(reader: &mut WireReader<'_>, numbers: &[u32]) -> Result<u32, Error> {
    let item = reader.number()?;
    let place = usize::try_from(item >> 1).unwrap_or(usize::MAX);
    let number = *numbers.get(place).ok_or_else(|| reader.damaged())?;
    Ok(number << 1 | u32::from(item & 1 == 1))
}
