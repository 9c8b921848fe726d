//! The jobs of textkin as builders: one per command, with setters named like its options.
//!
//! In: documents in memory, or paths. Out: results that name documents by id. A builder collects options
//! (`options`), makes a source, calls the engine and wraps what it returns; it contains no algorithm of its own.

mod options;

mod compare;
mod decontaminate;
mod dedup;
mod discover;
mod observer;
mod repository;
mod search;
mod trace;

pub use compare::{Compare, Comparison, RewrittenPassage, SharedPassage};
pub use decontaminate::{Decontaminate, Decontaminated, ItemResult, Leak};
pub use dedup::{Cleaned, Dedup, DedupUnit, Keep, RemovedDocument};
pub use discover::{Discover, Discovery, DocumentCluster, RewrittenDocuments};
pub use observer::{Observer, StageProgress};
pub use options::{ByteSize, OptionValue, check_threshold};
pub use repository::RepositoryBuilder;
pub use search::{Search, SearchHit};
pub use trace::{PassageOrigin, TracedDocument, Tracer};

use std::path::Path;

use textkin_core::Document;
use textkin_source::{Inputs, MemorySource, SourceSettings};

use crate::error::Error;

/// The maximum length of a text in bytes: positions have 32 bits.
const MAX_TEXT: usize = (1 << 31) - 1;

/// Fails if a text is too long.
fn check_length(id: &str, text: &str) -> Result<(), Error> {
    match text.len() {
        bytes if bytes > MAX_TEXT => Err(Error::TextTooLong { id: id.to_owned(), bytes }),
        _ => Ok(()),
    }
}

/// Returns a source of documents in memory.
fn memory_source<'a, D: Into<Document<'a>>>(
    documents: impl IntoIterator<Item = D>,
) -> Result<MemorySource, Error> {
    let checked = documents.into_iter().map(|document| {
        let document: Document<'a> = document.into();
        check_length(&document.id, document.text().unwrap_or_default())?;
        Ok(document.into_owned())
    });
    Ok(MemorySource::new(checked.collect::<Result<Vec<_>, Error>>()?))
}

/// Returns a source of the documents in files.
fn inputs<P: AsRef<Path>>(
    paths: impl IntoIterator<Item = P>,
    settings: &SourceSettings,
) -> Result<Inputs, Error> {
    let paths: Vec<P> = paths.into_iter().collect();
    Ok(Inputs::open(&paths, settings)?)
}
