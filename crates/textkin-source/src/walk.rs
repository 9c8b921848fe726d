//! Expands the paths given by the user into a list of inputs.
//!
//! In: files, folders, patterns and `-`. Out: the inputs, each file once, in the order of the given
//! paths and, within folders and patterns, in path order. Problems are listed at their position.
//! Files are not opened.

use std::collections::HashSet;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder};
use textkin_core::Problem;

use crate::exclude::{excludes, is_excluded};
use crate::file_identity::{FileIdentity, Outputs, SeenFiles, identity};
use crate::stream::reason;
use crate::{Error, InputFormat, SourceSettings};

/// All inputs to read.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) items: Vec<InputItem>,
    /// Entries skipped because their name begins with a dot.
    pub(crate) n_hidden: u64,
    /// Symbolic links inside folders that were not followed.
    pub(crate) n_links: u64,
    /// Entries skipped by the exclude patterns.
    pub(crate) n_excluded: u64,
    /// Files that were found again.
    pub(crate) n_repeated: u64,
    /// Folders skipped because of their marker file.
    pub(crate) marked: Vec<PathBuf>,
    /// Files skipped because the run writes them.
    pub(crate) outputs: Vec<PathBuf>,
}

/// One input to read, or a problem.
#[derive(Clone, Debug)]
pub(crate) enum InputItem {
    File {
        path: PathBuf,
        size: u64,
        format: InputFormat,
        identity: FileIdentity,
    },
    /// A pipe or device; its name and first bytes decide the format.
    Pipe(PathBuf),
    StandardInput,
    Problem(Problem),
}

impl Listing {
    /// Lists all inputs.
    pub(crate) fn new<P: AsRef<Path>>(
        paths: &[P],
        settings: &SourceSettings,
    ) -> Result<Self, Error> {
        // Checks the patterns before walking folders.
        excludes(Path::new(""), &settings.exclude)?;
        let mut listing = Self::list(paths, settings)?;
        listing.remove_repeated(settings, 0);
        Ok(listing)
    }

    /// Lists the inputs of two parts; also returns the index of the first input of the second. A file in
    /// both belongs to the second.
    pub(crate) fn of_two_parts<P: AsRef<Path>, Q: AsRef<Path>>(
        first: &[P],
        second: &[Q],
        settings: &SourceSettings,
    ) -> Result<(Self, usize), Error> {
        excludes(Path::new(""), &settings.exclude)?;
        let (mut listing, mut first) =
            (Self::list(second, settings)?, Self::list(first, settings)?);
        let is_stdin = |item: &InputItem| matches!(item, InputItem::StandardInput);
        if listing.items.iter().any(is_stdin) && first.items.iter().any(is_stdin) {
            return Err(Error::StandardInputTwice);
        }
        let n_second = listing.items.len();
        listing.items.append(&mut first.items);
        listing.n_hidden += first.n_hidden;
        listing.n_links += first.n_links;
        listing.n_excluded += first.n_excluded;
        listing.marked.append(&mut first.marked);
        let n_second = listing.remove_repeated(settings, n_second);
        listing.items.rotate_left(n_second);
        let second_part = listing.items.len() - n_second;
        Ok((listing, second_part))
    }

    /// Lists all inputs, repeated ones too.
    fn list<P: AsRef<Path>>(paths: &[P], settings: &SourceSettings) -> Result<Self, Error> {
        let mut listing = Self::default();
        let mut has_standard_input = false;
        for path in paths.iter().map(AsRef::as_ref) {
            if path.as_os_str() != "-" {
                listing.add(path, settings)?;
            } else if std::mem::replace(&mut has_standard_input, true) {
                return Err(Error::StandardInputTwice);
            } else {
                listing.items.push(InputItem::StandardInput);
            }
        }
        Ok(listing)
    }

    /// Removes outputs of the run and files that were found before; returns how many of the first `n` inputs
    /// remain.
    fn remove_repeated(&mut self, settings: &SourceSettings, n: usize) -> usize {
        let outputs = Outputs::new(&settings.outputs);
        let mut seen = SeenFiles::default();
        let mut is_kept = Vec::with_capacity(self.items.len());
        for item in &self.items {
            is_kept.push(match item {
                InputItem::File { path, identity, .. } if outputs.contains(path, *identity) => {
                    if !self.outputs.contains(path) {
                        self.outputs.push(path.clone());
                    }
                    false
                }
                InputItem::File { path, identity, .. } => {
                    let is_new = seen.insert(path, *identity);
                    self.n_repeated += u64::from(!is_new);
                    is_new
                }
                InputItem::Pipe(path) => {
                    let is_new = seen.insert(path, None);
                    self.n_repeated += u64::from(!is_new);
                    is_new
                }
                InputItem::StandardInput | InputItem::Problem(_) => true,
            });
        }
        let n_kept = is_kept.iter().take(n).filter(|is_kept| **is_kept).count();
        let mut is_kept = is_kept.into_iter();
        self.items.retain(|_| is_kept.next().unwrap_or(true));
        n_kept
    }

    fn add(&mut self, path: &Path, settings: &SourceSettings) -> Result<(), Error> {
        match fs_err::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                match settings.folder_marker.filter(|marker| marker.is_in(path)) {
                    Some(marker) => self.problem(path, marker.reason.to_owned()),
                    None => self.walk(path, settings)?,
                }
            }
            Ok(metadata) if metadata.is_file() => self.items.push(file(path, &metadata, settings)),
            Ok(_) => self.items.push(InputItem::Pipe(path.to_owned())),
            Err(error) => match pattern(path) {
                Some(pattern) if error.kind() == io::ErrorKind::NotFound => {
                    self.expand(pattern, settings)?
                }
                _ => self.problem(path, reason(&error)),
            },
        }
        Ok(())
    }

    /// Adds the files of a folder.
    fn walk(&mut self, root: &Path, settings: &SourceSettings) -> Result<(), Error> {
        let hidden = Arc::new(AtomicU64::new(0));
        let excluded = Arc::new(AtomicU64::new(0));
        let marked = Arc::new(Mutex::new(Vec::new()));
        let exclude = excludes(root, &settings.exclude)?;
        let filter = {
            let (hidden, excluded) = (Arc::clone(&hidden), Arc::clone(&excluded));
            let marked = Arc::clone(&marked);
            let (with_hidden, marker) = (settings.hidden, settings.folder_marker);
            move |entry: &DirEntry| {
                let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
                let reason_to_skip = if entry.depth() == 0 {
                    return true;
                } else if exclude.matched(entry.path(), is_dir).is_ignore() {
                    &excluded
                } else if !with_hidden && entry.file_name().as_encoded_bytes().starts_with(b".") {
                    &hidden
                } else if is_dir && marker.is_some_and(|marker| marker.is_in(entry.path())) {
                    let mut marked = marked.lock().unwrap_or_else(PoisonError::into_inner);
                    marked.push(entry.path().to_owned());
                    return false;
                } else {
                    return true;
                };
                reason_to_skip.fetch_add(1, Ordering::Relaxed);
                false
            }
        };
        let walk = WalkBuilder::new(root)
            .standard_filters(false)
            .follow_links(settings.follow_links)
            .sort_by_file_name(Ord::cmp)
            .filter_entry(filter)
            .build();
        for entry in walk {
            match entry {
                Ok(entry) => self.entry(&entry, settings),
                Err(error) => self.walk_problem(root, &error),
            }
        }
        self.n_hidden += hidden.load(Ordering::Relaxed);
        self.n_excluded += excluded.load(Ordering::Relaxed);
        self.marked.append(&mut marked.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }

    fn entry(&mut self, entry: &DirEntry, settings: &SourceSettings) {
        let Some(kind) = entry.file_type() else {
            return;
        };
        if kind.is_file() {
            match entry.metadata() {
                Ok(metadata) => self.items.push(file(entry.path(), &metadata, settings)),
                Err(error) => self.walk_problem(entry.path(), &error),
            }
        } else if kind.is_symlink() && entry.depth() > 0 {
            self.n_links += 1;
        } else if !kind.is_dir() && entry.depth() > 0 {
            self.problem(entry.path(), "not a regular file".to_owned());
        }
    }

    /// Adds the files that match a pattern.
    fn expand(&mut self, pattern: &str, settings: &SourceSettings) -> Result<(), Error> {
        let options = glob::MatchOptions {
            case_sensitive: true,
            require_literal_separator: true,
            require_literal_leading_dot: !settings.hidden,
        };
        // `**` alone matches only folders, which would be walked repeatedly.
        let whole =
            if pattern.ends_with("**") { format!("{pattern}/*") } else { pattern.to_owned() };
        let found = match glob::glob_with(&whole, options) {
            Ok(found) => found,
            Err(error) => {
                self.problem(
                    Path::new(pattern),
                    format!("no such file, and not a valid pattern: {}", error.msg),
                );
                return Ok(());
            }
        };
        let exclude = excludes(Path::new(""), &settings.exclude)?;
        let mut inner = Self::default();
        for path in found {
            match path {
                Ok(path) if is_excluded(&path, &exclude) => inner.n_excluded += 1,
                Ok(path) => inner.add(&path, settings)?,
                Err(error) => inner.problem(error.path(), reason(error.error())),
            }
        }
        if inner.items.is_empty() && inner.n_excluded == 0 && inner.n_hidden == 0 {
            self.problem(Path::new(pattern), "no file matches".to_owned());
        }
        self.append_distinct(inner);
        Ok(())
    }

    /// Appends the items of one pattern, each file once: `**/*` matches folders and their files.
    fn append_distinct(&mut self, inner: Self) {
        let mut seen = HashSet::new();
        let is_first = |item: &InputItem| match item {
            InputItem::File { path, .. } | InputItem::Pipe(path) => seen.insert(path.clone()),
            InputItem::StandardInput | InputItem::Problem(_) => true,
        };
        self.items.extend(inner.items.into_iter().filter(is_first));
        self.n_hidden += inner.n_hidden;
        self.n_links += inner.n_links;
        self.n_excluded += inner.n_excluded;
        self.marked.extend(inner.marked);
    }

    fn walk_problem(&mut self, root: &Path, error: &ignore::Error) {
        let (path, reason) = describe(error);
        self.problem(path.unwrap_or(root), reason);
    }

    fn problem(&mut self, path: &Path, reason: String) {
        let path = path.to_string_lossy().into_owned();
        self.items.push(InputItem::Problem(Problem { path, line: None, reason }));
    }
}

fn file(path: &Path, metadata: &Metadata, settings: &SourceSettings) -> InputItem {
    let format = settings.input_format.unwrap_or_else(|| InputFormat::from_path(path));
    InputItem::File {
        path: path.to_owned(),
        size: metadata.len(),
        format,
        identity: identity(metadata),
    }
}

/// Returns the path as a pattern, if it is one.
fn pattern(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| text.contains(['*', '?', '[']))
}

/// Returns the path and reason of an error during a walk.
pub(crate) fn describe(error: &ignore::Error) -> (Option<&Path>, String) {
    match error {
        ignore::Error::WithPath { path, err } => (Some(path), describe(err).1),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            describe(err)
        }
        ignore::Error::Loop { ancestor, child } => {
            let reason = format!("symbolic link loop back to {}, not followed", ancestor.display());
            (Some(child), reason)
        }
        ignore::Error::Io(error) => (None, reason(error)),
        ignore::Error::Glob { err, .. } => (None, err.clone()),
        error => (None, error.to_string()),
    }
}
