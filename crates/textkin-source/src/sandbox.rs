//! Reads a file in a separate process.
//!
//! For servers that read untrusted files: whatever a file does to its reader, only that process
//! ends. The process is this program, started again as a worker (`extraction::worker`) with limits on
//! memory and time. It sends documents and problems as JSON lines; an empty object marks the end.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};
use textkin_core::{Document, DocumentSink, Note, Problem, Source};

use crate::extraction::worker::Worker;
use crate::{Inputs, SourceSettings};

/// The worker argument that selects this task.
pub(crate) const DOCUMENTS: &str = "documents";

/// Maximum bytes of a line per byte of text: an escaped character takes six.
const MAX_ESCAPED_BYTES: u64 = 6;
/// Maximum bytes of a line besides its text: id, time, other fields.
const MAX_OTHER_BYTES: u64 = 16 << 20;

/// Reads one file in a process of `settings.worker` and passes its documents to `sink`, as [`Inputs`]
/// would (notes as text). Of the other settings only `max_document_bytes` applies; metadata is kept
/// and hidden files are read. Every failure is reported as a problem of the file.
pub fn read_in_subprocess(path: &Path, settings: &SourceSettings, sink: &mut dyn DocumentSink) {
    let reason = match try_read(path, settings, sink) {
        Ok(()) => return,
        Err(reason) => reason,
    };
    // This is the last call, so the flow does not matter.
    let _ = sink.problem(Problem { path: path.display().to_string(), line: None, reason });
}

fn try_read(
    path: &Path,
    settings: &SourceSettings,
    sink: &mut dyn DocumentSink,
) -> Result<(), String> {
    let worker = &settings.worker;
    let mut command = worker.command().ok_or("no worker program is set")?;
    command.arg(DOCUMENTS).arg(settings.max_document_bytes.to_string());
    command.args(&worker.program).arg(path);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("cannot start a worker: {error}"))?;
    let stdout = child.stdout.take().ok_or("cannot start a worker")?;
    let child = Mutex::new(child);
    let max_line = settings
        .max_document_bytes
        .saturating_mul(MAX_ESCAPED_BYTES)
        .saturating_add(MAX_OTHER_BYTES);
    let (ended, has_ended) = channel::<()>();
    // One thread reads, the other watches the clock.
    std::thread::scope(|scope| {
        let child = &child;
        let clock = scope.spawn(move || {
            let late = has_ended.recv_timeout(worker.limits.time) == Err(RecvTimeoutError::Timeout);
            if late {
                kill(child);
            }
            late
        });
        let result = read_lines(BufReader::with_capacity(1 << 18, stdout), max_line, sink);
        drop(ended);
        kill(child);
        match (result, clock.join().unwrap_or(false)) {
            (Err(_), true) => Err(format!("took longer than {} s", worker.limits.time.as_secs())),
            (result, _) => result,
        }
    })
}

/// Kills a process that may have ended already.
fn kill(child: &Mutex<Child>) {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = child.kill();
    let _ = child.wait();
}

/// Passes the documents and problems in `lines` to `sink`, until the last line or until `sink` stops.
fn read_lines(
    mut lines: impl BufRead,
    max_line: u64,
    sink: &mut dyn DocumentSink,
) -> Result<(), String> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut lines).take(max_line).read_until(b'\n', &mut line);
        if !read.is_ok_and(|n| n > 0) || line.last() != Some(&b'\n') {
            return Err("the worker crashed or exceeded a limit".to_owned());
        }
        let Ok(Value::Object(mut fields)) = serde_json::from_slice(&line) else {
            return Err("the worker returned invalid data".to_owned());
        };
        let mut text = |name: &str| match fields.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (id, content, reason) = (text("id"), text("text"), text("reason"));
        let (time, metadata, path) = (text("time"), text("metadata"), text("path"));
        let flow = match (id, content, reason) {
            (Some(id), Some(content), _) => sink.document(Document {
                id: id.into(),
                content: content.into(),
                time: time.map(Into::into),
                notes: notes(&fields),
                metadata: metadata.map(Into::into),
            }),
            (_, _, Some(reason)) => sink.problem(Problem {
                path: path.unwrap_or_default(),
                line: fields.get("line").and_then(Value::as_u64),
                reason,
            }),
            _ => return Ok(()),
        };
        if flow == ControlFlow::Break(()) {
            return Ok(());
        }
    }
}

/// Parses the notes of a document, as [`LineWriter`] wrote them.
fn notes(fields: &Map<String, Value>) -> Vec<Note> {
    let notes = fields.get("notes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let note = |note: &Value| {
        let text = note.get(0)?.as_str()?.to_owned();
        Some(Note::External { text, is_suspicious: note.get(1)?.as_bool()? })
    };
    notes.iter().filter_map(note).collect()
}

/// Runs in the worker: arguments `MAX_BYTES PROGRAM PATH`, documents to standard output.
pub(crate) fn serve(arguments: &[std::ffi::OsString]) -> Result<(), String> {
    let [max_bytes, program, path] = arguments else {
        return Err("a worker can be started only by textkin".to_owned());
    };
    let max_bytes = max_bytes.to_str().and_then(|bytes| bytes.parse().ok());
    let settings = SourceSettings {
        keeps_metadata: true,
        hidden: true,
        max_document_bytes: max_bytes.ok_or("the worker needs the maximum document size")?,
        worker: Worker { program: Some(program.into()), ..Worker::default() },
        ..SourceSettings::default()
    };
    let mut lines = LineWriter { out: BufWriter::new(std::io::stdout().lock()), failure: None };
    match Inputs::open(&[Path::new(path)], &settings) {
        Ok(mut inputs) => {
            while lines.failure.is_none()
                && let Some(piece) = inputs.next_piece()
            {
                piece.read(&mut lines);
            }
        }
        Err(error) => {
            let path = path.to_string_lossy().into_owned();
            let _ = lines.problem(Problem { path, line: None, reason: error.to_string() });
        }
    }
    let _ = lines.put(Map::new());
    match lines.failure {
        Some(error) => Err(error.to_string()),
        None => lines.out.flush().map_err(|error| error.to_string()),
    }
}

/// Writes documents and problems as lines.
struct LineWriter<W> {
    out: W,
    failure: Option<std::io::Error>,
}

impl<W: Write> LineWriter<W> {
    fn put(&mut self, fields: Map<String, Value>) -> ControlFlow<()> {
        let line = Value::Object(fields).to_string();
        match writeln!(self.out, "{line}") {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failure = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

impl<W: Write> DocumentSink for LineWriter<W> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let mut fields = Map::new();
        let mut put = |name: &str, text: &str| fields.insert(name.to_owned(), text.into());
        put("id", &document.id);
        put("text", document.text().unwrap_or_default());
        document.time.as_deref().map(|time| put("time", time));
        document.metadata.as_deref().map(|metadata| put("metadata", metadata));
        if !document.notes.is_empty() {
            let to_json = |note: &Note| serde_json::json!([note.to_string(), note.is_suspicious()]);
            let notes: Vec<Value> = document.notes.iter().map(to_json).collect();
            fields.insert("notes".to_owned(), notes.into());
        }
        self.put(fields)
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        let mut fields = Map::new();
        fields.insert("path".to_owned(), problem.path.into());
        fields.insert("reason".to_owned(), problem.reason.into());
        fields.extend(problem.line.map(|line| ("line".to_owned(), line.into())));
        self.put(fields)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Id, text, time and other fields.
    type Fields = (String, String, Option<String>, Option<String>);

    #[derive(Default)]
    struct CollectingSink {
        items: Vec<Result<Fields, Problem>>,
    }

    impl DocumentSink for CollectingSink {
        fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
            let own = |text: std::borrow::Cow<'_, str>| text.into_owned();
            let (time, metadata) = (document.time.map(own), document.metadata.map(own));
            let text = own(document.content.into_text().expect("documents have texts"));
            self.items.push(Ok((own(document.id), text, time, metadata)));
            ControlFlow::Continue(())
        }

        fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
            self.items.push(Err(problem));
            ControlFlow::Continue(())
        }
    }

    fn lines(documents: &[(String, String, Option<String>)], is_whole: bool) -> Vec<u8> {
        let mut lines = LineWriter { out: Vec::new(), failure: None };
        for (id, text, time) in documents {
            let time = time.as_deref().map(Into::into);
            let _ = lines.document(Document { time, ..Document::new(id, text) });
        }
        let reason = "not text".to_owned();
        let _ = lines.problem(Problem { path: "a".to_owned(), line: Some(3), reason });
        if is_whole {
            let _ = lines.put(Map::new());
        }
        lines.out
    }

    proptest! {
        #[test]
        fn documents_survive_the_round_trip(
            documents in prop::collection::vec((any::<String>(), any::<String>(), any::<Option<String>>()), 0..6),
            cut in any::<prop::sample::Index>(),
        ) {
            let bytes = lines(&documents, true);
            let mut sink = CollectingSink::default();
            prop_assert_eq!(read_lines(&bytes[..], 1 << 20, &mut sink), Ok(()));
            let problem = Problem { path: "a".to_owned(), line: Some(3), reason: "not text".to_owned() };
            let mut expected: Vec<_> = documents.into_iter().map(|(id, text, time)| Ok((id, text, time, None))).collect();
            expected.push(Err(problem));
            prop_assert_eq!(&sink.items, &expected);
            // Truncated output is detected.
            let cut = cut.index(bytes.len());
            prop_assert!(read_lines(&bytes[..cut], 1 << 20, &mut CollectingSink::default()).is_err());
        }
    }

    #[test]
    fn notes_are_passed_as_text() {
        struct NoteSink(Vec<Note>);
        impl DocumentSink for NoteSink {
            fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
                self.0.extend(document.notes);
                ControlFlow::Continue(())
            }
            fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
                panic!("{problem}")
            }
        }
        let excerpt = "read me not".to_owned();
        let hidden = Note::HiddenText { how: "white on white", n_characters: 9, excerpt };
        let incomplete = Note::Incomplete { reason: "a page is missing".to_owned() };
        let notes = vec![hidden.clone(), incomplete.clone()];
        let mut lines = LineWriter { out: Vec::new(), failure: None };
        let _ = lines.document(Document { notes, ..Document::new("a", "b") });
        let _ = lines.put(Map::new());
        let mut sink = NoteSink(Vec::new());
        read_lines(&lines.out[..], 1 << 20, &mut sink).unwrap();
        let text_of = |note: &Note| (note.to_string(), note.is_suspicious());
        assert_eq!(
            sink.0.iter().map(text_of).collect::<Vec<_>>(),
            [hidden, incomplete].map(|n| text_of(&n))
        );
    }

    #[test]
    fn overlong_lines_and_early_ends_are_errors() {
        let bytes = lines(&[("a".to_owned(), "x".repeat(1000), None)], true);
        assert!(read_lines(&bytes[..], 100, &mut CollectingSink::default()).is_err());
        assert!(
            read_lines(&lines(&[], false)[..], 1 << 20, &mut CollectingSink::default()).is_err()
        );
        let mut sink = CollectingSink::default();
        read_in_subprocess(Path::new("a"), &SourceSettings::default(), &mut sink);
        assert_eq!(sink.items.len(), 1, "a missing program is a problem");
    }

    #[cfg(unix)]
    #[test]
    fn a_crashed_worker_is_a_problem_of_the_file() {
        for (program, expected) in
            [("/bin/false", "crashed"), ("/no/such/program", "cannot start a worker")]
        {
            let worker = Worker { program: Some(program.into()), ..Worker::default() };
            let settings = SourceSettings { worker, ..SourceSettings::default() };
            let mut sink = CollectingSink::default();
            read_in_subprocess(Path::new("a"), &settings, &mut sink);
            let [Err(problem)] = &sink.items[..] else { panic!("{:?}", sink.items) };
            assert!(problem.reason.contains(expected), "{problem}");
        }
    }
}
