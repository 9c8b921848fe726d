//! The engine below the jobs: its settings and functions, which name documents by number, and the stages as modules.
//!
//! Most programs need nothing of this. Use it for settings that no job has, to write the files that the command writes,
//! or to build another kind of job.
//!
//! | task | entry point |
//! |---|---|
//! | read files, folders, archives or records | [`source::Inputs`] |
//! | find all pairs of documents that share text | [`discover()`] |
//! | compare two texts passage by passage | [`compare()`] |
//! | find every place where a shared passage occurs | [`passage_clusters()`] |
//! | remove duplicate documents, passages or lines | [`dedup()`] |
//! | find evaluation items in a training corpus | [`LeakMatcher`], [`LeakEditor`] |
//! | write to a repository, and search it | [`RepositoryWriter`], [`Searcher`] |
//! | find the pairs of newly added documents | [`pairs_with_new`] |
//! | trace the passages of a stream to their origins | [`StreamTracer`] |
//! | tokenize and fingerprint texts | [`Analyzer`] |
//! | write pairs, clusters and HTML reports | [`report`] |
//! | run discovery on several machines | [`distributed`] |
//!
//! [`Settings`] say how texts are compared: normalization, chunks, selection, score and threshold. [`RunControl`]
//! reports the progress of a run and stops it.
//!
//! ```
//! use textkin::engine::source::Inputs;
//! use textkin::engine::{RunControl, Settings, discover};
//!
//! let songs = "{\"id\":\"a\",\"text\":\"row row row your boat gently down the stream\"}\n\
//!              {\"id\":\"b\",\"text\":\"please row row row your boat gently down the stream\"}\n";
//! let mut inputs = Inputs::from_reader("songs", songs.as_bytes(), &Default::default())?;
//! let found = discover(&mut inputs, &Settings::default(), &RunControl::default())?;
//! let pair = found.graph.rows().next().expect("the songs share eight words");
//! assert_eq!(found.documents.id(pair.a), "a");
//! # Ok::<(), textkin::Error>(())
//! ```
//!
//! # Structure
//!
//! Data flows in one direction: source → text → tokens → chunks → selection → index → pairs → graph → report. Each
//! stage is a crate of its own, re-exported here as a module; the types that they share are in [`types`].

pub mod distributed;

pub use crate::analyzer::Analyzer;
pub use crate::compare::{CommonText, TextComparison, compare, compare_without, digest};
pub use crate::decontaminate::{
    DecontaminationCounts, DocumentLeaks, EditedDocuments, ITEM_NORMALIZATION, ItemCount,
    ItemFields, LeakEditor, LeakMatcher, LeakTally, Leaks, MatchBuffer, find_leaks,
    find_public_items, sample_corpus,
};
pub use crate::dedup::{
    DedupCounts, DedupEditor, DedupLevel, DedupSettings, DuplicateMeasure, Duplicates, KeepRule,
    Removal, RemovedSpan, dedup,
};
pub use crate::defaults::{
    DEFAULT_DUPLICATE_SHARE, DEFAULT_LINE_WORDS, DEFAULT_PASSAGE_WORDS, DEFAULT_SELECTOR,
    DEFAULT_THRESHOLD, DEFAULT_TOP, DEFAULT_TRACE_MEMORY,
};
pub use crate::discover::{DiscoveryOutput, RunControl, StageTiming, discover, overlaps};
pub use crate::discovery_page::{DiscoveryPage, discovery_page, snippets};
pub use crate::documents::{DocumentEntry, Documents};
pub use crate::explain::DocumentTexts;
pub use crate::index_file::{AnalysisConfig, Occurrences, SharedText, find_occurrences};
pub use crate::ingest::DocumentNotes;
pub use crate::job::check_threshold;
pub use crate::pairs::{PairRows, raw_overlaps};
pub use crate::passage_clusters::{PassageClusters, PassagePlaces, passage_clusters};
pub use crate::read::{ReadDocument, read_document, split_document_path};
pub use crate::repository::{
    Condition, NewPairs, RepositoryConfig, RepositorySource, RepositoryWriter, RewrittenHit,
    RewrittenPair, RewrittenResults, RewrittenSearchSettings, RewrittenSearcher, SearchResults,
    SearchSettings, Searcher, SelectedDocuments, join_clusters, min_match_percent, pairs_with_new,
    rewritten_pairs,
};
pub use crate::rewritten::find_rewritten;
pub use crate::settings::{CopyPolicy, Pairing, ScoredChunks, Settings, Tuning};
pub use crate::size::parse_size;
pub use crate::streams::{
    BlockOrigin, CopiedOrigin, DocumentOrigins, NameFile, StreamTracer, TopOrigins, TraceOutput,
    TraceProgress, TraceSettings, TraceTimes,
};
pub use crate::summary::DiscoveryCounts;
pub use crate::survey::{chunk_frequencies, frequent_words, survey_collection};
pub use crate::threshold::Threshold;
pub use crate::timestamp::{ParseTimestampError, Timestamp, parse_age};

pub use textkin_core as types;
pub use textkin_graph as graph;
pub use textkin_index as index;
pub use textkin_report as report;
pub use textkin_repository as repository_format;
pub use textkin_rewritten as rewritten;
pub use textkin_search as search;
pub use textkin_source as source;
pub use textkin_text as text;
pub use textkin_trace as trace;
