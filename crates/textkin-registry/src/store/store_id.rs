//! The store id: a random value that the store and the index of a data folder share. Documents have the
//! same numbers in every store, so an index must never be used with the store of another folder.
//!
//! The store has its id from its creation or upgrade on. The index gets it, in the file `STORE`, when a
//! server first opens the two together; until then a mark in the store says so.

use std::io::Write;
use std::path::Path;

use rusqlite::Transaction;

use super::{Store, files, hex, setting};
use crate::error::Error;

/// The file of the index with the id of its store.
pub(crate) const MARKER: &str = "STORE";
const ID: &str = "store_id";
/// Set until the index has the id: `new` or `upgraded`.
const UNMARKED: &str = "index_unmarked";
const NEW: &str = "new";
const UPGRADED: &str = "upgraded";

/// Gives a store that was created or upgraded an id.
pub(super) fn create(write: &Transaction<'_>, is_new: bool) -> Result<(), Error> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(|error| std::io::Error::other(error.to_string()))?;
    setting::set(write, ID, &hex(&id))?;
    setting::set(write, UNMARKED, if is_new { NEW } else { UPGRADED })
}

/// Fails if there is an index in a data folder that has no store.
pub(crate) fn check_before_creation(folder: &Path, store: &Path) -> Result<(), Error> {
    let is_empty = std::fs::metadata(store).map_or(true, |metadata| metadata.len() == 0);
    match is_empty && index_has_files(&folder.join("index"))? {
        true => {
            Err(refused(folder, "there is an index, but its store textkin.db is missing or empty"))
        }
        false => Ok(()),
    }
}

/// Fails unless the index in a data folder belongs to the store; marks an index that has no id yet.
pub(crate) fn check_and_mark(folder: &Path, store: &Store) -> Result<(), Error> {
    if let Some(reason) = mismatch(folder, store)? {
        return Err(refused(folder, reason));
    }
    let (id, unmarked) = read(store)?;
    if unmarked.is_none() {
        return Ok(());
    }
    let index = folder.join("index");
    let mut file = files::create_file(&index.join(MARKER))?;
    file.write_all(id.as_bytes())?;
    file.sync_all()?;
    files::sync_folder(&index)?;
    store.write(|write| setting::remove(write, UNMARKED))
}

/// Returns why the index in a data folder does not belong to the store, if so.
pub(crate) fn mismatch(folder: &Path, store: &Store) -> Result<Option<&'static str>, Error> {
    let (id, unmarked) = read(store)?;
    let index = folder.join("index");
    let marker = match std::fs::read_to_string(index.join(MARKER)) {
        Ok(marker) => Some(marker),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    Ok(match (marker, unmarked.as_deref()) {
        (Some(marker), _) if marker.trim() == id => None,
        (Some(_), _) => Some("the index belongs to another store"),
        (None, Some(UPGRADED)) => None,
        (None, Some(_)) if !index_has_files(&index)? => None,
        (None, Some(_)) => {
            Some("the store textkin.db is new, but there is an index of another store")
        }
        (None, None) => Some("the index of this store is missing or was replaced"),
    })
}

fn read(store: &Store) -> Result<(String, Option<String>), Error> {
    store.read(|read| {
        Ok((setting::get(read, ID)?.unwrap_or_default(), setting::get(read, UNMARKED)?))
    })
}

fn index_has_files(index: &Path) -> Result<bool, Error> {
    match std::fs::read_dir(index) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn refused(folder: &Path, reason: &str) -> Error {
    let reason = format!(
        "{reason}; put textkin.db and index/ of the same server or backup into this folder"
    );
    Error::Store { path: folder.to_owned(), reason }
}
