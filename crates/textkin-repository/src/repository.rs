//! A repository as one manifest says: what readers see.

use std::cmp::Reverse;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashbrown::HashMap;
use textkin_core::{Damage, Part};

use crate::document::StoredDocument;
use crate::error::Error;
use crate::io::Io;
use crate::manifest::{Manifest, NAME, SegmentLine, WORD, is_missing, segment_number};
use crate::removed::Removed;
use crate::segment::Segment;

/// Where a document is: valid for one [`Repository`] only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentAddress {
    /// The segment.
    pub segment: u32,
    /// The document in it.
    pub document: u32,
}

/// A repository at one moment. What others add or remove later does not show; open it again.
#[derive(Clone, Debug)]
pub struct Repository {
    folder: PathBuf,
    pub(crate) manifest: Manifest,
    pub(crate) segments: Vec<Arc<Segment>>,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Segments looked at.
    pub segments: usize,
    /// Documents in those that are whole, removed ones not counted.
    pub documents: u64,
    /// What does not hold.
    pub damages: Vec<Damage>,
    /// Files that a writer left behind when it was killed; the next one removes them.
    pub leftover_files: Vec<PathBuf>,
}

impl Repository {
    /// Opens the repository in `folder` for reading.
    ///
    /// # Errors
    /// If there is none, or it is damaged.
    pub fn open(io: &dyn Io, folder: &Path) -> Result<Self, Error> {
        let mut manifest = Manifest::read(io, folder)?;
        loop {
            match Self::of(io, folder, manifest.clone(), &[]) {
                // A writer may have put other files in the place of some since the manifest was read.
                Err(Error::File { source, .. }) if is_missing(&source) => {
                    let again = Manifest::read(io, folder)?;
                    if again == manifest {
                        let gone =
                            manifest.files().find(|file| io.open(&folder.join(file)).is_err());
                        let file = folder.join(gone.unwrap_or_default()).display().to_string();
                        let reason = "it is missing".to_owned();
                        return Err(Damage { file, reason }.into());
                    }
                    manifest = again;
                }
                opened => return opened,
            }
        }
    }

    /// The file that every repository has, and how it begins.
    pub const SIGNATURE: (&str, &str) = (NAME, WORD);

    /// Whether `folder` looks like a repository, if perhaps a damaged one.
    #[must_use]
    pub fn exists_in(folder: &Path) -> bool {
        let manifest = folder.join(NAME);
        if !manifest.is_file() {
            return false;
        }
        let mut first = [0; WORD.len()];
        let read = std::fs::File::open(&manifest).and_then(|mut file| file.read_exact(&mut first));
        if read.is_ok() && first == WORD.as_bytes() {
            return true;
        }
        let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names = names.filter_map(|entry| entry.file_name().into_string().ok());
        names.any(|name| segment_number(&name).is_some())
    }

    /// What `manifest` says, with `known` segments where they are still the same.
    pub(crate) fn of(
        io: &dyn Io,
        folder: &Path,
        manifest: Manifest,
        known: &[(SegmentLine, Arc<Segment>)],
    ) -> Result<Self, Error> {
        let open = |line: &SegmentLine| match known.iter().find(|(known, _)| known == line) {
            Some((_, segment)) => Ok(Arc::clone(segment)),
            None => open_segment(io, folder, line).map(Arc::new),
        };
        let segments = manifest.segments.iter().map(open).collect::<Result<_, _>>()?;
        Ok(Self { folder: folder.to_owned(), manifest, segments })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How it was made, as its maker said.
    #[must_use]
    pub fn config(&self) -> &serde_json::Value {
        &self.manifest.config
    }

    /// How often it was changed.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.manifest.generation
    }

    /// Its segments, in order of their documents.
    #[must_use]
    pub fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// Number of documents.
    #[must_use]
    pub fn n_documents(&self) -> u64 {
        self.segments.iter().map(|segment| u64::from(segment.n_live())).sum()
    }

    /// All documents, in the order in which they came.
    pub fn addresses(&self) -> impl Iterator<Item = DocumentAddress> + '_ {
        (0u32..).zip(&self.segments).flat_map(|(number, segment)| {
            segment.live().map(move |document| DocumentAddress { segment: number, document })
        })
    }

    /// The document with this id.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn find(&self, id: &str) -> Result<Option<DocumentAddress>, Damage> {
        for (number, segment) in (0u32..).zip(&self.segments) {
            if let Some(document) = segment.find(id)?
                && segment.is_live(document)
            {
                return Ok(Some(DocumentAddress { segment: number, document }));
            }
        }
        Ok(None)
    }

    /// The `n` words that most documents have, by their hashes; of equal ones the lower hash.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn most_common_terms(&self, n: usize) -> Result<Vec<u64>, Damage> {
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

    /// The segment of a place.
    ///
    /// # Panics
    /// If the place is of another repository.
    #[must_use]
    pub fn segment(&self, address: DocumentAddress) -> &Segment {
        &self.segments[address.segment as usize]
    }

    /// What is stored of a document.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn document(&self, address: DocumentAddress) -> Result<StoredDocument, Damage> {
        self.segment(address).document(address.document)
    }

    /// The evidence of a document.
    ///
    /// # Errors
    /// If what is stored is damaged.
    pub fn content(&self, address: DocumentAddress) -> Result<Vec<u8>, Damage> {
        self.segment(address).content(address.document)
    }

    /// Checks every byte of every file of the repository in `folder`.
    ///
    /// # Errors
    /// If there is no repository, or its manifest is damaged.
    pub fn check(io: &dyn Io, folder: &Path) -> Result<CheckReport, Error> {
        let mut manifest = Manifest::read(io, folder)?;
        loop {
            let checked = Self::check_files(io, folder, &manifest)?;
            // A writer may have put other files in the place of some that were then not found.
            let again = Manifest::read(io, folder)?;
            if checked.damages.is_empty() || again == manifest {
                return Ok(checked);
            }
            manifest = again;
        }
    }

    fn check_files(io: &dyn Io, folder: &Path, manifest: &Manifest) -> Result<CheckReport, Error> {
        let mut checked =
            CheckReport { segments: manifest.segments.len(), ..CheckReport::default() };
        for line in &manifest.segments {
            let segment = open_segment(io, folder, line)
                .and_then(|segment| segment.check().map(|()| segment).map_err(Error::from));
            match segment {
                Ok(segment) => checked.documents += u64::from(segment.n_live()),
                Err(Error::Damage(damage)) => checked.damages.push(damage),
                Err(Error::File { path, source, .. }) if is_missing(&source) => {
                    let (file, reason) = (path.display().to_string(), "it is missing".to_owned());
                    checked.damages.push(Damage { file, reason });
                }
                Err(Error::File { path, source, .. }) => {
                    let (file, reason) =
                        (path.display().to_string(), format!("it cannot be read: {source}"));
                    checked.damages.push(Damage { file, reason });
                }
                Err(error) => return Err(error),
            }
        }
        let names = io.list(folder).map_err(Error::file("read", folder))?;
        checked.leftover_files = manifest.leftover_files(folder, &names);
        Ok(checked)
    }
}

fn open_segment(io: &dyn Io, folder: &Path, line: &SegmentLine) -> Result<Segment, Error> {
    let path = folder.join(&line.file);
    let bytes = io.open(&path).map_err(Error::file("read", &path))?;
    if bytes.as_ref().len() as u64 != line.bytes {
        let file = path.display().to_string();
        let reason = format!("it has {} bytes instead of {}", bytes.as_ref().len(), line.bytes);
        return Err(Damage { file, reason }.into());
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
        let reason = "it is not the file that was written under this name".to_owned();
        return Err(Damage { file, reason }.into());
    }
    Ok(segment)
}
