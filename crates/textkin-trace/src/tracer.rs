//! The tracer: takes the documents of a stream one by one and returns where their passages came from.

use textkin_core::{Chunked, Tokens};

use crate::chunk_tracer::ChunkTracer;
use crate::chunks::{DocumentChunks, SelectedChunk, size};
use crate::document_trace::DocumentSizes;
use crate::exact_tracer::ExactTracer;
use crate::label::{ChunkOrigin, LabelledRun, OriginLabels};
use crate::lookup::LookupDocument;
use crate::window_tracer::{AnyWindowTracer, window_tracer};
use crate::{DocumentTrace, Error, Memory, Method, Settings};

/// Traces a stream: takes one document at a time and returns its [`DocumentTrace`].
///
/// A tracer owns all its state: several can run side by side, and it can be sent to another thread. Equal
/// settings and equal streams give equal results.
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
    pub(crate) memory: MethodTracer,
    /// Buffers for the current document, reused.
    selected: Vec<SelectedChunk>,
    labels: OriginLabels,
}

/// State of a tracer, by method.
#[derive(Debug)]
pub(crate) enum MethodTracer {
    Exact(ExactTracer),
    Chunks(ChunkTracer),
    Windows(Box<dyn AnyWindowTracer>),
}

impl Tracer {
    /// Creates a tracer for a new stream and allocates its table.
    ///
    /// # Errors
    /// If the memory does not hold a single bucket, cannot be allocated, or a setting is out of range.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        let Settings { memory, method, bucket, seed } = *settings;
        let memory = match (memory, method) {
            (Memory::Unlimited, _) => MethodTracer::Exact(ExactTracer::default()),
            (Memory::Bytes(bytes), Method::Chunks(method)) => {
                MethodTracer::Chunks(ChunkTracer::new(method, bytes, bucket, seed)?)
            }
            (Memory::Bytes(bytes), Method::Windows(method)) => {
                MethodTracer::Windows(window_tracer(method, bytes, bucket)?)
            }
        };
        let (selected, labels) = Default::default();
        Ok(Self { settings: *settings, next: 0, memory, selected, labels })
    }

    /// Traces a document: returns where its passages came from, and stores it.
    ///
    /// `selection` lists ascending indices of the chunks to look up; indices beyond the last chunk are
    /// ignored.
    pub fn trace(&mut self, document: &Chunked<'_>, selection: &[u32]) -> DocumentTrace {
        self.trace_chunks(document.tokens, DocumentChunks::Listed(document.chunks), selection)
    }

    /// Traces a document whose chunks are all runs of `k` words, without a list of chunks: chunk `n` begins
    /// with word `n`, and a document of fewer than `k` words is one chunk.
    pub fn trace_runs(&mut self, tokens: &Tokens, k: usize, selection: &[u32]) -> DocumentTrace {
        self.trace_chunks(tokens, DocumentChunks::runs(tokens.len(), k), selection)
    }

    fn trace_chunks(
        &mut self,
        tokens: &Tokens,
        chunks: DocumentChunks<'_>,
        selection: &[u32],
    ) -> DocumentTrace {
        let number = self.next;
        self.next += 1;
        let words = tokens.hashes();
        let selection = &selection[..selection.partition_point(|index| *index < chunks.len())];
        self.selected.clear();
        if !matches!(self.memory, MethodTracer::Windows(_)) {
            self.selected.extend(selection.iter().map(|index| chunks.selected(words, *index)));
        }
        self.labels.clear();
        match &mut self.memory {
            MethodTracer::Exact(tracer) => {
                let labels = tracer.trace(number, &self.selected);
                self.labels.extend(&self.selected, labels);
            }
            MethodTracer::Chunks(tracer) => {
                let mut labels = tracer.trace(number, &self.selected);
                // These offsets count selected chunks, which mean nothing to callers.
                labels.iter_mut().flatten().for_each(|label| label.offset = None);
                self.labels.extend(&self.selected, labels);
            }
            MethodTracer::Windows(tracer) => {
                tracer
                    .trace(&LookupDocument { number, words, chunks, selection }, &mut self.labels);
            }
        }
        let sizes = DocumentSizes {
            words: size(tokens.len()),
            chunks: chunks.len(),
            selected: size(selection.len()),
        };
        DocumentTrace::new(number, sizes, &self.labels)
    }

    /// Returns the origins of the selected chunks of the last document, in text order.
    pub fn chunk_origins(&self) -> impl Iterator<Item = ChunkOrigin> + '_ {
        self.labels.runs.iter().map(LabelledRun::chunk_origin)
    }

    /// Returns the number of documents so far, which is the number of the next one.
    #[must_use]
    pub fn n_documents(&self) -> u64 {
        self.next
    }

    /// Returns the settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the bytes of the table, which never change; `None` if memory is unlimited.
    #[must_use]
    pub fn table_bytes(&self) -> Option<u64> {
        match &self.memory {
            MethodTracer::Exact(_) => None,
            MethodTracer::Chunks(tracer) => Some(tracer.table.allocated() as u64),
            MethodTracer::Windows(tracer) => Some(tracer.table().len() as u64),
        }
    }
}
