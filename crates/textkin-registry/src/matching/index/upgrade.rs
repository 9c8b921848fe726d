//! The upgrade of an index from before version 5 of the store, where all repositories shared two
//! partitions, `texts` and `fingerprints`: its documents are copied into the partitions of today.
//!
//! A crash leaves the old folder, and the upgrade is repeated; documents that were copied are skipped.

use std::collections::BTreeMap;

use textkin::Repository;
use textkin::engine::repository_format::DocumentAddress;

use super::partition::{damage, delete_folder};
use super::{Index, PartitionKey, PartitionKind};
use crate::error::Error;

/// The folders before version 5.
pub(super) const OLD_FOLDERS: [&str; 2] = ["texts", "fingerprints"];
/// The maximum number of documents that are copied in one commit.
const BATCH: usize = 5_000;

/// Copies the documents of the old folders and deletes the folders.
pub(super) fn split_by_repository(index: &Index) -> Result<(), Error> {
    for folder in OLD_FOLDERS {
        let folder = index.folder.join(folder);
        if !folder.is_dir() {
            continue;
        }
        if Repository::exists_in(&folder) {
            let old = Repository::open(&folder)?;
            tracing::info!(
                documents = old.storage().n_documents(),
                "upgrading the index: documents are copied into a partition per private repository"
            );
            copy(index, &old)?;
        }
        delete_folder(&folder)?;
    }
    Ok(())
}

fn copy(index: &Index, old: &Repository) -> Result<(), Error> {
    let mut places: BTreeMap<(PartitionKey, PartitionKind), Vec<DocumentAddress>> = BTreeMap::new();
    {
        let owners = index.owners();
        for place in old.storage().addresses() {
            let id = old.storage().segment(place).id(place.document).map_err(damage)?;
            // Removed documents have no owner and are not copied.
            let owner = id.parse().ok().and_then(|number| owners.of(number));
            if let Some(owner) = owner.and_then(|owner| owners.repositories.get(&owner)) {
                places.entry((owner.key(), owner.kind())).or_default().push(place);
            }
        }
    }
    for ((key, kind), places) in places {
        let partition = index.partition(key, kind)?;
        for places in places.chunks(BATCH) {
            partition.copy(old, places)?;
        }
    }
    Ok(())
}
