//! Repositories: stored collections that grow and shrink, and can be searched.
//!
//! A [`Repository`] is a snapshot for readers; a [`RepositoryWriter`] changes it. This module turns
//! texts into words and chunks according to the configuration of the repository;
//! `textkin-repository` stores them.

mod condition;
mod config;
mod fingerprints;
mod prepare;
mod new_pairs;
mod rewritten;
mod rewritten_pairs;
mod search;
mod source;
mod write;

use std::path::Path;
use std::sync::Arc;

use textkin_core::{Chunk, Span};
use textkin_repository::{Disk, DocumentAddress, Segment, StoredDocument};
use textkin_source::FolderMarker;

pub use condition::Condition;
pub use config::RepositoryConfig;
pub use new_pairs::{NewPairs, pairs_with_new};
pub use rewritten::{RewrittenHit, RewrittenResults, RewrittenSearchSettings, RewrittenSearcher};
pub use rewritten_pairs::{RewrittenPair, join_clusters, rewritten_pairs};
pub use search::{SearchResults, SearchSettings, Searcher, min_match_percent};
pub use source::RepositorySource;
pub use write::{AddSummary, ExistingPolicy, RepositoryWriter};

use self::prepare::DocumentPreparer;
use crate::error::Error;
use crate::settings::Settings;
use crate::timestamp::Timestamp;

/// The result of [`Repository::select`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SelectedDocuments {
    /// The addresses of the selected documents.
    pub addresses: Vec<DocumentAddress>,
    /// Number of documents that were skipped because their time is invalid.
    pub undated: u64,
}

/// A snapshot of a repository.
#[derive(Clone, Debug)]
pub struct Repository {
    storage: Arc<textkin_repository::Repository>,
    config: RepositoryConfig,
}

impl Repository {
    /// Opens the repository in `folder`.
    ///
    /// # Errors
    /// If the folder contains no repository, it is damaged, or its configuration is not supported.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, Error> {
        Self::new(textkin_repository::Repository::open(&Disk, folder.as_ref())?)
    }

    fn new(storage: textkin_repository::Repository) -> Result<Self, Error> {
        let config = RepositoryConfig::read(storage.config())?;
        Ok(Self { storage: Arc::new(storage), config })
    }

    /// Returns the marker by which sources recognize and skip folders of repositories.
    #[must_use]
    pub fn folder_marker() -> FolderMarker {
        let (file, prefix) = textkin_repository::Repository::SIGNATURE;
        let reason = "this is a repository; textkin repo export writes its documents";
        FolderMarker { file, prefix, reason }
    }

    /// Returns whether `folder` contains a repository.
    #[must_use]
    pub fn exists_in(folder: &Path) -> bool {
        textkin_repository::Repository::exists_in(folder)
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &RepositoryConfig {
        &self.config
    }

    /// Returns the underlying storage with its segments and documents.
    #[must_use]
    pub fn storage(&self) -> &textkin_repository::Repository {
        &self.storage
    }

    /// Returns the settings for a discovery among its documents.
    ///
    /// # Errors
    /// If this version does not support one of the strategies.
    pub fn settings(&self) -> Result<Settings, Error> {
        // Strict: a damaged document must not be skipped silently.
        Ok(Settings { is_strict: true, ..self.config.settings()? })
    }

    /// Returns a source of all documents, in the order in which they were added.
    #[must_use]
    pub fn source(&self) -> RepositorySource {
        self.source_of(self.storage.addresses().collect())
    }

    /// Returns a source of these documents, which must be in the order in which they were added.
    #[must_use]
    pub fn source_of(&self, addresses: Vec<DocumentAddress>) -> RepositorySource {
        RepositorySource::new(Arc::clone(&self.storage), addresses, self.config.keeps_text)
    }

    /// Returns a document without its text.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn document(&self, address: DocumentAddress) -> Result<StoredDocument, Error> {
        Ok(self.storage.document(address).map_err(textkin_repository::Error::from)?)
    }

    /// Selects the documents that meet all `conditions` and, if `before` is given, were written
    /// before it (or added before it, if they have no time), in the order in which they were added.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn select(
        &self,
        conditions: &[Condition],
        before: Option<Timestamp>,
    ) -> Result<SelectedDocuments, Error> {
        let mut selected = SelectedDocuments::default();
        let addresses: Vec<DocumentAddress> = self.storage.addresses().collect();
        if conditions.is_empty() && before.is_none() {
            return Ok(SelectedDocuments { addresses, undated: 0 });
        }
        self.read_documents(&addresses, |address, document| {
            if conditions.iter().all(|condition| condition.is_met(&document)) {
                match (before, condition::written_or_added(&document)) {
                    (Some(before), Some(timestamp)) if timestamp >= before => {}
                    (Some(_), None) => selected.undated += 1,
                    _ => selected.addresses.push(address),
                }
            }
            Ok::<(), Error>(())
        })?;
        Ok(selected)
    }

    /// Passes each document at `addresses`, which must be in the order in which they were added, to
    /// `take`, and stops at its first error. This is much faster than reading them one by one.
    ///
    /// # Errors
    /// If the stored data is damaged, or `take` fails.
    pub fn read_documents<E: From<Error>>(
        &self,
        addresses: &[DocumentAddress],
        mut take: impl FnMut(DocumentAddress, StoredDocument) -> Result<(), E>,
    ) -> Result<(), E> {
        for addresses in addresses.chunk_by(|a, b| a.segment == b.segment) {
            let segment = self.storage.segment(addresses[0]);
            let number = addresses[0].segment;
            let documents = addresses.iter().map(|address| address.document);
            segment
                .read_documents(documents, |document, stored| {
                    take(DocumentAddress { segment: number, document }, stored)
                        .map_err(ReadEnd::Callback)
                })
                .map_err(ReadEnd::into_error)?;
        }
        Ok(())
    }

    /// Passes each document with its text to `take`, like [`Repository::read_documents`].
    ///
    /// # Errors
    /// If the stored data is damaged, texts are not stored, or `take` fails.
    pub fn read_texts<E: From<Error>>(
        &self,
        addresses: &[DocumentAddress],
        mut take: impl FnMut(StoredDocument, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.config.keeps_text {
            let folder = self.storage.folder().to_owned();
            return Err(Error::TextNotStored { folder, what: "texts cannot be read" }.into());
        }
        for addresses in addresses.chunk_by(|a, b| a.segment == b.segment) {
            let segment = self.storage.segment(addresses[0]);
            let documents = addresses.iter().map(|address| address.document);
            segment
                .read(documents, |_, stored, content| {
                    take(stored, text_of(segment, content)?).map_err(ReadEnd::Callback)
                })
                .map_err(ReadEnd::into_error)?;
        }
        Ok(())
    }

    /// Returns the spans of the words of a document in its text, whether the text is stored or not.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn spans(&self, address: DocumentAddress) -> Result<Vec<Span>, Error> {
        let content = self.storage.content(address)?;
        let spans = DocumentPreparer::new(&self.config)?.spans(&content);
        spans.ok_or_else(|| invalid_content(self.storage.segment(address)).into())
    }

    /// Returns the number of words of a document and its indexed chunks, in order, whether its text
    /// is stored or not.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn chunks(&self, address: DocumentAddress) -> Result<(usize, Vec<Chunk>), Error> {
        let content = self.storage.content(address)?;
        let chunks = DocumentPreparer::new(&self.config)?.chunks_in_order(&content);
        chunks.ok_or_else(|| invalid_content(self.storage.segment(address)).into())
    }

    /// Returns the text of a document; `None` if texts are not stored.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn text(&self, address: DocumentAddress) -> Result<Option<String>, Error> {
        if !self.config.keeps_text {
            return Ok(None);
        }
        let content = self.storage.content(address).map_err(textkin_repository::Error::from)?;
        match String::from_utf8(content) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(invalid_content(self.storage.segment(address)).into()),
        }
    }
}

/// Decodes a stored text of `segment`.
fn text_of<'a, E>(segment: &Segment, content: &'a [u8]) -> Result<&'a str, ReadEnd<E>> {
    std::str::from_utf8(content).map_err(|_| ReadEnd::Corrupt(invalid_content(segment)))
}

/// Returns the error for stored content that cannot be decoded.
fn invalid_content(segment: &Segment) -> textkin_core::CorruptionError {
    let reason = "the stored content of a document is invalid".to_owned();
    textkin_core::CorruptionError { file: segment.path().display().to_string(), reason }
}

/// The reason why reading ended early.
enum ReadEnd<E> {
    Corrupt(textkin_core::CorruptionError),
    /// The callback failed.
    Callback(E),
}

impl<E> From<textkin_core::CorruptionError> for ReadEnd<E> {
    fn from(error: textkin_core::CorruptionError) -> Self {
        Self::Corrupt(error)
    }
}

impl<E: From<Error>> ReadEnd<E> {
    fn into_error(self) -> E {
        match self {
            Self::Corrupt(error) => Error::from(textkin_repository::Error::from(error)).into(),
            Self::Callback(error) => error,
        }
    }
}
