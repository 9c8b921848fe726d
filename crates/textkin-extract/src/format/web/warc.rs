//! Web archives: each page is a part, named by its URL; WET records are plain text.

use std::borrow::Cow;

use crate::context::ContainerPart;
use crate::{Error, ExtractContext, Extractor, FileKind};

/// Reads web archives.
pub(crate) struct Warc;

impl Extractor for Warc {
    fn kind(&self) -> FileKind {
        FileKind::Warc
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let mut rest = bytes;
        let mut number = 0usize;
        while let Some(record) = Record::next(&mut rest) {
            context.take_entry()?;
            number += 1;
            let address =
                record.field("warc-target-uri").map(|address| address.trim_matches(['<', '>']));
            let label = address.map_or_else(|| format!("record {number}"), str::to_owned);
            if record.is_cut {
                context.problem(&label, "truncated record")?;
            }
            let time = record.field("warc-date");
            let part = ContainerPart { label: &label, name: address.map(path), kind: None, time };
            match record.field("warc-type").unwrap_or_default() {
                "conversion" => {
                    let part = ContainerPart { kind: Some(FileKind::Text), ..part };
                    context.nested_part(&part, record.content)?;
                }
                "resource" => context.nested_part(&part, record.content)?,
                "response" if record.is_http() => response(&record, &part, context)?,
                "response" => context.nested_part(&part, record.content)?,
                // Requests, metadata and similar records describe the archive.
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns the path of a URL, for its extension.
fn path(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default()
}

/// Extracts the response of a web server.
fn response(
    record: &Record<'_>,
    part: &ContainerPart<'_>,
    context: &mut ExtractContext<'_>,
) -> Result<(), Error> {
    let (fields, body) = header(record.content);
    let is_chunked = value(&fields, "transfer-encoding")
        .is_some_and(|way| way.to_ascii_lowercase().contains("chunked"));
    let body = if is_chunked { unchunk(body) } else { Cow::Borrowed(body) };
    if body.is_empty() {
        return Ok(());
    }
    context.nested_part(part, &body)
}

type Fields<'a> = Vec<(Cow<'a, str>, String)>;

/// One record.
struct Record<'a> {
    fields: Fields<'a>,
    content: &'a [u8],
    is_cut: bool,
}

impl<'a> Record<'a> {
    /// Takes the next record from `rest`.
    fn next(rest: &mut &'a [u8]) -> Option<Self> {
        let mark = b"WARC/";
        let start = if rest.trim_ascii_start().starts_with(mark) {
            rest.len() - rest.trim_ascii_start().len()
        } else {
            // Corrupt data: continues at the next line that begins a record.
            memchr::memmem::find(rest, b"\nWARC/")? + 1
        };
        let (fields, body) = header(rest.get(start..)?);
        let n_bytes = value(&fields, "content-length").and_then(|length| length.parse().ok());
        let n_bytes: usize = n_bytes.unwrap_or_default();
        let is_cut = n_bytes > body.len();
        let (content, after) = body.split_at(n_bytes.min(body.len()));
        *rest = after;
        Some(Self { fields, content, is_cut })
    }

    fn field(&self, name: &str) -> Option<&str> {
        value(&self.fields, name)
    }

    fn is_http(&self) -> bool {
        self.content.starts_with(b"HTTP/")
    }
}

fn value<'a>(fields: &'a Fields<'_>, name: &str) -> Option<&'a str> {
    fields
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
}

/// Maximum number of fields.
const MAX_FIELDS: usize = 200;

/// Reads the fields up to the first empty line, without the first line; returns them and the rest.
fn header(bytes: &[u8]) -> (Fields<'_>, &[u8]) {
    let mut fields = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        let (line, after) = rest.split_at(end);
        rest = after;
        let line = line.trim_ascii_end();
        if line.is_empty() {
            break;
        }
        if let Some(colon) = memchr::memchr(b':', line)
            && fields.len() < MAX_FIELDS
        {
            let (name, value) = line.split_at(colon);
            let value = value.get(1..).unwrap_or_default().trim_ascii();
            fields
                .push((String::from_utf8_lossy(name), String::from_utf8_lossy(value).into_owned()));
        }
    }
    (fields, rest)
}

/// Joins a body sent in chunks. Invalid chunks are kept unchanged.
fn unchunk(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut joined = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(end) = memchr::memchr(b'\n', rest.get(..100).unwrap_or(rest)) {
        let (line, after) = rest.split_at(end + 1);
        let digits = line.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
        let size = std::str::from_utf8(digits)
            .ok()
            .and_then(|digits| usize::from_str_radix(digits, 16).ok());
        let Some(size) = size else { break };
        if size == 0 {
            return Cow::Owned(joined);
        }
        let (chunk, after) = after.split_at(size.min(after.len()));
        joined.extend_from_slice(chunk);
        rest = after.strip_prefix(b"\r\n").or_else(|| after.strip_prefix(b"\n")).unwrap_or(after);
    }
    if joined.is_empty() { Cow::Borrowed(bytes) } else { Cow::Owned(joined) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_joined() {
        assert_eq!(&*unchunk(b"3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n"), b"abcde");
        assert_eq!(&*unchunk(b"no chunks"), b"no chunks");
        assert_eq!(&*unchunk(b"ffffffff\r\nabc"), b"abc");
    }

    #[test]
    fn records_are_found_after_corrupt_data() {
        let mut rest = &b"junk\nWARC/1.0\r\nContent-Length: 2\r\n\r\nab\r\n\r\nWARC/1.0\r\nContent-Length: 99\r\n\r\nc"[..];
        let first = Record::next(&mut rest).unwrap();
        assert_eq!((first.content, first.is_cut), (&b"ab"[..], false));
        let second = Record::next(&mut rest).unwrap();
        assert_eq!((second.content, second.is_cut), (&b"c"[..], true));
        assert!(Record::next(&mut rest).is_none());
    }
}
