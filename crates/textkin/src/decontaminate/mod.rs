//! Decontamination: finds and removes evaluation items in a training corpus.
//!
//! In: an [`EvaluationSet`] and documents. Out: [`DocumentLeaks`], a [`LeakTally`] of the items, and documents without
//! them. An item is judged by the share of the item that a document contains, never by the share of the document, so
//! that wrapping, embedding and dilution do not hide it. Memory follows the evaluation sets: the corpus is read once,
//! or twice to count documents ([`find_public_items`]).
//!
//! `items` reads the sets, `words` measures how rare their words are, `index` finds shared runs of words, `place` and
//! `align` how much of an item is at a place, `matcher` judges, `published` has the rules of others, `editor` edits
//! documents and `tally` counts what happened to the items.

mod align;
mod editor;
mod index;
mod items;
mod matcher;
mod place;
mod published;
mod rule;
mod tally;
#[cfg(test)]
mod tests;
mod words;

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use textkin_core::{Document, DocumentSink, Problem, Source, parallel};

use crate::discover::RunControl;
use crate::error::Error;

pub use editor::{DecontaminationCounts, DocumentLeaks, EditedDocuments, LeakEditor};
pub use items::{Answer, EvaluationItem, EvaluationSet, ItemFields};
pub use matcher::{LeakHit, LeakMatcher, LeakReason, MatchBuffer};
pub use rule::{Cut, Preset};
pub use tally::{ItemCount, ItemStatus, LeakTally};
pub use words::ITEM_NORMALIZATION;

/// Text from the beginning of a corpus that decides how rare words are.
const SAMPLE_BYTES: usize = 4 << 20;

/// Documents of that text.
const SAMPLE_DOCUMENTS: usize = 20_000;

/// What was found in a source.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Leaks {
    /// The documents that contain an item, in input order.
    pub documents: Vec<DocumentLeaks>,
    /// Number and id of every document, in input order.
    pub ids: Vec<String>,
    /// The documents that could not be read, in input order.
    pub problems: Vec<Problem>,
    /// The number of documents and words, and how many are removed.
    pub counts: DecontaminationCounts,
}

/// Reads the beginning of a corpus, from which the rarity of words is estimated.
#[must_use]
pub fn sample_corpus(source: &mut dyn Source) -> Vec<String> {
    struct Sample {
        texts: Vec<String>,
        bytes: usize,
    }
    impl DocumentSink for Sample {
        fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
            let text = document.text().unwrap_or_default();
            let mut end = text.len().min(SAMPLE_BYTES - self.bytes.min(SAMPLE_BYTES));
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            self.bytes += end;
            self.texts.push(text[..end].to_owned());
            match self.bytes < SAMPLE_BYTES && self.texts.len() < SAMPLE_DOCUMENTS {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        }

        fn problem(&mut self, _: Problem) -> ControlFlow<()> {
            // The pass over the whole corpus reports it.
            ControlFlow::Continue(())
        }
    }
    let mut sample = Sample { texts: Vec::new(), bytes: 0 };
    while sample.bytes < SAMPLE_BYTES
        && sample.texts.len() < SAMPLE_DOCUMENTS
        && let Some(piece) = source.next_piece()
    {
        piece.read(&mut sample);
    }
    sample.texts
}

/// Finds the documents of `source` that contain items. The result does not depend on the number of threads.
///
/// # Errors
/// If a document cannot be read in a strict run, or the run is stopped.
pub fn find_leaks(
    source: &mut dyn Source,
    matcher: &LeakMatcher,
    cut: Cut,
    threads: usize,
    is_strict: bool,
    control: &RunControl,
) -> Result<Leaks, Error> {
    struct PieceSink<'a> {
        editor: LeakEditor<'a>,
        ids: Vec<String>,
        control: &'a RunControl,
    }
    impl DocumentSink for PieceSink<'_> {
        fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
            if self.control.stop.is_requested() {
                return ControlFlow::Break(());
            }
            self.editor.edit(&document);
            self.ids.push(document.id.into_owned());
            ControlFlow::Continue(())
        }

        fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
            self.editor.add_problem(problem);
            ControlFlow::Continue(())
        }
    }
    control.progress.begin("reading", source.total_bytes().unwrap_or(0));
    let queue = Mutex::new((source, 0usize));
    let parts = parallel::run(threads, |_| {
        let mut parts = Vec::new();
        while !control.stop.is_requested() {
            let mut taking = queue.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(piece) = taking.0.next_piece() else { break };
            let number = taking.1;
            taking.1 += 1;
            drop(taking);
            let bytes = piece.bytes();
            let editor = LeakEditor::new(matcher, cut, control);
            let mut sink = PieceSink { editor, ids: Vec::new(), control };
            piece.read(&mut sink);
            parts.push((number, sink.editor.finish(), sink.ids));
            control.progress.advance(bytes);
        }
        parts
    });
    if control.stop.is_requested() {
        return Err(Error::Stopped);
    }
    let mut parts: Vec<_> = parts.into_iter().flatten().collect();
    parts.sort_unstable_by_key(|(number, ..)| *number);
    let mut leaks = Leaks::default();
    for (_, part, ids) in parts {
        let begin = leaks.ids.len() as u64;
        leaks.ids.extend(ids);
        leaks.problems.extend(part.problems);
        leaks.counts += part.counts;
        leaks.documents.extend(
            part.leaks
                .into_iter()
                .map(|leak| DocumentLeaks { number: begin + leak.number, ..leak }),
        );
    }
    match leaks.problems.first() {
        Some(problem) if is_strict => Err(Error::Problem(problem.clone())),
        _ => Ok(leaks),
    }
}

/// Marks the items that more than `max_documents` documents of `source` contain as public material.
///
/// # Errors
/// As [`find_leaks`].
pub fn find_public_items(
    source: &mut dyn Source,
    matcher: &mut LeakMatcher,
    max_documents: u64,
    threads: usize,
    is_strict: bool,
    control: &RunControl,
) -> Result<(), Error> {
    let found = find_leaks(source, matcher, Cut::None, threads, is_strict, control)?;
    let mut tally = LeakTally::new(matcher);
    tally.add(&found.documents);
    let counts = (0u32..).zip(tally.counts());
    let public = counts.filter(|(_, count)| count.documents > max_documents);
    matcher.set_public(public.map(|(item, _)| item).collect::<Vec<_>>());
    Ok(())
}
