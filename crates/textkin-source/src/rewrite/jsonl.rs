//! Rewrites JSON lines: keeps or removes lines, replaces texts, adds two fields; no other byte changes.

use std::io::{self, Write};
use std::mem::take;
use std::sync::{Condvar, Mutex, PoisonError};

use memchr::{memchr, memchr_iter, memrchr};
use textkin_core::parallel;

use super::{
    DUPLICATE_OF, DocumentEditor, EditDecision, EditorSink, FormatOutcome, RewriteError,
    RewriteOutcome, SCORE, field_exists, truncated,
};
use crate::json::{self, Scratch, Value};
use crate::jsonl::LineReader;
use crate::piece::{OpenInput, RecordEmitter};
use crate::stream::Stream;

/// Decompressed bytes read at once.
const BLOCK: usize = 1 << 20;

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) fn rewrite(
    mut opened: OpenInput,
    capture: &mut EditorSink<'_>,
    out: &mut (dyn Write + Send),
) -> Result<FormatOutcome, RewriteError> {
    let Some(head) = read_head(&mut opened) else { return Ok(FormatOutcome::NoRecords) };
    let mut out = opened.stream.compression().encoder(out)?;
    let mut blocks = Blocks::new(opened.stream, head, opened.settings.max_document_bytes);
    out.write_all(blocks.take_mark())?;
    let mut lines = RecordWriter::new(&opened.settings, &opened.name);
    while let Some(block) = blocks.next() {
        block.write(&mut lines, capture, &mut out)?;
        if capture.is_stopped {
            return Ok(FormatOutcome::Done(RewriteOutcome::Stopped));
        }
    }
    out.finish()?;
    Ok(blocks.outcome())
}

/// The same on several threads. Each takes a block, edits it, and writes it once the blocks before it are written.
pub(super) fn rewrite_blocks<E: DocumentEditor + Send>(
    mut opened: OpenInput,
    threads: usize,
    new_editor: &(dyn Fn() -> E + Sync),
    done: &mut (dyn FnMut(E) + Send),
    out: &mut (dyn Write + Send),
) -> Result<FormatOutcome, RewriteError> {
    let Some(head) = read_head(&mut opened) else { return Ok(FormatOutcome::NoRecords) };
    let mut out = opened.stream.compression().encoder(out)?;
    let mut blocks = Blocks::new(opened.stream, head, opened.settings.max_document_bytes);
    out.write_all(blocks.take_mark())?;
    let (settings, name) = (&*opened.settings, &*opened.name);
    let reader = Mutex::new((blocks, 0u64));
    // The output, the number of the next block, and how the pass ended.
    let writer = Mutex::new((&mut out, done, 0u64, None::<Result<(), RewriteError>>));
    let is_next = Condvar::new();
    parallel::run(threads, |_| {
        let mut lines = RecordWriter::new(settings, name);
        let mut edited = Vec::new();
        loop {
            let mut reading = reader.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(block) = reading.0.next() else { return };
            let number = reading.1;
            reading.1 += 1;
            drop(reading);
            let mut editor = new_editor();
            let mut capture = EditorSink::new(&mut editor);
            edited.clear();
            let written = block.write(&mut lines, &mut capture, &mut edited);
            let is_stopped = capture.is_stopped;
            let guard = writer.lock().unwrap_or_else(PoisonError::into_inner);
            let mut writing = is_next
                .wait_while(guard, |(_, _, next, end)| *next != number && end.is_none())
                .unwrap_or_else(PoisonError::into_inner);
            let (out, done, next, end) = &mut *writing;
            if end.is_some() {
                return;
            }
            let written = written.and_then(|()| Ok(out.write_all(&edited)?));
            *next += 1;
            if written.is_err() || is_stopped {
                *end = Some(written);
            } else {
                done(editor);
            }
            is_next.notify_all();
        }
    });
    let (_, _, _, end) = writer.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(end) = end {
        return end.map(|()| FormatOutcome::Done(RewriteOutcome::Stopped));
    }
    out.finish()?;
    let (blocks, _) = reader.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(blocks.outcome())
}

/// Reads the first bytes; `None` if the input has no records.
fn read_head(opened: &mut OpenInput) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    opened.stream.read_block(MARK.len(), &mut head).ok()?;
    let is_utf16 = matches!(head.as_slice(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    (!is_utf16).then_some(head)
}

/// Some bytes of the input.
struct Block {
    bytes: Vec<u8>,
    /// Number of the first line.
    first_line: u64,
    /// Whether this is part of a line that is too long to be a document.
    is_copied: bool,
}

impl Block {
    /// Writes the lines according to the decisions of an editor.
    fn write(
        &self,
        lines: &mut RecordWriter<'_>,
        capture: &mut EditorSink<'_>,
        out: &mut dyn Write,
    ) -> Result<(), RewriteError> {
        if self.is_copied {
            out.write_all(&self.bytes)?;
            return Ok(());
        }
        lines.number = self.first_line;
        let mut start = 0;
        while start < self.bytes.len() && !capture.is_stopped {
            let rest = &self.bytes[start..];
            let length = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            lines.write(b"", &rest[..length], capture, out)?;
            start += length;
        }
        Ok(())
    }
}

/// Splits a stream into blocks of whole lines.
struct Blocks {
    stream: Stream,
    /// Bytes read but not yet returned.
    carry: Vec<u8>,
    /// Bytes at the start of `carry` that contain no line end.
    searched: usize,
    /// Maximum length of a line that can be a document.
    limit: u64,
    line: u64,
    /// Inside a line that is too long to be a document.
    is_copying: bool,
    is_ended: bool,
    failure: Option<String>,
}

impl Blocks {
    fn new(stream: Stream, head: Vec<u8>, max_document_bytes: u64) -> Self {
        let limit = max_document_bytes.saturating_add(1);
        Self {
            stream,
            carry: head,
            searched: 0,
            limit,
            line: 1,
            is_copying: false,
            is_ended: false,
            failure: None,
        }
    }

    /// Takes the byte order mark, if there is one.
    fn take_mark(&mut self) -> &'static [u8] {
        match self.carry == MARK {
            true => {
                self.carry.clear();
                MARK
            }
            false => b"",
        }
    }

    fn next(&mut self) -> Option<Block> {
        while !self.is_ended || !self.carry.is_empty() {
            let mut block = take(&mut self.carry);
            let searched = take(&mut self.searched);
            if !self.is_ended {
                match self.stream.read_block(BLOCK, &mut block) {
                    Ok(n) => self.is_ended = n == 0,
                    Err(error) => {
                        self.is_ended = true;
                        self.failure = Some(self.stream.explain(&error));
                    }
                }
            }
            let was_copying = self.is_copying;
            let end = match was_copying {
                true => memchr(b'\n', &block),
                false => memrchr(b'\n', &block[searched..]).map(|end| searched + end),
            };
            match end {
                Some(end) => {
                    self.carry = block.split_off(end + 1);
                    self.searched = if was_copying { 0 } else { self.carry.len() };
                    self.is_copying = false;
                }
                None if was_copying || self.is_ended => {}
                None if block.len() as u64 > self.limit => self.is_copying = true,
                None => {
                    self.searched = block.len();
                    self.carry = block;
                    continue;
                }
            }
            if self.is_ended && !was_copying {
                // The last line has no line end. A line truncated by corrupt data is not a document.
                let mut last_line = take(&mut self.carry);
                match &self.failure {
                    None => block.append(&mut last_line),
                    Some(_) if end.is_none() => block.clear(),
                    Some(_) => {}
                }
            }
            if !block.is_empty() {
                let first_line = self.line;
                self.line += memchr_iter(b'\n', &block).count() as u64;
                return Some(Block {
                    bytes: block,
                    first_line,
                    is_copied: was_copying || self.is_copying,
                });
            }
        }
        None
    }

    fn outcome(&self) -> FormatOutcome {
        match &self.failure {
            Some(reason) => truncated(self.line - 1, "line", reason),
            None => FormatOutcome::Done(RewriteOutcome::Written),
        }
    }
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
