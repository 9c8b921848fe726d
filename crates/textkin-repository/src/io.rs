//! File operations behind a trait, so that tests can simulate a disk that loses unsynced data.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use textkin_core::parallel::join;

/// The bytes of an immutable file.
#[derive(Clone, Debug)]
pub enum Bytes {
    /// A memory-mapped file.
    Mapped(Arc<memmap2::Mmap>),
    /// A copy in memory.
    Memory(Arc<[u8]>),
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Mapped(bytes) => bytes,
            Self::Memory(bytes) => bytes,
        }
    }
}

/// A file that is being written.
pub trait OutFile: Write + Send {
    /// Returns once everything written so far is on disk.
    ///
    /// # Errors
    /// If the operation fails.
    fn sync(&mut self) -> io::Result<()>;
}

/// A lock that excludes other writers until it is dropped.
pub trait Lock: Send + Sync + Debug {}

/// The file operations that a repository needs. A crash may lose anything that is not synced:
/// contents until [`OutFile::sync`], names until [`Io::sync_folder`].
pub trait Io: Send + Sync + Debug {
    /// Creates a folder and its parents, and returns once their names are on disk. Succeeds if the
    /// folder exists.
    ///
    /// # Errors
    /// If the operation fails.
    fn make_folder(&self, path: &Path) -> io::Result<()>;

    /// Lists the names of the files in a folder, in any order.
    ///
    /// # Errors
    /// If the path cannot be read.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;

    /// Creates a file, replacing an existing one.
    ///
    /// # Errors
    /// If the operation fails.
    fn create(&self, path: &Path) -> io::Result<Box<dyn OutFile>>;

    /// Opens a file that will never change.
    ///
    /// # Errors
    /// If the path cannot be read.
    fn open(&self, path: &Path) -> io::Result<Bytes>;

    /// Reads a small file that may be replaced later.
    ///
    /// # Errors
    /// If the path cannot be read.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Renames a file atomically, replacing an existing one.
    ///
    /// # Errors
    /// If the operation fails.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// If the operation fails.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Returns once the names in a folder are on disk.
    ///
    /// # Errors
    /// If the operation fails.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// Returns once the contents of `files` and the names in a folder are on disk, in any order.
    ///
    /// # Errors
    /// If the operation fails.
    fn sync_all(&self, files: &mut [Box<dyn OutFile>], folder: &Path) -> io::Result<()> {
        files.iter_mut().try_for_each(|file| file.sync())?;
        self.sync_folder(folder)
    }

    /// Takes the lock at `path`; returns `None` if another process holds it.
    ///
    /// # Errors
    /// If the lock file cannot be opened or locked.
    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn Lock>>>;
}

/// Maximum number of threads that sync files at the same time.
const MAX_THREADS: usize = 16;

/// The file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl OutFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// An open file that holds a lock; the operating system releases it when the process ends.
impl Lock for File {}

impl Io for Disk {
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        let parent = path.parent().map(|parent| match parent.as_os_str().is_empty() {
            true => Path::new("."),
            false => parent,
        });
        match create_folder(path, parent) {
            Ok(()) => parent.map_or(Ok(()), |parent| self.sync_folder(parent)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let Some(parent) = parent else { return Err(error) };
                self.make_folder(parent)?;
                create_folder(path, Some(parent))?;
                self.sync_folder(parent)
            }
            Err(_) if path.is_dir() => {
                // Its creator may not have synced the parent. This may fail for lack of permission.
                let _ = parent.map(|parent| self.sync_folder(parent));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let name = |entry: io::Result<std::fs::DirEntry>| {
            Ok(entry?.file_name().to_string_lossy().into_owned())
        };
        std::fs::read_dir(path)?.map(name).collect()
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn OutFile>> {
        let mut options = File::options();
        options.write(true).create(true).truncate(true);
        Ok(Box::new(as_private_as_folder(&mut options, path).open(path)?))
    }

    fn open(&self, path: &Path) -> io::Result<Bytes> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        if metadata.len() == 0 {
            return Ok(Bytes::Memory(Arc::from([])));
        }
        #[expect(unsafe_code, reason = "mapping a file has no safe form")]
        // SAFETY: the bytes are only read, and files of a repository are never changed in place:
        // each is written once, and its name is not reused while a manifest lists it. No writer of
        // a repository truncates a file while it is mapped.
        let bytes = unsafe { memmap2::Mmap::map(&file) }?;
        Ok(Bytes::Mapped(Arc::new(bytes)))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        // On other systems a folder cannot be opened as a file, and names are written through.
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }

    fn sync_all(&self, files: &mut [Box<dyn OutFile>], folder: &Path) -> io::Result<()> {
        // In parallel, syncing all files takes hardly longer than syncing one.
        std::thread::scope(|scope| {
            let sync =
                |files: &mut [Box<dyn OutFile>]| files.iter_mut().try_for_each(|file| file.sync());
            let groups = files.chunks_mut(files.len().div_ceil(MAX_THREADS).max(1));
            let syncs: Vec<_> = groups.map(|files| scope.spawn(move || sync(files))).collect();
            let names = self.sync_folder(folder);
            // Wait for every thread, even if one fails.
            let synced: Vec<io::Result<()>> = syncs.into_iter().map(join).collect();
            synced.into_iter().chain([names]).collect()
        })
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn Lock>>> {
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        let file = as_private_as_folder(&mut options, path).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(std::fs::TryLockError::WouldBlock) => Ok(None),
            Err(std::fs::TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Returns the permission bits of a folder; all bits if they cannot be read, and the umask then decides.
#[cfg(unix)]
fn permissions(folder: Option<&Path>) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    let metadata = folder.and_then(|folder| std::fs::metadata(folder).ok());
    metadata.map_or(0o777, |metadata| metadata.permissions().mode() & 0o777)
}

/// Creates a folder that nobody can access who cannot access its parent.
fn create_folder(path: &Path, parent: Option<&Path>) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        let mode = permissions(parent) | 0o700;
        std::fs::DirBuilder::new().mode(mode).create(path)
    }
    #[cfg(not(unix))]
    {
        let _ = parent;
        std::fs::create_dir(path)
    }
}

/// Makes new files accessible to nobody who cannot access their folder, so that the files of a private
/// repository stay private when they are copied or moved.
fn as_private_as_folder<'a>(
    options: &'a mut std::fs::OpenOptions,
    path: &Path,
) -> &'a mut std::fs::OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        options.mode(permissions(folder.or(Some(Path::new(".")))) & 0o666 | 0o600);
    }
    #[cfg(not(unix))]
    let _ = path;
    options
}

/// A file in memory, for tests.
#[cfg(test)]
#[derive(Clone, Default)]
pub(crate) struct MemoryFile(Arc<std::sync::Mutex<Vec<u8>>>);

#[cfg(test)]
impl MemoryFile {
    pub(crate) fn contents(&self) -> Vec<u8> {
        self.0.lock().expect("no thread panics while holding the lock").clone()
    }
}

#[cfg(test)]
impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no thread panics while holding the lock").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
impl OutFile for MemoryFile {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn folders_and_files_are_as_private_as_the_folder_they_are_in() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let set = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        set(folder.path(), 0o700);
        let inner = folder.path().join("a").join("b");
        Disk.make_folder(&inner).unwrap();
        Disk.create(&inner.join("file")).unwrap();
        Disk.lock(&inner.join("lock")).unwrap().unwrap();
        assert_eq!(mode(inner.parent().unwrap()), 0o700);
        assert_eq!(mode(&inner), 0o700);
        assert_eq!(mode(&inner.join("file")), 0o600);
        assert_eq!(mode(&inner.join("lock")), 0o600);
        // Others who can list a folder can read its files, as far as the umask allows.
        set(&inner, 0o750);
        Disk.create(&inner.join("shared")).unwrap();
        assert_eq!(mode(&inner.join("shared")) & 0o607, 0o600);
    }
}
