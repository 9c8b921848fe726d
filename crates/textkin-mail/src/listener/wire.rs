//! A connection as lines and bytes, with limits on both.
//!
//! In: a stream. Out: complete command lines, or the bytes of a message. Replies are queued and sent
//! when the client needs them, so that pipelined commands cost one packet.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Duration, Instant, timeout, timeout_at};

/// Bytes per read.
const READ_BYTES: usize = 16 << 10;

/// The result of reading a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line of this many bytes, without its end, is at the start of the buffer.
    Text(usize),
    /// A line with a bare CR or LF, a zero byte, or invalid UTF-8.
    NotText,
    /// A line longer than a command may be.
    TooLong,
    /// The client has disconnected.
    End,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Wire<S> {
    stream: S,
    input: Vec<u8>,
    output: Vec<u8>,
    write_timeout: Duration,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub(crate) fn new(stream: S, write_timeout: Duration) -> Self {
        Self { stream, input: Vec::new(), output: Vec::new(), write_timeout }
    }

    /// Queues a reply.
    pub(crate) fn queue(&mut self, line: &str) {
        self.output.extend_from_slice(line.as_bytes());
        self.output.extend_from_slice(b"\r\n");
    }

    /// Sends the queued replies.
    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        let write = async {
            self.stream.write_all(&self.output).await?;
            self.stream.flush().await
        };
        timeout(self.write_timeout, write).await??;
        self.output.clear();
        Ok(())
    }

    /// Waits for the next line; [`text`](Self::text) returns it and [`skip`](Self::skip) removes it.
    /// Cancel safe.
    pub(crate) async fn line(&mut self, max_bytes: usize) -> io::Result<Line> {
        loop {
            if let Some(end) = self.input.iter().position(|byte| *byte == b'\n') {
                return Ok(self.check(end, max_bytes));
            }
            if self.input.len() > max_bytes {
                return Ok(Line::TooLong);
            }
            self.flush().await?;
            if self.read().await? == 0 {
                return Ok(Line::End);
            }
        }
    }

    fn check(&self, end: usize, max_bytes: usize) -> Line {
        if end > max_bytes {
            return Line::TooLong;
        }
        let line = self.input.get(..end).unwrap_or_default();
        match line.strip_suffix(b"\r") {
            Some(text)
                if !text.contains(&b'\r')
                    && !text.contains(&0)
                    && std::str::from_utf8(text).is_ok() =>
            {
                Line::Text(text.len())
            }
            _ => Line::NotText,
        }
    }

    /// The first bytes of the input.
    pub(crate) fn text(&self, bytes: usize) -> &[u8] {
        self.input.get(..bytes).unwrap_or_default()
    }

    /// All input that has arrived.
    pub(crate) fn input(&self) -> &[u8] {
        &self.input
    }

    /// Removes the first bytes of the input.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.input.drain(..bytes.min(self.input.len()));
    }

    /// Reads more input; returns 0 if the client has disconnected.
    pub(crate) async fn read(&mut self) -> io::Result<usize> {
        self.input.reserve(READ_BYTES);
        self.stream.read_buf(&mut self.input).await
    }

    /// Sends queued replies and waits for the client to close, so that it can read the reply even
    /// while it is still sending.
    pub(crate) async fn close(mut self) -> io::Result<()> {
        const MAX_LINGER: Duration = Duration::from_secs(2);
        const MAX_DRAINED_BYTES: usize = 1 << 20;
        self.flush().await?;
        self.stream.shutdown().await?;
        let end = Instant::now() + MAX_LINGER.min(self.write_timeout);
        let mut drained = 0;
        while drained < MAX_DRAINED_BYTES {
            self.input.clear();
            match timeout_at(end, self.read()).await {
                Ok(Ok(n_bytes)) if n_bytes > 0 => drained += n_bytes,
                _ => break,
            }
        }
        Ok(())
    }
}
