//! Documents and sources.
//!
//! A [`Source`] is split into [`Piece`]s one after the other. Pieces are read in parallel and pass their
//! documents to a [`DocumentSink`]. The order of documents is the order of the pieces and, within a piece,
//! the order of the calls, so that it does not depend on the number of threads. A source that can be read
//! again implements [`Rewind`].

use std::borrow::Cow;
use std::fmt;
use std::ops::ControlFlow;

use crate::chunk::Chunk;
use crate::note::Note;

/// One unit of text with an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document<'a> {
    /// Name of the document in every result: the path of a file as given, the id field of a record,
    /// or `FILE:LINE`.
    pub id: Cow<'a, str>,
    /// Its text, or the chunks that are stored of it.
    pub content: Content<'a>,
    /// When it was written, as stated by the source, if known.
    pub time: Option<Cow<'a, str>>,
    /// Notes of the source about the document.
    pub notes: Vec<Note>,
    /// The other fields of a record, as a JSON object, if requested and present.
    pub metadata: Option<Cow<'a, str>>,
}

/// What is known of the content of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// The decoded text, never altered.
    Text(Cow<'a, str>),
    /// The chunks of a text that is not stored.
    Chunks(StoredChunks<'a>),
}

/// The chunks of a document in a repository without texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredChunks<'a> {
    /// Number of words of the text.
    pub words: u32,
    /// The selected chunks, ordered by first word, none beyond the last word. `start` and `end` are 0:
    /// there is no normalized text that they could refer to.
    pub chunks: Cow<'a, [Chunk]>,
}

impl<'a> Content<'a> {
    /// Returns the text; `None` if it is not stored.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Chunks(_) => None,
        }
    }

    /// Returns the text; `None` if it is not stored.
    #[must_use]
    pub fn into_text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(text),
            Self::Chunks(_) => None,
        }
    }

    /// Returns the same content, borrowed.
    fn borrowed(&self) -> Content<'_> {
        match self {
            Self::Text(text) => Content::Text(Cow::Borrowed(text)),
            Self::Chunks(StoredChunks { words, chunks }) => {
                Content::Chunks(StoredChunks { words: *words, chunks: Cow::Borrowed(chunks) })
            }
        }
    }

    /// Returns the content with its own copy of what it borrows.
    fn into_owned(self) -> Content<'static> {
        match self {
            Self::Text(text) => Content::Text(Cow::Owned(text.into_owned())),
            Self::Chunks(StoredChunks { words, chunks }) => {
                Content::Chunks(StoredChunks { words, chunks: Cow::Owned(chunks.into_owned()) })
            }
        }
    }
}

impl<'a, T: Into<Cow<'a, str>>> From<T> for Content<'a> {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

impl<'a> Document<'a> {
    /// Creates a document that has an id and a text, and nothing else.
    pub fn new(id: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>) -> Self {
        let (id, content) = (id.into(), Content::Text(text.into()));
        Self { id, content, time: None, notes: Vec::new(), metadata: None }
    }

    /// Returns the text; `None` if it is not stored.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.content.text()
    }

    /// Returns the document with another text.
    #[must_use]
    pub fn with_text(self, text: impl Into<Cow<'a, str>>) -> Self {
        Self { content: Content::Text(text.into()), ..self }
    }

    /// Returns the document with its own copy of everything that it borrows.
    #[must_use]
    pub fn into_owned(self) -> Document<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Document {
            id: owned(self.id),
            content: self.content.into_owned(),
            time: self.time.map(owned),
            notes: self.notes,
            metadata: self.metadata.map(owned),
        }
    }
}

impl<'a, I, T, U> From<(I, T, U)> for Document<'a>
where
    I: Into<Cow<'a, str>>,
    T: Into<Cow<'a, str>>,
    U: Into<Cow<'a, str>>,
{
    /// Creates a document from its id, its text and its time.
    fn from((id, text, time): (I, T, U)) -> Self {
        Self { time: Some(time.into()), ..Self::new(id, text) }
    }
}

impl<'a, I: Into<Cow<'a, str>>, T: Into<Cow<'a, str>>> From<(I, T)> for Document<'a> {
    /// Creates a document from its id and its text.
    fn from((id, text): (I, T)) -> Self {
        Self::new(id, text)
    }
}

impl<'a> From<&'a Document<'_>> for Document<'a> {
    /// Returns the same document, borrowed.
    fn from(document: &'a Document<'_>) -> Self {
        Self {
            id: Cow::Borrowed(&document.id),
            content: document.content.borrowed(),
            time: document.time.as_deref().map(Cow::Borrowed),
            notes: document.notes.clone(),
            metadata: document.metadata.as_deref().map(Cow::Borrowed),
        }
    }
}

/// A document that could not be read; the run continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// File or stream.
    pub path: String,
    /// Line of a record format, counted from 1.
    pub line: Option<u64>,
    /// What is wrong: lower case, no full stop.
    pub reason: String,
}

impl Problem {
    /// Creates the problem of a document whose id an earlier document has.
    #[must_use]
    pub fn duplicate_id(id: impl Into<String>) -> Self {
        let reason = "an earlier document has the same id; ids must be unique".to_owned();
        Self { path: id.into(), line: None, reason }
    }
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
    /// Receives one document; `Break` makes the piece stop reading.
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()>;

    /// Receives a problem; the piece continues unless this returns `Break`.
    fn problem(&mut self, problem: Problem) -> ControlFlow<()>;
}

/// A part of a source that can be read independently, on any thread.
pub trait Piece: Send {
    /// Reads every document of the piece and passes it to `sink`, in order.
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink);

    /// Number of input bytes of the piece (compressed size for compressed input), for progress.
    fn bytes(&self) -> u64;
}

/// Where documents come from: splits its input into pieces, in order.
pub trait Source: Send {
    /// Returns the next piece, or `None` at the end. Errors while splitting become pieces that report a
    /// [`Problem`] when read, so that they keep their position in the order.
    fn next_piece(&mut self) -> Option<Box<dyn Piece>>;

    /// Returns the part of the input to which the last piece belongs: 0, unless the source has a second
    /// part, to which the first is compared. Documents of different parts may have the same id.
    fn part(&self) -> u32 {
        0
    }

    /// Number of bytes of the whole input if known, for progress.
    fn total_bytes(&self) -> Option<u64>;

    /// Whether its documents have texts. All of them have ([`Content::Text`]), or none
    /// ([`Content::Chunks`]).
    fn has_texts(&self) -> bool {
        true
    }
}

/// A source that can be read again, for runs that need a second pass.
pub trait Rewind: Source {
    /// Returns a source of the same documents in the same order, from the start. It does not matter how
    /// much of this source has been read.
    ///
    /// # Errors
    /// If part of the input can be read only once.
    fn rewind(&self) -> Result<Box<dyn Rewind>, RewindError>;
}

/// Error: an input is a stream, which can be read only once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewindError {
    /// The stream.
    pub path: String,
}

impl fmt::Display for RewindError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        write!(formatter, "'{path}' is a stream and can be read only once; save it to a file first")
    }
}

impl std::error::Error for RewindError {}
