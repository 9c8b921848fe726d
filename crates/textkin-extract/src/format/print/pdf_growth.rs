//! Growth of a PDF: rejects a small file whose streams decompress to very much.
//!
//! This looks at the bytes of the file only, so that it protects every program that then reads it. It
//! sees streams whose dictionary names the filter directly; `pdf::stream` counts the others.

use std::io::Read;

use crate::{Error, ExtractLimits};

/// Maximum bytes before the keyword `stream` in which its dictionary is looked for.
const MAX_DICTIONARY: usize = 1024;
/// Maximum number of streams that are checked; the reader counts those after them.
const MAX_STREAMS: usize = 100_000;
/// Maximum number of filters of one stream.
const MAX_FILTERS: usize = 8;
/// Bytes read at a time.
const STEP: usize = 64 << 10;

/// Checks that the streams of a PDF, without its images, decompress to a size that its own allows.
///
/// # Errors
/// [`Error::TooDense`], which names the limit.
pub fn check_pdf_growth(bytes: &[u8], limits: &ExtractLimits) -> Result<(), Error> {
    let mut left = limits.max_expanded(bytes.len() as u64);
    let mut buffer = vec![0; STEP];
    let keywords = memchr::memmem::find_iter(bytes, b"stream").take(MAX_STREAMS);
    for found in keywords {
        let start = found.saturating_sub(MAX_DICTIONARY);
        let before = bytes.get(start..found).unwrap_or_default();
        let Some(dictionary) = dictionary(before) else { continue };
        let n_filters = n_inflations(dictionary);
        if n_filters == 0 || count(dictionary, b"/Image") > 0 {
            continue;
        }
        let content = bytes.get(found + b"stream".len()..).unwrap_or_default();
        let content = content.strip_prefix(b"\r").unwrap_or(content);
        let content = content.strip_prefix(b"\n").unwrap_or(content);
        let mut reader: Box<dyn Read + '_> = Box::new(content);
        for _ in 0..n_filters {
            reader = Box::new(flate2::read::ZlibDecoder::new(reader));
        }
        // After an error, the bytes read so far are the stream.
        while let Ok(n_read @ 1..) = reader.read(&mut buffer) {
            left = left
                .checked_sub(n_read as u64)
                .ok_or(Error::TooDense { limit: limits.max_ratio })?;
        }
    }
    Ok(())
}

/// Returns the dictionary that `before`, the bytes before the keyword `stream`, end with.
fn dictionary(before: &[u8]) -> Option<&[u8]> {
    let before = before.trim_ascii_end();
    if !before.ends_with(b">>") {
        return None;
    }
    let start = before.windows(4).rposition(|four| four == b" obj").unwrap_or(0);
    before.get(start..)
}

/// Returns how many times a stream with this dictionary is inflated.
fn n_inflations(dictionary: &[u8]) -> usize {
    let full = count(dictionary, b"FlateDecode");
    let short = [b"/Fl ".as_slice(), b"/Fl/", b"/Fl]", b"/Fl>"];
    let short: usize = short.iter().map(|name| count(dictionary, name)).sum();
    (full + short).min(MAX_FILTERS)
}

fn count(bytes: &[u8], wanted: &[u8]) -> usize {
    bytes.windows(wanted.len()).filter(|found| *found == wanted).count()
}
