//! The data types of textkin, and the traits of its pluggable parts.
//!
//! Data flows one way: source → text → tokens → chunks → selection → index → pairs → graph → report. Every
//! stage crate uses these types and depends on no other stage. This crate does no input or output and
//! contains no algorithm beyond the formulas that define its types and what several stages need, such
//! as [`DisjointSets`], or uses, such as the loops of [`parallel`].
//!
//! * Input: [`Source`] yields [`Document`]s; a [`Tokenizer`] turns a text into [`Tokens`].
//! * Chunks: a [`Chunker`] makes [`Chunk`]s, a [`Selector`] chooses some of them.
//! * Results: [`SharedChunks`] of a collection, [`Pair`]s scored by a [`Measure`] of their [`Overlap`],
//!   [`Passage`]s and [`Cluster`]s.
//! * Repositories: [`IndexSegment`] looks up words and chunks.
//!
//! ```
//! use textkin_core::{Measure, Overlap};
//!
//! let overlap = Overlap { shared: 30, chunks_a: 40, chunks_b: 50, ..Overlap::default() };
//! assert_eq!(Measure::Ssr.score(&overlap), 0.5);
//! ```

pub mod span;
pub mod note;
pub mod document;
pub mod token;
pub mod hash;
pub mod chunk;
pub mod selector;
pub mod shared;
pub mod pair;
pub mod passage;
pub mod cluster;
pub mod level;
pub mod posting;
pub mod disjoint_sets;
pub mod calendar;
pub mod name;
pub mod number;
pub mod random;
pub mod parallel;

pub use chunk::{Chunk, Chunked, Chunker, Identity};
pub use cluster::Cluster;
pub use disjoint_sets::DisjointSets;
pub use document::{
    Content, Document, DocumentSink, Piece, Problem, Rewind, RewindError, Source, StoredChunks,
};
pub use level::MatchLevel;
pub use note::{Disguises, Note};
pub use pair::{Measure, Overlap, Pair, Reason};
pub use passage::{Excluded, Exclusion, Passage, Repeat, Segment, SegmentKind, WordSpan};
pub use posting::{
    CorruptionError, DocumentAddress, IndexSegment, Length, PostingBlock, PostingList,
};
pub use random::Random;
pub use selector::Selector;
pub use shared::{ChunkRun, GroupEntry, Lists, Run, SharedChunks, TextEntry, TokenRange};
pub use span::Span;
pub use token::{Layers, Tokenizer, Tokens};
