//! A connection as lines and bytes, with bounds on both.
//!
//! In: a stream. Out: whole command lines, or the bytes of a message. Replies are gathered and
//! sent when the other side must have them, so that many commands sent at once cost one packet.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Duration, Instant, timeout, timeout_at};

/// Bytes that are asked for at one time.
const READ_BYTES: usize = 16 << 10;

/// What came instead of a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line, without its end, is at the start of the buffer: so many bytes.
    Text(usize),
    /// A line with a bare CR or LF, a zero byte, or no UTF-8.
    NotText,
    /// More bytes than a command has.
    TooLong,
    /// The other side has gone.
    End,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Wire<S> {
    stream: S,
    input: Vec<u8>,
    output: Vec<u8>,
    patience: Duration,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub(crate) fn new(stream: S, patience: Duration) -> Self {
        Self { stream, input: Vec::new(), output: Vec::new(), patience }
    }

    /// Gathers a reply.
    pub(crate) fn say(&mut self, line: &str) {
        self.output.extend_from_slice(line.as_bytes());
        self.output.extend_from_slice(b"\r\n");
    }

    /// Sends what was gathered.
    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        let write = async {
            self.stream.write_all(&self.output).await?;
            self.stream.flush().await
        };
        timeout(self.patience, write).await??;
        self.output.clear();
        Ok(())
    }

    /// The next line, which [`text`](Self::text) shows and [`skip`](Self::skip) takes away. Safe
    /// to be given up while it waits.
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

    /// The first bytes of what has arrived.
    pub(crate) fn text(&self, bytes: usize) -> &[u8] {
        self.input.get(..bytes).unwrap_or_default()
    }

    /// Everything that has arrived.
    pub(crate) fn input(&self) -> &[u8] {
        &self.input
    }

    /// Takes the first bytes away.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.input.drain(..bytes.min(self.input.len()));
    }

    /// Waits for more; 0 where the other side has gone.
    pub(crate) async fn read(&mut self) -> io::Result<usize> {
        self.input.reserve(READ_BYTES);
        self.stream.read_buf(&mut self.input).await
    }

    /// Says what is left to say and waits for the other side to go, so that it reads the reply
    /// even where it is still sending.
    pub(crate) async fn close(mut self) -> io::Result<()> {
        const MAX_LINGER: Duration = Duration::from_secs(2);
        const MAX_DRAINED_BYTES: usize = 1 << 20;
        self.flush().await?;
        self.stream.shutdown().await?;
        let end = Instant::now() + MAX_LINGER.min(self.patience);
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
