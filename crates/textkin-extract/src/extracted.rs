//! What comes out: documents and problems, and who receives them.

use std::ops::ControlFlow;

use crate::Note;

/// The text of one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtractedDocument {
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
pub struct PartProblem {
    /// Path inside the container.
    pub name: String,
    /// What is wrong.
    pub reason: String,
}

/// Receives documents and problems in the order of the bytes. Break ends the extraction.
pub trait ExtractSink {
    /// A document was found.
    fn document(&mut self, document: ExtractedDocument) -> ControlFlow<()>;

    /// A nested part could not be read.
    fn problem(&mut self, problem: PartProblem) -> ControlFlow<()>;
}

/// A sink that keeps everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extraction {
    /// The documents, in order.
    pub documents: Vec<ExtractedDocument>,
    /// The problems, in order.
    pub problems: Vec<PartProblem>,
}

impl ExtractSink for Extraction {
    fn document(&mut self, document: ExtractedDocument) -> ControlFlow<()> {
        self.documents.push(document);
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: PartProblem) -> ControlFlow<()> {
        self.problems.push(problem);
        ControlFlow::Continue(())
    }
}
