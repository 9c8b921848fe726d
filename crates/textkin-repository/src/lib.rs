//! A repository: a collection in a directory that grows, shrinks and is searched.
//!
//! ```text
//! MANIFEST                     which files are the repository, and how it was made
//! lock                         held by the one process that writes
//! segment-00000007.tks         documents that came together, never changed
//! segment-00000007-0012.tkr    which of them were removed since
//! ```
//!
//! A [`Writer`] gathers documents, writes them as new segments, makes sure that they are on the
//! disk, and only then puts a new manifest in the place of the old one: whatever happens, the
//! repository is as before or as after. A [`Repository`] is what one manifest says, for any number of
//! readers; files it uses never change under it.
//!
//! This crate stores what it is given ([`NewDocument`]): it knows neither text nor words, only their
//! hashes, and bytes from which the rest can be made again ([`NewDocument::content`]).

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
mod pages;
mod removed;
mod repository;
mod runs;
mod segment;
mod filter;
mod sizes;
mod table;
mod writer;

pub use document::{NewDocument, StoredDocument};
pub use error::Error;
pub use io::{Bytes, Disk, Io, Lock, OutFile};
pub use repository::{CheckReport, DocumentAddress, Repository};
pub use segment::Segment;
pub use sizes::Sizes;
pub use writer::{CommitSummary, ReindexFn, Writer, WriterSettings};
