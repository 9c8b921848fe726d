//! Walks the texts of a source in the order of preference and lets a cutter cut each.
//!
//! In input order a text is cut as it is read; for any other order all texts are held in memory.

use std::ops::ControlFlow;

use textkin_core::{Document, DocumentSink, Problem, Source};

use super::cut::Cuts;
use super::{Duplicates, Keep, Removal, preference};
use crate::discover::Watch;
use crate::documents::{Documents, Part};
use crate::error::Error;
use crate::settings::Settings;

/// Cuts what it has seen before out of one text after the other.
pub(super) trait Cutter {
    /// Number of words of `text`.
    fn words(&mut self, text: &str) -> u32;

    /// What goes out of the text of `document`; it is told to `removed`.
    fn cut(&mut self, document: u32, text: &str, removed: &mut Vec<Removal>) -> Cuts;

    /// Bytes of memory that what was seen takes.
    fn bytes(&self) -> u64;
}

/// Cuts all texts of a source.
pub(super) fn cut<C: Cutter>(
    source: &mut dyn Source,
    settings: &Settings,
    keep: Keep,
    cutter: C,
    watch: &Watch,
) -> Result<Duplicates, Error> {
    if keep == Keep::Best {
        return Err(Error::BestOfParts);
    }
    watch.progress.begin("reading", source.total_bytes().unwrap_or(0));
    let mut walker = Walker {
        cutter,
        budget: settings.memory_budget(),
        is_strict: settings.is_strict,
        watch,
        texts: (keep != Keep::First).then(Vec::new),
        text_bytes: 0,
        part: Part::default(),
        n_documents: 0,
        problems: Vec::new(),
        removed: Vec::new(),
        cuts: Vec::new(),
        failure: None,
    };
    let mut parts = Vec::new();
    while let Some(piece) = source.next_piece() {
        let bytes = piece.bytes();
        piece.read(&mut walker);
        parts.push(std::mem::take(&mut walker.part));
        if let Some(failure) = walker.failure {
            return Err(failure);
        }
        watch.progress.advance(bytes);
    }
    let documents = Documents::new(parts);
    if let Some(texts) = walker.texts.take() {
        watch.progress.begin("cutting", texts.len() as u64);
        walker.cuts.resize(texts.len(), Cuts::default());
        for document in preference::order(keep, &documents, &[]) {
            walker.one(document, &texts[document as usize]);
            watch.progress.advance(1);
            if let Some(failure) = walker.failure {
                return Err(failure);
            }
        }
    }
    let start = |removal: &Removal| removal.place.map_or(0, |place| place.span.start);
    walker.removed.sort_by_key(|removal| (removal.document, start(removal)));
    Ok(Duplicates {
        documents,
        problems: walker.problems,
        removed: walker.removed,
        capped: None,
        is_whole: false,
        cuts: walker.cuts,
    })
}

struct Walker<'a, C> {
    cutter: C,
    budget: u64,
    is_strict: bool,
    watch: &'a Watch,
    /// The texts, if they are not cut as they come.
    texts: Option<Vec<Box<str>>>,
    text_bytes: u64,
    part: Part,
    n_documents: u32,
    problems: Vec<Problem>,
    removed: Vec<Removal>,
    cuts: Vec<Cuts>,
    failure: Option<Error>,
}

impl<C: Cutter> Walker<'_, C> {
    fn one(&mut self, document: u32, text: &str) {
        let cuts = self.cutter.cut(document, text, &mut self.removed);
        match self.cuts.get_mut(document as usize) {
            Some(slot) => *slot = cuts,
            None => self.cuts.push(cuts),
        }
        if self.cutter.bytes() + self.text_bytes > self.budget {
            self.failure = Some(Error::TooMuchToClean);
        } else if self.watch.stop.is_asked() {
            self.failure = Some(Error::Stopped);
        }
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<C: Cutter> DocumentSink for Walker<'_, C> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let words = self.cutter.words(&document.text);
        self.part.push(&document.id, document.time.as_deref(), words, None);
        let number = self.n_documents;
        self.n_documents += 1;
        match &mut self.texts {
            Some(texts) => {
                self.text_bytes += document.text.len() as u64;
                texts.push(document.text.into());
                if self.text_bytes > self.budget {
                    self.failure = Some(Error::TooMuchToClean);
                } else if self.watch.stop.is_asked() {
                    self.failure = Some(Error::Stopped);
                }
            }
            None => self.one(number, &document.text),
        }
        self.flow()
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        if self.is_strict {
            self.failure = Some(Error::Problem(problem));
        } else {
            self.problems.push(problem);
        }
        self.flow()
    }
}
