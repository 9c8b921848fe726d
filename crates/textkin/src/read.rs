//! Reading a single document by its path: `FILE` or `FILE#ID`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use textkin_core::{Document, DocumentSink, Note, Problem, Source};
use textkin_source::{Inputs, SourceSettings};

use crate::error::Error;

/// A document that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadDocument {
    /// The id.
    pub id: String,
    /// The text.
    pub text: String,
    /// The notes of the source.
    pub notes: Vec<Note>,
}

/// Receives documents and keeps the requested one.
struct SingleDocument<'a> {
    file: String,
    /// The id of the document, if the file contains several.
    wanted: Option<&'a str>,
    found: Option<ReadDocument>,
    n_documents: u64,
    problem: Option<Problem>,
}

impl SingleDocument<'_> {
    /// Returns whether reading can stop: the document was found, or there are several to choose from.
    fn is_done(&self) -> bool {
        if self.wanted.is_some() { self.found.is_some() } else { self.n_documents > 1 }
    }

    /// Returns whether `id` is the requested id, with or without the name of the file.
    fn is_wanted(&self, id: &str) -> bool {
        let Some(wanted) = self.wanted else { return true };
        let rest = id.strip_prefix(&self.file).unwrap_or(id);
        id == wanted || rest.trim_start_matches([':', '/', '!', '#']) == wanted
    }
}

impl DocumentSink for SingleDocument<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        self.n_documents += 1;
        if self.is_wanted(&document.id) && self.found.is_none() {
            let text = document.content.into_text().unwrap_or_default().into_owned();
            let id = document.id.into_owned();
            self.found = Some(ReadDocument { id, text, notes: document.notes });
        }
        if self.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problem.get_or_insert(problem);
        ControlFlow::Continue(())
    }
}

/// Splits `FILE#ID` into file and id, unless a file with the whole name exists.
#[must_use]
pub fn split_document_path(path: &Path) -> (PathBuf, Option<String>) {
    let split = path.to_str().and_then(|name| name.rsplit_once('#'));
    match split {
        Some((file, id)) if !path.exists() && Path::new(file).exists() => {
            (file.into(), Some(id.to_owned()))
        }
        _ => (path.to_owned(), None),
    }
}

/// Reads the document at `path`, given as `FILE` or `FILE#ID`.
///
/// # Errors
/// If the document cannot be read, does not exist, or is one of several and no id is given.
pub fn read_document(path: &Path, settings: &SourceSettings) -> Result<ReadDocument, Error> {
    let (file, id) = split_document_path(path);
    let mut inputs = Inputs::open(&[&file], settings)?;
    let mut sink = SingleDocument {
        file: file.display().to_string(),
        wanted: id.as_deref(),
        found: None,
        n_documents: 0,
        problem: None,
    };
    while let Some(piece) = inputs.next_piece() {
        piece.read(&mut sink);
        if sink.is_done() {
            break;
        }
    }
    let SingleDocument { found, n_documents, problem, .. } = sink;
    let name = file.display();
    if id.is_none() && n_documents > 1 {
        let message = format!("{name} contains several documents; choose one with {name}#ID");
        return Err(Error::Document(message));
    }
    match (found, problem, id) {
        (Some(document), ..) => Ok(document),
        (None, Some(problem), _) => Err(Error::Document(problem.to_string())),
        (None, None, Some(id)) => {
            Err(Error::Document(format!("{name} contains no document '{id}'")))
        }
        (None, None, None) if file.as_os_str() == "-" => {
            Ok(ReadDocument { id: "-".to_owned(), text: String::new(), notes: Vec::new() })
        }
        (None, None, None) => Err(Error::Document(format!("{name} contains no document"))),
    }
}
