//! Damaged files: every result is right, or an error that names the file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use textkin_repository::{
    DocumentAddress, Error, PreparedDocument, Repository, Writer, WriterSettings,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::disk::{Random, SimulatedDisk};
use crate::model::{Model, difference, documents_of, entry, postings, reindex, terms_of};

const FOLDER: &str = "/repository";

fn folder() -> &'static Path {
    Path::new(FOLDER)
}

fn open_writer(disk: &SimulatedDisk) -> Result<Writer, Error> {
    Writer::open(Arc::new(disk.clone()), folder(), WriterSettings::default())
}

/// Returns a repository of four segments. Two of them have the same number of documents and one
/// removed document each.
fn intact() -> &'static (SimulatedDisk, Model) {
    static INTACT: OnceLock<(SimulatedDisk, Model)> = OnceLock::new();
    INTACT.get_or_init(|| {
        let disk = SimulatedDisk::default();
        let config = serde_json::json!({"chunker": "words:8"});
        let io = Arc::new(disk.clone());
        let mut writer = Writer::create(io, folder(), config, WriterSettings::default())
            .expect("the folder or id is new");
        let mut model = Model::default();
        for (segment, (n, size)) in [(80, 6), (5, 30), (5, 30), (2, 30_000)].into_iter().enumerate()
        {
            for number in 0..n {
                let id = format!("{segment}/{number}");
                let entry = entry(&id, (segment * 1000 + number) as u64, size);
                writer.add(&entry).expect("the folder or id is new");
                model.documents.push(entry);
            }
            writer.commit().expect("the write succeeds");
        }
        for id in ["1/2", "2/3"] {
            let removed: Vec<PreparedDocument> =
                model.documents.iter().filter(|entry| entry.id == id).cloned().collect();
            let address = writer
                .repository()
                .find(id)
                .expect("the repository is intact")
                .expect("the document exists");
            writer.remove(address, terms_of(&removed[0]));
            model.remove(id);
        }
        writer.commit().expect("the write succeeds");
        (disk, model)
    })
}

/// Returns the files of the repository, without the lock.
fn files(disk: &SimulatedDisk) -> Vec<PathBuf> {
    disk.files().into_iter().filter(|path| !path.ends_with("lock")).collect()
}

/// Checks that the message of `error` names one of the `touched` files.
fn check_names(error: &impl ToString, touched: &[PathBuf]) -> Result<(), String> {
    let message = error.to_string();
    match touched.iter().any(|path| message.contains(&path.display().to_string())) {
        true => Ok(()),
        false => Err(format!("'{message}' names none of {touched:?}")),
    }
}

/// Checks every lookup: its result is right, or an error that names a touched file.
fn check_lookups(disk: &SimulatedDisk, model: &Model, touched: &[PathBuf]) -> Result<(), String> {
    let repository = match Repository::open(disk, folder()) {
        Ok(repository) => repository,
        Err(error) => return check_names(&error, touched),
    };
    let addresses: Vec<DocumentAddress> = repository.addresses().collect();
    if addresses.len() != model.documents.len() {
        return Err("the number of documents is wrong".to_owned());
    }
    fn check_result<T: PartialEq + std::fmt::Debug, E: ToString>(
        result: Result<T, E>,
        expected: &T,
        touched: &[PathBuf],
    ) -> Result<(), String> {
        match result {
            Ok(result) if result == *expected => Ok(()),
            Ok(result) => Err(format!("expected {expected:?}, found {result:?}")),
            Err(error) => check_names(&error, touched),
        }
    }
    for (&address, entry) in addresses.iter().zip(&model.documents) {
        let stored = repository.document(address).map(|s| (s.id, s.time, s.metadata, s.added));
        let expected = (entry.id.clone(), entry.time.clone(), entry.metadata.clone(), entry.added);
        check_result(stored, &expected, touched)?;
        check_result(repository.content(address), &entry.content, touched)?;
        check_result(repository.find(&entry.id), &Some(address), touched)?;
    }
    check_result(repository.find("never"), &None, touched)?;
    let (terms, chunks) = model.postings();
    let numbers = addresses.into_iter().zip(0..).collect();
    for (term, expected) in terms {
        let answer = postings(&repository, &numbers, term);
        check_result(answer, &(expected.len() as u64, expected), touched)?;
    }
    for (chunk, expected) in chunks {
        check_result(documents_of(&repository, &numbers, chunk), &expected, touched)?;
    }
    Ok(())
}

/// Checks a repository with damage to `touched`: lookups, `check`, and compaction.
fn check_damaged(disk: &SimulatedDisk, model: &Model, touched: &[PathBuf]) -> Result<(), String> {
    check_lookups(disk, model, touched)?;
    match Repository::check(disk, folder()) {
        Err(error) => check_names(&error, touched)?,
        Ok(checked) => match checked.errors.first() {
            Some(damage) => check_names(damage, touched)?,
            None => return Err("the check found no damage".to_owned()),
        },
    }
    // Compacting a damaged repository either works, and everything is right, or changes nothing.
    let compacted = open_writer(disk).and_then(|mut writer| writer.compact(&mut reindex));
    match compacted {
        Err(error) => {
            check_names(&error, touched)?;
            check_lookups(disk, model, touched)
        }
        Ok(()) => {
            let repository = Repository::open(disk, folder()).map_err(|error| error.to_string())?;
            difference(&repository, model)
        }
    }
}

#[derive(Clone, Debug)]
enum Corruption {
    Flip(prop::sample::Index, u8),
    /// Zeroes a page or a part of it.
    Zero(prop::sample::Index, usize),
    Cut(prop::sample::Index),
    Grow(usize),
    Garbage(usize, u64),
    Delete,
    Swap(prop::sample::Index),
    /// Replaces the file by a copy of another one.
    Copy(prop::sample::Index),
}

fn corruption() -> impl Strategy<Value = Corruption> {
    let index = || any::<prop::sample::Index>();
    prop_oneof![
        6 => (index(), 1u8..).prop_map(|(at, change)| Corruption::Flip(at, change)),
        1 => (index(), prop_oneof![Just(1usize), Just(512), Just(4096)]).prop_map(|(at, n)| Corruption::Zero(at, n)),
        2 => index().prop_map(Corruption::Cut),
        1 => (1usize..5000).prop_map(Corruption::Grow),
        1 => (0usize..9000, any::<u64>()).prop_map(|(n, seed)| Corruption::Garbage(n, seed)),
        1 => Just(Corruption::Delete),
        2 => index().prop_map(Corruption::Swap),
        1 => index().prop_map(Corruption::Copy),
    ]
}

/// Corrupts a file; returns the files that changed.
fn corrupt(disk: &SimulatedDisk, path: &Path, corruption: &Corruption) -> Vec<PathBuf> {
    let mut bytes = disk.contents(path);
    let before = bytes.clone();
    let all = files(disk);
    match corruption {
        Corruption::Flip(at, change) => {
            let at = at.index(bytes.len());
            bytes[at] ^= change;
        }
        Corruption::Zero(at, n) => {
            let start = at.index(bytes.len()) / n * n;
            let end = (start + n).min(bytes.len());
            bytes[start..end].fill(0);
        }
        Corruption::Cut(at) => bytes.truncate(at.index(bytes.len())),
        Corruption::Grow(n) => bytes.resize(bytes.len() + n, 7),
        Corruption::Garbage(n, seed) => {
            let mut random = Random(*seed);
            bytes = (0..*n).map(|_| random.next().to_le_bytes()[0]).collect();
        }
        Corruption::Delete => {
            disk.overwrite(path, None);
            return vec![path.to_owned()];
        }
        Corruption::Swap(with) | Corruption::Copy(with) => {
            let with = with.get(&all);
            bytes = disk.contents(with);
            if bytes == before {
                return Vec::new();
            }
            disk.overwrite(path, Some(bytes));
            if matches!(corruption, Corruption::Swap(_)) {
                disk.overwrite(with, Some(before));
                return vec![path.to_owned(), with.clone()];
            }
            return vec![path.to_owned()];
        }
    }
    let is_same = bytes == before;
    disk.overwrite(path, Some(bytes));
    if is_same { Vec::new() } else { vec![path.to_owned()] }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damage_is_reported_and_never_used(which in any::<prop::sample::Index>(), corruption in corruption()) {
        let (disk, model) = intact();
        let disk = disk.snapshot();
        let path = which.get(&files(&disk)).clone();
        let touched = corrupt(&disk, &path, &corruption);
        if !touched.is_empty() && let Err(wrong) = check_damaged(&disk, model, &touched) {
            return Err(TestCaseError::fail(format!("{}: {wrong}", path.display())));
        }
    }
}

#[test]
fn an_intact_repository_is_read_correctly() {
    let (disk, model) = intact();
    assert_eq!(check_lookups(disk, model, &[]), Ok(()));
    let checked = Repository::check(disk, folder()).expect("the repository can be read");
    assert_eq!((checked.errors.len(), checked.segments), (0, 4));
    assert_eq!(checked.documents, model.documents.len() as u64);
}

#[test]
fn swapped_removal_lists_are_detected() {
    let (disk, model) = intact();
    let disk = disk.snapshot();
    let lists: Vec<PathBuf> =
        files(&disk).into_iter().filter(|path| path.extension() == Some("tkr".as_ref())).collect();
    let [first, second] = &lists[..] else { panic!("two segments have removed documents") };
    let (one, other) = (disk.contents(first), disk.contents(second));
    disk.overwrite(first, Some(other));
    disk.overwrite(second, Some(one));
    assert!(Repository::open(&disk, folder()).is_err());
    assert_eq!(check_damaged(&disk, model, &lists), Ok(()));
}

/// Checks that every way to open a repository rejects a manifest with this head, with an error that
/// `is_expected` accepts.
fn check_rejected(head: &str, is_expected: impl Fn(Error) -> bool) {
    let (disk, _) = intact();
    let disk = disk.snapshot();
    let path = folder().join("MANIFEST");
    let text = format!("{head} {:016x}\nwhatever that version writes", xxh3_64(head.as_bytes()));
    disk.overwrite(&path, Some(text.into_bytes()));
    assert!(Repository::open(&disk, folder()).is_err_and(&is_expected));
    assert!(open_writer(&disk).is_err_and(&is_expected));
    assert!(Repository::check(&disk, folder()).is_err_and(&is_expected));
}

#[test]
fn other_formats_are_rejected() {
    check_rejected("textkin-repository 3 9.8.7", |error| {
        let message = error.to_string();
        assert!(message.contains("install textkin 9.8.7 or later"), "{message}");
        matches!(error, Error::Newer { version: 3, supported: 2, .. })
    });
    check_rejected("textkin-repository 1 0.1.0", |error| {
        let message = error.to_string();
        assert!(message.contains("another version of textkin (0.1.0, format 1)"), "{message}");
        assert!(message.contains("create it again from the documents"), "{message}");
        matches!(error, Error::Older { version: 1, supported: 2, .. })
    });
}

#[test]
fn foreign_files_are_left_alone() {
    let (disk, model) = intact();
    let disk = disk.snapshot();
    let foreign = ["notes.txt", "segment-notes.tks", "segment-7.tks", "segment-00000001.tks.bak"]
        .map(|name| folder().join(name));
    let leftover_files = ["MANIFEST.new", "segment-00000900-00000001.tkr", "segment-00000900.tks"]
        .map(|name| folder().join(name));
    for path in foreign.iter().chain(&leftover_files) {
        disk.overwrite(path, Some(b"something".to_vec()));
    }
    let checked = Repository::check(&disk, folder()).expect("the repository can be read");
    assert_eq!((checked.errors.len(), &checked.leftover_files[..]), (0, &leftover_files[..]));
    let mut writer = open_writer(&disk).expect("the repository is intact");
    writer.compact(&mut reindex).expect("the write succeeds");
    assert!(foreign.iter().all(|path| disk.contents(path) == b"something"));
    assert!(!disk.files().iter().any(|path| leftover_files.contains(path)));
    assert_eq!(difference(writer.repository(), model), Ok(()));
}

#[test]
fn a_folder_with_other_files_is_not_a_repository() {
    let disk = SimulatedDisk::default();
    let create = || {
        let settings = WriterSettings::default();
        Writer::create(Arc::new(disk.clone()), folder(), serde_json::Value::Null, settings)
    };
    assert!(matches!(open_writer(&disk), Err(Error::Missing { .. })));
    disk.overwrite(&folder().join("notes.txt"), Some(Vec::new()));
    assert!(matches!(create(), Err(Error::NotEmpty { .. })));
    assert!(matches!(open_writer(&disk), Err(Error::Missing { .. })));
    assert_eq!(disk.files(), [folder().join("notes.txt")], "no file is created");
}
