//! Documents and where they come from.
//!
//! A [`Source`] is cut into [`Piece`]s one after the other; pieces are read in parallel and hand
//! their documents to a [`DocumentSink`]. The order of documents is the order of the pieces and,
//! within a piece, the order of the calls, so that it does not depend on the number of threads.

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;

use crate::note::Note;

/// One unit of text with an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document<'a> {
    /// How the document is named in every result: the path of a file as given, the id field of a
    /// record, else `FILE:LINE`.
    pub id: Cow<'a, str>,
    /// The decoded content, never altered.
    pub text: Cow<'a, str>,
    /// When it was written, as the source says it, if it does.
    pub time: Option<Cow<'a, str>>,
    /// What the source noticed about it.
    pub notes: Vec<Note>,
    /// The other fields of a record, as a JSON object, if they were asked for and there are any.
    pub metadata: Option<Cow<'a, str>>,
}

/// A document that could not be read while the run went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// File or stream.
    pub path: String,
    /// Line of a record format, counted from 1.
    pub line: Option<u64>,
    /// What was wrong: lower case, no full stop.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line}: {}", self.path, self.reason),
            None => write!(formatter, "{}: {}", self.path, self.reason),
        }
    }
}

/// Receives the documents of one piece, in order.
pub trait DocumentSink {
    /// Takes one document; `Break` asks the piece to stop reading.
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()>;

    /// Takes a problem; the piece goes on unless told to `Break`.
    fn problem(&mut self, problem: Problem) -> ControlFlow<()>;
}

/// A part of a source that can be read on its own, in any thread.
pub trait Piece: Send {
    /// Reads every document of the piece and gives it to `sink`, in order.
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink);

    /// Input bytes this piece stands for (compressed size for compressed input), for progress.
    fn bytes(&self) -> u64;
}

/// Where documents come from: cuts its input into pieces, in order.
pub trait Source: Send {
    /// The next piece, or `None` at the end. Faults met while cutting become pieces that report
    /// a [`Problem`] when read, so that they keep their place in the order.
    fn next_piece(&mut self) -> Option<Box<dyn Piece>>;

    /// Bytes of the whole input where known, for progress.
    fn total_bytes(&self) -> Option<u64>;
}
