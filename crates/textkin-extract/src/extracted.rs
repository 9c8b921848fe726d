//! Results of an extraction: documents, problems, and the sink that receives them.

use std::ops::ControlFlow;

use crate::Note;

/// The text of one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtractedDocument {
    /// Path inside the container; empty for the file itself. A label for display, not a path to
    /// open: control characters, `..` and leading slashes are removed.
    pub name: String,
    /// The text: paragraphs separated by empty lines.
    pub text: String,
    /// The title stored in the document.
    pub title: Option<String>,
    /// The time stored in the document, as written there or in ISO 8601.
    pub time: Option<String>,
    /// Notes, such as hidden text.
    pub notes: Vec<Note>,
    /// More about it as a JSON object, such as the positions of lines, if requested.
    pub metadata: Option<String>,
}

/// A part of a container that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartProblem {
    /// Path inside the container.
    pub name: String,
    /// What is wrong.
    pub reason: String,
}

/// Receives documents and problems in the order of the input. Returning `Break` ends the extraction.
pub trait ExtractSink {
    /// Receives a document.
    fn document(&mut self, document: ExtractedDocument) -> ControlFlow<()>;

    /// Receives a problem of a nested part.
    fn problem(&mut self, problem: PartProblem) -> ControlFlow<()>;
}

/// A sink that collects everything.
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
