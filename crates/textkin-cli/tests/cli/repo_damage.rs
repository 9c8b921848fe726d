//! Damage, concurrent writers, full disks, Ctrl-C and kill -9: a repository stays as it was, or the error says
//! what is wrong.

use crate::support::{Dice, Folder, HARBOUR, names, record};

/// A repository `r` with a document.
fn one() -> Folder {
    let folder = Folder::new();
    folder.write("h.txt", HARBOUR);
    folder.repo(&["create", "r"]).expect(0);
    folder.repo(&["add", "r", "h.txt"]).expect(0);
    folder
}

/// JSON lines of random words.
fn many(seed: u64, n: usize) -> String {
    let mut dice = Dice::new(seed);
    (0..n).map(|number| record(&format!("{seed}-{number}"), &dice.text(60))).collect()
}

#[test]
fn damaged_files_are_reported() {
    let folder = one();
    folder.write("x.jsonl", many(1, 200));
    folder.repo(&["add", "r", "x.jsonl"]).expect(0);
    folder.repo(&["remove", "r", "--id", "1-7"]).expect(0);
    let files: Vec<String> = names(&folder.path("r"));
    let files = files.iter().filter(|name| *name != "lock").collect::<Vec<_>>();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        let name = format!("r/{file}");
        let bytes = folder.read_bytes(&name);
        for place in [0, bytes.len() / 3, bytes.len() / 2, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x20;
            folder.write(&name, &damaged);
            let run = folder.repo(&["check", "r"]).expect(2);
            assert!(run.stderr.contains(&name), "{name} at {place}: {run:?}");
            for command in
                [&["repo", "list", "r"][..], &["search", "r", "h.txt"], &["discover", "r"]]
            {
                // Not every command reads every byte, but none returns a wrong result or panics.
                let run = folder.textkin(command);
                assert!(!run.stderr.contains("panicked"), "{name} at {place}: {run:?}");
                assert!(run.code != 2 || run.stderr.contains(&name), "{name} at {place}: {run:?}");
            }
        }
        folder.write(&name, &bytes[..bytes.len() / 2]);
        let run = folder.repo(&["check", "r"]).expect(2);
        assert!(run.stderr.contains(&name), "{run:?}");
        std::fs::remove_file(folder.path(&name)).unwrap();
        let run = folder.repo(&["check", "r"]).expect(2);
        assert!(run.stderr.contains(&name) && run.stderr.contains("missing"), "{run:?}");
        folder.write(&name, &bytes);
    }
    folder.repo(&["check", "r"]).expect(0);
}

#[test]
fn newer_repository_version_is_rejected_with_a_remedy() {
    let folder = one();
    let manifest = folder.read("r/MANIFEST");
    let rest = manifest.split_once('\n').unwrap().1;
    let head = "textkin-repository 99 7.1.0";
    let sum = xxhash_rust::xxh3::xxh3_64(head.as_bytes());
    folder.write("r/MANIFEST", format!("{head} {sum:016x}\nsomething {rest}"));
    let commands: [&[&str]; 4] = [
        &["repo", "add", "r", "h.txt"],
        &["repo", "check", "r"],
        &["search", "r", "h.txt"],
        &["discover", "r"],
    ];
    for command in commands {
        let run = folder.textkin(command).expect(2);
        run.expect_only(
            "r was created by textkin 7.1.0 (format 99); this version reads formats up to 2; install \
             textkin 7.1.0 or later",
        );
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::Write;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    fn signal(child: &Child, name: &str) {
        let arguments = [name, &child.id().to_string()];
        assert!(Command::new("kill").args(arguments).status().unwrap().success());
    }

    /// Starts an `add` that waits for standard input and holds the lock.
    fn waiting(folder: &Folder) -> Child {
        let mut command = folder.command(&["repo", "add", "r", "-", "--input-format", "jsonl"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(record("slow", HARBOUR).as_bytes()).unwrap();
        // Trying to lock could take the lock from it.
        let (open, started) = (format!("/proc/{}/fd", child.id()), Instant::now());
        let is_lock = |entry: std::io::Result<std::fs::DirEntry>| {
            let link = std::fs::read_link(entry.unwrap().path());
            link.is_ok_and(|file| file.ends_with("r/lock"))
        };
        while !std::fs::read_dir(&open).unwrap().any(is_lock) {
            assert!(started.elapsed() < Duration::from_secs(60), "the lock is never opened");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(200));
        child
    }

    #[test]
    fn second_writer_fails_and_readers_continue() {
        let folder = one();
        folder.write("b.txt", "Other words.");
        let child = waiting(&folder);
        let writers: [&[&str]; 4] = [
            &["add", "r", "b.txt"],
            &["replace", "r", "h.txt"],
            &["remove", "r", "--id", "h.txt"],
            &["compact", "r"],
        ];
        for writer in writers {
            let run = folder.repo(writer).expect(2);
            run.expect_only(
                "r is being written by another process; wait until it has finished, or stop it",
            );
        }
        for reader in ["list", "info", "check", "export"] {
            let run = folder.repo(&[reader, "r"]).expect(0);
            assert!(!run.stdout.contains("slow"), "{run:?}");
        }
        folder.textkin(&["search", "r", "h.txt"]).expect(0);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let list = folder.repo(&["list", "r"]).expect(0).stdout;
        assert!(list.contains("slow") && list.contains("h.txt"), "{list}");
        folder.repo(&["add", "r", "b.txt"]).expect(0);
    }

    #[test]
    fn ctrl_c_keeps_the_previous_state() {
        let folder = one();
        let before = folder.repo(&["export", "r"]).expect(0).stdout;
        let mut child = waiting(&folder);
        let held = child.stdin.take();
        signal(&child, "-INT");
        let output = child.wait_with_output().unwrap();
        drop(held);
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        assert_eq!(folder.repo(&["export", "r"]).expect(0).stdout, before);
        folder.repo(&["check", "r"]).expect(0);
        folder.write("x.jsonl", many(2, 10));
        folder.repo(&["add", "r", "x.jsonl"]).expect(0);
        assert_eq!(folder.repo(&["export", "r"]).expect(0).stdout, before + &many(2, 10));
    }

    /// A limit on file size simulates a full disk.
    #[test]
    fn full_disk_keeps_the_previous_state() {
        let folder = one();
        folder.write("x.jsonl", many(3, 3000));
        let before = folder.repo(&["export", "r"]).expect(0).stdout;
        let files = names(&folder.path("r"));
        let program = folder.command(&[]).get_program().to_owned();
        for options in ["", " --memory 1MiB"] {
            let mut shell = Command::new("sh");
            // Ignore the signal of the limit, so that the write fails instead.
            let script =
                format!("trap '' XFSZ; ulimit -f 100; exec \"$0\" repo add r x.jsonl{options}");
            shell.args(["-c", &script]).arg(&program).current_dir(folder.path(""));
            let output = shell.output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{stderr}");
            assert_eq!(stderr.lines().count(), 1, "{stderr}");
            assert!(stderr.starts_with("textkin: cannot write r/segment-"), "{stderr}");
            assert!(stderr.ends_with(": file too large\n"), "{stderr}");
            assert_eq!(names(&folder.path("r")), files, "nothing is left behind");
            assert_eq!(folder.repo(&["export", "r"]).expect(0).stdout, before);
            folder.repo(&["check", "r"]).expect(0);
        }
        folder.repo(&["add", "r", "x.jsonl"]).expect(0);
        assert_eq!(folder.repo(&["export", "r"]).expect(0).stdout, before + &many(3, 3000));
    }

    /// Acknowledged documents survive a kill -9 at any moment, and nothing is stored partially.
    #[test]
    fn kill_9_loses_no_acknowledged_document() {
        let folder = one();
        let mut dice = Dice::new(4);
        let mut expected = folder.repo(&["export", "r"]).expect(0).stdout;
        for round in 0..10 {
            let batch = many(10 + round, 300);
            folder.write("x.jsonl", &batch);
            let mut child = folder.command(&["repo", "add", "r", "x.jsonl", "--memory", "1MiB"]);
            let mut child = child.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(dice.roll(120) as u64));
            child.kill().unwrap();
            let output = child.wait_with_output().unwrap();
            let is_told = String::from_utf8(output.stdout).unwrap().starts_with("added 300 ");
            let now = folder.repo(&["export", "r"]).expect(0).stdout;
            if is_told || now != expected {
                expected += &batch;
            }
            assert_eq!(now, expected, "round {round}");
            let run = folder.repo(&["check", "r"]).expect(0);
            assert!(run.stdout.contains("no damage"), "{run:?}");
        }
        folder.write("last.jsonl", many(99, 5));
        folder.repo(&["add", "r", "last.jsonl"]).expect(0);
        assert_eq!(folder.repo(&["export", "r"]).expect(0).stdout, expected + &many(99, 5));
        let run = folder.repo(&["check", "r"]).expect(0);
        assert!(!run.stdout.contains("left over"), "{run:?}");
    }
}
