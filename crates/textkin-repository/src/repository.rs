//! The repository as readers see it: a snapshot described by one manifest.

use std::cmp::Reverse;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashbrown::HashMap;
use textkin_core::{CorruptionError, DocumentAddress, IndexSegment};

use crate::document::StoredDocument;
use crate::error::Error;
use crate::io::Io;
use crate::manifest::{
    Manifest, NAME, SIGNATURE as MANIFEST_SIGNATURE, SegmentEntry, is_missing, segment_number,
};
use crate::removed::Removed;
use crate::segment::Segment;

/// A snapshot of a repository. To see later changes, open it again.
#[derive(Clone, Debug)]
pub struct Repository {
    folder: PathBuf,
    pub(crate) manifest: Manifest,
    pub(crate) segments: Vec<Arc<Segment>>,
}

/// The result of [`Repository::check`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Number of segments checked.
    pub segments: usize,
    /// Documents in intact segments, without removed ones.
    pub documents: u64,
    /// The damage found.
    pub errors: Vec<CorruptionError>,
    /// Files left behind by a writer that was killed; the next writer removes them.
    pub leftover_files: Vec<PathBuf>,
}

impl Repository {
    /// Opens the repository in `folder` for reading.
    ///
    /// # Errors
    /// If the folder contains no repository, or it is damaged.
    pub fn open(io: &dyn Io, folder: &Path) -> Result<Self, Error> {
        let mut manifest = Manifest::read(io, folder)?;
        loop {
            match Self::of(io, folder, manifest.clone(), &[]) {
                // A writer may have replaced files since the manifest was read.
                Err(Error::File { source, .. }) if is_missing(&source) => {
                    let again = Manifest::read(io, folder)?;
                    if again == manifest {
                        let missing =
                            manifest.files().find(|file| io.open(&folder.join(file)).is_err());
                        let file = folder.join(missing.unwrap_or_default()).display().to_string();
                        let reason = "the file is missing".to_owned();
                        return Err(CorruptionError { file, reason }.into());
                    }
                    manifest = again;
                }
                opened => return opened,
            }
        }
    }

    /// The name of the manifest file, and the bytes it begins with.
    pub const SIGNATURE: (&str, &str) = (NAME, MANIFEST_SIGNATURE);

    /// Returns whether `folder` contains a repository, intact or damaged.
    #[must_use]
    pub fn exists_in(folder: &Path) -> bool {
        let manifest = folder.join(NAME);
        if !manifest.is_file() {
            return false;
        }
        let mut first = [0; MANIFEST_SIGNATURE.len()];
        let read = std::fs::File::open(&manifest).and_then(|mut file| file.read_exact(&mut first));
        if read.is_ok() && first == MANIFEST_SIGNATURE.as_bytes() {
            return true;
        }
        let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names = names.filter_map(|entry| entry.file_name().into_string().ok());
        names.any(|name| segment_number(&name).is_some())
    }

    /// Opens the snapshot of `manifest`, reusing the `open_segments` that have not changed.
    pub(crate) fn of(
        io: &dyn Io,
        folder: &Path,
        manifest: Manifest,
        open_segments: &[(SegmentEntry, Arc<Segment>)],
    ) -> Result<Self, Error> {
        let open = |line: &SegmentEntry| match open_segments.iter().find(|(open, _)| open == line) {
            Some((_, segment)) => Ok(Arc::clone(segment)),
            None => open_segment(io, folder, line).map(Arc::new),
        };
        let segments = manifest.segments.iter().map(open).collect::<Result<_, _>>()?;
        Ok(Self { folder: folder.to_owned(), manifest, segments })
    }

    /// Returns the folder of the repository.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the configuration that was passed to [`Writer::create`](crate::Writer::create).
    #[must_use]
    pub fn config(&self) -> &serde_json::Value {
        &self.manifest.config
    }

    /// Returns the number of changes since the repository was created.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.manifest.generation
    }

    /// Returns the segments, in the order of their documents.
    #[must_use]
    pub fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// Returns the number of documents.
    #[must_use]
    pub fn n_documents(&self) -> u64 {
        self.segments.iter().map(|segment| u64::from(segment.n_live())).sum()
    }

    /// Iterates over the addresses of all documents, in the order in which they were added.
    pub fn addresses(&self) -> impl Iterator<Item = DocumentAddress> + '_ {
        (0u32..).zip(&self.segments).flat_map(|(number, segment)| {
            segment.live().map(move |document| DocumentAddress { segment: number, document })
        })
    }

    /// Returns the address of the document with this id.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn find(&self, id: &str) -> Result<Option<DocumentAddress>, CorruptionError> {
        for (number, segment) in (0u32..).zip(&self.segments) {
            if let Some(document) = segment.find(id)?
                && segment.is_live(document)
            {
                return Ok(Some(DocumentAddress { segment: number, document }));
            }
        }
        Ok(None)
    }

    /// Returns the hashes of the `n` words that occur in the most documents; ties go to the lower
    /// hash.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn most_common_terms(&self, n: usize) -> Result<Vec<u64>, CorruptionError> {
        let mut documents: HashMap<u64, u64> = HashMap::new();
        for segment in &self.segments {
            segment
                .each_term(|term, live| *documents.entry(term).or_default() += u64::from(live))?;
        }
        let mut terms: Vec<(Reverse<u64>, u64)> =
            documents.into_iter().map(|(term, n)| (Reverse(n), term)).collect();
        if terms.len() > n {
            terms.select_nth_unstable(n);
            terms.truncate(n);
        }
        terms.sort_unstable();
        Ok(terms.into_iter().map(|(_, term)| term).collect())
    }

    /// Returns the segment of an address.
    ///
    /// # Panics
    /// If the address belongs to another repository.
    #[must_use]
    pub fn segment(&self, address: DocumentAddress) -> &Segment {
        &self.segments[address.segment as usize]
    }

    /// Returns a document without its content.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn document(&self, address: DocumentAddress) -> Result<StoredDocument, CorruptionError> {
        self.segment(address).document(address.document)
    }

    /// Returns the content of a document.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub fn content(&self, address: DocumentAddress) -> Result<Vec<u8>, CorruptionError> {
        self.segment(address).content(address.document)
    }

    /// Checks every byte of every file of the repository in `folder`.
    ///
    /// # Errors
    /// If the folder contains no repository, or its manifest is damaged.
    pub fn check(io: &dyn Io, folder: &Path) -> Result<CheckReport, Error> {
        Self::check_with(io, folder, &mut |_, _| ())
    }

    /// Does the same as [`Repository::check`], and calls `progress` with the bytes checked so far and the bytes of
    /// all segments.
    ///
    /// # Errors
    /// As for [`Repository::check`].
    pub fn check_with(
        io: &dyn Io,
        folder: &Path,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<CheckReport, Error> {
        let mut manifest = Manifest::read(io, folder)?;
        loop {
            let checked = Self::check_files(io, folder, &manifest, progress)?;
            // A writer may have replaced the files that were not found.
            let again = Manifest::read(io, folder)?;
            if checked.errors.is_empty() || again == manifest {
                return Ok(checked);
            }
            manifest = again;
        }
    }

    fn check_files(
        io: &dyn Io,
        folder: &Path,
        manifest: &Manifest,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<CheckReport, Error> {
        let mut checked =
            CheckReport { segments: manifest.segments.len(), ..CheckReport::default() };
        let total = manifest.segments.iter().map(|line| line.bytes).sum();
        let mut before = 0;
        for line in &manifest.segments {
            #[expect(clippy::cast_possible_truncation, reason = "a share of a file's bytes")]
            let mut within =
                |share: f64| progress(before + (line.bytes as f64 * share) as u64, total);
            let segment = open_segment(io, folder, line).and_then(|segment| {
                segment.check(&mut within).map(|()| segment).map_err(Error::from)
            });
            before += line.bytes;
            match segment {
                Ok(segment) => checked.documents += u64::from(segment.n_live()),
                Err(Error::Corrupt(error)) => checked.errors.push(error),
                Err(Error::File { path, source, .. }) if is_missing(&source) => {
                    let (file, reason) =
                        (path.display().to_string(), "the file is missing".to_owned());
                    checked.errors.push(CorruptionError { file, reason });
                }
                Err(Error::File { path, source, .. }) => {
                    let (file, reason) =
                        (path.display().to_string(), format!("the file cannot be read: {source}"));
                    checked.errors.push(CorruptionError { file, reason });
                }
                Err(error) => return Err(error),
            }
        }
        let names = io.list(folder).map_err(Error::file("read", folder))?;
        checked.leftover_files = manifest.leftover_files(folder, &names);
        Ok(checked)
    }
}

fn open_segment(io: &dyn Io, folder: &Path, line: &SegmentEntry) -> Result<Segment, Error> {
    let path = folder.join(&line.file);
    let bytes = io.open(&path).map_err(Error::file("read", &path))?;
    if bytes.as_ref().len() as u64 != line.bytes {
        let file = path.display().to_string();
        let reason = format!("expected {} bytes, found {}", line.bytes, bytes.as_ref().len());
        return Err(CorruptionError { file, reason }.into());
    }
    let removed = match &line.removed {
        None => Removed::default(),
        Some(list) => {
            let path = folder.join(&list.file);
            let bytes = io.open(&path).map_err(Error::file("read", &path))?;
            Removed::read(&path.display().to_string(), bytes.as_ref(), list.sum)?
        }
    };
    let segment = Segment::open(&path, &line.file, bytes, Arc::new(removed))?;
    if segment.sum() != line.sum {
        let file = path.display().to_string();
        let reason = "this is not the file that was written under this name".to_owned();
        return Err(CorruptionError { file, reason }.into());
    }
    Ok(segment)
}
