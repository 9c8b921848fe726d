//! Folders that appear whole or not at all.
//!
//! Files go to a hidden folder beside the target, which takes the target's name at the end. Dropping
//! it before that removes it, and [`remove_unfinished`](crate::remove_unfinished) does too.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::output::{directory_of, list_unfinished, unlist_unfinished};

/// A folder that is being written.
#[derive(Debug)]
pub struct OutputFolder {
    target: PathBuf,
    temporary: PathBuf,
    is_finished: bool,
}

impl OutputFolder {
    /// Starts the folder `path`, which must not exist or be empty, so that nothing of an earlier run
    /// is mixed with this one.
    ///
    /// # Errors
    /// [`Error::DirectoryNotEmpty`], [`Error::MissingDirectory`] or [`Error::Create`].
    pub fn create(path: &Path) -> Result<Self, Error> {
        let target = path.to_owned();
        let is_free = match std::fs::read_dir(path) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if !is_free {
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

    /// Where `name` is written until the folder is finished; the folders it lies in are made.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn place(&self, name: &Path) -> Result<PathBuf, Error> {
        let place = self.temporary.join(name);
        let made = std::fs::create_dir_all(directory_of(&place));
        made.map_err(|source| Error::Create { path: self.target.join(name), source })?;
        Ok(place)
    }

    /// Gives the folder its name.
    ///
    /// # Errors
    /// When the system refuses; then there is no new folder.
    pub fn finish(mut self) -> Result<(), Error> {
        if self.target.is_dir() {
            // Empty, as was checked; if it is no more, renaming fails and says so.
            let _ = std::fs::remove_dir(&self.target);
        }
        std::fs::rename(&self.temporary, &self.target)
            .map_err(|source| Error::write(&self.target, source))?;
        self.is_finished = true;
        // Not all systems can open or sync a directory.
        let _ = File::open(directory_of(&self.target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if !self.is_finished {
            // Nothing else can be tried.
            let _ = std::fs::remove_dir_all(&self.temporary);
        }
        unlist_unfinished(&self.temporary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_appears_only_at_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        for is_there in [false, true] {
            if is_there {
                std::fs::create_dir(&path).unwrap();
            }
            let folder = OutputFolder::create(&path).unwrap();
            std::fs::write(folder.place(Path::new("a/b.txt")).unwrap(), "b").unwrap();
            assert!(!path.join("a").exists());
            folder.finish().unwrap();
            assert_eq!(std::fs::read(path.join("a/b.txt")).unwrap(), b"b");
            assert!(matches!(OutputFolder::create(&path), Err(Error::DirectoryNotEmpty { .. })));
            std::fs::remove_dir_all(&path).unwrap();
        }
    }

    #[test]
    fn a_dropped_folder_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let folder = OutputFolder::create(&directory.path().join("out")).unwrap();
        std::fs::write(folder.place(Path::new("b.txt")).unwrap(), "b").unwrap();
        drop(folder);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
