//! `kill -9` at any moment: what a writer acknowledged is there afterwards.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use textkin_repository::{Disk, Error, Repository, Writer, WriterSettings};

use crate::company::{FOLDER, again, change, changed};
use crate::disk::Random;
use crate::model::{difference, prepare};

const ROUNDS: u64 = 40;

#[test]
fn what_was_acknowledged_survives_a_kill() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut path = folder.path().join("0");
    let mut random = Random(std::process::id().into());
    let (mut last, mut sum) = (0, 0);
    for round in 0..ROUNDS {
        // A new one now and then, so that making one is killed too, and comparing stays quick.
        if round.is_multiple_of(10) {
            path = folder.path().join(round.to_string());
            (last, sum) = (0, sum + last);
        }
        let mut writer = again("killed::as_a_writer", &path)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let lines = BufReader::new(writer.stdout.take().expect("it is piped")).lines();
        let listener = std::thread::spawn(move || {
            let number = |line: String| line.strip_prefix("done ").and_then(|n| n.parse().ok());
            lines.map_while(Result::ok).filter_map(number).max().unwrap_or(0u64)
        });
        std::thread::sleep(Duration::from_micros(random.next() % 120_000));
        writer.kill().expect("it is ours");
        writer.wait().expect("it is ours");
        let acknowledged = listener.join().expect("listening does not fail").max(last);
        last = match Repository::open(&Disk, &path) {
            Err(Error::Missing { .. }) if acknowledged == 0 => 0,
            Err(error) => panic!("round {round}: {error}"),
            Ok(repository) => {
                let n = repository.n_documents();
                assert!(
                    (acknowledged..=acknowledged + 1).contains(&n),
                    "round {round}: {acknowledged} acknowledged, {n} there"
                );
                assert_eq!(difference(&repository, &changed(n)), Ok(()), "round {round}");
                n
            }
        };
        if let Ok(checked) = Repository::check(&Disk, &path) {
            assert_eq!(checked.damages, [], "round {round}");
        }
    }
    assert!(sum + last > ROUNDS / 4, "the writer came to write: {last}");
    drop(open(&path).expect("it is whole"));
    let checked = Repository::check(&Disk, &path).expect("it is whole");
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

/// No test of its own: writes until it is killed.
#[test]
fn as_a_writer() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut writer = open(Path::new(&folder)).expect("there is no other");
    let mut stdout = std::io::stdout();
    writeln!(stdout).expect("the other process listens");
    loop {
        let number = writer.repository().n_documents() + 1;
        change(&mut writer, number);
        writeln!(stdout, "done {number}").expect("the other process listens");
        writer.merge(&mut prepare).expect("nothing fails");
        if number.is_multiple_of(7) {
            writer.compact(&mut prepare).expect("nothing fails");
        }
    }
}
