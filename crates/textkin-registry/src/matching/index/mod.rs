//! The index: finds the documents that share chunks with a text.
//!
//! It has a partition for each private repository and two for all public repositories: one for
//! documents whose texts are kept and one for documents of which only fingerprints are kept. Each is an
//! engine repository on disk and a memtable for the latest documents. A query names the repositories
//! that it searches, and other partitions are not touched, so that its time does not depend on them.
//! Documents are identified by their number in the store; the index also maps each to its repository.

mod memtable;
mod partition;
mod query;
mod upgrade;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, PoisonError, RwLock};

use hashbrown::HashMap;
use textkin::engine::types::{Chunk, Layers, Tokens};
use textkin::engine::{Analyzer, Settings};

pub use self::partition::{MAX_FILTER_BYTES, MAX_MERGE_BYTES};
pub(crate) use self::partition::{Partition, PartitionKey, PartitionKind};
pub(crate) use self::query::{Candidate, IndexQuery, MatchOverlap};
use crate::domain::{DocumentId, RepositoryId};
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

/// What the index has to know of a repository. It never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexedRepository {
    pub(crate) id: RepositoryId,
    pub(crate) is_public: bool,
    pub(crate) keeps_text: bool,
}

impl IndexedRepository {
    pub(crate) fn kind(&self) -> PartitionKind {
        PartitionKind::new(self.keeps_text)
    }

    /// Returns the partition of its documents.
    pub(crate) fn key(&self) -> PartitionKey {
        match self.is_public {
            true => PartitionKey::Public(self.kind()),
            false => PartitionKey::Private(self.id),
        }
    }
}

/// The repositories, and which documents belong to them.
#[derive(Debug, Default)]
struct Owners {
    repositories: HashMap<RepositoryId, IndexedRepository>,
    /// The repository of each document, by document number; `None` if the document was
    /// removed.
    of_documents: Vec<Option<RepositoryId>>,
}

impl Owners {
    fn of(&self, number: DocumentId) -> Option<RepositoryId> {
        *self.of_documents.get(usize::try_from(number.get()).ok()?)?
    }

    fn set(&mut self, number: DocumentId, repository: Option<RepositoryId>) {
        let number = usize::try_from(number.get()).unwrap_or(usize::MAX);
        if self.of_documents.len() <= number {
            self.of_documents.resize(number + 1, None);
        }
        self.of_documents[number] = repository;
    }
}

/// The index of all documents.
#[derive(Debug)]
pub(crate) struct Index {
    folder: PathBuf,
    analyzer: Analyzer,
    /// Locked after `owners`.
    partitions: RwLock<BTreeMap<PartitionKey, Arc<Partition>>>,
    owners: RwLock<Owners>,
    filter_bytes: Arc<AtomicUsize>,
}

impl Index {
    /// Opens the index in `folder`, given all repositories and the repository of every document.
    pub(crate) fn open(
        folder: &Path,
        repositories: &[IndexedRepository],
        documents: &[(DocumentId, RepositoryId)],
    ) -> Result<Self, Error> {
        let mut owners = Owners::default();
        owners.repositories.extend(repositories.iter().map(|own| (own.id, *own)));
        for &(number, repository) in documents {
            owners.set(number, Some(repository));
        }
        let index = Self {
            folder: folder.to_owned(),
            analyzer: Analyzer::new(&Settings::default())?,
            partitions: RwLock::default(),
            owners: RwLock::new(owners),
            filter_bytes: Arc::default(),
        };
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let entry = entry?;
            let name = entry.file_name();
            let Some(key) = name.to_str().and_then(PartitionKey::parse) else { continue };
            let kind = match key {
                PartitionKey::Public(kind) => Some(kind),
                PartitionKey::Private(id) => index.repository(id).map(|own| own.kind()),
            };
            match kind {
                Some(kind) => drop(index.partition(key, kind)?),
                // Its repository was deleted, with all documents.
                None => partition::delete_folder(&entry.path())?,
            }
        }
        upgrade::split_by_repository(&index)?;
        Ok(index)
    }

    fn owners(&self) -> std::sync::RwLockReadGuard<'_, Owners> {
        self.owners.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn repository(&self, id: RepositoryId) -> Option<IndexedRepository> {
        self.owners().repositories.get(&id).copied()
    }

    /// Returns a partition, which is created if it is missing.
    fn partition(&self, key: PartitionKey, kind: PartitionKind) -> Result<Arc<Partition>, Error> {
        if let Some(partition) = self.existing_partition(key) {
            return Ok(partition);
        }
        let mut partitions = self.partitions.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(partition) = partitions.get(&key) {
            return Ok(Arc::clone(partition));
        }
        let filter_bytes = Arc::clone(&self.filter_bytes);
        let partition = Arc::new(Partition::open(&self.folder, key, kind, filter_bytes)?);
        partitions.insert(key, Arc::clone(&partition));
        Ok(partition)
    }

    fn existing_partition(&self, key: PartitionKey) -> Option<Arc<Partition>> {
        let partitions = self.partitions.read().unwrap_or_else(PoisonError::into_inner);
        partitions.get(&key).cloned()
    }

    /// Returns all partitions.
    pub(crate) fn partitions(&self) -> Vec<Arc<Partition>> {
        let partitions = self.partitions.read().unwrap_or_else(PoisonError::into_inner);
        partitions.values().cloned().collect()
    }

    /// Returns the partition of a document; `None` if it was removed.
    fn partition_of(&self, number: DocumentId) -> Option<Arc<Partition>> {
        let key = {
            let owners = self.owners();
            owners.repositories.get(&owners.of(number)?)?.key()
        };
        self.existing_partition(key)
    }

    /// Builds the filters of all partitions. Until then, lookups read the files.
    pub(crate) fn build_filters(&self) -> Result<(), Error> {
        self.partitions().iter().try_for_each(|partition| partition.build_filters())
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
        repository: IndexedRepository,
        number: DocumentId,
        text: String,
        prepared: &PreparedText,
    ) -> Result<(), Error> {
        let partition = self.partition(repository.key(), repository.kind())?;
        // Under one lock: a document that is in the memtable and has no repository counts as removed
        // and would not be flushed.
        let mut owners = self.owners.write().unwrap_or_else(PoisonError::into_inner);
        partition.add(number, text, &prepared.chunks);
        owners.repositories.insert(repository.id, repository);
        owners.set(number, Some(repository.id));
        Ok(())
    }

    /// Removes documents from query results; [`Index::erase`] removes them from the disk.
    pub(crate) fn remove(&self, numbers: &[DocumentId]) {
        let mut by_partition: BTreeMap<PartitionKey, Vec<DocumentId>> = BTreeMap::new();
        {
            let mut owners = self.owners.write().unwrap_or_else(PoisonError::into_inner);
            for &number in numbers {
                let owner = owners.of(number).and_then(|own| owners.repositories.get(&own));
                if let Some(key) = owner.map(IndexedRepository::key) {
                    by_partition.entry(key).or_default().push(number);
                    owners.set(number, None);
                }
            }
        }
        let partitions = self.partitions.read().unwrap_or_else(PoisonError::into_inner);
        for (key, numbers) in by_partition {
            if let Some(partition) = partitions.get(&key) {
                partition.remove(&numbers);
            }
        }
    }

    /// Removes a repository whose documents have been removed; [`Index::erase`] removes its files.
    pub(crate) fn remove_repository(&self, id: RepositoryId) {
        let mut owners = self.owners.write().unwrap_or_else(PoisonError::into_inner);
        owners.repositories.remove(&id);
    }

    /// Erases removed documents of a partition from disk: no file contains them when this returns.
    pub(crate) fn erase(&self, key: PartitionKey, numbers: &[DocumentId]) -> Result<(), Error> {
        let Some(partition) = self.existing_partition(key) else { return Ok(()) };
        match key {
            PartitionKey::Private(id) if self.repository(id).is_none() => {
                partition.delete()?;
                let mut partitions =
                    self.partitions.write().unwrap_or_else(PoisonError::into_inner);
                partitions.remove(&key);
                Ok(())
            }
            _ => partition.erase(numbers),
        }
    }

    /// Whether a document has been removed.
    pub(crate) fn is_removed(&self, number: DocumentId) -> bool {
        self.owners().of(number).is_none()
    }

    /// Returns the text of a document if it is kept.
    pub(crate) fn text(
        &self,
        kind: PartitionKind,
        number: DocumentId,
    ) -> Result<Option<String>, Error> {
        match self.partition_of(number).filter(|partition| partition.kind == kind) {
            Some(partition) => partition.text(number),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn id(number: u32) -> RepositoryId {
        RepositoryId::new(number).expect("not 0")
    }

    #[test]
    fn a_query_reads_only_partitions_of_searched_repositories() {
        let folder = tempfile::tempdir().expect("create a folder");
        let index = Index::open(folder.path(), &[], &[]).expect("create the index");
        let text = "these are the words of a text that many repositories have in common";
        let repository = |number, is_public, keeps_text| IndexedRepository {
            id: id(number),
            is_public,
            keeps_text,
        };
        let repositories = [
            repository(1, false, true),
            repository(2, false, false),
            repository(3, true, true),
            repository(4, true, true),
            repository(5, true, false),
        ];
        for (number, repository) in (1..).map(DocumentId::new).zip(repositories) {
            let prepared = index.prepare(text);
            index.add(repository, number, text.to_owned(), &prepared).expect("add a document");
        }
        let read = |searched: &[u32]| {
            let partitions = index.searched_partitions(&|id| searched.contains(&id.get()));
            partitions.iter().map(|partition| partition.key).collect::<Vec<_>>()
        };
        use PartitionKey::{Private, Public};
        let (texts, fingerprints) = (PartitionKind::Texts, PartitionKind::Fingerprints);
        assert_eq!(read(&[]), []);
        assert_eq!(read(&[2]), [Private(id(2))]);
        assert_eq!(read(&[1, 4]), [Public(texts), Private(id(1))]);
        assert_eq!(read(&[3, 4, 5]), [Public(texts), Public(fingerprints)]);
        for is_flushed in [false, true] {
            if is_flushed {
                for partition in index.partitions() {
                    partition.flush(|_| false).expect("flush");
                }
            }
            for searched in [&[1][..], &[2], &[3], &[4, 2], &[1, 2, 3, 4, 5]] {
                let query = index.query(text);
                let found = index.candidates(&query, &|id| searched.contains(&id.get()));
                let mut found: Vec<u32> = found
                    .expect("query the index")
                    .iter()
                    .map(|found| found.repository.get())
                    .collect();
                found.sort_unstable();
                let mut expected = searched.to_vec();
                expected.sort_unstable();
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn documents_added_during_a_flush_are_found() {
        let folder = tempfile::tempdir().expect("create a folder");
        let index = Index::open(folder.path(), &[], &[]).expect("create the index");
        let repository = IndexedRepository { id: id(7), is_public: false, keeps_text: true };
        let (kind, is_over) = (PartitionKind::Texts, AtomicBool::new(false));
        let text =
            |number: DocumentId| format!("document {number} has words that are in no other text");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    for partition in index.partitions() {
                        partition.flush(|number| index.is_removed(number)).expect("flush");
                    }
                }
            });
            for number in (1..400).map(DocumentId::new) {
                let prepared = index.prepare(&text(number));
                index.add(repository, number, text(number), &prepared).expect("add a document");
            }
            is_over.store(true, Ordering::Relaxed);
        });
        for number in (1..400).map(DocumentId::new) {
            assert_eq!(index.text(kind, number).expect("read the text"), Some(text(number)));
            let candidates =
                index.candidates(&index.query(&text(number)), &|_| true).expect("query the index");
            assert!(candidates.iter().any(|candidate| candidate.number == number), "{number}");
        }
    }
}
