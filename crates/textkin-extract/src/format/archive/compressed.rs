//! Files compressed as a whole: gzip, Zstandard, xz, bzip2.
//!
//! The content is the document itself, so it keeps the name of the file. A truncated file gives the
//! text up to the end and a problem.

use std::io::Read;

use crate::context::ContainerPart;
use crate::{Error, ExtractContext, Extractor, FileKind};

/// Memory limit of xz; its largest preset needs 65 MiB.
const MAX_XZ_MEMORY: u64 = 256 << 20;

/// Maximum Zstandard window, as a power of two.
const MAX_ZSTD_WINDOW_LOG: u32 = 27;

/// Reads one kind of compressed file.
pub(crate) struct Compressed(pub(crate) FileKind);

impl Extractor for Compressed {
    fn kind(&self) -> FileKind {
        self.0
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let reader = decoder(self.0, bytes)?;
        let (expanded, failure) = context.expand(reader, bytes.len() as u64)?;
        if let Some(failure) = failure {
            if expanded.is_empty() {
                return Err(Error::corrupt(self.0, failure));
            }
            context.problem("", format_args!("only partly readable as {}: {failure}", self.0))?;
        }
        let name = context.name().map(inner_name);
        context.nested_part(
            &ContainerPart { name: name.as_deref(), ..ContainerPart::default() },
            &expanded,
        )
    }
}

fn decoder<'a>(kind: FileKind, bytes: &'a [u8]) -> Result<Box<dyn Read + 'a>, Error> {
    let corrupt = |error: &dyn std::fmt::Display| Error::corrupt(kind, error);
    Ok(match kind {
        FileKind::Zstd => {
            let mut decoder =
                zstd::stream::read::Decoder::with_buffer(bytes).map_err(|error| corrupt(&error))?;
            decoder.window_log_max(MAX_ZSTD_WINDOW_LOG).map_err(|error| corrupt(&error))?;
            Box::new(decoder)
        }
        FileKind::Xz => {
            let flags = liblzma::stream::CONCATENATED;
            let stream = liblzma::stream::Stream::new_stream_decoder(MAX_XZ_MEMORY, flags)
                .map_err(|error| corrupt(&error))?;
            Box::new(liblzma::bufread::XzDecoder::new_stream(bytes, stream))
        }
        FileKind::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(bytes)),
        _ => Box::new(flate2::bufread::MultiGzDecoder::new(bytes)),
    })
}

/// Removes the extension of a compressed file.
fn inner_name(name: &str) -> String {
    let Some((stem, extension)) = name.rsplit_once('.') else { return name.to_owned() };
    match extension.to_ascii_lowercase().as_str() {
        "gz" | "z" | "zst" | "zstd" | "xz" | "bz2" | "bz" => stem.to_owned(),
        "tgz" | "txz" | "tbz" | "tbz2" | "tzst" => format!("{stem}.tar"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inner_name_has_one_extension_less() {
        assert_eq!(inner_name("a.txt.gz"), "a.txt");
        assert_eq!(inner_name("a.tgz"), "a.tar");
        assert_eq!(inner_name("a"), "a");
    }
}
