//! The order of time: documents are sorted by it, or it is said where they are not.

use std::io;
use std::ops::ControlFlow;

use anyhow::Context;
use textkin::report::terminal::{counted, fit};
use textkin::source::{DocumentSpool, Inputs};
use textkin::types::{Document, DocumentSink, Problem, Source};
use textkin::{Timestamp, TraceTimes};

use super::answers::Answers;
use crate::messages::print_message;

/// The most letters of an id in a message.
const ID: usize = 60;

/// Reads all documents first, sets them down in a temporary file, and hands them on by time; those of
/// equal time in the order in which they came, those without a time last.
pub(super) fn read_sorted(answers: &mut Answers, mut inputs: Inputs) -> anyhow::Result<()> {
    answers.skip_only_files(&inputs);
    if !inputs.is_rewindable() {
        print_message(format_args!(
            "textkin: reads its input to the end before the first answer, to sort it\n"
        ));
    }
    let written = || "cannot set documents down in a temporary file";
    let shelf = DocumentSpool::new(&std::env::temp_dir()).with_context(written)?;
    let mut shelving =
        Shelving { shelf, order: Vec::new(), times: TraceTimes::default(), failure: None, answers };
    while shelving.goes_on()
        && let Some(piece) = inputs.next_piece()
    {
        piece.read(&mut shelving);
    }
    let Shelving { shelf, mut order, times, failure, answers } = shelving;
    if let Some(error) = failure {
        return Err(error).with_context(written);
    }
    if answers.is_strict && times.missing + times.unreadable > 0 {
        let unreadable = times.first_unreadable.as_ref().map(|(id, _)| id);
        let first = times.first_missing.as_ref().or(unreadable).cloned().unwrap_or_default();
        answers.fail(anyhow::anyhow!(
            "'{first}' has no time that can be read; without --strict it comes after those that have"
        ));
    }
    tell_undated(&times);
    order.sort_unstable();
    let numbers = order.into_iter().map(|place| place.number);
    let documents = shelf.read_in_order(numbers).with_context(written)?;
    for document in documents {
        if !answers.goes_on() {
            break;
        }
        let _ = answers.document(document.with_context(written)?);
    }
    Ok(())
}

/// Where a document comes. The order of the fields is the order of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    is_undated: bool,
    timestamp: Timestamp,
    number: usize,
}

/// Sets documents down.
struct Shelving<'a> {
    shelf: DocumentSpool,
    order: Vec<Place>,
    times: TraceTimes,
    failure: Option<io::Error>,
    answers: &'a mut Answers,
}

impl Shelving<'_> {
    fn goes_on(&self) -> bool {
        self.failure.is_none() && self.answers.goes_on()
    }

    fn next(&self) -> ControlFlow<()> {
        if self.goes_on() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl DocumentSink for Shelving<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let timestamp = self.times.count(&document.id, document.time.as_deref());
        let number = self.order.len();
        let is_undated = timestamp.is_none();
        self.order.push(Place { is_undated, timestamp: timestamp.unwrap_or(Timestamp(0)), number });
        if let Err(error) = self.shelf.push(&document) {
            self.failure = Some(error);
        }
        self.next()
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.answers.problem(problem)
    }
}

/// Says which documents have no place in time.
fn tell_undated(times: &TraceTimes) {
    let parts: Vec<String> = undated(times);
    if !parts.is_empty() {
        print_message(format_args!(
            "textkin: {}; they come after those with a time\n",
            parts.join(", ")
        ));
    }
}

/// Says where the order of arrival is not that of time. If no field was named and no document has a
/// time, nobody thought of times.
pub(super) fn tell_times(times: &TraceTimes, field: Option<&str>) {
    if times.is_chronological() || (times.dated == 0 && field.is_none()) {
        return;
    }
    let mut parts = Vec::new();
    if let Some((id, time, before)) = &times.first_backward {
        let documents = counted(times.backward, "document is", "documents are");
        let id = fit(id, ID);
        parts.push(format!(
            "{documents} earlier than one before (first {id}: {time} after {before})"
        ));
    }
    if times.equal > 0 {
        let documents = counted(times.equal, "document is", "documents are");
        parts.push(format!("{documents} as early as the latest before"));
    }
    parts.extend(undated(times));
    let hint = match times.backward {
        0 => "",
        _ => {
            "; all were taken in the order in which they came, and --sort takes them in that of time"
        }
    };
    print_message(format_args!("textkin: {}{hint}\n", parts.join(", ")));
}

fn undated(times: &TraceTimes) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(id) = &times.first_missing {
        let documents = counted(times.missing, "document has", "documents have");
        parts.push(format!("{documents} no time (first {})", fit(id, ID)));
    }
    if let Some((id, time)) = &times.first_unreadable {
        let documents = counted(times.unreadable, "document has", "documents have");
        let (id, time) = (fit(id, ID), fit(time, ID));
        parts.push(format!("{documents} a time that cannot be read (first {id}: '{time}')"));
    }
    parts
}
