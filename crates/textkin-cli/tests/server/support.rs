//! Shared by the tests: a server process and a client that can send any bytes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The program.
pub(crate) fn textkin() -> Command {
    Command::new(env!("CARGO_BIN_EXE_textkin"))
}

/// Returns what a program printed; it must have succeeded.
pub(crate) fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Creates an API key in a data directory.
pub(crate) fn key(data: &Path) -> String {
    let mut command = textkin();
    let command =
        command.args(["admin", "key", "--scopes", "admin", "--admin", "--data"]).arg(data);
    printed(&command.output().unwrap()).trim().to_owned()
}

/// A server that is stopped on drop.
#[derive(Debug)]
pub(crate) struct Server {
    process: Child,
    pub(crate) address: SocketAddr,
    pub(crate) data: PathBuf,
    pub(crate) key: String,
}

impl Server {
    pub(crate) fn start(data: &Path, options: &[&str]) -> Self {
        Self::start_with(data, options, &key(data))
    }

    pub(crate) fn start_with(data: &Path, options: &[&str], key: &str) -> Self {
        let mut process = textkin()
            .args(["serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--data"])
            .arg(data)
            .args(options)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut results = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        let address = loop {
            line.clear();
            assert!(results.read_line(&mut line).unwrap() > 0, "the server did not start");
            if let Some((_, address)) = line.trim_end().rsplit_once("at http://") {
                break address.parse().unwrap();
            }
        };
        std::thread::spawn(move || io::copy(&mut results, &mut io::stderr()));
        Self { process, address, data: data.to_owned(), key: key.to_owned() }
    }

    /// kill −9.
    pub(crate) fn kill(&mut self) {
        let _ = self.process.kill();
        self.process.wait().unwrap();
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Returns whether it is still running.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.process.try_wait().unwrap().is_none()
    }

    /// Sends bytes; returns everything until the server closes the connection.
    pub(crate) fn raw(&self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        stream.set_write_timeout(Some(Duration::from_secs(60)))?;
        // The server may close before it has read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        match stream.read_to_end(&mut answer) {
            Ok(_) => Ok(answer),
            Err(_) if !answer.is_empty() => Ok(answer),
            Err(error) => Err(error),
        }
    }

    /// Returns the head of a request with the key.
    pub(crate) fn head(&self, method: &str, path: &str, kind: &str, length: usize) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Authorization: Bearer {}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n",
            self.key
        )
    }

    /// Sends JSON; returns the status and the response.
    pub(crate) fn try_send(
        &self,
        method: &str,
        path: &str,
        body: &str,
    ) -> io::Result<(u16, String)> {
        let request = self.head(method, path, "application/json", body.len()) + body;
        let answer = self.raw(request.as_bytes())?;
        parse(&answer)
            .ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, "the answer is cut off"))
    }

    /// Sends JSON and returns JSON.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, answer) = self.try_send(method, path, &body).unwrap();
        let value = match answer.is_empty() {
            true => Value::Null,
            false => serde_json::from_str(&answer).unwrap_or(Value::String(answer)),
        };
        (status, value)
    }

    /// Gets JSON; the request must succeed.
    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, value) = self.ask("GET", path, &Value::Null);
        assert_eq!(status, 200, "{path}: {value}");
        value
    }

    /// Posts JSON; the request must succeed.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        let (status, value) = self.ask("POST", path, body);
        assert!((200..300).contains(&status), "{path}: {status} {value}");
        value
    }

    /// Returns one of the metrics of the server.
    pub(crate) fn figure(&self, name: &str) -> u64 {
        let figures = self.try_send("GET", "/metrics", "").unwrap().1;
        let figure =
            figures.lines().find_map(|line| line.strip_prefix(&format!("textkin_{name} ")));
        figure.unwrap().parse().unwrap()
    }

    /// Waits until no job is pending.
    pub(crate) fn rest(&self) {
        wait(|| self.figure("jobs_waiting") == 0);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Waits until `is_so`, at most two minutes.
pub(crate) fn wait(mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(120), "timed out");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns status and body of a response; `None` if it is incomplete.
pub(crate) fn parse(answer: &[u8]) -> Option<(u16, String)> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let body = &answer[end + 4..];
    let body = body.get(..length.unwrap_or(0))?;
    Some((status, String::from_utf8_lossy(body).into_owned()))
}

/// Returns words that no other number generates.
pub(crate) fn words(number: u64, n: usize) -> String {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    let mut text = String::new();
    for index in 0..n {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if index > 0 {
            text.push(' ');
        }
        let mut rest = state >> 33;
        for _ in 0..6 {
            text.push(char::from(b'a' + u8::try_from(rest % 26).unwrap()));
            rest /= 26;
        }
    }
    text
}
