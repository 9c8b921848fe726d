//! The documents that are given to check a report: those whose texts it speaks of, by digest.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use textkin::core::{Document, DocumentSink, Problem, Source};
use textkin::digest;
use textkin::source::Inputs;

/// A document that was given.
pub(super) struct Known {
    /// Its place among all that were given.
    pub(super) number: u32,
    pub(super) text: String,
}

/// What was given.
#[derive(Default)]
pub(super) struct Given {
    /// The texts of which the report speaks, by digest.
    pub(super) texts: HashMap<String, Known>,
    /// Those names of documents that are in the report.
    pub(super) ids: HashSet<String>,
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
        if self.wanted.contains(&digest) {
            let text = document.text.into_owned();
            self.given.texts.entry(digest).or_insert(Known { number, text });
        }
        if self.wanted.contains(&*document.id) {
            self.given.ids.insert(document.id.into_owned());
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.given.problems.push(problem);
        ControlFlow::Continue(())
    }
}
