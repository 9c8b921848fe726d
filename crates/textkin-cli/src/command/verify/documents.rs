//! The documents given to check a report, by digest and by id.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use textkin::engine::digest;
use textkin::engine::types::{Document, DocumentSink, Note, Problem, Source};

/// A document of the report that was given.
pub(super) struct SuppliedText {
    /// Its number among all documents given.
    pub(super) number: u32,
    pub(super) text: String,
    /// Notes of its source.
    notes: Vec<Note>,
}

/// A document whose id is in the report.
struct NamedDocument {
    digest: String,
    notes: Vec<Note>,
}

/// The documents given.
#[derive(Default)]
pub(super) struct SuppliedDocuments {
    /// The texts of the report, by digest.
    pub(super) texts: HashMap<String, SuppliedText>,
    /// The documents whose ids are in the report.
    named: HashMap<String, NamedDocument>,
    /// Number of all documents.
    pub(super) n_documents: u32,
    pub(super) problems: Vec<Problem>,
}

impl SuppliedDocuments {
    /// Reads `source` and keeps documents whose digest or id is in `wanted`.
    pub(super) fn read(source: &mut dyn Source, wanted: &HashSet<String>) -> Self {
        let mut sink = SuppliedSink { wanted, documents: Self::default() };
        while let Some(piece) = source.next_piece() {
            piece.read(&mut sink);
        }
        sink.documents
    }

    /// Returns whether a document has the id `id`.
    pub(super) fn has(&self, id: &str) -> bool {
        self.named.contains_key(id)
    }

    /// Returns the notes on the document that the report calls `id`. If several documents have the same text,
    /// the id decides.
    pub(super) fn notes(&self, id: &str, digest: &str) -> &[Note] {
        match (self.named.get(id), self.texts.get(digest)) {
            (Some(named), _) if named.digest == digest => &named.notes,
            (_, Some(document)) => &document.notes,
            _ => &[],
        }
    }
}

struct SuppliedSink<'a> {
    wanted: &'a HashSet<String>,
    documents: SuppliedDocuments,
}

impl DocumentSink for SuppliedSink<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let number = self.documents.n_documents;
        self.documents.n_documents += 1;
        let text = document.content.into_text().unwrap_or_default();
        let digest = digest(&text);
        if self.wanted.contains(&*document.id) {
            let named = NamedDocument { digest: digest.clone(), notes: document.notes.clone() };
            self.documents.named.insert(document.id.into_owned(), named);
        }
        if self.wanted.contains(&digest) {
            let (text, notes) = (text.into_owned(), document.notes);
            self.documents.texts.entry(digest).or_insert(SuppliedText { number, text, notes });
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.documents.problems.push(problem);
        ControlFlow::Continue(())
    }
}
