//! Reads files, folders, glob patterns, streams and record files as documents with decoded text.
//!
//! In: paths as the user gave them, and [`SourceSettings`]. Out: [`Inputs`], a
//! [`Source`](textkin_core::Source) of pieces. Any thread can read a piece; the order of documents is
//! fixed. A document that cannot be read becomes a [`Problem`](textkin_core::Problem) with path, line
//! and reason at its position in that order, and the run continues.
//!
//! [`MemorySource`] is a source of documents that are already in memory.
//! [`Inputs::rewrite`] writes the files again, edited by a [`DocumentEditor`]. [`DocumentSpool`] keeps
//! documents in a temporary file to read them in another order. [`read_in_subprocess`] reads an
//! untrusted file in a process of its own.
//!
//! | input | documents |
//! |---|---|
//! | text file, web page, PDF, office document, … | one; its id is the path as given |
//! | archive, mailbox, WARC | one for each part with text; its id is `FILE/PART` |
//! | folder | its files in path order, each read according to its name |
//! | `.jsonl`, `.ndjson`, `.csv`, `.tsv`, `.parquet` | one for each record |
//! | JSON lines, an array of objects, or objects one after another, under any name | one for each object |
//! | `-` | standard input: JSON records if it begins with `{` or is an array of objects, else one text |
//!
//! Each input may be compressed with gzip, zstd, xz or bzip2; the content decides, not the name.
//!
//! ```
//! use std::ops::ControlFlow;
//! use textkin_core::{Document, DocumentSink, Problem, Source};
//! use textkin_source::{Inputs, SourceSettings};
//!
//! struct Ids(Vec<String>);
//!
//! impl DocumentSink for Ids {
//!     fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
//!         self.0.push(document.id.into_owned());
//!         ControlFlow::Continue(())
//!     }
//!     fn problem(&mut self, _: Problem) -> ControlFlow<()> {
//!         ControlFlow::Continue(())
//!     }
//! }
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("two.jsonl");
//! std::fs::write(&path, "{\"id\": 7, \"text\": \"a\"}\n{\"text\": \"b\"}\n")?;
//! let mut inputs = Inputs::open(&[&path], &SourceSettings::default())?;
//! let mut ids = Ids(Vec::new());
//! while let Some(piece) = inputs.next_piece() {
//!     piece.read(&mut ids);
//! }
//! assert_eq!(ids.0, ["7".to_owned(), format!("{}:2", path.display())]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod sandbox;
#[cfg(feature = "parquet")]
pub mod column;
mod compression;
mod csv;
mod decode;
mod detect;
mod document_spool;
mod error;
mod exclude;
mod extraction;
mod inputs;
mod json;
mod json_elements;
mod json_records;
mod jsonl;
mod file_identity;
mod memory;
#[cfg(feature = "parquet")]
mod parquet;
mod piece;
mod rewrite;
mod settings;
mod source_pair;

mod stream;
mod text;
mod walk;

pub use compression::decompressed;
pub use document_spool::{DocumentSpool, SpooledDocuments};
pub use error::Error;
pub use extraction::process::{ProcessLimits, find_program};
pub use extraction::worker::{WORKER_ARGUMENT, Worker, serve as serve_worker};
pub use inputs::Inputs;
pub use memory::MemorySource;
pub use rewrite::{
    Annotation, DocumentEditor, EditDecision, InputFile, RewriteError, RewriteOutcome,
};
pub use sandbox::read_in_subprocess;
pub use settings::{FolderMarker, InputFormat, SourceSettings};
pub use source_pair::SourcePair;
pub use textkin_extract::{ExtractOptions, FileKind, TeiOptions};
