//! Ingestion: reads a source in parallel and fills a collection with its distinct texts.
//!
//! Exact duplicates are found here, by a digest of the normalised tokens: only the first document
//! with a text is indexed, the others ride on it.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use textkin_core::{Chunk, Document, DocumentSink, Note, Problem, Source, Tokens};
use textkin_index::{BatchBuilder, Collection, Progress, Stop, TextAddress};

use crate::analyzer::Analyzer;
use crate::documents::{Documents, Part};
use crate::error::Error;

/// Buffers that held more bytes of tokens than this are not kept for the next document.
const LARGE_TEXT: usize = 16 << 20;

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Ingested {
    pub(crate) documents: Documents,
    pub(crate) problems: Vec<Problem>,
    pub(crate) notes: Vec<DocumentNotes>,
    pub(crate) input_bytes: u64,
    pub(crate) text_bytes: u64,
}

/// A document that has notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentNotes {
    /// Its number.
    pub document: u32,
    /// What is worth knowing about it; never empty.
    pub notes: Vec<Note>,
}

/// Reads all of `source` into `collection`.
pub(crate) fn ingest(
    source: &mut dyn Source,
    analyzer: &Analyzer,
    collection: &Collection,
    reader: Reader<'_>,
) -> Result<Ingested, Error> {
    reader.progress.begin("reading", source.total_bytes().unwrap_or(0));
    let shared = Shared {
        queue: Mutex::new((source, 0)),
        digests: Digests::default(),
        parts: Mutex::default(),
        failed: AtomicBool::new(false),
        analyzer,
        collection,
        reader,
    };
    let outcomes: Vec<Result<(), Error>> = std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..reader.threads).map(|_| scope.spawn(|| Worker::new(&shared).run())).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    });
    let mut parts = shared.parts.into_inner().unwrap_or_else(|broken| broken.into_inner());
    parts.sort_by_key(|part| part.number);
    if reader.is_strict {
        let first = parts.iter_mut().find_map(|part| part.problems.drain(..).next());
        if let Some(problem) = first {
            return Err(Error::Problem(problem));
        }
    }
    outcomes.into_iter().collect::<Result<Vec<()>, Error>>()?;
    let mut ingested = Ingested::default();
    let mut pieces = Vec::with_capacity(parts.len());
    let mut first = 0u32;
    for part in parts {
        ingested.notes.extend(part.notes.into_iter().map(|noted| DocumentNotes {
            document: first.saturating_add(noted.document),
            ..noted
        }));
        first = first.saturating_add(part.documents.len());
        ingested.problems.extend(part.problems);
        ingested.input_bytes += part.bytes;
        ingested.text_bytes += part.text_bytes;
        pieces.push(part.documents);
    }
    ingested.documents = Documents::new(pieces);
    Ok(ingested)
}

/// How a source is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) threads: usize,
    pub(crate) is_strict: bool,
    pub(crate) progress: &'a Progress,
    pub(crate) stop: &'a Stop,
}

/// What the workers share.
struct Shared<'a> {
    /// The source, and the number of its next piece.
    queue: Mutex<(&'a mut dyn Source, u64)>,
    digests: Digests,
    parts: Mutex<Vec<PieceResult>>,
    failed: AtomicBool,
    analyzer: &'a Analyzer,
    collection: &'a Collection,
    reader: Reader<'a>,
}

/// What came of one piece.
#[derive(Default)]
struct PieceResult {
    number: u64,
    bytes: u64,
    text_bytes: u64,
    documents: Part,
    problems: Vec<Problem>,
    /// Counted within the piece.
    notes: Vec<DocumentNotes>,
}

/// The texts known so far, by digest; in shards, so that threads rarely wait for one another.
#[derive(Default)]
struct Digests {
    shards: [Mutex<HashMap<u128, TextAddress>>; 16],
}

impl Digests {
    /// The text with `digest`, or the one that `add` adds.
    fn find_or_add(&self, digest: u128, add: impl FnOnce() -> TextAddress) -> (TextAddress, bool) {
        let shard = &self.shards[(digest % 16) as usize];
        match shard.lock().unwrap_or_else(|broken| broken.into_inner()).entry(digest) {
            Entry::Occupied(known) => (*known.get(), false),
            Entry::Vacant(vacant) => (*vacant.insert(add()), true),
        }
    }
}

/// One thread that reads pieces.
struct Worker<'a, 'b> {
    shared: &'a Shared<'b>,
    tokens: Tokens,
    chunks: Vec<Chunk>,
    selection: Vec<u32>,
    batch: u32,
    builder: BatchBuilder,
    n_texts: u32,
    piece: PieceResult,
    failure: Option<Error>,
}

impl<'a, 'b> Worker<'a, 'b> {
    fn new(shared: &'a Shared<'b>) -> Self {
        let (batch, builder) = shared.collection.begin();
        Self {
            shared,
            tokens: shared.analyzer.tokens(),
            chunks: Vec::new(),
            selection: Vec::new(),
            batch,
            builder,
            n_texts: 0,
            piece: PieceResult::default(),
            failure: None,
        }
    }

    fn run(mut self) -> Result<(), Error> {
        let shared = self.shared;
        while !shared.failed.load(Ordering::Relaxed) && !shared.reader.stop.is_requested() {
            let (number, piece) = {
                let mut queue = shared.queue.lock().unwrap_or_else(|broken| broken.into_inner());
                let Some(piece) = queue.0.next_piece() else { break };
                queue.1 += 1;
                (queue.1, piece)
            };
            let bytes = piece.bytes();
            self.piece = PieceResult { number, bytes, ..PieceResult::default() };
            piece.read(&mut self);
            let mut done = std::mem::take(&mut self.piece);
            done.documents.shrink();
            // A stream of one text does not know its size before it is read.
            done.bytes = if bytes == 0 { done.text_bytes } else { bytes };
            shared.parts.lock().unwrap_or_else(|broken| broken.into_inner()).push(done);
            shared.reader.progress.advance(bytes);
            if self.failure.is_some() {
                shared.failed.store(true, Ordering::Relaxed);
            }
        }
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if shared.reader.stop.is_requested() {
            return Err(Error::Stopped);
        }
        if !self.builder.is_empty() {
            shared.collection.push(self.batch, self.builder.finish())?;
        }
        Ok(())
    }

    /// Finishes the batch if the next text does not fit.
    fn make_room(&mut self) -> Result<(), Error> {
        if self.builder.is_full(self.tokens.normalized().len()) {
            let (batch, builder) = self.shared.collection.begin();
            let number = std::mem::replace(&mut self.batch, batch);
            let full = std::mem::replace(&mut self.builder, builder);
            self.n_texts = 0;
            self.shared.collection.push(number, full.finish())?;
        }
        Ok(())
    }

    /// The text of the document whose tokens are in the buffer.
    fn text(&mut self) -> Result<TextAddress, Error> {
        self.make_room()?;
        let next = TextAddress { batch: self.batch, text: self.n_texts };
        let digest = digest(&self.tokens);
        let (address, is_new) = self.shared.digests.find_or_add(digest, || next);
        if is_new {
            self.n_texts += 1;
            if self.shared.analyzer.all_words().is_some() {
                self.builder.add_words(&self.tokens);
            } else {
                self.shared.analyzer.chunk(&self.tokens, &mut self.chunks, &mut self.selection);
                self.builder.add_chunks(&self.tokens, &self.chunks, Some(&self.selection));
            }
        }
        Ok(address)
    }
}

impl DocumentSink for Worker<'_, '_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let Document { id, text, time, mut notes, .. } = document;
        self.shared.analyzer.tokenize(&text, &mut self.tokens);
        self.piece.text_bytes += text.len() as u64;
        // A large text comes with its memory, which is better used for its chunks.
        drop(text);
        let address = if self.tokens.is_empty() {
            None
        } else {
            match self.text() {
                Ok(address) => Some(address),
                Err(error) => {
                    self.failure = Some(error);
                    return ControlFlow::Break(());
                }
            }
        };
        notes.extend(self.tokens.disguises().notes());
        if !notes.is_empty() {
            self.piece.notes.push(DocumentNotes { document: self.piece.documents.len(), notes });
        }
        let words = u32::try_from(self.tokens.len()).expect("a text is bounded to 4 GiB");
        self.piece.documents.push(&id, time.as_deref(), words, address);
        if self.tokens.normalized().len() > LARGE_TEXT {
            self.tokens = self.shared.analyzer.tokens();
            self.chunks = Vec::new();
            self.selection = Vec::new();
        }
        if self.shared.reader.stop.is_requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.piece.problems.push(problem);
        if self.shared.reader.is_strict {
            self.shared.failed.store(true, Ordering::Relaxed);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// 128 bits of the BLAKE3 digest of the tokens and, where they matter, of the places where
/// sentences and paragraphs begin.
pub(crate) fn digest(tokens: &Tokens) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(tokens.normalized());
    for starts in [tokens.sentences(), tokens.paragraphs()] {
        hasher.update(&(starts.len() as u64).to_le_bytes());
        for start in starts {
            hasher.update(&start.to_le_bytes());
        }
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    u128::from_le_bytes(bytes)
}
