//! The memtable: documents in memory that have not been flushed to disk yet.

use std::time::{Duration, Instant};

use hashbrown::HashMap;

use crate::domain::DocumentId;

/// The numbers of the documents that contain a chunk.
#[derive(Debug)]
enum DocumentNumbers {
    One(DocumentId),
    Many(Vec<DocumentId>),
}

/// Documents in memory, by number and by chunk.
#[derive(Debug, Default)]
pub(super) struct Memtable {
    texts: HashMap<DocumentId, String>,
    postings: HashMap<u64, DocumentNumbers>,
    bytes: usize,
    /// When the first document was added.
    since: Option<Instant>,
}

/// The approximate memory of one posting, with room to grow.
const CHUNK_BYTES: usize = 48;

impl Memtable {
    pub(super) fn add(&mut self, number: DocumentId, text: String, chunks: &[u64]) {
        self.since.get_or_insert_with(Instant::now);
        self.bytes += text.len() + chunks.len() * CHUNK_BYTES;
        for &chunk in chunks {
            self.postings
                .entry(chunk)
                .and_modify(|postings| match postings {
                    DocumentNumbers::One(first) => {
                        *postings = DocumentNumbers::Many(vec![*first, number])
                    }
                    DocumentNumbers::Many(all) => all.push(number),
                })
                .or_insert(DocumentNumbers::One(number));
        }
        self.texts.insert(number, text);
    }

    /// Removes texts. Their numbers stay in the postings, where queries skip them because they no
    /// longer have a repository.
    pub(super) fn remove(&mut self, numbers: &[DocumentId]) {
        for number in numbers {
            self.texts.remove(number);
        }
    }

    pub(super) fn postings(&self, chunk: u64) -> &[DocumentId] {
        match self.postings.get(&chunk) {
            None => &[],
            Some(DocumentNumbers::One(number)) => std::slice::from_ref(number),
            Some(DocumentNumbers::Many(numbers)) => numbers,
        }
    }

    pub(super) fn text(&self, number: DocumentId) -> Option<&str> {
        self.texts.get(&number).map(String::as_str)
    }

    /// Returns the documents, ascending by number.
    pub(super) fn documents(&self) -> Vec<(DocumentId, &str)> {
        let mut documents: Vec<(DocumentId, &str)> =
            self.texts.iter().map(|(&number, text)| (number, text.as_str())).collect();
        documents.sort_unstable_by_key(|document| document.0);
        documents
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Returns how long the first document has been waiting.
    pub(super) fn age(&self) -> Duration {
        self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Returns the approximate memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}
