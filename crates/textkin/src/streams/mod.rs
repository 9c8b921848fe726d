//! Tracing of streams: finds the origin of each passage of a stream of texts.
//!
//! In: texts, one after another. Out: the origins of their passages. The tracer itself
//! (`textkin-trace`) identifies documents by number and positions by word. This module tokenizes
//! texts, converts word positions to bytes, and maps numbers to ids: the ids of the latest
//! documents are kept in a share of the memory, and those of all documents in a [`NameFile`], if there
//! is one. An origin whose id is in neither is reported by its number, which is part of the result of
//! every document. Another share of the memory is for counters of the most copied documents.

mod copied;
mod name_file;
mod names;
mod state;
mod times;

pub use copied::{CopiedOrigin, TopOrigins};
pub use name_file::NameFile;
pub use state::{TraceOutput, TraceProgress};
pub use times::TraceTimes;

use std::sync::Arc;

use textkin_core::chunk::overlapping_count;
use textkin_core::{Chunk, Chunked, Layers, Span, Tokens};
use textkin_text::grammar::Selection;
use textkin_trace::{DocumentTrace, Memory, Preset, Tracer};

use self::copied::CopyCounters;
use self::names::NameRing;
use crate::analyzer::Analyzer;
use crate::error::Error;
use crate::settings::Settings;

/// Names and counters together take one part of the memory in this many.
const NAMES_SHARE: u64 = 16;
/// Counters take one part of that in this many.
const COUNTERS_SHARE: u64 = 4;
/// One part of the memory in this many is reserved for reading and writing, within the limits below
/// and never more than nine sixteenths of the memory.
const WORKING_SHARE: u64 = 4;
/// Minimum working memory in bytes: enough for a document of half a megabyte.
const MIN_WORKING: u64 = 9 << 19;
/// Maximum working memory in bytes.
const MAX_WORKING: u64 = 8 << 20;

/// In a document with at most this many chunks, all are looked up: a selection may choose so few
/// of them that even an exact copy would not be found.
const MAX_SHORT: usize = 16;

/// The settings of a [`StreamTracer`].
#[derive(Clone, Debug)]
pub struct TraceSettings {
    /// How texts are tokenized and which chunks are looked up.
    pub analysis: Settings,
    /// How origins are stored. Its memory limit covers the table, names, counters and working
    /// memory.
    pub table: textkin_trace::Settings,
}

impl TraceSettings {
    /// Returns the settings of a preset for this memory limit; without a limit, all chunks are
    /// looked up.
    ///
    /// # Errors
    /// If the selection of the preset is invalid, which a test rules out.
    pub fn new(preset: Preset, memory: Memory) -> Result<Self, Error> {
        let select = match memory {
            Memory::Unlimited => Selection::default(),
            Memory::Bytes(_) => preset.selection().parse()?,
        };
        let analysis = Settings { select, ..Settings::default() };
        Ok(Self { analysis, table: preset.settings(memory) })
    }

    /// Divides the memory.
    fn shares(&self) -> MemoryShares {
        match self.table.memory {
            Memory::Bytes(bytes) => {
                let named = bytes / NAMES_SHARE;
                let counters = named / COUNTERS_SHARE;
                let memory = Memory::Bytes(table_share(bytes));
                MemoryShares {
                    table: textkin_trace::Settings { memory, ..self.table },
                    names: Some(named - counters),
                    counters: Some(counters),
                }
            }
            Memory::Unlimited => MemoryShares { table: self.table, names: None, counters: None },
        }
    }
}

/// Returns the part of `bytes` that is for the table.
fn table_share(bytes: u64) -> u64 {
    let working = (bytes / WORKING_SHARE).clamp(MIN_WORKING, MAX_WORKING).min(bytes / 16 * 9);
    bytes - bytes / NAMES_SHARE - working
}

/// Converts the error of a table into one about the whole memory.
fn in_terms_of_memory(error: textkin_trace::Error, memory: Memory) -> Error {
    match (error, memory) {
        (textkin_trace::Error::TooSmall { bucket, slots, .. }, Memory::Bytes(memory)) => {
            let minimum =
                (bucket..).find(|bytes| table_share(*bytes) >= bucket).unwrap_or(u64::MAX);
            Error::MemoryTooSmall { memory, minimum, slots, bucket }
        }
        (error, _) => error.into(),
    }
}

/// The division of the memory of a tracer.
struct MemoryShares {
    /// The settings of the table, with its share of the memory.
    table: textkin_trace::Settings,
    /// Bytes for names; `None` without a limit.
    names: Option<u64>,
    /// Bytes for counters of the most copied documents; `None` without a limit.
    counters: Option<u64>,
}

/// The origins of the passages of a document.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DocumentOrigins {
    /// The result of the tracer, with positions in words.
    pub trace: DocumentTrace,
    /// The id of the dominant origin, unless it has been evicted.
    pub dominant_origin: Option<Arc<str>>,
    /// The copied blocks of the text.
    pub blocks: Vec<BlockOrigin>,
    /// The spans of fresh words.
    pub fresh_spans: Vec<Span>,
    /// The spans of old words whose origin is estimated.
    pub estimated_spans: Vec<Span>,
}

/// A copied block of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockOrigin {
    /// The bytes of the block in the text.
    pub span: Span,
    /// The id of its origin, unless it has been evicted.
    pub origin: Option<Arc<str>>,
}

/// Traces a stream of texts.
///
/// ```
/// use textkin::engine::{StreamTracer, TraceSettings};
/// use textkin::engine::trace::{Memory, Preset};
///
/// let settings = TraceSettings::new(Preset::Kin, Memory::Bytes(1 << 20))?;
/// let mut tracer = StreamTracer::new(&settings)?;
/// let song = "row row row your boat gently down the stream merrily merrily merrily";
/// tracer.trace("song", song);
/// let text = format!("As it goes: {song}!");
/// let origins = tracer.trace("essay", &text);
/// assert_eq!(origins.dominant_origin.as_deref(), Some("song"));
/// assert_eq!(&text[origins.blocks[0].span.range()], song);
/// # Ok::<(), textkin::Error>(())
/// ```
#[derive(Debug)]
pub struct StreamTracer {
    analyzer: Analyzer,
    tracer: Tracer,
    names: NameRing,
    /// The names of all documents, if they are kept.
    name_file: Option<NameFile>,
    counters: CopyCounters,
    /// Name and value of every setting that affects results.
    entries: Vec<(String, String)>,
    tokens: Tokens,
    chunks: Vec<Chunk>,
    selection: Vec<u32>,
    /// The origin and the index of each block of the current document.
    by_origin: Vec<(u64, u32)>,
}

impl StreamTracer {
    /// Creates a tracer for the start of a stream.
    ///
    /// # Errors
    /// If a strategy lacks a resource, or the memory limit is too small.
    pub fn new(settings: &TraceSettings) -> Result<Self, Error> {
        if settings.analysis.select.needs_collection() {
            return Err(Error::SelectorNeedsCollection(settings.analysis.select.to_string()));
        }
        let analyzer = Analyzer::new(&settings.analysis)?;
        let shares = settings.shares();
        let tracer = Tracer::new(&shares.table)
            .map_err(|error| in_terms_of_memory(error, settings.table.memory))?;
        let layers = Layers {
            spans: true,
            structure: analyzer.needs_structure(),
            hashes_only: analyzer.selected_runs().is_some(),
        };
        Ok(Self {
            analyzer,
            tracer,
            names: NameRing::new(shares.names),
            name_file: None,
            counters: CopyCounters::new(shares.counters),
            entries: state::entries(settings),
            tokens: Tokens::new(layers),
            chunks: Vec::new(),
            selection: Vec::new(),
            by_origin: Vec::new(),
        })
    }

    /// Returns the origin of each passage of `text`, and adds the text as `id`.
    pub fn trace(&mut self, id: &str, text: &str) -> DocumentOrigins {
        self.analyzer.tokenize(text, &mut self.tokens);
        let traced = match self.analyzer.select_runs(&self.tokens, &mut self.selection) {
            Some(k) => {
                select_all_if_short(overlapping_count(self.tokens.len(), k), &mut self.selection);
                self.tracer.trace_runs(&self.tokens, k, &self.selection)
            }
            None => {
                self.analyzer.chunk(&self.tokens, &mut self.chunks, &mut self.selection);
                select_all_if_short(self.chunks.len(), &mut self.selection);
                let document = Chunked { tokens: &self.tokens, chunks: &self.chunks };
                self.tracer.trace(&document, &self.selection)
            }
        };
        self.names.push(id);
        if let Some(file) = &mut self.name_file {
            file.push(id);
        }
        let to_span = |&(start, end): &(u32, u32)| span(&self.tokens, start, end);
        let block = |block: &textkin_trace::Block| BlockOrigin {
            span: to_span(&(block.start, block.end)),
            origin: None,
        };
        let mut blocks: Vec<BlockOrigin> = traced.blocks.iter().map(block).collect();
        // The document's own id is known even if the memory is too small for ids.
        let own: Option<Arc<str>> = Some(id.into());
        let mut dominant_origin = None;
        // Each name is looked up once.
        self.by_origin.clear();
        let origins = traced.blocks.iter().map(|block| block.origin);
        self.by_origin.extend(origins.zip(0..));
        self.by_origin.sort_unstable();
        for of_one in self.by_origin.chunk_by(|a, b| a.0 == b.0) {
            let origin = of_one[0].0;
            let is_own = origin == traced.number;
            let name = if is_own {
                own.clone()
            } else {
                let name = self.names.get(origin).map(|name| Arc::from(&*name));
                name.or_else(|| Some(self.name_file.as_mut()?.get(origin)?.into()))
            };
            let mut words = 0;
            for (_, index) in of_one {
                words += u64::from(traced.blocks[*index as usize].words);
                blocks[*index as usize].origin.clone_from(&name);
            }
            if !is_own {
                self.counters.count(origin, words, || name.as_deref().map(str::to_owned));
            }
            if origin == traced.dominant_origin {
                dominant_origin = name;
            }
        }
        if traced.dominant_origin == traced.number {
            dominant_origin = own;
        }
        DocumentOrigins {
            blocks,
            fresh_spans: traced.fresh.iter().map(to_span).collect(),
            estimated_spans: traced.estimated.iter().map(to_span).collect(),
            dominant_origin,
            trace: traced,
        }
    }

    /// Keeps the names of all documents from here on in `file`, and finds them there once memory has
    /// no room for them. The file must have the names of all documents so far.
    pub fn keep_names(&mut self, file: NameFile) {
        self.name_file = Some(file);
    }

    /// Checks that all names so far could be written to the file of names, if there is one.
    ///
    /// # Errors
    /// If names could not be written or read.
    pub fn check_names(&mut self) -> Result<(), Error> {
        self.name_file.as_mut().map_or(Ok(()), NameFile::check)
    }

    /// Writes the file of names, if there is one, to disk.
    ///
    /// # Errors
    /// If names could not be written or read.
    pub fn sync_names(&mut self) -> Result<(), Error> {
        self.name_file.as_mut().map_or(Ok(()), NameFile::sync)
    }

    /// Returns the `n` most copied documents so far.
    #[must_use]
    pub fn top_origins(&self, n: usize) -> TopOrigins {
        self.counters.top_origins(n)
    }

    /// Returns name and value of every setting that affects results.
    #[must_use]
    pub fn settings(&self) -> &[(String, String)] {
        &self.entries
    }

    /// Returns the number of documents traced so far.
    #[must_use]
    pub fn n_documents(&self) -> u64 {
        self.tracer.n_documents()
    }
}

fn select_all_if_short(n_chunks: usize, selection: &mut Vec<u32>) {
    if n_chunks <= MAX_SHORT {
        selection.clear();
        selection.extend((0..).take(n_chunks));
    }
}

/// Returns the span of the words from `start` to `end`.
fn span(tokens: &Tokens, start: u32, end: u32) -> Span {
    let spans = tokens.spans().get(start as usize..end as usize).unwrap_or(&[]);
    match (spans.first(), spans.last()) {
        (Some(first), Some(last)) => Span::new(first.start, last.end),
        _ => Span::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compiles only if a tracer can be sent to another thread.
    const _: fn() = || {
        fn is_send<T: Send + 'static>() {}
        is_send::<StreamTracer>();
    };

    #[test]
    fn presets_are_valid_and_positions_are_bytes() {
        for preset in Preset::ALL {
            let memory = Memory::Bytes(1 << 20);
            let settings = TraceSettings::new(preset, memory).unwrap();
            let mut tracer = StreamTracer::new(&settings).unwrap();
            let words: Vec<String> = (0..60).map(|n| format!("wörd{n}")).collect();
            let origin = words.join(" ");
            tracer.trace("origin", &origin);
            let origins = tracer.trace("copy", &format!("«{origin}» — and more of my own"));
            assert_eq!(origins.dominant_origin.as_deref(), Some("origin"), "{preset}");
            assert_eq!(origins.trace.words, 65);
            let copied: u32 = origins.blocks.iter().map(|block| block.span.len()).sum();
            assert!(copied as usize > origin.len() * 8 / 10, "{preset}");
        }
    }

    #[test]
    fn copies_of_documents_of_any_length_are_found() {
        for preset in Preset::ALL {
            let settings = TraceSettings::new(preset, Memory::Bytes(1 << 20)).unwrap();
            let mut tracer = StreamTracer::new(&settings).unwrap();
            for n in 1..60 {
                // Each length with other words.
                let words: Vec<String> = (0..n).map(|word| format!("w{n}x{word}")).collect();
                let text = words.join(" ");
                let original = tracer.trace(&format!("original{n}"), &text);
                assert_eq!(original.trace.old_words, 0, "{preset} {n}");
                let copy = tracer.trace(&format!("copy{n}"), &text);
                let origin = format!("original{n}");
                assert_eq!(copy.dominant_origin.as_deref(), Some(&*origin), "{preset} {n}");
                if preset == Preset::Kin {
                    assert_eq!(copy.trace.fresh_words, 0, "{n}");
                }
            }
        }
    }

    #[test]
    fn the_names_of_all_origins_are_found_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("names");
        // Room for a few names only, but for the chunks of all documents.
        let settings = TraceSettings::new(Preset::Kin, Memory::Bytes(40_000)).unwrap();
        let text = |n: usize| {
            (0..20).map(|word| format!("w{n}x{word}")).collect::<Vec<String>>().join(" ")
        };
        let n_named = |keeps_names: bool| {
            let mut tracer = StreamTracer::new(&settings).unwrap();
            if keeps_names {
                tracer.keep_names(NameFile::create(&path).unwrap());
            }
            let id = |n| format!("a document with a long name, number {n}");
            (0..100).for_each(|n| drop(tracer.trace(&id(n), &text(n))));
            let named = (0..100).filter(|n| {
                let origins = tracer.trace("copy", &text(*n));
                assert_eq!(origins.trace.dominant_origin, *n as u64);
                origins.dominant_origin.as_deref() == Some(&*id(*n))
            });
            let n_named = named.count();
            tracer.check_names().unwrap();
            tracer.sync_names().unwrap();
            n_named
        };
        let n_without = n_named(false);
        assert!(n_without < 50, "{n_without}");
        assert_eq!(n_named(true), 100);
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 200);
    }

    #[test]
    fn too_little_memory_is_rejected_with_the_minimum() {
        let tracer = |bytes| {
            let settings = TraceSettings::new(Preset::Kin, Memory::Bytes(bytes)).unwrap();
            StreamTracer::new(&settings)
        };
        for given in [0, 10, 259] {
            let error = tracer(given).unwrap_err();
            let Error::MemoryTooSmall { memory, minimum, .. } = error else { panic!("{error}") };
            assert_eq!(memory, given);
            assert!(tracer(minimum).is_ok() && tracer(minimum - 1).is_err(), "{minimum}");
        }
    }

    #[test]
    fn a_selector_that_needs_the_whole_collection_is_rejected() {
        let memory = Memory::Bytes(1 << 20);
        let mut settings = TraceSettings::new(Preset::Kin, memory).unwrap();
        settings.analysis.select = "rarest-collection:4".parse().unwrap();
        assert!(StreamTracer::new(&settings).is_err());
    }
}
