//! Several writers and readers at once, in one process and in two, on a real disk.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use textkin_repository::{Disk, Error, Repository, Writer, WriterSettings};

use crate::model::{Model, difference, entry, reindex, stored_ids, terms_of};

/// The environment variable that tells a test to run as a separate process, on this folder.
pub(crate) const FOLDER: &str = "TEXTKIN_TEST_FOLDER";

/// Returns a command that runs one test of this program on `folder`.
pub(crate) fn rerun(test: &str, folder: &Path) -> Command {
    let program = std::env::current_exe().expect("the test program is running");
    let mut command = Command::new(program);
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(FOLDER, folder);
    command
}

fn create(folder: &Path) -> Writer {
    let config = serde_json::Value::Null;
    Writer::create(Arc::new(Disk), folder, config, WriterSettings::default())
        .expect("the folder or id is new")
}

fn open(folder: &Path) -> Result<Writer, Error> {
    Writer::open(Arc::new(Disk), folder, WriterSettings::default())
}

#[test]
fn a_second_writer_is_rejected() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("repository");
    let mut writer = create(&path);
    let locked = open(&path).expect_err("a writer is open");
    assert!(matches!(locked, Error::Locked { .. }));
    assert!(locked.to_string().contains(&path.display().to_string()));
    // The same holds for another process, and this one can continue.
    let other = |expected: &str| {
        let output =
            rerun("concurrency::as_another_process", &path).output().expect("the process starts");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && printed.contains(expected), "{printed}");
    };
    other("result: locked");
    writer.add(&entry("a", 1, 10)).expect("the folder or id is new");
    writer.commit().expect("this is the only writer");
    drop(writer);
    other("result: opened");
    assert_eq!(open(&path).expect("no other writer is open").repository().n_documents(), 1);
}

/// Not a test of its own: tries to write as another process.
#[test]
fn as_another_process() {
    use std::io::Write;
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let result = match open(Path::new(&folder)) {
        Ok(_) => "opened".to_owned(),
        Err(Error::Locked { .. }) => "locked".to_owned(),
        Err(error) => error.to_string(),
    };
    writeln!(std::io::stdout(), "\nresult: {result}").expect("the other process reads");
}

/// Readers that reopen repeatedly always see a prefix of the documents, and never fail.
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
                    let repository =
                        Repository::open(&Disk, path).expect("the repository can be opened");
                    let ids = stored_ids(&repository).expect("the repository is intact");
                    // The first document is replaced with every change, and so becomes the last.
                    let n = ids.len();
                    assert!(n >= n_before, "no document is lost");
                    let expected = (1..n).map(|number| format!("d{number}"));
                    assert!(expected.chain(["head".to_owned()]).take(n).eq(ids));
                    for address in repository.addresses() {
                        repository.content(address).expect("the repository is intact");
                    }
                    if reader == 1 {
                        let checked =
                            Repository::check(&Disk, path).expect("the repository can be read");
                        assert_eq!(checked.errors, []);
                    }
                    (n_opened, n_before) = (n_opened + 1, n);
                }
                n_opened
            })
        });
        // The readers must end even if this panics.
        let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let (begin, mut number) = (Instant::now(), 0);
            while begin.elapsed() < Duration::from_millis(1500) {
                number += 1;
                change(&mut writer, number);
                if number % 5 == 0 {
                    writer.compact(&mut reindex).expect("the write succeeds");
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
    if let Some(address) = writer.repository().find("head").expect("the repository is intact") {
        writer.remove(address, terms_of(&entry("head", number - 1, 20)));
    }
    if number > 1 {
        writer
            .add(&entry(&format!("d{}", number - 1), number, 40))
            .expect("the folder or id is new");
    }
    writer.add(&entry("head", number, 20)).expect("the old one is being removed");
    writer.commit().expect("the write succeeds");
}

/// Returns the expected documents after `n` changes.
pub(crate) fn changed(n: u64) -> Model {
    let documents = (2..=n).map(|number| entry(&format!("d{}", number - 1), number, 40));
    let head = (n > 0).then(|| entry("head", n, 20));
    Model { documents: documents.chain(head).collect() }
}

#[test]
fn a_reader_keeps_its_snapshot() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("repository");
    let mut writer = create(&path);
    let mut readers = Vec::new();
    for number in 1..20 {
        change(&mut writer, number);
        readers.push((
            Repository::open(&Disk, &path).expect("the repository is intact"),
            changed(number),
        ));
    }
    writer.compact(&mut reindex).expect("the write succeeds");
    for (reader, model) in &readers {
        assert_eq!(difference(reader, model), Ok(()));
    }
    assert_eq!(
        std::fs::read_dir(&path).expect("the folder exists").count(),
        3,
        "other files are removed"
    );
}
