//! The configurations of nginx and Caddy that the book shows, run by the programs themselves.
//!
//! The blocks are read from the page; only the address, the name and the certificate are replaced. Where
//! a program is missing, its test is skipped.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Server, ServerOptions, parse, wait, words};

const PAGE: &str = include_str!("../../../../book/src/server.md");

/// The address of the client, on which the server does not listen and which is not the proxy's.
const CLIENT: &str = "127.0.0.9";

/// A reverse proxy that is stopped on drop.
struct Proxy {
    process: Child,
    address: SocketAddr,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn nginx_works_as_the_book_configures_it() {
    if !is_installed("nginx", "-v") {
        return;
    }
    with_server(|server, folder| {
        let address = free_address();
        let block = block_after("nginx:\n\n```nginx\n")
            .replace("listen 443 ssl", &format!("listen {address}"))
            .replace("127.0.0.1:7070", &server.address.to_string());
        let block: Vec<&str> =
            block.lines().filter(|line| !line.contains("ssl_certificate")).collect();
        let paths: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {}/{kind};\n", folder.display()))
            .concat();
        let config = format!(
            "daemon off;\nmaster_process off;\npid {0}/pid;\nerror_log stderr;\nevents {{}}\n\
             http {{\naccess_log off;\n{paths}{1}\n}}\n",
            folder.display(),
            block.join("\n"),
        );
        let file = folder.join("nginx.conf");
        fs::write(&file, config).unwrap();
        let mut nginx = Command::new("nginx");
        nginx.arg("-e").arg("stderr").arg("-p").arg(folder).arg("-c").arg(&file);
        start(nginx, address)
    });
}

#[test]
fn caddy_works_as_the_book_configures_it() {
    if !is_installed("caddy", "version") {
        return;
    }
    with_server(|server, folder| {
        let address = free_address();
        let block = block_after("by default:\n\n```text\n")
            .replace("textkin.example.org {", &format!("http://{address} {{"))
            .replace("127.0.0.1:7070", &server.address.to_string());
        let file = folder.join("Caddyfile");
        fs::write(&file, format!("{{\nadmin off\nauto_https off\n}}\n{block}")).unwrap();
        let mut caddy = Command::new("caddy");
        caddy.args(["run", "--adapter", "caddyfile", "--config"]).arg(&file).env("HOME", folder);
        start(caddy, address)
    });
}

/// Starts a server and a proxy in front of it, and checks what passes through.
fn with_server(proxy: impl FnOnce(&Server, &Path) -> Proxy) {
    let folder = tempfile::tempdir().unwrap();
    let options =
        ServerOptions { trusted_proxy: Some("127.0.0.1".into()), ..ServerOptions::default() };
    let server = Server::start(&folder.path().join("data"), &options);
    server.post("/api/v1/repositories", &json!({ "name": "songs", "visibility": "private" }));
    let key_for = |addresses: &str| {
        let new = json!({ "name": addresses, "scopes": ["read"], "addresses": addresses });
        let key = server.post("/api/v1/keys", &new);
        key["key"].as_str().unwrap().to_owned()
    };
    let (own, other) = (key_for(CLIENT), key_for("127.0.0.7"));
    let proxy = proxy(&server, folder.path());

    // The server sees the address of the client, whatever the client says.
    for claim in ["", "X-Forwarded-For: 127.0.0.7\r\n", "Forwarded: for=127.0.0.7\r\n"] {
        assert_eq!(get(&proxy, &own, claim), 200, "{claim:?}");
        assert_eq!(get(&proxy, &other, claim), 401, "{claim:?}");
    }

    // Forms are accepted: the server knows under which name the browser sees it.
    let form = format!(
        "POST /login HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 27\r\n\r\n\
         user=nobody&password=secret",
        proxy.address
    );
    let (status, _) = send(&proxy, form.as_bytes());
    assert_ne!(status, 403, "the form is rejected as one of another site");

    // Texts of many megabytes pass.
    let text = words(7, 400_000);
    let body = json!({ "id": "long", "text": text }).to_string();
    let path = "/api/v1/repositories/songs/documents";
    let request = server.head("POST", path, "application/json", body.len()) + &body;
    let request = request.replacen("localhost", &proxy.address.to_string(), 1);
    let (status, answer) = send(&proxy, request.as_bytes());
    assert!((200..300).contains(&status), "{status} {answer}");
}

/// Sends a request with a key from [`CLIENT`]; returns the status.
fn get(proxy: &Proxy, key: &str, headers: &str) -> u16 {
    let request = format!(
        "GET /api/v1/me HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\
         Authorization: Bearer {key}\r\n{headers}\r\n",
        proxy.address
    );
    send(proxy, request.as_bytes()).0
}

/// Sends a request from [`CLIENT`]; returns status and body.
fn send(proxy: &Proxy, request: &[u8]) -> (u16, String) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answer = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(CLIENT.parse().unwrap(), 0)).unwrap();
        let mut stream = socket.connect(proxy.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        answer
    });
    parse(&answer).unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&answer)))
}

/// Returns the block of code of the page that follows `start`.
fn block_after(start: &str) -> String {
    let (_, rest) = PAGE.split_once(start).expect("the page has the block");
    rest.split_once("```").expect("the block ends").0.to_owned()
}

fn is_installed(program: &str, argument: &str) -> bool {
    let mut run = Command::new(program);
    run.arg(argument).stdout(Stdio::null()).stderr(Stdio::null());
    let found = cfg!(target_os = "linux") && run.status().is_ok_and(|status| status.success());
    if !found {
        println!("skipped: {program} is not available");
    }
    found
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn start(mut command: Command, address: SocketAddr) -> Proxy {
    let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut proxy = Proxy { process, address };
    wait(|| {
        assert!(proxy.process.try_wait().unwrap().is_none(), "the proxy stopped");
        TcpStream::connect(address).is_ok()
    });
    proxy
}
