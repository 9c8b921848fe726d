//! A shelf: a repository of the engine on disk, and what is not in it yet.
//!
//! What is in memory is in the store too, until [`Shelf::settle`] has brought it to the disk. A crash
//! between the two leaves documents in both, which are then left out when they are brought again.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use hashbrown::HashSet;
use textkin::types::{Chunk, Document, DocumentSink, Part, Piece, Source};
use textkin::{Existing, Repository, RepositoryWriter, Settings, Watch};

use super::fresh::Fresh;
use crate::error::Error;

/// Bytes of memory that the sieves of a shelf take at most: enough for a million documents of 300 words.
/// Where there are more, older segments are read to find that they do not have a run of words.
const MAX_FILTER_BYTES: usize = 512 << 20;

/// What a shelf keeps of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum ShelfKind {
    /// Their texts.
    Texts = 0,
    /// Only fingerprints.
    Fingerprints = 1,
}

impl ShelfKind {
    pub(crate) fn new(keeps_text: bool) -> Self {
        if keeps_text { Self::Texts } else { Self::Fingerprints }
    }
}

/// The files at one moment, and what is on its way into them.
#[derive(Debug)]
struct Settled {
    repository: Repository,
    /// The number of each document of each segment.
    numbers: Vec<Arc<Vec<u64>>>,
    moving: Arc<Fresh>,
}

/// A shelf.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) kind: ShelfKind,
    writer: Mutex<RepositoryWriter>,
    settled: RwLock<Arc<Settled>>,
    fresh: RwLock<Fresh>,
}

impl Shelf {
    pub(super) fn open(folder: &Path, kind: ShelfKind) -> Result<Self, Error> {
        let settings = Settings { memory: Some(64 << 20), ..Settings::default() };
        let writer = match Repository::is_in(folder) {
            true => RepositoryWriter::open(folder, &settings)?,
            false => RepositoryWriter::create(folder, &settings, kind == ShelfKind::Texts)?,
        };
        let repository = writer.repository();
        let numbers = numbers(&repository, None)?;
        sift(&repository)?;
        let settled = Settled { repository, numbers, moving: Arc::default() };
        Ok(Self {
            kind,
            writer: Mutex::new(writer),
            settled: RwLock::new(Arc::new(settled)),
            fresh: RwLock::default(),
        })
    }

    pub(super) fn add(&self, number: u64, text: String, chunks: &[u64]) {
        let mut fresh = self.fresh.write().unwrap_or_else(PoisonError::into_inner);
        fresh.add(number, text, chunks);
    }

    pub(super) fn forget(&self, numbers: &[u64]) {
        let mut fresh = self.fresh.write().unwrap_or_else(PoisonError::into_inner);
        fresh.forget(numbers);
    }

    /// Bytes in memory that are not on the disk.
    pub(crate) fn fresh_bytes(&self) -> usize {
        self.fresh.read().unwrap_or_else(PoisonError::into_inner).bytes()
    }

    fn settled(&self) -> Arc<Settled> {
        Arc::clone(&self.settled.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Gives the documents that hold each of `chunks` to `take`, by number. A document may be given twice for a chunk while it
    /// moves; some that are given may not hold it.
    pub(super) fn holders(
        &self,
        chunks: &[Chunk],
        mut take: impl FnMut(&Chunk, u64),
    ) -> Result<(), Error> {
        // Fresh ones first: what moves meanwhile is then found on the other side too.
        {
            let fresh = self.fresh.read().unwrap_or_else(PoisonError::into_inner);
            if !fresh.is_empty() {
                for chunk in chunks {
                    fresh.holders(chunk.hash).iter().for_each(|&number| take(chunk, number));
                }
            }
        }
        let settled = self.settled();
        if !settled.moving.is_empty() {
            for chunk in chunks {
                let holders = settled.moving.holders(chunk.hash).iter();
                holders.for_each(|&number| take(chunk, number));
            }
        }
        let (mut holders, mut passing) = (Vec::new(), Vec::new());
        let hashes: Vec<u64> = chunks.iter().map(|chunk| chunk.hash).collect();
        let segments = settled.repository.stored().segments();
        for (segment, numbers) in segments.iter().zip(&settled.numbers) {
            segment.passing(&hashes, &mut passing);
            for chunk in passing.iter().map(|&place| &chunks[place]) {
                holders.clear();
                segment.holders(chunk.hash, &mut holders).map_err(damage)?;
                for &document in &holders {
                    take(chunk, numbers[document as usize]);
                }
            }
        }
        Ok(())
    }

    /// The text of a document; for fingerprints, the line that stands for it.
    pub(crate) fn text(&self, number: u64) -> Result<Option<String>, Error> {
        if let Some(text) = self.fresh.read().unwrap_or_else(PoisonError::into_inner).text(number) {
            return Ok(Some(text.to_owned()));
        }
        let settled = self.settled();
        if let Some(text) = settled.moving.text(number) {
            return Ok(Some(text.to_owned()));
        }
        let place = settled.repository.stored().find(&number.to_string()).map_err(damage)?;
        match place {
            Some(place) => Ok(settled.repository.text(place)?),
            None => Ok(None),
        }
    }

    /// The number of words of a document on the disk, and its chunks in order.
    pub(super) fn chunks(&self, number: u64) -> Result<Option<(usize, Vec<Chunk>)>, Error> {
        let settled = self.settled();
        let place = settled.repository.stored().find(&number.to_string()).map_err(damage)?;
        Ok(place.map(|place| settled.repository.chunks(place)).transpose()?)
    }

    /// Brings what is in memory to the disk; returns the numbers that may be forgotten by the store.
    pub(crate) fn settle(&self, is_gone: impl Fn(u64) -> bool) -> Result<Vec<u64>, Error> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let moving = {
            let mut fresh = self.fresh.write().unwrap_or_else(PoisonError::into_inner);
            if fresh.is_empty() {
                return Ok(Vec::new());
            }
            let moving = Arc::new(std::mem::take(&mut *fresh));
            // Inside the lock of the fresh ones: readers that no longer find them there see them here.
            let mut settled = self.settled.write().unwrap_or_else(PoisonError::into_inner);
            *settled = Arc::new(Settled {
                repository: settled.repository.clone(),
                numbers: settled.numbers.clone(),
                moving: Arc::clone(&moving),
            });
            moving
        };
        let documents = moving.documents();
        let texts: Vec<(u64, String)> = documents
            .into_iter()
            .filter(|document| !is_gone(document.0))
            .map(|(number, text)| (number, text.to_owned()))
            .collect();
        let numbers: Vec<u64> = texts.iter().map(|text| text.0).collect();
        let mut source = Texts::new(texts);
        writer.add(&mut source, Existing::Skip, true, &Watch::default())?;
        writer.merge()?;
        self.replace(&writer)?;
        Ok(numbers)
    }

    /// Forgets documents for good: no file holds them when this returns.
    pub(crate) fn erase(&self, numbers: &[u64]) -> Result<(), Error> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let repository = writer.repository();
        let mut places = Vec::new();
        for number in numbers.iter().collect::<HashSet<_>>() {
            places.extend(repository.stored().find(&number.to_string()).map_err(damage)?);
        }
        if places.is_empty() {
            return Ok(());
        }
        places.sort_unstable();
        writer.remove(&places)?;
        writer.compact(&Watch::default())?;
        self.replace(&writer)
    }

    /// Shows readers what the writer has committed, and nothing that moves.
    fn replace(&self, writer: &RepositoryWriter) -> Result<(), Error> {
        let repository = writer.repository();
        let numbers = numbers(&repository, Some(&self.settled()))?;
        sift(&repository)?;
        let settled = Settled { repository, numbers, moving: Arc::default() };
        *self.settled.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settled);
        Ok(())
    }

    /// Documents on the disk.
    pub(crate) fn n_settled(&self) -> u64 {
        self.settled().repository.stored().n_documents()
    }
}

/// Makes sieves of segments, the last first, as far as there is memory for them.
fn sift(repository: &Repository) -> Result<(), Error> {
    let mut bytes = 0;
    for segment in repository.stored().segments().iter().rev() {
        if bytes >= MAX_FILTER_BYTES {
            break;
        }
        segment.sift().map_err(damage)?;
        bytes += segment.sieve_bytes();
    }
    Ok(())
}

/// The numbers of the documents of each segment; those that are known already are taken over.
fn numbers(repository: &Repository, known: Option<&Settled>) -> Result<Vec<Arc<Vec<u64>>>, Error> {
    let segments = repository.stored().segments();
    let mut numbers = Vec::with_capacity(segments.len());
    for segment in segments {
        let old = known.and_then(|known| {
            let mut old = known.repository.stored().segments().iter().zip(&known.numbers);
            old.find(|(old, _)| old.name() == segment.name())
                .map(|(_, numbers)| Arc::clone(numbers))
        });
        numbers.push(match old {
            Some(numbers) => numbers,
            None => {
                let number = |document| {
                    let id = segment.id(document).map_err(damage)?;
                    // Nothing else was ever put in.
                    Ok(id.parse().unwrap_or(0))
                };
                let all: Result<Vec<u64>, Error> = (0..segment.n_documents()).map(number).collect();
                Arc::new(all?)
            }
        });
    }
    Ok(numbers)
}

pub(super) fn damage(damage: textkin::types::Damage) -> Error {
    Error::Engine(textkin::repository_format::Error::from(damage).into())
}

/// Texts with their numbers, as a source of the engine.
pub(crate) struct Texts {
    texts: Option<Vec<(u64, String)>>,
}

impl Texts {
    pub(crate) fn new(texts: Vec<(u64, String)>) -> Self {
        Self { texts: Some(texts) }
    }
}

impl Source for Texts {
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        Some(Box::new(Self { texts: Some(self.texts.take()?) }))
    }

    fn total_bytes(&self) -> Option<u64> {
        None
    }
}

impl Piece for Texts {
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        for (number, text) in self.texts.unwrap_or_default() {
            let document = Document {
                id: number.to_string().into(),
                text: text.into(),
                time: None,
                notes: Vec::new(),
                metadata: None,
            };
            if sink.document(document) == ControlFlow::Break(()) {
                return;
            }
        }
    }

    fn bytes(&self) -> u64 {
        0
    }
}
