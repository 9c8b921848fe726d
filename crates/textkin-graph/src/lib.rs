//! Turns shared chunks into scored pairs, and pairs into clusters.
//!
//! In: [`textkin_core::SharedChunks`]. Out: a [`Graph`]. Its rows are the pairs of documents whose
//! score reaches the threshold, in order of score; its clusters are the documents that those pairs join.
//! The crate uses no files and no clock, and the result does not depend on the number of threads.
//!
//! * [`Graph`] lists the pairs and clusters of a collection, or those between parts of it.
//! * [`Deduplicator`] finds, for each duplicate, the kept document (*keeper*) that contains it, without
//!   comparing all pairs.
//! * [`align`] reports where two texts share text, as passages.
//! * [`passage_clusters`] finds the passages that documents share and every place where each occurs.
//! * [`Overlaps`] reports how much any two documents share.
//! * [`cap`] excludes chunks that occur in too many documents.
//!
//! ```
//! use textkin_core::{Layers, Span, Tokens};
//! use textkin_graph::{AlignSettings, align};
//!
//! let tokens = |text: &str| {
//!     let mut tokens = Tokens::new(Layers::SPANS);
//!     let mut start = 0;
//!     for word in text.split(' ') {
//!         let end = start + word.len() as u32;
//!         tokens.push(word.as_bytes(), Span::new(start, end));
//!         start = end + 1;
//!     }
//!     tokens
//! };
//! let a = tokens("row row row your boat gently down the stream");
//! let b = tokens("they sang row row row your boat gently down the stream");
//! let alignment = align(&a, &b, &AlignSettings::default());
//! assert_eq!(alignment.passages.len(), 1);
//! assert_eq!(alignment.overlap.a_in_b(), 1.0);
//! ```
//!
//! Texts that share the same runs with the same other texts form one class (`classes`). All pairs between
//! two classes form one [`Block`], and rows are expanded from blocks on demand. Blocks that are too
//! many to list are only counted (`tally`). Pairs that share nothing but common text are handled many at
//! a time (`crowds`).
#![expect(
    clippy::cast_possible_truncation,
    reason = "numbers of texts, classes and groups are u32 by construction"
)]

mod align;
mod cap;
mod classes;
mod clusters;
mod count;
mod coverage;
mod crowds;
mod cutoffs;
mod graph;
mod dedup;
mod listing;
mod overlaps;
mod passage_clusters;
mod rarity;
mod max_coverage;
mod rows;
mod sides;
mod pair_filter;
mod tally;

pub use align::{AlignSettings, Alignment, Bridged, PassageRules, align, align_excluding};
pub use cap::{CapStats, CappedChunks, ExcludedWords, cap};
pub use clusters::{Clustering, clusters_of_edges};
pub use dedup::{Deduplicator, DeduplicatorSettings, DuplicateMeasure, Keeper};
pub use graph::{Block, Counting, Graph, GraphError, GraphSettings};
pub use listing::ListingRules;
pub use overlaps::Overlaps;
pub use passage_clusters::{PassageSpan, passage_clusters};
pub use rarity::Rarity;
pub use rows::Rows;
