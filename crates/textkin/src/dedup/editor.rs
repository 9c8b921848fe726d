//! The editor: decides in a second pass over the source what to do with each document.

use textkin_core::Document;
use textkin_source::{Annotation, EditDecision};

use super::Duplicates;
use crate::discover::RunControl;
use crate::error::Error;

/// Decides for each document of a source, in order, whether to keep, remove or edit it. Created by
/// [`Duplicates::editor`].
#[derive(Debug)]
pub struct DedupEditor<'a> {
    duplicates: &'a Duplicates,
    is_annotating: bool,
    control: &'a RunControl,
    /// The next document and the next removal.
    document: u32,
    removal: usize,
    failure: Option<Error>,
    /// The counts since the last call of [`DedupEditor::take_counts`].
    counts: DedupCounts,
}

/// The counts of a deduplication.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DedupCounts {
    /// Documents read.
    pub documents: u64,
    /// Documents removed.
    pub documents_removed: u64,
    /// Documents that lose a part.
    pub documents_shortened: u64,
    /// Words read.
    pub words: u64,
    /// Words removed.
    pub words_removed: u64,
}

impl Duplicates {
    /// Creates the editor for a second pass over the same source. With `is_annotating`, duplicates
    /// are kept and annotated with the document that they duplicate.
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

    /// Returns the counts of documents and words.
    #[must_use]
    pub fn counts(&self) -> DedupCounts {
        let mut counts =
            DedupCounts { documents: self.documents.len() as u64, ..DedupCounts::default() };
        counts.words = self.documents.entries().map(|entry| u64::from(entry.words)).sum();
        counts.words_removed = self.removed.iter().map(|removal| u64::from(removal.words)).sum();
        let by_document = self.removed.chunk_by(|one, other| one.document == other.document);
        let affected = by_document.count() as u64;
        if self.is_whole {
            counts.documents_removed = affected;
        } else {
            counts.documents_shortened = affected;
        }
        counts
    }
}

impl DedupEditor<'_> {
    /// Returns the counts since the last call.
    pub fn take_counts(&mut self) -> DedupCounts {
        std::mem::take(&mut self.counts)
    }

    /// Checks that the second pass found the same documents as the first.
    ///
    /// # Errors
    /// [`Error::InputChanged`] if it did not; [`Error::Stopped`] if the run was stopped.
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

    /// Returns the reason for [`EditDecision::Stop`], if there was one.
    pub fn take_failure(&mut self) -> Option<Error> {
        self.failure.take()
    }

    fn decide(&mut self, document: &Document<'_>) -> EditDecision {
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
                EditDecision::Replace(cuts.apply(document.text().unwrap_or_default()))
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
        self.decide(document)
    }
}
