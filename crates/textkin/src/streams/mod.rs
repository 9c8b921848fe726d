//! Tracing a stream: texts in, one after the other; out, where each of their passages came from.
//!
//! The tracer itself (`textkin-trace`) knows documents by number and places by word. Here texts are
//! cut into words and chunks, places become bytes of the text, and numbers become names: those of
//! the latest documents are kept, within a share of the memory, and an origin whose name has been
//! forgotten is still told by its number, which stands in the result of every document. Another share
//! is for counters of the most copied documents.

mod copied;
mod names;
mod state;
mod times;

pub use copied::{CopiedOrigin, TopOrigins};
pub use state::{TraceOutput, TraceProgress};
pub use times::TraceTimes;

use std::sync::Arc;

use textkin_core::{Chunk, Chunked, Layers, Span, Tokens};
use textkin_text::grammar::Selection;
use textkin_trace::{DocumentTrace, Memory, Preset, Tracer};

use self::copied::Counters;
use self::names::Names;
use crate::{Analyzer, Error, Settings};

/// The share of the memory that names and counters may take: one part in so many.
const NAMES_SHARE: u64 = 16;
/// The part of that which is for counters of the most copied documents.
const COUNTERS_SHARE: u64 = 4;
/// The share of the memory that is left for reading and writing, its least and its most bytes: what is made
/// of a document of half a megabyte fits the least. It is never more than nine sixteenths of the memory.
const WORKING_SHARE: u64 = 4;
const MIN_WORKING: u64 = 9 << 19;
const MAX_WORKING: u64 = 8 << 20;

/// How a stream is traced.
#[derive(Clone, Debug)]
pub struct TraceSettings {
    /// How texts are cut, and which chunks are looked up.
    pub analysis: Settings,
    /// How origins are remembered. Its memory is that of the table and of names together, and of a
    /// little that is left for what comes and goes with each document.
    pub table: textkin_trace::Settings,
}

impl TraceSettings {
    /// The settings of a preset for so much memory; all chunks are looked up if it is unlimited.
    ///
    /// # Errors
    /// If the selection of the preset cannot be read, which a test rules out.
    pub fn new(preset: Preset, memory: Memory) -> Result<Self, Error> {
        let select = match memory {
            Memory::Unlimited => Selection::default(),
            Memory::Bytes(_) => preset.selection().parse()?,
        };
        let analysis = Settings { select, ..Settings::default() };
        Ok(Self { analysis, table: preset.settings(memory) })
    }

    /// What the memory is for.
    fn shares(&self) -> Shares {
        match self.table.memory {
            Memory::Bytes(bytes) => {
                let named = bytes / NAMES_SHARE;
                let counters = named / COUNTERS_SHARE;
                let memory = Memory::Bytes(table_share(bytes));
                Shares {
                    table: textkin_trace::Settings { memory, ..self.table },
                    names: Some(named - counters),
                    counters: Some(counters),
                }
            }
            Memory::Unlimited => Shares { table: self.table, names: None, counters: None },
        }
    }
}

/// What of so many bytes is for the table.
fn table_share(bytes: u64) -> u64 {
    let working = (bytes / WORKING_SHARE).clamp(MIN_WORKING, MAX_WORKING).min(bytes / 16 * 9);
    bytes - bytes / NAMES_SHARE - working
}

/// The error of a table in terms of the memory of which it was to have its share.
fn of_all_memory(error: textkin_trace::Error, memory: Memory) -> Error {
    match (error, memory) {
        (textkin_trace::Error::TooSmall { bucket, slots, .. }, Memory::Bytes(memory)) => {
            let least = (bucket..).find(|bytes| table_share(*bytes) >= bucket).unwrap_or(u64::MAX);
            Error::MemoryTooSmall { memory, least, slots, bucket }
        }
        (error, _) => error.into(),
    }
}

/// What the memory of a stream is for.
struct Shares {
    /// The table, with its own part of the memory.
    table: textkin_trace::Settings,
    /// Bytes of names; none if there is no bound.
    names: Option<u64>,
    /// Bytes of counters of the most copied documents; none if there is no bound.
    counters: Option<u64>,
}

/// What is said of one document of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentOrigins {
    /// What the tracer says, with places in words.
    pub trace: DocumentTrace,
    /// The name of the dominant origin, unless it has been forgotten.
    pub dominant_origin: Option<Arc<str>>,
    /// Where each copied block stands in the text, and the name of its origin.
    pub blocks: Vec<BlockOrigin>,
    /// Spans of fresh words in the text.
    pub fresh_spans: Vec<Span>,
    /// Spans of copied words whose origin is estimated.
    pub estimated_spans: Vec<Span>,
}

/// A copied block in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockOrigin {
    /// Its bytes.
    pub span: Span,
    /// The name of its origin, unless it has been forgotten.
    pub origin: Option<Arc<str>>,
}

/// Traces a stream of texts.
///
/// ```
/// use textkin::{StreamTracer, TraceSettings};
/// use textkin::trace::{Memory, Preset};
///
/// let settings = TraceSettings::new(Preset::Kin, Memory::Bytes(1 << 20))?;
/// let mut tracer = StreamTracer::new(&settings)?;
/// let song = "row row row your boat gently down the stream merrily merrily merrily";
/// tracer.trace("song", song);
/// let text = format!("As it goes: {song}!");
/// let said = tracer.trace("essay", &text);
/// assert_eq!(said.dominant_origin.as_deref(), Some("song"));
/// assert_eq!(&text[said.blocks[0].span.range()], song);
/// # Ok::<(), textkin::Error>(())
/// ```
#[derive(Debug)]
pub struct StreamTracer {
    analyzer: Analyzer,
    tracer: Tracer,
    names: Names,
    counters: Counters,
    /// Every setting that results depend on, by name and value.
    entries: Vec<(String, String)>,
    tokens: Tokens,
    chunks: Vec<Chunk>,
    selection: Vec<u32>,
    /// The origin and the number of each block of the current document.
    by_origin: Vec<(u64, u32)>,
}

impl StreamTracer {
    /// A tracer at the beginning of a stream.
    ///
    /// # Errors
    /// If a strategy lacks what it needs, or the memory is too small.
    pub fn new(settings: &TraceSettings) -> Result<Self, Error> {
        if settings.analysis.select.needs_collection() {
            return Err(Error::SelectorNeedsCollection(settings.analysis.select.to_string()));
        }
        let analyzer = Analyzer::new(&settings.analysis)?;
        let shares = settings.shares();
        let tracer = Tracer::new(&shares.table)
            .map_err(|error| of_all_memory(error, settings.table.memory))?;
        let layers = Layers {
            spans: true,
            structure: analyzer.needs_structure(),
            hashes_only: analyzer.selected_runs().is_some(),
        };
        Ok(Self {
            analyzer,
            tracer,
            names: Names::new(shares.names),
            counters: Counters::new(shares.counters),
            entries: state::entries(settings),
            tokens: Tokens::new(layers),
            chunks: Vec::new(),
            selection: Vec::new(),
            by_origin: Vec::new(),
        })
    }

    /// Says where each passage of `text` came from, and remembers it as `id`.
    pub fn trace(&mut self, id: &str, text: &str) -> DocumentOrigins {
        self.analyzer.tokenize(text, &mut self.tokens);
        let traced = match self.analyzer.select_runs(&self.tokens, &mut self.selection) {
            Some(k) => self.tracer.trace_runs(&self.tokens, k, &self.selection),
            None => {
                self.analyzer.chunk(&self.tokens, &mut self.chunks, &mut self.selection);
                let document = Chunked { tokens: &self.tokens, chunks: &self.chunks };
                self.tracer.trace(&document, &self.selection)
            }
        };
        self.names.push(id);
        let place = |&(start, end): &(u32, u32)| span(&self.tokens, start, end);
        let block = |block: &textkin_trace::Block| BlockOrigin {
            span: place(&(block.start, block.end)),
            origin: None,
        };
        let mut blocks: Vec<BlockOrigin> = traced.blocks.iter().map(block).collect();
        // Its own name stands in its result even where the memory is too small for names.
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
                self.names.get(origin).map(|name| Arc::from(&*name))
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
            fresh_spans: traced.fresh.iter().map(place).collect(),
            estimated_spans: traced.estimated.iter().map(place).collect(),
            dominant_origin,
            trace: traced,
        }
    }

    /// The `n` documents that most others copied from, so far.
    #[must_use]
    pub fn top_origins(&self, n: usize) -> TopOrigins {
        self.counters.top_origins(n)
    }

    /// Every setting that results depend on, by name and value.
    #[must_use]
    pub fn settings(&self) -> &[(String, String)] {
        &self.entries
    }

    /// Documents taken so far.
    #[must_use]
    pub fn n_documents(&self) -> u64 {
        self.tracer.n_documents()
    }
}

/// From the first byte of a word to the last of another.
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

    /// A tracer can be held by a server and sent to another thread; this does not compile otherwise.
    const _: fn() = || {
        fn is_send<T: Send + 'static>() {}
        is_send::<StreamTracer>();
    };

    #[test]
    fn presets_can_be_read_and_places_are_bytes() {
        for preset in Preset::ALL {
            let memory = Memory::Bytes(1 << 20);
            let settings = TraceSettings::new(preset, memory).unwrap();
            let mut tracer = StreamTracer::new(&settings).unwrap();
            let words: Vec<String> = (0..60).map(|n| format!("wörd{n}")).collect();
            let origin = words.join(" ");
            tracer.trace("origin", &origin);
            let said = tracer.trace("copy", &format!("«{origin}» — and more of my own"));
            assert_eq!(said.dominant_origin.as_deref(), Some("origin"), "{preset}");
            assert_eq!(said.trace.words, 65);
            let copied: u32 = said.blocks.iter().map(|block| block.span.len()).sum();
            assert!(copied as usize > origin.len() * 8 / 10, "{preset}");
        }
    }

    #[test]
    fn too_little_memory_is_refused_and_the_least_that_does_is_named() {
        let tracer = |bytes| {
            let settings = TraceSettings::new(Preset::Kin, Memory::Bytes(bytes)).unwrap();
            StreamTracer::new(&settings)
        };
        for given in [0, 10, 259] {
            let error = tracer(given).unwrap_err();
            let Error::MemoryTooSmall { memory, least, .. } = error else { panic!("{error}") };
            assert_eq!(memory, given);
            assert!(tracer(least).is_ok() && tracer(least - 1).is_err(), "{least}");
        }
    }

    #[test]
    fn a_selection_of_the_whole_collection_is_refused() {
        let memory = Memory::Bytes(1 << 20);
        let mut settings = TraceSettings::new(Preset::Kin, memory).unwrap();
        settings.analysis.select = "rarest-collection:4".parse().unwrap();
        assert!(StreamTracer::new(&settings).is_err());
    }
}
