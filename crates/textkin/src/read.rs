//! One document of a file, by the name that options give it.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use textkin_core::{Document, DocumentSink, Note, Problem, Source};
use textkin_source::{Inputs, SourceSettings};

use crate::error::Error;

/// A document that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadDocument {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// What the source noticed about it.
    pub notes: Vec<Note>,
}

/// Takes the one document that is asked for.
struct Taker<'a> {
    file: String,
    /// The id of the document, if the file holds several.
    wanted: Option<&'a str>,
    taken: Option<ReadDocument>,
    n_documents: u64,
    problem: Option<Problem>,
}

impl Taker<'_> {
    /// Whether nothing more need be read: it is found, or there are too many to choose from.
    fn is_done(&self) -> bool {
        if self.wanted.is_some() { self.taken.is_some() } else { self.n_documents > 1 }
    }

    /// Whether `id` is the document asked for, as written or without the name of the file.
    fn is_wanted(&self, id: &str) -> bool {
        let Some(wanted) = self.wanted else { return true };
        let rest = id.strip_prefix(&self.file).unwrap_or(id);
        id == wanted || rest.trim_start_matches([':', '/', '!', '#']) == wanted
    }
}

impl DocumentSink for Taker<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        self.n_documents += 1;
        if self.is_wanted(&document.id) && self.taken.is_none() {
            let (id, text) = (document.id.into_owned(), document.text.into_owned());
            self.taken = Some(ReadDocument { id, text, notes: document.notes });
        }
        if self.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problem.get_or_insert(problem);
        ControlFlow::Continue(())
    }
}

/// The file and the id that `path` names: `FILE#ID`, unless a file has that very name.
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

/// Reads the one document that `path` names.
///
/// # Errors
/// If it cannot be read, there is none, or there are several.
pub fn read_document(path: &Path, settings: &SourceSettings) -> Result<ReadDocument, Error> {
    let (file, id) = split_document_path(path);
    let mut inputs = Inputs::open(&[&file], settings)?;
    let mut taker = Taker {
        file: file.display().to_string(),
        wanted: id.as_deref(),
        taken: None,
        n_documents: 0,
        problem: None,
    };
    while let Some(piece) = inputs.next_piece() {
        piece.read(&mut taker);
        if taker.is_done() {
            break;
        }
    }
    let Taker { taken, n_documents, problem, .. } = taker;
    let name = file.display();
    if id.is_none() && n_documents > 1 {
        let words = format!("{name} holds several documents; name one of them, as {name}#ID");
        return Err(Error::Document(words));
    }
    match (taken, problem, id) {
        (Some(read), ..) => Ok(read),
        (None, Some(problem), _) => Err(Error::Document(problem.to_string())),
        (None, None, Some(id)) => Err(Error::Document(format!("{name} holds no document '{id}'"))),
        (None, None, None) if file.as_os_str() == "-" => {
            Ok(ReadDocument { id: "-".to_owned(), text: String::new(), notes: Vec::new() })
        }
        (None, None, None) => Err(Error::Document(format!("{name}: it holds no document"))),
    }
}
