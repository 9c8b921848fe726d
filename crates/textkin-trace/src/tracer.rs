//! The tracer: takes the documents of a stream one by one and says where their passages came from.

use textkin_core::{Chunked, Tokens};

use crate::chunk_tracer::ChunkTracer;
use crate::chunks::{Chunks, Selected, size};
use crate::document_trace::Sizes;
use crate::exact_tracer::ExactTracer;
use crate::label::Labels;
use crate::look_up::Document;
use crate::window_tracer::{Windows, window_tracer};
use crate::{DocumentTrace, Error, Memory, Method, Settings};

/// Traces a stream: one document in, what is said of it out.
///
/// Everything it remembers is in it, so that several can run side by side; it can be sent to
/// another thread. Equal settings and an equal stream give equal results.
///
/// ```
/// use textkin_core::chunk::chunk_hash;
/// use textkin_core::{Chunk, Chunked, Span, Tokens};
/// use textkin_trace::{Memory, Preset, Tracer};
///
/// let mut tokens = Tokens::default();
/// for word in ["row", "row", "row", "your", "boat"] {
///     tokens.push(word.as_bytes(), Span::default());
/// }
/// let hash = chunk_hash(tokens.hashes());
/// let chunks = [Chunk { hash, first: 0, count: 5, start: 0, end: tokens.end(4) }];
/// let song = Chunked { tokens: &tokens, chunks: &chunks };
///
/// let mut tracer = Tracer::new(&Preset::Kin.settings(Memory::Bytes(1 << 16)))?;
/// assert_eq!(tracer.trace(&song, &[0]).fresh_words, 5);
/// let again = tracer.trace(&song, &[0]);
/// assert_eq!((again.old_words, again.dominant_origin), (5, 0));
/// # Ok::<(), textkin_trace::Error>(())
/// ```
#[derive(Debug)]
pub struct Tracer {
    pub(crate) settings: Settings,
    /// Number of the next document.
    pub(crate) next: u64,
    pub(crate) memory: Remembered,
    /// Of the current document, kept for their memory.
    selected: Vec<Selected>,
    labels: Labels,
}

/// What a tracer remembers, by its method.
#[derive(Debug)]
pub(crate) enum Remembered {
    Exact(ExactTracer),
    Chunks(ChunkTracer),
    Windows(Box<dyn Windows>),
}

impl Tracer {
    /// A tracer at the beginning of a stream. Its whole memory is taken now.
    ///
    /// # Errors
    /// If not even one bucket fits, there is not so much memory, or a setting is out of its range.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        let Settings { memory, method, bucket, seed } = *settings;
        let memory = match (memory, method) {
            (Memory::Unlimited, _) => Remembered::Exact(ExactTracer::default()),
            (Memory::Bytes(bytes), Method::Chunks(method)) => {
                Remembered::Chunks(ChunkTracer::new(method, bytes, bucket, seed)?)
            }
            (Memory::Bytes(bytes), Method::Windows(method)) => {
                Remembered::Windows(window_tracer(method, bytes, bucket)?)
            }
        };
        let (selected, labels) = Default::default();
        Ok(Self { settings: *settings, next: 0, memory, selected, labels })
    }

    /// Says where each passage of a document came from, and remembers the document.
    ///
    /// `selection` holds ascending indices into the chunks of `document`; others are left out.
    pub fn trace(&mut self, document: &Chunked<'_>, selection: &[u32]) -> DocumentTrace {
        self.trace_chunks(document.tokens, Chunks::Listed(document.chunks), selection)
    }

    /// The same of a document whose chunks are all runs of `k` words, which need not be made: chunk
    /// `n` begins with word `n`, and fewer than `k` words are one chunk.
    pub fn trace_runs(&mut self, tokens: &Tokens, k: usize, selection: &[u32]) -> DocumentTrace {
        self.trace_chunks(tokens, Chunks::runs(tokens.len(), k), selection)
    }

    fn trace_chunks(
        &mut self,
        tokens: &Tokens,
        chunks: Chunks<'_>,
        selection: &[u32],
    ) -> DocumentTrace {
        let number = self.next;
        self.next += 1;
        let words = tokens.hashes();
        let selection = &selection[..selection.partition_point(|index| *index < chunks.len())];
        self.selected.clear();
        if !matches!(self.memory, Remembered::Windows(_)) {
            self.selected.extend(selection.iter().map(|index| chunks.selected(words, *index)));
        }
        self.labels.clear();
        match &mut self.memory {
            Remembered::Exact(tracer) => {
                let labels = tracer.trace(number, &self.selected);
                self.labels.extend(&self.selected, labels);
            }
            Remembered::Chunks(tracer) => {
                let mut labels = tracer.trace(number, &self.selected);
                // They count selected chunks, which say nothing to a reader.
                labels.iter_mut().flatten().for_each(|label| label.offset = None);
                self.labels.extend(&self.selected, labels);
            }
            Remembered::Windows(tracer) => {
                tracer.trace(&Document { number, words, chunks, selection }, &mut self.labels);
            }
        }
        let sizes = Sizes {
            words: size(tokens.len()),
            chunks: chunks.len(),
            selected: size(selection.len()),
        };
        DocumentTrace::new(number, sizes, &self.labels)
    }

    /// Documents taken so far: the number that the next one will have.
    #[must_use]
    pub fn n_documents(&self) -> u64 {
        self.next
    }

    /// How it traces.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Bytes of the table, which never change; none if memory is unlimited.
    #[must_use]
    pub fn table_bytes(&self) -> Option<u64> {
        match &self.memory {
            Remembered::Exact(_) => None,
            Remembered::Chunks(tracer) => Some(tracer.table.allocated() as u64),
            Remembered::Windows(tracer) => Some(tracer.table().len() as u64),
        }
    }
}
