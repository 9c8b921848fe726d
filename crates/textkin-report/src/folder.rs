//! Output directories that appear only once they are complete.
//!
//! Files go to a hidden directory beside the target, which is renamed at the end. Dropping the output
//! removes the hidden directory, and so does [`remove_unfinished`](crate::remove_unfinished).

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::output::{directory_of, list_unfinished, unlist_unfinished};

/// An output directory.
#[derive(Debug)]
pub struct OutputFolder {
    target: PathBuf,
    temporary: PathBuf,
    is_finished: bool,
}

impl OutputFolder {
    /// Starts the directory `path`, which must be empty or not exist, so that results of different runs
    /// are not mixed.
    ///
    /// # Errors
    /// [`Error::DirectoryNotEmpty`], [`Error::MissingDirectory`] or [`Error::Create`].
    pub fn create(path: &Path) -> Result<Self, Error> {
        let target = path.to_owned();
        let is_available = match std::fs::read_dir(path) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if !is_available {
            return Err(Error::DirectoryNotEmpty { path: target });
        }
        let parent = directory_of(path);
        if !parent.exists() {
            return Err(Error::MissingDirectory { path: target, folder: parent.to_owned() });
        }
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or(OsStr::new("out")));
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = parent.join(name);
        list_unfinished(&temporary, || std::fs::create_dir(&temporary))
            .map_err(|source| Error::Create { path: target.clone(), source })?;
        Ok(Self { target, temporary, is_finished: false })
    }

    /// Returns the path to write `name` to, and creates its parent directories.
    ///
    /// # Errors
    /// When they cannot be created.
    pub fn path_of(&self, name: &Path) -> Result<PathBuf, Error> {
        let path = self.temporary.join(name);
        let created = std::fs::create_dir_all(directory_of(&path));
        created.map_err(|source| Error::Create { path: self.target.join(name), source })?;
        Ok(path)
    }

    /// Gives the directory its final name.
    ///
    /// # Errors
    /// When that fails. There is no new directory then.
    pub fn finish(mut self) -> Result<(), Error> {
        if self.target.is_dir() {
            // It was empty before; if it no longer is, renaming fails.
            let _ = std::fs::remove_dir(&self.target);
        }
        std::fs::rename(&self.temporary, &self.target)
            .map_err(|source| Error::write(&self.target, source))?;
        self.is_finished = true;
        // Some systems cannot open or sync a directory.
        let _ = File::open(directory_of(&self.target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if !self.is_finished {
            // Best effort.
            let _ = std::fs::remove_dir_all(&self.temporary);
        }
        unlist_unfinished(&self.temporary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_appears_only_at_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        for exists in [false, true] {
            if exists {
                std::fs::create_dir(&path).unwrap();
            }
            let folder = OutputFolder::create(&path).unwrap();
            std::fs::write(folder.path_of(Path::new("a/b.txt")).unwrap(), "b").unwrap();
            assert!(!path.join("a").exists());
            folder.finish().unwrap();
            assert_eq!(std::fs::read(path.join("a/b.txt")).unwrap(), b"b");
            assert!(matches!(OutputFolder::create(&path), Err(Error::DirectoryNotEmpty { .. })));
            std::fs::remove_dir_all(&path).unwrap();
        }
    }

    #[test]
    fn a_dropped_directory_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let folder = OutputFolder::create(&directory.path().join("out")).unwrap();
        std::fs::write(folder.path_of(Path::new("b.txt")).unwrap(), "b").unwrap();
        drop(folder);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
