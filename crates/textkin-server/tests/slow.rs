//! Tests of slow and of many connections, on a real socket with short time limits.

#![expect(clippy::unwrap_used, reason = "tests and their helpers may panic")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use textkin_server::{ListenConfig, NewKey, Scope, Service, ServiceLimits, router, serve};

struct SlowSite {
    address: SocketAddr,
    key: String,
    stop: tokio::sync::watch::Sender<bool>,
    thread: Option<std::thread::JoinHandle<()>>,
    folder: tempfile::TempDir,
}

fn site() -> SlowSite {
    site_with(ListenConfig {
        connections: 20,
        connections_per_address: 20,
        head_time: Duration::from_millis(300),
        body_time: Duration::from_millis(300),
        ..ListenConfig::default()
    })
}

fn site_with(listening: ListenConfig) -> SlowSite {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    let scopes = vec![Scope::Admin];
    let new = NewKey { name: "test".into(), scopes, repository: None, days: None, addresses: None };
    let key = service.new_key_for("anna", false, &new).unwrap().key.unwrap();
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let (sender, address) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            sender.send(listener.local_addr().unwrap()).unwrap();
            serve(listener, router(&service, &listening), listening, stopped).await.unwrap();
        });
    });
    SlowSite { address: address.recv().unwrap(), key, stop, thread: Some(thread), folder }
}

impl SlowSite {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    fn is_healthy(&self) -> bool {
        let mut stream = self.connect();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.starts_with("HTTP/1.1 200")
    }

    fn ask(&self, path: &str, body: &str) -> String {
        let mut stream = self.connect();
        let head = self.head(path, body.len());
        stream.write_all((head + body).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn head(&self, path: &str, length: usize) -> String {
        format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
            self.key
        )
    }
}

impl Drop for SlowSite {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        let outcome = self.thread.take().unwrap().join();
        assert!(outcome.is_ok() || std::thread::panicking());
    }
}

/// Sends a byte at intervals until the server closes the connection; fails after a minute.
fn trickle(mut stream: TcpStream, byte: u8) -> Vec<u8> {
    stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let started = Instant::now();
    let mut answer = Vec::new();
    loop {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "the server does not close the connection"
        );
        let _ = stream.write_all(&[byte]);
        let mut buffer = [0; 4096];
        match stream.read(&mut buffer) {
            Ok(0) => return answer,
            Ok(n) => answer.extend_from_slice(&buffer[..n]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return answer,
        }
    }
}

#[test]
fn an_endless_request_head_is_cut_off() {
    let site = site();
    let mut stream = site.connect();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nX: ").unwrap();
    trickle(stream, b'a');
    // A connection that sends nothing is cut off too.
    let mut silent = site.connect();
    let mut answer = Vec::new();
    let _ = silent.read_to_end(&mut answer);
    assert!(site.is_healthy());
}

#[test]
fn a_stalled_body_is_cut_off_and_leaves_no_files() {
    let site = site();
    let new = "{\"name\":\"mine\",\"visibility\":\"private\"}";
    assert!(site.ask("/api/v1/repositories", new).starts_with("HTTP/1.1 201"));
    for path in [
        "/api/v1/repositories/mine/loads?file=a.txt",
        "/api/v1/repositories/mine/documents",
        "/api/v1/probe",
    ] {
        let mut stream = site.connect();
        stream.write_all(site.head(path, 1000).as_bytes()).unwrap();
        stream.write_all(b"{\"text\":").unwrap();
        let mut answer = String::new();
        // The response comes although nothing more is sent.
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap_or_default().to_owned();
        assert!(["400", "408", "422"].contains(&status.as_str()), "{path}: {answer}");
        assert!(answer.contains("application/problem+json"), "{path}: {answer}");
    }
    assert!(site.is_healthy());
    let uploads = std::fs::read_dir(site.folder.path().join("uploads")).unwrap();
    assert_eq!(uploads.count(), 0);
}

#[test]
fn many_connections_do_not_block_others_for_long() {
    let site = site();
    // Three times the connection limit, all silent or in the middle of a head.
    let flood: Vec<TcpStream> = (0..60)
        .map(|number| {
            let mut stream = site.connect();
            if number % 2 == 0 {
                let _ = stream.write_all(b"GET / HTTP/1.1\r\n");
            }
            stream
        })
        .collect();
    assert!(site.is_healthy());
    drop(flood);
    assert!(site.is_healthy());
}

#[test]
fn slow_bodies_are_cut_off_although_they_never_stall() {
    let site = site_with(ListenConfig {
        anonymous_body_time: Duration::from_millis(500),
        ..ListenConfig::default()
    });
    let login = "POST /login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: \
                 application/x-www-form-urlencoded\r\nContent-Length: 60000\r\n\r\n";
    for head in [login.to_owned(), site.head("/api/v1/probe", 60_000)] {
        let mut stream = site.connect();
        let started = Instant::now();
        stream.write_all(head.as_bytes()).unwrap();
        let answer = String::from_utf8(trickle(stream, b' ')).unwrap();
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }
    assert!(site.is_healthy());
}

#[cfg(target_os = "linux")]
#[test]
fn one_address_does_not_block_another() {
    // All connections of the first address would be kept for the whole test.
    let site = site_with(ListenConfig {
        connections: 40,
        connections_per_address: 10,
        head_time: Duration::from_secs(600),
        ..ListenConfig::default()
    });
    let flood: Vec<TcpStream> = (0..80).map(|_| site.connect()).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answer = runtime.block_on(async {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
        let mut stream = socket.connect(site.address).await.unwrap();
        let request = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer);
        tokio::time::timeout(Duration::from_secs(30), read).await.unwrap().unwrap();
        answer
    });
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    drop(flood);
}
