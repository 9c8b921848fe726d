//! The index: finds the documents that share chunks with a text.
//!
//! It has two partitions, one for documents whose texts are kept and one for documents of which only
//! fingerprints are kept. Each is an engine repository on disk and a memtable for the latest
//! documents. Documents are identified by their number in the store. The index also maps each
//! document number to its repository, and a query names the repositories it searches.

mod memtable;
mod partition;
mod query;

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use textkin::engine::types::{Chunk, Layers, Tokens};
use textkin::engine::{Analyzer, Settings};

pub use self::partition::MAX_FILTER_BYTES;
pub(crate) use self::partition::{Partition, PartitionKind};
pub(crate) use self::query::{Candidate, IndexQuery, MatchOverlap};
use crate::error::Error;

/// The number of words in a chunk.
pub const CHUNK_WORDS: NonZeroU32 = NonZeroU32::MIN.saturating_add(7);

/// A text that has been analyzed for the index.
#[derive(Clone, Debug)]
pub(crate) struct PreparedText {
    pub(crate) words: u32,
    pub(crate) digest: [u8; 32],
    /// The distinct hashes of its chunks, ascending.
    pub(crate) chunks: Vec<u64>,
}

/// The index of all documents.
#[derive(Debug)]
pub(crate) struct Index {
    analyzer: Analyzer,
    partitions: [Partition; 2],
    /// The repository of each document, by document number; 0 if the document was removed.
    repositories: RwLock<Vec<u32>>,
}

impl Index {
    /// Opens the index in `folder`; `repositories` maps every document number to its repository.
    pub(crate) fn open(folder: &Path, repositories: &[(u64, u32)]) -> Result<Self, Error> {
        let analyzer = Analyzer::new(&Settings::default())?;
        let partitions = [
            Partition::open(&folder.join("texts"), PartitionKind::Texts)?,
            Partition::open(&folder.join("fingerprints"), PartitionKind::Fingerprints)?,
        ];
        let index = Self { analyzer, partitions, repositories: RwLock::default() };
        for &(number, repository) in repositories {
            index.set_repository(number, repository);
        }
        Ok(index)
    }

    pub(crate) fn partition(&self, kind: PartitionKind) -> &Partition {
        &self.partitions[kind as usize]
    }

    pub(crate) fn partitions(&self) -> &[Partition] {
        &self.partitions
    }

    /// Returns the words of a text with their spans.
    pub(crate) fn tokens(&self, text: &str) -> Tokens {
        let mut tokens = Tokens::new(Layers::SPANS);
        self.tokenize(text, &mut tokens);
        tokens
    }

    /// Splits a text into words.
    pub(crate) fn tokenize(&self, text: &str, tokens: &mut Tokens) {
        #[cfg(test)]
        crate::matching::tokenized::count();
        self.analyzer.tokenize(text, tokens);
    }

    /// Analyzes a text that is to be registered.
    pub(crate) fn prepare(&self, text: &str) -> PreparedText {
        let mut tokens = Tokens::new(Layers::NONE);
        self.tokenize(text, &mut tokens);
        let mut chunks: Vec<u64> = self.chunks(&tokens).iter().map(|chunk| chunk.hash).collect();
        chunks.sort_unstable();
        chunks.dedup();
        PreparedText {
            words: u32::try_from(tokens.len()).unwrap_or(u32::MAX),
            digest: *blake3::hash(text.as_bytes()).as_bytes(),
            chunks,
        }
    }

    /// Returns all chunks, in order.
    fn chunks(&self, tokens: &Tokens) -> Vec<Chunk> {
        let (mut chunks, mut selection) = (Vec::new(), Vec::new());
        self.analyzer.chunk(tokens, &mut chunks, &mut selection);
        chunks
    }

    /// Adds a document that is in the store to the memtable of its partition.
    pub(crate) fn add(
        &self,
        kind: PartitionKind,
        number: u64,
        repository: u32,
        text: String,
        prepared: &PreparedText,
    ) {
        // Under one lock: a document that is in the memtable and has no repository counts as removed
        // and would not be flushed.
        let mut repositories = self.repositories.write().unwrap_or_else(PoisonError::into_inner);
        self.partition(kind).add(number, text, &prepared.chunks);
        set_repository(&mut repositories, number, repository);
    }

    /// Removes documents from query results; [`Partition::erase`] removes them from the disk.
    pub(crate) fn remove(&self, numbers: &[u64]) {
        for &number in numbers {
            self.set_repository(number, 0);
        }
        for partition in &self.partitions {
            partition.remove(numbers);
        }
    }

    /// Sets the repository that a document belongs to.
    pub(crate) fn set_repository(&self, number: u64, repository: u32) {
        set_repository(
            &mut self.repositories.write().unwrap_or_else(PoisonError::into_inner),
            number,
            repository,
        );
    }

    /// Whether a document has been removed.
    pub(crate) fn is_removed(&self, number: u64) -> bool {
        let repositories = self.repositories.read().unwrap_or_else(PoisonError::into_inner);
        let owner = usize::try_from(number).ok().and_then(|number| repositories.get(number));
        owner.is_none_or(|&owner| owner == 0)
    }

    /// Returns the text of a document if it is kept.
    pub(crate) fn text(&self, kind: PartitionKind, number: u64) -> Result<Option<String>, Error> {
        self.partition(kind).text(number)
    }
}

fn set_repository(repositories: &mut Vec<u32>, number: u64, repository: u32) {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    if repositories.len() <= number {
        repositories.resize(number + 1, 0);
    }
    repositories[number] = repository;
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn documents_added_during_a_flush_are_found() {
        let folder = tempfile::tempdir().expect("create a folder");
        let index = Index::open(folder.path(), &[]).expect("create the index");
        let (kind, is_over) = (PartitionKind::Texts, AtomicBool::new(false));
        let text = |number: u64| format!("document {number} has words that are in no other text");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    index.partition(kind).flush(|number| index.is_removed(number)).expect("flush");
                }
            });
            for number in 1..400 {
                let prepared = index.prepare(&text(number));
                index.add(kind, number, 7, text(number), &prepared);
            }
            is_over.store(true, Ordering::Relaxed);
        });
        for number in 1..400 {
            assert_eq!(index.text(kind, number).expect("read the text"), Some(text(number)));
            let candidates =
                index.candidates(&index.query(&text(number)), &|_| true).expect("query the index");
            assert!(candidates.iter().any(|candidate| candidate.number == number), "{number}");
        }
    }
}
