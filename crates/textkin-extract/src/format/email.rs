//! E-mail messages: the body is a document, attachments are parts.
//!
//! Header fields, multiparts and encodings of content are read here. Multiparts are a list of
//! work, not calls within calls. Of alternatives, plain text goes before a web page.

use std::borrow::Cow;

use crate::context::Part;
use crate::{Context, Error, Extracted, Extractor, Kind, Note, encoding};

/// Multiparts within one another: each is searched for the boundaries of the next.
const MAX_MULTIPARTS: usize = 32;

/// Header fields that are read.
const MAX_FIELDS: usize = 1000;

/// A field is not longer.
const MAX_FIELD_BYTES: usize = 16 << 10;

/// Reads messages.
pub(crate) struct Email;

impl Extractor for Email {
    fn kind(&self) -> Kind {
        Kind::Email
    }

    fn extract(&self, bytes: &[u8], context: &mut Context<'_>) -> Result<(), Error> {
        let message = Entity::read(bytes);
        let title = message.field("subject").map(|subject| decode_words(&subject));
        let time = message.field("date").and_then(|date| iso_time(&date));
        let mut body = Body { text: String::new(), notes: Vec::new(), attachments: Vec::new() };
        body.read(message, context)?;
        let Body { text, notes, attachments } = body;
        context.document(Extracted {
            text,
            title,
            time: time.clone(),
            notes,
            ..Extracted::default()
        })?;
        for (number, attachment) in attachments.iter().enumerate() {
            let name = attachment.name().unwrap_or_default();
            let label = if name.is_empty() { format!("part {}", number + 1) } else { name.clone() };
            let content = attachment.content();
            let is_message = attachment.media_type() == "message/rfc822";
            let part = Part {
                label: &label,
                name: Some(&name),
                kind: is_message.then_some(Kind::Email),
                time: time.as_deref(),
            };
            context.nested_part(&part, &content)?;
        }
        Ok(())
    }
}

/// What the parts of a message give.
struct Body<'a> {
    text: String,
    notes: Vec<Note>,
    attachments: Vec<Entity<'a>>,
}

impl<'a> Body<'a> {
    fn read(&mut self, message: Entity<'a>, context: &mut Context<'_>) -> Result<(), Error> {
        let mut work = vec![(message, 0usize)];
        while let Some((entity, depth)) = work.pop() {
            context.check_time()?;
            let media_type = entity.media_type();
            let boundary = entity.parameter("content-type", "boundary");
            if let (true, Some(boundary)) = (media_type.starts_with("multipart/"), boundary) {
                if depth >= MAX_MULTIPARTS {
                    let reason =
                        format!("more than {MAX_MULTIPARTS} multiparts within one another");
                    self.notes.push(Note::Incomplete { reason });
                    continue;
                }
                let mut parts = Vec::new();
                for part in split(entity.body, &boundary) {
                    context.take_entry()?;
                    parts.push(Entity::read(part));
                }
                if media_type == "multipart/alternative" {
                    choose(&mut parts);
                }
                work.extend(parts.into_iter().rev().map(|part| (part, depth + 1)));
            } else if entity.is_attachment() {
                self.attachments.push(entity);
            } else {
                self.text(&entity, &media_type, context)?;
            }
        }
        Ok(())
    }

    fn text(
        &mut self,
        entity: &Entity<'_>,
        media_type: &str,
        context: &Context<'_>,
    ) -> Result<(), Error> {
        let content = entity.content();
        let label = entity.parameter("content-type", "charset").unwrap_or_default();
        let text = match encoding::decode_labelled(&content, &label) {
            Ok(text) => text,
            Err(error) => {
                self.notes.push(Note::Incomplete { reason: error.to_string() });
                return Ok(());
            }
        };
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        if media_type == "text/html" {
            let page = super::html::read(&text, context.writer(), context.options().keep_hidden)?;
            self.text.push_str(&page.text);
            self.notes.extend(page.notes);
        } else {
            self.text.push_str(text.trim_end());
        }
        if self.text.len() > context.text_left() {
            return Err(Error::TooMuchText { limit: context.limits().max_text_bytes });
        }
        Ok(())
    }
}

/// Of alternatives, keeps the plain text if it says something, else the page, else the last.
fn choose(parts: &mut Vec<Entity<'_>>) {
    let is = |part: &Entity<'_>, media_type: &str| part.media_type() == media_type;
    let has_text = |part: &Entity<'_>| !part.body.trim_ascii().is_empty();
    let plain = parts.iter().position(|part| is(part, "text/plain") && has_text(part));
    let page = parts.iter().position(|part| !is(part, "text/plain") && has_text(part));
    if let Some(chosen) = plain.or(page)
        && chosen < parts.len()
    {
        let kept = parts.swap_remove(chosen);
        *parts = vec![kept];
    }
}

/// Header fields and what follows them.
struct Entity<'a> {
    fields: Vec<(String, String)>,
    body: &'a [u8],
}

impl<'a> Entity<'a> {
    fn read(bytes: &'a [u8]) -> Self {
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
                // No header: the text began without an empty line.
                break;
            }
            rest = after;
        }
        Self { fields, body: rest }
    }

    fn field(&self, name: &str) -> Option<Cow<'_, str>> {
        let found = self.fields.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| Cow::Borrowed(value.as_str()))
    }

    /// The type of the content, lower case and without parameters.
    fn media_type(&self) -> String {
        let value = self.field("content-type").unwrap_or(Cow::Borrowed("text/plain"));
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// A parameter of a field, such as the boundary of a multipart.
    fn parameter(&self, field: &str, name: &str) -> Option<String> {
        let value = self.field(field)?;
        let mut found = parameters(&value).filter(|(key, _)| key.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.to_owned())
    }

    fn name(&self) -> Option<String> {
        let extended = |field, name| extended_parameter(&self.field(field)?, name);
        extended("content-disposition", "filename")
            .or_else(|| extended("content-type", "name"))
            .or_else(|| {
                let name = self
                    .parameter("content-disposition", "filename")
                    .or_else(|| self.parameter("content-type", "name"))?;
                Some(decode_words(&name))
            })
    }

    fn is_attachment(&self) -> bool {
        let media_type = self.media_type();
        let is_body = matches!(
            media_type.as_str(),
            "text/plain" | "text/html" | "text/enriched" | "" | "text"
        );
        let disposition = self.field("content-disposition").unwrap_or_default();
        !is_body || disposition.trim_start().to_ascii_lowercase().starts_with("attachment")
    }

    /// The body without its encoding for transport.
    fn content(&self) -> Cow<'a, [u8]> {
        let encoding = self.field("content-transfer-encoding").unwrap_or_default();
        match encoding.trim().to_ascii_lowercase().as_str() {
            "base64" => Cow::Owned(base64(self.body)),
            "quoted-printable" => Cow::Owned(quoted_printable(self.body, false)),
            _ => Cow::Borrowed(self.body),
        }
    }
}

/// The parts between lines of `--boundary`.
fn split<'a>(body: &'a [u8], boundary: &str) -> Vec<&'a [u8]> {
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
        if let Some(start) = start {
            parts.extend(body.get(start..at));
        }
        if rest.starts_with(b"--") {
            return parts;
        }
        start = Some(after + memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1));
    }
    parts.extend(start.and_then(|start| body.get(start..)));
    parts
}

/// Decodes base64; other characters are skipped.
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

/// The parameter `name` of a field where it is written in the way of RFC 2231: in numbered parts
/// (`name*0`), with a character set and percent signs (`name*=utf-8''a%20b`), or both.
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

/// A name in more parts than this is cut.
const MAX_NAME_PARTS: usize = 100;

/// The parameters of a field, without the quotation marks around values.
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

/// A header field with its encoded words (`=?utf-8?q?…?=`) as text.
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
        // White space between two encoded words is none.
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

/// `Tue, 2 Jan 2024 03:04:05 +0100` as ISO 8601.
fn iso_time(date: &str) -> Option<String> {
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
    fn contents_are_decoded() {
        assert_eq!(quoted_printable(b"a=\r\nb=3D=C3=A9", false), "ab=é".as_bytes());
        assert_eq!(base64(b"aGVs\r\nbG8="), b"hello");
        assert_eq!(
            split(b"x\r\n--b\r\n1\r\n--bc\r\n--b\r\n2\r\n--b--\r\n3", "b"),
            [&b"1\r\n--bc\r\n"[..], b"2\r\n"]
        );
    }

    proptest! {
        #[test]
        fn every_field_ends(field in "([=?qBb_a;\" \u{e9}*]|=\\?utf-8\\?q\\?){0,40}") {
            decode_words(&field);
            iso_time(&field);
            let header = format!("content-type: {field}\n\n");
            let entity = Entity::read(header.as_bytes());
            entity.parameter("content-type", "boundary");
            quoted_printable(field.as_bytes(), true);
        }
    }

    #[test]
    fn names_of_attachments_are_read_in_every_way_of_writing() {
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
