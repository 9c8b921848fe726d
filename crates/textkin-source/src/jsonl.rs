//! JSON lines: each line is an object, each object a document.
//!
//! In: a stream. Out: pieces of whole lines, split at line ends in the caller's thread and parsed
//! when they are read. A line that is not a valid object or has no text is a problem named
//! `FILE:LINE`.

use std::ops::ControlFlow;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memrchr};
use textkin_core::{DocumentSink, Piece};

use crate::SourceSettings;
use crate::json::{self, JsonError, N_FIELDS, Scratch, Value};
use crate::piece::{Cutter, LARGE, OpenInput, Record, RecordEmitter, list, report, too_long};

/// Splits a stream at line ends.
pub(crate) struct JsonlCutter {
    opened: OpenInput,
    /// Bytes read but not yet returned.
    carry: Vec<u8>,
    /// Bytes at the start of `carry` that contain no line end.
    searched: usize,
    /// Number of the line at the start of `carry`.
    line: u64,
    state: State,
    /// Whether the stream has ended.
    is_ended: bool,
    /// Why it ended early; reported last.
    error: Option<String>,
}

enum State {
    Reading,
    /// Inside a line that is too long.
    Skipping,
    Done,
}

impl JsonlCutter {
    pub(crate) fn new(opened: OpenInput) -> Self {
        Self {
            opened,
            carry: Vec::new(),
            searched: 0,
            line: 1,
            state: State::Reading,
            is_ended: false,
            error: None,
        }
    }

    /// Appends the next bytes of the stream, if any, to `block`.
    fn fill(&mut self, block: &mut Vec<u8>) {
        if self.is_ended {
            return;
        }
        let OpenInput { settings, stream, .. } = &mut self.opened;
        match stream.read_block(settings.piece_bytes.max(1), block) {
            Ok(n) => self.is_ended = n == 0,
            Err(error) => {
                self.is_ended = true;
                self.error = Some(stream.explain(&error));
            }
        }
    }

    /// Reads until there are whole lines.
    fn read(&mut self) -> Option<Box<dyn Piece>> {
        let mut block = std::mem::take(&mut self.carry);
        self.fill(&mut block);
        let limit = self.opened.settings.max_document_bytes;
        // The extra byte may be the carriage return of the line end.
        let is_too_long = |line: &[u8]| line.len() as u64 > limit.saturating_add(1);
        if block.len() >= LARGE
            && let Some(end) = memchr(b'\n', &block[self.searched..])
            && self.searched + end >= LARGE
        {
            // A large line is a separate piece, so that its memory can be freed separately.
            self.carry = block.split_off(self.searched + end + 1);
            self.searched = 0;
            return self.piece(block);
        }
        let end = memrchr(b'\n', &block[self.searched..]).map(|end| self.searched + end + 1);
        if self.is_ended {
            self.state = State::Done;
            let whole = end.unwrap_or(0);
            // A truncated line is dropped and the error reported instead, unless it is too long:
            // that is reported for any block size.
            if self.error.is_some() && !is_too_long(&block[whole..]) {
                block.truncate(whole);
            }
            return self.piece(block);
        }
        match end {
            Some(end) => {
                self.carry = block.split_off(end);
                self.searched = self.carry.len();
                self.piece(block)
            }
            None if is_too_long(&block) => {
                self.state = State::Skipping;
                Some(report(&self.opened.name, Some(self.line), too_long(&self.opened.settings)))
            }
            None => {
                self.searched = block.len();
                self.carry = block;
                None
            }
        }
    }

    /// Drops bytes up to the end of the line.
    fn skip(&mut self) {
        let mut block = std::mem::take(&mut self.carry);
        block.clear();
        self.fill(&mut block);
        if let Some(end) = memchr(b'\n', &block) {
            block.drain(..=end);
            self.searched = 0;
            self.line += 1;
            self.state = State::Reading;
        } else if self.is_ended {
            self.state = State::Done;
        }
        self.carry = block;
    }

    fn piece(&mut self, block: Vec<u8>) -> Option<Box<dyn Piece>> {
        if block.is_empty() {
            return None;
        }
        let first_line = self.line;
        self.line += memchr_iter(b'\n', &block).count() as u64;
        Some(Box::new(JsonlPiece {
            settings: Arc::clone(&self.opened.settings),
            name: Arc::clone(&self.opened.name),
            first_line,
            block,
            bytes: self.opened.stream.take_count(),
        }))
    }
}

impl Cutter for JsonlCutter {
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        loop {
            let piece = match self.state {
                State::Reading => self.read(),
                State::Skipping => {
                    self.skip();
                    None
                }
                State::Done => {
                    let reason = self.error.take()?;
                    Some(report(&self.opened.name, Some(self.line), reason))
                }
            };
            if piece.is_some() {
                return piece;
            }
        }
    }
}

/// Whole lines of one input.
struct JsonlPiece {
    settings: Arc<SourceSettings>,
    name: Arc<str>,
    first_line: u64,
    block: Vec<u8>,
    bytes: u64,
}

impl Piece for JsonlPiece {
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        let mut reader = LineReader {
            settings: &self.settings,
            emitter: RecordEmitter::new(&self.name, sink),
            scratch: Scratch::default(),
        };
        let is_one_line = |block: &[u8]| memchr(b'\n', block).is_none_or(|n| n + 1 == block.len());
        if self.block.len() >= LARGE && is_one_line(&self.block) {
            // This is the last call, so the flow does not matter.
            let _ = reader.large_line(self.first_line, self.block);
            return;
        }
        // Validates all lines at once; only an invalid block is validated line by line.
        let text = simdutf8::basic::from_utf8(&self.block).ok();
        let limit = self.settings.max_document_bytes;
        let mut start = 0;
        let mut line = self.first_line;
        while start < self.block.len() {
            let end = memchr(b'\n', &self.block[start..]).map_or(self.block.len(), |n| start + n);
            let end_of_text = if self.block[..end].ends_with(b"\r") { end - 1 } else { end };
            let span = start..end_of_text.max(start);
            let flow = match text {
                _ if span.len() as u64 > limit => {
                    reader.emitter.problem(line, too_long(&self.settings))
                }
                Some(text) => reader.line(line, &text[span]),
                None => reader.bytes(line, &self.block[span]),
            };
            if flow.is_break() {
                return;
            }
            start = end + 1;
            line += 1;
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Parses a line and emits its document.
pub(crate) struct LineReader<'a> {
    pub(crate) settings: &'a SourceSettings,
    pub(crate) emitter: RecordEmitter<'a>,
    pub(crate) scratch: Scratch,
}

impl LineReader<'_> {
    /// Parses a line or record and emits its document.
    pub(crate) fn bytes(&mut self, number: u64, line: &[u8]) -> ControlFlow<()> {
        match simdutf8::compat::from_utf8(line) {
            Ok(line) => self.line(number, line),
            Err(error) => {
                let column = error.valid_up_to() + 1;
                self.emitter.problem(number, format!("invalid UTF-8 at column {column}"))
            }
        }
    }

    fn line(&mut self, number: u64, line: &str) -> ControlFlow<()> {
        let [text, id, time] = match self.fields(line) {
            Ok(Some(values)) => values,
            Ok(None) => return ControlFlow::Continue(()),
            Err(reason) => return self.emitter.problem(number, reason),
        };
        let [text_scratch, id_scratch, time_scratch] = &self.scratch.strings;
        let text = match text {
            Value::Plain(text) => text,
            _ => text_scratch,
        };
        let (id, time) = (id_of(id, id_scratch), time_of(time, time_scratch));
        let metadata =
            self.settings.keeps_metadata.then(|| json::other_fields(line, names(self.settings)));
        let metadata = metadata.flatten();
        self.emitter.record(number, Record { text: text.into(), id, time, metadata })
    }

    /// The same for a large line, which passes on its memory.
    pub(crate) fn large_line(&mut self, number: u64, line: Vec<u8>) -> ControlFlow<()> {
        let mut line = match String::from_utf8(line) {
            Ok(line) => line,
            Err(error) => {
                let column = error.utf8_error().valid_up_to() + 1;
                return self.emitter.problem(number, format!("invalid UTF-8 at column {column}"));
            }
        };
        let length = line.strip_suffix('\n').unwrap_or(&line).len();
        line.truncate(length);
        let [text, id, time] = match self.fields(&line) {
            Ok(Some(values)) => values,
            Ok(None) => return ControlFlow::Continue(()),
            Err(reason) => return self.emitter.problem(number, reason),
        };
        let [_, id_scratch, time_scratch] = &self.scratch.strings;
        let id = id_of(id, id_scratch).map(str::to_owned);
        let time = time_of(time, time_scratch).map(str::to_owned);
        let metadata =
            self.settings.keeps_metadata.then(|| json::other_fields(&line, names(self.settings)));
        let metadata = metadata.flatten();
        let text = match text {
            Value::Plain(text) => {
                let start = text.as_ptr().addr() - line.as_ptr().addr();
                let end = start + text.len();
                line.truncate(end);
                line.drain(..start);
                line
            }
            _ => {
                drop(line);
                std::mem::take(&mut self.scratch.strings[0])
            }
        };
        let (id, time) = (id.as_deref(), time.as_deref());
        let record = Record { text: text.into(), id, time, metadata };
        self.emitter.record(number, record)
    }

    /// Returns the requested values of a line, text first (a string); `None` for a blank line.
    fn fields<'l>(&mut self, line: &'l str) -> Result<Option<[Value<'l>; N_FIELDS]>, String> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.len() as u64 > self.settings.max_document_bytes {
            return Err(too_long(self.settings));
        }
        if line.bytes().all(|byte| byte.is_ascii_whitespace()) {
            return Ok(None);
        }
        let names = names(self.settings);
        let values = json::fields(line, names.map(Some), &mut self.scratch)
            .map_err(|error| describe(&error, line))?;
        match values[0] {
            Value::Plain(_) | Value::Unescaped => Ok(Some(values)),
            value => Err(no_text(names[0], value, line)),
        }
    }
}

/// The names of the requested fields.
fn names(settings: &SourceSettings) -> [&str; N_FIELDS] {
    [settings.text_field.as_str(), settings.id_name(), settings.time_name()]
}

fn id_of<'v>(value: Value<'v>, scratch: &'v str) -> Option<&'v str> {
    match value {
        Value::Plain(id) | Value::Number(id) | Value::Other(id) => Some(id),
        Value::Unescaped => Some(scratch),
        Value::Missing | Value::Null => None,
    }
}

fn time_of<'v>(value: Value<'v>, scratch: &'v str) -> Option<&'v str> {
    match value {
        Value::Plain(time) | Value::Number(time) => Some(time),
        Value::Unescaped => Some(scratch),
        Value::Missing | Value::Null | Value::Other(_) => None,
    }
}

/// Describes an error in a record, which has several lines in an array of objects.
fn describe(error: &JsonError, record: &str) -> String {
    let before = &record.as_bytes()[..error.at];
    let column = error.at - memrchr(b'\n', before).map_or(0, |end| end + 1) + 1;
    let reason = error.reason;
    match memchr_iter(b'\n', before).count() {
        0 => format!("invalid JSON at column {column}: {reason}"),
        n => format!("invalid JSON in line {} of the record, column {column}: {reason}", n + 1),
    }
}

/// Describes why a valid line has no text.
fn no_text(name: &str, value: Value<'_>, line: &str) -> String {
    let kind = match value {
        Value::Number(_) => "a number",
        Value::Null => "null",
        Value::Other(raw) if raw.starts_with('[') => "an array",
        Value::Other(raw) if raw.starts_with('{') => "an object",
        Value::Other(_) => "a boolean",
        Value::Missing | Value::Plain(_) | Value::Unescaped => {
            return format!(
                "no field '{name}'; fields here: {}; choose one with --text-field",
                list(&json::names(line))
            );
        }
    };
    format!("field '{name}' is not a string but {kind}")
}
