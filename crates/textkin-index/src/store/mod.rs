//! Index file of shared chunks: lists the documents that contain each shared chunk.
//!
//! In: the result of a discovery, as [`IndexContents`]. Out: one file, the same for any plan, memory limit
//! and number of threads. [`SharedIndex`] reads it from any bytes, including memory-mapped ones, and
//! detects corrupt and foreign files.

mod error;
mod format;
mod reader;
mod writer;

pub use error::StoreError;
pub use reader::{Postings, SharedIndex};
pub use writer::{IndexContents, IndexedDocument, write_index};

#[cfg(test)]
mod tests;
