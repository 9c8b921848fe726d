//! What came last: documents that no file of the shelf holds yet, in memory.

use hashbrown::HashMap;

/// The numbers of the documents that hold a chunk.
#[derive(Debug)]
enum Holders {
    One(u64),
    Many(Vec<u64>),
}

/// Documents in memory, by number and by chunk.
#[derive(Debug, Default)]
pub(super) struct Fresh {
    texts: HashMap<u64, String>,
    holders: HashMap<u64, Holders>,
    bytes: usize,
}

/// What a posting takes, with room to grow.
const CHUNK_BYTES: usize = 48;

impl Fresh {
    pub(super) fn add(&mut self, number: u64, text: String, chunks: &[u64]) {
        self.bytes += text.len() + chunks.len() * CHUNK_BYTES;
        for &chunk in chunks {
            self.holders
                .entry(chunk)
                .and_modify(|holders| match holders {
                    Holders::One(first) => *holders = Holders::Many(vec![*first, number]),
                    Holders::Many(all) => all.push(number),
                })
                .or_insert(Holders::One(number));
        }
        self.texts.insert(number, text);
    }

    /// Forgets texts; that their numbers stand in postings does no harm, for nobody owns them.
    pub(super) fn forget(&mut self, numbers: &[u64]) {
        for number in numbers {
            self.texts.remove(number);
        }
    }

    pub(super) fn holders(&self, chunk: u64) -> &[u64] {
        match self.holders.get(&chunk) {
            None => &[],
            Some(Holders::One(number)) => std::slice::from_ref(number),
            Some(Holders::Many(numbers)) => numbers,
        }
    }

    pub(super) fn text(&self, number: u64) -> Option<&str> {
        self.texts.get(&number).map(String::as_str)
    }

    /// Its documents by number.
    pub(super) fn documents(&self) -> Vec<(u64, &str)> {
        let mut documents: Vec<(u64, &str)> =
            self.texts.iter().map(|(&number, text)| (number, text.as_str())).collect();
        documents.sort_unstable_by_key(|document| document.0);
        documents
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Bytes of memory, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}
