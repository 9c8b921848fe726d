//! Shared parts of the record formats: cutters, the emitter of records, and pieces that only report a
//! problem.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use textkin_core::{Document, DocumentSink, Piece, Problem};
use textkin_extract::ExtractLimits;

use crate::SourceSettings;
use crate::stream::Stream;

/// Size from which a document owns its memory when passed to a sink, so that the sink can free it
/// as soon as possible.
pub(crate) const LARGE: usize = 16 << 20;

/// Splits one opened input into pieces.
pub(crate) trait Cutter: Send {
    /// Returns the next piece, or `None` at the end.
    fn next_piece(&mut self) -> Option<Box<dyn Piece>>;
}

/// An opened record input and its settings.
pub(crate) struct OpenInput {
    pub(crate) settings: Arc<SourceSettings>,
    /// The input as given.
    pub(crate) name: Arc<str>,
    pub(crate) stream: Stream,
}

impl OpenInput {
    /// Limits records of a compressed file to what a file of its size can plausibly contain.
    pub(crate) fn new(settings: &Arc<SourceSettings>, name: Arc<str>, stream: Stream) -> Self {
        let limit = stream.max_expanded().filter(|&limit| limit < settings.max_document_bytes);
        let settings = match limit {
            Some(limit) => Arc::new(SourceSettings {
                max_document_bytes: limit,
                density_limit: Some(limit),
                ..(**settings).clone()
            }),
            None => Arc::clone(settings),
        };
        Self { settings, name, stream }
    }

    /// Skips a byte order mark; returns a problem if the input is UTF-16.
    pub(crate) fn skip_mark(mut self) -> Result<Self, Box<dyn Piece>> {
        let mut head = Vec::new();
        if let Err(error) = self.stream.read_block(3, &mut head) {
            return Err(report(&self.name, None, self.stream.explain(&error)));
        }
        match head.as_slice() {
            b"\xef\xbb\xbf" => {}
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                let reason = "UTF-16 is not supported for record files; convert the file to UTF-8"
                    .to_owned();
                return Err(report(&self.name, None, reason));
            }
            _ => self.stream = self.stream.unread(head),
        }
        Ok(self)
    }
}

/// A piece that reports one problem.
pub(crate) struct ProblemPiece(pub(crate) Problem);

impl Piece for ProblemPiece {
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        // This is the last call, so the flow does not matter.
        let _ = sink.problem(self.0);
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// Creates a piece that reports one problem.
pub(crate) fn report(name: &str, line: Option<u64>, reason: String) -> Box<dyn Piece> {
    Box::new(ProblemPiece(Problem { path: name.to_owned(), line, reason }))
}

/// Passes the records of one input to a sink.
pub(crate) struct RecordEmitter<'a> {
    name: &'a str,
    sink: &'a mut dyn DocumentSink,
    /// Buffer for `FILE:LINE`, the id of a record without one.
    id: String,
}

impl<'a> RecordEmitter<'a> {
    pub(crate) fn new(name: &'a str, sink: &'a mut dyn DocumentSink) -> Self {
        Self { name, sink, id: String::new() }
    }

    /// Passes a document to the sink.
    pub(crate) fn record(&mut self, line: u64, record: Record<'_>) -> ControlFlow<()> {
        let id = match record.id {
            Some(id) => id,
            None => {
                self.id.clear();
                self.id.push_str(self.name);
                self.id.push(':');
                self.id.push_str(&line.to_string());
                &self.id
            }
        };
        let time = record.time.map(Into::into);
        let metadata = record.metadata.map(Into::into);
        self.sink.document(Document { time, metadata, ..Document::new(id, record.text) })
    }

    /// Passes a problem to the sink.
    pub(crate) fn problem(&mut self, line: u64, reason: String) -> ControlFlow<()> {
        self.sink.problem(Problem { path: self.name.to_owned(), line: Some(line), reason })
    }
}

/// The requested fields of one record.
#[derive(Clone, Debug)]
pub(crate) struct Record<'r> {
    pub(crate) text: Cow<'r, str>,
    pub(crate) id: Option<&'r str>,
    pub(crate) time: Option<&'r str>,
    /// The other fields as a JSON object, if metadata is requested and there are any.
    pub(crate) metadata: Option<String>,
}

/// Joins names for a problem message; truncates long lists.
pub(crate) fn list<T: AsRef<str>>(names: &[T]) -> String {
    const MAX: usize = 20;
    if names.is_empty() {
        return "none".to_owned();
    }
    let mut text = names.iter().take(MAX).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    if names.len() > MAX {
        text.push_str(&format!(" and {} more", names.len() - MAX));
    }
    text
}

/// Describes why a record is too long.
pub(crate) fn too_long(settings: &SourceSettings) -> String {
    let limit = settings.max_document_bytes;
    if settings.density_limit == Some(limit) {
        let ratio = ExtractLimits::default().max_ratio;
        return format!("longer than {limit} bytes, {ratio} times the size of the compressed file");
    }
    format!("longer than {limit} bytes, the maximum document size")
}
