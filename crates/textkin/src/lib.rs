//! textkin finds text reuse: copies, near-duplicates, quotations and edited passages, in anything
//! from two texts to collections larger than memory. Every pair it reports is exact and can be
//! shown passage by passage.
//!
//! ```
//! use textkin::{RunControl, Settings, discover, source};
//!
//! let songs = "{\"id\":\"a\",\"text\":\"row row row your boat gently down the stream\"}\n\
//!              {\"id\":\"b\",\"text\":\"please row row row your boat gently down the stream\"}\n";
//! let mut inputs = source::Inputs::from_reader("songs", songs.as_bytes(), &Default::default())?;
//! let discovery = discover(&mut inputs, &Settings::default(), &RunControl::default())?;
//! let pair = discovery.graph.rows().next().expect("the songs share eight words");
//! assert_eq!(discovery.documents.id(pair.a), "a");
//! assert_eq!(pair.overlap.a_in_b(), 1.0);
//! # Ok::<(), textkin::Error>(())
//! ```
//!
//! # Where to start
//!
//! | task | entry point |
//! |---|---|
//! | read files, folders, archives or records | [`source::Inputs`] |
//! | find all pairs of documents that share text | [`discover()`] |
//! | compare two texts passage by passage | [`compare()`] |
//! | remove duplicate documents, passages or lines | [`dedup()`] |
//! | store a growing collection | [`RepositoryWriter`], [`Repository`] |
//! | find the documents most similar to a text | [`Searcher`] |
//! | find the pairs of newly added documents | [`pairs_with_new`] |
//! | trace the passages of a stream to their origins | [`StreamTracer`] |
//! | tokenize and fingerprint texts | [`Analyzer`] |
//! | write pairs, clusters and HTML reports | [`report`] |
//! | run discovery on several machines | [`distributed`] |
//!
//! [`Settings`] say how texts are compared: normalization, chunks, selection, score and threshold.
//! [`RunControl`] reports the progress of a run and stops it.
//!
//! # Structure
//!
//! Data flows in one direction: source → text → tokens → chunks → selection → index → pairs → graph
//! → report. Each stage is a crate of its own, re-exported here as a module ([`source`], [`text`],
//! [`index`], [`graph`], [`report`], [`search`], [`trace`], [`repository_format`]); the types that
//! they share are in [`types`].

/// The Rust example of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

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
mod job;
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
pub use compare::{CommonText, TextComparison, compare, compare_without, digest};
pub use dedup::{
    DedupCounts, DedupEditor, DedupLevel, DedupSettings, DuplicateMeasure, Duplicates, KeepRule,
    Removal, RemovedSpan, dedup,
};
pub use defaults::{
    DEFAULT_DUPLICATE_SHARE, DEFAULT_LINE_WORDS, DEFAULT_PASSAGE_WORDS, DEFAULT_SELECTOR,
    DEFAULT_THRESHOLD, DEFAULT_TOP, DEFAULT_TRACE_MEMORY,
};
pub use discover::{DiscoveryOutput, RunControl, StageTiming, discover, overlaps};
pub use documents::{DocumentEntry, Documents};
pub use error::Error;
pub use explain::DocumentTexts;
pub use index_file::{AnalysisConfig, Occurrences, SharedText, find_occurrences};
pub use ingest::DocumentNotes;
pub use job::{
    ByteSize, Cleaned, Compare, Comparison, Dedup, DedupUnit, Discover, Discovery, DocumentCluster,
    Keep, Observer, OptionValue, PassageOrigin, RemovedDocument, RepositoryBuilder, Search,
    SearchHit, SharedPassage, StageProgress, TracedDocument, Tracer, check_threshold,
};
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
pub use textkin_core::{Document, Problem};
pub use threshold::Threshold;
pub use timestamp::{ParseTimestampError, Timestamp, parse_age};

/// The engine below the jobs: transitional.
pub mod engine {
    pub use textkin_report as report;
}

pub use textkin_core as types;
pub use textkin_graph as graph;
pub use textkin_index as index;
pub use textkin_report as report;
pub use textkin_repository as repository_format;
pub use textkin_search as search;
pub use textkin_source as source;
pub use textkin_text as text;
pub use textkin_trace as trace;
