//! The disk, behind a trait: tests put one in its place that forgets what was not synced.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// The bytes of a file that never changes.
#[derive(Clone, Debug)]
pub enum Bytes {
    /// Mapped into memory.
    Mapped(Arc<memmap2::Mmap>),
    /// Read.
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

/// A file being written.
pub trait OutFile: Write + Send {
    /// Returns once everything written so far is on the disk.
    ///
    /// # Errors
    /// If that cannot be done.
    fn sync(&mut self) -> io::Result<()>;
}

/// Keeps other writers away while it lives.
pub trait Lock: Send + Sync + Debug {}

/// What a repository asks of a disk. A crash may forget anything not synced: contents until
/// [`OutFile::sync`], names until [`Io::sync_folder`].
pub trait Io: Send + Sync + Debug {
    /// Makes a folder, and those above it, and returns once their names are on the disk; no error if
    /// it is there.
    ///
    /// # Errors
    /// If that cannot be done.
    fn make_folder(&self, path: &Path) -> io::Result<()>;

    /// The names of the files in a folder, in any order.
    ///
    /// # Errors
    /// If it cannot be read.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;

    /// Begins a new file, in the place of one of that name.
    ///
    /// # Errors
    /// If that cannot be done.
    fn create(&self, path: &Path) -> io::Result<Box<dyn OutFile>>;

    /// The contents of a file that is not going to change.
    ///
    /// # Errors
    /// If it cannot be read.
    fn open(&self, path: &Path) -> io::Result<Bytes>;

    /// The contents of a small file that another may take the place of.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Gives a file another name in one step, in the place of one of that name.
    ///
    /// # Errors
    /// If that cannot be done.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// If that cannot be done.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Returns once the names in a folder are on the disk.
    ///
    /// # Errors
    /// If that cannot be done.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// Returns once the contents of `files` and the names in a folder are on the disk, in whatever
    /// order.
    ///
    /// # Errors
    /// If that cannot be done.
    fn sync_all(&self, files: &mut [Box<dyn OutFile>], folder: &Path) -> io::Result<()> {
        files.iter_mut().try_for_each(|file| file.sync())?;
        self.sync_folder(folder)
    }

    /// Takes the lock of that name, or gives `None` if another has it.
    ///
    /// # Errors
    /// If it cannot be told.
    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn Lock>>>;
}

/// The most threads that wait for the disk at once.
const MAX_THREADS: usize = 16;

/// The real disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl OutFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// An open file that holds a lock; the system gives it up when the process ends.
impl Lock for File {}

impl Io for Disk {
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        let parent = path.parent().map(|parent| match parent.as_os_str().is_empty() {
            true => Path::new("."),
            false => parent,
        });
        match std::fs::create_dir(path) {
            Ok(()) => parent.map_or(Ok(()), |parent| self.sync_folder(parent)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let Some(parent) = parent else { return Err(error) };
                self.make_folder(parent)?;
                std::fs::create_dir(path)?;
                self.sync_folder(parent)
            }
            Err(_) if path.is_dir() => {
                // Whoever made it may not have made sure of it; not everyone may.
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
        Ok(Box::new(File::create(path)?))
    }

    fn open(&self, path: &Path) -> io::Result<Bytes> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is no file"));
        }
        if metadata.len() == 0 {
            return Ok(Bytes::Memory(Arc::from([])));
        }
        #[expect(unsafe_code, reason = "mapping a file has no safe form")]
        // SAFETY: the bytes are only read, and files of a repository are never changed in place:
        // each is written once, and its name is not used again while a manifest says it. Whoever cuts
        // a file off under a reader does what no writer of a repository does.
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
        // Elsewhere a folder cannot be opened as a file, and names are written through.
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }

    fn sync_all(&self, files: &mut [Box<dyn OutFile>], folder: &Path) -> io::Result<()> {
        // Side by side, all of them take hardly longer than one.
        std::thread::scope(|scope| {
            let sync =
                |files: &mut [Box<dyn OutFile>]| files.iter_mut().try_for_each(|file| file.sync());
            let groups = files.chunks_mut(files.len().div_ceil(MAX_THREADS).max(1));
            let syncs: Vec<_> = groups.map(|files| scope.spawn(move || sync(files))).collect();
            let names = self.sync_folder(folder);
            let join = |sync: std::thread::ScopedJoinHandle<'_, io::Result<()>>| {
                sync.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            // Every thread is waited for, whatever the first of them says.
            let synced: Vec<io::Result<()>> = syncs.into_iter().map(join).collect();
            synced.into_iter().chain([names]).collect()
        })
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn Lock>>> {
        let file = File::options().create(true).truncate(false).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(std::fs::TryLockError::WouldBlock) => Ok(None),
            Err(std::fs::TryLockError::Error(error)) => Err(error),
        }
    }
}

/// A file in memory, for tests.
#[cfg(test)]
#[derive(Clone, Default)]
pub(crate) struct MemoryFile(Arc<std::sync::Mutex<Vec<u8>>>);

#[cfg(test)]
impl MemoryFile {
    pub(crate) fn contents(&self) -> Vec<u8> {
        self.0.lock().expect("no thread panics with it").clone()
    }
}

#[cfg(test)]
impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no thread panics with it").extend_from_slice(bytes);
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
