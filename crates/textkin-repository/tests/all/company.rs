//! Several writers and readers at once, in one process and in two, on a real disk.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use textkin_repository::{Disk, Error, Repository, Writer, WriterSettings};

use crate::model::{Model, difference, entry, prepare, stored_ids, terms_of};

/// Says to a test that it is run as a process of its own, and on which folder.
pub(crate) const FOLDER: &str = "TEXTKIN_TEST_FOLDER";

/// This program, to run one test on `folder` only.
pub(crate) fn again(test: &str, folder: &Path) -> Command {
    let program = std::env::current_exe().expect("it runs");
    let mut command = Command::new(program);
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(FOLDER, folder);
    command
}

fn create(folder: &Path) -> Writer {
    let config = serde_json::Value::Null;
    Writer::create(Arc::new(Disk), folder, config, WriterSettings::default()).expect("it is new")
}

fn open(folder: &Path) -> Result<Writer, Error> {
    Writer::open(Arc::new(Disk), folder, WriterSettings::default())
}

#[test]
fn the_second_writer_is_sent_away() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("repository");
    let mut writer = create(&path);
    let locked = open(&path).expect_err("there is one");
    assert!(matches!(locked, Error::Locked { .. }));
    assert!(locked.to_string().contains(&path.display().to_string()));
    // In another process too, and this one can go on.
    let other = |expected: &str| {
        let output = again("company::as_another_process", &path).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && said.contains(expected), "{said}");
    };
    other("said: locked");
    writer.add(&entry("a", 1, 10)).expect("it is new");
    writer.commit().expect("it is the one writer");
    drop(writer);
    other("said: opened");
    assert_eq!(open(&path).expect("the others are gone").repository().n_documents(), 1);
}

/// No test of its own: tries to write as another process.
#[test]
fn as_another_process() {
    use std::io::Write;
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let said = match open(Path::new(&folder)) {
        Ok(_) => "opened".to_owned(),
        Err(Error::Locked { .. }) => "locked".to_owned(),
        Err(error) => error.to_string(),
    };
    writeln!(std::io::stdout(), "\nsaid: {said}").expect("the other process listens");
}

/// Readers that open again and again see every document up to some number, and never fail.
#[test]
fn readers_never_fail_while_a_writer_writes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("repository");
    let mut writer = create(&path);
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers = [0, 1].map(|reader| {
            let (path, is_done) = (&path, &is_done);
            scope.spawn(move || {
                let (mut n_opened, mut n_before) = (0, 0);
                while !is_done.load(Ordering::Relaxed) {
                    let repository = Repository::open(&Disk, path).expect("it can be opened");
                    let ids = stored_ids(&repository).expect("it is whole");
                    // The first is replaced with every change, and so the last.
                    let n = ids.len();
                    assert!(n >= n_before, "nothing is lost");
                    let expected = (1..n).map(|number| format!("d{number}"));
                    assert!(expected.chain(["head".to_owned()]).take(n).eq(ids));
                    for address in repository.addresses() {
                        repository.content(address).expect("it is whole");
                    }
                    if reader == 1 {
                        let checked = Repository::check(&Disk, path).expect("it can be read");
                        assert_eq!(checked.damages, []);
                    }
                    (n_opened, n_before) = (n_opened + 1, n);
                }
                n_opened
            })
        });
        // Whatever goes wrong here, the readers end.
        let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let (begin, mut number) = (Instant::now(), 0);
            while begin.elapsed() < Duration::from_millis(1500) {
                number += 1;
                change(&mut writer, number);
                if number % 5 == 0 {
                    writer.compact(&mut prepare).expect("nothing fails");
                }
            }
        }));
        is_done.store(true, Ordering::Relaxed);
        let n_opened = readers.map(|reader| reader.join().expect("readers never fail"));
        assert!(written.is_ok() && n_opened.iter().all(|n| *n > 5), "{n_opened:?}");
    });
}

/// Adds a document and replaces `head`, in one change.
pub(crate) fn change(writer: &mut Writer, number: u64) {
    if let Some(address) = writer.repository().find("head").expect("it is whole") {
        writer.remove(address, terms_of(&entry("head", number - 1, 20)));
    }
    if number > 1 {
        writer.add(&entry(&format!("d{}", number - 1), number, 40)).expect("it is new");
    }
    writer.add(&entry("head", number, 20)).expect("the other is going");
    writer.commit().expect("nothing fails");
}

/// What there is after so many changes.
pub(crate) fn changed(n: u64) -> Model {
    let documents = (2..=n).map(|number| entry(&format!("d{}", number - 1), number, 40));
    let head = (n > 0).then(|| entry("head", n, 20));
    Model { documents: documents.chain(head).collect() }
}

#[test]
fn a_reader_keeps_what_it_saw() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("repository");
    let mut writer = create(&path);
    let mut readers = Vec::new();
    for number in 1..20 {
        change(&mut writer, number);
        readers.push((Repository::open(&Disk, &path).expect("it is whole"), changed(number)));
    }
    writer.compact(&mut prepare).expect("nothing fails");
    for (reader, model) in &readers {
        assert_eq!(difference(reader, model), Ok(()));
    }
    assert_eq!(std::fs::read_dir(&path).expect("it is there").count(), 3, "the rest is gone");
}
