//! What the record formats share: cutters, and pieces that only report.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use textkin_core::{Document, DocumentSink, Piece, Problem};
use textkin_extract::ExtractLimits;

use crate::SourceSettings;
use crate::stream::Stream;

/// From so many bytes on, a document is given together with the memory that holds it, so that a
/// sink can free it as soon as it has taken what it needs.
pub(crate) const LARGE: usize = 16 << 20;

/// Cuts one opened input into pieces.
pub(crate) trait Cutter: Send {
    /// The next piece, or `None` at the end.
    fn next_piece(&mut self) -> Option<Box<dyn Piece>>;
}

/// An opened record input and how to read it.
pub(crate) struct OpenInput {
    pub(crate) settings: Arc<SourceSettings>,
    /// The input as given.
    pub(crate) name: Arc<str>,
    pub(crate) stream: Stream,
}

impl OpenInput {
    /// A record of a compressed file may not be longer than the file can honestly hold.
    pub(crate) fn new(settings: &Arc<SourceSettings>, name: Arc<str>, stream: Stream) -> Self {
        let most = stream.max_expanded().filter(|&most| most < settings.max_document_bytes);
        let settings = match most {
            Some(most) => Arc::new(SourceSettings {
                max_document_bytes: most,
                density_limit: Some(most),
                ..(**settings).clone()
            }),
            None => Arc::clone(settings),
        };
        Self { settings, name, stream }
    }

    /// Drops a byte order mark; says why not when the input is not UTF-8.
    pub(crate) fn skip_mark(mut self) -> Result<Self, Box<dyn Piece>> {
        let mut head = Vec::new();
        if let Err(error) = self.stream.read_block(3, &mut head) {
            return Err(report(&self.name, None, self.stream.explain(&error)));
        }
        match head.as_slice() {
            b"\xef\xbb\xbf" => {}
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                let reason = "records in UTF-16 are not read; convert the file to UTF-8".to_owned();
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
        // The flow is not needed: this is the last call.
        let _ = sink.problem(self.0);
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// A piece that reports one problem.
pub(crate) fn report(name: &str, line: Option<u64>, reason: String) -> Box<dyn Piece> {
    Box::new(ProblemPiece(Problem { path: name.to_owned(), line, reason }))
}

/// Gives the records of one input to a sink.
pub(crate) struct RecordEmitter<'a> {
    name: &'a str,
    sink: &'a mut dyn DocumentSink,
    /// `FILE:LINE`, where a record has no id.
    id: String,
}

impl<'a> RecordEmitter<'a> {
    pub(crate) fn new(name: &'a str, sink: &'a mut dyn DocumentSink) -> Self {
        Self { name, sink, id: String::new() }
    }

    /// Gives a document.
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
        let (id, text, notes) = (id.into(), record.text, Vec::new());
        self.sink.document(Document { id, text, time, notes, metadata })
    }

    /// Gives a problem.
    pub(crate) fn problem(&mut self, line: u64, reason: String) -> ControlFlow<()> {
        self.sink.problem(Problem { path: self.name.to_owned(), line: Some(line), reason })
    }
}

/// The wanted fields of one record.
#[derive(Clone, Debug)]
pub(crate) struct Record<'r> {
    pub(crate) text: Cow<'r, str>,
    pub(crate) id: Option<&'r str>,
    pub(crate) time: Option<&'r str>,
    /// The other fields as a JSON object, if they are wanted and there are any.
    pub(crate) metadata: Option<String>,
}

/// Names in the order they are given, for problems; long lists are cut.
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

/// Why a record is too long.
pub(crate) fn too_long(settings: &SourceSettings) -> String {
    let limit = settings.max_document_bytes;
    if settings.density_limit == Some(limit) {
        let ratio = ExtractLimits::default().max_ratio;
        return format!("longer than {limit} bytes, {ratio} times the size of the compressed file");
    }
    format!("longer than {limit} bytes, the most a document may have")
}
