//! One opened input: its decompressed bytes, with the compressed bytes counted for progress.
//!
//! In: a file or any reader. Out: decompressed bytes without byte order mark, in blocks.

use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use textkin_extract::ExtractLimits;

use crate::compression::{Compression, MAGIC_BYTES};
use crate::text::read_decompressed;

/// Number of blocks from which a buffer grows geometrically.
const AMORTIZED: usize = 16;

/// The decompressed bytes of one input.
pub(crate) struct Stream {
    reader: Box<dyn Read + Send>,
    compression: Compression,
    /// Bytes read from the file so far.
    n_read: Arc<AtomicU64>,
    /// Of these, the bytes already attributed to pieces.
    counted: u64,
    /// Size of the file, if it is a file.
    size: Option<u64>,
}

impl Stream {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = fs_err::File::open(path)?;
        let size = file.metadata()?.len();
        Ok(Self::new(file)?.with_size(Some(size)))
    }

    /// Wraps a reader positioned at its first byte.
    pub(crate) fn new<R: Read + Send + 'static>(mut reader: R) -> io::Result<Self> {
        let mut head = Vec::with_capacity(MAGIC_BYTES);
        reader.by_ref().take(MAGIC_BYTES as u64).read_to_end(&mut head)?;
        let compression = Compression::of(&head);
        let n_read = Arc::new(AtomicU64::new(0));
        let counting =
            CountingReader { reader: Cursor::new(head).chain(reader), n_read: Arc::clone(&n_read) };
        let decoder = compression.decoder(counting)?;
        let reader = match compression {
            Compression::None => decoder,
            _ => Box::new(BlockReader::new(decoder)),
        };
        Ok(Self { reader, compression, n_read, counted: 0, size: None })
    }

    /// Sets the size of the file.
    pub(crate) fn with_size(self, size: Option<u64>) -> Self {
        Self { size, ..self }
    }

    /// Maximum bytes that a compressed file of this size can plausibly contain.
    pub(crate) fn max_expanded(&self) -> Option<u64> {
        let size = self.size.filter(|_| self.compression != Compression::None)?;
        Some(ExtractLimits::default().max_expanded(size))
    }

    /// Appends up to `n` bytes to `buffer` and returns how many; fewer only at the end or on an error.
    /// Bytes read before an error stay in `buffer`.
    pub(crate) fn read_block(&mut self, n: usize, buffer: &mut Vec<u8>) -> io::Result<usize> {
        // Geometric growth keeps a line of one gigabyte linear; shorter ones reserve only what they need.
        if buffer.len() / n.max(1) < AMORTIZED {
            buffer.reserve_exact(n);
        } else {
            buffer.reserve(n);
        }
        self.reader.by_ref().take(n as u64).read_to_end(buffer)
    }

    /// Reads the rest into `bytes`; the error is a message for the user.
    pub(crate) fn read_whole(&mut self, limit: u64, bytes: &mut Vec<u8>) -> Result<(), String> {
        let Self { reader, compression, n_read, .. } = self;
        let n_compressed = || n_read.load(Ordering::Relaxed);
        read_decompressed(reader, limit, n_compressed, |error| explain(*compression, error), bytes)
    }

    /// Puts bytes back in front of the unread ones.
    pub(crate) fn unread(self, bytes: Vec<u8>) -> Self {
        Self { reader: Box::new(Cursor::new(bytes).chain(self.reader)), ..self }
    }

    /// Puts bytes back in front of the error that followed them.
    pub(crate) fn unread_before(self, bytes: Vec<u8>, error: io::Error) -> Self {
        Self { reader: Box::new(Cursor::new(bytes).chain(FailingReader(Some(error)))), ..self }
    }

    /// Returns the compression of the input.
    pub(crate) fn compression(&self) -> Compression {
        self.compression
    }

    /// Returns the compressed bytes read since the last call.
    pub(crate) fn take_count(&mut self) -> u64 {
        let n_read = self.n_read.load(Ordering::Relaxed);
        let new = n_read - self.counted;
        self.counted = n_read;
        new
    }

    /// Describes a read error and names the compression if there is one.
    pub(crate) fn explain(&self, error: &io::Error) -> String {
        explain(self.compression, error)
    }
}

/// Describes a read error for a problem message.
pub(crate) fn explain(compression: Compression, error: &io::Error) -> String {
    if compression == Compression::None {
        return reason(error);
    }
    let name = compression.name();
    if error.kind() == io::ErrorKind::UnexpectedEof {
        format!("the {name} data is truncated")
    } else {
        format!("the {name} data is corrupt: {error}")
    }
}

/// Describes an I/O error in lower case, without its path (the problem names it) and without
/// "(os error 2)".
pub(crate) fn reason(error: &io::Error) -> String {
    let message = error.to_string();
    // The system error comes last, after the path and a colon.
    let message = match message.split_once(" (os error") {
        Some((text, _)) => text.rsplit_once(": ").map_or(text, |(_, cause)| cause),
        None => &message,
    };
    let mut characters = message.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => "cannot be read".to_owned(),
    }
}

/// Returns an error that occurred earlier.
struct FailingReader(Option<io::Error>);

impl Read for FailingReader {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Counts the bytes that are read.
struct CountingReader<R> {
    reader: R,
    n_read: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        self.n_read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Reads in blocks of one size, independent of the caller. A decompressor that finds corrupt data
/// loses all it has decompressed in that call; fixed blocks bound the loss and make it independent of
/// the piece size.
struct BlockReader {
    reader: Box<dyn Read + Send>,
    block: Box<[u8]>,
    start: usize,
    end: usize,
}

impl BlockReader {
    const BYTES: usize = 32 << 10;

    fn new(reader: Box<dyn Read + Send>) -> Self {
        let block = vec![0; Self::BYTES].into_boxed_slice();
        Self { reader, block, start: 0, end: 0 }
    }
}

impl Read for BlockReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            self.end = self.reader.read(&mut self.block)?;
        }
        let n = buffer.len().min(self.end - self.start);
        buffer[..n].copy_from_slice(&self.block[self.start..self.start + n]);
        self.start += n;
        Ok(n)
    }
}
