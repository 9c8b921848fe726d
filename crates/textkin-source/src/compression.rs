//! Compression: detected from the first bytes, decoded while reading, applied again when rewriting.
//!
//! In: any reader. Out: a reader of the decompressed bytes. Files with several members (gzip),
//! frames (zstd) or streams (xz, bzip2) are read to the end.

use std::io::{self, BufReader, Read, Write};

/// Number of leading bytes needed to detect the compression.
pub(crate) const MAGIC_BYTES: usize = 10;

/// zstd frames may request a window of up to 2^27 = 128 MiB (`zstd --long=27`).
const ZSTD_WINDOW_LOG: u32 = 27;

/// Default level of xz.
const XZ_LEVEL: u32 = 6;

/// Block size in which decompressors read their input.
const BUFFER_BYTES: usize = 128 << 10;

/// How bytes are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
    Xz,
    Bzip2,
}

/// Returns a reader of the decompressed bytes; `reader` itself if it is not compressed.
///
/// # Errors
/// If the first bytes cannot be read.
pub fn decompressed<R: Read + Send + 'static>(mut reader: R) -> io::Result<Box<dyn Read + Send>> {
    let mut head = Vec::with_capacity(MAGIC_BYTES);
    reader.by_ref().take(MAGIC_BYTES as u64).read_to_end(&mut head)?;
    let compression = Compression::of(&head);
    compression.decoder(io::Cursor::new(head).chain(reader))
}

impl Compression {
    /// Returns `name` without the extension of a compressed file.
    pub(crate) fn bare_name(name: &str) -> &str {
        let endings = [".gz", ".zst", ".xz", ".bz2"];
        endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
    }

    /// Detects the compression of data that begins with `head`.
    pub(crate) fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, 8, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            // Also checks the bytes after the level (first block or empty file), since a text may
            // begin with "BZh9".
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => {
                Self::Bzip2
            }
            _ => Self::None,
        }
    }

    /// Returns a decompressing reader; `reader` starts at the first compressed byte.
    pub(crate) fn decoder<R: Read + Send + 'static>(
        self,
        reader: R,
    ) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::None => Box::new(reader),
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered(reader))),
            Self::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(buffered(reader))?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
            Self::Xz => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(buffered(reader))),
            Self::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered(reader))),
        })
    }

    /// Returns a compressing writer to `writer`.
    pub(crate) fn encoder<'w>(self, writer: &'w mut (dyn Write + Send)) -> io::Result<Encoder<'w>> {
        Ok(match self {
            Self::None => Encoder::None(writer),
            Self::Gzip => {
                Encoder::Gzip(flate2::write::GzEncoder::new(writer, flate2::Compression::default()))
            }
            Self::Zstd => {
                Encoder::Zstd(zstd::Encoder::new(writer, zstd::DEFAULT_COMPRESSION_LEVEL)?)
            }
            Self::Xz => Encoder::Xz(liblzma::write::XzEncoder::new(writer, XZ_LEVEL)),
            Self::Bzip2 => {
                Encoder::Bzip2(bzip2::write::BzEncoder::new(writer, bzip2::Compression::default()))
            }
        })
    }

    /// The name used in problem messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "uncompressed",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
            Self::Bzip2 => "bzip2",
        }
    }
}

/// Compresses what is written to it.
pub(crate) enum Encoder<'w> {
    None(&'w mut (dyn Write + Send)),
    Gzip(flate2::write::GzEncoder<&'w mut (dyn Write + Send)>),
    Zstd(zstd::Encoder<'static, &'w mut (dyn Write + Send)>),
    Xz(liblzma::write::XzEncoder<&'w mut (dyn Write + Send)>),
    Bzip2(bzip2::write::BzEncoder<&'w mut (dyn Write + Send)>),
}

impl Encoder<'_> {
    fn inner(&mut self) -> &mut dyn Write {
        match self {
            Self::None(writer) => writer,
            Self::Gzip(writer) => writer,
            Self::Zstd(writer) => writer,
            Self::Xz(writer) => writer,
            Self::Bzip2(writer) => writer,
        }
    }

    /// Writes the buffered rest and the trailer.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::None(writer) => writer.flush(),
            Self::Gzip(writer) => writer.finish().map(drop),
            Self::Zstd(writer) => writer.finish().map(drop),
            Self::Xz(writer) => writer.finish().map(drop),
            Self::Bzip2(writer) => writer.finish().map(drop),
        }
    }
}

impl Write for Encoder<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner().flush()
    }
}

fn buffered<R: Read>(reader: R) -> BufReader<R> {
    BufReader::with_capacity(BUFFER_BYTES, reader)
}
