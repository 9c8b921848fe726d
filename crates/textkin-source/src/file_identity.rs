//! Identity of files: detects outputs of the run among the inputs, and files found more than once.
//!
//! The canonical path identifies a file: a symbolic link is the same file, a hard link is another
//! one. Canonical paths are expensive, so they are computed only if device and inode are equal.

use std::collections::{HashMap, HashSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// Device and inode; `None` if the system does not provide them.
pub(crate) type FileIdentity = Option<(u64, u64)>;

/// Returns the identity of a file.
#[cfg(unix)]
pub(crate) fn identity(metadata: &Metadata) -> FileIdentity {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

/// Returns the identity of a file.
#[cfg(not(unix))]
pub(crate) fn identity(_: &Metadata) -> FileIdentity {
    None
}

/// The files that the run writes.
pub(crate) struct Outputs(Vec<(FileIdentity, PathBuf)>);

impl Outputs {
    /// Keeps those of `paths` that already exist.
    pub(crate) fn new(paths: &[PathBuf]) -> Self {
        let existing = |path: &PathBuf| Some((identity(&path.metadata().ok()?), canonical(path)));
        Self(paths.iter().filter_map(existing).collect())
    }

    pub(crate) fn contains(&self, path: &Path, identity: FileIdentity) -> bool {
        self.0.iter().any(|(other, output)| *other == identity && *output == canonical(path))
    }
}

/// The input files seen so far.
#[derive(Default)]
pub(crate) struct SeenFiles<'a>(HashMap<FileIdentity, Names<'a>>);

/// Paths with the same device and inode.
enum Names<'a> {
    /// A single path, as given.
    One(&'a Path),
    Canonical(HashSet<PathBuf>),
}

impl<'a> SeenFiles<'a> {
    /// Adds a file; returns whether it is new.
    pub(crate) fn insert(&mut self, path: &'a Path, identity: FileIdentity) -> bool {
        use std::collections::hash_map::Entry;
        match self.0.entry(identity) {
            Entry::Vacant(vacant) => {
                vacant.insert(Names::One(path));
                true
            }
            Entry::Occupied(mut entry) => {
                if let Names::One(first) = entry.get() {
                    let first = canonical(first);
                    entry.insert(Names::Canonical(HashSet::from([first])));
                }
                match entry.get_mut() {
                    Names::Canonical(names) => names.insert(canonical(path)),
                    Names::One(_) => true,
                }
            }
        }
    }
}

/// The canonical path, or `path` itself if the system cannot resolve it.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
