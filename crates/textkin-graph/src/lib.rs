//! Turns shared chunks into scored pairs, and pairs into clusters.
//!
//! In: [`textkin_core::SharedChunks`]. Out: a [`Graph`]: its rows are the pairs of documents whose
//! score reaches the threshold, in order of score; its clusters are the documents they join.
//! Pure: no files, no clock, and the same answer for any number of threads.
//!
//! Texts that share the same runs with the same others are one class (`classes`), two classes are
//! one [`Block`], and rows are written out of blocks one by one when they are asked for. Blocks
//! that are too many to list are counted (`tally`), those that share nothing but what is common to
//! many texts all at once (`crowds`).
//!
//! [`Holders`] says which documents hold which others, without looking at all pairs.
//!
//! [`align`] says where two texts share what they share, [`Overlaps`] how much any two documents do.
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
mod cuts;
mod graph;
mod holders;
mod overlaps;
mod rarity;
mod reach;
mod rows;
mod sieve;
mod tally;
mod threads;

pub use align::{AlignSettings, Alignment, Bridged, align, align_without};
pub use cap::{Aside, Capped, cap};
pub use clusters::{Clustering, Forest};
pub use graph::{Block, Counting, Graph, GraphError, GraphSettings};
pub use holders::{Holder, HolderSettings, Holders, Likeness};
pub use overlaps::Overlaps;
pub use rarity::Rarity;
pub use rows::Rows;
