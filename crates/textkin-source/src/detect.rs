//! Detects records by the beginning of the content, whatever the name of the file.
//!
//! In: a stream or bytes in memory. Out: the format, or the fields of records that have no text.
//!
//! Content that begins with `{` or `[` holds records if more than half of its lines are JSON objects
//! (JSON lines), or if it is an array of objects or several objects one after another (JSON). One
//! object alone, such as a configuration file, is a record only if it has the text field. At most
//! [`MAX_HEAD`] bytes decide.

use crate::json::{self, N_FIELDS, Scratch, Value};
use crate::json_elements::{ElementScanner, Step};
use crate::piece::list;
use crate::stream::Stream;
use crate::{InputFormat, SourceSettings};

/// Bytes that decide at once if they hold a record with text.
const FIRST_HEAD: usize = 16 << 10;

/// Maximum bytes examined.
const MAX_HEAD: usize = 1 << 20;

/// What the content is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Detected {
    /// Records or a text.
    Format(InputFormat),
    /// Records without the text field; the reason for a problem.
    NoText(String),
}

/// Detects the format of a stream and returns it together with the stream, unread. Without a name
/// that says what it is, content that begins with `{` is always records.
pub(crate) fn detect_stream(
    mut stream: Stream,
    is_named: bool,
    settings: &SourceSettings,
) -> (Detected, Stream) {
    let mut head = Vec::new();
    let (mut is_end, mut failure) = (false, None);
    // Only content that may be records is examined at length.
    for size in [4 << 10, FIRST_HEAD, MAX_HEAD] {
        while head.len() < size && !is_end {
            match stream.read_block(size - head.len(), &mut head) {
                Ok(n) => is_end = n == 0,
                // The error is reported where it is met again.
                Err(error) => {
                    is_end = true;
                    failure = Some(error);
                }
            }
        }
        let detected = examine(&head, is_end || head.len() >= MAX_HEAD, is_end, settings);
        if let Some(detected) = detected {
            let detected = match detected {
                Detected::Format(InputFormat::Text) if !is_named && first(&head) == Some(b'{') => {
                    Detected::Format(InputFormat::Jsonl)
                }
                Detected::Format(_) | Detected::NoText(_) => detected,
            };
            let stream = match failure {
                Some(error) => stream.unread_before(head, error),
                None => stream.unread(head),
            };
            return (detected, stream);
        }
    }
    (Detected::Format(InputFormat::Text), stream.unread(head))
}

/// Detects how the objects of a file of JSON lines are really arranged: an array or objects over several
/// lines are JSON, everything else is lines.
pub(crate) fn detect_layout(stream: Stream, settings: &SourceSettings) -> (InputFormat, Stream) {
    let (detected, stream) = detect_stream(stream, true, settings);
    match detected {
        Detected::Format(InputFormat::Json) => (InputFormat::Json, stream),
        Detected::Format(_) | Detected::NoText(_) => (InputFormat::Jsonl, stream),
    }
}

/// Detects the format of a whole file in memory, as [`detect_stream`] does.
pub(crate) fn detect_bytes(bytes: &[u8], settings: &SourceSettings) -> Detected {
    for size in [4 << 10, FIRST_HEAD, MAX_HEAD] {
        let head = &bytes[..bytes.len().min(size)];
        let is_end = head.len() == bytes.len();
        if let Some(detected) = examine(head, is_end || size == MAX_HEAD, is_end, settings) {
            return detected;
        }
    }
    Detected::Format(InputFormat::Text)
}

/// Returns the first byte that is neither blank nor part of a byte order mark.
fn first(head: &[u8]) -> Option<u8> {
    without_mark(head).iter().copied().find(|byte| !byte.is_ascii_whitespace())
}

fn without_mark(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head)
}

/// Examines the beginning of the content; `None` if more of it may change the answer. `is_last` if
/// nothing more will come, `is_end` if the content ends here.
fn examine(
    head: &[u8],
    is_last: bool,
    is_end: bool,
    settings: &SourceSettings,
) -> Option<Detected> {
    let content = without_mark(head);
    let text = Some(Detected::Format(InputFormat::Text));
    match first(content) {
        Some(b'{' | b'[') => {}
        Some(_) if content.starts_with(b"PAR1") => {
            return Some(Detected::Format(InputFormat::Parquet));
        }
        None if !is_last => return None,
        Some(_) | None => return text,
    }
    // The last bytes may be half a character.
    let content = match std::str::from_utf8(content) {
        Ok(content) => content,
        Err(error) if error.valid_up_to() + 4 > content.len() && !is_end => {
            std::str::from_utf8(&content[..error.valid_up_to()]).ok()?
        }
        Err(_) if !is_last => return None,
        Err(error) => std::str::from_utf8(&content[..error.valid_up_to()]).ok()?,
    };
    let samples = samples(content, is_last, is_end);
    let has_text = samples.n_with_text(settings) > 0;
    let Some(format) = samples.format else { return if is_last { text } else { None } };
    if has_text {
        return Some(Detected::Format(format));
    }
    if !is_last {
        return None;
    }
    if samples.records.len() < 2 && !samples.is_array {
        return text;
    }
    let fields = samples.records.first().map(|record| json::names(record)).unwrap_or_default();
    Some(Detected::NoText(no_text(&settings.text_field, &fields)))
}

/// Describes records without text.
fn no_text(field: &str, fields: &[String]) -> String {
    format!(
        "JSON records without a field '{field}'; fields: {}; choose one with --text-field, or read \
         the file as one text with --input-format text",
        list(fields)
    )
}

/// Records at the beginning of the content.
struct Samples<'t> {
    /// `None` if there are none.
    format: Option<InputFormat>,
    is_array: bool,
    records: Vec<&'t str>,
}

impl Samples<'_> {
    /// Returns how many records have the text field.
    fn n_with_text(&self, settings: &SourceSettings) -> usize {
        let mut scratch = Scratch::default();
        let mut names = [None; N_FIELDS];
        names[0] = Some(settings.text_field.as_str());
        let has_text = |record: &&&str| {
            let values = json::fields(record, names, &mut scratch);
            let is_text = |values: [Value<'_>; N_FIELDS]| {
                matches!(values[0], Value::Plain(_) | Value::Unescaped)
            };
            match values {
                Ok(values) => is_text(values),
                // A record that is longer than what was examined.
                Err(_) => has_name(record, &settings.text_field),
            }
        };
        self.records.iter().filter(has_text).count()
    }
}

/// Whether one of the outermost fields of an incomplete record is the beginning of `field`.
fn has_name(record: &str, field: &str) -> bool {
    let outer = field.split('.').next().unwrap_or(field);
    json::names(record).iter().any(|name| name == field || name == outer)
}

/// Finds records in content that begins with a bracket.
fn samples(content: &str, is_last: bool, is_end: bool) -> Samples<'_> {
    if content.trim_start().starts_with('{')
        && let Some(records) = line_samples(content, is_end)
    {
        return Samples { format: Some(InputFormat::Jsonl), is_array: false, records };
    }
    let mut scanner = ElementScanner::new();
    let mut records: Vec<&str> = Vec::new();
    // Whether a record has several lines, or a line several records.
    let (mut is_spread, mut end) = (false, None);
    loop {
        match scanner.next(content.as_bytes()) {
            Step::Element(range) if is_object(&content[range.clone()]) => {
                let is_same_line = |end: usize| !content[end..range.start].contains('\n');
                is_spread |= content[range.clone()].contains('\n') || end.is_some_and(is_same_line);
                end = Some(range.end);
                records.push(&content[range]);
            }
            Step::More if records.is_empty() && is_last && !is_end => {
                // One record that is longer than what was examined.
                let start = scanner.open_value().unwrap_or(content.len());
                let record = &content[start..];
                if !json::names(record).is_empty() {
                    is_spread |= record.contains('\n');
                    records.push(record);
                }
                break;
            }
            Step::Element(_) if records.is_empty() => break,
            Step::Element(_) => {}
            Step::More | Step::Broken { .. } => break,
        }
    }
    let is_array = scanner.is_array();
    let format = match records.as_slice() {
        [] => None,
        _ if is_array || is_spread => Some(InputFormat::Json),
        _ => Some(InputFormat::Jsonl),
    };
    Samples { format, is_array, records }
}

/// Returns the lines that are objects, if they are more than half of the complete lines.
fn line_samples(content: &str, is_end: bool) -> Option<Vec<&str>> {
    let complete = match content.rfind('\n') {
        _ if is_end => content,
        Some(end) => &content[..end],
        None => return None,
    };
    let lines: Vec<&str> =
        complete.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let objects: Vec<&str> = lines.iter().copied().filter(|line| is_object(line)).collect();
    (objects.len() * 2 > lines.len()).then_some(objects)
}

/// Whether a value is a valid object.
fn is_object(value: &str) -> bool {
    value.starts_with('{') && json::fields(value, [None; N_FIELDS], &mut Scratch::default()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(content: &str) -> Detected {
        let settings = SourceSettings::default();
        let in_memory = detect_bytes(content.as_bytes(), &settings);
        let stream = Stream::new(std::io::Cursor::new(content.as_bytes().to_vec())).unwrap();
        let (streamed, mut rest) = detect_stream(stream, true, &settings);
        assert_eq!(in_memory, streamed, "{content}");
        let mut bytes = Vec::new();
        rest.read_whole(u64::MAX, &mut bytes).unwrap();
        assert_eq!(bytes, content.as_bytes());
        streamed
    }

    fn format(content: &str) -> Option<InputFormat> {
        match detect(content) {
            Detected::Format(format) => Some(format),
            Detected::NoText(_) => None,
        }
    }

    #[test]
    fn records_are_recognized_by_content() {
        let (lines, json) = (Some(InputFormat::Jsonl), Some(InputFormat::Json));
        assert_eq!(format("{\"text\":\"a\"}\n{\"text\":\"b\"}\n"), lines);
        assert_eq!(format("\u{feff}\n {\"id\":1,\"text\":\"a\"}"), lines);
        assert_eq!(format("{\"text\":\"a\"}\n{\"text\": broken\n{\"text\":\"b\"}\n"), lines);
        assert_eq!(format("[{\"text\":\"a\"},{\"text\":\"b\"}]"), json);
        assert_eq!(format("[\n  {\n    \"text\": \"a\"\n  }\n]\n"), json);
        assert_eq!(format("{\"text\":\"a\"}{\"text\":\"b\"}"), json);
        assert_eq!(format("{\n\"text\":\"a\"\n}\n{\n\"text\":\"b\"\n}"), json);
        assert_eq!(format("{\n\"text\":\"a\"\n}\n"), json);
        assert_eq!(format("{\"text\":\"a\"}\nnot a record\n"), lines);
    }

    #[test]
    fn other_content_is_text() {
        for content in [
            "",
            " \n",
            "words",
            "[1] A footnote. {\"text\":1}",
            "[link](there)",
            "[]",
            "[1,2,{\"text\":\"a\"}]",
            "{\"name\":\"package\",\"version\":\"1.0\"}\n",
            "{\n  \"name\": \"package\"\n}\n",
            "{ int main() { return 0; } }\n{ }\n",
            "{\"text\":",
            "{curly}\nwords\n",
        ] {
            assert_eq!(format(content), Some(InputFormat::Text), "{content}");
        }
    }

    #[test]
    fn records_without_text_name_their_fields() {
        let expected = "JSON records without a field 'text'; fields: id, body; choose one with \
                        --text-field, or read the file as one text with --input-format text";
        for content in [
            "{\"id\":1,\"body\":\"a\"}\n{\"id\":2,\"body\":\"b\"}\n",
            "[{\"id\":1,\"body\":\"a\"}]",
            "{\"id\":1,\"body\":5}{\"id\":2,\"text\":6}",
        ] {
            assert_eq!(detect(content), Detected::NoText(expected.to_owned()), "{content}");
        }
    }

    #[test]
    fn long_records_are_recognized_before_their_end() {
        let long = "ü".repeat(MAX_HEAD);
        assert_eq!(format(&format!("{{\"text\":\"{long}\"}}")), Some(InputFormat::Jsonl));
        assert_eq!(format(&format!("[{{\"text\":\"{long}\"}}]")), Some(InputFormat::Json));
        assert_eq!(format(&format!("{{\n\"text\":\"{long}\"}}")), Some(InputFormat::Json));
        assert_eq!(format(&format!("{{\"body\":\"{long}\"}}")), Some(InputFormat::Text));
        assert_eq!(format(&format!("{{ {long} }}")), Some(InputFormat::Text));
        let later = format!("{{\"body\":\"{}\"}}\n{{\"text\":\"a\"}}\n", "b".repeat(20_000));
        assert_eq!(format(&later), Some(InputFormat::Jsonl));
    }
}
