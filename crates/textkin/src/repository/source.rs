//! The documents of a repository as a source, for discovery and export.

use std::ops::ControlFlow;
use std::sync::Arc;

use textkin_core::{Content, Document, DocumentSink, Piece, Problem, Rewind, RewindError, Source};
use textkin_repository::{DocumentAddress, Repository};

use super::fingerprints::Fingerprints;
use super::invalid_content;

/// Maximum number of documents of a piece.
const PIECE_DOCUMENTS: usize = 256;

/// Documents of a repository, in the order in which they were added.
#[derive(Clone, Debug)]
pub struct RepositorySource {
    repository: Arc<Repository>,
    addresses: Arc<[DocumentAddress]>,
    next: usize,
    keeps_text: bool,
}

impl RepositorySource {
    pub(crate) fn new(
        repository: Arc<Repository>,
        addresses: Vec<DocumentAddress>,
        keeps_text: bool,
    ) -> Self {
        Self { repository, addresses: addresses.into(), next: 0, keeps_text }
    }
}

impl Source for RepositorySource {
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        let first = *self.addresses.get(self.next)?;
        let rest = &self.addresses[self.next..];
        let is_same = |address: &&DocumentAddress| address.segment == first.segment;
        let n = rest.iter().take(PIECE_DOCUMENTS).take_while(is_same).count();
        let segment = self.repository.segment(first);
        // Damage is reported when the document is read.
        let size = |address: &DocumentAddress| segment.bytes(address.document).unwrap_or(0);
        let bytes = rest[..n].iter().map(|address| u64::from(size(address))).sum();
        let from = self.next;
        self.next += n;
        let (repository, addresses) = (Arc::clone(&self.repository), Arc::clone(&self.addresses));
        let (to, keeps_text) = (self.next, self.keeps_text);
        Some(Box::new(RepositoryPiece { repository, addresses, from, to, bytes, keeps_text }))
    }

    fn total_bytes(&self) -> Option<u64> {
        let segments = self.repository.segments().iter();
        Some(segments.map(|segment| segment.sizes().content_uncompressed).sum())
    }

    fn has_texts(&self) -> bool {
        self.keeps_text
    }
}

impl Rewind for RepositorySource {
    fn rewind(&self) -> Result<Box<dyn Rewind>, RewindError> {
        Ok(Box::new(Self { next: 0, ..self.clone() }))
    }
}

struct RepositoryPiece {
    repository: Arc<Repository>,
    addresses: Arc<[DocumentAddress]>,
    from: usize,
    to: usize,
    bytes: u64,
    keeps_text: bool,
}

/// The reason why reading ended early.
enum PieceEnd {
    Corrupt(textkin_core::CorruptionError),
    /// The sink wants no more documents.
    Stopped,
}

impl From<textkin_core::CorruptionError> for PieceEnd {
    fn from(error: textkin_core::CorruptionError) -> Self {
        Self::Corrupt(error)
    }
}

impl Piece for RepositoryPiece {
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        let addresses = &self.addresses[self.from..self.to];
        let Some(first) = addresses.first() else { return };
        let segment = self.repository.segment(*first);
        let documents = addresses.iter().map(|address| address.document);
        let read = segment.read(documents, |_, stored, content| {
            let content = match self.keeps_text {
                true => std::str::from_utf8(content).ok().map(Content::from),
                false => Fingerprints::read(content)
                    .map(|fingerprints| Content::Chunks(fingerprints.into_stored_chunks())),
            };
            let content = content.ok_or_else(|| PieceEnd::Corrupt(invalid_content(segment)))?;
            let (time, metadata) = (stored.time.map(Into::into), stored.metadata.map(Into::into));
            let (id, notes) = (stored.id.into(), Vec::new());
            match sink.document(Document { id, content, time, notes, metadata }) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(PieceEnd::Stopped),
            }
        });
        if let Err(PieceEnd::Corrupt(error)) = read {
            let reason = format!("the repository is corrupt: {}", error.reason);
            // Runs over a repository are strict, so this ends the run.
            let _ = sink.problem(Problem { path: error.file, line: None, reason });
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
