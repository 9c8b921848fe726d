//! The documents of a repository as a source, for discovery and export.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use textkin_core::{Document, DocumentSink, Piece, Problem, Source};
use textkin_repository::{Place, Repository};

use super::evidence::WithoutText;

/// Documents that are read at once.
const PIECE: usize = 256;

/// Some documents of a repository, in the order in which they came.
#[derive(Clone, Debug)]
pub struct RepositorySource {
    repository: Arc<Repository>,
    places: Arc<[Place]>,
    next: usize,
    keeps_text: bool,
}

impl RepositorySource {
    pub(crate) fn new(repository: Arc<Repository>, places: Vec<Place>, keeps_text: bool) -> Self {
        Self { repository, places: places.into(), next: 0, keeps_text }
    }

    /// The same documents from the first on.
    #[must_use]
    pub fn again(&self) -> Self {
        Self { next: 0, ..self.clone() }
    }
}

impl Source for RepositorySource {
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        let first = *self.places.get(self.next)?;
        let rest = &self.places[self.next..];
        let is_same = |place: &&Place| place.segment == first.segment;
        let n = rest.iter().take(PIECE).take_while(is_same).count();
        let segment = self.repository.segment(first);
        // A damaged one is told when it is read.
        let size = |place: &Place| segment.bytes(place.document).unwrap_or(0);
        let bytes = rest[..n].iter().map(|place| u64::from(size(place))).sum();
        let from = self.next;
        self.next += n;
        let (repository, places) = (Arc::clone(&self.repository), Arc::clone(&self.places));
        let (to, keeps_text) = (self.next, self.keeps_text);
        Some(Box::new(RepositoryPiece { repository, places, from, to, bytes, keeps_text }))
    }

    fn total_bytes(&self) -> Option<u64> {
        let segments = self.repository.segments().iter();
        Some(segments.map(|segment| segment.sizes().plain_evidence).sum())
    }
}

struct RepositoryPiece {
    repository: Arc<Repository>,
    places: Arc<[Place]>,
    from: usize,
    to: usize,
    bytes: u64,
    keeps_text: bool,
}

/// Why reading ended early.
enum End {
    Damage(textkin_core::Damage),
    Asked,
}

impl From<textkin_core::Damage> for End {
    fn from(damage: textkin_core::Damage) -> Self {
        Self::Damage(damage)
    }
}

impl Piece for RepositoryPiece {
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        let places = &self.places[self.from..self.to];
        let Some(first) = places.first() else { return };
        let segment = self.repository.segment(*first);
        let documents = places.iter().map(|place| place.document);
        let read = segment.read(documents, |_, stored, evidence| {
            let text = match self.keeps_text {
                true => std::str::from_utf8(evidence).ok().map(Cow::Borrowed),
                false => WithoutText::read(evidence).map(|kept| Cow::Owned(kept.line())),
            };
            let text = text.ok_or_else(|| End::Damage(no_text(segment.path())))?;
            let (time, metadata) = (stored.time.map(Into::into), stored.metadata.map(Into::into));
            let (id, notes) = (stored.id.into(), Vec::new());
            match sink.document(Document { id, text, time, notes, metadata }) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(End::Asked),
            }
        });
        if let Err(End::Damage(damage)) = read {
            let reason = format!("it is damaged: {}", damage.reason);
            // Whoever reads a repository is strict: the run ends with this.
            let _ = sink.problem(Problem { path: damage.file, line: None, reason });
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

fn no_text(path: &std::path::Path) -> textkin_core::Damage {
    let (file, reason) = (path.display().to_string(), "a text is no text".to_owned());
    textkin_core::Damage { file, reason }
}
