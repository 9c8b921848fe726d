//! Changes a repository: all that was asked for, or nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use textkin_core::Part;

use crate::builder::SegmentBuilder;
use crate::document::{NewDocument, StoredDocument};
use crate::error::Error;
use crate::io::{Io, Lock, OutFile};
use crate::manifest::{
    Manifest, NAME, NEXT, RemovedLine, SegmentLine, removed_name, segment_name, segment_number,
};
use crate::pages::WrittenFile;
use crate::repository::{DocumentAddress, Repository};
use crate::runs::{small, worn};
use crate::segment::Segment;

const LOCK: &str = "lock";
/// Bytes of evidence that are given to be prepared at once.
const BATCH: usize = 8 << 20;
/// The most files that are open because they are not yet synced.
const MAX_UNSYNCED: usize = 16;

/// How a repository is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterSettings {
    /// Bytes of memory for documents that are not yet in a segment.
    pub memory: usize,
    /// Bytes of memory that merging small segments after a change may take: none merges nothing.
    pub merge: usize,
}

impl Default for WriterSettings {
    fn default() -> Self {
        Self { memory: 1 << 30, merge: 64 << 20 }
    }
}

/// What a change did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommitSummary {
    /// Documents added.
    pub added: u64,
    /// Documents removed.
    pub removed: u64,
    /// Documents after it.
    pub documents: u64,
    /// Number of changes the repository has seen.
    pub generation: u64,
}

/// Makes entries of documents again, from what is stored of them: as many, in the same order.
pub type ReindexFn<'a> =
    dyn FnMut(Vec<(StoredDocument, Vec<u8>)>) -> Result<Vec<NewDocument>, Error> + 'a;

/// The one writer of a repository. What it was asked to do is done by [`Writer::commit`]; dropping
/// it before that leaves the repository as it was.
#[derive(Debug)]
pub struct Writer {
    io: Arc<dyn Io>,
    folder: PathBuf,
    settings: WriterSettings,
    repository: Repository,
    pending: Pending,
    /// Files up to this number were there when it was opened, or were written since.
    next_segment: u64,
    /// Whether the last manifest may or may not have taken its place.
    is_in_doubt: bool,
    _lock: Box<dyn Lock>,
}

/// What is not yet committed.
#[derive(Default)]
struct Pending {
    builder: SegmentBuilder,
    /// Segments that are written.
    segments: Vec<SegmentLine>,
    /// Files that are written but not synced.
    unsynced: Vec<Box<dyn OutFile>>,
    /// Whether a part of it could not be written.
    is_broken: bool,
    ids: HashSet<String>,
    added: u64,
    /// Documents to be removed, with their words, by segment.
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
    /// Makes a new repository in `folder`, which is new or empty. `config` says how it was made.
    ///
    /// # Errors
    /// If there is something already, or it cannot be written.
    pub fn create(
        io: Arc<dyn Io>,
        folder: &Path,
        config: serde_json::Value,
        settings: WriterSettings,
    ) -> Result<Self, Error> {
        io.make_folder(folder).map_err(Error::file("make the folder", folder))?;
        let look = || {
            let names = io.list(folder).map_err(Error::file("read", folder))?;
            // What was begun and never finished is no repository yet.
            let path = folder.to_owned();
            match names.iter().find(|name| *name != LOCK && *name != NEXT) {
                Some(_) if names.iter().any(|name| name == NAME) => {
                    Err(Error::AlreadyExists { path })
                }
                Some(_) => Err(Error::NotEmpty { path }),
                None => Ok(()),
            }
        };
        // Before anything is put there, and again when nobody else can.
        look()?;
        let lock = take_lock(&*io, folder)?;
        look()?;
        let manifest = Manifest::new(config);
        manifest.write(&*io, folder, Vec::new())?;
        Manifest::take_place(&*io, folder)?;
        let repository = Repository::of(&*io, folder, manifest, &[])?;
        Ok(Self::new(io, folder, settings, repository, lock))
    }

    /// Opens the repository in `folder` for writing.
    ///
    /// # Errors
    /// If there is none, it is damaged, or another process writes it.
    pub fn open(io: Arc<dyn Io>, folder: &Path, settings: WriterSettings) -> Result<Self, Error> {
        // Without a manifest there is no repository, and no lock is left in a folder that is none.
        Manifest::read(&*io, folder)?;
        let lock = take_lock(&*io, folder)?;
        let repository = Repository::open(&*io, folder)?;
        // A writer may have ended before it was sure of this manifest: what is left over may be what
        // the one before it names, and whoever is told of a document that is there relies on it.
        io.sync_folder(folder).map_err(Error::file("sync", folder))?;
        let mut writer = Self::new(io, folder, settings, repository, lock);
        writer.clear_away();
        // What could not be cleared away, because someone still reads it, keeps its name.
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
            is_in_doubt: false,
            _lock: lock,
        }
    }

    /// Refuses to go on where it could not.
    fn ready(&self) -> Result<(), Error> {
        match self.is_in_doubt || self.pending.is_broken {
            true => Err(Error::Unfinished { path: self.folder.clone() }),
            false => Ok(()),
        }
    }

    /// The repository as it was last committed.
    #[must_use]
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Whether a document with this id is there once all is done that was asked for.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn contains(&self, id: &str) -> Result<bool, Error> {
        if self.pending.ids.contains(id) {
            return Ok(true);
        }
        let address = self.repository.find(id)?;
        Ok(address.is_some_and(|address| !self.is_going(address)))
    }

    /// Whether a document with this id is to be added.
    #[must_use]
    pub fn is_pending(&self, id: &str) -> bool {
        self.pending.ids.contains(id)
    }

    fn is_going(&self, address: DocumentAddress) -> bool {
        let going = self.pending.removed.get(&address.segment);
        going.is_some_and(|going| going.contains_key(&address.document))
    }

    /// Asks for a document to be added.
    ///
    /// # Errors
    /// If its id is taken, it is too large, or a segment that is full cannot be written. After the
    /// last, [`Writer::commit`] fails too, and nothing of what was asked for is done.
    pub fn add(&mut self, entry: &NewDocument) -> Result<(), Error> {
        self.ready()?;
        if self.contains(&entry.id)? {
            return Err(Error::DuplicateId { id: entry.id.clone() });
        }
        self.append(entry)?;
        self.pending.ids.insert(entry.id.clone());
        self.pending.added += 1;
        Ok(())
    }

    fn append(&mut self, entry: &NewDocument) -> Result<(), Error> {
        if self.pending.builder.is_full(entry) {
            self.flush()?;
        }
        self.pending.builder.add(entry)?;
        if self.pending.builder.memory() >= self.settings.memory {
            self.flush()?;
        }
        Ok(())
    }

    /// Asks for a document to be removed; `terms` are the hashes of its different words. Twice is
    /// once, and what is not there need not be removed.
    pub fn remove(&mut self, address: DocumentAddress, terms: Vec<u64>) {
        let segment = self.repository.segments.get(address.segment as usize);
        if !segment.is_some_and(|segment| segment.is_live(address.document)) {
            return;
        }
        self.pending.removed.entry(address.segment).or_default().insert(address.document, terms);
    }

    /// Writes what was gathered as a segment.
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
        self.pending.segments.push(SegmentLine { file, bytes, sum, removed: None });
        self.keep(out)
    }

    /// Keeps a file open until all are synced together, or there are too many.
    fn keep(&mut self, out: Box<dyn OutFile>) -> Result<(), Error> {
        self.pending.unsynced.push(out);
        if self.pending.unsynced.len() < MAX_UNSYNCED {
            return Ok(());
        }
        let mut files = std::mem::take(&mut self.pending.unsynced);
        self.io.sync_all(&mut files, &self.folder).map_err(Error::file("sync", &self.folder))
    }

    /// Does what was asked for, and returns once it is on the disk.
    ///
    /// # Errors
    /// If it cannot be written; then the repository is as before, and what was asked for forgotten.
    /// Only if the very last step fails, it may be as after, and this writer refuses to go on.
    pub fn commit(&mut self) -> Result<CommitSummary, Error> {
        let flushed = self.ready().and_then(|()| self.flush());
        let committed = flushed.and_then(|()| self.commit_flushed());
        if committed.is_err() {
            self.roll_back();
        }
        committed
    }

    fn commit_flushed(&mut self) -> Result<CommitSummary, Error> {
        let mut manifest = self.repository.manifest.clone();
        let removed: usize = self.pending.removed.values().map(HashMap::len).sum();
        let mut receipt = CommitSummary {
            added: self.pending.added,
            removed: removed as u64,
            documents: self.repository.n_documents(),
            generation: manifest.generation,
        };
        if self.pending.segments.is_empty() && removed == 0 {
            self.forget();
            return Ok(receipt);
        }
        manifest.generation += 1;
        manifest.next_segment = self.next_segment;
        let going = std::mem::take(&mut self.pending.removed);
        for (&number, documents) in &going {
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
            line.removed = Some(RemovedLine { file: name, sum });
        }
        manifest.segments.append(&mut self.pending.segments.clone());
        self.install(manifest)?;
        receipt.documents = self.repository.n_documents();
        receipt.generation = self.repository.generation();
        Ok(receipt)
    }

    /// Puts `manifest` in its place and clears away what it does not name.
    fn install(&mut self, manifest: Manifest) -> Result<(), Error> {
        // Opened before it counts: what cannot be read back is not committed.
        let lines = self.repository.manifest.segments.iter().cloned();
        let known: Vec<(SegmentLine, Arc<Segment>)> =
            lines.zip(self.repository.segments.iter().cloned()).collect();
        let repository = Repository::of(&*self.io, &self.folder, manifest, &known)?;
        let unsynced = std::mem::take(&mut self.pending.unsynced);
        repository.manifest.write(&*self.io, &self.folder, unsynced)?;
        if let Err(error) = Manifest::take_place(&*self.io, &self.folder) {
            // Either manifest may be the one that a crash leaves: the files of both stay.
            self.is_in_doubt = true;
            return Err(error);
        }
        self.repository = repository;
        self.forget();
        self.clear_away();
        Ok(())
    }

    /// Removes files that no manifest names. What cannot be removed now is tried again later.
    fn clear_away(&self) {
        let names = self.io.list(&self.folder).unwrap_or_default();
        for path in self.repository.manifest.leftover_files(&self.folder, &names) {
            let _ = self.io.remove(&path);
        }
    }

    /// Forgets what was asked for.
    pub fn roll_back(&mut self) {
        self.forget();
        if !self.is_in_doubt {
            self.clear_away();
        }
    }

    fn forget(&mut self) {
        self.pending = Pending::default();
    }

    /// Commits what was asked for, then merges segments: all that are small or have lost documents,
    /// as far as memory goes.
    ///
    /// # Errors
    /// If something cannot be read or written; then the repository is as before.
    pub fn compact(&mut self, prepare: &mut ReindexFn<'_>) -> Result<(), Error> {
        self.commit_pending()?;
        // From the last run to the first, so that numbers stay true.
        for run in worn(self.repository.segments(), self.settings.memory).into_iter().rev() {
            self.rewrite(run, prepare)?;
        }
        Ok(())
    }

    /// Commits what was asked for, then merges small segments at the end, so that many small changes
    /// do not leave many of them.
    ///
    /// # Errors
    /// If something cannot be read or written; then the repository is as before.
    pub fn merge(&mut self, prepare: &mut ReindexFn<'_>) -> Result<(), Error> {
        self.commit_pending()?;
        match small(self.repository.segments(), self.settings.merge) {
            Some(run) => self.rewrite(run, prepare),
            None => Ok(()),
        }
    }

    fn commit_pending(&mut self) -> Result<(), Error> {
        self.ready()?;
        if self.pending.is_empty() { Ok(()) } else { self.commit().map(|_| ()) }
    }

    /// Puts new segments with the same documents in the place of a run of segments.
    fn rewrite(&mut self, run: Range<usize>, prepare: &mut ReindexFn<'_>) -> Result<(), Error> {
        let rewritten = self.rewrite_run(run, prepare);
        if rewritten.is_err() {
            self.roll_back();
        }
        rewritten
    }

    fn rewrite_run(&mut self, run: Range<usize>, prepare: &mut ReindexFn<'_>) -> Result<(), Error> {
        debug_assert!(self.pending.is_empty(), "changes are committed before");
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
                self.append_batch(std::mem::take(&mut batch), prepare)
            })?;
        }
        self.append_batch(batch, prepare)?;
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
        prepare: &mut ReindexFn<'_>,
    ) -> Result<(), Error> {
        if batch.is_empty() {
            return Ok(());
        }
        let asked: Vec<String> = batch.iter().map(|(stored, _)| stored.id.clone()).collect();
        let entries = prepare(batch)?;
        if !entries.iter().map(|entry| &entry.id).eq(&asked) {
            let reason = "documents that were made again are not those that were stored";
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
