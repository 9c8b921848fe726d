//! Processes the texts of a source in the order of preference and removes duplicate parts of each.
//!
//! Texts are analyzed on all threads; the lookup of earlier text runs on one thread, in order. In
//! input order, texts are cut as they are read; for any other order all texts are stored first.
//! Data that does not fit in memory is spilled to disk.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use textkin_core::{Disguises, Document, DocumentSink, Problem, Source};
use textkin_index::{ByteStore, Memory};

use super::cut::Cuts;
use super::ordered::in_order;
use super::{Duplicates, KeepRule, Removal, preference};
use crate::discover::RunControl;
use crate::documents::{DocumentPart, Documents};
use crate::error::Error;
use crate::ingest::DocumentNotes;
use crate::settings::Settings;

/// Number of stored texts that are analyzed together.
const TEXTS_PER_JOB: usize = 64;

/// Analyzes a text independently of others.
pub(super) trait TextAnalyzer: Sync {
    /// The result of the analysis.
    type Analysis: Send;

    /// Analyzes `text`.
    fn analyze(&self, text: &str) -> Self::Analysis;

    /// Returns the number of words of the text.
    fn words(analysis: &Self::Analysis) -> u32;

    /// Returns the disguised words of the text.
    fn disguises(analysis: &Self::Analysis) -> &Disguises;
}

/// Removes text that it has seen before from one text after another.
pub(super) trait Cutter {
    /// The analyzer of its texts.
    type Analyzer: TextAnalyzer;

    /// Returns the cuts of the text of `document`, and appends them to `removed`.
    fn cut(
        &mut self,
        document: u32,
        text: &str,
        analysis: <Self::Analyzer as TextAnalyzer>::Analysis,
        removed: &mut Vec<Removal>,
    ) -> Result<Cuts, Error>;
}

/// Returns one `divisor`-th of the memory.
pub(super) fn share(settings: &Settings, divisor: u64) -> Memory {
    Memory { budget: settings.memory_budget() / divisor, temp_dir: settings.temp_dir.clone() }
}

/// Removes duplicate parts from all texts of a source.
pub(super) fn cut<C: Cutter>(
    source: &mut dyn Source,
    settings: &Settings,
    keep: KeepRule,
    (analyzer, cutter): (C::Analyzer, C),
    control: &RunControl,
) -> Result<Duplicates, Error> {
    if keep == KeepRule::Best {
        return Err(Error::BestNeedsDocuments);
    }
    control.progress.begin("reading", source.total_bytes().unwrap_or(0));
    let threads = settings.n_threads();
    let mut walker =
        Walker { cutter, control, removed: Vec::new(), cuts: Vec::new(), failure: None };
    let mut stored_texts = (keep != KeepRule::First).then(|| ByteStore::new(share(settings, 4)));
    let is_over = AtomicBool::new(false);
    let is_stopping = || is_over.load(Ordering::Relaxed) || control.stop.is_requested();
    let read = |piece: Box<dyn textkin_core::Piece>| {
        let mut reader = PieceReader {
            analyzer: &analyzer,
            is_stopping: &is_stopping,
            bytes: piece.bytes(),
            part: DocumentPart::default(),
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
        let renumber = |notes: DocumentNotes| DocumentNotes {
            document: n_documents + notes.document,
            ..notes
        };
        notes.extend(piece.notes.into_iter().map(renumber));
        for (text, analysis) in piece.texts {
            match &mut stored_texts {
                Some(texts) => walker.record_failure(texts.put(n_documents, text.as_bytes())),
                None => walker.process(n_documents, &text, analysis),
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
    if let Some(texts) = stored_texts {
        control.progress.begin("removing duplicates", documents.len() as u64);
        walker.cuts.resize(documents.len(), Cuts::default());
        let order = preference::order(keep, &documents, &[]);
        let mut blocks = order.chunks(TEXTS_PER_JOB);
        let analyze = |block: &[u32]| {
            let one = |&document: &u32| {
                let bytes = texts.read(document, 0..u64::MAX)?;
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let analysis = analyzer.analyze(&text);
                Ok((document, text, analysis))
            };
            block.iter().map(one).collect::<Result<Vec<_>, textkin_index::Error>>()
        };
        in_order(
            threads,
            || blocks.next(),
            analyze,
            |block| {
                match block {
                    Ok(block) => {
                        control.progress.advance(block.len() as u64);
                        for (document, text, analysis) in block {
                            walker.process(document, &text, analysis);
                        }
                    }
                    Err(error) => walker.record_failure(Err(error)),
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

/// Processes texts in order until something fails.
struct Walker<'a, C> {
    cutter: C,
    control: &'a RunControl,
    removed: Vec<Removal>,
    cuts: Vec<Cuts>,
    failure: Option<Error>,
}

impl<C: Cutter> Walker<'_, C> {
    /// Removes duplicate parts from a text, unless something failed before.
    fn process(
        &mut self,
        document: u32,
        text: &str,
        analysis: <C::Analyzer as TextAnalyzer>::Analysis,
    ) {
        if self.control.stop.is_requested() {
            self.failure.get_or_insert(Error::Stopped);
        }
        if self.failure.is_some() {
            return;
        }
        match self.cutter.cut(document, text, analysis, &mut self.removed) {
            Err(error) => self.failure = Some(error),
            Ok(cuts) => match self.cuts.get_mut(document as usize) {
                Some(slot) => *slot = cuts,
                None => self.cuts.push(cuts),
            },
        }
    }

    /// Records the first failure.
    fn record_failure(&mut self, result: Result<(), textkin_index::Error>) {
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

/// Reads one piece and analyzes its texts.
struct PieceReader<'a, A: TextAnalyzer> {
    analyzer: &'a A,
    is_stopping: &'a (dyn Fn() -> bool + Sync),
    bytes: u64,
    part: DocumentPart,
    texts: Vec<(Box<str>, A::Analysis)>,
    /// Notes, with document numbers relative to the piece.
    notes: Vec<DocumentNotes>,
    problems: Vec<Problem>,
}

impl<A: TextAnalyzer> DocumentSink for PieceReader<'_, A> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let Some(text) = document.content.into_text() else {
            let reason = "its text is not stored".to_owned();
            return self.problem(Problem { path: document.id.into_owned(), line: None, reason });
        };
        let analysis = self.analyzer.analyze(&text);
        let words = A::words(&analysis);
        let mut notes = document.notes;
        notes.extend(A::disguises(&analysis).notes());
        if !notes.is_empty() {
            let document = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
            self.notes.push(DocumentNotes { document, notes });
        }
        self.part.push(&document.id, document.time.as_deref(), words, None);
        self.texts.push((text.into(), analysis));
        if (self.is_stopping)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problems.push(problem);
        ControlFlow::Continue(())
    }
}
