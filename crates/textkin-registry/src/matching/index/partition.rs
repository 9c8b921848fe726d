//! A partition of the index: an engine repository on disk and a memtable.
//!
//! A document in the memtable is in the store too, until [`Partition::flush`] has written it to disk.
//! After a crash between the two it is in both; the next flush skips it. The files are created by the
//! first flush.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use hashbrown::HashSet;
use textkin::engine::source::MemorySource;
use textkin::engine::types::{Chunk, CorruptionError, Document, IndexSegment};
use textkin::engine::{RepositoryWriter, RunControl, Settings};
use textkin::{ExistingPolicy, Repository};

use super::memtable::Memtable;
use crate::domain::{DocumentId, RepositoryId};
use crate::error::Error;
use crate::store::files;

/// The maximum memory of the filters of all partitions: enough for two million documents of 300 words.
/// Beyond it, lookups in older segments read the segment.
pub const MAX_FILTER_BYTES: usize = 1 << 30;

/// What a partition keeps of its documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PartitionKind {
    /// Their texts.
    Texts,
    /// Only fingerprints.
    Fingerprints,
}

impl PartitionKind {
    pub(crate) const ALL: [Self; 2] = [Self::Texts, Self::Fingerprints];

    pub(crate) fn new(keeps_text: bool) -> Self {
        if keeps_text { Self::Texts } else { Self::Fingerprints }
    }
}

/// Which documents a partition has: those of all public repositories, or those of one private
/// repository. So a probe never reads a file with documents that its account may not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PartitionKey {
    Public(PartitionKind),
    Private(RepositoryId),
}

impl PartitionKey {
    /// Returns the name of the folder.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Public(PartitionKind::Texts) => "public-texts".to_owned(),
            Self::Public(PartitionKind::Fingerprints) => "public-fingerprints".to_owned(),
            Self::Private(repository) => format!("private-{repository}"),
        }
    }

    /// Returns the key with this name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let public = PartitionKind::ALL.map(Self::Public);
        let private = || {
            let number = name.strip_prefix("private-")?.parse().ok()?;
            Some(Self::Private(number)).filter(|key| key.name() == name)
        };
        public.into_iter().find(|key| key.name() == name).or_else(private)
    }
}

/// The state that readers see: the files on disk and the memtable being flushed.
#[derive(Debug, Default)]
struct Snapshot {
    /// The files; `None` before the first flush.
    repository: Option<Repository>,
    /// The number of each document of each segment.
    numbers: Vec<Arc<Vec<DocumentId>>>,
    flushing: Arc<Memtable>,
}

/// A partition of the index.
#[derive(Debug)]
pub(crate) struct Partition {
    pub(crate) key: PartitionKey,
    pub(crate) kind: PartitionKind,
    folder: PathBuf,
    writer: Mutex<Option<RepositoryWriter>>,
    snapshot: RwLock<Arc<Snapshot>>,
    memtable: RwLock<Memtable>,
    /// The memory of the filters of all partitions, and of this one.
    all_filters: Arc<AtomicUsize>,
    own_filters: AtomicUsize,
}

impl Partition {
    /// Opens the partition, which may have no files yet.
    pub(super) fn open(
        index: &Path,
        key: PartitionKey,
        kind: PartitionKind,
        all_filters: Arc<AtomicUsize>,
    ) -> Result<Self, Error> {
        let folder = index.join(key.name());
        let mut partition = Self {
            key,
            kind,
            writer: Mutex::default(),
            snapshot: RwLock::default(),
            memtable: RwLock::default(),
            all_filters,
            own_filters: AtomicUsize::new(0),
            folder,
        };
        if Repository::exists_in(&partition.folder) {
            let writer = RepositoryWriter::open(&partition.folder, &settings())?;
            let repository = writer.repository();
            let numbers = numbers(&repository, None)?;
            let snapshot =
                Snapshot { repository: Some(repository), numbers, flushing: Arc::default() };
            partition.writer = Mutex::new(Some(writer));
            partition.snapshot = RwLock::new(Arc::new(snapshot));
        }
        Ok(partition)
    }

    pub(super) fn add(&self, number: DocumentId, text: String, chunks: &[u64]) {
        let mut memtable = self.memtable.write().unwrap_or_else(PoisonError::into_inner);
        memtable.add(number, text, chunks);
    }

    pub(super) fn remove(&self, numbers: &[DocumentId]) {
        let mut memtable = self.memtable.write().unwrap_or_else(PoisonError::into_inner);
        memtable.remove(numbers);
    }

    /// Returns the approximate size of the memtable in bytes, and how long its first document has been
    /// waiting.
    pub(crate) fn memtable_state(&self) -> (usize, Duration) {
        let memtable = self.memtable.read().unwrap_or_else(PoisonError::into_inner);
        (memtable.bytes(), memtable.age())
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls `take` with each of `chunks` and the number of each document that contains it. A document
    /// may come twice for a chunk while it is being flushed, and a few may not contain it.
    pub(super) fn for_each_posting(
        &self,
        chunks: &[Chunk],
        mut take: impl FnMut(&Chunk, DocumentId),
    ) -> Result<(), Error> {
        // The memtable first: a document that is flushed meanwhile is then found on disk as well.
        {
            let memtable = self.memtable.read().unwrap_or_else(PoisonError::into_inner);
            if !memtable.is_empty() {
                for chunk in chunks {
                    memtable.postings(chunk.hash).iter().for_each(|&number| take(chunk, number));
                }
            }
        }
        let snapshot = self.snapshot();
        if !snapshot.flushing.is_empty() {
            for chunk in chunks {
                let postings = snapshot.flushing.postings(chunk.hash).iter();
                postings.for_each(|&number| take(chunk, number));
            }
        }
        let Some(repository) = &snapshot.repository else { return Ok(()) };
        let hashes: Vec<u64> = chunks.iter().map(|chunk| chunk.hash).collect();
        for (segment, numbers) in repository.storage().segments().iter().zip(&snapshot.numbers) {
            let found = segment.for_each_chunk(&hashes, &mut |index, documents| {
                for &document in documents {
                    take(&chunks[index], numbers[document as usize]);
                }
            });
            found.map_err(damage)?;
        }
        Ok(())
    }

    /// Returns the text of a document. With fingerprints only, it exists until the document is flushed.
    pub(super) fn text(&self, number: DocumentId) -> Result<Option<String>, Error> {
        if let Some(text) =
            self.memtable.read().unwrap_or_else(PoisonError::into_inner).text(number)
        {
            return Ok(Some(text.to_owned()));
        }
        let snapshot = self.snapshot();
        if let Some(text) = snapshot.flushing.text(number) {
            return Ok(Some(text.to_owned()));
        }
        let Some(repository) = &snapshot.repository else { return Ok(None) };
        match repository.storage().find(&number.to_string()).map_err(damage)? {
            Some(place) => Ok(repository.text(place)?),
            None => Ok(None),
        }
    }

    /// Returns the word count of a document on disk, and its chunks in order.
    pub(super) fn chunks(&self, number: DocumentId) -> Result<Option<(usize, Vec<Chunk>)>, Error> {
        let snapshot = self.snapshot();
        let Some(repository) = &snapshot.repository else { return Ok(None) };
        let place = repository.storage().find(&number.to_string()).map_err(damage)?;
        Ok(place.map(|place| repository.chunks(place)).transpose()?)
    }

    /// Writes the memtable to disk; returns the numbers of the documents that the store need not keep.
    pub(crate) fn flush(
        &self,
        is_removed: impl Fn(DocumentId) -> bool,
    ) -> Result<Vec<DocumentId>, Error> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let flushing = {
            let mut memtable = self.memtable.write().unwrap_or_else(PoisonError::into_inner);
            let mut snapshot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
            if memtable.is_empty() && snapshot.flushing.is_empty() {
                return Ok(Vec::new());
            }
            // Documents whose flush failed are flushed again; new ones wait for the next flush.
            if snapshot.flushing.is_empty() {
                // Under the lock of the memtable: a reader that misses them there finds them here.
                *snapshot = Arc::new(Snapshot {
                    repository: snapshot.repository.clone(),
                    numbers: snapshot.numbers.clone(),
                    flushing: Arc::new(std::mem::take(&mut *memtable)),
                });
            }
            Arc::clone(&snapshot.flushing)
        };
        let mut documents = flushing.documents();
        documents.retain(|document| !is_removed(document.0));
        let numbers: Vec<DocumentId> = documents.iter().map(|document| document.0).collect();
        let document =
            |(number, text): (DocumentId, &str)| Document::new(number.to_string(), text.to_owned());
        let mut source = MemorySource::new(documents.into_iter().map(document));
        let writer = self.existing(&mut writer)?;
        writer.add(&mut source, ExistingPolicy::Skip, true, &RunControl::default())?;
        writer.merge()?;
        self.replace(writer)?;
        Ok(numbers)
    }

    /// Returns the writer; creates the files if there are none.
    fn existing<'a>(
        &self,
        writer: &'a mut Option<RepositoryWriter>,
    ) -> Result<&'a mut RepositoryWriter, Error> {
        if writer.is_none() {
            let keeps_text = self.kind == PartitionKind::Texts;
            *writer = Some(RepositoryWriter::create(&self.folder, &settings(), keeps_text)?);
        }
        // It was created just now if there was none.
        writer.as_mut().ok_or(Error::Stopped)
    }

    /// Copies documents of another repository that are not here yet.
    pub(super) fn copy(
        &self,
        from: &Repository,
        addresses: &[textkin::engine::repository_format::DocumentAddress],
    ) -> Result<(), Error> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let writer = self.existing(&mut writer)?;
        writer.copy(from, addresses)?;
        writer.merge()?;
        self.replace(writer)
    }

    /// Erases documents from disk: no file contains them when this returns.
    pub(super) fn erase(&self, numbers: &[DocumentId]) -> Result<(), Error> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(writer) = writer.as_mut() else { return Ok(()) };
        let repository = writer.repository();
        let mut places = Vec::new();
        for number in numbers.iter().collect::<HashSet<_>>() {
            places.extend(repository.storage().find(&number.to_string()).map_err(damage)?);
        }
        if places.is_empty() {
            return Ok(());
        }
        places.sort_unstable();
        writer.remove(&places)?;
        writer.erase_removed()?;
        self.replace(writer)
    }

    /// Removes all files, for a repository that was deleted.
    pub(super) fn delete(&self) -> Result<(), Error> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        *self.memtable.write().unwrap_or_else(PoisonError::into_inner) = Memtable::default();
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = Arc::default();
        *writer = None;
        self.all_filters.fetch_sub(self.own_filters.swap(0, Ordering::Relaxed), Ordering::Relaxed);
        delete_folder(&self.folder)
    }

    /// Publishes what the writer has committed, with an empty flushing memtable.
    fn replace(&self, writer: &RepositoryWriter) -> Result<(), Error> {
        let repository = writer.repository();
        let numbers = numbers(&repository, Some(&self.snapshot()))?;
        self.build_filters_of(&repository)?;
        let snapshot = Snapshot { repository: Some(repository), numbers, flushing: Arc::default() };
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
        Ok(())
    }

    /// Builds the filters of the files.
    pub(super) fn build_filters(&self) -> Result<(), Error> {
        // Not while files are being replaced.
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        match &self.snapshot().repository {
            Some(repository) => self.build_filters_of(repository),
            None => Ok(()),
        }
    }

    /// Builds the filters of the segments, the latest first, while all filters have less than
    /// [`MAX_FILTER_BYTES`].
    fn build_filters_of(&self, repository: &Repository) -> Result<(), Error> {
        let others =
            self.all_filters.load(Ordering::Relaxed) - self.own_filters.load(Ordering::Relaxed);
        let mut own = 0;
        for segment in repository.storage().segments().iter().rev() {
            if others + own >= MAX_FILTER_BYTES {
                break;
            }
            segment.build_filter().map_err(damage)?;
            own += segment.filter_bytes();
        }
        let before = self.own_filters.swap(own, Ordering::Relaxed);
        self.all_filters.fetch_add(own, Ordering::Relaxed);
        self.all_filters.fetch_sub(before, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the number of documents on disk.
    pub(crate) fn n_on_disk(&self) -> u64 {
        self.snapshot().repository.as_ref().map_or(0, |own| own.storage().n_documents())
    }
}

/// The maximum memory of a merge of index segments. A segment of a flush takes about 40 MiB; eight of
/// them must fit, or segments are never merged, and a probe looks into each of them.
pub const MAX_MERGE_BYTES: u64 = 512 << 20;

fn settings() -> Settings {
    // Half of the memory of a writer is for merges.
    Settings { memory: Some(2 * MAX_MERGE_BYTES), ..Settings::default() }
}

/// Removes a folder with all its files, if it exists; after this it does not come back, even after a
/// crash.
pub(super) fn delete_folder(folder: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        removed => removed?,
    }
    if let Some(parent) = folder.parent() {
        files::sync_folder(parent)?;
    }
    Ok(())
}

/// Returns the document numbers of each segment, reusing those of segments in `previous`.
fn numbers(
    repository: &Repository,
    previous: Option<&Snapshot>,
) -> Result<Vec<Arc<Vec<DocumentId>>>, Error> {
    let segments = repository.storage().segments();
    let mut numbers = Vec::with_capacity(segments.len());
    for segment in segments {
        let old = previous.and_then(|previous| {
            let old = previous.repository.as_ref()?.storage().segments();
            let mut old = old.iter().zip(&previous.numbers);
            old.find(|(old, _)| old.name() == segment.name())
                .map(|(_, numbers)| Arc::clone(numbers))
        });
        numbers.push(match old {
            Some(numbers) => numbers,
            None => {
                let number = |document| {
                    let id = segment.id(document).map_err(damage)?;
                    id.parse().map_err(|_| {
                        let reason = format!("the id '{id}' is not the number of a document");
                        damage(CorruptionError { file: segment.name().to_owned(), reason })
                    })
                };
                let all: Result<Vec<DocumentId>, Error> =
                    (0..segment.n_documents()).map(number).collect();
                Arc::new(all?)
            }
        });
    }
    Ok(numbers)
}

pub(super) fn damage(damage: textkin::engine::types::CorruptionError) -> Error {
    Error::Engine(textkin::engine::repository_format::Error::from(damage).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_names_that_lead_back_to_them() {
        let keys = [
            PartitionKey::Public(PartitionKind::Texts),
            PartitionKey::Public(PartitionKind::Fingerprints),
            PartitionKey::Private(RepositoryId::new(1).unwrap()),
            PartitionKey::Private(RepositoryId::new(u32::MAX).unwrap()),
        ];
        for key in keys {
            assert_eq!(PartitionKey::parse(&key.name()), Some(key));
        }
        for name in
            ["", "texts", "private-", "private-0", "private-07", "private-x", "public", ".."]
        {
            assert_eq!(PartitionKey::parse(name), None, "{name}");
        }
    }
}
