//! A stream with a checksum, for states that are written and read without a second copy in memory.

use std::io::{self, Read, Write};

/// Reader or writer that computes the checksum of the bytes that pass through it.
///
/// ```
/// use std::io::Write;
/// use textkin_trace::ChecksumStream;
///
/// let mut stream = ChecksumStream { inner: Vec::new(), sum: xxhash_rust::xxh3::Xxh3::new() };
/// stream.write_all(b"state")?;
/// assert_eq!(stream.sum.digest(), xxhash_rust::xxh3::xxh3_64(b"state"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ChecksumStream<T, S> {
    /// The reader or writer. What passes through it directly is not part of the checksum.
    pub inner: T,
    /// The hash function: its `write` adds bytes and never fails.
    pub sum: S,
}

impl<T: Write, S: Write> Write for ChecksumStream<T, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.write_all(&bytes[..written])?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read, S: Write> Read for ChecksumStream<T, S> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(bytes)?;
        self.sum.write_all(&bytes[..n])?;
        Ok(n)
    }
}
