//! Hands a message to a listener by LMTP, and waits for the answer.
//!
//! In: an envelope and a message with line ends of any form. Out: whether it was taken. Blocks;
//! for the program that a mail system starts for each message.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use crate::{Address, IncomingMessage, Refusal};

/// Where a listener is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A socket in the file system.
    Unix(PathBuf),
    /// A port.
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

/// A reply is not longer.
const MAX_REPLY_BYTES: u64 = 64 << 10;

/// Hands a letter over, within `patience` for each step. It is kept when this returns.
///
/// # Errors
///
/// [`Refusal::Later`] if the listener cannot be reached or says so, [`Refusal::Never`] if it
/// refuses the letter for one of its recipients.
pub fn deliver(
    destination: &Destination,
    letter: &IncomingMessage,
    patience: Duration,
) -> Result<(), Refusal> {
    let later = |error: io::Error| Refusal::Later(format!("{destination}: {error}"));
    match destination {
        Destination::Unix(path) => {
            let stream = UnixStream::connect(path).map_err(later)?;
            stream.set_read_timeout(Some(patience)).map_err(later)?;
            stream.set_write_timeout(Some(patience)).map_err(later)?;
            Talk::new(stream).letter(letter)
        }
        Destination::Tcp(address) => {
            let stream = TcpStream::connect_timeout(address, patience).map_err(later)?;
            stream.set_read_timeout(Some(patience)).map_err(later)?;
            stream.set_write_timeout(Some(patience)).map_err(later)?;
            Talk::new(stream).letter(letter)
        }
    }
}

/// A connection.
struct Talk<S> {
    stream: BufReader<S>,
}

impl<S: Read + Write> Talk<S> {
    fn new(stream: S) -> Self {
        Self { stream: BufReader::new(stream) }
    }

    fn letter(mut self, letter: &IncomingMessage) -> Result<(), Refusal> {
        self.expect('2')?;
        self.ask("LHLO localhost\r\n", '2')?;
        let sender = letter.sender.as_ref().map(Address::as_str).unwrap_or_default();
        let is_ascii =
            sender.is_ascii() && letter.recipients.iter().all(|to| to.as_str().is_ascii());
        let utf8 = if is_ascii { "" } else { " SMTPUTF8" };
        self.ask(&format!("MAIL FROM:<{sender}> BODY=8BITMIME{utf8}\r\n"), '2')?;
        for recipient in &letter.recipients {
            self.ask(&format!("RCPT TO:<{recipient}>\r\n"), '2')?;
        }
        self.ask("DATA\r\n", '3')?;
        self.write(&stuffed(&letter.bytes))?;
        for _ in &letter.recipients {
            self.expect('2')?;
        }
        // It is kept; whether the other side hears the farewell makes no difference.
        let _ = self.write(b"QUIT\r\n");
        Ok(())
    }

    fn ask(&mut self, command: &str, wanted: char) -> Result<(), Refusal> {
        self.write(command.as_bytes())?;
        self.expect(wanted)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let stream = self.stream.get_mut();
        let written = stream.write_all(bytes).and_then(|()| stream.flush());
        written.map_err(|error| Refusal::Later(error.to_string()))
    }

    /// Reads a reply, of which the last line counts.
    fn expect(&mut self, wanted: char) -> Result<(), Refusal> {
        let mut reader = (&mut self.stream).take(MAX_REPLY_BYTES);
        loop {
            let mut bytes = Vec::new();
            let read = reader.read_until(b'\n', &mut bytes);
            read.map_err(|error| Refusal::Later(error.to_string()))?;
            let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
            if bytes.last() != Some(&b'\n') {
                return Err(Refusal::Later("the connection ended".to_owned()));
            }
            if line.as_bytes().get(3) == Some(&b'-') {
                continue;
            }
            return match line.chars().next() {
                Some(first) if first == wanted => Ok(()),
                Some('5') => Err(Refusal::Never(line)),
                _ => Err(Refusal::Later(line)),
            };
        }
    }
}

/// A message as it goes over the wire: every line ended by CR LF, dots doubled, the end marked.
pub(crate) fn stuffed(message: &[u8]) -> Vec<u8> {
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
    fn lines_of_every_form_become_lines_of_mail() {
        assert_eq!(stuffed(b"a\n.b\r\nc\rd"), b"a\r\n..b\r\nc\r\nd\r\n.\r\n");
        assert_eq!(stuffed(b"\n.\nQUIT\n"), b"\r\n..\r\nQUIT\r\n.\r\n");
        assert_eq!(stuffed(b""), b".\r\n");
    }
}
