//! JSON records that are not lines: the objects of an array, or objects one after another.
//!
//! In: a stream. Out: pieces of whole objects, found in the caller's thread and parsed when they are
//! read. Records are counted from 1; one that is not a valid object or has no text is a problem named
//! `FILE:NUMBER`. Needs the memory of a piece, or of one record if that is longer.

use std::ops::Range;
use std::sync::Arc;

use textkin_core::{DocumentSink, Piece};

use crate::SourceSettings;
use crate::json::Scratch;
use crate::json_elements::{ElementScanner, Step};
use crate::jsonl::LineReader;
use crate::piece::{Cutter, LARGE, OpenInput, RecordEmitter, report, too_long};

/// Splits a stream between objects.
pub(crate) struct JsonCutter {
    opened: OpenInput,
    scanner: ElementScanner,
    /// Bytes read but not yet returned.
    buffer: Vec<u8>,
    /// Records in `buffer` that are complete.
    complete: Vec<Range<usize>>,
    /// Number of the first of them, or of the next record.
    number: u64,
    /// Whether the current record is too long and its bytes are dropped.
    is_skipping: bool,
    /// Whether the stream has ended or failed.
    is_read: bool,
    /// Whether all records were found.
    is_ended: bool,
    /// Why the rest cannot be read; reported last.
    error: Option<String>,
}

impl JsonCutter {
    pub(crate) fn new(opened: OpenInput) -> Self {
        Self {
            opened,
            scanner: ElementScanner::new(),
            buffer: Vec::new(),
            complete: Vec::new(),
            number: 1,
            is_skipping: false,
            is_read: false,
            is_ended: false,
            error: None,
        }
    }

    /// Reads the next bytes.
    fn fill(&mut self) {
        let OpenInput { settings, stream, .. } = &mut self.opened;
        match stream.read_block(settings.piece_bytes.max(1), &mut self.buffer) {
            Ok(n) => self.is_read = n == 0,
            Err(error) => {
                self.is_read = true;
                self.error = Some(stream.explain(&error));
            }
        }
    }

    /// Handles what is left at the end of the stream.
    fn finish(&mut self) {
        self.is_ended = true;
        match self.scanner.open_value() {
            // A record that was cut by a read error is dropped.
            _ if self.error.is_some() || self.is_skipping => {}
            // The parser reports what is missing; a number may simply end here.
            Some(start) => self.complete.push(start..self.buffer.len()),
            None if self.scanner.may_end() => {}
            None => self.error = Some("the array is not closed; the file may be cut".into()),
        }
    }

    /// Removes the complete records from the buffer.
    fn piece(&mut self) -> Option<Box<dyn Piece>> {
        let end = self.complete.last()?.end;
        let rest = self.buffer.split_off(end);
        self.scanner.rebase(end);
        let mut block = std::mem::replace(&mut self.buffer, rest);
        let mut records = std::mem::take(&mut self.complete);
        let first = self.number;
        self.number += records.len() as u64;
        if let [record] = records.as_mut_slice()
            && record.len() >= LARGE
        {
            block.drain(..record.start);
            *record = 0..block.len();
        }
        Some(Box::new(JsonPiece {
            settings: Arc::clone(&self.opened.settings),
            name: Arc::clone(&self.opened.name),
            first,
            block,
            records,
            bytes: self.opened.stream.take_count(),
        }))
    }

    /// Whether the complete records are enough for a piece.
    fn is_full(&self) -> bool {
        let n_bytes = self.complete.last().map_or(0, |record| record.end);
        n_bytes > 0 && n_bytes >= self.opened.settings.piece_bytes
    }

    /// Drops the bytes of a record that is too long.
    fn drop_bytes(&mut self, n: usize) {
        self.buffer.drain(..n);
        self.scanner.rebase(n);
    }

    /// Handles a complete record; returns the records before a large one.
    fn add(&mut self, record: Range<usize>) -> Option<Box<dyn Piece>> {
        if std::mem::take(&mut self.is_skipping) {
            self.drop_bytes(record.end);
            self.number += 1;
            return None;
        }
        // A large record is a separate piece, so that its memory can be freed separately.
        let before = self.complete.last().map_or(0, |last| last.end);
        let piece = if record.len() >= LARGE { self.piece() } else { None };
        let offset = if piece.is_some() { before } else { 0 };
        self.complete.push(record.start - offset..record.end - offset);
        piece
    }

    /// Reads more, unless the current record is too long; returns that problem, or the records before it.
    fn read_more(&mut self) -> Option<Box<dyn Piece>> {
        let limit = self.opened.settings.max_document_bytes;
        let length = self.scanner.open_value().map_or(0, |start| self.buffer.len() - start);
        if !self.is_skipping && length as u64 > limit {
            if let Some(piece) = self.piece() {
                return Some(piece);
            }
            self.is_skipping = true;
            let reason = too_long(&self.opened.settings);
            return Some(report(&self.opened.name, Some(self.number), reason));
        }
        if self.is_skipping {
            self.drop_bytes(self.buffer.len());
        }
        match self.is_read {
            true => self.finish(),
            false => self.fill(),
        }
        None
    }
}

impl Cutter for JsonCutter {
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        loop {
            if self.is_ended {
                if let Some(piece) = self.piece() {
                    return Some(piece);
                }
                let reason = self.error.take()?;
                return Some(report(&self.opened.name, Some(self.number), reason));
            }
            if self.is_full() {
                return self.piece();
            }
            let piece = match self.scanner.next(&self.buffer) {
                Step::Element(record) => self.add(record),
                Step::More => self.read_more(),
                Step::Broken { reason } => {
                    self.is_ended = true;
                    self.error = Some(format!("{reason}; the rest of the file is not read"));
                    None
                }
            };
            if piece.is_some() {
                return piece;
            }
        }
    }
}

/// Whole records of one input.
struct JsonPiece {
    settings: Arc<SourceSettings>,
    name: Arc<str>,
    /// Number of the first record.
    first: u64,
    block: Vec<u8>,
    records: Vec<Range<usize>>,
    bytes: u64,
}

impl Piece for JsonPiece {
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        let mut reader = LineReader {
            settings: &self.settings,
            emitter: RecordEmitter::new(&self.name, sink),
            scratch: Scratch::default(),
        };
        if let [record] = self.records.as_slice()
            && record.len() == self.block.len()
            && record.len() >= LARGE
        {
            // This is the last call, so the flow does not matter.
            let _ = reader.large_line(self.first, self.block);
            return;
        }
        for (number, record) in (self.first..).zip(self.records) {
            if reader.bytes(number, &self.block[record]).is_break() {
                return;
            }
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
