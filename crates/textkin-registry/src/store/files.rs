//! Files and folders of the server: created so that only the account that runs it can access them.
//!
//! On Unix, folders get mode 0700 and files 0600, whatever the umask. On other systems they inherit the
//! permissions of the folder they are in.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a folder that only the owner can access, and its missing parents; it may exist.
///
/// # Errors
/// If it cannot be created, or is a file.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    builder().recursive(true).create(folder)
}

/// Creates a folder that must not exist yet.
pub(crate) fn new_folder(folder: &Path) -> io::Result<()> {
    builder().create(folder)
}

/// Creates a temporary folder in `parent` that only the owner can access.
pub(crate) fn private_temp_folder(parent: impl AsRef<Path>) -> io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    #[cfg(unix)]
    builder.permissions(mode);
    builder.tempdir_in(parent)
}

fn builder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "the mode is set on Unix only"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Opens a file to append to, and creates it if it is missing.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    private(OpenOptions::new().create(true).append(true)).open(path)
}

/// Creates an empty file, or empties an existing one.
pub(crate) fn create_file(path: &Path) -> io::Result<File> {
    private(OpenOptions::new().create(true).write(true).truncate(true)).open(path)
}

/// Makes sure that a folder with everything in it is on disk.
pub(crate) fn sync_tree(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => sync_tree(&entry.path())?,
            false => sync_file(&entry.path())?,
        }
    }
    sync_folder(folder)
}

/// Makes sure that the contents of a file are on disk.
pub(crate) fn sync_file(path: &Path) -> io::Result<()> {
    #[cfg(test)]
    tests::SYNCED.with_borrow_mut(|synced| synced.push(path.to_owned()));
    // Some systems need the right to write for this.
    OpenOptions::new().append(true).open(path)?.sync_all()
}

/// Makes sure that the names of the files in a folder are on disk.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(test)]
    tests::SYNCED.with_borrow_mut(|synced| synced.push(folder.to_owned()));
    // On other systems a folder cannot be opened as a file, and names are written through.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Whether other accounts of the machine have any permission on a file or folder.
pub(crate) fn is_exposed(path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        Ok(std::fs::metadata(path)?.permissions().mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        Ok(false)
    }
}

/// Returns the number of files and folders in `folder`, itself included, that other accounts have
/// permissions on. Entries that disappear meanwhile and symbolic links do not count.
pub(crate) fn n_exposed(folder: &Path) -> io::Result<u64> {
    let mut n = u64::from(is_exposed(folder)?);
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let counted = entry.file_type().and_then(|kind| match kind {
            kind if kind.is_dir() => n_exposed(&entry.path()),
            kind if kind.is_symlink() => Ok(0),
            _ => is_exposed(&entry.path()).map(u64::from),
        });
        match counted {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            counted => n += counted?,
        }
    }
    Ok(n)
}

/// The command that takes all permissions on a folder and its contents from other accounts.
pub(crate) fn restrict_command(folder: &Path) -> String {
    format!("chmod -R go= '{}'", folder.display().to_string().replace('\'', r"'\''"))
}

/// Logs a warning if other accounts can access the data folder or the store in it.
pub(crate) fn warn_if_exposed(folder: &Path, store: &Path) -> io::Result<()> {
    for path in [folder, store] {
        if is_exposed(path)? {
            tracing::warn!(
                path = %path.display(),
                "other accounts on this machine can access the data; run: {}",
                restrict_command(folder)
            );
            return Ok(());
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;
    #[cfg(unix)]
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;

    thread_local! {
        /// The files and folders that this thread has brought to disk.
        pub(crate) static SYNCED: RefCell<Vec<PathBuf>> = const { RefCell::new(Vec::new()) };
    }

    /// Asserts that only the owner has permissions on anything in a folder; returns how many files and
    /// folders there are. The naive twin of [`n_exposed`].
    #[cfg(unix)]
    pub(crate) fn assert_private(folder: &Path) -> usize {
        let mode = |path: &Path| {
            std::fs::metadata(path).expect("read the mode").permissions().mode() & 0o777
        };
        let mut n = 1;
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
        for entry in std::fs::read_dir(folder).expect("list the folder") {
            let path = entry.expect("list the folder").path();
            if path.is_dir() {
                n += assert_private(&path);
            } else {
                assert_eq!(mode(&path), 0o600, "{}", path.display());
                n += 1;
            }
        }
        n
    }

    #[cfg(unix)]
    #[test]
    fn exposed_files_and_folders_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("it's").join("data");
        create_folder(&data).unwrap();
        create_folder(&data).unwrap();
        assert!(new_folder(&data).is_err());
        new_folder(&data.join("inner")).unwrap();
        create_file(&data.join("inner").join("file")).unwrap();
        open_file(&data.join("lock")).unwrap();
        assert_eq!(assert_private(&data), 4);
        assert_eq!(n_exposed(&data).unwrap(), 0);
        for (path, mode) in [("inner", 0o750), ("inner/file", 0o604), ("lock", 0o620)] {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(data.join(path), mode).unwrap();
        }
        assert_eq!(n_exposed(&data).unwrap(), 3);
        let command = restrict_command(&data);
        let status = std::process::Command::new("sh").args(["-c", &command]).status().unwrap();
        assert!(status.success());
        assert_eq!(n_exposed(&data).unwrap(), 0);
    }
}
