//! In-memory source of the documents of a collection.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use textkin::types::{Document, DocumentSink, Piece, Source};

use super::CollectionDocument;

/// Documents per piece.
const PIECE: usize = 256;

/// Source of the documents of a collection, in order.
#[derive(Clone, Debug)]
pub struct CollectionSource {
    texts: Arc<[CollectionDocument]>,
    next: usize,
}

#[derive(Debug)]
struct CollectionPiece {
    texts: Arc<[CollectionDocument]>,
    range: Range<usize>,
}

impl CollectionSource {
    pub(crate) fn new(texts: Arc<[CollectionDocument]>) -> Self {
        Self { texts, next: 0 }
    }
}

impl CollectionPiece {
    fn texts(&self) -> &[CollectionDocument] {
        self.texts.get(self.range.clone()).unwrap_or_default()
    }
}

impl Source for CollectionSource {
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        let range = self.next..self.texts.len().min(self.next + PIECE);
        self.next = range.end;
        (!range.is_empty()).then(|| {
            Box::new(CollectionPiece { texts: Arc::clone(&self.texts), range }) as Box<dyn Piece>
        })
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.texts.iter().map(|text| text.text.len() as u64).sum())
    }
}

impl Piece for CollectionPiece {
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        for text in self.texts() {
            let document = Document {
                id: Cow::Borrowed(&text.id),
                text: Cow::Borrowed(&text.text),
                time: text.time.as_deref().map(Cow::Borrowed),
                notes: Vec::new(),
                metadata: None,
            };
            if sink.document(document).is_break() {
                return;
            }
        }
    }

    fn bytes(&self) -> u64 {
        self.texts().iter().map(|text| text.text.len() as u64).sum()
    }
}
