//! A receiver of webhooks on this machine, which is slow and refuses some deliveries.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

/// How long the receiver takes to answer, so that a kill often finds a request under way.
const PAUSE: Duration = Duration::from_millis(3);
/// It refuses every n-th request.
const REFUSED: u64 = 23;

/// The watched and the found document of an alert, the id of its delivery, and how often that was accepted.
type Received = BTreeMap<(String, String), (String, u64)>;

/// A running receiver; its thread ends with the tests.
#[derive(Debug)]
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    requests: Arc<AtomicU64>,
    received: Arc<Mutex<Received>>,
}

impl Receiver {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, received) = (Arc::<AtomicU64>::default(), Arc::<Mutex<Received>>::default());
        let receiver =
            Self { address, requests: Arc::clone(&requests), received: Arc::clone(&received) };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let _ = receive(stream.unwrap(), &requests, &received);
            }
        });
        receiver
    }

    /// Returns the number of requests, also of refused ones.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Returns what was accepted. Every repeat must have had the id of the first delivery.
    pub(crate) fn received(&self) -> Received {
        self.received.lock().unwrap().clone()
    }
}

/// Answers one request. A server that is killed while it sends one leaves it incomplete.
fn receive(
    stream: TcpStream,
    requests: &AtomicU64,
    received: &Mutex<Received>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut delivery, mut length, mut line) = (String::new(), 0, String::new());
    reader.read_line(&mut line)?;
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "x-textkin-delivery" => delivery = value.to_owned(),
            "content-length" => length = value.parse().unwrap(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let Ok(body) = serde_json::from_slice::<Value>(&body) else { return Ok(()) };
    assert_eq!(body["delivery"].to_string(), delivery);
    let number = requests.fetch_add(1, Ordering::Relaxed);
    std::thread::sleep(PAUSE);
    if number % REFUSED == REFUSED - 1 {
        return reader.get_mut().write_all(
            b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        );
    }
    let id = |side: &str| body["alert"][side]["id"].as_str().unwrap().to_owned();
    let mut received = received.lock().unwrap();
    let known = received.entry((id("registered"), id("found"))).or_insert((delivery.clone(), 0));
    assert_eq!(known.0, delivery, "a repeat has another id");
    known.1 += 1;
    drop(received);
    reader.get_mut().write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}
