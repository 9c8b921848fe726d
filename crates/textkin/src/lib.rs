//! Finds the kin of a text: every document that shares written material with it.
//!
//! [`discover`] relates all documents of a source to one another:
//!
//! ```
//! use textkin::{Settings, Watch, discover, source};
//!
//! let songs = "{\"id\":\"a\",\"text\":\"row row row your boat gently down the stream\"}\n\
//!              {\"id\":\"b\",\"text\":\"please row row row your boat gently down the stream\"}\n";
//! let settings = Settings::default();
//! let mut source = source::Inputs::from_reader("songs", songs.as_bytes(), &Default::default())?;
//! let found = discover(&mut source, &settings, &Watch::default())?;
//! let pair = found.graph.rows().next().expect("the songs share eight words");
//! assert_eq!(pair.overlap.a_in_b(), 1.0);
//! # Ok::<(), textkin::Error>(())
//! ```
//!
//! Data flows one way: source → text → tokens → chunks → selection → index → pairs → graph →
//! report; the stages are crates of their own, re-exported here.

mod analyzer;
mod compare;
mod defaults;
mod dedup;
mod discover;
pub mod distributed;
mod documents;
mod error;
mod explain;
mod index_file;
mod ingest;
mod timestamp;
mod pairs;
mod read;
mod repository;
mod settings;
mod size;
mod summary;
mod survey;
mod threshold;
mod streams;

pub use analyzer::Analyzer;
pub use compare::{CommonText, Comparison, compare, compare_without, digest};
pub use dedup::{
    DedupCounts, DedupEditor, DedupLevel, DedupSettings, DuplicateMeasure, Duplicates, KeepRule,
    Removal, RemovedSpan, dedup,
};
pub use defaults::{
    DEFAULT_DUPLICATE_SHARE, DEFAULT_LINE_WORDS, DEFAULT_PASSAGE_WORDS, DEFAULT_SELECTOR,
    DEFAULT_THRESHOLD, DEFAULT_TOP, DEFAULT_TRACE_MEMORY,
};
pub use discover::{Discovery, RunControl, StageTiming, discover, overlaps};
pub use documents::{DocumentEntry, Documents};
pub use error::Error;
pub use explain::DocumentTexts;
pub use index_file::{AnalysisConfig, Occurrences, SharedText, find_occurrences};
pub use ingest::DocumentNotes;
pub use pairs::{PairRows, raw_overlaps};
pub use read::{ReadDocument, read_document, split_document_path};
pub use repository::{
    AddSummary, Condition, ExistingPolicy, NewPairs, Repository, RepositoryConfig,
    RepositorySource, RepositoryWriter, SearchResults, SearchSettings, Searcher, SelectedDocuments,
    pairs_with_new,
};
pub use settings::Settings;
pub use size::parse_size;
pub use streams::{
    BlockOrigin, CopiedOrigin, DocumentOrigins, StreamTracer, TopOrigins, TraceOutput,
    TraceProgress, TraceSettings, TraceTimes,
};
pub use summary::DiscoveryCounts;
pub use survey::{chunk_frequencies, frequent_words, survey_collection};
pub use threshold::Threshold;
pub use timestamp::{ParseTimestampError, Timestamp, parse_age};

pub use textkin_core as types;
pub use textkin_graph as graph;
pub use textkin_index as index;
pub use textkin_report as report;
pub use textkin_repository as repository_format;
pub use textkin_search as search;
pub use textkin_source as source;
pub use textkin_text as text;
pub use textkin_trace as trace;
