//! Unwritable outputs, broken pipes and Ctrl-C never leave incomplete files.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use crate::support::{FERRY, Folder, HARBOUR, HEADER, record, run};

fn two_files() -> Folder {
    let folder = Folder::new();
    folder.write("a.txt", HARBOUR);
    folder.write("b.txt", FERRY);
    folder
}

/// So many copies that their pairs fill any pipe.
fn many_pairs() -> Folder {
    let folder = Folder::new();
    folder.write("x.jsonl", (0..200).map(|n| record(&n.to_string(), HARBOUR)).collect::<String>());
    folder
}

const N_ROWS: usize = 200 * 199 / 2;

#[test]
fn unwritable_output_fails_before_reading() {
    let folder = two_files();
    for option in ["--out", "--clusters", "--stats"] {
        let name = "no/such/x.jsonl";
        let mut command = folder.command(&["discover", "-", option, name]);
        command.stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Standard input stays open: a run that reads it would not end.
        let held = child.stdin.take();
        let code = child.wait().unwrap().code();
        let mut told = String::new();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        drop(held);
        assert_eq!(code, Some(2), "{option}: {told}");
        assert_eq!(
            told,
            "textkin: cannot create no/such/x.jsonl: directory no/such does not exist\n"
        );
    }
    std::fs::create_dir(folder.path("d.csv")).unwrap();
    let told = folder.discover(&["a.txt", "b.txt", "--out", "d.csv"]).expect(2);
    told.expect_only("d.csv is a directory; name a file in it");
}

#[test]
fn same_path_for_two_outputs_is_rejected() {
    let folder = two_files();
    let same = [
        ["--out", "x.jsonl", "--clusters", "x.jsonl"],
        ["--out", "x.csv", "--out", "./x.csv"],
        ["--clusters", "x.json", "--stats", "x.json"],
    ];
    for options in same {
        let run = folder.discover(&[&["a.txt", "b.txt"], &options[..]].concat()).expect(2);
        let message = " is used for two outputs; choose different files\n";
        assert!(run.stderr.ends_with(message), "{run:?}");
    }
    assert_eq!(folder.names(), ["a.txt", "b.txt"]);
}

#[test]
fn input_is_never_overwritten() {
    let folder = many_pairs();
    let before = folder.read("x.jsonl");
    for option in ["--out", "--clusters", "--imatch", "--stats"] {
        let run = folder.discover(&["x.jsonl", option, "./x.jsonl"]).expect(2);
        run.expect_only("./x.jsonl is an input and would be overwritten; choose another output");
        assert_eq!(folder.read("x.jsonl"), before);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_reported_once_and_leaves_nothing() {
    let folder = many_pairs();
    folder.write("old.csv", "old");
    for name in
        ["full.csv", "full.jsonl", "full.parquet", "full.graphml", "full.mtx", "full.csv.gz"]
    {
        std::os::unix::fs::symlink("/dev/full", folder.path(name)).unwrap();
        let options = ["x.jsonl", "--out", name, "--out", "old.csv", "--clusters", "c.jsonl"];
        let run = folder.discover(&options).expect(2);
        run.expect_only(&format!(
            "no space left to write {name}; free space or choose another disk"
        ));
        std::fs::remove_file(folder.path(name)).unwrap();
        assert_eq!(folder.names(), ["old.csv", "x.jsonl"], "{name}");
        assert_eq!(folder.read("old.csv"), "old");
    }
    for option in ["--clusters", "--stats"] {
        let run = folder.discover(&["x.jsonl", option, "/dev/full", "-q"]).expect(2);
        run.expect_only("no space left to write /dev/full; free space or choose another disk");
    }
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    for arguments in [&["discover", "x.jsonl", "--out", "-", "-q"][..], &["strategies"]] {
        let mut command = folder.command(arguments);
        let child = command.stdout(full()).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "textkin: no space left to write standard output; free space or choose another disk\n"
        );
    }
}

#[test]
fn missing_temp_dir_is_reported() {
    let folder = two_files();
    let options = ["a.txt", "b.txt", "--plan", "spill", "--temp-dir", "no/such", "--out", "p.csv"];
    let run = folder.discover(&options).expect(2);
    run.expect_only(
        "cannot use a temporary file in no/such; free some space there or choose another directory \
         with --temp-dir: no such file or directory",
    );
    assert_eq!(folder.names(), ["a.txt", "b.txt"]);
}

#[test]
fn broken_pipe_is_not_an_error_and_other_outputs_are_written() {
    let folder = many_pairs();
    let outs = ["--out", "-", "--out", "p.csv", "--clusters", "c.jsonl", "--stats", "s.json"];
    let mut command = folder.command(&[&["discover", "x.jsonl", "-q"], &outs[..]].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    let mut reader = BufReader::with_capacity(64, child.stdout.take().unwrap());
    reader.read_line(&mut first).unwrap();
    drop(reader);
    let output = child.wait_with_output().unwrap();
    assert_eq!(first.trim_end(), HEADER);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(folder.read("p.csv").lines().count(), N_ROWS + 1);
    assert_eq!(folder.json_lines("c.jsonl").len(), 1);
    assert_eq!(folder.json("s.json")["edges"], N_ROWS);
}

#[test]
fn closed_standard_output_and_error_are_ignored() {
    let folder = many_pairs();
    folder.write("bad.jsonl", "{\n".repeat(5000));
    let arguments: [&[&str]; 4] = [
        &["discover", "x.jsonl", "bad.jsonl"],
        &["discover", "x.jsonl", "bad.jsonl", "--out", "-"],
        &["discover", "x.jsonl", "--clusters", "-"],
        &["strategies"],
    ];
    for arguments in arguments {
        let mut command = folder.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}");
    }
    let mut command = folder.command(&["discover", "missing", "-q"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
fn new_output_replaces_the_old_one() {
    let folder = two_files();
    folder.write("p.csv", "old ".repeat(1000));
    folder.discover(&["a.txt", "b.txt", "--out", "p.csv"]).expect(0);
    assert_eq!(folder.read("p.csv").lines().count(), 2);
    assert_eq!(folder.names(), ["a.txt", "b.txt", "p.csv"]);
}

#[cfg(unix)]
mod interrupt {
    use std::io::Write;
    use std::process::{Child, Command};
    use std::time::{Duration, Instant};

    use super::*;

    /// Starts a run on standard input and waits until its outputs exist.
    fn started(folder: &Folder, options: &[&str]) -> Child {
        folder.write("p.csv", "old");
        std::fs::create_dir_all(folder.path("temporary")).unwrap();
        let outs = ["--out", "p.csv", "--out", "p.parquet", "--clusters", "c.jsonl"];
        let place = ["--stats", "s.json", "--temp-dir", "temporary"];
        let mut command =
            folder.command(&[&["discover", "-"], &outs[..], &place, options].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let started = Instant::now();
        let n_temporary = || folder.names().iter().filter(|name| name.ends_with(".tmp")).count();
        while n_temporary() < 3 {
            assert!(started.elapsed() < Duration::from_secs(60), "{:?}", folder.names());
            std::thread::sleep(Duration::from_millis(5));
        }
        child
    }

    fn interrupt(child: &Child) {
        let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    fn expect_nothing_left(folder: &Folder, child: Child) {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        assert!(!String::from_utf8(output.stderr).unwrap().contains("panicked"));
        assert!(output.stdout.is_empty());
        assert_eq!(folder.names(), ["p.csv", "temporary"]);
        assert_eq!(folder.read("p.csv"), "old");
        assert!(crate::support::names(&folder.path("temporary")).is_empty());
    }

    #[test]
    fn ctrl_c_while_waiting_for_input_leaves_nothing_behind() {
        let folder = Folder::new();
        let mut child = started(&folder, &[]);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(record("one", HARBOUR).as_bytes()).unwrap();
        interrupt(&child);
        expect_nothing_left(&folder, child);
        drop(stdin);
    }

    #[test]
    fn ctrl_c_while_reading_leaves_nothing_behind() {
        for plan in ["auto", "spill"] {
            let folder = Folder::new();
            let mut child = started(&folder, &["--plan", plan]);
            let mut stdin = child.stdin.take().unwrap();
            let feeder = std::thread::spawn(move || {
                let mut dice = crate::support::Dice::new(11);
                // Ends with the run.
                while stdin.write_all(record("x", &dice.text(500)).as_bytes()).is_ok() {}
            });
            std::thread::sleep(Duration::from_millis(300));
            interrupt(&child);
            expect_nothing_left(&folder, child);
            feeder.join().unwrap();
        }
    }

    /// One output is a pipe whose reader stops after the header, so the run can write no further, however long
    /// it waits.
    #[test]
    fn ctrl_c_while_writing_leaves_nothing_behind() {
        let folder = many_pairs();
        folder.write("p.csv", "old");
        let outs = ["--out", "p.csv", "--out", "p.parquet", "--out", "g.dot.gz", "--out", "-"];
        let others = ["--clusters", "c.jsonl", "--imatch", "i.jsonl", "--stats", "s.json"];
        let mut command =
            folder.command(&[&["discover", "x.jsonl", "-q"], &outs[..], &others].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        let mut reader = BufReader::with_capacity(64, child.stdout.take().unwrap());
        reader.read_line(&mut first).unwrap();
        assert_eq!(first.trim_end(), HEADER);
        let n_temporary = folder.names().iter().filter(|name| name.ends_with(".tmp")).count();
        assert_eq!(n_temporary, 5, "{:?}", folder.names());
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        drop(reader);
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        assert_eq!(folder.names(), ["p.csv", "x.jsonl"]);
        assert_eq!(folder.read("p.csv"), "old");
    }
}

#[test]
fn failed_run_keeps_old_outputs() {
    let folder = two_files();
    let outputs = ["p.csv", "p.parquet", "c.jsonl", "s.json"];
    for name in outputs {
        folder.write(name, "old");
    }
    let outs =
        ["--out", "p.csv", "--out", "p.parquet", "--clusters", "c.jsonl", "--stats", "s.json"];
    run(folder.command(&[&["discover", "a.txt", "missing", "--strict"], &outs[..]].concat()))
        .expect(2);
    assert_eq!(folder.names(), ["a.txt", "b.txt", "c.jsonl", "p.csv", "p.parquet", "s.json"]);
    for name in outputs {
        assert_eq!(folder.read(name), "old", "{name}");
    }
}
