//! Walks the texts of a source in the order of preference and lets a cutter cut each.
//!
//! Whatever can be known of a text alone is prepared on all threads; what was there before is asked
//! on one, in order. In input order a text is cut as it is read; for any other order all texts are
//! kept until then. What does not fit the memory goes to disk.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use textkin_core::{Disguises, Document, DocumentSink, Problem, Source};
use textkin_index::{ByteStore, Memory};

use super::cut::Cuts;
use super::ordered::in_order;
use super::{Duplicates, KeepRule, Removal, preference};
use crate::discover::RunControl;
use crate::documents::{Documents, Part};
use crate::error::Error;
use crate::ingest::DocumentNotes;
use crate::settings::Settings;

/// Texts that are prepared at once, where they are not cut as they come.
const TEXTS_AT_ONCE: usize = 64;

/// Finds out what can be known of a text alone.
pub(super) trait Preparer: Sync {
    /// What it finds out.
    type Prepared: Send;

    /// What can be known of `text`.
    fn prepare(&self, text: &str) -> Self::Prepared;

    /// Number of words of the text.
    fn words(prepared: &Self::Prepared) -> u32;

    /// What disguises words of the text.
    fn disguises(prepared: &Self::Prepared) -> &Disguises;
}

/// Cuts what it has seen before out of one text after the other.
pub(super) trait Cutter {
    /// What it needs to know of a text.
    type Preparer: Preparer;

    /// What goes out of the text of `document`; it is told to `removed`.
    fn cut(
        &mut self,
        document: u32,
        text: &str,
        prepared: <Self::Preparer as Preparer>::Prepared,
        removed: &mut Vec<Removal>,
    ) -> Result<Cuts, Error>;
}

/// A share of the memory: one `part`-th of it.
pub(super) fn share(settings: &Settings, part: u64) -> Memory {
    Memory { budget: settings.memory_budget() / part, temp_dir: settings.temp_dir.clone() }
}

/// Cuts all texts of a source.
pub(super) fn cut<C: Cutter>(
    source: &mut dyn Source,
    settings: &Settings,
    keep: KeepRule,
    (preparer, cutter): (C::Preparer, C),
    control: &RunControl,
) -> Result<Duplicates, Error> {
    if keep == KeepRule::Best {
        return Err(Error::BestNeedsDocuments);
    }
    control.progress.begin("reading", source.total_bytes().unwrap_or(0));
    let threads = settings.n_threads();
    let mut walker =
        Walker { cutter, control, removed: Vec::new(), cuts: Vec::new(), failure: None };
    let mut held = (keep != KeepRule::First).then(|| ByteStore::new(share(settings, 4)));
    let is_over = AtomicBool::new(false);
    let is_stopping = || is_over.load(Ordering::Relaxed) || control.stop.is_requested();
    let read = |piece: Box<dyn textkin_core::Piece>| {
        let mut reader = Reader {
            preparer: &preparer,
            is_stopping: &is_stopping,
            bytes: piece.bytes(),
            part: Part::default(),
            texts: Vec::new(),
            notes: Vec::new(),
            problems: Vec::new(),
        };
        piece.read(&mut reader);
        reader
    };
    let mut parts = Vec::new();
    let (mut problems, mut notes) = (Vec::new(), Vec::new());
    let mut n_documents = 0u32;
    let next = || if is_stopping() { None } else { source.next_piece() };
    in_order(threads, next, read, |piece| {
        parts.push(piece.part);
        let noted = |noted: DocumentNotes| DocumentNotes {
            document: n_documents + noted.document,
            ..noted
        };
        notes.extend(piece.notes.into_iter().map(noted));
        for (text, prepared) in piece.texts {
            match &mut held {
                Some(held) => walker.note(held.put(n_documents, text.as_bytes())),
                None => walker.one(n_documents, &text, prepared),
            }
            n_documents += 1;
        }
        match piece.problems.first() {
            Some(problem) if settings.is_strict => {
                walker.failure.get_or_insert(Error::Problem(problem.clone()));
            }
            _ => problems.extend(piece.problems),
        }
        control.progress.advance(piece.bytes);
        is_over.store(walker.failure.is_some(), Ordering::Relaxed);
        walker.flow()
    });
    walker.check()?;
    let documents = Documents::new(parts);
    if let Some(texts) = held {
        control.progress.begin("cutting", documents.len() as u64);
        walker.cuts.resize(documents.len(), Cuts::default());
        let order = preference::order(keep, &documents, &[]);
        let mut blocks = order.chunks(TEXTS_AT_ONCE);
        let prepare = |block: &[u32]| {
            let one = |&document: &u32| {
                let bytes = texts.read(document, 0..u64::MAX)?;
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let prepared = preparer.prepare(&text);
                Ok((document, text, prepared))
            };
            block.iter().map(one).collect::<Result<Vec<_>, textkin_index::Error>>()
        };
        in_order(
            threads,
            || blocks.next(),
            prepare,
            |block| {
                match block {
                    Ok(block) => {
                        control.progress.advance(block.len() as u64);
                        for (document, text, prepared) in block {
                            walker.one(document, &text, prepared);
                        }
                    }
                    Err(error) => walker.note(Err(error)),
                }
                walker.flow()
            },
        );
        walker.check()?;
    }
    let start = |removal: &Removal| removal.part.map_or(0, |part| part.span.start);
    walker.removed.sort_by_key(|removal| (removal.document, start(removal)));
    Ok(Duplicates {
        documents,
        problems,
        notes,
        removed: walker.removed,
        capped: None,
        is_whole: false,
        cuts: walker.cuts,
    })
}

/// Cuts texts in order, until something fails.
struct Walker<'a, C> {
    cutter: C,
    control: &'a RunControl,
    removed: Vec<Removal>,
    cuts: Vec<Cuts>,
    failure: Option<Error>,
}

impl<C: Cutter> Walker<'_, C> {
    /// Cuts a text, unless something failed before.
    fn one(&mut self, document: u32, text: &str, prepared: <C::Preparer as Preparer>::Prepared) {
        if self.control.stop.is_requested() {
            self.failure.get_or_insert(Error::Stopped);
        }
        if self.failure.is_some() {
            return;
        }
        match self.cutter.cut(document, text, prepared, &mut self.removed) {
            Err(error) => self.failure = Some(error),
            Ok(cuts) => match self.cuts.get_mut(document as usize) {
                Some(slot) => *slot = cuts,
                None => self.cuts.push(cuts),
            },
        }
    }

    /// Remembers the first failure.
    fn note(&mut self, result: Result<(), textkin_index::Error>) {
        if let Err(error) = result {
            self.failure.get_or_insert(error.into());
        }
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn check(&mut self) -> Result<(), Error> {
        if self.control.stop.is_requested() {
            return Err(Error::Stopped);
        }
        self.failure.take().map_or(Ok(()), Err)
    }
}

/// Reads one piece and prepares its texts.
struct Reader<'a, P: Preparer> {
    preparer: &'a P,
    is_stopping: &'a (dyn Fn() -> bool + Sync),
    bytes: u64,
    part: Part,
    texts: Vec<(Box<str>, P::Prepared)>,
    /// The documents with notes, by their number in the piece.
    notes: Vec<DocumentNotes>,
    problems: Vec<Problem>,
}

impl<P: Preparer> DocumentSink for Reader<'_, P> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let prepared = self.preparer.prepare(&document.text);
        let words = P::words(&prepared);
        let mut notes = document.notes;
        notes.extend(P::disguises(&prepared).notes());
        if !notes.is_empty() {
            let document = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
            self.notes.push(DocumentNotes { document, notes });
        }
        self.part.push(&document.id, document.time.as_deref(), words, None);
        self.texts.push((document.text.into(), prepared));
        if (self.is_stopping)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problems.push(problem);
        ControlFlow::Continue(())
    }
}
