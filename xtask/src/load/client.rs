//! A cheap HTTP/1.1 client that keeps one connection open.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// A connection to the server.
pub(crate) struct HttpClient {
    reader: BufReader<TcpStream>,
    /// The header that identifies the account, with its line end.
    credential: String,
}

/// A response.
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    head: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl HttpResponse {
    /// Returns a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.head.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// Maximum bytes of a response.
const MAX_RESPONSE: usize = 64 << 20;

impl HttpClient {
    pub(crate) fn new(address: SocketAddr, key: &str) -> Result<Self> {
        Self::with_credential(address, format!("Authorization: Bearer {key}\r\n"))
    }

    fn with_credential(address: SocketAddr, credential: String) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(120)))?;
        Ok(Self { reader: BufReader::with_capacity(64 << 10, stream), credential })
    }

    /// Signs in like a browser. Letters and digits only, so that nothing must be escaped.
    pub(crate) fn sign_in(address: SocketAddr, name: &str, password: &str) -> Result<Self> {
        let mut client = Self::with_credential(address, String::new())?;
        let form = format!("name={name}&password={password}");
        let kind = "application/x-www-form-urlencoded";
        let response = client.request("POST", "/login", kind, form.as_bytes())?;
        let cookie = response.header("set-cookie").and_then(|cookie| cookie.split(';').next());
        let cookie = cookie.with_context(|| format!("cannot sign in: {}", response.status))?;
        client.credential = format!("Cookie: {cookie}\r\n");
        Ok(client)
    }

    /// Sends JSON; returns status and body of the response.
    pub(crate) fn send(&mut self, method: &str, path: &str, body: &str) -> Result<(u16, String)> {
        let response = self.request(method, path, "application/json", body.as_bytes())?;
        Ok((response.status, String::from_utf8(response.body)?))
    }

    /// Sends a request with a body of any kind.
    pub(crate) fn request(
        &mut self,
        method: &str,
        path: &str,
        kind: &str,
        body: &[u8],
    ) -> Result<HttpResponse> {
        let head = self.head(method, path, kind, body.len() as u64);
        self.reader.get_mut().write_all(&[head.as_bytes(), body].concat())?;
        self.response()
    }

    /// Sends a file; returns the response as JSON.
    pub(crate) fn send_file(&mut self, path: &str, file: &std::path::Path) -> Result<Value> {
        let mut source = std::fs::File::open(file)?;
        let length = source.metadata()?.len();
        let head = self.head("POST", path, "application/octet-stream", length);
        self.reader.get_mut().write_all(head.as_bytes())?;
        std::io::copy(&mut source, self.reader.get_mut())?;
        let HttpResponse { status, body, .. } = self.response()?;
        ensure!(status == 202, "{path}: {status} {}", String::from_utf8_lossy(&body));
        Ok(serde_json::from_slice(&body)?)
    }

    /// Sends a request that must succeed; returns the response as JSON.
    pub(crate) fn send_json(&mut self, method: &str, path: &str, body: &str) -> Result<Value> {
        let (status, response) = self.send(method, path, body)?;
        ensure!((200..300).contains(&status), "{method} {path}: {status} {response}");
        match response.is_empty() {
            true => Ok(Value::Null),
            false => Ok(serde_json::from_str(&response)?),
        }
    }

    fn head(&self, method: &str, path: &str, kind: &str, length: u64) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html, */*\r\n{}\
             Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n",
            self.credential
        )
    }

    fn response(&mut self) -> Result<HttpResponse> {
        let mut line = String::new();
        self.reader.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status: u16 =
            status.with_context(|| format!("invalid response: '{}'", line.trim_end()))?;
        let mut head = Vec::new();
        loop {
            line.clear();
            if self.reader.read_line(&mut line)? == 0 {
                bail!("the response ends within its header");
            }
            let Some((name, value)) = line.split_once(':') else { break };
            head.push((name.to_owned(), value.trim().to_owned()));
        }
        let mut response = HttpResponse { status, head, body: Vec::new() };
        let length = response.header("content-length").unwrap_or("0").parse()?;
        ensure!(length <= MAX_RESPONSE, "response too large: {length} bytes");
        response.body = vec![0; length];
        self.reader.read_exact(&mut response.body)?;
        Ok(response)
    }
}
