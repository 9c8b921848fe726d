//! Backups: copies the data folder while a server uses it, and checks the copy.
//!
//! The store is copied first, as of one moment; then the index partitions, which by then contain
//! everything that the store no longer keeps itself. Documents that were deleted in between are
//! removed from the copy of the store too.

use std::io::Write;
use std::path::{Path, PathBuf};

use hashbrown::HashSet;
use textkin::engine::repository_format::Disk;

use crate::domain::DocumentId;
use crate::error::Error;
use crate::service::{STORE, origins};
use crate::store::secret_key::{SECRET_KEY_FILE, SecretKey};
use crate::store::{Store, documents, files, integrity, pending, store_id};

/// The number of attempts to copy a partition whose files change meanwhile.
const MAX_ATTEMPTS: usize = 100;

/// The result of a check of a data folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataCheck {
    /// Documents in the store.
    pub documents: u64,
    /// Those of them that are not flushed to the index yet.
    pub pending: u64,
    /// Documents whose text or fingerprints are neither in the index nor in the store.
    pub missing: u64,
    /// Deleted documents that are still to be erased from the index.
    pub to_erase: u64,
    /// Everything that is wrong, each with what to do about it.
    pub findings: Vec<String>,
}

/// Returns where the key of webhook secrets is copied when `folder` is created as a backup: beside it,
/// so that the two can be kept apart. To restore, it must be moved into the folder as `secret.key`.
#[must_use]
pub fn key_of_backup(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_owned();
    name.push(".key");
    folder.with_file_name(name)
}

/// Copies the data in `from`, which a server may be using, to the new folder `to`, and the key of webhook
/// secrets to [`key_of_backup`].
///
/// # Errors
/// If something cannot be read or written, or `to` or the copy of the key exists already.
pub fn back_up(from: &Path, to: &Path) -> Result<DataCheck, Error> {
    let (key, key_copy) = (from.join(SECRET_KEY_FILE), key_of_backup(to));
    if key_copy.exists() {
        let reason = "this file already exists; choose another name for the backup".to_owned();
        return Err(Error::Store { path: key_copy, reason });
    }
    if !from.join(STORE).is_file() {
        let reason = "not a data folder of a textkin server".to_owned();
        return Err(Error::Store { path: from.to_owned(), reason });
    }
    files::new_folder(to)?;
    let store = Store::open(&from.join(STORE))?;
    store.copy_to(&to.join(STORE))?;
    files::create_folder(&to.join("index"))?;
    let marker = from.join("index").join(store_id::MARKER);
    if marker.is_file() {
        copy_file(&marker, &to.join("index").join(store_id::MARKER))?;
    }
    for partition in partitions(from)? {
        let Some(name) = partition.file_name() else { continue };
        let copied = copy_partition(&partition, &to.join("index").join(name));
        // It no longer exists if its repository was deleted meanwhile, with its documents.
        if partition.is_dir() {
            copied?;
        }
    }
    copy_uploads(&from.join("uploads"), &to.join("uploads"))?;
    if key.is_file() {
        copy_file(&key, &key_copy)?;
    }
    let (_, missing) = inspect(to)?;
    if !missing.is_empty() {
        remove_deleted(&store, &Store::open(&to.join(STORE))?, missing)?;
    }
    let checked = check_data(to)?;
    // A power failure after this must not damage the backup.
    files::sync_tree(to)?;
    if key_copy.is_file() {
        files::sync_file(&key_copy)?;
    }
    let parent = to.parent().filter(|parent| !parent.as_os_str().is_empty());
    files::sync_folder(parent.unwrap_or(Path::new(".")))?;
    Ok(checked)
}

/// Removes documents from the copy of a store that are no longer in the store itself.
fn remove_deleted(store: &Store, copy: &Store, numbers: Vec<DocumentId>) -> Result<(), Error> {
    let deleted = store.read(|read| {
        let mut deleted = Vec::new();
        for number in numbers {
            if documents::by_number(read, number)?.is_none() {
                deleted.push(number);
            }
        }
        Ok(deleted)
    })?;
    copy.write(move |write| {
        deleted.into_iter().try_for_each(|number| documents::forget(write, number))
    })
}

/// Copies the uploads that jobs still have to read, and skips those that are deleted meanwhile.
fn copy_uploads(from: &Path, to: &Path) -> Result<(), Error> {
    let missing = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    let entries = match std::fs::read_dir(from) {
        Err(error) if missing(&error) => return Ok(()),
        entries => entries?,
    };
    files::create_folder(to)?;
    for entry in entries {
        let entry = entry?;
        let target = to.join(entry.file_name());
        let copied = match entry.file_type() {
            Ok(kind) if kind.is_dir() => copy_uploads(&entry.path(), &target),
            Ok(_) => copy_file(&entry.path(), &target).map_err(Error::from),
            Err(error) => Err(error.into()),
        };
        match copied {
            Err(Error::Io(error)) if missing(&error) => {}
            copied => copied?,
        }
    }
    Ok(())
}

/// Returns the folders of the partitions of the index.
fn partitions(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut partitions = Vec::new();
    for entry in std::fs::read_dir(folder.join("index")).into_iter().flatten() {
        let path = entry?.path();
        // One that is just being created has no documents that the store no longer keeps.
        if textkin::Repository::exists_in(&path) {
            partitions.push(path);
        }
    }
    partitions.sort_unstable();
    Ok(partitions)
}

fn copy_partition(from: &Path, to: &Path) -> Result<(), Error> {
    let mut outcome = Ok(());
    for _ in 0..MAX_ATTEMPTS {
        // Files from an earlier attempt may belong to another state.
        if to.exists() {
            std::fs::remove_dir_all(to)?;
        }
        files::create_folder(to)?;
        outcome = copy_files(from, to).and_then(|()| check_partition(to));
        if outcome.is_ok() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    outcome
}

/// Copies the files of one manifest. All are opened before the first is copied, because an open file
/// stays readable after the server has replaced it.
fn copy_files(from: &Path, to: &Path) -> Result<(), Error> {
    let manifest = from.join(textkin::engine::repository_format::Repository::SIGNATURE.0);
    let before = std::fs::read(&manifest)?;
    let mut files = Vec::new();
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_data = Path::new(&name).extension().is_some_and(|end| end == "tks" || end == "tkr");
        if is_data && let Ok(file) = std::fs::File::open(entry.path()) {
            files.push((name, file));
        }
    }
    if std::fs::read(&manifest)? != before {
        return Err(
            std::io::Error::other("the index changed while its files were being opened").into()
        );
    }
    for (name, mut file) in files {
        std::io::copy(&mut file, &mut files::create_file(&to.join(name))?)?;
    }
    let name = textkin::engine::repository_format::Repository::SIGNATURE.0;
    files::create_file(&to.join(name))?.write_all(&before)?;
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut from = std::fs::File::open(from)?;
    std::io::copy(&mut from, &mut files::create_file(to)?).map(drop)
}

fn check_partition(folder: &Path) -> Result<(), Error> {
    let checked = textkin::engine::repository_format::Repository::check(&Disk, folder)
        .map_err(textkin::Error::from)?;
    match checked.errors.into_iter().next() {
        Some(damage) => {
            Err(textkin::Error::from(textkin::engine::repository_format::Error::from(damage))
                .into())
        }
        None => Ok(()),
    }
}

/// Checks a data folder: every file must be intact and every document present.
///
/// # Errors
/// If something cannot be read or is corrupt.
pub fn check_data(folder: &Path) -> Result<DataCheck, Error> {
    Ok(inspect(folder)?.0)
}

/// Checks a data folder; also returns the numbers of the missing documents.
fn inspect(folder: &Path) -> Result<(DataCheck, Vec<DocumentId>), Error> {
    let path = folder.join(STORE);
    if !path.is_file() {
        let reason = "not a data folder of a textkin server".to_owned();
        return Err(Error::Store { path: folder.to_owned(), reason });
    }
    // A check must not create a store in an empty file.
    store_id::check_before_creation(folder, &path)?;
    let store = Store::open(&path)?;
    let mut on_disk: HashSet<DocumentId> = HashSet::new();
    let (documents, pending) = store.read(|read| {
        let integrity = integrity::check(read)?;
        if integrity != "ok" {
            return Err(Error::Store { path: path.clone(), reason: integrity });
        }
        let pending: HashSet<DocumentId> = pending::numbers(read)?;
        Ok((documents::digests(read)?, pending))
    })?;
    let mut findings = Vec::new();
    if let Some(reason) = store_id::mismatch(folder, &store)? {
        findings.push(format!("{reason}; restore a backup"));
    }
    let mut n_different = 0u64;
    for partition in partitions(folder)? {
        check_partition(&partition)?;
        let repository = textkin::Repository::open(&partition)?;
        let places: Vec<_> = repository.storage().addresses().collect();
        if !repository.config().keeps_text {
            repository.read_documents(&places, |_, document| {
                on_disk.extend(document.id.parse::<DocumentId>());
                Ok::<(), Error>(())
            })?;
            continue;
        }
        repository.read_texts(&places, |document, text| {
            let Ok(number) = document.id.parse::<DocumentId>() else { return Ok(()) };
            on_disk.insert(number);
            let digest = blake3::hash(text.as_bytes());
            n_different += u64::from(documents.get(&number).is_some_and(|own| digest != *own));
            Ok::<(), Error>(())
        })?;
    }
    let is_missing = |number: &DocumentId| !pending.contains(number) && !on_disk.contains(number);
    let mut missing: Vec<DocumentId> = documents.keys().copied().filter(is_missing).collect();
    missing.sort_unstable();
    if n_different > 0 {
        findings.push(format!(
            "{n_different} of {} documents have another text in the index than in the store; \
             restore a backup",
            documents.len()
        ));
    }
    if !missing.is_empty() {
        findings.push(format!(
            "{} of {} documents are in the store but not in the index; restore a backup",
            missing.len(),
            documents.len()
        ));
    }
    let key = match folder.join(SECRET_KEY_FILE) {
        key if key.is_file() => key,
        key => Some(key_of_backup(folder)).filter(|copy| copy.is_file()).unwrap_or(key),
    };
    findings.extend(SecretKey::finding(&key, &store)?);
    findings.extend(origins::findings(folder, &store)?);
    let n_exposed = files::n_exposed(folder)?;
    if n_exposed > 0 {
        findings.push(format!(
            "other accounts on this machine have permissions on {n_exposed} files and folders; run: {}",
            files::restrict_command(folder)
        ));
    }
    let checked = DataCheck {
        documents: documents.len() as u64,
        pending: pending.len() as u64,
        missing: missing.len() as u64,
        to_erase: on_disk.iter().filter(|number| !documents.contains_key(*number)).count() as u64,
        findings,
    };
    Ok((checked, missing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::index::PartitionKind;
    use crate::service::tests::{POEM, actor, register, repository};
    use crate::service::{Service, ServiceLimits, Visibility};

    /// Creates a server with a flushed document, a pending one and an upload.
    fn server(folder: &Path) -> std::sync::Arc<Service> {
        let service = Service::open(folder, ServiceLimits::default()).unwrap();
        let anna = actor(&service, "anna", "admin");
        repository(&service, &anna, "poems", Visibility::Public);
        register(&service, &anna, "poems", "mercy", POEM);
        while service.run_check_batch().unwrap() {}
        service.save_tracers();
        service.flush(PartitionKind::Texts).unwrap();
        register(&service, &anna, "poems", "again", &format!("As they say: {POEM}"));
        service
    }

    #[test]
    fn every_file_and_folder_of_a_backup_is_brought_to_disk() {
        fn assert_synced(path: &Path, synced: &[PathBuf]) -> usize {
            assert!(synced.contains(&path.to_owned()), "{}", path.display());
            let entries = std::fs::read_dir(path).into_iter().flatten();
            1 + entries.map(|entry| assert_synced(&entry.unwrap().path(), synced)).sum::<usize>()
        }
        let folder = tempfile::tempdir().unwrap();
        let (data, copy) = (folder.path().join("data"), folder.path().join("copy"));
        let service = server(&data);
        let upload = service.new_upload("a.txt").unwrap();
        std::fs::write(upload.path(), "some text").unwrap();
        files::tests::SYNCED.take();
        back_up(&data, &copy).unwrap();
        let synced = files::tests::SYNCED.take();
        assert!(assert_synced(&copy, &synced) > 8);
        assert_synced(&key_of_backup(&copy), &synced);
        assert!(synced.contains(&folder.path().to_owned()));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_has_permissions_on_data_and_backups() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let (data, copy) = (folder.path().join("data"), folder.path().join("copy"));
        let service = server(&data);
        let upload = service.new_upload("a.txt").unwrap();
        std::fs::write(upload.path(), "some text").unwrap();
        back_up(&data, &copy).unwrap();
        // Store with two journals, lock, index with segments, origins, upload.
        assert!(files::tests::assert_private(&data) > 15);
        assert!(files::tests::assert_private(&copy) > 8);
        assert!(data.join("textkin.db-wal").is_file() && data.join("textkin.db-shm").is_file());
        assert_eq!(check_data(&copy).unwrap().findings, [""; 0]);
        std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o755)).unwrap();
        let findings = check_data(&copy).unwrap().findings;
        assert!(findings.len() == 1 && findings[0].contains("chmod -R go= "), "{findings:?}");
    }
}
