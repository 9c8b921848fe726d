//! The kin of documents that were just added, without looking at all the others.
//!
//! Whoever holds a chunk of a new document is found through the postings of that chunk; a discovery
//! among these and the new ones then gives what one of the whole repository would: every document
//! with such a chunk is among them, so it is shared by as many as it is in the whole.

use hashbrown::HashSet;
use textkin_core::{IndexSegment, Pair};
use textkin_repository::DocumentAddress;

use super::Repository;
use super::prepare::DocumentPreparer;
use crate::discover::{Discovery, RunControl, discover};
use crate::error::Error;
use crate::settings::Settings;

/// What new documents share with others.
#[derive(Debug)]
pub struct NewPairs {
    /// The new documents and all that share a chunk with one.
    pub discovery: Discovery,
    /// Which of its documents are new.
    is_new: Vec<bool>,
}

impl NewPairs {
    /// The pairs with a new document, strongest first.
    pub fn rows(&self) -> impl Iterator<Item = Pair> + '_ {
        let is_new = |number: u32| self.is_new.get(number as usize).is_some_and(|is_new| *is_new);
        self.discovery.graph.rows().filter(move |pair| is_new(pair.a) || is_new(pair.b))
    }
}

/// Relates the documents at `new` to all others of `repository`.
///
/// # Errors
/// If what is stored is damaged, or the discovery fails.
pub fn pairs_with_new(
    repository: &Repository,
    new: &[DocumentAddress],
    settings: &Settings,
    control: &RunControl,
) -> Result<NewPairs, Error> {
    let storage = &repository.storage;
    let preparer = DocumentPreparer::new(&repository.config)?;
    let mut scratch = preparer.scratch();
    let damage = textkin_repository::Error::from;
    let mut chunks: HashSet<u64> = HashSet::new();
    for &address in new {
        let content = storage.content(address).map_err(damage)?;
        let entry =
            preparer.restore(storage.document(address).map_err(damage)?, content, &mut scratch)?;
        chunks.extend(entry.chunks);
        if control.stop.is_requested() {
            return Err(Error::Stopped);
        }
    }
    let new: HashSet<DocumentAddress> = new.iter().copied().collect();
    let mut kin = new.clone();
    let mut chunks: Vec<u64> = chunks.into_iter().collect();
    chunks.sort_unstable();
    let mut holders = Vec::new();
    for (segment, part) in (0u32..).zip(storage.segments()) {
        for &chunk in &chunks {
            holders.clear();
            part.documents_with_chunk(chunk, &mut holders).map_err(damage)?;
            kin.extend(holders.iter().map(|&document| DocumentAddress { segment, document }));
        }
    }
    let mut kin: Vec<DocumentAddress> = kin.into_iter().collect();
    kin.sort_unstable();
    let is_new = kin.iter().map(|address| new.contains(address)).collect();
    let discovery = discover(&mut repository.source_of(kin), settings, control)?;
    Ok(NewPairs { discovery, is_new })
}
