//! The shared-chunk index: a file that says which documents hold each chunk they share.
//!
//! In: what a discovery found, as [`IndexContents`]. Out: one file, the same for any plan, memory and
//! number of threads, that [`SharedIndex`] reads from any bytes, memory-mapped ones too. A damaged
//! or foreign file is told, never read wrongly.

mod error;
mod format;
mod reader;
mod writer;

pub use error::StoreError;
pub use reader::{Postings, SharedIndex};
pub use writer::{IndexContents, IndexedDocument, write_index};

#[cfg(test)]
mod tests;
