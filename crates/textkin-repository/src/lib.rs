//! Stores a growing collection of documents in a folder, with an index of its words and chunks.
//!
//! ```text
//! MANIFEST                     the list of files, and the configuration of the repository
//! lock                         held by the process that writes
//! segment-00000007.tks         documents that were written together; immutable
//! segment-00000007-0012.tkr    the documents of that segment that were removed since
//! ```
//!
//! A [`Writer`] collects documents, writes them as new segments, syncs them to disk, and then
//! replaces the manifest atomically: after a crash the repository is in the state before or after
//! the change, never in between. A [`Repository`] is a snapshot described by one manifest. Any
//! number of readers can use it, and its files never change while they do.
//!
//! In: [`PreparedDocument`]s. Out: [`StoredDocument`]s, content and postings. This crate knows neither
//! text nor words, only their hashes, and the bytes from which the hashes can be computed again
//! ([`PreparedDocument::content`]). The `textkin` crate turns texts into documents for it.
//!
//! ```
//! use std::sync::Arc;
//! use textkin_repository::{Disk, PreparedDocument, Repository, Writer, WriterSettings};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("essays.repo");
//! let config = serde_json::json!({ "chunk": "words:8" });
//! let mut writer = Writer::create(Arc::new(Disk), &path, config, WriterSettings::default())?;
//! writer.add(&PreparedDocument {
//!     id: "essay-1".to_owned(),
//!     terms: vec![(7, 2)],
//!     chunks: vec![42],
//!     ..PreparedDocument::default()
//! })?;
//! assert_eq!(writer.commit()?.documents, 1);
//!
//! let repository = Repository::open(&Disk, &path)?;
//! let address = repository.find("essay-1")?.expect("the document was committed");
//! assert_eq!(repository.document(address)?.length.words, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bits;
mod blocks;
mod builder;
mod document;
mod encoding;
mod error;
mod io;
mod list;
mod lookup;
mod manifest;
mod merge_policy;
mod pages;
mod removed;
mod repository;
mod segment;
mod filter;
mod sizes;
mod table;
mod writer;

pub use document::{PreparedDocument, StoredDocument};
pub use error::Error;
pub use io::{Bytes, Disk, Io, Lock, OutFile};
pub use repository::{CheckReport, Repository};
pub use segment::Segment;
pub use sizes::Sizes;
pub use textkin_core::DocumentAddress;
pub use writer::{CommitSummary, ReindexFn, Writer, WriterSettings};
