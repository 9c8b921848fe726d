//! Removed duplicates as JSON lines, one document, passage or line each:
//! `{"document":"b","duplicate_of":"a","score":1.0,"words":120}`, with `"start"`, `"end"`, `"word"` and
//! `"kept_at"` if only a part is removed.

use std::path::Path;

use schemars::JsonSchema;

use crate::jsonl::{push_number, push_string};
use crate::number::push_integer;
use crate::{Error, Output};

/// A removed document or part of a document.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema)]
pub struct RemovalLine<'a> {
    /// The document that is removed or loses a part.
    pub document: &'a str,
    /// The keeper, which contains the removed text.
    pub duplicate_of: &'a str,
    /// Their score.
    pub score: f64,
    /// Removed words.
    pub words: u64,
    /// Position of the removed part; `None` if the whole document is removed.
    #[schemars(flatten)]
    pub part: Option<RemovedPart>,
}

/// Position of a removed part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
pub struct RemovedPart {
    /// First byte in the text.
    pub start: u64,
    /// Byte after the last.
    pub end: u64,
    /// Index of its first word.
    pub word: u64,
    /// First word (or line) of the same text in the keeper.
    pub kept_at: u64,
}

/// Writes removals to a file or to standard output.
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
