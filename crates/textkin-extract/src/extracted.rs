//! What comes out: documents and problems, and who receives them.

use std::ops::ControlFlow;

use crate::Note;

/// The text of one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extracted {
    /// Path inside the container; empty for the file itself. A label, never a path to open:
    /// control characters, `..` and leading slashes are removed.
    pub name: String,
    /// The text: paragraphs with an empty line between them.
    pub text: String,
    /// The title the document gives itself.
    pub title: Option<String>,
    /// The time the document gives itself, as it is written there or in ISO 8601.
    pub time: Option<String>,
    /// What is worth knowing besides.
    pub notes: Vec<Note>,
}

/// A part of a container that could not be read; the rest was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Path inside the container.
    pub name: String,
    /// What is wrong.
    pub reason: String,
}

/// Receives documents and problems in the order of the bytes. Break ends the extraction.
pub trait Sink {
    /// A document was found.
    fn document(&mut self, document: Extracted) -> ControlFlow<()>;

    /// A nested part could not be read.
    fn problem(&mut self, problem: Problem) -> ControlFlow<()>;
}

/// A sink that keeps everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// The documents, in order.
    pub documents: Vec<Extracted>,
    /// The problems, in order.
    pub problems: Vec<Problem>,
}

impl Sink for Collected {
    fn document(&mut self, document: Extracted) -> ControlFlow<()> {
        self.documents.push(document);
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problems.push(problem);
        ControlFlow::Continue(())
    }
}
