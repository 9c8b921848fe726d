//! The inverted index of SCAM (section 2): an extensible hash table of chunks, and postings in chained blocks on disk.
//!
//! In: the distinct chunks of each document, in order of registration. Out: sizes, and the misses of a buffer of pages
//! while the documents are loaded. The paper gives neither the size of an entry nor that of a block; [`note`] has those
//! used here.

use std::collections::HashMap;

/// Bytes of a page of the buffer.
const PAGE: u64 = 4096;
/// Bytes of an entry of the hash table: a hash and the address of the last block of postings.
const ENTRY: u64 = 12;
/// Entries of a page of the hash table, which is 70 % full on average.
const ENTRIES_PER_PAGE: u64 = PAGE * 7 / 10 / ENTRY;
/// Bytes of a block of postings.
const BLOCK: u64 = 32;
/// Postings in a block: a document number and a count each, after the address of the previous block.
const POSTINGS_PER_BLOCK: u32 = 3;

/// Returns the note for tables that use the model.
pub(super) fn note() -> String {
    format!(
        "Index: {ENTRY} bytes per distinct chunk in pages of {PAGE} bytes that are 70 % full. Data: postings in blocks of {BLOCK} \
         bytes with {POSTINGS_PER_BLOCK} documents each. Total: both and the names of documents."
    )
}

/// The index: the chunks of every document, by number.
#[derive(Debug, Default)]
pub(super) struct IndexModel {
    numbers: HashMap<u64, u32>,
    /// Number of postings of each chunk.
    n_postings: Vec<u32>,
    documents: Vec<Vec<u32>>,
    name_bytes: u64,
}

impl IndexModel {
    /// Registers a document with these distinct chunks.
    pub(super) fn add(&mut self, name: &str, chunks: &[u64]) {
        let mut document = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            let next = u32::try_from(self.n_postings.len()).unwrap_or(u32::MAX);
            let number = *self.numbers.entry(*chunk).or_insert(next);
            if number == next {
                self.n_postings.push(0);
            }
            if let Some(n) = self.n_postings.get_mut(number as usize) {
                *n += 1;
            }
            document.push(number);
        }
        self.documents.push(document);
        self.name_bytes += name.len() as u64 + 4;
    }

    /// Number of pages of the hash table.
    fn index_pages(&self) -> u64 {
        (self.n_postings.len() as u64).div_ceil(ENTRIES_PER_PAGE).max(1)
    }

    /// Bytes of the hash table.
    pub(super) fn index_bytes(&self) -> u64 {
        self.index_pages() * PAGE
    }

    /// Bytes of the blocks of postings.
    pub(super) fn data_bytes(&self) -> u64 {
        self.n_postings.iter().map(|n| u64::from(n.div_ceil(POSTINGS_PER_BLOCK)) * BLOCK).sum()
    }

    /// Bytes of both and of the names of documents.
    pub(super) fn total_bytes(&self) -> u64 {
        self.index_bytes() + self.data_bytes() + self.name_bytes
    }

    /// Counts the misses of a buffer of `bytes` while all documents are loaded in order.
    pub(super) fn buffer_misses(&self, bytes: u64) -> u64 {
        let n_index = self.index_pages();
        let n_data = self.data_bytes().div_ceil(PAGE);
        let capacity = usize::try_from(bytes / PAGE).unwrap_or(usize::MAX).max(2);
        let mut buffer = Buffer::new(capacity, usize::try_from(n_index + n_data).unwrap_or(0));
        // The number of postings so far and the last block of each chunk.
        let mut tails = vec![(0_u32, 0_u64); self.n_postings.len()];
        let mut n_blocks = 0;
        for chunk in self.documents.iter().flatten() {
            // The hash decides the page, and chunk numbers are in order of appearance.
            let page = textkin::engine::types::chunk::mix(u64::from(*chunk)) % n_index;
            buffer.access(page);
            let Some((n, block)) = tails.get_mut(*chunk as usize) else { continue };
            if *n % POSTINGS_PER_BLOCK == 0 {
                *block = n_blocks;
                n_blocks += 1;
            }
            *n += 1;
            buffer.access(n_index + *block * BLOCK / PAGE);
        }
        buffer.misses
    }
}

/// A buffer that evicts the least recently used page.
#[derive(Debug)]
struct Buffer {
    capacity: usize,
    len: usize,
    misses: u64,
    /// For each page: the one used before it and the one used after it, and whether it is in the buffer. The list is a
    /// ring through the entry after the last page.
    before: Vec<u32>,
    after: Vec<u32>,
    holds: Vec<bool>,
}

impl Buffer {
    fn new(capacity: usize, n_pages: usize) -> Self {
        let end = u32::try_from(n_pages).unwrap_or(u32::MAX);
        Self {
            capacity,
            len: 0,
            misses: 0,
            before: vec![end; n_pages + 1],
            after: vec![end; n_pages + 1],
            holds: vec![false; n_pages],
        }
    }

    fn access(&mut self, page: u64) {
        let page = usize::try_from(page).unwrap_or(usize::MAX);
        let end = self.holds.len();
        match self.holds.get(page) {
            Some(true) => self.unlink(page),
            Some(false) => {
                self.misses += 1;
                if self.len == self.capacity {
                    let oldest = self.after[end] as usize;
                    self.unlink(oldest);
                    self.holds[oldest] = false;
                } else {
                    self.len += 1;
                }
                self.holds[page] = true;
            }
            None => return,
        }
        let latest = self.before[end];
        let (number, ring) = (short(page), short(end));
        self.after[latest as usize] = number;
        self.before[page] = latest;
        self.after[page] = ring;
        self.before[end] = number;
    }

    fn unlink(&mut self, page: usize) {
        let (before, after) = (self.before[page], self.after[page]);
        self.after[before as usize] = after;
        self.before[after as usize] = before;
    }
}

fn short(page: usize) -> u32 {
    u32::try_from(page).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use textkin::engine::types::chunk::mix;

    use super::*;

    /// Four chunks in one page; one of them in four documents needs two blocks, the others one each.
    #[test]
    fn sizes_count_pages_and_blocks() {
        let mut index = IndexModel::default();
        for (name, chunks) in [("a", &[1, 2][..]), ("b", &[1, 3]), ("c", &[1]), ("d", &[1, 4])] {
            index.add(name, chunks);
        }
        assert_eq!(index.index_bytes(), PAGE);
        assert_eq!(index.data_bytes(), 5 * BLOCK);
        assert_eq!(index.total_bytes(), PAGE + 5 * BLOCK + 4 * 5);
        assert_eq!(index.buffer_misses(1_000_000), 2);
    }

    #[test]
    fn the_buffer_equals_a_queue_of_pages() {
        let (capacity, n_pages) = (7, 20);
        let mut buffer = Buffer::new(capacity, n_pages);
        let (mut queue, mut misses) = (VecDeque::new(), 0);
        for step in 0..5000_u64 {
            let page = mix(step) % (n_pages as u64) * (mix(step + 9000) % 3) / 2;
            buffer.access(page);
            match queue.iter().position(|held| *held == page) {
                Some(position) => drop(queue.remove(position)),
                None => {
                    misses += 1;
                    if queue.len() == capacity {
                        queue.pop_front();
                    }
                }
            }
            queue.push_back(page);
        }
        assert_eq!(buffer.misses, misses);
        assert!(misses > 1000);
    }
}
