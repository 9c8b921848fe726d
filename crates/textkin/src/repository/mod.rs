//! Repositories: collections that are kept, grow and shrink, and are asked about other texts.
//!
//! A [`Repository`] is what readers see, at one moment; a [`RepositoryWriter`] changes it. Words and
//! chunks are made here, the way the repository was made; how they are stored is the business of
//! `textkin-repository`.

mod condition;
mod config;
mod fingerprints;
mod prepare;
mod report;
mod search;
mod source;
mod write;

use std::path::Path;
use std::sync::Arc;

use textkin_core::{Chunk, Span};
use textkin_repository::{Disk, DocumentAddress, StoredDocument};
use textkin_source::FolderMarker;

pub use condition::Condition;
pub use config::RepositoryConfig;
pub(crate) use fingerprints::{chunks as chunks_without_text, tokenize as tokenize_without_text};
pub use report::{NewPairs, pairs_with_new};
pub use search::{SearchResults, SearchSettings, Searcher};
pub use source::RepositorySource;
pub use write::{AddSummary, ExistingPolicy, RepositoryWriter};

use self::prepare::DocumentPreparer;
use crate::error::Error;
use crate::settings::Settings;
use crate::timestamp::Timestamp;

/// Documents that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectedDocuments {
    /// Where they are.
    pub addresses: Vec<DocumentAddress>,
    /// Documents left out since their time cannot be read.
    pub undated: u64,
}

/// A repository at one moment.
#[derive(Clone, Debug)]
pub struct Repository {
    storage: Arc<textkin_repository::Repository>,
    config: RepositoryConfig,
}

impl Repository {
    /// Opens the repository in `folder`.
    ///
    /// # Errors
    /// If there is none, it is damaged, or it was made in a way that is not known here.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        Self::new(textkin_repository::Repository::open(&Disk, folder)?)
    }

    fn new(storage: textkin_repository::Repository) -> Result<Self, Error> {
        let config = RepositoryConfig::read(storage.config())?;
        Ok(Self { storage: Arc::new(storage), config })
    }

    /// What tells folders of repositories from folders of documents.
    #[must_use]
    pub fn folder_marker() -> FolderMarker {
        let (file, prefix) = textkin_repository::Repository::SIGNATURE;
        let reason = "it is a repository; textkin repo export writes its documents";
        FolderMarker { file, prefix, reason }
    }

    /// Whether `folder` looks like a repository.
    #[must_use]
    pub fn exists_in(folder: &Path) -> bool {
        textkin_repository::Repository::exists_in(folder)
    }

    /// How it was made.
    #[must_use]
    pub fn config(&self) -> &RepositoryConfig {
        &self.config
    }

    /// Its files and documents.
    #[must_use]
    pub fn storage(&self) -> &textkin_repository::Repository {
        &self.storage
    }

    /// The settings by which its documents are related to one another.
    ///
    /// # Errors
    /// If this version lacks one of the strategies.
    pub fn settings(&self) -> Result<Settings, Error> {
        // A damaged document is no reason to leave it out.
        Ok(Settings { is_strict: true, ..self.config.settings()? })
    }

    /// All documents, in the order in which they came.
    #[must_use]
    pub fn source(&self) -> RepositorySource {
        self.source_of(self.storage.addresses().collect())
    }

    /// These documents, which are in the order in which they came.
    #[must_use]
    pub fn source_of(&self, addresses: Vec<DocumentAddress>) -> RepositorySource {
        RepositorySource::new(Arc::clone(&self.storage), addresses, self.config.keeps_text)
    }

    /// What is stored of a document.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn document(&self, address: DocumentAddress) -> Result<StoredDocument, Error> {
        Ok(self.storage.document(address).map_err(textkin_repository::Error::from)?)
    }

    /// The documents that meet all `conditions` and, if it is given, were written before `before`
    /// (or, without a time, added before it), in the order in which they came.
    ///
    /// # Errors
    /// If what is stored is damaged.
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
                match (before, condition::moment_of(&document)) {
                    (Some(before), Some(timestamp)) if timestamp >= before => {}
                    (Some(_), None) => selected.undated += 1,
                    _ => selected.addresses.push(address),
                }
            }
            Ok::<(), Error>(())
        })?;
        Ok(selected)
    }

    /// Gives what is stored of each document at `addresses`, which are in the order in which they came,
    /// to `take`; stops at its first error. That is much faster than one by one.
    ///
    /// # Errors
    /// If what is stored is damaged, or `take` fails.
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
                    take(DocumentAddress { segment: number, document }, stored).map_err(End::Asked)
                })
                .map_err(End::into_error)?;
        }
        Ok(())
    }

    /// The same, with the text of each document.
    ///
    /// # Errors
    /// If what is stored is damaged, no texts are kept, or `take` fails.
    pub fn read_texts<E: From<Error>>(
        &self,
        addresses: &[DocumentAddress],
        mut take: impl FnMut(StoredDocument, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.config.keeps_text {
            let folder = self.storage.folder().to_owned();
            return Err(Error::TextNotStored { folder, what: "there is nothing to read" }.into());
        }
        for addresses in addresses.chunk_by(|a, b| a.segment == b.segment) {
            let segment = self.storage.segment(addresses[0]);
            let documents = addresses.iter().map(|address| address.document);
            segment
                .read(documents, |_, stored, content| {
                    take(stored, text_of(content)?).map_err(End::Asked)
                })
                .map_err(End::into_error)?;
        }
        Ok(())
    }

    /// Where the words of a document are in its text, whether that is kept or not.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn spans(&self, address: DocumentAddress) -> Result<Vec<Span>, Error> {
        let strange =
            || Error::RepositoryConfig("what is stored of a document makes no sense".to_owned());
        let content = self.storage.content(address)?;
        DocumentPreparer::new(&self.config)?.spans(&content).ok_or_else(strange)
    }

    /// The number of words of a document, and the chunks that are indexed, in order, whether its
    /// text is kept or not.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn chunks(&self, address: DocumentAddress) -> Result<(usize, Vec<Chunk>), Error> {
        let strange =
            || Error::RepositoryConfig("what is stored of a document makes no sense".to_owned());
        let content = self.storage.content(address)?;
        DocumentPreparer::new(&self.config)?.placed_chunks(&content).ok_or_else(strange)
    }

    /// The text of a document, if texts are kept.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn text(&self, address: DocumentAddress) -> Result<Option<String>, Error> {
        if !self.config.keeps_text {
            return Ok(None);
        }
        let content = self.storage.content(address).map_err(textkin_repository::Error::from)?;
        match String::from_utf8(content) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(Error::RepositoryConfig("a stored text is no text".to_owned())),
        }
    }
}

/// A text as it is stored.
fn text_of<E: From<Error>>(content: &[u8]) -> Result<&str, End<E>> {
    let no_text = || Error::RepositoryConfig("a stored text is no text".to_owned());
    std::str::from_utf8(content).map_err(|_| End::Asked(no_text().into()))
}

/// Why reading ended early.
enum End<E> {
    Corrupt(textkin_core::CorruptionError),
    Asked(E),
}

impl<E> From<textkin_core::CorruptionError> for End<E> {
    fn from(damage: textkin_core::CorruptionError) -> Self {
        Self::Corrupt(damage)
    }
}

impl<E: From<Error>> End<E> {
    fn into_error(self) -> E {
        match self {
            Self::Corrupt(damage) => Error::from(textkin_repository::Error::from(damage)).into(),
            Self::Asked(error) => error,
        }
    }
}
