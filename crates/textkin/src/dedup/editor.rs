//! The editor: tells a second pass over the source what becomes of each document.

use textkin_core::Document;
use textkin_source::{Annotation, EditDecision};

use super::Duplicates;
use crate::discover::Watch;
use crate::error::Error;

/// Answers for the documents of a source in their order, as [`Duplicates::editor`] says.
#[derive(Debug)]
pub struct Editor<'a> {
    duplicates: &'a Duplicates,
    is_annotating: bool,
    watch: &'a Watch,
    /// Number of the next document, and of the next removal.
    document: u32,
    removal: usize,
    failure: Option<Error>,
    /// Documents and words so far, and how many of them go.
    tally: Tally,
}

/// How much there was and how much of it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Documents.
    pub documents: u64,
    /// Documents that go.
    pub documents_gone: u64,
    /// Documents of which a part goes.
    pub documents_cut: u64,
    /// Words.
    pub words: u64,
    /// Words that go.
    pub words_gone: u64,
}

impl Duplicates {
    /// What becomes of each document of the same source, read again from its beginning. With
    /// `is_annotating`, documents that would go stay and say what they duplicate.
    #[must_use]
    pub fn editor<'a>(&'a self, is_annotating: bool, watch: &'a Watch) -> Editor<'a> {
        Editor {
            duplicates: self,
            is_annotating,
            watch,
            document: 0,
            removal: 0,
            failure: None,
            tally: Tally::default(),
        }
    }

    /// How much there is and how much of it goes.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = Tally { documents: self.documents.len() as u64, ..Tally::default() };
        tally.words = self.documents.entries().map(|entry| u64::from(entry.words)).sum();
        tally.words_gone = self.removed.iter().map(|removal| u64::from(removal.words)).sum();
        let same = self.removed.chunk_by(|one, other| one.document == other.document);
        let touched = same.count() as u64;
        if self.is_whole {
            tally.documents_gone = touched;
        } else {
            tally.documents_cut = touched;
        }
        tally
    }
}

impl Editor<'_> {
    /// What passed since this was asked last.
    pub fn take_tally(&mut self) -> Tally {
        std::mem::take(&mut self.tally)
    }

    /// Checks that the second pass met the documents of the first.
    ///
    /// # Errors
    /// [`Error::OtherDocuments`] if it did not; [`Error::Stopped`].
    pub fn finish(self) -> Result<(), Error> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        match self.document as usize == self.duplicates.documents.len() {
            true => Ok(()),
            false => Err(Error::OtherDocuments {
                id: self.duplicates.documents.id(self.document).to_owned(),
            }),
        }
    }

    /// Why it said [`EditDecision::Stop`], if it did.
    pub fn take_failure(&mut self) -> Option<Error> {
        self.failure.take()
    }

    fn fate(&mut self, document: &Document<'_>) -> EditDecision {
        let Duplicates { documents, removed, cuts, is_whole, .. } = self.duplicates;
        let number = self.document;
        self.document += 1;
        let words = u64::from(documents.entry(number).words);
        let rest = &removed[self.removal..];
        let here = &rest[..rest.partition_point(|removal| removal.document <= number)];
        self.removal += here.len();
        self.tally.documents += 1;
        self.tally.words += words;
        self.tally.words_gone += here.iter().map(|removal| u64::from(removal.words)).sum::<u64>();
        if !is_whole {
            self.tally.documents_cut += u64::from(!here.is_empty());
            let cuts = &cuts[number as usize];
            return if cuts.is_empty() {
                EditDecision::Keep
            } else {
                EditDecision::Replace(cuts.apply(&document.text))
            };
        }
        self.tally.documents_gone += u64::from(!here.is_empty());
        let annotation = here.first().map(|removal| Annotation {
            duplicate_of: documents.id(removal.duplicate_of).to_owned(),
            score: removal.score,
        });
        match annotation {
            annotation if self.is_annotating => EditDecision::Annotate(annotation),
            Some(_) => EditDecision::Drop,
            None => EditDecision::Keep,
        }
    }
}

impl textkin_source::DocumentEditor for Editor<'_> {
    fn is_annotating(&self) -> bool {
        self.is_annotating
    }

    fn document(&mut self, document: &Document<'_>) -> EditDecision {
        if self.watch.stop.is_asked() {
            self.failure = Some(Error::Stopped);
            return EditDecision::Stop;
        }
        let documents = &self.duplicates.documents;
        let is_same = (self.document as usize) < documents.len()
            && documents.id(self.document) == document.id;
        if !is_same {
            self.failure = Some(Error::OtherDocuments { id: document.id.clone().into_owned() });
            return EditDecision::Stop;
        }
        self.fate(document)
    }
}
