//! Ingestion: reads a source in parallel and fills a collection with its distinct texts.
//!
//! In: a source. Out: [`Documents`], problems, notes and a filled collection. Exact copies are
//! found here by a digest of the normalized tokens, or of the chunks if texts are not stored: only the first document with a text is indexed.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};
use textkin_core::parallel;
use textkin_core::{
    Chunk, Content, Disguises, Document, DocumentSink, Note, Problem, Source, StoredChunks, Tokens,
};
use textkin_index::{BatchBuilder, Collection, LargeText, Progress, Stop, TextAddress};

use crate::analyzer::Analyzer;
use crate::documents::{DocumentPart, Documents};
use crate::error::Error;
use crate::settings::Pairing;
use crate::sides::{FieldValues, sides_of_values};

/// Buffers with more bytes of tokens than this are not reused for the next document.
const LARGE_BUFFER: usize = 16 << 20;
/// A large text is read in this many parts, or parts of [`MAX_PART`] bytes.
const MIN_PARTS: usize = 4;
const MAX_PART: usize = 4 << 20;

/// The documents that were read.
#[derive(Debug, Default)]
pub(crate) struct Ingested {
    pub(crate) documents: Documents,
    pub(crate) problems: Vec<Problem>,
    pub(crate) notes: Vec<DocumentNotes>,
    /// The side of each document, if only documents of different sides form pairs.
    pub(crate) sides: Option<Vec<u32>>,
    pub(crate) input_bytes: u64,
    pub(crate) text_bytes: u64,
}

/// The notes of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentNotes {
    /// The number of the document.
    pub document: u32,
    /// The notes; never empty.
    pub notes: Vec<Note>,
}

/// Reads all of `source` into `collection`.
pub(crate) fn ingest(
    source: &mut dyn Source,
    analyzer: &Analyzer,
    collection: &Collection,
    options: IngestOptions<'_>,
) -> Result<Ingested, Error> {
    options.progress.begin("reading", source.total_bytes().unwrap_or(0));
    let shared = SharedState {
        has_texts: source.has_texts(),
        queue: Mutex::new((source, 0)),
        digests: Digests::default(),
        parts: Mutex::default(),
        failed: AtomicBool::new(false),
        analyzer,
        collection,
        options,
    };
    let outcomes: Vec<Result<(), Error>> =
        parallel::run(options.threads, |_| Worker::new(&shared).run());
    let mut parts = shared.parts.into_inner().unwrap_or_else(|broken| broken.into_inner());
    parts.sort_by_key(|part| part.number);
    if options.checks_ids {
        skip_duplicate_ids(&mut parts);
    }
    if options.is_strict {
        let first = parts.iter_mut().find_map(|part| part.problems.drain(..).next());
        if let Some(problem) = first {
            return Err(Error::Problem(problem));
        }
    }
    outcomes.into_iter().collect::<Result<Vec<()>, Error>>()?;
    let mut ingested =
        Ingested { sides: sides(&mut parts, options.pairing)?, ..Ingested::default() };
    let mut pieces = Vec::with_capacity(parts.len());
    let mut first = 0u32;
    for part in parts {
        ingested.notes.extend(part.notes.into_iter().map(|notes| DocumentNotes {
            document: first.saturating_add(notes.document),
            ..notes
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

/// Reports every document whose id an earlier document of the same part has, and takes its text from it, so
/// that it is in no pair.
fn skip_duplicate_ids(parts: &mut [PieceResult]) {
    let mut hashes = Vec::new();
    for (part, piece) in (0u32..).zip(parts.iter()) {
        for (index, id) in (0u32..).zip(piece.documents.ids()) {
            let seed = u64::from(piece.part);
            hashes.push((xxhash_rust::xxh3::xxh3_64_with_seed(id.as_bytes(), seed), part, index));
        }
    }
    hashes.sort_unstable();
    let mut duplicates = Vec::new();
    for same in hashes.chunk_by(|(a, ..), (b, ..)| a == b).filter(|same| same.len() > 1) {
        let mut seen: HashSet<(u32, &str)> = HashSet::new();
        for &(_, part, index) in same {
            let piece = &parts[part as usize];
            if !seen.insert((piece.part, piece.documents.id(index))) {
                duplicates.push((part, index));
            }
        }
    }
    duplicates.sort_unstable();
    for (part, index) in duplicates {
        let piece = &mut parts[part as usize];
        piece.problems.push(Problem::duplicate_id(piece.documents.id(index)));
        piece.documents.skip(index);
    }
}

/// Returns the side of each document, if only documents of different sides form pairs.
fn sides(parts: &mut [PieceResult], pairing: &Pairing) -> Result<Option<Vec<u32>>, Error> {
    match pairing {
        Pairing::All => Ok(None),
        Pairing::AcrossParts => {
            let of_part =
                |part: &PieceResult| std::iter::repeat_n(part.part, part.documents.len() as usize);
            Ok(Some(parts.iter().flat_map(of_part).collect()))
        }
        Pairing::AcrossField(name) => {
            let values = parts.iter_mut().map(|part| std::mem::take(&mut part.fields));
            sides_of_values(name, values).map(Some)
        }
    }
}

/// Options for reading a source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IngestOptions<'a> {
    pub(crate) threads: usize,
    pub(crate) is_strict: bool,
    /// Whether a document with the id of an earlier one is a problem.
    pub(crate) checks_ids: bool,
    /// Whether exact copies are one text.
    pub(crate) merges_copies: bool,
    pub(crate) pairing: &'a Pairing,
    /// Bytes of a text that is read in parts.
    pub(crate) large_text: usize,
    pub(crate) progress: &'a Progress,
    pub(crate) stop: &'a Stop,
}

/// The state that the workers share.
struct SharedState<'a> {
    /// The source, and the number of pieces taken so far.
    queue: Mutex<(&'a mut dyn Source, u64)>,
    /// Whether the documents of the source have texts.
    has_texts: bool,
    digests: Digests,
    parts: Mutex<Vec<PieceResult>>,
    failed: AtomicBool,
    analyzer: &'a Analyzer,
    collection: &'a Collection,
    options: IngestOptions<'a>,
}

/// The result of reading one piece.
#[derive(Default)]
struct PieceResult {
    number: u64,
    /// The part of the source.
    part: u32,
    /// The values of the field that must differ, and the first names of other fields, if it is read.
    fields: FieldValues,
    bytes: u64,
    text_bytes: u64,
    documents: DocumentPart,
    problems: Vec<Problem>,
    /// Notes, with document numbers relative to the piece.
    notes: Vec<DocumentNotes>,
}

/// The texts read so far, by digest; in shards, so that threads rarely wait for one another.
#[derive(Default)]
struct Digests {
    shards: [Mutex<HashMap<u128, TextAddress>>; 16],
}

impl Digests {
    /// Returns the text with `digest`, adding it with `add` if it is new, and whether it is new.
    fn find_or_add(&self, digest: u128, add: impl FnOnce() -> TextAddress) -> (TextAddress, bool) {
        let shard = &self.shards[(digest % 16) as usize];
        match shard.lock().unwrap_or_else(|broken| broken.into_inner()).entry(digest) {
            Entry::Occupied(existing) => (*existing.get(), false),
            Entry::Vacant(vacant) => (*vacant.insert(add()), true),
        }
    }
}

/// A thread that reads pieces.
struct Worker<'a, 'b> {
    shared: &'a SharedState<'b>,
    tokens: Tokens,
    chunks: Vec<Chunk>,
    selection: Vec<u32>,
    batch: u32,
    builder: BatchBuilder,
    n_texts: u32,
    piece: PieceResult,
    /// Bytes of the piece that progress shows already.
    n_shown: u64,
    failure: Option<Error>,
}

impl<'a, 'b> Worker<'a, 'b> {
    fn new(shared: &'a SharedState<'b>) -> Self {
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
            n_shown: 0,
            failure: None,
        }
    }

    fn run(mut self) -> Result<(), Error> {
        let shared = self.shared;
        while !shared.failed.load(Ordering::Relaxed) && !shared.options.stop.is_requested() {
            let (number, part, piece) = {
                let mut queue = shared.queue.lock().unwrap_or_else(|broken| broken.into_inner());
                let Some(piece) = queue.0.next_piece() else { break };
                queue.1 += 1;
                (queue.1, queue.0.part(), piece)
            };
            let bytes = piece.bytes();
            self.piece = PieceResult { number, part, bytes, ..PieceResult::default() };
            self.n_shown = 0;
            piece.read(&mut self);
            let mut done = std::mem::take(&mut self.piece);
            done.documents.shrink();
            // The size of a stream is unknown until it has been read.
            done.bytes = if bytes == 0 { done.text_bytes } else { bytes };
            shared.parts.lock().unwrap_or_else(|broken| broken.into_inner()).push(done);
            shared.options.progress.advance(bytes - self.n_shown);
            if self.failure.is_some() {
                shared.failed.store(true, Ordering::Relaxed);
            }
        }
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if shared.options.stop.is_requested() {
            return Err(Error::Stopped);
        }
        if !self.builder.is_empty() {
            shared.collection.push(self.batch, self.builder.finish())?;
        }
        Ok(())
    }

    /// Starts a new batch if a text of `bytes` bytes does not fit into the current one.
    fn make_room(&mut self, bytes: usize) -> Result<(), Error> {
        if self.builder.is_full(bytes) { self.next_batch() } else { Ok(()) }
    }

    fn next_batch(&mut self) -> Result<(), Error> {
        let (batch, builder) = self.shared.collection.begin();
        let number = std::mem::replace(&mut self.batch, batch);
        let full = std::mem::replace(&mut self.builder, builder);
        self.n_texts = 0;
        self.shared.collection.push(number, full.finish())?;
        Ok(())
    }

    /// Returns the address of the text with `digest`, and whether it is new and to be added to the batch.
    fn find_or_add(&mut self, digest: u128) -> (TextAddress, bool) {
        let next = TextAddress { batch: self.batch, text: self.n_texts };
        let (address, is_new) = match self.shared.options.merges_copies {
            true => self.shared.digests.find_or_add(digest, || next),
            false => (next, true),
        };
        self.n_texts += u32::from(is_new);
        (address, is_new)
    }

    /// Returns the address of the text whose tokens are in the buffer; `None` if it has no words.
    fn text(&mut self) -> Result<Option<TextAddress>, Error> {
        if self.tokens.is_empty() {
            return Ok(None);
        }
        self.make_room(self.tokens.normalized().len())?;
        let (address, is_new) = self.find_or_add(digest(&self.tokens));
        if is_new {
            if self.shared.analyzer.all_words().is_some() {
                self.builder.add_words(&self.tokens);
            } else {
                self.shared.analyzer.chunk(&self.tokens, &mut self.chunks, &mut self.selection);
                self.builder.add_chunks(&self.tokens, &self.chunks, Some(&self.selection));
            }
        }
        Ok(Some(address))
    }

    /// Returns the words of a large text. Its parts are tokenized one by one; progress shows each of them.
    fn large(
        &mut self,
        text: &str,
        parts: impl Iterator<Item = std::ops::Range<usize>>,
    ) -> LargeText {
        let mut large = LargeText::with_capacity(text.len());
        let mut disguises = Disguises::default();
        for part in parts {
            let n_bytes = (part.len() as u64).min(self.piece.bytes - self.n_shown);
            self.shared.analyzer.tokenize(&text[part], &mut self.tokens);
            large.push(&self.tokens);
            disguises.add(self.tokens.disguises());
            self.shared.options.progress.advance(n_bytes);
            self.n_shown += n_bytes;
            if self.shared.options.stop.is_requested() {
                break;
            }
        }
        self.tokens.clear();
        *self.tokens.disguises_mut() = disguises;
        large
    }

    /// Returns the address of a large text; `None` if it has no words.
    fn large_text(&mut self, large: LargeText) -> Result<Option<TextAddress>, Error> {
        if large.is_empty() {
            return Ok(None);
        }
        if !self.builder.is_empty() {
            self.next_batch()?;
        }
        let (address, is_new) = self.find_or_add(digest_of(large.normalized(), [&[], &[]]));
        if is_new {
            self.builder.add_large(large);
        }
        Ok(Some(address))
    }

    /// Returns the address of the text with these chunks; `None` if it has no words. Documents with the
    /// same chunks count as exact copies: nothing else is known of them.
    fn stored_chunks(&mut self, stored: &StoredChunks<'_>) -> Result<Option<TextAddress>, Error> {
        if stored.words == 0 {
            return Ok(None);
        }
        self.make_room(0)?;
        let (address, is_new) = self.find_or_add(digest_of_chunks(stored));
        if is_new {
            self.builder.add_stored_chunks(stored.words, &stored.chunks);
        }
        Ok(Some(address))
    }

    /// Returns the parts of a large text, if it can be divided.
    fn parts<'t>(
        &self,
        text: &'t str,
    ) -> Option<impl Iterator<Item = std::ops::Range<usize>> + use<'t>> {
        let is_large = text.len() >= self.shared.options.large_text;
        let n_bytes = MAX_PART.min(text.len() / MIN_PARTS);
        is_large.then(|| self.shared.analyzer.parts(text, n_bytes)).flatten()
    }

    /// Adds the content of a document; returns its number of words and the address of its text.
    fn content(&mut self, content: Content<'_>) -> Result<(u32, Option<TextAddress>), Error> {
        match content {
            Content::Text(text) => {
                let parts = self.parts(&text);
                if let Some(large) = parts.map(|parts| self.large(&text, parts)) {
                    self.piece.text_bytes += text.len() as u64;
                    drop(text);
                    let words = u32::try_from(large.len()).expect("a text is limited to 4 GiB");
                    return Ok((words, self.large_text(large)?));
                }
                self.shared.analyzer.tokenize(&text, &mut self.tokens);
                self.piece.text_bytes += text.len() as u64;
                // Free the memory of a large text before its chunks are computed.
                drop(text);
                let words = u32::try_from(self.tokens.len()).expect("a text is limited to 4 GiB");
                Ok((words, self.text()?))
            }
            Content::Chunks(stored) => {
                self.tokens.clear();
                Ok((stored.words, self.stored_chunks(&stored)?))
            }
        }
    }
}

impl DocumentSink for Worker<'_, '_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let Document { id, content, time, mut notes, metadata } = document;
        if content.text().is_some() != self.shared.has_texts {
            let reason = "the source has documents with and without text".to_owned();
            return self.problem(Problem { path: id.into_owned(), line: None, reason });
        }
        let (words, address) = match self.content(content) {
            Ok(added) => added,
            Err(error) => {
                self.failure = Some(error);
                return ControlFlow::Break(());
            }
        };
        notes.extend(self.tokens.disguises().notes());
        if !notes.is_empty() {
            self.piece.notes.push(DocumentNotes { document: self.piece.documents.len(), notes });
        }
        self.piece.documents.push(&id, time.as_deref(), words, address);
        if let Pairing::AcrossField(name) = self.shared.options.pairing {
            self.piece.fields.push(name, metadata.as_deref());
        }
        if self.tokens.normalized().len() > LARGE_BUFFER {
            self.tokens = self.shared.analyzer.tokens();
            self.chunks = Vec::new();
            self.selection = Vec::new();
        }
        if self.shared.options.stop.is_requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.piece.problems.push(problem);
        if self.shared.options.is_strict {
            self.shared.failed.store(true, Ordering::Relaxed);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Returns 128 bits of the BLAKE3 digest of the tokens and, if the settings use them, of the starts
/// of sentences and paragraphs.
pub(crate) fn digest(tokens: &Tokens) -> u128 {
    digest_of(tokens.normalized(), [tokens.sentences(), tokens.paragraphs()])
}

fn digest_of(normalized: &[u8], structure: [&[u32]; 2]) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(normalized);
    for starts in structure {
        hasher.update(&(starts.len() as u64).to_le_bytes());
        for start in starts {
            hasher.update(&start.to_le_bytes());
        }
    }
    short_digest(&hasher)
}

/// Returns 128 bits of the BLAKE3 digest of the number of words and the chunks.
fn digest_of_chunks(stored: &StoredChunks<'_>) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&stored.words.to_le_bytes());
    let mut bytes = Vec::with_capacity(stored.chunks.len() * 16);
    for chunk in stored.chunks.iter() {
        bytes.extend_from_slice(&chunk.first.to_le_bytes());
        bytes.extend_from_slice(&chunk.count.to_le_bytes());
        bytes.extend_from_slice(&chunk.hash.to_le_bytes());
    }
    hasher.update(&bytes);
    short_digest(&hasher)
}

fn short_digest(hasher: &blake3::Hasher) -> u128 {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    u128::from_le_bytes(bytes)
}
