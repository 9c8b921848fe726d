//! LMTP client: passes a message to a listener and waits for the reply.
//!
//! In: an envelope and a message with line ends of any form. Out: whether it was accepted. Blocks;
//! used by the program that a mail system starts for each message.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use crate::{Address, IncomingMessage, Refusal};

/// Address of a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A Unix domain socket.
    Unix(PathBuf),
    /// A TCP port.
    Tcp(SocketAddr),
}

impl fmt::Display for Destination {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(formatter, "{}", path.display()),
            Self::Tcp(address) => write!(formatter, "{address}"),
        }
    }
}

/// Maximum length of a reply.
const MAX_REPLY_BYTES: u64 = 64 << 10;

/// Delivers a message, waiting at most `timeout` for each step. It is stored when this returns.
///
/// # Errors
///
/// [`Refusal::Temporary`] if the listener cannot be reached or reports a temporary failure,
/// [`Refusal::Permanent`] if it rejects the message for one of the recipients.
pub fn deliver(
    destination: &Destination,
    message: &IncomingMessage,
    timeout: Duration,
) -> Result<(), Refusal> {
    let temporary = |error: io::Error| Refusal::Temporary(format!("{destination}: {error}"));
    match destination {
        #[cfg(not(unix))]
        Destination::Unix(_) => {
            let reason = "this system has no Unix domain sockets; use a TCP address";
            Err(Refusal::Permanent(format!("{destination}: {reason}")))
        }
        #[cfg(unix)]
        Destination::Unix(path) => {
            let stream = UnixStream::connect(path).map_err(temporary)?;
            stream.set_read_timeout(Some(timeout)).map_err(temporary)?;
            stream.set_write_timeout(Some(timeout)).map_err(temporary)?;
            LmtpConnection::new(stream).deliver(message)
        }
        Destination::Tcp(address) => {
            let stream = TcpStream::connect_timeout(address, timeout).map_err(temporary)?;
            stream.set_read_timeout(Some(timeout)).map_err(temporary)?;
            stream.set_write_timeout(Some(timeout)).map_err(temporary)?;
            LmtpConnection::new(stream).deliver(message)
        }
    }
}

/// A client connection.
struct LmtpConnection<S> {
    stream: BufReader<S>,
}

impl<S: Read + Write> LmtpConnection<S> {
    fn new(stream: S) -> Self {
        Self { stream: BufReader::new(stream) }
    }

    fn deliver(mut self, message: &IncomingMessage) -> Result<(), Refusal> {
        self.expect('2')?;
        self.command("LHLO localhost\r\n", '2')?;
        let sender = message.sender.as_ref().map(Address::as_str).unwrap_or_default();
        let is_ascii =
            sender.is_ascii() && message.recipients.iter().all(|to| to.as_str().is_ascii());
        let utf8 = if is_ascii { "" } else { " SMTPUTF8" };
        self.command(&format!("MAIL FROM:<{sender}> BODY=8BITMIME{utf8}\r\n"), '2')?;
        for recipient in &message.recipients {
            self.command(&format!("RCPT TO:<{recipient}>\r\n"), '2')?;
        }
        self.command("DATA\r\n", '3')?;
        self.write(&dot_stuffed(&message.bytes))?;
        for _ in &message.recipients {
            self.expect('2')?;
        }
        // The message is stored; a failed QUIT does not matter.
        let _ = self.write(b"QUIT\r\n");
        Ok(())
    }

    fn command(&mut self, command: &str, expected: char) -> Result<(), Refusal> {
        self.write(command.as_bytes())?;
        self.expect(expected)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let stream = self.stream.get_mut();
        let written = stream.write_all(bytes).and_then(|()| stream.flush());
        written.map_err(|error| Refusal::Temporary(error.to_string()))
    }

    /// Reads a reply; only its last line counts.
    fn expect(&mut self, expected: char) -> Result<(), Refusal> {
        let mut reader = (&mut self.stream).take(MAX_REPLY_BYTES);
        loop {
            let mut bytes = Vec::new();
            let read = reader.read_until(b'\n', &mut bytes);
            read.map_err(|error| Refusal::Temporary(error.to_string()))?;
            let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
            if bytes.last() != Some(&b'\n') {
                return Err(Refusal::Temporary("connection closed".to_owned()));
            }
            if line.as_bytes().get(3) == Some(&b'-') {
                continue;
            }
            return match line.chars().next() {
                Some(first) if first == expected => Ok(()),
                Some('5') => Err(Refusal::Permanent(line)),
                _ => Err(Refusal::Temporary(line)),
            };
        }
    }
}

/// Encodes a message for `DATA`: lines end with CR LF, leading dots are doubled, the end is marked.
pub(crate) fn dot_stuffed(message: &[u8]) -> Vec<u8> {
    let mut wire = Vec::with_capacity(message.len() + message.len() / 32 + 8);
    let mut rest = message;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        if line.starts_with(b".") {
            wire.push(b'.');
        }
        wire.extend_from_slice(line);
        wire.extend_from_slice(b"\r\n");
        rest = after.strip_prefix(b"\r\n").or_else(|| after.get(1..)).unwrap_or_default();
    }
    wire.extend_from_slice(b".\r\n");
    wire
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_line_ends_become_cr_lf() {
        assert_eq!(dot_stuffed(b"a\n.b\r\nc\rd"), b"a\r\n..b\r\nc\r\nd\r\n.\r\n");
        assert_eq!(dot_stuffed(b"\n.\nQUIT\n"), b"\r\n..\r\nQUIT\r\n.\r\n");
        assert_eq!(dot_stuffed(b""), b".\r\n");
    }
}
