//! Shared by the tests: a server process and a client that can send any bytes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use textkin_server::{
    DeliveryConfig, ListenConfig, NewKey, Scope, Service, ServiceLimits, new_key_in,
};

/// The variables with the data folder and the [`ServerOptions`] of a server process.
const DATA: &str = "TEXTKIN_TEST_DATA";
const OPTIONS: &str = "TEXTKIN_TEST_SERVER";

/// How a server is started.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ServerOptions {
    /// Maximum bytes of a text and of an upload.
    pub(crate) text: Option<usize>,
    pub(crate) upload: Option<u64>,
    /// Bytes of a memtable at which it is flushed to disk.
    pub(crate) memtable: Option<usize>,
    /// Whether webhooks may be on this machine; failed deliveries are then repeated at once.
    pub(crate) local_webhooks: bool,
    /// The address of a reverse proxy.
    pub(crate) trusted_proxy: Option<String>,
}

/// Not a test, but the server process of the others: they run this program again with only this
/// function, so that a signal kills the server and not the tests.
#[test]
#[ignore = "the server process of the other tests"]
fn serve() {
    let Some(data) = std::env::var_os(DATA) else { return };
    let options = std::env::var(OPTIONS).unwrap();
    let options: ServerOptions = serde_json::from_str(&options).unwrap();
    let default = ServiceLimits::default();
    let limits = ServiceLimits {
        text: options.text.unwrap_or(default.text),
        upload: options.upload.unwrap_or(default.upload),
        memtable: options.memtable.unwrap_or(default.memtable),
        ..default
    };
    let mut delivery = DeliveryConfig::default();
    if options.local_webhooks {
        delivery.network_policy.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        delivery.network_policy.allow_http = true;
        delivery.delay = |_, _| Some(Duration::ZERO);
    }
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let trusted_proxies =
        options.trusted_proxy.iter().map(|address| address.parse().unwrap()).collect();
    let listening = ListenConfig { address, trusted_proxies, ..ListenConfig::default() };
    let (_sender, stop) = tokio::sync::watch::channel(false);
    let ready = |address: SocketAddr, _: &Service| eprintln!("{READY}{address}");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let serving = textkin_server::run(Path::new(&data), limits, delivery, listening, stop, ready);
    runtime.block_on(serving).unwrap();
}

/// The line that a server process prints when it listens, before the address.
const READY: &str = "listening at ";

/// Creates an API key in a data directory.
fn key(data: &Path) -> String {
    let scopes = vec![Scope::Admin];
    let new = NewKey { name: "test".into(), scopes, repository: None, days: None, addresses: None };
    new_key_in(data, "admin", true, &new).unwrap().key.unwrap()
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
    /// Starts a server with a new key.
    pub(crate) fn start(data: &Path, options: &ServerOptions) -> Self {
        Self::start_with(data, options, &key(data))
    }

    pub(crate) fn start_with(data: &Path, options: &ServerOptions, key: &str) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "support::serve", "--ignored", "--nocapture"])
            .env(DATA, data)
            .env(OPTIONS, serde_json::to_string(options).unwrap())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        let address = loop {
            line.clear();
            assert!(stderr.read_line(&mut line).unwrap() > 0, "the server did not start");
            match line.trim_end().strip_prefix(READY) {
                Some(address) => break address.parse().unwrap(),
                None => eprint!("{line}"),
            }
        };
        std::thread::spawn(move || io::copy(&mut stderr, &mut io::stderr()));
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
