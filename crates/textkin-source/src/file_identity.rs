//! Each file once: which of the files that were found are outputs of the run, and which are found
//! for a second time.
//!
//! A file is what its canonical path says: a link to it is the same file, a hard link is another
//! one. Canonical paths cost, so they are asked for only where device and inode are the same.

use std::collections::{HashMap, HashSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// Device and inode; none where the system does not tell them.
pub(crate) type FileIdentity = Option<(u64, u64)>;

/// Where a file lies.
#[cfg(unix)]
pub(crate) fn identity(metadata: &Metadata) -> FileIdentity {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

/// Where a file lies.
#[cfg(not(unix))]
pub(crate) fn identity(_: &Metadata) -> FileIdentity {
    None
}

/// The files that a run is going to write.
pub(crate) struct Outputs(Vec<(FileIdentity, PathBuf)>);

impl Outputs {
    /// Takes those of `paths` that exist already.
    pub(crate) fn new(paths: &[PathBuf]) -> Self {
        let known = |path: &PathBuf| Some((identity(&path.metadata().ok()?), canonical(path)));
        Self(paths.iter().filter_map(known).collect())
    }

    pub(crate) fn contains(&self, path: &Path, identity: FileIdentity) -> bool {
        self.0.iter().any(|(other, output)| *other == identity && *output == canonical(path))
    }
}

/// The files seen so far.
#[derive(Default)]
pub(crate) struct SeenFiles<'a>(HashMap<FileIdentity, Names<'a>>);

/// Files that may be the same one.
enum Names<'a> {
    /// As given.
    One(&'a Path),
    Canonical(HashSet<PathBuf>),
}

impl<'a> SeenFiles<'a> {
    /// Adds a file; says whether it is new.
    pub(crate) fn insert(&mut self, path: &'a Path, identity: FileIdentity) -> bool {
        use std::collections::hash_map::Entry;
        match self.0.entry(identity) {
            Entry::Vacant(vacant) => {
                vacant.insert(Names::One(path));
                true
            }
            Entry::Occupied(mut known) => {
                if let Names::One(first) = known.get() {
                    let first = canonical(first);
                    known.insert(Names::Canonical(HashSet::from([first])));
                }
                match known.get_mut() {
                    Names::Canonical(names) => names.insert(canonical(path)),
                    Names::One(_) => true,
                }
            }
        }
    }
}

/// The one name of a file; the name as given where the system knows no other.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
