//! Chronological order: sorts documents by time, or reports documents that are out of order.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::Context;
use textkin::engine::report::terminal::{counted, fit};
use textkin::engine::source::{DocumentSpool, Inputs};
use textkin::engine::types::{Document, DocumentSink, Problem, Source};
use textkin::engine::{Timestamp, TraceTimes};

use super::session::TraceSession;
use crate::messages::print_message;

/// Maximum length of an id in a message.
const MAX_ID_CHARS: usize = 60;

/// Stores all documents in a temporary file and traces them by time. Documents of equal time keep their order;
/// those without a time come last.
pub(super) fn read_sorted(
    session: &mut TraceSession,
    mut inputs: Inputs,
    temp_dir: &Path,
) -> anyhow::Result<()> {
    session.reset_skip_of_pipe(&inputs);
    if !inputs.is_rewindable() {
        session.note(format_args!("reading the whole input before the first result, to sort it"));
    }
    let context = || "cannot store documents in a temporary file";
    let spool = DocumentSpool::new(temp_dir).with_context(context)?;
    let total = inputs.total_bytes().unwrap_or(0);
    session.run_control.progress.begin("reading", total);
    let mut sink = SortingSink {
        spool,
        keys: Vec::new(),
        times: TraceTimes::default(),
        failure: None,
        session,
    };
    while sink.continues()
        && let Some(piece) = inputs.next_piece()
    {
        let bytes = piece.bytes();
        piece.read(&mut sink);
        sink.session.run_control.progress.advance(bytes);
    }
    let SortingSink { spool, mut keys, times, failure, session } = sink;
    if let Some(error) = failure {
        return Err(error).with_context(context);
    }
    if session.is_strict && times.missing + times.unreadable > 0 {
        let unreadable = times.first_unreadable.as_ref().map(|(id, _)| id);
        let first = times.first_missing.as_ref().or(unreadable).cloned().unwrap_or_default();
        session.fail(anyhow::anyhow!(
            "'{first}' has no valid time; without --strict it is placed after the documents that have one"
        ));
    }
    if !session.is_quiet {
        report_undated(&times);
    }
    keys.sort_unstable();
    session.run_control.progress.begin("tracing in order", keys.len() as u64);
    let numbers = keys.into_iter().map(|key| key.number);
    let documents = spool.read_in_order(numbers).with_context(context)?;
    for document in documents {
        if !session.continues() {
            break;
        }
        let _ = session.document(document.with_context(context)?);
        session.run_control.progress.advance(1);
    }
    Ok(())
}

/// The sort key of a document. The order of the fields matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SortKey {
    is_undated: bool,
    timestamp: Timestamp,
    number: usize,
}

/// Stores documents in a temporary file.
struct SortingSink<'a> {
    spool: DocumentSpool,
    keys: Vec<SortKey>,
    times: TraceTimes,
    failure: Option<io::Error>,
    session: &'a mut TraceSession,
}

impl SortingSink<'_> {
    fn continues(&self) -> bool {
        self.failure.is_none() && self.session.continues()
    }

    fn next(&self) -> ControlFlow<()> {
        if self.continues() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl DocumentSink for SortingSink<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let timestamp = self.times.count(&document.id, document.time.as_deref());
        let number = self.keys.len();
        let is_undated = timestamp.is_none();
        self.keys.push(SortKey {
            is_undated,
            timestamp: timestamp.unwrap_or(Timestamp(0)),
            number,
        });
        if let Err(error) = self.spool.push(&document) {
            self.failure = Some(error);
        }
        self.next()
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.session.problem(problem)
    }
}

/// Reports documents without a valid time.
fn report_undated(times: &TraceTimes) {
    let parts: Vec<String> = undated(times);
    if !parts.is_empty() {
        print_message(format_args!("textkin: {}; they come after the others\n", parts.join(", ")));
    }
}

/// Reports documents that are out of chronological order. Prints nothing if no document has a time and
/// --time-field was not given.
pub(super) fn report_times(times: &TraceTimes, field: Option<&str>) {
    if times.is_chronological() || (times.dated == 0 && field.is_none()) {
        return;
    }
    let mut parts = Vec::new();
    if let Some((id, time, before)) = &times.first_backward {
        let documents = counted(times.backward, "document is", "documents are");
        let id = fit(id, MAX_ID_CHARS);
        parts.push(format!(
            "{documents} earlier than a previous one (first {id}: {time} after {before})"
        ));
    }
    if times.equal > 0 {
        let documents = counted(times.equal, "document is", "documents are");
        parts.push(format!("{documents} as old as the latest previous one"));
    }
    parts.extend(undated(times));
    let hint = match times.backward {
        0 => "",
        _ => "; documents were traced in order of arrival, use --sort to trace them by time",
    };
    print_message(format_args!("textkin: {}{hint}\n", parts.join(", ")));
}

fn undated(times: &TraceTimes) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(id) = &times.first_missing {
        let documents = counted(times.missing, "document has", "documents have");
        parts.push(format!("{documents} no time (first {})", fit(id, MAX_ID_CHARS)));
    }
    if let Some((id, time)) = &times.first_unreadable {
        let documents = counted(times.unreadable, "document has", "documents have");
        let (id, time) = (fit(id, MAX_ID_CHARS), fit(time, MAX_ID_CHARS));
        parts.push(format!("{documents} an invalid time (first {id}: '{time}')"));
    }
    parts
}
