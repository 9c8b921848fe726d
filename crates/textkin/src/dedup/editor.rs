//! The editor: tells a second pass over the source what becomes of each document.

use textkin_core::Document;
use textkin_source::{Annotation, EditDecision};

use super::Duplicates;
use crate::discover::RunControl;
use crate::error::Error;

/// Answers for the documents of a source in their order, as [`Duplicates::editor`] says.
#[derive(Debug)]
pub struct DedupEditor<'a> {
    duplicates: &'a Duplicates,
    is_annotating: bool,
    control: &'a RunControl,
    /// Number of the next document, and of the next removal.
    document: u32,
    removal: usize,
    failure: Option<Error>,
    /// Documents and words so far, and how many of them go.
    counts: DedupCounts,
}

/// How much there was and how much of it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DedupCounts {
    /// Documents.
    pub documents: u64,
    /// Documents that go.
    pub documents_removed: u64,
    /// Documents of which a part goes.
    pub documents_shortened: u64,
    /// Words.
    pub words: u64,
    /// Words that go.
    pub words_removed: u64,
}

impl Duplicates {
    /// What becomes of each document of the same source, read again from its beginning. With
    /// `is_annotating`, documents that would go stay and say what they duplicate.
    #[must_use]
    pub fn editor<'a>(&'a self, is_annotating: bool, control: &'a RunControl) -> DedupEditor<'a> {
        DedupEditor {
            duplicates: self,
            is_annotating,
            control,
            document: 0,
            removal: 0,
            failure: None,
            counts: DedupCounts::default(),
        }
    }

    /// How much there is and how much of it goes.
    #[must_use]
    pub fn counts(&self) -> DedupCounts {
        let mut counts =
            DedupCounts { documents: self.documents.len() as u64, ..DedupCounts::default() };
        counts.words = self.documents.entries().map(|entry| u64::from(entry.words)).sum();
        counts.words_removed = self.removed.iter().map(|removal| u64::from(removal.words)).sum();
        let same = self.removed.chunk_by(|one, other| one.document == other.document);
        let touched = same.count() as u64;
        if self.is_whole {
            counts.documents_removed = touched;
        } else {
            counts.documents_shortened = touched;
        }
        counts
    }
}

impl DedupEditor<'_> {
    /// What passed since this was asked last.
    pub fn take_counts(&mut self) -> DedupCounts {
        std::mem::take(&mut self.counts)
    }

    /// Checks that the second pass met the documents of the first.
    ///
    /// # Errors
    /// [`Error::InputChanged`] if it did not; [`Error::Stopped`].
    pub fn finish(self) -> Result<(), Error> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        match self.document as usize == self.duplicates.documents.len() {
            true => Ok(()),
            false => Err(Error::InputChanged {
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
        self.counts.documents += 1;
        self.counts.words += words;
        self.counts.words_removed +=
            here.iter().map(|removal| u64::from(removal.words)).sum::<u64>();
        if !is_whole {
            self.counts.documents_shortened += u64::from(!here.is_empty());
            let cuts = &cuts[number as usize];
            return if cuts.is_empty() {
                EditDecision::Keep
            } else {
                EditDecision::Replace(cuts.apply(&document.text))
            };
        }
        self.counts.documents_removed += u64::from(!here.is_empty());
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

impl textkin_source::DocumentEditor for DedupEditor<'_> {
    fn is_annotating(&self) -> bool {
        self.is_annotating
    }

    fn document(&mut self, document: &Document<'_>) -> EditDecision {
        if self.control.stop.is_requested() {
            self.failure = Some(Error::Stopped);
            return EditDecision::Stop;
        }
        let documents = &self.duplicates.documents;
        let is_same = (self.document as usize) < documents.len()
            && documents.id(self.document) == document.id;
        if !is_same {
            self.failure = Some(Error::InputChanged { id: document.id.clone().into_owned() });
            return EditDecision::Stop;
        }
        self.fate(document)
    }
}
