//! Deliveries to local servers: correct, slow, endless and broken ones.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use textkin_registry::webhook::{
    Delivery, NetworkPolicy, RequestError, Secret, Target, Timeouts, WebhookClient,
    WebhookResponse, verify,
};

const TIMEOUTS: Timeouts =
    Timeouts { connect: Duration::from_secs(1), total: Duration::from_millis(1500) };

fn local_policy() -> NetworkPolicy {
    NetworkPolicy {
        allowed_networks: vec!["127.0.0.0/8".parse().unwrap(), "::1".parse().unwrap()],
        allow_http: true,
    }
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap()
}

/// A server that reads requests and lets `answer` write to the connection.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(answer: impl Fn(&mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                seen.lock().unwrap().push(request(&mut stream));
                answer(&mut stream);
            }
        });
        Self { port, requests }
    }

    fn answering(answer: &'static str) -> Self {
        Self::new(move |stream| stream.write_all(answer.as_bytes()).unwrap_or_default())
    }

    fn deliver_with(&self, network_policy: NetworkPolicy) -> Result<WebhookResponse, RequestError> {
        let target =
            Target::new(&format!("http://127.0.0.1:{}/hook?a=b", self.port), &local_policy())
                .unwrap();
        let client = WebhookClient::new(network_policy, TIMEOUTS, &[]).unwrap();
        let delivery = Delivery {
            id: "d-1".to_owned(),
            event: "alert".to_owned(),
            body: b"{\"words\":3}".to_vec(),
        };
        client.deliver(&target, &Secret::new("kin"), &delivery, now())
    }

    fn deliver(&self) -> Result<WebhookResponse, RequestError> {
        self.deliver_with(local_policy())
    }
}

/// Reads the header and body of a request.
fn request(stream: &mut TcpStream) -> String {
    stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(n_bytes) = stream.read(&mut buffer) {
        bytes.extend_from_slice(&buffer[..n_bytes]);
        if n_bytes == 0 || bytes.ends_with(b"}") {
            break;
        }
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_delivery_arrives_signed() {
    let server = Server::answering("HTTP/1.1 202 Accepted\r\nContent-Length: 6\r\n\r\nth\x07nks");
    let response = server.deliver().unwrap();
    assert_eq!((response.status, response.text.as_str()), (202, "th nks"));
    assert!(response.is_delivered() && response.is_final());
    let requests = server.requests.lock().unwrap();
    let (header, body) = requests[0].split_once("\r\n\r\n").unwrap();
    assert!(header.starts_with("POST /hook?a=b HTTP/1.1\r\n"), "{header}");
    let field = |name: &str| {
        let mut fields = header.lines().filter_map(|line| line.split_once(": "));
        fields.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value).unwrap()
    };
    assert_eq!(field("x-textkin-delivery"), "d-1");
    assert_eq!(field("x-textkin-event"), "alert");
    assert_eq!(field("content-type"), "application/json");
    assert_eq!(body, "{\"words\":3}");
    let signature = field("x-textkin-signature");
    assert_eq!(
        verify(&Secret::new("kin"), signature, body.as_bytes(), now(), Duration::from_secs(60)),
        Ok(())
    );
}

#[test]
fn the_documented_example_accepts_a_signature() {
    let page = include_str!("../../../book/src/api.md");
    let session = page.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    let code = |line: &str| {
        let code = line.strip_prefix(">>> ").or_else(|| line.strip_prefix("... "))?;
        Some(format!("{code}\n"))
    };
    let mut example: String = session.lines().filter_map(code).collect();
    // A definition of an interactive session ends with a blank line.
    example = example.replace("\nis_from_textkin(", "\n\nis_from_textkin(");
    let field = textkin_registry::webhook::sign(&Secret::new("kin"), now(), b"{}");
    let check = format!(
        "{example}\nassert is_from_textkin(b'kin', '{field}', b'{{}}')\nassert not is_from_textkin(b'kin', '{field}', b'[]')\n"
    );
    match Command::new("python3").args(["-c", &check]).status() {
        Ok(status) => assert!(status.success()),
        Err(error) => println!("skipped: python3 cannot be run here: {error}"),
    }
}

#[test]
fn error_statuses_are_responses() {
    let busy =
        Server::answering("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n").deliver().unwrap();
    assert!(busy.status == 503 && !busy.is_delivered() && !busy.is_final());
    let gone =
        Server::answering("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n").deliver().unwrap();
    assert!(!gone.is_delivered() && gone.is_final());
}

#[test]
fn redirects_are_not_followed() {
    let other = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let port = other.port;
    let server = Server::new(move |stream| {
        let answer = format!(
            "HTTP/1.1 307 Elsewhere\r\nLocation: http://127.0.0.1:{port}/\r\nContent-Length: 0\r\n\r\n"
        );
        stream.write_all(answer.as_bytes()).unwrap();
    });
    let response = server.deliver().unwrap();
    assert!(response.status == 307 && !response.is_delivered());
    assert!(other.requests.lock().unwrap().is_empty());
}

#[test]
fn a_name_that_later_resolves_to_a_local_address_is_rejected() {
    // The target was checked while it resolved to another address.
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let strict = NetworkPolicy { allow_http: true, ..NetworkPolicy::default() };
    assert_eq!(server.deliver_with(strict.clone()), Err(RequestError::NotPublic));
    assert!(RequestError::NotPublic.is_final());
    let target =
        Target::new(&format!("http://localhost:{}/", server.port), &local_policy()).unwrap();
    let delivery = Delivery { id: "d".to_owned(), event: "e".to_owned(), body: b"{}".to_vec() };
    let client = WebhookClient::new(strict, TIMEOUTS, &[]).unwrap();
    assert_eq!(
        client.deliver(&target, &Secret::new(""), &delivery, now()),
        Err(RequestError::NotPublic)
    );
    let client = WebhookClient::new(local_policy(), TIMEOUTS, &[]).unwrap();
    assert!(client.deliver(&target, &Secret::new(""), &delivery, now()).unwrap().is_delivered());
    assert_eq!(server.requests.lock().unwrap().len(), 1);
}

#[test]
fn slow_servers_time_out() {
    let start = Instant::now();
    let silent = Server::new(|_| std::thread::sleep(Duration::from_secs(5)));
    assert_eq!(silent.deliver(), Err(RequestError::Timeout));
    let drip = Server::new(|stream| {
        for byte in b"HTTP/1.1 200 OK\r\nX: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n" {
            if stream.write_all(&[*byte]).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    assert_eq!(drip.deliver(), Err(RequestError::Timeout));
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
}

#[test]
fn endless_responses_are_cut() {
    let endless = Server::new(|stream| {
        let mut answer = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
        while stream.write_all(&answer).is_ok() {
            answer = vec![b'x'; 10_000];
        }
    });
    let response = endless.deliver().unwrap();
    assert!(response.is_delivered() && response.text.len() <= 1024);
    let headers = Server::new(|stream| {
        let mut answer = b"HTTP/1.1 200 OK\r\n".to_vec();
        while stream.write_all(&answer).is_ok() {
            answer = b"X-Bomb: xxxxxxxxxxxxxxxxxxxxxxxxx\r\n".repeat(100);
        }
    });
    assert!(matches!(headers.deliver(), Err(RequestError::Connection(_))));
}

#[test]
fn broken_responses_are_errors() {
    for answer in [
        "",
        "220 kin.example ESMTP\r\n",
        "HTTP/1.1 999999 x\r\n\r\n",
        "\0\0\0",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    ] {
        let found = Server::answering(answer).deliver();
        assert!(
            matches!(found, Err(RequestError::Connection(_) | RequestError::InvalidDelivery(_))),
            "{answer:?}: {found:?}"
        );
    }
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let unused = Server { port: unused, requests: Arc::default() };
    assert!(matches!(unused.deliver(), Err(RequestError::Connection(_))));
}

#[test]
fn unsafe_ids_are_rejected() {
    let target = Target::new("http://127.0.0.1:8080/", &local_policy()).unwrap();
    let client = WebhookClient::new(local_policy(), TIMEOUTS, &[]).unwrap();
    for id in ["", "a b", "a\r\nX: y", "\u{e9}"] {
        let delivery = Delivery { id: id.to_owned(), event: "alert".to_owned(), body: Vec::new() };
        let found = client.deliver(&target, &Secret::new("kin"), &delivery, now());
        assert!(matches!(found, Err(RequestError::InvalidDelivery(_))), "{id:?}");
    }
}

const TLS_SERVER: &str = r#"
import http.server, ssl, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"over tls")
    def log_message(self, *arguments):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
"#;

#[test]
fn certificates_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (folder.path().join("certificate"), folder.path().join("key"));
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
        ])
        .args([
            "-addext",
            "subjectAltName=DNS:localhost",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
        ])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .stderr(Stdio::null())
        .status();
    let python = Command::new("python3")
        .args(["-c", TLS_SERVER])
        .arg(&certificate)
        .arg(&key)
        .stdout(Stdio::piped())
        .spawn();
    let (Ok(true), Ok(mut python)) = (made.map(|status| status.success()), python) else {
        println!("skipped: openssl or python3 cannot be run here");
        return;
    };
    let mut port = String::new();
    std::io::BufRead::read_line(
        &mut std::io::BufReader::new(python.stdout.take().unwrap()),
        &mut port,
    )
    .unwrap();
    let delivery = Delivery { id: "d".to_owned(), event: "e".to_owned(), body: b"{}".to_vec() };
    let deliver = |host: &str, roots: &[Vec<u8>]| {
        let target =
            Target::new(&format!("https://{host}:{}/", port.trim()), &local_policy()).unwrap();
        WebhookClient::new(local_policy(), TIMEOUTS, roots).unwrap().deliver(
            &target,
            &Secret::new("kin"),
            &delivery,
            now(),
        )
    };
    let pem = std::fs::read(&certificate).unwrap();
    let trusted = deliver("localhost", std::slice::from_ref(&pem));
    let unknown = deliver("localhost", &[]);
    let misnamed = deliver("127.0.0.1", &[pem]);
    python.kill().unwrap();
    python.wait().unwrap();
    assert_eq!(trusted.unwrap().text, "over tls");
    assert!(matches!(unknown, Err(RequestError::Tls(_))), "{unknown:?}");
    assert!(matches!(misnamed, Err(RequestError::Tls(_))), "{misnamed:?}");
    assert!(matches!(
        WebhookClient::new(local_policy(), TIMEOUTS, &[b"x".to_vec()]),
        Err(RequestError::Tls(_))
    ));
}
