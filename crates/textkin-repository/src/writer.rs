//! The writer of a repository: applies changes atomically.
//!
//! In: documents to add and addresses to remove. Out: new segments and a new manifest.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use textkin_core::{DocumentAddress, IndexSegment};

use crate::builder::SegmentBuilder;
use crate::document::{PreparedDocument, StoredDocument};
use crate::error::Error;
use crate::io::{Io, Lock, OutFile};
use crate::manifest::{
    Manifest, NAME, NEXT, RemovedEntry, SegmentEntry, removed_name, segment_name, segment_number,
};
use crate::merge_policy::{compaction_runs, erasure_runs, small_tail};
use crate::pages::WrittenFile;
use crate::repository::Repository;
use crate::segment::Segment;

const LOCK: &str = "lock";
/// Bytes of content that are indexed again at a time.
const BATCH: usize = 8 << 20;
/// Maximum number of open files that are not yet synced.
const MAX_UNSYNCED: usize = 16;

/// Memory limits of a [`Writer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterSettings {
    /// Bytes of memory for documents that are not yet written to a segment.
    pub memory: usize,
    /// Bytes of memory for merging small segments after a change; 0 disables merging.
    pub merge: usize,
}

impl Default for WriterSettings {
    fn default() -> Self {
        Self { memory: 1 << 30, merge: 64 << 20 }
    }
}

/// The result of a commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommitSummary {
    /// Documents added.
    pub added: u64,
    /// Documents removed.
    pub removed: u64,
    /// Documents after the commit.
    pub documents: u64,
    /// Number of changes since the repository was created.
    pub generation: u64,
}

/// Computes words and chunks of stored documents again; returns as many documents, in the same
/// order.
pub type ReindexFn<'a> =
    dyn FnMut(Vec<(StoredDocument, Vec<u8>)>) -> Result<Vec<PreparedDocument>, Error> + 'a;

/// The writer of a repository; only one can be open at a time. [`Writer::commit`] applies all
/// changes; dropping the writer without a commit discards them.
#[derive(Debug)]
pub struct Writer {
    io: Arc<dyn Io>,
    folder: PathBuf,
    settings: WriterSettings,
    repository: Repository,
    pending: Pending,
    /// The number of the next segment; no file has this number or a higher one.
    next_segment: u64,
    /// Whether the last manifest may or may not have been installed.
    is_uncertain: bool,
    _lock: Box<dyn Lock>,
}

/// Changes that are not yet committed.
#[derive(Default)]
struct Pending {
    builder: SegmentBuilder,
    /// Segments that have been written.
    segments: Vec<SegmentEntry>,
    /// Files that have been written but not synced.
    unsynced: Vec<Box<dyn OutFile>>,
    /// Whether writing a segment failed.
    is_broken: bool,
    ids: HashSet<String>,
    added: u64,
    /// Documents to remove, with their words, by segment.
    removed: BTreeMap<u32, HashMap<u32, Vec<u64>>>,
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.added == 0 && self.removed.is_empty() && !self.is_broken
    }
}

impl fmt::Debug for Pending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Pending");
        shown.field("segments", &self.segments).field("added", &self.added);
        shown.field("is_broken", &self.is_broken).finish_non_exhaustive()
    }
}

impl Writer {
    /// Creates a repository in `folder`, which must be new or empty. `config` is stored in its
    /// manifest.
    ///
    /// # Errors
    /// If the folder is not empty or cannot be written.
    pub fn create(
        io: Arc<dyn Io>,
        folder: &Path,
        config: serde_json::Value,
        settings: WriterSettings,
    ) -> Result<Self, Error> {
        io.make_folder(folder).map_err(Error::file("create the folder", folder))?;
        let check_empty = || {
            let names = io.list(folder).map_err(Error::file("read", folder))?;
            // A creation that was interrupted leaves only these files.
            let path = folder.to_owned();
            match names.iter().find(|name| *name != LOCK && *name != NEXT) {
                Some(_) if names.iter().any(|name| name == NAME) => {
                    Err(Error::AlreadyExists { path })
                }
                Some(_) => Err(Error::NotEmpty { path }),
                None => Ok(()),
            }
        };
        // Checked before anything is written, and again under the lock.
        check_empty()?;
        let lock = take_lock(&*io, folder)?;
        check_empty()?;
        let manifest = Manifest::new(config);
        manifest.write(&*io, folder, Vec::new())?;
        Manifest::install(&*io, folder)?;
        let repository = Repository::of(&*io, folder, manifest, &[])?;
        Ok(Self::new(io, folder, settings, repository, lock))
    }

    /// Opens the repository in `folder` for writing.
    ///
    /// # Errors
    /// If the folder contains no repository, it is damaged, or another process is writing it.
    pub fn open(io: Arc<dyn Io>, folder: &Path, settings: WriterSettings) -> Result<Self, Error> {
        // Without a manifest there is no repository; do not leave a lock file in such a folder.
        Manifest::read(&*io, folder)?;
        let lock = take_lock(&*io, folder)?;
        let repository = Repository::open(&*io, folder)?;
        // An earlier writer may have ended before this manifest was synced. Sync it before removing
        // the files of the previous manifest, and before anyone relies on a document that it lists.
        io.sync_folder(folder).map_err(Error::file("sync", folder))?;
        let mut writer = Self::new(io, folder, settings, repository, lock);
        writer.remove_leftover_files();
        // Files that could not be removed, because someone still reads them, keep their names.
        let names = writer.io.list(folder).map_err(Error::file("read", folder))?;
        let highest = names.iter().filter_map(|name| segment_number(name)).max();
        writer.next_segment = writer.next_segment.max(highest.map_or(0, |n| n.saturating_add(1)));
        Ok(writer)
    }

    fn new(
        io: Arc<dyn Io>,
        folder: &Path,
        settings: WriterSettings,
        repository: Repository,
        lock: Box<dyn Lock>,
    ) -> Self {
        let next_segment = repository.manifest.next_segment;
        Self {
            io,
            folder: folder.to_owned(),
            settings,
            repository,
            pending: Pending::default(),
            next_segment,
            is_uncertain: false,
            _lock: lock,
        }
    }

    /// Returns an error if an earlier step failed and the writer cannot continue.
    fn check_ready(&self) -> Result<(), Error> {
        match self.is_uncertain || self.pending.is_broken {
            true => Err(Error::Unfinished { path: self.folder.clone() }),
            false => Ok(()),
        }
    }

    /// Returns the repository as of the last commit.
    #[must_use]
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Returns whether a document with this id will exist after the next commit.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn contains(&self, id: &str) -> Result<bool, Error> {
        if self.pending.ids.contains(id) {
            return Ok(true);
        }
        let address = self.repository.find(id)?;
        Ok(address.is_some_and(|address| !self.is_being_removed(address)))
    }

    /// Returns whether a document with this id is waiting to be committed.
    #[must_use]
    pub fn is_pending(&self, id: &str) -> bool {
        self.pending.ids.contains(id)
    }

    fn is_being_removed(&self, address: DocumentAddress) -> bool {
        let removed = self.pending.removed.get(&address.segment);
        removed.is_some_and(|removed| removed.contains_key(&address.document))
    }

    /// Adds a document to the next commit.
    ///
    /// # Errors
    /// If the id exists already, the document is too large, or a full segment cannot be written.
    /// After a failed write [`Writer::commit`] fails too, and all pending changes are discarded.
    pub fn add(&mut self, entry: &PreparedDocument) -> Result<(), Error> {
        self.check_ready()?;
        if self.contains(&entry.id)? {
            return Err(Error::DuplicateId { id: entry.id.clone() });
        }
        self.append(entry)?;
        self.pending.ids.insert(entry.id.clone());
        self.pending.added += 1;
        Ok(())
    }

    fn append(&mut self, entry: &PreparedDocument) -> Result<(), Error> {
        if self.pending.builder.is_full(entry) {
            self.flush()?;
        }
        self.pending.builder.add(entry)?;
        if self.pending.builder.memory() >= self.settings.memory {
            self.flush()?;
        }
        Ok(())
    }

    /// Removes a document with the next commit; `terms` are the hashes of its distinct words.
    /// Removing a document twice, or one that does not exist, has no effect.
    pub fn remove(&mut self, address: DocumentAddress, terms: Vec<u64>) {
        let segment = self.repository.segments.get(address.segment as usize);
        if !segment.is_some_and(|segment| segment.is_live(address.document)) {
            return;
        }
        self.pending.removed.entry(address.segment).or_default().insert(address.document, terms);
    }

    /// Writes the pending documents as a segment.
    fn flush(&mut self) -> Result<(), Error> {
        if self.pending.builder.is_empty() {
            return Ok(());
        }
        let written = self.write_segment();
        self.pending.is_broken |= written.is_err();
        written
    }

    fn write_segment(&mut self) -> Result<(), Error> {
        let builder = std::mem::take(&mut self.pending.builder);
        let file = segment_name(self.next_segment);
        self.next_segment = self.next_segment.saturating_add(1);
        let path = self.folder.join(&file);
        let written = self.io.create(&path).and_then(|out| builder.finish(out));
        let WrittenFile { out, bytes, sum } = written.map_err(Error::file("write", &path))?;
        self.pending.segments.push(SegmentEntry { file, bytes, sum, removed: None });
        self.keep(out)
    }

    /// Keeps a file open until all files are synced together, or too many are open.
    fn keep(&mut self, out: Box<dyn OutFile>) -> Result<(), Error> {
        self.pending.unsynced.push(out);
        if self.pending.unsynced.len() < MAX_UNSYNCED {
            return Ok(());
        }
        let mut files = std::mem::take(&mut self.pending.unsynced);
        self.io.sync_all(&mut files, &self.folder).map_err(Error::file("sync", &self.folder))
    }

    /// Applies all pending changes and returns once they are on disk.
    ///
    /// # Errors
    /// If a write fails; then the repository is unchanged and the pending changes are discarded. If
    /// only the very last step fails, the change may have been applied, and this writer refuses to
    /// continue.
    pub fn commit(&mut self) -> Result<CommitSummary, Error> {
        let flushed = self.check_ready().and_then(|()| self.flush());
        let committed = flushed.and_then(|()| self.commit_flushed());
        if committed.is_err() {
            self.roll_back();
        }
        committed
    }

    fn commit_flushed(&mut self) -> Result<CommitSummary, Error> {
        let mut manifest = self.repository.manifest.clone();
        let removed: usize = self.pending.removed.values().map(HashMap::len).sum();
        let mut summary = CommitSummary {
            added: self.pending.added,
            removed: removed as u64,
            documents: self.repository.n_documents(),
            generation: manifest.generation,
        };
        if self.pending.segments.is_empty() && removed == 0 {
            self.discard_pending();
            return Ok(summary);
        }
        manifest.generation += 1;
        manifest.next_segment = self.next_segment;
        let removed = std::mem::take(&mut self.pending.removed);
        for (&number, documents) in &removed {
            let segment = &self.repository.segments[number as usize];
            let line = &mut manifest.segments[number as usize];
            let name = removed_name(&line.file, manifest.generation);
            let mut documents: Vec<(u32, Vec<u64>)> =
                documents.iter().map(|(&document, terms)| (document, terms.clone())).collect();
            documents.sort_unstable();
            let list = segment.removed().with(segment.n_documents(), &documents);
            let path = self.folder.join(&name);
            let written = self.io.create(&path).and_then(|out| list.write(out));
            let WrittenFile { out, sum, .. } = written.map_err(Error::file("write", &path))?;
            self.keep(out)?;
            line.removed = Some(RemovedEntry { file: name, sum });
        }
        manifest.segments.append(&mut self.pending.segments.clone());
        self.install(manifest)?;
        summary.documents = self.repository.n_documents();
        summary.generation = self.repository.generation();
        Ok(summary)
    }

    /// Installs `manifest` and removes the files that it does not list.
    fn install(&mut self, manifest: Manifest) -> Result<(), Error> {
        // Opened before it is installed: a segment that cannot be read back is not committed.
        let lines = self.repository.manifest.segments.iter().cloned();
        let open_segments: Vec<(SegmentEntry, Arc<Segment>)> =
            lines.zip(self.repository.segments.iter().cloned()).collect();
        let repository = Repository::of(&*self.io, &self.folder, manifest, &open_segments)?;
        let unsynced = std::mem::take(&mut self.pending.unsynced);
        repository.manifest.write(&*self.io, &self.folder, unsynced)?;
        if let Err(error) = Manifest::install(&*self.io, &self.folder) {
            // After a crash either manifest may be the current one: keep the files of both.
            self.is_uncertain = true;
            return Err(error);
        }
        self.repository = repository;
        self.discard_pending();
        self.remove_leftover_files();
        Ok(())
    }

    /// Removes files that the manifest does not list. Files that cannot be removed are tried again
    /// later.
    fn remove_leftover_files(&self) {
        let names = self.io.list(&self.folder).unwrap_or_default();
        for path in self.repository.manifest.leftover_files(&self.folder, &names) {
            let _ = self.io.remove(&path);
        }
    }

    /// Discards all pending changes.
    pub fn roll_back(&mut self) {
        self.discard_pending();
        if !self.is_uncertain {
            self.remove_leftover_files();
        }
    }

    fn discard_pending(&mut self) {
        self.pending = Pending::default();
    }

    /// Commits pending changes, then merges segments that are small or contain removed documents,
    /// as far as they fit in memory.
    ///
    /// # Errors
    /// If a file cannot be read or written; then the repository is unchanged.
    pub fn compact(&mut self, reindex: &mut ReindexFn<'_>) -> Result<(), Error> {
        self.commit_pending()?;
        let runs = compaction_runs(self.repository.segments(), self.settings.memory);
        self.rewrite_all(runs, reindex)
    }

    /// Commits pending changes, then rewrites the segments that contain removed documents: no file
    /// contains them when this returns.
    ///
    /// # Errors
    /// If a file cannot be read or written; then the documents are removed, but may still be in a file.
    pub fn erase_removed(&mut self, reindex: &mut ReindexFn<'_>) -> Result<(), Error> {
        self.commit_pending()?;
        let runs = erasure_runs(self.repository.segments(), self.settings.merge);
        self.rewrite_all(runs, reindex)
    }

    fn rewrite_all(
        &mut self,
        runs: Vec<Range<usize>>,
        reindex: &mut ReindexFn<'_>,
    ) -> Result<(), Error> {
        // From the last run to the first, so that the indices of earlier segments stay valid.
        runs.into_iter().rev().try_for_each(|run| self.rewrite(run, reindex))
    }

    /// Commits pending changes, then merges small segments at the end, so that many small changes
    /// do not leave many small segments.
    ///
    /// # Errors
    /// If a file cannot be read or written; then the repository is unchanged.
    pub fn merge(&mut self, reindex: &mut ReindexFn<'_>) -> Result<(), Error> {
        self.commit_pending()?;
        match small_tail(self.repository.segments(), self.settings.merge) {
            Some(run) => self.rewrite(run, reindex),
            None => Ok(()),
        }
    }

    fn commit_pending(&mut self) -> Result<(), Error> {
        self.check_ready()?;
        if self.pending.is_empty() { Ok(()) } else { self.commit().map(|_| ()) }
    }

    /// Replaces a run of segments by new segments with the same live documents.
    fn rewrite(&mut self, run: Range<usize>, reindex: &mut ReindexFn<'_>) -> Result<(), Error> {
        let rewritten = self.rewrite_run(run, reindex);
        if rewritten.is_err() {
            self.roll_back();
        }
        rewritten
    }

    fn rewrite_run(&mut self, run: Range<usize>, reindex: &mut ReindexFn<'_>) -> Result<(), Error> {
        debug_assert!(self.pending.is_empty(), "pending changes are committed first");
        let segments: Vec<Arc<Segment>> = self.repository.segments[run.clone()].to_vec();
        let mut batch: Vec<(StoredDocument, Vec<u8>)> = Vec::new();
        let mut bytes = 0;
        for segment in &segments {
            segment.read(segment.live(), |_, stored, content| {
                bytes += content.len();
                batch.push((stored, content.to_vec()));
                if bytes < BATCH {
                    return Ok(());
                }
                bytes = 0;
                self.append_batch(std::mem::take(&mut batch), reindex)
            })?;
        }
        self.append_batch(batch, reindex)?;
        self.flush()?;
        let mut manifest = self.repository.manifest.clone();
        manifest.generation += 1;
        manifest.next_segment = self.next_segment;
        manifest.segments.splice(run, self.pending.segments.clone());
        self.install(manifest)
    }

    fn append_batch(
        &mut self,
        batch: Vec<(StoredDocument, Vec<u8>)>,
        reindex: &mut ReindexFn<'_>,
    ) -> Result<(), Error> {
        if batch.is_empty() {
            return Ok(());
        }
        let expected: Vec<String> = batch.iter().map(|(stored, _)| stored.id.clone()).collect();
        let entries = reindex(batch)?;
        if !entries.iter().map(|entry| &entry.id).eq(&expected) {
            let reason = "documents that were indexed again differ from the stored ones";
            return Err(Error::Reindex(reason.to_owned()));
        }
        entries.iter().try_for_each(|entry| self.append(entry))
    }
}

fn take_lock(io: &dyn Io, folder: &Path) -> Result<Box<dyn Lock>, Error> {
    let path = folder.join(LOCK);
    let lock = io.lock(&path).map_err(Error::file("lock", &path))?;
    lock.ok_or_else(|| Error::Locked { path: folder.to_owned() })
}
