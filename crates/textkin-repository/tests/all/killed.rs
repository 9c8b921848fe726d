//! `kill -9` at any moment: acknowledged changes survive.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use textkin_repository::{Disk, Error, Repository, Writer, WriterSettings};

use crate::concurrency::{FOLDER, change, changed, rerun};
use crate::disk::Random;
use crate::model::{difference, reindex};

const ROUNDS: u64 = 40;

#[test]
fn acknowledged_changes_survive_a_kill() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut path = folder.path().join("0");
    let mut random = Random(std::process::id().into());
    let (mut last, mut sum) = (0, 0);
    for round in 0..ROUNDS {
        // A new repository now and then, so that creation is killed too and comparisons stay fast.
        if round.is_multiple_of(10) {
            path = folder.path().join(round.to_string());
            (last, sum) = (0, sum + last);
        }
        let mut writer = rerun("killed::as_a_writer", &path)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let lines = BufReader::new(writer.stdout.take().expect("the output is piped")).lines();
        let listener = std::thread::spawn(move || {
            let number = |line: String| line.strip_prefix("done ").and_then(|n| n.parse().ok());
            lines.map_while(Result::ok).filter_map(number).max().unwrap_or(0u64)
        });
        std::thread::sleep(Duration::from_micros(random.next() % 120_000));
        writer.kill().expect("the process is a child");
        writer.wait().expect("the process is a child");
        let acknowledged = listener.join().expect("reading the output succeeds").max(last);
        last = match Repository::open(&Disk, &path) {
            Err(Error::Missing { .. }) if acknowledged == 0 => 0,
            Err(error) => panic!("round {round}: {error}"),
            Ok(repository) => {
                let n = repository.n_documents();
                assert!(
                    (acknowledged..=acknowledged + 1).contains(&n),
                    "round {round}: {acknowledged} acknowledged, {n} found"
                );
                assert_eq!(difference(&repository, &changed(n)), Ok(()), "round {round}");
                n
            }
        };
        if let Ok(checked) = Repository::check(&Disk, &path) {
            assert_eq!(checked.errors, [], "round {round}");
        }
    }
    assert!(sum + last > ROUNDS / 4, "the writer wrote enough: {last}");
    drop(open(&path).expect("the repository is intact"));
    let checked = Repository::check(&Disk, &path).expect("the repository is intact");
    assert_eq!((checked.leftover_files.len(), checked.documents), (0, last));
}

fn open(folder: &Path) -> Result<Writer, Error> {
    let settings = WriterSettings { memory: 4000, merge: 1 << 20 };
    match Writer::open(Arc::new(Disk), folder, settings) {
        Err(Error::Missing { .. }) => {
            Writer::create(Arc::new(Disk), folder, serde_json::Value::Null, settings)
        }
        opened => opened,
    }
}

/// Not a test of its own: writes until it is killed.
#[test]
fn as_a_writer() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut writer = open(Path::new(&folder)).expect("no other writer is open");
    let mut stdout = std::io::stdout();
    writeln!(stdout).expect("the other process reads");
    loop {
        let number = writer.repository().n_documents() + 1;
        change(&mut writer, number);
        writeln!(stdout, "done {number}").expect("the other process reads");
        writer.merge(&mut reindex).expect("the write succeeds");
        if number.is_multiple_of(7) {
            writer.compact(&mut reindex).expect("the write succeeds");
        }
    }
}
