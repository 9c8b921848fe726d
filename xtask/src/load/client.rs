//! A cheap HTTP/1.1 client that keeps one connection open.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// A connection to the server.
pub(crate) struct HttpClient {
    reader: BufReader<TcpStream>,
    key: String,
}

/// Maximum bytes of a response.
const MAX_RESPONSE: usize = 64 << 20;

impl HttpClient {
    pub(crate) fn new(address: SocketAddr, key: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(120)))?;
        Ok(Self { reader: BufReader::with_capacity(64 << 10, stream), key: key.to_owned() })
    }

    /// Sends a request; returns status and body of the response.
    pub(crate) fn send(&mut self, method: &str, path: &str, body: &str) -> Result<(u16, String)> {
        let length = body.len();
        let head = self.head(method, path, "application/json", length as u64);
        let mut request = String::with_capacity(head.len() + length);
        request.push_str(&head);
        request.push_str(body);
        self.reader.get_mut().write_all(request.as_bytes())?;
        self.response()
    }

    /// Sends a file; returns the response as JSON.
    pub(crate) fn send_file(&mut self, path: &str, file: &std::path::Path) -> Result<Value> {
        let mut source = std::fs::File::open(file)?;
        let length = source.metadata()?.len();
        let head = self.head("POST", path, "application/octet-stream", length);
        self.reader.get_mut().write_all(head.as_bytes())?;
        std::io::copy(&mut source, self.reader.get_mut())?;
        let (status, body) = self.response()?;
        ensure!(status == 202, "{path}: {status} {body}");
        Ok(serde_json::from_str(&body)?)
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
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
             Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n",
            self.key
        )
    }

    fn response(&mut self) -> Result<(u16, String)> {
        let mut line = String::new();
        self.reader.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status: u16 =
            status.with_context(|| format!("invalid response: '{}'", line.trim_end()))?;
        let mut length = 0;
        loop {
            line.clear();
            if self.reader.read_line(&mut line)? == 0 {
                bail!("the response ends within its header");
            }
            let Some((name, value)) = line.split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse()?;
            }
        }
        ensure!(length <= MAX_RESPONSE, "response too large: {length} bytes");
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body)?;
        Ok((status, String::from_utf8(body)?))
    }
}
