//! MIME messages: header fields, multiparts, and content encodings.
//!
//! In: the bytes of a message or of one of its parts. Out: an [`Entity`] with its fields, parts and
//! content. The extractor of `.eml` files and the mail server use the same code, so that both see
//! the same parts under the same names.
//!
//! mail-parser 0.11.9 is not used: it parses a message in one call that has no limits, and none can be
//! set around it. 100,000 messages attached to one another (3 MB) overflow the stack, which ends the
//! process; 40,000 multiparts whose boundary is absent (2 MB) take 71 seconds, because each is searched
//! for up to the end of the message; a megabyte of empty fields or parts takes 40 MB of memory. Nor is it
//! faster: in turns on a busy machine, 19,997 news articles made into plain messages were read at 840 to
//! 1,380 MB/s here and at 400 to 540 there, 5,000 generated MIME messages at 200 to 220 and at 190.

use std::borrow::Cow;

use crate::{Error, encoding};

/// Maximum header fields.
const MAX_FIELDS: usize = 1000;

/// Maximum length of a field.
const MAX_FIELD_BYTES: usize = 16 << 10;

/// Chooses one of the alternatives: plain text if it is not empty, else HTML, else the last.
fn choose(parts: &mut Vec<Entity<'_>>) {
    let is = |part: &Entity<'_>, media_type: &str| part.media_type() == media_type;
    let has_text = |part: &Entity<'_>| !part.body.trim_ascii().is_empty();
    let plain = parts.iter().position(|part| is(part, "text/plain") && has_text(part));
    let page = parts.iter().position(|part| !is(part, "text/plain") && has_text(part));
    if let Some(chosen) = plain.or(page)
        && chosen < parts.len()
    {
        let only = parts.swap_remove(chosen);
        *parts = vec![only];
    }
}

/// A message or a part of one: header fields and a body.
///
/// ```
/// use textkin_extract::mime::Entity;
///
/// let message = Entity::read(b"Subject: =?utf-8?q?caf=C3=A9?=\r\n\r\nText\r\n");
/// assert_eq!(message.decoded_field("subject").as_deref(), Some("caf\u{e9}"));
/// assert_eq!(message.text()?, "Text\r\n");
/// # Ok::<(), textkin_extract::Error>(())
/// ```
#[derive(Debug)]
pub struct Entity<'a> {
    fields: Vec<(String, String)>,
    body: &'a [u8],
}

/// The parts of a multipart.
#[derive(Debug)]
pub struct Parts<'a> {
    /// Number of parts found.
    pub found: usize,
    /// The parts to use: one of several alternatives, else all.
    pub chosen: Vec<Entity<'a>>,
}

impl<'a> Entity<'a> {
    /// Reads the header fields at the start of `bytes`; never fails. Keeps the first 1,000 fields and
    /// 16 KiB of each.
    pub fn read(bytes: &'a [u8]) -> Self {
        let mut fields: Vec<(String, String)> = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let (line, after) = rest.split_at(end);
            let line = line.trim_ascii_end();
            if line.is_empty() {
                rest = after;
                break;
            }
            let line = line.get(..MAX_FIELD_BYTES).unwrap_or(line);
            let text = encoding::decode(line).unwrap_or_else(|_| String::from_utf8_lossy(line));
            if text.starts_with([' ', '\t']) {
                if let Some((_, value)) = fields.last_mut()
                    && value.len() < MAX_FIELD_BYTES
                {
                    value.push(' ');
                    value.push_str(text.trim_start());
                }
            } else if let Some((name, value)) = text.split_once(':')
                && !name.trim().contains(' ')
            {
                if fields.len() < MAX_FIELDS {
                    fields.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
                }
            } else if !text.starts_with("From ") && !text.starts_with(">From ") {
                // Not a header: the text begins without an empty line.
                break;
            }
            rest = after;
        }
        Self { fields, body: rest }
    }

    /// Returns the first field with this lower-case name, as written.
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns all fields with this lower-case name, from the top.
    pub fn fields_named<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s str> {
        let found = self.fields.iter().filter(move |(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the lower-case names of all fields, from the top.
    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the first field with this lower-case name, with encoded words decoded.
    pub fn decoded_field(&self, name: &str) -> Option<String> {
        self.field(name).map(decode_words)
    }

    /// Returns the media type, lower case and without parameters.
    pub fn media_type(&self) -> String {
        let value = self.field("content-type").unwrap_or("text/plain");
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Returns a parameter of a field, such as the boundary of a multipart.
    pub fn parameter(&self, field: &str, name: &str) -> Option<String> {
        let value = self.field(field)?;
        let mut found = parameters(value).filter(|(key, _)| key.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.to_owned())
    }

    /// Returns the file name of the part, in any of its encodings.
    pub fn name(&self) -> Option<String> {
        let extended = |field, name| extended_parameter(self.field(field)?, name);
        extended("content-disposition", "filename")
            .or_else(|| extended("content-type", "name"))
            .or_else(|| {
                let name = self
                    .parameter("content-disposition", "filename")
                    .or_else(|| self.parameter("content-type", "name"))?;
                Some(decode_words(&name))
            })
    }

    /// Whether the part is an attachment rather than text of the message.
    pub fn is_attachment(&self) -> bool {
        let media_type = self.media_type();
        let is_body = matches!(
            media_type.as_str(),
            "text/plain" | "text/html" | "text/enriched" | "" | "text"
        );
        let disposition = self.field("content-disposition").unwrap_or_default();
        !is_body || disposition.trim_start().to_ascii_lowercase().starts_with("attachment")
    }

    /// Returns the first `max` parts of a multipart; `None` for other types.
    pub fn parts(&self, max: usize) -> Option<Parts<'a>> {
        let media_type = self.media_type();
        if !media_type.starts_with("multipart/") {
            return None;
        }
        let boundary = self.parameter("content-type", "boundary")?;
        let mut chosen: Vec<_> =
            split(self.body, &boundary, max).into_iter().map(Entity::read).collect();
        let found = chosen.len();
        if media_type == "multipart/alternative" {
            choose(&mut chosen);
        }
        Some(Parts { found, chosen })
    }

    /// Decodes the content as text, in the character set that the part declares.
    ///
    /// # Errors
    ///
    /// If the content is not text.
    pub fn text(&self) -> Result<String, Error> {
        let content = self.content();
        let label = self.parameter("content-type", "charset").unwrap_or_default();
        encoding::decode_labelled(&content, &label).map(Cow::into_owned)
    }

    /// Returns the body without its transfer encoding.
    pub fn content(&self) -> Cow<'a, [u8]> {
        let encoding = self.field("content-transfer-encoding").unwrap_or_default();
        match encoding.trim().to_ascii_lowercase().as_str() {
            "base64" => Cow::Owned(base64(self.body)),
            "quoted-printable" => Cow::Owned(quoted_printable(self.body, false)),
            _ => Cow::Borrowed(self.body),
        }
    }
}

/// Returns the first `max` parts between lines of `--boundary`. The line end before a boundary is not
/// part of the content.
fn split<'a>(body: &'a [u8], boundary: &str, max: usize) -> Vec<&'a [u8]> {
    let mark = format!("--{boundary}");
    let mut parts = Vec::new();
    let mut start = None;
    if boundary.is_empty() {
        return vec![body];
    }
    for at in memchr::memmem::find_iter(body, mark.as_bytes()) {
        let is_line = at == 0 || body.get(at - 1) == Some(&b'\n');
        if !is_line {
            continue;
        }
        let after = at + mark.len();
        let rest = body.get(after..).unwrap_or_default();
        if !matches!(rest.first(), None | Some(b'\r' | b'\n' | b'-' | b' ' | b'\t')) {
            continue;
        }
        if let Some(part) = start.and_then(|start| body.get(start..at)) {
            let part = part.strip_suffix(b"\n").unwrap_or(part);
            parts.push(part.strip_suffix(b"\r").unwrap_or(part));
        }
        if rest.starts_with(b"--") || parts.len() >= max {
            return parts;
        }
        start = Some(after + memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1));
    }
    parts.extend(start.and_then(|start| body.get(start..)));
    parts
}

/// Decodes base64 and skips other characters.
fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len() / 4 * 3);
    let (mut bits, mut n_bits) = (0u32, 0u32);
    for &byte in bytes {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => {
                (bits, n_bits) = (0, 0);
                continue;
            }
            _ => continue,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            decoded.push(u8::try_from(bits >> n_bits & 0xff).unwrap_or_default());
        }
    }
    decoded
}

/// Returns the parameter `name` of a field in the syntax of RFC 2231: in numbered parts (`name*0`),
/// with a character set and percent encoding (`name*=utf-8''a%20b`), or both.
fn extended_parameter(field: &str, name: &str) -> Option<String> {
    let (mut bytes, mut charset) = (Vec::new(), String::new());
    let mut n_parts = 0;
    while n_parts < MAX_NAME_PARTS {
        let (whole, numbered) = (format!("{name}*"), format!("{name}*{n_parts}"));
        let part = parameters(field).find(|(key, _)| {
            let bare = key.strip_suffix('*').unwrap_or(key);
            n_parts == 0 && key.eq_ignore_ascii_case(&whole) || bare.eq_ignore_ascii_case(&numbered)
        });
        let Some((key, mut value)) = part else { break };
        if key.ends_with('*') {
            if n_parts == 0
                && let Some((label, rest)) = value.split_once('\'')
            {
                charset = label.to_owned();
                value = rest.split_once('\'').map_or(rest, |(_, text)| text);
            }
            percent_decode(value, &mut bytes);
        } else {
            bytes.extend_from_slice(value.as_bytes());
        }
        n_parts += 1;
        if key.eq_ignore_ascii_case(&whole) {
            break;
        }
    }
    if n_parts == 0 {
        return None;
    }
    let encoding = encoding_rs::Encoding::for_label(charset.as_bytes());
    Some(encoding.unwrap_or(encoding_rs::UTF_8).decode(&bytes).0.into_owned())
}

/// Maximum numbered parts of a name; the rest is cut.
const MAX_NAME_PARTS: usize = 100;

/// Returns the parameters of a field, with values unquoted.
fn parameters(field: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = field.split_once(';').map_or("", |(_, rest)| rest);
    std::iter::from_fn(move || {
        let (key, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_at(after.find(';').unwrap_or(after.len())),
        };
        rest = next;
        Some((key.trim().trim_start_matches(';').trim(), value.trim()))
    })
}

fn percent_decode(text: &str, bytes: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|_| first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
}

/// Decodes quoted-printable text; in header fields `_` is a space.
fn quoted_printable(bytes: &[u8], is_field: bool) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [byte, after @ ..] = rest {
        rest = after;
        match byte {
            b'=' => {
                let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
                if let Some(value) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                    decoded.push(value);
                    rest = after.get(2..).unwrap_or_default();
                } else if let Some(next) =
                    after.strip_prefix(b"\r\n").or_else(|| after.strip_prefix(b"\n"))
                {
                    rest = next;
                } else {
                    decoded.push(b'=');
                }
            }
            b'_' if is_field => decoded.push(b' '),
            byte => decoded.push(*byte),
        }
    }
    decoded
}

/// Decodes the encoded words (`=?utf-8?q?…?=`) of a header field.
fn decode_words(field: &str) -> String {
    let mut text = String::new();
    let mut rest = field;
    let mut after_word = false;
    while let Some((before, after)) = rest.split_once("=?") {
        let mut parts = after.splitn(4, '?');
        let word = (parts.next(), parts.next(), parts.next(), parts.next());
        let (Some(charset), Some(way), Some(content), Some(end)) = word else { break };
        let Some(end) = end.strip_prefix('=') else {
            text.push_str(before);
            text.push_str("=?");
            rest = after;
            continue;
        };
        // White space between two encoded words is ignored.
        if !(after_word && before.trim().is_empty()) {
            text.push_str(before);
        }
        let bytes = if way.eq_ignore_ascii_case("b") {
            base64(content.as_bytes())
        } else {
            quoted_printable(content.as_bytes(), true)
        };
        let charset = charset.split('*').next().unwrap_or_default();
        if let Ok(decoded) = encoding::decode_labelled(&bytes, charset) {
            text.push_str(&decoded);
        }
        rest = end;
        after_word = true;
    }
    text.push_str(rest);
    text
}

/// Converts `Tue, 2 Jan 2024 03:04:05 +0100` to ISO 8601.
pub(crate) fn iso_time(date: &str) -> Option<String> {
    let date = date.split_once(',').map_or(date, |(_, date)| date);
    let mut words = date.split_whitespace();
    let day: u32 = words.next()?.parse().ok()?;
    let months =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let name = words.next()?.get(..3)?.to_ascii_lowercase();
    let month = months.iter().position(|month| *month == name)? + 1;
    let year: u32 = words.next()?.parse().ok()?;
    let year = match year {
        0..=49 => year + 2000,
        50..=999 => year + 1900,
        _ => year,
    };
    let clock = words.next().unwrap_or("00:00:00");
    let mut numbers = clock.split(':').map(|number| number.parse::<u32>().ok());
    let hour = numbers.next()??;
    let minute = numbers.next()??;
    let second = numbers.next().flatten().unwrap_or_default();
    let is_time =
        (1..=31).contains(&day) && year <= 9999 && hour < 24 && minute < 60 && second <= 60;
    let zone = words.next().unwrap_or_default();
    let is_offset = zone.len() == 5 && zone.starts_with(['+', '-']) && zone.is_ascii();
    let zone = match (zone.get(..3), zone.get(3..)) {
        (Some(hours), Some(minutes)) if is_offset => format!("{hours}:{minutes}"),
        _ => "Z".to_owned(),
    };
    is_time
        .then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_are_decoded() {
        assert_eq!(
            decode_words("=?iso-8859-1?q?caf=E9_au?= =?utf-8?B?IGxhaXQ=?= x"),
            "café au lait x"
        );
        assert_eq!(decode_words("a =? b"), "a =? b");
        assert_eq!(
            iso_time("Tue, 2 Jan 2024 03:04:05 +0100").as_deref(),
            Some("2024-01-02T03:04:05+01:00")
        );
        assert_eq!(iso_time("nonsense"), None);
    }

    #[test]
    fn parts_are_limited() {
        let message = b"content-type: multipart/mixed; boundary=b\n\n--b\n--b\n--b\n--b\n";
        assert_eq!(Entity::read(message).parts(9).map(|parts| parts.found), Some(4));
        assert_eq!(Entity::read(message).parts(2).map(|parts| parts.found), Some(2));
        assert!(Entity::read(b"content-type: text/plain\n\n").parts(9).is_none());
    }

    #[test]
    fn contents_are_decoded() {
        assert_eq!(quoted_printable(b"a=\r\nb=3D=C3=A9", false), "ab=é".as_bytes());
        assert_eq!(base64(b"aGVs\r\nbG8="), b"hello");
        assert_eq!(
            split(b"x\r\n--b\r\n1\r\n--bc\r\n--b\r\n2\r\n--b--\r\n3", "b", 9),
            [&b"1\r\n--bc"[..], b"2"]
        );
    }

    proptest! {
        #[test]
        fn every_field_terminates(field in "([=?qBb_a;\" \u{e9}*]|=\\?utf-8\\?q\\?){0,40}") {
            decode_words(&field);
            iso_time(&field);
            let header = format!("content-type: {field}\n\n");
            let entity = Entity::read(header.as_bytes());
            entity.parameter("content-type", "boundary");
            quoted_printable(field.as_bytes(), true);
        }
    }

    #[test]
    fn attachment_names_are_decoded_in_every_syntax() {
        let name = |field: &str| {
            let header = format!("content-disposition: attachment; {field}\n\n");
            Entity::read(header.as_bytes()).name().unwrap_or_default()
        };
        assert_eq!(name("filename=\"a b.txt\""), "a b.txt");
        assert_eq!(name("filename*=utf-8'de'Gr%C3%BC%C3%9Fe.txt; filename=x"), "Grüße.txt");
        assert_eq!(name("filename*=iso-8859-1''Gr%FC%DFe"), "Grüße");
        assert_eq!(name("filename*0=\"one \"; filename*1=\"two\""), "onetwo");
        assert_eq!(name("filename*1*=%C3%9F.md; filename*0*=utf-8''a%"), "a%ß.md");
        assert_eq!(name("filename*7=x; filename=y"), "y");
    }
}
