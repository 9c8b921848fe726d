//! One shell for the commands of a page, in a folder of its own.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Ends the output of a command; the exit code follows.
const MARK: &str = "--- end of the command, code ";
/// The port that pages name; a free one is used instead.
const PORT: &str = "7070";

pub(crate) struct Session {
    shell: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    folder: TempDir,
    port: String,
    servers: usize,
}

impl Session {
    /// A shell in a folder that has a copy of `examples`, as a clone does.
    pub(crate) fn new(examples: &Path) -> Self {
        let folder = tempfile::Builder::new().prefix("textkin").tempdir().unwrap();
        let copied = folder.path().join("examples");
        fs::create_dir(&copied).unwrap();
        copy(examples, &copied);
        let program = Path::new(env!("CARGO_BIN_EXE_textkin")).parent().unwrap();
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::env::join_paths(
            std::iter::once(program.to_owned()).chain(std::env::split_paths(&paths)),
        );
        let mut shell = Command::new("sh")
            .current_dir(folder.path())
            .env("PATH", paths.unwrap())
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = shell.stdin.take().unwrap();
        let output = BufReader::new(shell.stdout.take().unwrap());
        input.write_all(b"exec 2>&1\ncode=0\n").unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port().to_string();
        Self { shell, input, output, folder, port, servers: 0 }
    }

    /// Runs a command; returns what it printed and its exit code. A server goes on in the background.
    pub(crate) fn run(&mut self, command: &str) -> (String, i32) {
        if command.starts_with("textkin serve") {
            return (self.serve(command), 0);
        }
        let command = self.with_port(command);
        let quoted = command.replace('\'', r"'\''");
        let script = format!(
            "(exit $code); eval '{quoted}' </dev/null; code=$?; printf '\\n{MARK}%s\\n' $code\n"
        );
        self.input.write_all(script.as_bytes()).unwrap();
        let mut lines = Vec::new();
        for line in (&mut self.output).lines() {
            let line = line.unwrap();
            if let Some(code) = line.strip_prefix(MARK) {
                // The line break before the mark is ours.
                let text = lines.join("\n");
                return (self.with_shown_port(&text), code.parse().unwrap());
            }
            lines.push(line);
        }
        panic!("the shell ended in the middle of: {command}");
    }

    /// Starts a server and waits until it listens; returns what it printed by then.
    fn serve(&mut self, command: &str) -> String {
        self.servers += 1;
        let log = format!(".server-{}.log", self.servers);
        let listen = format!("--listen 127.0.0.1:{}", self.port);
        let script =
            format!("{command} {listen} >{log} 2>&1 </dev/null &\nservers=\"$servers $!\"\n");
        self.input.write_all(script.as_bytes()).unwrap();
        let started = Instant::now();
        loop {
            let text = fs::read_to_string(self.folder.path().join(&log)).unwrap_or_default();
            let address = format!("127.0.0.1:{}", self.port);
            if text.contains("http://") && std::net::TcpStream::connect(&address).is_ok() {
                return self.with_shown_port(&text);
            }
            assert!(started.elapsed() < Duration::from_secs(60), "{command}: no server\n{text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn with_port(&self, text: &str) -> String {
        let hosts = ["127.0.0.1:", "localhost:"];
        let mut text = text.to_owned();
        for host in hosts {
            text = text.replace(&format!("{host}{PORT}"), &format!("{host}{}", self.port));
        }
        text
    }

    fn with_shown_port(&self, text: &str) -> String {
        text.replace(&format!(":{}", self.port), &format!(":{PORT}"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The shell may have ended already, and then there is nobody to ask.
        let _ = self.input.write_all(b"kill $servers 2>/dev/null; wait; exit\n");
        let _ = self.shell.wait();
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}
