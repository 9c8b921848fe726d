//! textkin finds text reuse: copies, near-duplicates, quotations and edited passages, in anything
//! from two texts to collections larger than memory. Every pair it reports is exact and can be
//! shown passage by passage.
//!
//! ```
//! use textkin::{Compare, Discover};
//!
//! let songs = [
//!     ("a", "row row row your boat gently down the stream"),
//!     ("b", "please row row row your boat gently down the stream"),
//! ];
//! let found = Discover::new().run(songs)?;
//! for pair in found.pairs() {
//!     println!("{} {} {:.2}", pair.a, pair.b, pair.score);
//! }
//! let comparison = Compare::new().run(songs[0].1, songs[1].1)?;
//! assert_eq!(comparison.a_in_b(), 1.0);
//! # Ok::<(), textkin::Error>(())
//! ```
//!
//! # Where to start
//!
//! | task | entry point |
//! |---|---|
//! | find all pairs of documents that share text | [`Discover`] |
//! | compare two texts passage by passage | [`Compare`] |
//! | remove duplicate documents, passages or lines | [`Dedup`] |
//! | remove evaluation items from a training corpus | [`Decontaminate`] |
//! | store a growing collection | [`Repository`] |
//! | find the documents most similar to a text | [`Search`] |
//! | trace the passages of a stream to their origins | [`Tracer`] |
//! | everything else | [`engine`] |
//!
//! Each job is a builder whose setters have the names of the options of the command. It takes documents in memory
//! (tuples of id and text, or [`Document`]s) or paths, and its result names documents by id. An [`Observer`] shows
//! progress and can stop a run.

/// The Rust example of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The examples of the book, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../book/src/rust.md")]
struct BookPage;

mod analyzer;
mod compare;
mod decontaminate;
mod defaults;
mod dedup;
mod discover;
mod discovery_page;
mod documents;
pub mod engine;
mod error;
mod explain;
mod index_file;
mod ingest;
mod job;
mod timestamp;
mod pairs;
mod passage_clusters;
mod read;
mod repository;
mod rewritten;
mod settings;
mod sides;
mod size;
mod summary;
mod survey;
mod threshold;
mod streams;

pub use decontaminate::{
    Answer, Cut, EvaluationItem, EvaluationSet, ItemStatus, LeakHit, LeakReason,
    Preset as DecontaminationRule,
};
pub use error::Error;
pub use job::{
    ByteSize, Cleaned, Compare, Comparison, Decontaminate, Decontaminated, Dedup, DedupUnit,
    Discover, Discovery, DocumentCluster, ItemResult, Keep, Leak, Observer, OptionValue,
    PassageOrigin, RemovedDocument, RepositoryBuilder, RewrittenDocuments, RewrittenPassage,
    Search, SearchHit, SharedPassage, StageProgress, TracedDocument, Tracer,
};
pub use repository::{AddSummary, ExistingPolicy, Repository};
pub use textkin_core::{Content, Document, Problem};
pub use textkin_report::{PairRow, PassageRow};
