//! Reading apart: a file is read by a process of its own, which gives its documents.
//!
//! For servers, which read what strangers send: whatever a file does to its reader, only that process
//! ends. It is our own program, started again as a worker (`extraction::worker`) with bounds on memory
//! and time. Documents and problems come as JSON lines, and a last line says that it was all.

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

/// The kind of work, among the arguments of a worker.
pub(crate) const DOCUMENTS: &str = "documents";

/// Bytes of a line for each byte of a text, at most: six for a character that is written by its number.
const ESCAPED: u64 = 6;
/// Bytes of a line besides its text: id, time, other fields.
const BESIDES: u64 = 16 << 20;

/// Gives the documents of one file to `sink`, as [`Inputs`] would (notes in words), read by a process of
/// `settings.worker`. Of the other settings `max_document_bytes` counts; other fields of records are
/// given, and hidden files read. What goes wrong is a problem of the file.
pub fn read_in_subprocess(path: &Path, settings: &SourceSettings, sink: &mut dyn DocumentSink) {
    let reason = match try_read(path, settings, sink) {
        Ok(()) => return,
        Err(reason) => reason,
    };
    // It is the last that is said, whatever the sink answers.
    let _ = sink.problem(Problem { path: path.display().to_string(), line: None, reason });
}

fn try_read(
    path: &Path,
    settings: &SourceSettings,
    sink: &mut dyn DocumentSink,
) -> Result<(), String> {
    let worker = &settings.worker;
    let mut command = worker.command().ok_or("there is no program that reads it")?;
    command.arg(DOCUMENTS).arg(settings.max_document_bytes.to_string());
    command.args(&worker.program).arg(path);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("cannot be read: {error}"))?;
    let stdout = child.stdout.take().ok_or("cannot be read")?;
    let child = Mutex::new(child);
    let most = settings.max_document_bytes.saturating_mul(ESCAPED).saturating_add(BESIDES);
    let (ended, has_ended) = channel::<()>();
    std::thread::scope(|scope| {
        let child = &child;
        let clock = scope.spawn(move || {
            let late = has_ended.recv_timeout(worker.limits.time) == Err(RecvTimeoutError::Timeout);
            if late {
                end(child);
            }
            late
        });
        let given = give(BufReader::with_capacity(1 << 18, stdout), most, sink);
        drop(ended);
        end(child);
        match (given, clock.join().unwrap_or(false)) {
            (Err(_), true) => Err(format!("took longer than {} s", worker.limits.time.as_secs())),
            (given, _) => given,
        }
    })
}

/// Ends a process that may have ended.
fn end(child: &Mutex<Child>) {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = child.kill();
    let _ = child.wait();
}

/// Gives what the lines say, until the last one or until `sink` has enough.
fn give(mut lines: impl BufRead, most: u64, sink: &mut dyn DocumentSink) -> Result<(), String> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut lines).take(most).read_until(b'\n', &mut line);
        if !read.is_ok_and(|n| n > 0) || line.last() != Some(&b'\n') {
            return Err("its reader was stopped: it crashed or reached a limit".to_owned());
        }
        let Ok(Value::Object(mut fields)) = serde_json::from_slice(&line) else {
            return Err("its reader said what makes no sense".to_owned());
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
                text: content.into(),
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

/// The notes of a document, as [`LineWriter`] wrote them.
fn notes(fields: &Map<String, Value>) -> Vec<Note> {
    let notes = fields.get("notes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let note = |note: &Value| {
        let text = note.get(0)?.as_str()?.to_owned();
        Some(Note::Told { text, is_suspicious: note.get(1)?.as_bool()? })
    };
    notes.iter().filter_map(note).collect()
}

/// The work of the process: `MAX_BYTES PROGRAM PATH`, documents to standard output.
pub(crate) fn serve(arguments: &[std::ffi::OsString]) -> Result<(), String> {
    let [most, program, path] = arguments else {
        return Err("a reader is started by textkin itself".to_owned());
    };
    let most = most.to_str().and_then(|most| most.parse().ok());
    let settings = SourceSettings {
        keeps_metadata: true,
        hidden: true,
        max_document_bytes: most.ok_or("a reader is told the most bytes of a document")?,
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

/// Documents and problems as lines.
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
        put("text", &document.text);
        document.time.as_deref().map(|time| put("time", time));
        document.metadata.as_deref().map(|metadata| put("metadata", metadata));
        if !document.notes.is_empty() {
            let told = |note: &Note| serde_json::json!([note.to_string(), note.is_suspicious()]);
            let notes: Vec<Value> = document.notes.iter().map(told).collect();
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
            self.items.push(Ok((own(document.id), own(document.text), time, metadata)));
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
            let _ = lines.document(Document {
                id: id.into(),
                text: text.into(),
                time: time.as_deref().map(Into::into),
                notes: Vec::new(),
                metadata: None,
            });
        }
        let reason = "is no text".to_owned();
        let _ = lines.problem(Problem { path: "a".to_owned(), line: Some(3), reason });
        if is_whole {
            let _ = lines.put(Map::new());
        }
        lines.out
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            documents in prop::collection::vec((any::<String>(), any::<String>(), any::<Option<String>>()), 0..6),
            cut in any::<prop::sample::Index>(),
        ) {
            let bytes = lines(&documents, true);
            let mut seen = CollectingSink::default();
            prop_assert_eq!(give(&bytes[..], 1 << 20, &mut seen), Ok(()));
            let problem = Problem { path: "a".to_owned(), line: Some(3), reason: "is no text".to_owned() };
            let mut expected: Vec<_> = documents.into_iter().map(|(id, text, time)| Ok((id, text, time, None))).collect();
            expected.push(Err(problem));
            prop_assert_eq!(&seen.items, &expected);
            // Whatever is missing at the end is noticed.
            let cut = cut.index(bytes.len());
            prop_assert!(give(&bytes[..cut], 1 << 20, &mut CollectingSink::default()).is_err());
        }
    }

    #[test]
    fn notes_come_in_words() {
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
        let (id, text) = ("a".into(), "b".into());
        let _ = lines.document(Document { id, text, time: None, notes, metadata: None });
        let _ = lines.put(Map::new());
        let mut noted = NoteSink(Vec::new());
        give(&lines.out[..], 1 << 20, &mut noted).unwrap();
        let told = |note: &Note| (note.to_string(), note.is_suspicious());
        assert_eq!(
            noted.0.iter().map(told).collect::<Vec<_>>(),
            [hidden, incomplete].map(|n| told(&n))
        );
    }

    #[test]
    fn a_line_without_end_and_a_reader_that_stops_are_told() {
        let bytes = lines(&[("a".to_owned(), "x".repeat(1000), None)], true);
        assert!(give(&bytes[..], 100, &mut CollectingSink::default()).is_err());
        assert!(give(&lines(&[], false)[..], 1 << 20, &mut CollectingSink::default()).is_err());
        let mut seen = CollectingSink::default();
        read_in_subprocess(Path::new("a"), &SourceSettings::default(), &mut seen);
        assert_eq!(seen.items.len(), 1, "without a program there is a problem");
    }

    #[cfg(unix)]
    #[test]
    fn a_reader_that_dies_is_a_problem_of_the_file() {
        for (program, expected) in
            [("/bin/false", "crashed"), ("/no/such/program", "cannot be read")]
        {
            let worker = Worker { program: Some(program.into()), ..Worker::default() };
            let settings = SourceSettings { worker, ..SourceSettings::default() };
            let mut seen = CollectingSink::default();
            read_in_subprocess(Path::new("a"), &settings, &mut seen);
            let [Err(problem)] = &seen.items[..] else { panic!("{:?}", seen.items) };
            assert!(problem.reason.contains(expected), "{problem}");
        }
    }
}
