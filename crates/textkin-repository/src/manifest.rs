//! The manifest: the list of the files of a repository.
//!
//! It has three lines: the signature, the format, the version of textkin that wrote it and the
//! checksum of this line; the contents as JSON; the checksum of both. It is small and always
//! replaced as a whole. The first line will be the same in every future format.
//!
//! A manifest stores the checksum of every file it lists, so that no file can be mistaken for
//! another.

use std::cmp::Ordering;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use textkin_core::CorruptionError;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::Error;
use crate::io::{Io, OutFile};

pub(crate) const NAME: &str = "MANIFEST";
/// The next manifest, before it replaces the current one.
pub(crate) const NEXT: &str = "MANIFEST.new";
/// The word at the start of a manifest.
pub(crate) const SIGNATURE: &str = "textkin-repository";
/// The format of the manifest and of all files it lists.
const VERSION: u32 = 2;

/// The contents of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Number of earlier manifests.
    pub(crate) generation: u64,
    /// The number of the next segment; numbers are never reused.
    pub(crate) next_segment: u64,
    /// The configuration of the repository, opaque to this crate.
    #[serde(rename = "about")]
    pub(crate) config: serde_json::Value,
    /// The segments, in the order of their documents.
    pub(crate) segments: Vec<SegmentEntry>,
}

/// The entry of a segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SegmentEntry {
    /// The name of the file.
    pub(crate) file: String,
    /// Bytes of the file.
    pub(crate) bytes: u64,
    /// The checksum that identifies the file.
    pub(crate) sum: u64,
    /// The list of removed documents, if any.
    pub(crate) removed: Option<RemovedEntry>,
}

/// The entry of a list of removed documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RemovedEntry {
    /// The name of the file.
    pub(crate) file: String,
    /// The checksum that identifies the file.
    pub(crate) sum: u64,
}

impl Manifest {
    pub(crate) fn new(config: serde_json::Value) -> Self {
        Self { generation: 0, next_segment: 1, config, segments: Vec::new() }
    }

    /// Iterates over the names of all files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        let files = self.segments.iter().map(|line| line.file.as_str());
        let removed = self.segments.iter().filter_map(|line| line.removed.as_ref());
        files.chain(removed.map(|line| line.file.as_str()))
    }

    /// Reads the manifest of the repository in `folder`.
    pub(crate) fn read(io: &dyn Io, folder: &Path) -> Result<Self, Error> {
        let path = folder.join(NAME);
        let bytes = match io.read(&path) {
            Ok(bytes) => bytes,
            Err(error) if is_missing(&error) => {
                // Segments without a manifest are what is left of a repository.
                let names = io.list(folder).unwrap_or_default();
                if names.iter().any(|name| segment_number(name).is_some()) {
                    let (file, reason) = (path.display().to_string(), "it is missing".to_owned());
                    return Err(CorruptionError { file, reason }.into());
                }
                return Err(Error::Missing { path: folder.to_owned() });
            }
            Err(error) => return Err(Error::file("read", path)(error)),
        };
        Self::parse(folder, &path, &bytes)
    }

    fn parse(folder: &Path, file: &Path, bytes: &[u8]) -> Result<Self, Error> {
        let corrupt = |reason: String| CorruptionError { file: file.display().to_string(), reason };
        let text = std::str::from_utf8(bytes)
            .map_err(|_| corrupt("the file is not valid UTF-8".to_owned()))?;
        let mut lines = text.split('\n');
        let head = lines.next().unwrap_or_default();
        let Some((head, sum)) = head.rsplit_once(' ') else {
            return Err(
                corrupt("the file does not start with the expected signature".to_owned()).into()
            );
        };
        let mut words = head.split(' ');
        if words.next() != Some(SIGNATURE) {
            return Err(
                corrupt("the file does not start with the expected signature".to_owned()).into()
            );
        }
        if sum != checksum(head) {
            return Err(corrupt("checksum mismatch in the first line".to_owned()).into());
        }
        let version: u32 = words
            .next()
            .and_then(|word| word.parse().ok())
            .ok_or_else(|| corrupt("the format version is missing".to_owned()))?;
        let created_by = words.next().unwrap_or("(unknown)").to_owned();
        let (path, supported) = (folder.to_owned(), VERSION);
        match version.cmp(&VERSION) {
            Ordering::Greater => return Err(Error::Newer { path, version, supported, created_by }),
            Ordering::Less => return Err(Error::Older { path, version, supported, created_by }),
            Ordering::Equal => {}
        }
        let (contents, sum) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        let is_whole = text.rsplit_once(sum).is_some_and(|(above, _)| sum == checksum(above));
        if lines.next() != Some("") || lines.next().is_some() || !is_whole {
            return Err(corrupt("checksum mismatch".to_owned()).into());
        }
        let manifest: Self = serde_json::from_str(contents)
            .map_err(|error| corrupt(format!("invalid contents: {error}")))?;
        if let Some(name) = manifest.files().find(|name| segment_number(name).is_none()) {
            return Err(corrupt(format!("unexpected file name '{name}'")).into());
        }
        Ok(manifest)
    }

    /// Writes this manifest next to the current one, and syncs it together with `files`, the new
    /// files that it lists.
    pub(crate) fn write(
        &self,
        io: &dyn Io,
        folder: &Path,
        mut files: Vec<Box<dyn OutFile>>,
    ) -> Result<(), Error> {
        let next = folder.join(NEXT);
        let contents = serde_json::to_string(self)
            .map_err(|error| Error::file("write", &next)(std::io::Error::other(error)))?;
        let created_by = env!("CARGO_PKG_VERSION");
        let head = format!("{SIGNATURE} {VERSION} {created_by}");
        let text = format!("{head} {}\n{contents}\n", checksum(&head));
        let text = format!("{text}{}\n", checksum(&text));
        let written = io.create(&next).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.flush()?;
            Ok(file)
        });
        files.push(written.map_err(Error::file("write", &next))?);
        // Everything that a manifest lists is on disk, contents and names, before it is installed.
        io.sync_all(&mut files, folder).map_err(Error::file("sync", folder))
    }

    /// Replaces the current manifest by the one that was written, atomically. If this fails, either
    /// of them may be the current one.
    pub(crate) fn install(io: &dyn Io, folder: &Path) -> Result<(), Error> {
        let name = folder.join(NAME);
        io.rename(&folder.join(NEXT), &name).map_err(Error::file("write", &name))?;
        io.sync_folder(folder).map_err(Error::file("sync", folder))
    }

    /// Returns the files in `names` that belong to a repository and are not listed here.
    pub(crate) fn leftover_files(&self, folder: &Path, names: &[String]) -> Vec<PathBuf> {
        let is_listed = |name: &str| self.files().any(|file| file == name);
        let is_ours = |name: &str| name == NEXT || segment_number(name).is_some();
        let left = names.iter().filter(|name| is_ours(name) && !is_listed(name));
        let mut left: Vec<PathBuf> = left.map(|name| folder.join(name)).collect();
        left.sort();
        left
    }
}

const SEGMENT_END: &str = ".tks";
const REMOVED_END: &str = ".tkr";

/// Returns the file name of a segment.
pub(crate) fn segment_name(number: u64) -> String {
    format!("segment-{number:08}{SEGMENT_END}")
}

/// Returns the file name of the list of documents removed from a segment in `generation`.
pub(crate) fn removed_name(segment: &str, generation: u64) -> String {
    let stem = segment.strip_suffix(SEGMENT_END).unwrap_or(segment);
    format!("{stem}-{generation:08}{REMOVED_END}")
}

/// Returns the number of the segment that a file name refers to; `None` for foreign files.
pub(crate) fn segment_number(name: &str) -> Option<u64> {
    let number = |digits: &str| {
        let is_number = digits.len() >= 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|_| is_number)
    };
    let stem = name.strip_prefix("segment-")?;
    match stem.strip_suffix(SEGMENT_END) {
        Some(digits) => number(digits),
        None => {
            let (digits, generation) = stem.strip_suffix(REMOVED_END)?.split_once('-')?;
            number(generation).and_then(|_: u64| number(digits))
        }
    }
}

pub(crate) fn is_missing(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

fn checksum(contents: &str) -> String {
    format!("{:016x}", xxh3_64(contents.as_bytes()))
}
