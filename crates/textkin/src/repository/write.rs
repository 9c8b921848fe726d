//! The writer of a repository: adds, replaces and removes documents, and compacts.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};

use textkin_core::{Document, DocumentSink, Piece, Problem, Source};
use textkin_repository::{
    CommitSummary, Disk, DocumentAddress, PreparedDocument, Writer, WriterSettings,
};

use super::Repository;
use super::config::RepositoryConfig;
use super::prepare::{DocumentPreparer, Scratch};
use crate::discover::RunControl;
use crate::error::Error;
use crate::settings::Settings;

/// What to do with a document whose id is already in the repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExistingPolicy {
    /// Report a problem and skip the new document.
    #[default]
    Refuse,
    /// Skip and count the new document.
    Skip,
    /// Remove the old document and add the new one at the end.
    Replace,
}

impl FromStr for ExistingPolicy {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "refuse" => Ok(Self::Refuse),
            "skip" => Ok(Self::Skip),
            "replace" => Ok(Self::Replace),
            _ => Err(format!("expected refuse, skip or replace, got '{name}'")),
        }
    }
}

/// The result of adding documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AddSummary {
    /// The result of the commit.
    pub commit: CommitSummary,
    /// Documents skipped because their id was already in the repository.
    pub skipped: u64,
    /// Documents that replaced others.
    pub replaced: u64,
    /// Bytes of text added.
    pub text_bytes: u64,
    /// Documents that could not be read or added.
    pub problems: Vec<Problem>,
    /// The addresses of the new documents, valid until segments are merged.
    pub addresses: Vec<DocumentAddress>,
}

impl AddSummary {
    /// Returns whether there was nothing to add, and no problem.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.commit.added == 0 && self.skipped == 0 && self.problems.is_empty()
    }
}

/// The writer of a repository; only one can be open at a time.
#[derive(Debug)]
pub struct RepositoryWriter {
    writer: Writer,
    config: RepositoryConfig,
    preparer: DocumentPreparer,
    threads: usize,
}

impl RepositoryWriter {
    /// Creates a repository in `folder`, which must be new or empty.
    ///
    /// # Errors
    /// If the folder is not empty or cannot be written, or the selector needs a whole collection.
    pub fn create(folder: &Path, settings: &Settings, keeps_text: bool) -> Result<Self, Error> {
        Self::create_with(folder, settings, RepositoryConfig::new(settings, keeps_text)?)
    }

    /// Creates a repository of texts in which rewritten text can be found: it also indexes pairs of words.
    ///
    /// # Errors
    /// As [`RepositoryWriter::create`].
    pub fn create_rewritten(folder: &Path, settings: &Settings) -> Result<Self, Error> {
        let config = RepositoryConfig { rewritten: true, ..RepositoryConfig::new(settings, true)? };
        Self::create_with(folder, settings, config)
    }

    /// Creates a repository that indexes nothing but pairs of words.
    pub(crate) fn create_for_pairs(folder: &Path, settings: &Settings) -> Result<Self, Error> {
        let mut writer = Self::create_rewritten(folder, settings)?;
        writer.preparer.indexes_words = false;
        Ok(writer)
    }

    fn create_with(
        folder: &Path,
        settings: &Settings,
        config: RepositoryConfig,
    ) -> Result<Self, Error> {
        let preparer = DocumentPreparer::new(&config)?;
        let (stored_config, writer_settings) = (config.write()?, writer_settings(settings));
        let writer = Writer::create(Arc::new(Disk), folder, stored_config, writer_settings)?;
        Ok(Self { writer, config, preparer, threads: settings.n_threads() })
    }

    /// Opens the repository in `folder` for writing. Of `settings`, only memory and threads are
    /// used.
    ///
    /// # Errors
    /// If the folder contains no repository, it is damaged, or another process is writing it.
    pub fn open(folder: &Path, settings: &Settings) -> Result<Self, Error> {
        let writer = Writer::open(Arc::new(Disk), folder, writer_settings(settings))?;
        let config = RepositoryConfig::read(writer.repository().config())?;
        let preparer = DocumentPreparer::new(&config)?;
        Ok(Self { writer, config, preparer, threads: settings.n_threads() })
    }

    /// Returns the repository as of the last commit.
    #[must_use]
    pub fn repository(&self) -> Repository {
        Repository {
            storage: Arc::new(self.writer.repository().clone()),
            config: self.config.clone(),
        }
    }

    /// Adds all documents of `source`, in order, and returns once they are on disk. The change is
    /// atomic.
    ///
    /// # Errors
    /// If a write fails, or the run is stopped; then the repository is unchanged.
    pub fn add(
        &mut self,
        source: &mut dyn Source,
        existing: ExistingPolicy,
        is_strict: bool,
        control: &RunControl,
    ) -> Result<AddSummary, Error> {
        let added = self.add_pending(source, existing, is_strict, control);
        if added.is_err() {
            self.writer.roll_back();
        }
        added
    }

    fn add_pending(
        &mut self,
        source: &mut dyn Source,
        existing: ExistingPolicy,
        is_strict: bool,
        control: &RunControl,
    ) -> Result<AddSummary, Error> {
        control.progress.begin("adding", source.total_bytes().unwrap_or(0));
        let first_new = self.writer.repository().segments().len();
        let mut added = AddSummary::default();
        let (writer, preparer) = (&mut self.writer, &self.preparer);
        in_order(source, preparer, self.threads, control, |item| match item {
            ReadItem::Problem(problem) if is_strict => Err(Error::Problem(problem)),
            ReadItem::Problem(problem) => {
                added.problems.push(problem);
                Ok(())
            }
            ReadItem::PreparedDocument { entry, text_bytes } => {
                if add_entry(writer, preparer, &entry, existing, &mut added)? {
                    added.text_bytes += text_bytes;
                }
                match added.problems.pop() {
                    Some(problem) if is_strict => Err(Error::Problem(problem)),
                    problem => {
                        added.problems.extend(problem);
                        Ok(())
                    }
                }
            }
        })?;
        if control.stop.is_requested() {
            return Err(Error::Stopped);
        }
        control.progress.begin("writing", 0);
        added.commit = self.writer.commit()?;
        let segments = (0u32..).zip(self.writer.repository().segments()).skip(first_new);
        added.addresses = segments
            .flat_map(|(segment, stored)| {
                stored.live().map(move |document| DocumentAddress { segment, document })
            })
            .collect();
        Ok(added)
    }

    /// Copies documents of another repository with the same configuration, whether texts are stored or
    /// not, and returns once they are on disk. Documents that are here already are skipped. The change is
    /// atomic.
    ///
    /// # Errors
    /// If the configurations differ, or a file cannot be read or written; then the repository is
    /// unchanged.
    pub fn copy(&mut self, from: &Repository, addresses: &[DocumentAddress]) -> Result<(), Error> {
        if from.config().write()? != self.config.write()? {
            let reason = "the repositories have different configurations".to_owned();
            return Err(textkin_repository::Error::Reindex(reason).into());
        }
        let copied = self.copy_pending(from, addresses);
        if copied.is_err() {
            self.writer.roll_back();
        }
        copied
    }

    fn copy_pending(
        &mut self,
        from: &Repository,
        addresses: &[DocumentAddress],
    ) -> Result<(), Error> {
        let mut scratch = self.preparer.scratch();
        let mut added = AddSummary::default();
        for &address in addresses {
            let stored = from.document(address)?;
            let content = from.storage().content(address)?;
            let entry = self.preparer.restore(stored, content, &mut scratch)?;
            let existing = ExistingPolicy::Skip;
            add_entry(&mut self.writer, &self.preparer, &entry, existing, &mut added)?;
        }
        self.writer.commit()?;
        Ok(())
    }

    /// Removes documents, and returns once the change is on disk. The change is atomic.
    ///
    /// # Errors
    /// If a file cannot be read or written; then the repository is unchanged.
    pub fn remove(&mut self, addresses: &[DocumentAddress]) -> Result<CommitSummary, Error> {
        let mut scratch = self.preparer.scratch();
        for &address in addresses {
            let removed = remove_document(&mut self.writer, &self.preparer, address, &mut scratch);
            if let Err(error) = removed {
                self.writer.roll_back();
                return Err(error);
            }
        }
        Ok(self.writer.commit()?)
    }

    /// Merges small segments at the end, so that many small additions do not slow down searches.
    ///
    /// # Errors
    /// If a file cannot be read or written; then the repository is unchanged.
    pub fn merge(&mut self) -> Result<(), Error> {
        let (preparer, threads) = (&self.preparer, self.threads);
        Ok(self.writer.merge(&mut |documents| preparer.restore_all(documents, threads))?)
    }

    /// Rewrites the files that contain removed documents: no file contains them when this returns.
    ///
    /// # Errors
    /// If a file cannot be read or written; then the documents are removed, but may still be in a file.
    pub fn erase_removed(&mut self) -> Result<(), Error> {
        let (preparer, threads) = (&self.preparer, self.threads);
        let mut restore = |documents| preparer.restore_all(documents, threads);
        Ok(self.writer.erase_removed(&mut restore)?)
    }

    /// Merges all segments that fit together, and frees the space of removed documents.
    ///
    /// # Errors
    /// If a file cannot be read or written; then the repository is unchanged.
    pub fn compact(&mut self, control: &RunControl) -> Result<(), Error> {
        let total = self.writer.repository().n_documents();
        control.progress.begin("compacting", total);
        let (preparer, threads) = (&self.preparer, self.threads);
        let compacted = self.writer.compact(&mut |documents| {
            if control.stop.is_requested() {
                return Err(textkin_repository::Error::Reindex("interrupted".to_owned()));
            }
            control.progress.advance(documents.len() as u64);
            preparer.restore_all(documents, threads)
        });
        if compacted.is_err() && control.stop.is_requested() {
            return Err(Error::Stopped);
        }
        Ok(compacted?)
    }
}

fn writer_settings(settings: &Settings) -> WriterSettings {
    let memory = settings.memory.unwrap_or(WriterSettings::default().memory as u64);
    let memory = usize::try_from(memory).unwrap_or(usize::MAX).max(1 << 20);
    // A merge reads its segments into memory; half leaves room for what it writes.
    let merge = (memory / 2).max(WriterSettings::default().merge);
    WriterSettings { memory, merge }
}

/// Adds a document to the next commit; returns whether it was accepted.
fn add_entry(
    writer: &mut Writer,
    preparer: &DocumentPreparer,
    entry: &PreparedDocument,
    existing: ExistingPolicy,
    added: &mut AddSummary,
) -> Result<bool, Error> {
    let address = writer.repository().find(&entry.id).map_err(textkin_repository::Error::from)?;
    if existing == ExistingPolicy::Replace
        && let Some(address) = address
        && writer.contains(&entry.id)?
        && !writer.is_pending(&entry.id)
    {
        remove_document(writer, preparer, address, &mut preparer.scratch())?;
        added.replaced += 1;
    }
    match writer.add(entry) {
        Ok(()) => Ok(true),
        Err(textkin_repository::Error::DuplicateId { .. }) if existing == ExistingPolicy::Skip => {
            added.skipped += 1;
            Ok(false)
        }
        Err(textkin_repository::Error::DuplicateId { id }) => {
            added.problems.push(match writer.is_pending(&id) {
                true => Problem::duplicate_id(id),
                false => {
                    let reason = "a document with this id is already in the repository; use --existing \
                                  replace to replace it, or --existing skip to skip this one";
                    Problem { path: id, line: None, reason: reason.to_owned() }
                }
            });
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

fn remove_document(
    writer: &mut Writer,
    preparer: &DocumentPreparer,
    address: DocumentAddress,
    scratch: &mut Scratch,
) -> Result<(), Error> {
    let repository = writer.repository();
    let storage_error = textkin_repository::Error::from;
    let stored = repository.document(address).map_err(storage_error)?;
    let content = repository.content(address).map_err(storage_error)?;
    let entry = preparer.restore(stored, content, scratch)?;
    writer.remove(address, entry.terms.into_iter().map(|term| term.0).collect());
    Ok(())
}

/// A document or a problem, in the order of the source.
enum ReadItem {
    PreparedDocument { entry: PreparedDocument, text_bytes: u64 },
    Problem(Problem),
}

/// Prepares the documents of `source` on several threads and passes them to `take` in order.
fn in_order(
    source: &mut dyn Source,
    preparer: &DocumentPreparer,
    threads: usize,
    control: &RunControl,
    mut take: impl FnMut(ReadItem) -> Result<(), Error>,
) -> Result<(), Error> {
    let added = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let queue = Mutex::new((source, 0u64));
    let window = PieceWindow::new(4 * threads as u64);
    let failed = AtomicBool::new(false);
    let is_over = || failed.load(Ordering::Relaxed) || control.stop.is_requested();
    // A pipeline with a channel: results are taken while others are computed.
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel::<(u64, Vec<ReadItem>, u64)>();
        for _ in 0..threads {
            let sender = sender.clone();
            scope.spawn(|| {
                let sender = sender;
                let mut scratch = preparer.scratch();
                loop {
                    let (number, piece) = {
                        let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
                        if is_over() {
                            return;
                        }
                        let Some(piece) = queue.0.next_piece() else { return };
                        queue.1 += 1;
                        (queue.1 - 1, piece)
                    };
                    // Do not run far ahead: results that wait are held in memory.
                    if !window.wait_for(number, &is_over) {
                        return;
                    }
                    let bytes = piece.bytes();
                    let items = read(piece, preparer, added, &mut scratch, &is_over);
                    if sender.send((number, items, bytes)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting: BTreeMap<u64, (Vec<ReadItem>, u64)> = BTreeMap::new();
        let mut next = 0;
        let mut outcome = Ok(());
        for (number, items, bytes) in &receiver {
            waiting.insert(number, (items, bytes));
            while let Some((items, bytes)) = waiting.remove(&next) {
                next += 1;
                if outcome.is_ok() && !control.stop.is_requested() {
                    outcome = items.into_iter().try_for_each(&mut take);
                    control.progress.advance(bytes);
                }
                if outcome.is_err() {
                    failed.store(true, Ordering::Relaxed);
                }
                window.advance(next);
            }
        }
        outcome
    })
}

/// Limits how far threads run ahead of the consumer.
struct PieceWindow {
    max_ahead: u64,
    consumed: Mutex<u64>,
    changed: Condvar,
}

impl PieceWindow {
    fn new(max_ahead: u64) -> Self {
        Self { max_ahead, consumed: Mutex::new(0), changed: Condvar::new() }
    }

    /// Waits until piece `number` is within the window; returns false if the run is over.
    fn wait_for(&self, number: u64, is_over: &dyn Fn() -> bool) -> bool {
        let mut consumed = self.consumed.lock().unwrap_or_else(PoisonError::into_inner);
        while number >= *consumed + self.max_ahead {
            if is_over() {
                return false;
            }
            let timeout = std::time::Duration::from_millis(50);
            consumed = match self.changed.wait_timeout(consumed, timeout) {
                Ok((consumed, _)) => consumed,
                Err(broken) => broken.into_inner().0,
            };
        }
        true
    }

    fn advance(&self, next: u64) {
        *self.consumed.lock().unwrap_or_else(PoisonError::into_inner) = next;
        self.changed.notify_all();
    }
}

fn read(
    piece: Box<dyn Piece>,
    preparer: &DocumentPreparer,
    added: u64,
    scratch: &mut Scratch,
    is_over: &dyn Fn() -> bool,
) -> Vec<ReadItem> {
    struct Sink<'a> {
        items: Vec<ReadItem>,
        preparer: &'a DocumentPreparer,
        added: u64,
        scratch: &'a mut Scratch,
        is_over: &'a dyn Fn() -> bool,
    }
    impl Sink<'_> {
        fn next(&self) -> ControlFlow<()> {
            if (self.is_over)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    impl DocumentSink for Sink<'_> {
        fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
            let text_bytes = document.text().map_or(0, str::len) as u64;
            self.items.push(match self.preparer.entry(document, self.added, self.scratch) {
                Ok(entry) => ReadItem::PreparedDocument { entry, text_bytes },
                Err(problem) => ReadItem::Problem(problem),
            });
            self.next()
        }

        fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
            self.items.push(ReadItem::Problem(problem));
            self.next()
        }
    }
    let mut sink = Sink { items: Vec::new(), preparer, added, scratch, is_over };
    piece.read(&mut sink);
    sink.items
}
