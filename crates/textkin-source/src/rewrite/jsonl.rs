//! Rewrites JSON lines: keeps or removes lines, replaces texts, adds two fields; no other byte changes.

use std::io::{self, Write};
use std::mem::take;

use memchr::memchr;

use super::{
    DUPLICATE_OF, EditDecision, EditorSink, FormatOutcome, RewriteError, RewriteOutcome, SCORE,
    field_exists, truncated,
};
use crate::json::{self, Scratch, Value};
use crate::jsonl::LineReader;
use crate::piece::{OpenInput, RecordEmitter};

/// Decompressed bytes read at once.
const BLOCK: usize = 1 << 20;

pub(super) fn rewrite(
    mut opened: OpenInput,
    capture: &mut EditorSink<'_>,
    out: &mut (dyn Write + Send),
) -> Result<FormatOutcome, RewriteError> {
    let mut block = Vec::new();
    let is_readable = opened.stream.read_block(3, &mut block).is_ok();
    if !is_readable || matches!(block.as_slice(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return Ok(FormatOutcome::NoRecords);
    }
    let mut out = opened.stream.compression().encoder(out)?;
    if block == b"\xef\xbb\xbf" {
        out.write_all(&take(&mut block))?;
    }
    let mut lines = RecordWriter::new(&opened.settings, &opened.name);
    let limit = opened.settings.max_document_bytes.saturating_add(1);
    // Inside a line that is too long to be a document.
    let mut is_copying = false;
    let mut is_ended = false;
    let mut failure = None;
    while !is_ended {
        let searched = block.len();
        match opened.stream.read_block(BLOCK, &mut block) {
            Ok(n) => is_ended = n == 0,
            Err(error) => {
                is_ended = true;
                failure = Some(opened.stream.explain(&error));
            }
        }
        let mut start = 0;
        let mut from = if is_copying { 0 } else { searched };
        while let Some(n) = memchr(b'\n', &block[from..]) {
            let line = &block[start..=from + n];
            start = from + n + 1;
            from = start;
            if std::mem::replace(&mut is_copying, false) {
                out.write_all(line)?;
                lines.number += 1;
            } else {
                lines.write(b"", line, capture, &mut out)?;
            }
            if capture.is_stopped {
                return Ok(FormatOutcome::Done(RewriteOutcome::Stopped));
            }
        }
        block.drain(..start);
        if failure.is_some() && !is_copying {
            // A line truncated by corrupt data was not a document in the first pass.
            block.clear();
        }
        if is_ended && !is_copying && !block.is_empty() {
            lines.write(b"", &take(&mut block), capture, &mut out)?;
            if capture.is_stopped {
                return Ok(FormatOutcome::Done(RewriteOutcome::Stopped));
            }
        }
        is_copying |= block.len() as u64 > limit;
        if is_copying || is_ended {
            out.write_all(&block)?;
            block.clear();
        }
    }
    out.finish()?;
    Ok(match failure {
        Some(reason) => truncated(lines.number - 1, "line", &reason),
        None => FormatOutcome::Done(RewriteOutcome::Written),
    })
}

/// Writes records according to the decisions of an editor.
pub(super) struct RecordWriter<'a> {
    settings: &'a crate::SourceSettings,
    name: &'a str,
    /// Number of the next record.
    pub(super) number: u64,
    scratch: Scratch,
}

impl<'a> RecordWriter<'a> {
    pub(super) fn new(settings: &'a crate::SourceSettings, name: &'a str) -> Self {
        Self { settings, name, number: 1, scratch: Scratch::default() }
    }

    /// Writes `separator` and a record, which may end with a line end, unless it is removed; returns
    /// whether it was written.
    pub(super) fn write(
        &mut self,
        separator: &[u8],
        line: &[u8],
        capture: &mut EditorSink<'_>,
        out: &mut dyn Write,
    ) -> Result<bool, RewriteError> {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        if content.len() as u64 <= self.settings.max_document_bytes {
            let mut reader = LineReader {
                settings: self.settings,
                emitter: RecordEmitter::new(self.name, capture),
                scratch: take(&mut self.scratch),
            };
            // `capture` knows whether the pass continues.
            let _ = reader.bytes(self.number, content);
            self.scratch = reader.scratch;
        }
        self.number += 1;
        let decision = capture.take();
        if decision == Some(EditDecision::Drop) {
            return Ok(false);
        }
        out.write_all(separator)?;
        match decision {
            None | Some(EditDecision::Keep | EditDecision::Drop | EditDecision::Stop) => {
                out.write_all(line)?;
            }
            Some(EditDecision::Replace(text)) => {
                let span = self.scratch.spans[0].clone();
                out.write_all(&line[..span.start])?;
                write_string(&text, out)?;
                out.write_all(&line[span.end..])?;
            }
            Some(EditDecision::Annotate(annotation)) => {
                self.check(content)?;
                let end = line.iter().rposition(|&byte| byte == b'}').unwrap_or(line.len());
                out.write_all(&line[..end])?;
                match annotation {
                    None => write!(out, ",\"{DUPLICATE_OF}\":null,\"{SCORE}\":null")?,
                    Some(annotation) => {
                        write!(out, ",\"{DUPLICATE_OF}\":")?;
                        write_string(&annotation.duplicate_of, out)?;
                        write!(out, ",\"{SCORE}\":{}", annotation.score)?;
                    }
                }
                out.write_all(&line[end..])?;
            }
        }
        Ok(true)
    }

    /// Rejects a record that already has one of the new fields.
    fn check(&self, line: &[u8]) -> Result<(), RewriteError> {
        let Ok(line) = std::str::from_utf8(line) else { return Ok(()) };
        let names = [Some(DUPLICATE_OF), Some(SCORE), None];
        let values = json::fields(line, names, &mut Scratch::default());
        for (value, field) in values.iter().flatten().zip([DUPLICATE_OF, SCORE]) {
            if *value != Value::Missing {
                return Err(field_exists(self.name, field));
            }
        }
        Ok(())
    }
}

/// Writes `text` as a JSON string.
fn write_string(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut string = String::with_capacity(text.len() + 16);
    string.push('"');
    for character in text.chars() {
        match character {
            '"' => string.push_str("\\\""),
            '\\' => string.push_str("\\\\"),
            '\n' => string.push_str("\\n"),
            '\r' => string.push_str("\\r"),
            '\t' => string.push_str("\\t"),
            '\0'..='\u{1f}' => string.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => string.push(character),
        }
    }
    string.push('"');
    out.write_all(string.as_bytes())
}
