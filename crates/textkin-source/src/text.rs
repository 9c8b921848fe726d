//! Reads plain text files, files from which text is extracted, and small files of JSON records.
//!
//! In: paths, opened only when the piece is read, so that small files are read in parallel.
//! Out: documents whose id is the path as given, or the records of the file.

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use textkin_core::{Document, DocumentSink, Piece, Problem};
use textkin_extract::{Error, ExtractLimits};

use crate::compression::Compression;
use crate::decode::{DecodeError, decode, decode_any};
use crate::detect::{Detected, detect_bytes};
use crate::json_records::JsonCutter;
use crate::jsonl::JsonlCutter;
use crate::piece::{Cutter, LARGE, OpenInput};
use crate::stream::{Stream, explain, reason};
use crate::{FileKind, InputFormat, SourceSettings, extraction};

/// A group of text files.
pub(crate) struct TextPiece {
    pub(crate) settings: Arc<SourceSettings>,
    pub(crate) paths: Vec<PathBuf>,
    /// Total size of the files when they were listed.
    pub(crate) bytes: u64,
}

impl Piece for TextPiece {
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        let mut bytes = Vec::new();
        for path in &self.paths {
            bytes.clear();
            let name = path.to_string_lossy();
            let outcome = read_file(path, self.settings.max_document_bytes, &mut bytes);
            let detected = match self.settings.input_format {
                Some(_) => Detected::Format(InputFormat::Text),
                // Of a file that is corrupt, the records before the error are read.
                None => detect_bytes(&bytes, &self.settings),
            };
            let flow = match (detected, outcome) {
                (Detected::NoText(reason), Ok(())) => sink.problem(problem(&name, reason)),
                (Detected::Format(format @ (InputFormat::Jsonl | InputFormat::Json)), _) => {
                    self.records(path, &name, format, sink)
                }
                (_, Ok(())) => emit(&name, &mut bytes, &self.settings, sink),
                (_, Err(reason)) => sink.problem(problem(&name, reason)),
            };
            if flow.is_break() {
                return;
            }
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl TextPiece {
    /// Passes the records of a file to `sink`.
    fn records(
        &self,
        path: &Path,
        name: &str,
        format: InputFormat,
        sink: &mut dyn DocumentSink,
    ) -> ControlFlow<()> {
        let opened = match Stream::open(path) {
            Ok(stream) => OpenInput::new(&self.settings, name.into(), stream),
            Err(error) => return sink.problem(problem(name, reason(&error))),
        };
        let mut sink = FlowSink { sink, flow: ControlFlow::Continue(()) };
        let mut cutter: Box<dyn Cutter> = match opened.skip_mark() {
            Ok(opened) if format == InputFormat::Json => Box::new(JsonCutter::new(opened)),
            Ok(opened) => Box::new(JsonlCutter::new(opened)),
            Err(problem) => {
                problem.read(&mut sink);
                return sink.flow;
            }
        };
        while let Some(piece) = cutter.next_piece()
            && sink.flow.is_continue()
        {
            piece.read(&mut sink);
        }
        sink.flow
    }
}

/// Passes on documents, and remembers whether the sink wants more.
struct FlowSink<'a> {
    sink: &'a mut dyn DocumentSink,
    flow: ControlFlow<()>,
}

impl DocumentSink for FlowSink<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        self.flow = self.sink.document(document);
        self.flow
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.flow = self.sink.problem(problem);
        self.flow
    }
}

/// A stream that is one document.
pub(crate) struct TextStreamPiece {
    pub(crate) settings: Arc<SourceSettings>,
    pub(crate) name: Arc<str>,
    pub(crate) stream: Stream,
}

impl Piece for TextStreamPiece {
    fn read(mut self: Box<Self>, sink: &mut dyn DocumentSink) {
        let limit = self.settings.max_document_bytes;
        let mut bytes = Vec::new();
        // This is the last call, so the flow does not matter.
        let _ = match self.stream.read_whole(limit, &mut bytes) {
            Ok(()) => emit(&self.name, &mut bytes, &self.settings, sink),
            Err(reason) => sink.problem(problem(&self.name, reason)),
        };
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// Passes the documents in `bytes` to `sink`: one text, or those extracted from another format.
fn emit(
    name: &str,
    bytes: &mut Vec<u8>,
    settings: &SourceSettings,
    sink: &mut dyn DocumentSink,
) -> ControlFlow<()> {
    if settings.input_format == Some(InputFormat::Text) {
        return emit_text(name, bytes, |bytes| Ok(decode_any(bytes)), sink);
    }
    match FileKind::detect(Some(Compression::bare_name(name)), bytes) {
        FileKind::Text | FileKind::Unknown => emit_text(name, bytes, decode, sink),
        _ => extraction::extract(name, bytes, settings, sink),
    }
}

/// Passes the text of `bytes` to `sink`; a large text owns its memory, so that the sink can free it.
fn emit_text(
    name: &str,
    bytes: &mut Vec<u8>,
    decode: impl Fn(&[u8]) -> Result<Cow<'_, str>, DecodeError>,
    sink: &mut dyn DocumentSink,
) -> ControlFlow<()> {
    let n_bytes = bytes.len();
    let text = match decode(bytes) {
        Err(not_text) => return sink.problem(problem(name, not_text.0)),
        Ok(text) if n_bytes < LARGE => text,
        Ok(Cow::Borrowed(text)) if text.len() == n_bytes => {
            let text = String::from_utf8(std::mem::take(bytes));
            text.expect("text decoded without change is UTF-8").into()
        }
        Ok(Cow::Borrowed(text)) => text.into(),
        Ok(Cow::Owned(text)) => {
            *bytes = Vec::new();
            text.into()
        }
    };
    sink.document(Document::new(name, text))
}

fn problem(name: &str, reason: String) -> Problem {
    Problem { path: name.to_owned(), line: None, reason }
}

/// Reads and decompresses a whole file into `bytes`; the error is a message for the user.
fn read_file(path: &Path, limit: u64, bytes: &mut Vec<u8>) -> Result<(), String> {
    let file = fs_err::File::open(path).map_err(|error| reason(&error))?;
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    bytes.reserve(usize::try_from(size.min(limit)).unwrap_or(0).saturating_add(1));
    read_limited(file, limit, bytes).map_err(|error| reason(&error))?;
    let compression = Compression::of(bytes);
    if compression == Compression::None {
        return check_size(limit, bytes);
    }
    check_size(limit, bytes)?;
    let n_compressed = bytes.len() as u64;
    let compressed = io::Cursor::new(std::mem::take(bytes));
    let decoder = compression.decoder(compressed).map_err(|error| explain(compression, &error))?;
    let explained = |error: &io::Error| explain(compression, error);
    read_decompressed(decoder, limit, || n_compressed, explained, bytes)
}

/// Bytes decompressed between two checks of the limits.
const STEP: u64 = 4 << 20;

/// Reads all of `decoder` into `bytes`. Fails on a read error (described by `explained`), above
/// `limit`, or above what `n_compressed` bytes can plausibly contain.
pub(crate) fn read_decompressed(
    mut decoder: impl Read,
    limit: u64,
    n_compressed: impl Fn() -> u64,
    explained: impl Fn(&io::Error) -> String,
    bytes: &mut Vec<u8>,
) -> Result<(), String> {
    let limits = ExtractLimits::default();
    loop {
        let left = limit.saturating_add(1).saturating_sub(bytes.len() as u64).min(STEP);
        let n_read = decoder.by_ref().take(left).read_to_end(bytes);
        let n_read = n_read.map_err(|error| explained(&error))? as u64;
        check_size(limit, bytes)?;
        if bytes.len() as u64 > limits.max_expanded(n_compressed()) {
            return Err(Error::TooDense { limit: limits.max_ratio }.to_string());
        }
        if n_read < left {
            return Ok(());
        }
    }
}

/// Reads at most one byte more than `limit`, so that the caller can detect too much.
fn read_limited(reader: impl Read, limit: u64, bytes: &mut Vec<u8>) -> io::Result<usize> {
    reader.take(limit.saturating_add(1)).read_to_end(bytes)
}

/// Rejects more than `limit` bytes.
fn check_size(limit: u64, bytes: &[u8]) -> Result<(), String> {
    if bytes.len() as u64 > limit {
        return Err(format!("larger than {limit} bytes, the maximum document size"));
    }
    Ok(())
}
