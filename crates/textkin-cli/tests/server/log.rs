//! The log of the server.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use crate::support::textkin;

/// Returns what a server that accepts mail prints at its start to a pipe.
fn log(options: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut process = textkin()
        .args(["serve", "--listen", "127.0.0.1:0", "--log-level", "info"])
        .args(["--smtp-relay", "127.0.0.1:1", "--smtp-encryption", "none"])
        .args(["--mail-host", "kin.example", "--smtp-listen", "127.0.0.1:0"])
        .args(options)
        .arg("--data")
        .arg(folder.path().join("data"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut printed = BufReader::new(process.stderr.take().unwrap());
    let mut log = String::new();
    while !log.contains("textkin serves") {
        assert!(printed.read_line(&mut log).unwrap() > 0, "the server did not start: {log}");
    }
    process.kill().unwrap();
    process.wait().unwrap();
    printed.read_to_string(&mut log).unwrap();
    log
}

#[test]
fn a_log_that_is_not_a_terminal_has_no_colour_codes() {
    let log = log(&[]);
    assert!(log.contains("INFO accepting mail"), "{log}");
    assert!(!log.contains('\u{1b}'), "{log}");
}

#[test]
fn the_server_warns_if_it_accepts_mail_without_verified_senders() {
    let warning = "without --mail-authority";
    assert!(log(&[]).contains(warning));
    assert!(!log(&["--mail-authority", "mx.example"]).contains(warning));
}
