//! What was taken out of a collection as JSON lines, one document, passage or line a line:
//! `{"document":"b","duplicate_of":"a","score":1.0,"words":120}`, with `"start"`, `"end"`, `"word"` and
//! `"kept_at"` where only a part goes.

use std::path::Path;

use crate::jsonl::{push_number, push_string};
use crate::number::push_integer;
use crate::{Error, Output};

/// Something that was taken out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RemovalLine<'a> {
    /// The document that goes, or of which a part does.
    pub document: &'a str,
    /// The document that stays and holds it.
    pub duplicate_of: &'a str,
    /// How alike both are.
    pub score: f64,
    /// Words that go.
    pub words: u64,
    /// Where they stand, if not the whole document goes.
    pub part: Option<RemovedPart>,
}

/// Where a part stands that goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovedPart {
    /// First byte in the text.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
    /// Its first word.
    pub word: u64,
    /// The first word (or the line) where it stays.
    pub kept_at: u64,
}

/// Writes removals to a file that appears at the end, or to standard output.
#[derive(Debug)]
pub struct RemovalWriter {
    output: Output,
    buffer: Vec<u8>,
}

impl RemovalWriter {
    /// Starts the file `path`, `-` for standard output; `.gz` and `.zst` compress.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(path: &Path) -> Result<Self, Error> {
        Ok(Self { output: Output::create(path)?, buffer: Vec::new() })
    }

    /// Writes one line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn removal(&mut self, line: &RemovalLine<'_>) -> Result<(), Error> {
        let buffer = &mut self.buffer;
        buffer.clear();
        buffer.extend_from_slice(b"{\"document\":");
        push_string(line.document, buffer);
        buffer.extend_from_slice(b",\"duplicate_of\":");
        push_string(line.duplicate_of, buffer);
        buffer.extend_from_slice(b",\"score\":");
        push_number(line.score, buffer);
        buffer.extend_from_slice(b",\"words\":");
        push_integer(line.words, buffer);
        if let Some(part) = line.part {
            let fields = [
                (&b",\"start\":"[..], part.start),
                (b",\"end\":", part.end),
                (b",\"word\":", part.word),
                (b",\"kept_at\":", part.kept_at),
            ];
            for (name, value) in fields {
                buffer.extend_from_slice(name);
                push_integer(value, buffer);
            }
        }
        buffer.extend_from_slice(b"}\n");
        self.output.write(buffer)
    }

    /// Finishes the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> Result<(), Error> {
        self.output.finish()
    }
}
