//! The nouns of textkin and the traits of its pluggable parts.
//!
//! Data flows one way: source → text → tokens → chunks → selection → index → pairs → graph → report.
//! Every stage crate knows this vocabulary and nothing of the other stages. This crate does no
//! input or output and holds no algorithm beyond the formulas that define a noun.

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
pub mod posting;
pub mod name;
pub mod random;

pub use chunk::{Chunk, Chunked, Chunker, Identity};
pub use cluster::Cluster;
pub use document::{Document, DocumentSink, Piece, Problem, Source};
pub use note::{Disguises, Note};
pub use pair::{Measure, Overlap, Pair};
pub use passage::{Excluded, Exclusion, Passage, Repeat, Segment, SegmentKind, WordSpan};
pub use posting::{
    CorruptionError, DocumentAddress, IndexSegment, Length, PostingBlock, PostingList,
};
pub use random::Random;
pub use selector::Selector;
pub use shared::{GroupEntry, Lists, Run, SharedChunks, TextEntry, TokenRange};
pub use span::Span;
pub use token::{Layers, Tokenizer, Tokens};
