//! Repositories: creation with options, and changes by id.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use textkin_core::Document;
use textkin_core::hash::HashKind;
use textkin_graph::Counting;
use textkin_index::Plan;
use textkin_source::{InputFormat, SourceSettings, TeiOptions};
use textkin_text::grammar::{ChunkerKind, Selection};
use textkin_text::tokenizer::{Normalization, TextPart};

use super::observer::Observer;
use super::options::{
    ByteSize, JobOptions, OptionValue, analysis_options, collection_options, performance_options,
    reading_options,
};
use super::search::{Search, SearchHit};
use crate::discover::RunControl;
use crate::error::Error;
use crate::repository::{AddSummary, ExistingPolicy, Repository, RepositoryWriter};
use crate::settings::Settings;

/// Creates a repository with other options than the defaults, or adds documents with them.
///
/// ```
/// use textkin::Repository;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let folder = folder.path().join("letters");
/// let mut letters = Repository::builder().chunk("words:5").fingerprints_only(true).create(&folder)?;
/// letters.add([("first", "dear friend it has been a long time since you wrote")])?;
/// assert_eq!(letters.len(), 1);
/// # Ok::<(), textkin::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct RepositoryBuilder {
    options: JobOptions,
    is_without_text: bool,
    is_rewritten: bool,
    existing: ExistingPolicy,
}

impl RepositoryBuilder {
    analysis_options!();
    reading_options!();
    collection_options!();
    performance_options!();

    /// Sets which chunks are indexed; all by default.
    pub fn select(mut self, selection: impl OptionValue<Selection>) -> Self {
        self.options.set("select", selection, |options, selection| {
            options.settings.select = selection;
        });
        self
    }

    /// Sets how chunks are hashed.
    pub fn hash(mut self, hash: impl OptionValue<HashKind>) -> Self {
        self.options.set("hash", hash, |options, hash| options.settings.hash = hash);
        self
    }

    /// Stores only hashes of words and chunks, no texts.
    pub fn fingerprints_only(mut self, is_without_text: bool) -> Self {
        self.is_without_text = is_without_text;
        self
    }

    /// Also indexes pairs of words, so that [`Search::rewritten`] finds rewritten text. It needs the texts.
    pub fn rewritten(mut self, is_indexed: bool) -> Self {
        self.is_rewritten = is_indexed;
        self
    }

    /// Sets what happens to a document whose id is already in the repository: `"refuse"` (the default, which lists it
    /// as a problem), `"skip"` or `"replace"`.
    pub fn existing(mut self, policy: impl OptionValue<ExistingPolicy>) -> Self {
        if let Some(policy) = self.options.invalid.accept("existing", policy) {
            self.existing = policy;
        }
        self
    }

    /// Creates a repository in `folder`, which must be new or empty.
    ///
    /// # Errors
    /// If an option is invalid, the folder is not empty or cannot be written, or the selector needs a whole collection.
    pub fn create(&self, folder: impl AsRef<Path>) -> Result<Repository, Error> {
        let settings = self.options.settings_without_threshold()?;
        let folder = folder.as_ref();
        let writer = match (self.is_rewritten, self.is_without_text) {
            (true, true) => {
                let reason = "needs the texts, which fingerprints_only does not store".to_owned();
                return Err(Error::InvalidOption { option: "rewritten", reason });
            }
            (true, false) => RepositoryWriter::create_rewritten(folder, &settings)?,
            (false, _) => RepositoryWriter::create(folder, &settings, !self.is_without_text)?,
        };
        Ok(writer.repository())
    }

    /// Adds documents to `repository`.
    ///
    /// # Errors
    /// As [`Repository::add`].
    pub fn add<'a, D: Into<Document<'a>>>(
        &self,
        repository: &mut Repository,
        documents: impl IntoIterator<Item = D>,
    ) -> Result<AddSummary, Error> {
        self.add_source(repository, &mut super::memory_source(documents)?)
    }

    /// Adds the documents of files, folders and patterns to `repository`.
    ///
    /// # Errors
    /// As [`Repository::add`], and if no path is given.
    pub fn add_paths<P: AsRef<Path>>(
        &self,
        repository: &mut Repository,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<AddSummary, Error> {
        self.options.check()?;
        self.add_source(repository, &mut super::inputs(paths, &self.options.reading)?)
    }

    fn add_source(
        &self,
        repository: &mut Repository,
        source: &mut dyn textkin_core::Source,
    ) -> Result<AddSummary, Error> {
        self.options.check()?;
        let settings = &self.options.settings;
        let mut writer = RepositoryWriter::open(repository.storage().folder(), settings)?;
        let added = self.options.run(&RunControl::default(), |control| {
            writer.add(source, self.existing, settings.is_strict, control)
        })?;
        *repository = writer.repository();
        Ok(added)
    }
}

impl Repository {
    /// Creates a repository with the default options in `folder`, which must be new or empty.
    ///
    /// ```
    /// use textkin::Repository;
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let folder = folder.path().join("songs");
    /// let mut repository = Repository::create(&folder)?;
    /// repository.add([("boat", "row row row your boat gently down the stream")])?;
    /// assert_eq!(repository.search("row your boat")?[0].id, "boat");
    /// # Ok::<(), textkin::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the folder is not empty or cannot be written.
    pub fn create(folder: impl AsRef<Path>) -> Result<Self, Error> {
        Self::builder().create(folder)
    }

    /// Returns a builder, to set options.
    pub fn builder() -> RepositoryBuilder {
        RepositoryBuilder::default()
    }

    /// Adds documents and returns once they are on disk. Either all are added or none. A document whose id is already
    /// in the repository is listed among the problems of the result.
    ///
    /// # Errors
    /// If another process is writing to the repository, or a write fails; then the repository is unchanged.
    pub fn add<'a, D: Into<Document<'a>>>(
        &mut self,
        documents: impl IntoIterator<Item = D>,
    ) -> Result<AddSummary, Error> {
        Self::builder().add(self, documents)
    }

    /// Adds the documents of files, folders and patterns.
    ///
    /// # Errors
    /// As [`Repository::add`], and if no path is given.
    pub fn add_paths<P: AsRef<Path>>(
        &mut self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<AddSummary, Error> {
        Self::builder().add_paths(self, paths)
    }

    /// Removes the documents with these ids, and returns how many there were.
    ///
    /// # Errors
    /// If another process is writing to the repository, or a write fails; then the repository is unchanged.
    pub fn remove<I: AsRef<str>>(
        &mut self,
        ids: impl IntoIterator<Item = I>,
    ) -> Result<u64, Error> {
        let mut writer = RepositoryWriter::open(self.storage().folder(), &Settings::default())?;
        let snapshot = writer.repository();
        let mut found = Vec::new();
        for id in ids {
            found.extend(snapshot.storage().find(id.as_ref())?);
        }
        found.sort_unstable();
        found.dedup();
        writer.remove(&found)?;
        *self = writer.repository();
        Ok(found.len() as u64)
    }

    /// Finds the documents most similar to `text`, the best first, with the default options of [`Search`].
    ///
    /// # Errors
    /// If the repository is damaged.
    pub fn search(&self, text: &str) -> Result<Vec<SearchHit>, Error> {
        Search::new().run(self, text)
    }

    /// Returns the number of documents.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.storage().n_documents()
    }

    /// Returns whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
