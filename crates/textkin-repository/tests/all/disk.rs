//! A simulated disk that loses whatever a real one may lose.
//!
//! For every file it stores the contents that programs see and those that are synced; for names,
//! the synced ones and the operations since. A [`SimulatedDisk::crash`] keeps the synced part and
//! an arbitrary part of the rest:
//!
//! - unsynced contents are lost, complete, truncated at any byte, or torn: some pages of 512 or
//!   4096 bytes
//!   are kept, others are zeros or garbage;
//! - each creation, rename and removal since the last sync of the folder is kept or lost
//!   independently, so
//!   that a later one may survive without an earlier one, and a name without its contents.
//!
//! Any operation can be made to fail ([`Fault`]), or to be the last before a crash. All choices are
//! determined by seeds.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use textkin_repository::{Bytes, Io, Lock, OutFile};

/// A fault of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The operation fails once, as if the disk were faulty. A rename may still have happened, and
    /// contents that could not be synced never will be.
    Broken,
    /// The disk is full: nothing can be written until [`SimulatedDisk::repair`]. The first write is
    /// truncated.
    Full,
    /// The machine stops: every operation fails until [`SimulatedDisk::crash`].
    Crash,
}

/// Pseudorandom numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("the number is below a usize")
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }
}

/// A file, independent of its names.
#[derive(Clone, Debug, Default)]
struct Inode {
    contents: Vec<u8>,
    /// The contents that are certainly on disk.
    synced: Vec<u8>,
    /// Whether a sync failed: contents that were not on disk by then will never be.
    is_lost: bool,
}

/// A change of names.
#[derive(Clone, Debug)]
enum Change {
    Create(PathBuf, usize),
    Rename(PathBuf, PathBuf, usize),
    Remove(PathBuf),
}

#[derive(Clone, Debug, Default)]
struct State {
    inodes: Vec<Inode>,
    folders: BTreeSet<PathBuf>,
    /// The names as programs see them.
    names: BTreeMap<PathBuf, usize>,
    /// The names that are certainly on disk.
    synced: BTreeMap<PathBuf, usize>,
    /// The changes of names since.
    changes: Vec<Change>,
    locks: BTreeSet<PathBuf>,
    /// Number of crashes so far: files and locks from before are invalid.
    age: u64,
    operations: u64,
    /// The operation that fails, how it fails, and whether it has.
    fault: Option<(u64, Fault)>,
    has_failed: bool,
    /// Operations that no repository should do.
    violations: Vec<String>,
}

/// A disk that can crash.
#[derive(Clone, Debug, Default)]
pub(crate) struct SimulatedDisk(Arc<Mutex<State>>);

impl SimulatedDisk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no thread panics while holding the lock")
    }

    /// Makes the operation after `after` others fail.
    pub(crate) fn plan(&self, after: u64, fault: Fault) {
        let mut state = self.state();
        state.fault = Some((state.operations + after, fault));
        state.has_failed = false;
    }

    /// Returns whether the planned fault has happened.
    pub(crate) fn has_failed(&self) -> bool {
        self.state().has_failed
    }

    /// Returns the number of operations so far.
    pub(crate) fn operations(&self) -> u64 {
        self.state().operations
    }

    /// Ends the planned fault, whether it happened or not.
    pub(crate) fn repair(&self) {
        let mut state = self.state();
        state.fault = None;
        state.has_failed = false;
    }

    /// Returns the operations that no repository should do.
    pub(crate) fn violations(&self) -> Vec<String> {
        self.state().violations.clone()
    }

    /// Returns all files.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.state().names.keys().cloned().collect()
    }

    /// Returns the contents of an existing file.
    pub(crate) fn contents(&self, path: &Path) -> Vec<u8> {
        let state = self.state();
        state.inodes[state.names[path]].contents.clone()
    }

    /// Overwrites or removes a file without any program noticing.
    pub(crate) fn overwrite(&self, path: &Path, contents: Option<Vec<u8>>) {
        let mut state = self.state();
        match contents {
            None => {
                state.names.remove(path);
            }
            Some(contents) => {
                let inode = state.inodes.len();
                state.inodes.push(Inode { synced: contents.clone(), contents, is_lost: false });
                state.names.insert(path.to_owned(), inode);
            }
        }
        state.synced = state.names.clone();
        state.changes.clear();
    }

    /// Returns a copy of the disk.
    pub(crate) fn snapshot(&self) -> Self {
        Self(Arc::new(Mutex::new(self.state().clone())))
    }

    /// Stops every program and keeps everything, as `kill -9` does.
    pub(crate) fn kill(&self) {
        let mut state = self.state();
        state.age += 1;
        state.locks.clear();
        state.fault = None;
        state.has_failed = false;
    }

    /// Cuts the power and restarts with what `seed` leaves on disk.
    pub(crate) fn crash(&self, seed: u64) {
        self.kill();
        let mut state = self.state();
        let mut random = Random(seed);
        // Sometimes everything, nothing, or the first part of the unsynced changes is kept.
        let (mode, n_first) = (random.below(6), random.below(state.changes.len() + 1));
        let changes = std::mem::take(&mut state.changes);
        for (number, change) in changes.into_iter().enumerate() {
            let is_kept = match mode {
                0 => true,
                1 => false,
                2 => number < n_first,
                _ => random.coin(),
            };
            if is_kept {
                change.apply(&mut state.synced);
            }
        }
        state.names = state.synced.clone();
        for inode in &mut state.inodes {
            inode.crash(&mut random);
        }
    }

    /// Counts an operation and returns the planned fault, if any.
    fn begin(state: &mut State, age: u64, writes: bool) -> io::Result<()> {
        if age != state.age {
            return Err(io::Error::other("the machine has been restarted"));
        }
        let number = state.operations;
        state.operations += 1;
        match state.fault {
            Some((at, Fault::Crash)) if number >= at => {
                state.has_failed = true;
                Err(io::Error::other("the machine has stopped"))
            }
            Some((at, Fault::Full)) if number >= at && writes => {
                state.has_failed = true;
                Err(ErrorKind::StorageFull.into())
            }
            Some((at, Fault::Broken)) if number >= at && !state.has_failed => {
                state.has_failed = true;
                Err(io::Error::other("the disk is faulty"))
            }
            _ => Ok(()),
        }
    }

    /// Begins an operation and returns the state.
    fn operation(&self, writes: bool) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        let age = state.age;
        Self::begin(&mut state, age, writes)?;
        Ok(state)
    }
}

impl Change {
    fn apply(self, names: &mut BTreeMap<PathBuf, usize>) {
        match self {
            Self::Create(path, inode) => {
                names.insert(path, inode);
            }
            Self::Rename(from, to, inode) => {
                names.remove(&from);
                names.insert(to, inode);
            }
            Self::Remove(path) => {
                names.remove(&path);
            }
        }
    }
}

impl Inode {
    fn crash(&mut self, random: &mut Random) {
        if self.contents != self.synced {
            let mut left = self.contents.clone();
            match random.below(5) {
                0 => left.clone_from(&self.synced),
                1 => {}
                2 => left.truncate(random.below(left.len() + 1)),
                _ => {
                    let page = if random.coin() { 512 } else { 4096 };
                    for torn in left.chunks_mut(page) {
                        match random.below(4) {
                            0 => torn.fill(0),
                            1 => torn
                                .iter_mut()
                                .for_each(|byte| *byte = random.next().to_le_bytes()[0]),
                            _ => {}
                        }
                    }
                    if random.coin() {
                        left.truncate(random.below(left.len() + 1));
                    }
                }
            }
            // Files are only appended to, so the synced contents are at the start.
            if self.contents.starts_with(&self.synced) {
                let certain = self.synced.len();
                left.resize(left.len().max(certain), 0);
                left[..certain].copy_from_slice(&self.synced);
            }
            self.contents = left;
        }
        self.synced.clone_from(&self.contents);
        self.is_lost = false;
    }
}

/// A file that is being written to a [`SimulatedDisk`].
struct SimulatedFile {
    disk: SimulatedDisk,
    inode: usize,
    age: u64,
}

impl Write for SimulatedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.disk.state();
        let had_failed = state.has_failed;
        let begun = SimulatedDisk::begin(&mut state, self.age, true);
        let contents = &mut state.inodes[self.inode].contents;
        match begun {
            Ok(()) => {
                contents.extend_from_slice(bytes);
                Ok(bytes.len())
            }
            Err(error) if had_failed || bytes.len() < 2 => Err(error),
            Err(error) => {
                // Half of the bytes are written: a full disk reports that, a crash does not.
                contents.extend_from_slice(&bytes[..bytes.len() / 2]);
                match error.kind() {
                    ErrorKind::StorageFull => Ok(bytes.len() / 2),
                    _ => Err(error),
                }
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl OutFile for SimulatedFile {
    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.disk.state();
        let begun = SimulatedDisk::begin(&mut state, self.age, true);
        let inode = &mut state.inodes[self.inode];
        match begun {
            Ok(()) if inode.is_lost => Ok(()),
            Ok(()) => {
                inode.synced.clone_from(&inode.contents);
                Ok(())
            }
            Err(error) => {
                inode.is_lost = true;
                Err(error)
            }
        }
    }
}

/// A lock that is released when it is dropped, or by a crash.
#[derive(Debug)]
struct SimulatedLock {
    disk: SimulatedDisk,
    path: PathBuf,
    age: u64,
}

impl Lock for SimulatedLock {}

impl Drop for SimulatedLock {
    fn drop(&mut self) {
        let mut state = self.disk.state();
        if state.age == self.age {
            state.locks.remove(&self.path);
        }
    }
}

impl Io for SimulatedDisk {
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.operation(true)?.folders.insert(path.to_owned());
        Ok(())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let state = self.operation(false)?;
        if !state.folders.contains(path) {
            return Err(ErrorKind::NotFound.into());
        }
        let names = state.names.keys().filter(|name| name.parent() == Some(path));
        let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into());
        Ok(names.filter_map(name).collect())
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn OutFile>> {
        let mut state = self.operation(true)?;
        let inode = match state.names.get(path).copied() {
            Some(inode) => {
                if path.extension().is_some_and(|end| end == "tks") {
                    state.violations.push(format!("{} is overwritten", path.display()));
                }
                state.inodes[inode].contents.clear();
                state.inodes[inode].is_lost = false;
                inode
            }
            None => {
                let inode = state.inodes.len();
                state.inodes.push(Inode::default());
                state.names.insert(path.to_owned(), inode);
                state.changes.push(Change::Create(path.to_owned(), inode));
                inode
            }
        };
        let age = state.age;
        Ok(Box::new(SimulatedFile { disk: self.clone(), inode, age }))
    }

    fn open(&self, path: &Path) -> io::Result<Bytes> {
        self.read(path).map(|bytes| Bytes::Memory(bytes.into()))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let state = self.operation(false)?;
        let inode = state.names.get(path).ok_or(ErrorKind::NotFound)?;
        Ok(state.inodes[*inode].contents.clone())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        let age = state.age;
        let begun = Self::begin(&mut state, age, true);
        // Half of the failing renames happen anyway.
        if begun.is_err() && state.operations.is_multiple_of(2) {
            return begun;
        }
        let inode = *state.names.get(from).ok_or(ErrorKind::NotFound)?;
        let change = Change::Rename(from.to_owned(), to.to_owned(), inode);
        change.clone().apply(&mut state.names);
        state.changes.push(change);
        begun
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        // Removing works on a full disk too.
        let mut state = self.operation(false)?;
        state.names.remove(path).ok_or(ErrorKind::NotFound)?;
        state.changes.push(Change::Remove(path.to_owned()));
        Ok(())
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = self.operation(true)?;
        let changes = std::mem::take(&mut state.changes);
        for change in changes {
            let name = match &change {
                Change::Create(name, _) | Change::Rename(_, name, _) | Change::Remove(name) => name,
            };
            if name.parent() == Some(path) {
                change.apply(&mut state.synced);
            } else {
                state.changes.push(change);
            }
        }
        Ok(())
    }

    fn sync_all(&self, files: &mut [Box<dyn OutFile>], folder: &Path) -> io::Result<()> {
        // In any order, and continuing after a failure.
        let mut order: Vec<usize> = (0..=files.len()).collect();
        let mut random = Random(self.operations());
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
        let mut sync = |number: usize| match files.get_mut(number) {
            Some(file) => file.sync(),
            None => self.sync_folder(folder),
        };
        let synced: Vec<io::Result<()>> = order.into_iter().map(&mut sync).collect();
        synced.into_iter().collect()
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn Lock>>> {
        let mut state = self.operation(true)?;
        if !state.locks.insert(path.to_owned()) {
            return Ok(None);
        }
        if !state.names.contains_key(path) {
            let inode = state.inodes.len();
            state.inodes.push(Inode::default());
            state.names.insert(path.to_owned(), inode);
            state.changes.push(Change::Create(path.to_owned(), inode));
        }
        let age = state.age;
        Ok(Some(Box::new(SimulatedLock { disk: self.clone(), path: path.to_owned(), age })))
    }
}
