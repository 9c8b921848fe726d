//! Pairs of newly added documents, found without comparing all documents.
//!
//! The postings of each chunk of a new document lead to the documents that contain it. A discovery
//! among these and the new documents gives the same pairs as one of the whole repository, because
//! every document that contains such a chunk takes part, so that its document frequency is the
//! same.

use hashbrown::HashSet;
use textkin_core::{IndexSegment, Pair};
use textkin_repository::DocumentAddress;

use super::Repository;
use super::prepare::DocumentPreparer;
use crate::discover::{DiscoveryOutput, RunControl, discover};
use crate::error::Error;
use crate::settings::Settings;

/// The pairs of new documents with all others.
#[derive(Debug)]
#[non_exhaustive]
pub struct NewPairs {
    /// The discovery among the new documents and all that share a chunk with one.
    pub discovery: DiscoveryOutput,
    /// Which of its documents are new.
    is_new: Vec<bool>,
}

impl NewPairs {
    /// Iterates over the pairs with a new document, strongest first.
    pub fn rows(&self) -> impl Iterator<Item = Pair> + '_ {
        let is_new = |number: u32| self.is_new.get(number as usize).is_some_and(|is_new| *is_new);
        self.discovery.graph.rows().filter(move |pair| is_new(pair.a) || is_new(pair.b))
    }
}

/// Finds the pairs of the documents at `new` with all documents of `repository`, by their score. The listing rules do not
/// apply: they depend on the whole text of the other documents, of which only what they share with new ones is known.
///
/// # Errors
/// If the stored data is damaged, or the discovery fails.
pub fn pairs_with_new(
    repository: &Repository,
    new: &[DocumentAddress],
    settings: &Settings,
    control: &RunControl,
) -> Result<NewPairs, Error> {
    let storage = &repository.storage;
    let preparer = DocumentPreparer::new(&repository.config)?;
    let mut scratch = preparer.scratch();
    let storage_error = textkin_repository::Error::from;
    let mut chunks: HashSet<u64> = HashSet::new();
    for &address in new {
        let content = storage.content(address).map_err(storage_error)?;
        let entry = preparer.restore(
            storage.document(address).map_err(storage_error)?,
            content,
            &mut scratch,
        )?;
        chunks.extend(entry.chunks);
        if control.stop.is_requested() {
            return Err(Error::Stopped);
        }
    }
    let new: HashSet<DocumentAddress> = new.iter().copied().collect();
    let mut related = new.clone();
    let mut chunks: Vec<u64> = chunks.into_iter().collect();
    chunks.sort_unstable();
    for (segment, part) in (0u32..).zip(storage.segments()) {
        let found = part.for_each_chunk(&chunks, &mut |_, documents| {
            let address = |&document: &u32| DocumentAddress { segment, document };
            related.extend(documents.iter().map(address));
        });
        found.map_err(storage_error)?;
    }
    let mut related: Vec<DocumentAddress> = related.into_iter().collect();
    related.sort_unstable();
    let is_new = related.iter().map(|address| new.contains(address)).collect();
    let settings = Settings { rules: None, ..settings.clone() };
    let discovery = discover(&mut repository.source_of(related), &settings, control)?;
    Ok(NewPairs { discovery, is_new })
}
