//! Documents in memory as a source.
//!
//! In: documents, from any iterator. Out: pieces that lend their texts; nothing is copied.

use std::ops::Range;
use std::sync::Arc;

use textkin_core::{Document, DocumentSink, Piece, Rewind, RewindError, Source};

/// Maximum number of documents of a piece.
const MAX_DOCUMENTS: usize = 64;

/// Number of bytes of text from which a piece takes no further document.
const MAX_BYTES: u64 = 1 << 20;

/// A source of documents in memory, in the order in which they were given.
///
/// Clones and rewound sources share the documents. An item can be of any type that can be seen as a
/// [`Document`].
///
/// ```
/// use textkin_core::{Document, Source};
/// use textkin_source::MemorySource;
///
/// let songs = [("a", "row, row, row your boat"), ("b", "gently down the stream")];
/// let source = MemorySource::new(songs.map(Document::from));
/// assert_eq!(source.total_bytes(), Some(45));
/// ```
#[derive(Debug)]
pub struct MemorySource<D = Document<'static>> {
    documents: Arc<[D]>,
    /// Number of documents in pieces so far.
    next: usize,
}

impl<D> MemorySource<D> {
    /// Creates a source of `documents`.
    pub fn new(documents: impl IntoIterator<Item = D>) -> Self {
        Self { documents: documents.into_iter().collect(), next: 0 }
    }
}

impl<D> From<Arc<[D]>> for MemorySource<D> {
    fn from(documents: Arc<[D]>) -> Self {
        Self { documents, next: 0 }
    }
}

impl<D> Clone for MemorySource<D> {
    fn clone(&self) -> Self {
        Self { documents: Arc::clone(&self.documents), next: self.next }
    }
}

impl<D: Send + Sync + 'static> Source for MemorySource<D>
where
    for<'a> Document<'a>: From<&'a D>,
{
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        let start = self.next;
        let mut bytes = 0;
        for document in self.documents[start..].iter().take(MAX_DOCUMENTS) {
            bytes += text_bytes(document);
            self.next += 1;
            if bytes >= MAX_BYTES {
                break;
            }
        }
        let (documents, range) = (Arc::clone(&self.documents), start..self.next);
        (!range.is_empty()).then(|| Box::new(MemoryPiece { documents, range, bytes }) as _)
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.documents.iter().map(text_bytes).sum())
    }

    fn has_texts(&self) -> bool {
        let has_text = |document| Document::from(document).text().is_some();
        self.documents.first().is_none_or(has_text)
    }
}

impl<D: Send + Sync + 'static> Rewind for MemorySource<D>
where
    for<'a> Document<'a>: From<&'a D>,
{
    fn rewind(&self) -> Result<Box<dyn Rewind>, RewindError> {
        Ok(Box::new(Self { next: 0, ..self.clone() }))
    }
}

struct MemoryPiece<D> {
    documents: Arc<[D]>,
    range: Range<usize>,
    bytes: u64,
}

impl<D: Send + Sync> Piece for MemoryPiece<D>
where
    for<'a> Document<'a>: From<&'a D>,
{
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        for document in &self.documents[self.range] {
            if sink.document(document.into()).is_break() {
                return;
            }
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Returns the number of bytes of the text of a document.
fn text_bytes<'a, D>(document: &'a D) -> u64
where
    Document<'a>: From<&'a D>,
{
    Document::from(document).text().map_or(0, str::len) as u64
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use proptest::prelude::*;
    use textkin_core::Problem;

    use super::*;

    /// The id and the number of bytes of each document of each piece.
    #[derive(Debug, Default, PartialEq)]
    struct ReadPieces(Vec<Vec<(String, usize)>>);

    impl ReadPieces {
        fn of(source: &mut dyn Source) -> Self {
            let mut read = Self::default();
            while let Some(piece) = source.next_piece() {
                let bytes = piece.bytes();
                read.0.push(Vec::new());
                piece.read(&mut read);
                let documents = read.0.last().expect("just added");
                assert_eq!(documents.iter().map(|document| document.1 as u64).sum::<u64>(), bytes);
            }
            read
        }
    }

    impl DocumentSink for ReadPieces {
        fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
            let bytes = document.text().expect("a document in memory").len();
            let read = (document.id.into_owned(), bytes);
            self.0.last_mut().expect("a piece is read").push(read);
            ControlFlow::Continue(())
        }

        fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
            panic!("{problem}")
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn documents_keep_their_order_and_pieces_their_limits(
            sizes in prop::collection::vec(
                prop_oneof![8 => 0usize..100, 1 => 0usize..2 << 20], 0..200
            ),
            n_read in 0usize..4,
        ) {
            let texts = sizes.iter().map(|&size| "x".repeat(size));
            let documents = texts.enumerate().map(|(n, text)| Document::new(n.to_string(), text));
            let mut source = MemorySource::new(documents);
            prop_assert_eq!(source.total_bytes(), Some(sizes.iter().sum::<usize>() as u64));
            for _ in 0..n_read {
                source.next_piece();
            }
            let read = ReadPieces::of(&mut *source.rewind().expect("memory can be read again"));
            let expected: Vec<_> =
                sizes.iter().enumerate().map(|(n, &size)| (n.to_string(), size)).collect();
            prop_assert_eq!(read.0.concat(), expected);
            for piece in &read.0 {
                prop_assert!((1..=MAX_DOCUMENTS).contains(&piece.len()));
                let (_, all_but_last) = piece.split_last().expect("not empty");
                let bytes: usize = all_but_last.iter().map(|document| document.1).sum();
                prop_assert!((bytes as u64) < MAX_BYTES);
            }
        }
    }
}
