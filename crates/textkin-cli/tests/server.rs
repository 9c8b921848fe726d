//! Tests of the commands `admin key` and `serve`: what only the command line decides. Tests of the server
//! itself are with it (`textkin-server/tests`).

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running `textkin serve` that is killed on drop.
struct Server {
    process: Child,
    log: BufReader<std::process::ChildStderr>,
    /// What it has printed so far.
    printed: String,
}

impl Server {
    fn start(data: &Path, options: &[&str]) -> Self {
        let mut process = textkin()
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .args(options)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let mut printed = String::new();
        while !printed.contains("at http://") {
            assert!(log.read_line(&mut printed).unwrap() > 0, "it did not start: {printed}");
        }
        Self { process, log, printed }
    }

    /// Returns the status of a request with a key.
    fn status(&self, key: &str, path: &str, body: &str) -> u16 {
        let address = self.printed.split_once("at http://").unwrap().1.lines().next().unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        let method = if body.is_empty() { "GET" } else { "POST" };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Authorization: Bearer {key}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// Stops it; returns everything it has printed.
    fn stop(mut self) -> String {
        self.process.kill().unwrap();
        let mut printed = std::mem::take(&mut self.printed);
        self.log.read_to_string(&mut printed).unwrap();
        printed
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn textkin() -> Command {
    Command::new(env!("CARGO_BIN_EXE_textkin"))
}

/// Returns a key that `textkin admin key` created.
fn key(data: &Path, options: &[&str]) -> String {
    let mut command = textkin();
    let command = command.args(["admin", "key", "--scopes", "admin"]).args(options);
    let output = command.arg("--data").arg(data).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn the_account_of_a_key_is_an_administrator_only_if_asked() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (first, other) = (key(&data, &[]), key(&data, &["--account", "anna"]));
    let asked = key(&data, &["--account", "root", "--admin"]);
    let server = Server::start(&data, &[]);
    for key in [&first, &other] {
        assert_eq!(server.status(key, "/metrics", ""), 403);
        assert_eq!(server.status(key, "/api/v1/accounts", ""), 403);
        // It may do what its account may do.
        let new = r#"{"name": "essays", "visibility": "private"}"#;
        assert_eq!(server.status(key, "/api/v1/repositories", new), 201);
    }
    assert_eq!(server.status(&asked, "/metrics", ""), 200);
    // An account that exists becomes one, and stays one.
    key(&data, &["--account", "anna", "--admin"]);
    key(&data, &["--account", "anna"]);
    assert_eq!(server.status(&other, "/metrics", ""), 200);
}

/// Returns the log of a server that accepts mail, written to a pipe.
fn log(options: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mail = [
        "--log-level",
        "info",
        "--smtp-relay",
        "127.0.0.1:1",
        "--smtp-encryption",
        "none",
        "--mail-host",
        "kin.example",
        "--smtp-listen",
        "127.0.0.1:0",
    ];
    Server::start(&folder.path().join("data"), &[&mail, options].concat()).stop()
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
