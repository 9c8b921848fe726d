//! The documents that are given to check a report: those whose texts it speaks of, by digest.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use textkin::digest;
use textkin::source::Inputs;
use textkin::types::{Document, DocumentSink, Note, Problem, Source};

/// A document that was given.
pub(super) struct Known {
    /// Its place among all that were given.
    pub(super) number: u32,
    pub(super) text: String,
    /// What its source noticed.
    notes: Vec<Note>,
}

/// A document whose name is in the report.
struct Named {
    digest: String,
    notes: Vec<Note>,
}

/// What was given.
#[derive(Default)]
pub(super) struct Given {
    /// The texts of which the report speaks, by digest.
    pub(super) texts: HashMap<String, Known>,
    /// The documents whose names are in the report.
    named: HashMap<String, Named>,
    /// Number of all documents.
    pub(super) n_documents: u32,
    pub(super) problems: Vec<Problem>,
}

impl Given {
    /// Reads `inputs` and keeps what has one of the digests, or one of the names, in `wanted`.
    pub(super) fn read(inputs: &mut Inputs, wanted: &HashSet<String>) -> Self {
        let mut sink = Sink { wanted, given: Self::default() };
        while let Some(piece) = inputs.next_piece() {
            piece.read(&mut sink);
        }
        sink.given
    }

    /// Whether a document has the name `id`.
    pub(super) fn has(&self, id: &str) -> bool {
        self.named.contains_key(id)
    }

    /// What the source noticed about the document that the report calls `id`. Several may have the
    /// same text: the name tells which is meant, if it is known.
    pub(super) fn notes(&self, id: &str, digest: &str) -> &[Note] {
        match (self.named.get(id), self.texts.get(digest)) {
            (Some(named), _) if named.digest == digest => &named.notes,
            (_, Some(known)) => &known.notes,
            _ => &[],
        }
    }
}

struct Sink<'a> {
    wanted: &'a HashSet<String>,
    given: Given,
}

impl DocumentSink for Sink<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let number = self.given.n_documents;
        self.given.n_documents += 1;
        let digest = digest(&document.text);
        if self.wanted.contains(&*document.id) {
            let named = Named { digest: digest.clone(), notes: document.notes.clone() };
            self.given.named.insert(document.id.into_owned(), named);
        }
        if self.wanted.contains(&digest) {
            let (text, notes) = (document.text.into_owned(), document.notes);
            self.given.texts.entry(digest).or_insert(Known { number, text, notes });
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.given.problems.push(problem);
        ControlFlow::Continue(())
    }
}
