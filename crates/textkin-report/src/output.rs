//! Output files that appear only once they are complete.
//!
//! Data goes to a hidden temporary file beside the target, which is renamed at the end. Dropping an
//! output removes its temporary file; [`remove_unfinished`] removes all of them.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::{Compression, Error};

/// Temporary files that have not been renamed yet.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary file of every [`OutputFile`] of this process that is not finished.
///
/// For a Ctrl-C handler that exits at once, without dropping anything. Outputs whose file was removed
/// can no longer be finished.
pub fn remove_unfinished() {
    for path in unfinished().drain(..) {
        // The process is about to exit; errors are ignored.
        let _ = match path.is_dir() {
            true => std::fs::remove_dir_all(path),
            false => std::fs::remove_file(path),
        };
    }
}

/// Creates `path` with `make` and lists it as unfinished, without a moment in which it exists unlisted.
pub(crate) fn list_unfinished(
    path: &Path,
    make: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    let mut unfinished = unfinished();
    make()?;
    unfinished.push(path.to_owned());
    Ok(())
}

/// Removes `path` from the list of unfinished files.
pub(crate) fn unlist_unfinished(path: &Path) {
    unfinished().retain(|listed| listed != path);
}

/// One output file, which gets its final name only once it is complete.
///
/// `-` is standard output. An existing target that is not a regular file (a pipe, `/dev/null`) is
/// written to directly. Symbolic links are followed; permissions of an existing file are kept.
pub struct OutputFile {
    name: PathBuf,
    target: Target,
}

enum Target {
    Temporary { file: NamedTempFile, destination: PathBuf, _guard: UnfinishedGuard },
    Direct(File),
    Stdout(io::Stdout),
    Other(Box<dyn Write + Send>),
}

impl OutputFile {
    /// Starts an output. The directory is checked now, so that a wrong path fails early.
    ///
    /// # Errors
    /// [`Error::Directory`], [`Error::MissingDirectory`] or [`Error::Create`].
    pub fn create(path: &Path) -> Result<Self, Error> {
        if path == Path::new("-") {
            return Ok(Self { name: path.to_owned(), target: Target::Stdout(io::stdout()) });
        }
        if path.is_dir() {
            return Err(Error::Directory { path: path.to_owned() });
        }
        let folder = directory_of(path);
        if !folder.exists() {
            return Err(Error::MissingDirectory {
                path: path.to_owned(),
                folder: folder.to_owned(),
            });
        }
        let target =
            Target::open(path).map_err(|source| Error::Create { path: path.to_owned(), source })?;
        Ok(Self { name: path.to_owned(), target })
    }

    /// Writes to `writer`, which messages call `name`.
    #[must_use]
    pub fn to_writer(name: &str, writer: Box<dyn Write + Send>) -> Self {
        Self { name: name.into(), target: Target::Other(writer) }
    }

    /// Its name in messages.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Flushes everything to disk and gives the file its final name.
    ///
    /// # Errors
    /// When that fails. The temporary file is removed and an older target is untouched.
    pub fn finish(self) -> Result<(), Error> {
        let Self { name, target } = self;
        target.finish().map_err(|source| Error::write(&name, source))
    }
}

impl Target {
    fn open(path: &Path) -> io::Result<Self> {
        let existing = std::fs::metadata(path).ok();
        if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            return Ok(Self::Direct(File::options().write(true).open(path)?));
        }
        let destination = if existing.is_some() { path.canonicalize()? } else { path.to_owned() };
        let permissions = existing.map(|metadata| metadata.permissions());
        if permissions.as_ref().is_some_and(std::fs::Permissions::readonly) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        // Created under the lock, so that it never exists unlisted.
        let mut unfinished = unfinished();
        let file = temporary_beside(&destination)?;
        unfinished.push(file.path().to_owned());
        drop(unfinished);
        let listed = UnfinishedGuard(file.path().to_owned());
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        Ok(Self::Temporary { file, destination, _guard: listed })
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Temporary { file, destination, _guard } => {
                file.as_file().sync_all()?;
                let unfinished = unfinished();
                file.persist(&destination).map_err(|error| error.error)?;
                drop(unfinished);
                sync_directory(directory_of(&destination));
                Ok(())
            }
            Self::Direct(mut file) => file.flush(),
            Self::Stdout(mut stdout) => stdout.flush(),
            Self::Other(mut writer) => writer.flush(),
        }
    }
}

/// Removes a path from the list of unfinished files when dropped.
struct UnfinishedGuard(PathBuf);

impl Drop for UnfinishedGuard {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
    }
}

pub(crate) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

fn temporary_beside(destination: &Path) -> io::Result<NamedTempFile> {
    // File systems allow 255 bytes; a longer prefix would make a valid target fail.
    let name = destination.file_name().unwrap_or(OsStr::new("out"));
    let name = if name.len() <= 200 { name } else { OsStr::new("out") };
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    // Opened as other programs do, with permissions by the umask.
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    // Not `tempfile_in`: its errors name the temporary file, which users do not know.
    builder.make_in(directory_of(destination), |path| options.open(path))
}

/// Makes the rename durable, if the file system supports that.
fn sync_directory(directory: &Path) {
    // Not all systems can open or sync a directory, and the file itself is already safe.
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            Target::Temporary { file, .. } => file.as_file_mut().write(bytes),
            Target::Direct(file) => file.write(bytes),
            Target::Stdout(stdout) => stdout.write(bytes),
            Target::Other(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Temporary { file, .. } => file.as_file_mut().flush(),
            Target::Direct(file) => file.flush(),
            Target::Stdout(stdout) => stdout.flush(),
            Target::Other(writer) => writer.flush(),
        }
    }
}

impl fmt::Debug for OutputFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OutputFile").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A buffered [`OutputFile`], compressed with gzip or zstd if the name ends with `.gz` or `.zst`.
pub struct Output {
    name: PathBuf,
    stream: Stream,
}

enum Stream {
    Plain(BufWriter<OutputFile>),
    Gzip(flate2::write::GzEncoder<BufWriter<OutputFile>>),
    Zstd(zstd::Encoder<'static, BufWriter<OutputFile>>),
}

impl Output {
    /// Starts the output `path`, compressed according to its last extension.
    ///
    /// # Errors
    /// As [`OutputFile::create`].
    pub fn create(path: &Path) -> Result<Self, Error> {
        Self::new(OutputFile::create(path)?, Compression::from_path(path))
    }

    /// Wraps `file`.
    ///
    /// # Errors
    /// When the compressor cannot be set up.
    pub fn new(file: OutputFile, compression: Compression) -> Result<Self, Error> {
        let name = file.name.clone();
        let file = BufWriter::with_capacity(1 << 17, file);
        let stream = match compression {
            Compression::None => Stream::Plain(file),
            Compression::Gzip => {
                Stream::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::default()))
            }
            Compression::Zstd => Stream::Zstd(
                zstd::Encoder::new(file, zstd::DEFAULT_COMPRESSION_LEVEL)
                    .map_err(|source| Error::write(&name, source))?,
            ),
        };
        Ok(Self { name, stream })
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// When the write fails.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let written = match &mut self.stream {
            Stream::Plain(file) => file.write_all(bytes),
            Stream::Gzip(file) => file.write_all(bytes),
            Stream::Zstd(file) => file.write_all(bytes),
        };
        written.map_err(|source| Error::write(&self.name, source))
    }

    /// Ends the compression and finishes the file, see [`OutputFile::finish`].
    ///
    /// # Errors
    /// When the write fails. There is no new file then.
    pub fn finish(self) -> Result<(), Error> {
        let Self { name, stream } = self;
        let buffered = match stream {
            Stream::Plain(file) => Ok(file),
            Stream::Gzip(file) => file.finish(),
            Stream::Zstd(file) => file.finish(),
        };
        let file = buffered
            .and_then(|file| file.into_inner().map_err(io::IntoInnerError::into_error))
            .map_err(|source| Error::write(&name, source))?;
        file.finish()
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Output").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn names(directory: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(directory).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_target_appears_only_at_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.csv");
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        let during = names(directory.path());
        assert_eq!(during.len(), 1);
        assert!(during[0].starts_with(".x.csv."), "{during:?}");
        file.finish().unwrap();
        assert_eq!(names(directory.path()), ["x.csv"]);
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_dropped_output_leaves_nothing_and_keeps_the_old_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.csv");
        std::fs::write(&path, "old").unwrap();
        let mut output = Output::create(&path).unwrap();
        output.write(b"new").unwrap();
        drop(output);
        assert_eq!(names(directory.path()), ["x.csv"]);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn a_listed_path_is_forgotten_when_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let file = OutputFile::create(&directory.path().join("x.csv")).unwrap();
        let listed = || unfinished().iter().filter(|path| path.starts_with(&directory)).count();
        assert_eq!(listed(), 1);
        drop(file);
        assert_eq!(listed(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_the_old_file_or_the_umask() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (plain, old) = (directory.path().join("plain"), directory.path().join("old"));
        std::fs::write(&plain, "").unwrap();
        std::fs::write(&old, "").unwrap();
        std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o640)).unwrap();
        OutputFile::create(&old).unwrap().finish().unwrap();
        assert_eq!(mode(&old), 0o640);
        let new = directory.path().join("new");
        OutputFile::create(&new).unwrap().finish().unwrap();
        assert_eq!(mode(&new), mode(&plain));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_are_written_to() {
        let directory = tempfile::tempdir().unwrap();
        let (real, link) = (directory.path().join("real"), directory.path().join("link"));
        std::fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink("real", &link).unwrap();
        let mut file = OutputFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read(&real).unwrap(), b"new");

        let mut null = OutputFile::create(Path::new("/dev/null")).unwrap();
        null.write_all(b"x").unwrap();
        null.finish().unwrap();
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_reported() {
        let mut output = Output::create(Path::new("/dev/full")).unwrap();
        output.write(b"x").unwrap();
        let error = output.finish().unwrap_err();
        assert!(matches!(error, Error::DiskFull { .. }), "{error:?}");
        assert!(error.to_string().contains("/dev/full"));
    }

    #[test]
    fn a_missing_directory_and_a_directory_are_errors_that_name_the_path() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("no/x.csv");
        let error = Output::create(&missing).unwrap_err();
        assert!(matches!(error, Error::MissingDirectory { .. }), "{error:?}");
        let error = error.to_string();
        assert!(error.starts_with(&format!("cannot create {}: ", missing.display())), "{error}");
        assert!(!error.contains(".x.csv."), "{error}");
        let error = Output::create(directory.path()).unwrap_err();
        assert!(error.to_string().ends_with("is a directory; name a file in it"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn system_errors_do_not_name_the_temporary_file() {
        let error = Output::create(Path::new("/proc/x.csv")).unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains("os error"), "{cause}");
        assert!(!cause.contains(".x.csv."), "{cause}");
    }

    #[test]
    fn a_very_long_name_still_gets_a_temporary_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x".repeat(255));
        OutputFile::create(&path).unwrap().finish().unwrap();
        assert!(path.exists());
    }

    #[test]
    fn the_suffix_chooses_the_compression() {
        let directory = tempfile::tempdir().unwrap();
        let text = "the same words ".repeat(10_000);
        for name in ["x.csv", "x.csv.gz", "x.csv.zst"] {
            let path = directory.path().join(name);
            let mut output = Output::create(&path).unwrap();
            output.write(text.as_bytes()).unwrap();
            output.finish().unwrap();
            let file = File::open(&path).unwrap();
            let mut back = String::new();
            match Compression::from_path(&path) {
                Compression::None => (&file).read_to_string(&mut back).unwrap(),
                Compression::Gzip => {
                    flate2::read::GzDecoder::new(&file).read_to_string(&mut back).unwrap()
                }
                Compression::Zstd => {
                    zstd::Decoder::new(&file).unwrap().read_to_string(&mut back).unwrap()
                }
            };
            assert!(back == text, "{name}");
        }
    }
}
