//! A partition of the index: an engine repository on disk and a memtable.
//!
//! A document in the memtable is in the store too, until [`Partition::flush`] has written it to disk.
//! After a crash between the two it is in both; the next flush skips it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use hashbrown::HashSet;
use textkin::engine::source::MemorySource;
use textkin::engine::types::{Chunk, Document, IndexSegment};
use textkin::engine::{RepositoryWriter, RunControl, Settings};
use textkin::{ExistingPolicy, Repository};

use super::memtable::Memtable;
use crate::error::Error;

/// The maximum memory of the filters of a partition: enough for a million documents of 300 words.
/// Beyond it, lookups in older segments read the segment.
pub const MAX_FILTER_BYTES: usize = 512 << 20;

/// What a partition keeps of its documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum PartitionKind {
    /// Their texts.
    Texts = 0,
    /// Only fingerprints.
    Fingerprints = 1,
}

impl PartitionKind {
    pub(crate) fn new(keeps_text: bool) -> Self {
        if keeps_text { Self::Texts } else { Self::Fingerprints }
    }
}

/// The state that readers see: the files on disk and the memtable being flushed.
#[derive(Debug)]
struct Snapshot {
    repository: Repository,
    /// The number of each document of each segment.
    numbers: Vec<Arc<Vec<u64>>>,
    flushing: Arc<Memtable>,
}

/// A partition of the index.
#[derive(Debug)]
pub(crate) struct Partition {
    pub(crate) kind: PartitionKind,
    writer: Mutex<RepositoryWriter>,
    snapshot: RwLock<Arc<Snapshot>>,
    memtable: RwLock<Memtable>,
}

impl Partition {
    pub(super) fn open(folder: &Path, kind: PartitionKind) -> Result<Self, Error> {
        let settings = Settings { memory: Some(64 << 20), ..Settings::default() };
        let writer = match Repository::exists_in(folder) {
            true => RepositoryWriter::open(folder, &settings)?,
            false => RepositoryWriter::create(folder, &settings, kind == PartitionKind::Texts)?,
        };
        let repository = writer.repository();
        let numbers = numbers(&repository, None)?;
        build_filters(&repository)?;
        let snapshot = Snapshot { repository, numbers, flushing: Arc::default() };
        Ok(Self {
            kind,
            writer: Mutex::new(writer),
            snapshot: RwLock::new(Arc::new(snapshot)),
            memtable: RwLock::default(),
        })
    }

    pub(super) fn add(&self, number: u64, text: String, chunks: &[u64]) {
        let mut memtable = self.memtable.write().unwrap_or_else(PoisonError::into_inner);
        memtable.add(number, text, chunks);
    }

    pub(super) fn remove(&self, numbers: &[u64]) {
        let mut memtable = self.memtable.write().unwrap_or_else(PoisonError::into_inner);
        memtable.remove(numbers);
    }

    /// Returns the approximate size of the memtable in bytes.
    pub(crate) fn memtable_bytes(&self) -> usize {
        self.memtable.read().unwrap_or_else(PoisonError::into_inner).bytes()
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls `take` with each of `chunks` and the number of each document that contains it. A document
    /// may come twice for a chunk while it is being flushed, and a few may not contain it.
    pub(super) fn for_each_posting(
        &self,
        chunks: &[Chunk],
        mut take: impl FnMut(&Chunk, u64),
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
        let hashes: Vec<u64> = chunks.iter().map(|chunk| chunk.hash).collect();
        let segments = snapshot.repository.storage().segments();
        for (segment, numbers) in segments.iter().zip(&snapshot.numbers) {
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
    pub(crate) fn text(&self, number: u64) -> Result<Option<String>, Error> {
        if let Some(text) =
            self.memtable.read().unwrap_or_else(PoisonError::into_inner).text(number)
        {
            return Ok(Some(text.to_owned()));
        }
        let snapshot = self.snapshot();
        if let Some(text) = snapshot.flushing.text(number) {
            return Ok(Some(text.to_owned()));
        }
        let place = snapshot.repository.storage().find(&number.to_string()).map_err(damage)?;
        match place {
            Some(place) => Ok(snapshot.repository.text(place)?),
            None => Ok(None),
        }
    }

    /// Returns the word count of a document on disk, and its chunks in order.
    pub(super) fn chunks(&self, number: u64) -> Result<Option<(usize, Vec<Chunk>)>, Error> {
        let snapshot = self.snapshot();
        let place = snapshot.repository.storage().find(&number.to_string()).map_err(damage)?;
        Ok(place.map(|place| snapshot.repository.chunks(place)).transpose()?)
    }

    /// Writes the memtable to disk; returns the numbers of the documents that the store need not keep.
    pub(crate) fn flush(&self, is_removed: impl Fn(u64) -> bool) -> Result<Vec<u64>, Error> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let flushing = {
            let mut memtable = self.memtable.write().unwrap_or_else(PoisonError::into_inner);
            if memtable.is_empty() {
                return Ok(Vec::new());
            }
            let flushing = Arc::new(std::mem::take(&mut *memtable));
            // Under the lock of the memtable: a reader that misses them there finds them here.
            let mut snapshot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
            *snapshot = Arc::new(Snapshot {
                repository: snapshot.repository.clone(),
                numbers: snapshot.numbers.clone(),
                flushing: Arc::clone(&flushing),
            });
            flushing
        };
        let mut documents = flushing.documents();
        documents.retain(|document| !is_removed(document.0));
        let numbers: Vec<u64> = documents.iter().map(|document| document.0).collect();
        let document =
            |(number, text): (u64, &str)| Document::new(number.to_string(), text.to_owned());
        let mut source = MemorySource::new(documents.into_iter().map(document));
        writer.add(&mut source, ExistingPolicy::Skip, true, &RunControl::default())?;
        writer.merge()?;
        self.replace(&writer)?;
        Ok(numbers)
    }

    /// Erases documents from disk: no file contains them when this returns.
    pub(crate) fn erase(&self, numbers: &[u64]) -> Result<(), Error> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
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
        writer.compact(&RunControl::default())?;
        self.replace(&writer)
    }

    /// Publishes what the writer has committed, with an empty flushing memtable.
    fn replace(&self, writer: &RepositoryWriter) -> Result<(), Error> {
        let repository = writer.repository();
        let numbers = numbers(&repository, Some(&self.snapshot()))?;
        build_filters(&repository)?;
        let snapshot = Snapshot { repository, numbers, flushing: Arc::default() };
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
        Ok(())
    }

    /// Returns the number of documents on disk.
    pub(crate) fn n_on_disk(&self) -> u64 {
        self.snapshot().repository.storage().n_documents()
    }
}

/// Builds the filters of the segments, the latest first, up to [`MAX_FILTER_BYTES`].
fn build_filters(repository: &Repository) -> Result<(), Error> {
    let mut bytes = 0;
    for segment in repository.storage().segments().iter().rev() {
        if bytes >= MAX_FILTER_BYTES {
            break;
        }
        segment.build_filter().map_err(damage)?;
        bytes += segment.filter_bytes();
    }
    Ok(())
}

/// Returns the document numbers of each segment, reusing those of segments in `previous`.
fn numbers(
    repository: &Repository,
    previous: Option<&Snapshot>,
) -> Result<Vec<Arc<Vec<u64>>>, Error> {
    let segments = repository.storage().segments();
    let mut numbers = Vec::with_capacity(segments.len());
    for segment in segments {
        let old = previous.and_then(|previous| {
            let mut old = previous.repository.storage().segments().iter().zip(&previous.numbers);
            old.find(|(old, _)| old.name() == segment.name())
                .map(|(_, numbers)| Arc::clone(numbers))
        });
        numbers.push(match old {
            Some(numbers) => numbers,
            None => {
                let number = |document| {
                    let id = segment.id(document).map_err(damage)?;
                    // Every id in a partition is a number.
                    Ok(id.parse().unwrap_or(0))
                };
                let all: Result<Vec<u64>, Error> = (0..segment.n_documents()).map(number).collect();
                Arc::new(all?)
            }
        });
    }
    Ok(numbers)
}

pub(super) fn damage(damage: textkin::engine::types::CorruptionError) -> Error {
    Error::Engine(textkin::engine::repository_format::Error::from(damage).into())
}
