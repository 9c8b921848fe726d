//! Damaged files: every answer is the right one or an error that names the file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use textkin_repository::{DocumentAddress, Error, NewDocument, Repository, Writer, WriterSettings};
use xxhash_rust::xxh3::xxh3_64;

use crate::disk::{Random, SimulatedDisk};
use crate::model::{Model, difference, entry, holders, postings, prepare, terms_of};

const FOLDER: &str = "/repository";

fn folder() -> &'static Path {
    Path::new(FOLDER)
}

fn open_writer(disk: &SimulatedDisk) -> Result<Writer, Error> {
    Writer::open(Arc::new(disk.clone()), folder(), WriterSettings::default())
}

/// A repository of some segments, two of them of the same number of documents with two removed.
fn whole() -> &'static (SimulatedDisk, Model) {
    static WHOLE: OnceLock<(SimulatedDisk, Model)> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let disk = SimulatedDisk::default();
        let config = serde_json::json!({"chunker": "words:8"});
        let io = Arc::new(disk.clone());
        let mut writer =
            Writer::create(io, folder(), config, WriterSettings::default()).expect("it is new");
        let mut model = Model::default();
        for (segment, (n, size)) in [(80, 6), (5, 30), (5, 30), (2, 30_000)].into_iter().enumerate()
        {
            for number in 0..n {
                let id = format!("{segment}/{number}");
                let entry = entry(&id, (segment * 1000 + number) as u64, size);
                writer.add(&entry).expect("it is new");
                model.documents.push(entry);
            }
            writer.commit().expect("nothing fails");
        }
        for id in ["1/2", "2/3"] {
            let going: Vec<NewDocument> =
                model.documents.iter().filter(|entry| entry.id == id).cloned().collect();
            let address = writer.repository().find(id).expect("it is whole").expect("it is there");
            writer.remove(address, terms_of(&going[0]));
            model.remove(id);
        }
        writer.commit().expect("nothing fails");
        (disk, model)
    })
}

/// The files that are the repository.
fn files(disk: &SimulatedDisk) -> Vec<PathBuf> {
    disk.files().into_iter().filter(|path| !path.ends_with("lock")).collect()
}

fn names(error: &impl ToString, touched: &[PathBuf]) -> Result<(), String> {
    let message = error.to_string();
    match touched.iter().any(|path| message.contains(&path.display().to_string())) {
        true => Ok(()),
        false => Err(format!("'{message}' names none of {touched:?}")),
    }
}

/// Every question to a repository, one by one: right, or an error that names a touched file.
fn ask_everything(disk: &SimulatedDisk, model: &Model, touched: &[PathBuf]) -> Result<(), String> {
    let repository = match Repository::open(disk, folder()) {
        Ok(repository) => repository,
        Err(error) => return names(&error, touched),
    };
    let addresses: Vec<DocumentAddress> = repository.addresses().collect();
    if addresses.len() != model.documents.len() {
        return Err("there is another number of documents".to_owned());
    }
    fn right<T: PartialEq + std::fmt::Debug, E: ToString>(
        answer: Result<T, E>,
        expected: &T,
        touched: &[PathBuf],
    ) -> Result<(), String> {
        match answer {
            Ok(answer) if answer == *expected => Ok(()),
            Ok(answer) => Err(format!("{answer:?} instead of {expected:?}")),
            Err(error) => names(&error, touched),
        }
    }
    for (&address, entry) in addresses.iter().zip(&model.documents) {
        let stored = repository.document(address).map(|s| (s.id, s.time, s.metadata, s.added));
        let expected = (entry.id.clone(), entry.time.clone(), entry.metadata.clone(), entry.added);
        right(stored, &expected, touched)?;
        right(repository.content(address), &entry.content, touched)?;
        right(repository.find(&entry.id), &Some(address), touched)?;
    }
    right(repository.find("never"), &None, touched)?;
    let (terms, chunks) = model.postings();
    let numbers = addresses.into_iter().zip(0..).collect();
    for (term, expected) in terms {
        let answer = postings(&repository, &numbers, term);
        right(answer, &(expected.len() as u64, expected), touched)?;
    }
    for (chunk, expected) in chunks {
        right(holders(&repository, &numbers, chunk), &expected, touched)?;
    }
    Ok(())
}

/// All that must hold of a repository with damage to `touched`.
fn look(disk: &SimulatedDisk, model: &Model, touched: &[PathBuf]) -> Result<(), String> {
    ask_everything(disk, model, touched)?;
    match Repository::check(disk, folder()) {
        Err(error) => names(&error, touched)?,
        Ok(checked) => match checked.damages.first() {
            Some(damage) => names(damage, touched)?,
            None => return Err("a check finds nothing".to_owned()),
        },
    }
    // Writing a damaged repository again either works, and all is right, or changes nothing.
    let compacted = open_writer(disk).and_then(|mut writer| writer.compact(&mut prepare));
    match compacted {
        Err(error) => {
            names(&error, touched)?;
            ask_everything(disk, model, touched)
        }
        Ok(()) => {
            let repository = Repository::open(disk, folder()).map_err(|error| error.to_string())?;
            difference(&repository, model)
        }
    }
}

#[derive(Clone, Debug)]
enum Harm {
    Flip(prop::sample::Index, u8),
    /// A page or a part of it becomes zero.
    Zero(prop::sample::Index, usize),
    Cut(prop::sample::Index),
    Grow(usize),
    Garbage(usize, u64),
    Delete,
    Swap(prop::sample::Index),
    /// Another file in its place.
    Copy(prop::sample::Index),
}

fn harm() -> impl Strategy<Value = Harm> {
    let index = || any::<prop::sample::Index>();
    prop_oneof![
        6 => (index(), 1u8..).prop_map(|(at, change)| Harm::Flip(at, change)),
        1 => (index(), prop_oneof![Just(1usize), Just(512), Just(4096)]).prop_map(|(at, n)| Harm::Zero(at, n)),
        2 => index().prop_map(Harm::Cut),
        1 => (1usize..5000).prop_map(Harm::Grow),
        1 => (0usize..9000, any::<u64>()).prop_map(|(n, seed)| Harm::Garbage(n, seed)),
        1 => Just(Harm::Delete),
        2 => index().prop_map(Harm::Swap),
        1 => index().prop_map(Harm::Copy),
    ]
}

/// Harms a file; gives the files that are not as they were.
fn do_harm(disk: &SimulatedDisk, path: &Path, harm: &Harm) -> Vec<PathBuf> {
    let mut bytes = disk.contents(path);
    let before = bytes.clone();
    let all = files(disk);
    match harm {
        Harm::Flip(at, change) => {
            let at = at.index(bytes.len());
            bytes[at] ^= change;
        }
        Harm::Zero(at, n) => {
            let start = at.index(bytes.len()) / n * n;
            let end = (start + n).min(bytes.len());
            bytes[start..end].fill(0);
        }
        Harm::Cut(at) => bytes.truncate(at.index(bytes.len())),
        Harm::Grow(n) => bytes.resize(bytes.len() + n, 7),
        Harm::Garbage(n, seed) => {
            let mut random = Random(*seed);
            bytes = (0..*n).map(|_| random.next().to_le_bytes()[0]).collect();
        }
        Harm::Delete => {
            disk.meddle(path, None);
            return vec![path.to_owned()];
        }
        Harm::Swap(with) | Harm::Copy(with) => {
            let with = with.get(&all);
            bytes = disk.contents(with);
            if bytes == before {
                return Vec::new();
            }
            disk.meddle(path, Some(bytes));
            if matches!(harm, Harm::Swap(_)) {
                disk.meddle(with, Some(before));
                return vec![path.to_owned(), with.clone()];
            }
            return vec![path.to_owned()];
        }
    }
    let is_same = bytes == before;
    disk.meddle(path, Some(bytes));
    if is_same { Vec::new() } else { vec![path.to_owned()] }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damage_is_named_and_never_answered_from(which in any::<prop::sample::Index>(), harm in harm()) {
        let (disk, model) = whole();
        let disk = disk.snapshot();
        let path = which.get(&files(&disk)).clone();
        let touched = do_harm(&disk, &path, &harm);
        if !touched.is_empty() && let Err(wrong) = look(&disk, model, &touched) {
            return Err(TestCaseError::fail(format!("{}: {wrong}", path.display())));
        }
    }
}

#[test]
fn what_is_whole_is_right() {
    let (disk, model) = whole();
    assert_eq!(ask_everything(disk, model, &[]), Ok(()));
    let checked = Repository::check(disk, folder()).expect("it can be read");
    assert_eq!((checked.damages.len(), checked.segments), (0, 4));
    assert_eq!(checked.documents, model.documents.len() as u64);
}

#[test]
fn the_lists_of_two_segments_are_not_taken_for_one_another() {
    let (disk, model) = whole();
    let disk = disk.snapshot();
    let lists: Vec<PathBuf> =
        files(&disk).into_iter().filter(|path| path.extension() == Some("tkr".as_ref())).collect();
    let [first, second] = &lists[..] else { panic!("two segments have lost documents") };
    let (one, other) = (disk.contents(first), disk.contents(second));
    disk.meddle(first, Some(other));
    disk.meddle(second, Some(one));
    assert!(Repository::open(&disk, folder()).is_err());
    assert_eq!(look(&disk, model, &lists), Ok(()));
}

/// Every way in refuses a manifest that begins so, with what `is_right` finds right.
fn refuses(head: &str, is_right: impl Fn(Error) -> bool) {
    let (disk, _) = whole();
    let disk = disk.snapshot();
    let path = folder().join("MANIFEST");
    let text = format!("{head} {:016x}\nwhatever that version writes", xxh3_64(head.as_bytes()));
    disk.meddle(&path, Some(text.into_bytes()));
    assert!(Repository::open(&disk, folder()).is_err_and(&is_right));
    assert!(open_writer(&disk).is_err_and(&is_right));
    assert!(Repository::check(&disk, folder()).is_err_and(&is_right));
}

#[test]
fn another_format_is_refused() {
    refuses("textkin-repository 3 9.8.7", |error| {
        let message = error.to_string();
        assert!(message.contains("install textkin 9.8.7 or later"), "{message}");
        matches!(error, Error::Newer { version: 3, supported: 2, .. })
    });
    refuses("textkin-repository 1 0.1.0", |error| {
        let message = error.to_string();
        assert!(message.contains("another version of textkin (0.1.0, format 1)"), "{message}");
        assert!(message.contains("make it anew from the documents"), "{message}");
        matches!(error, Error::Older { version: 1, supported: 2, .. })
    });
}

#[test]
fn foreign_files_are_left_alone() {
    let (disk, model) = whole();
    let disk = disk.snapshot();
    let foreign = ["notes.txt", "segment-notes.tks", "segment-7.tks", "segment-00000001.tks.bak"]
        .map(|name| folder().join(name));
    let leftover_files = ["MANIFEST.new", "segment-00000900-00000001.tkr", "segment-00000900.tks"]
        .map(|name| folder().join(name));
    for path in foreign.iter().chain(&leftover_files) {
        disk.meddle(path, Some(b"something".to_vec()));
    }
    let checked = Repository::check(&disk, folder()).expect("it can be read");
    assert_eq!((checked.damages.len(), &checked.leftover_files[..]), (0, &leftover_files[..]));
    let mut writer = open_writer(&disk).expect("it is whole");
    writer.compact(&mut prepare).expect("nothing fails");
    assert!(foreign.iter().all(|path| disk.contents(path) == b"something"));
    assert!(!disk.files().iter().any(|path| leftover_files.contains(path)));
    assert_eq!(difference(writer.repository(), model), Ok(()));
}

#[test]
fn a_folder_with_other_things_is_no_repository() {
    let disk = SimulatedDisk::default();
    let create = || {
        let settings = WriterSettings::default();
        Writer::create(Arc::new(disk.clone()), folder(), serde_json::Value::Null, settings)
    };
    assert!(matches!(open_writer(&disk), Err(Error::Missing { .. })));
    disk.meddle(&folder().join("notes.txt"), Some(Vec::new()));
    assert!(matches!(create(), Err(Error::NotEmpty { .. })));
    assert!(matches!(open_writer(&disk), Err(Error::Missing { .. })));
    assert_eq!(disk.files(), [folder().join("notes.txt")], "nothing is put there");
}
