//! A tracing session: reads documents, writes one line of results for each, and resumes an earlier run.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use textkin::engine::report::{Output, ResumableFile, terminal};
use textkin::engine::source::Inputs;
use textkin::engine::types::{Document, DocumentSink, Problem, Source};
use textkin::engine::{
    NameFile, RunControl, StreamTracer, TraceOutput, TraceProgress, TraceSettings,
};

use super::page::TracePage;
use super::state::StateFile;
use super::top::TopOriginsOutput;
use super::{FIRST_STDIN_ID, STDIN, in_large_pages, lines, sort};
use crate::arguments::{GlobalOptions, Trace, TraceFormat};
use crate::exit::Exit;
use crate::messages::print_message;
use crate::relaunch;

/// Bytes of a line to write at a time: the line of a long document is never in memory as a whole.
const LINE_BYTES: usize = 1 << 16;
/// Bytes of text after which free memory is released: buffers of long documents have many sizes, and what the
/// allocator keeps of each would add to `--memory`.
const RELEASE_AFTER: usize = 256 << 10;

/// Traces documents and writes their results.
pub(super) struct TraceSession {
    tracer: StreamTracer,
    format: TraceFormat,
    pub(super) is_strict: bool,
    /// Whether to print no notes.
    pub(super) is_quiet: bool,
    /// Whether documents are already sorted by time.
    is_sorted: bool,
    out: TraceTarget,
    /// Buffer for the part of a line that is not written yet.
    buffer: Vec<u8>,
    state: Option<StateFile>,
    top: Option<TopOriginsOutput>,
    page: Option<TracePage>,
    progress: TraceProgress,
    /// The value of --time-field.
    time_field: Option<String>,
    /// Number of documents still to skip because an earlier run traced them.
    to_skip: u64,
    /// Number of the current line of standard input.
    pub(super) line: Option<u64>,
    problems: u64,
    failure: Option<anyhow::Error>,
    pub(super) run_control: Arc<RunControl>,
    /// Bytes of text since free memory was released.
    since_release: usize,
}

/// Where results are written.
enum TraceTarget {
    /// Standard output, flushed after each line.
    Standard,
    /// A file that is complete or not written at all.
    Whole(Box<Output>),
    /// A file that several runs append to, up to the position in the state.
    Continued { file: ResumableFile, path: String },
}

impl TraceTarget {
    fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::Whole(out) => out.write(bytes)?,
            Self::Continued { file, .. } => file.write(bytes)?,
            Self::Standard => io::stdout().lock().write_all(bytes)?,
        }
        Ok(())
    }
}

/// Writes a line in blocks.
struct LineBuffer<'a> {
    bytes: &'a mut Vec<u8>,
    out: &'a mut TraceTarget,
}

impl LineBuffer<'_> {
    fn write_block(&mut self) -> io::Result<()> {
        let written = self.out.write(self.bytes);
        self.bytes.clear();
        // Keep system errors as they are, because a broken pipe is not a failure.
        written.map_err(|error| error.downcast().unwrap_or_else(io::Error::other))
    }
}

impl Write for LineBuffer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= LINE_BYTES {
            self.write_block()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_block()?;
        match self.out {
            TraceTarget::Standard => io::stdout().lock().flush(),
            TraceTarget::Whole(_) | TraceTarget::Continued { .. } => Ok(()),
        }
    }
}

impl TraceSession {
    /// Starts a session, or resumes the one of the state file.
    pub(super) fn start(
        arguments: &Trace,
        settings: &TraceSettings,
        run_control: &Arc<RunControl>,
        is_busy: &Arc<AtomicBool>,
        global: GlobalOptions,
    ) -> anyhow::Result<Self> {
        let options = &arguments.options;
        let (mut state, mut loaded) = (None, None);
        if let Some(path) = &options.state {
            let mut file = StateFile::open(path, options.checkpoint_every, Arc::clone(is_busy))?;
            loaded = in_large_pages(settings.table.memory, || file.load(settings))?;
            state = Some(file);
        }
        let is_resumed = loaded.is_some();
        let (mut tracer, progress) = match loaded {
            Some(loaded) => loaded,
            None => {
                let tracer = in_large_pages(settings.table.memory, || StreamTracer::new(settings))?;
                (tracer, TraceProgress::default())
            }
        };
        if let Some(path) = &options.names {
            let file = match is_resumed {
                true => NameFile::resume(path, tracer.n_documents())?,
                false => NameFile::create(path)?,
            };
            tracer.keep_names(file);
        }
        let path = options.out.out.as_deref().filter(|path| *path != Path::new(STDIN));
        let out = match (path, &state) {
            (None, _) => TraceTarget::Standard,
            (Some(path), None) => TraceTarget::Whole(Box::new(Output::create(path)?)),
            (Some(path), Some(_)) => continued(path, options.format, progress.output.as_ref())?,
        };
        let mut session = Self {
            tracer,
            format: options.format,
            is_strict: arguments.input.strict,
            is_sorted: arguments.options.sort,
            is_quiet: global.quiet,
            out,
            buffer: Vec::new(),
            state,
            top: TopOriginsOutput::new(options)?,
            page: TracePage::new(options)?,
            progress,
            time_field: arguments.input.time_field.clone(),
            to_skip: 0,
            line: None,
            problems: 0,
            failure: None,
            run_control: Arc::clone(run_control),
            since_release: 0,
        };
        let inputs: Vec<String> =
            arguments.inputs.iter().map(|input| input.to_string_lossy().into_owned()).collect();
        if is_resumed {
            session.resume(&inputs)?;
        }
        session.progress.inputs = inputs;
        session.progress.is_sorted = options.sort;
        Ok(session)
    }

    /// Reports where the session resumes, and determines how many documents to skip.
    fn resume(&mut self, inputs: &[String]) -> anyhow::Result<()> {
        let number = terminal::thousands(self.tracer.n_documents());
        let last = self.progress.last_id.as_deref();
        let after = match last {
            Some(id) => format!("resuming after document {number} (id {})", terminal::fit(id, 60)),
            None => "resuming before the first document".to_owned(),
        };
        if inputs == [STDIN] {
            self.note(format_args!("{after}; standard input is expected to continue from there"));
            self.progress.documents = 0;
        } else if inputs == self.progress.inputs {
            self.note(format_args!("{after}"));
            let (before, now) = if self.is_sorted { ("out", "") } else { ("", "out") };
            anyhow::ensure!(
                self.is_sorted == self.progress.is_sorted,
                "these inputs were started with{before} --sort and cannot be resumed with{now} it"
            );
            self.to_skip = self.progress.documents;
        } else {
            let before = self.progress.inputs.join(" ");
            self.note(format_args!(
                "{after}; the inputs differ from those of the last run ({}) and are appended to them",
                terminal::fit(&before, 60)
            ));
            self.progress.documents = 0;
        }
        Ok(())
    }

    /// Prints a note, unless the session is quiet.
    pub(super) fn note(&self, text: std::fmt::Arguments<'_>) {
        if !self.is_quiet {
            print_message(format_args!("textkin: {text}\n"));
        }
    }

    /// Reads all documents of `inputs`.
    pub(super) fn read_all(&mut self, mut inputs: Inputs) {
        self.reset_skip_of_pipe(&inputs);
        while self.continues()
            && let Some(piece) = inputs.next_piece()
        {
            let bytes = piece.bytes();
            piece.read(self);
            self.run_control.progress.advance(bytes);
            if self.since_release >= RELEASE_AFTER {
                self.since_release = 0;
                relaunch::release_memory();
            }
        }
    }

    /// Skips nothing of a pipe, which does not start again from the beginning.
    pub(super) fn reset_skip_of_pipe(&mut self, inputs: &Inputs) {
        if self.to_skip > 0 && !inputs.is_rewindable() {
            (self.to_skip, self.progress.documents) = (0, 0);
        }
    }

    /// Ends the session with an error.
    pub(super) fn fail(&mut self, error: anyhow::Error) {
        self.failure.get_or_insert(error);
    }

    /// Returns whether to read more documents.
    pub(super) fn continues(&self) -> bool {
        self.failure.is_none() && !self.run_control.stop.is_requested()
    }

    /// Saves the state if it is due.
    pub(super) fn write_state_if_due(&mut self) {
        let n_documents = self.tracer.n_documents();
        if self.state.as_ref().is_some_and(|state| state.is_due(n_documents)) {
            let written = self.write_state();
            self.fail_if(written);
        }
    }

    /// Ends the session: writes the remaining output and the last state.
    pub(super) fn finish(mut self) -> anyhow::Result<Exit> {
        if let Some(error) = self.failure.take() {
            let closed = error.downcast_ref::<io::Error>();
            return match closed.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
                true => Ok(Exit::Found),
                false => Err(error),
            };
        }
        let is_stopped = self.run_control.stop.is_requested();
        if self.to_skip > 0 && !is_stopped {
            let n_found = self.progress.documents - self.to_skip;
            anyhow::bail!(
                "the inputs have {n_found} documents, but the state has already traced {} of them; restore the inputs, or use others",
                self.progress.documents
            );
        }
        if self.state.is_some() && self.to_skip == 0 {
            self.write_state()?;
        }
        self.tracer.sync_names()?;
        if let Some(top) = &self.top {
            if self.state.is_none() {
                top.write(&self.tracer)?;
            }
            top.show(&self.tracer);
        }
        if is_stopped {
            let Some(state) = &self.state else { return Err(textkin::Error::Stopped.into()) };
            let number = terminal::thousands(self.tracer.n_documents());
            print_message(format_args!(
                "textkin: stopped after document {number}; run again with --state {} to resume\n",
                state.name()
            ));
            return Ok(Exit::Interrupted);
        }
        if let Some(page) = self.page {
            page.write(self.tracer.settings())?;
        }
        if let TraceTarget::Whole(out) = self.out {
            out.finish()?;
        }
        if !self.is_sorted && !self.is_quiet {
            sort::report_times(&self.progress.times, self.time_field.as_deref());
        }
        if self.tracer.n_documents() == 0 && self.problems == 0 {
            print_message(format_args!("textkin: no documents in the input\n"));
        }
        Ok(match (self.progress.has_copies, self.tracer.n_documents()) {
            (true, _) => Exit::Found,
            (false, 0) => Exit::Failed,
            (false, _) => Exit::Nothing,
        })
    }

    fn write_state(&mut self) -> anyhow::Result<()> {
        let Some(state) = &mut self.state else { return Ok(()) };
        self.progress.output = match &mut self.out {
            TraceTarget::Continued { file, path } => Some(TraceOutput {
                path: path.clone(),
                format: self.format.name().to_owned(),
                bytes: file.sync()?,
            }),
            TraceTarget::Standard | TraceTarget::Whole(_) => None,
        };
        self.tracer.sync_names()?;
        state.write(&self.tracer, &self.progress)?;
        match &self.top {
            Some(top) => top.write(&self.tracer),
            None => Ok(()),
        }
    }

    /// Skips a document that an earlier run traced.
    fn skip(&mut self, id: &str) -> anyhow::Result<()> {
        self.to_skip -= 1;
        let last = self.progress.last_id.as_deref().unwrap_or_default();
        anyhow::ensure!(
            self.to_skip > 0 || id == last,
            "the inputs have changed: document {} is '{id}', but was '{last}'; restore the inputs, or use another state file",
            self.progress.documents
        );
        Ok(())
    }

    fn trace(&mut self, id: &str, time: Option<&str>, text: &str) -> anyhow::Result<()> {
        if !self.is_sorted {
            self.progress.times.count(id, time);
        }
        let origins = self.tracer.trace(id, text);
        self.tracer.check_names()?;
        if let Some(page) = &mut self.page {
            page.consider(id, time, text, &origins);
        }
        self.since_release += text.len();
        self.progress.has_copies |= origins.trace.old_words > 0;
        let mut line = LineBuffer { bytes: &mut self.buffer, out: &mut self.out };
        lines::write(self.format, id, time, &origins, &mut line)?;
        line.flush()?;
        self.progress.documents += 1;
        let last = self.progress.last_id.get_or_insert_default();
        last.clear();
        last.push_str(id);
        self.write_state_if_due();
        Ok(())
    }

    fn fail_if(&mut self, result: anyhow::Result<()>) {
        if let Err(error) = result {
            self.failure.get_or_insert(error);
        }
    }

    fn next(&self) -> ControlFlow<()> {
        if self.continues() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl DocumentSink for TraceSession {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let text = document.content.text().unwrap_or_default();
        let id = match self.line {
            // Each line is read as a separate stream, in which it is the first.
            Some(line) if document.id == FIRST_STDIN_ID => Cow::Owned(format!("{STDIN}:{line}")),
            _ => document.id,
        };
        let result = match self.to_skip {
            0 => self.trace(&id, document.time.as_deref(), text),
            _ => self.skip(&id),
        };
        self.fail_if(result);
        self.next()
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        if self.to_skip > 0 {
            // The earlier run reported it.
            return self.next();
        }
        self.problems += 1;
        let problem = Problem { line: self.line.or(problem.line), ..problem };
        if self.is_strict {
            self.failure = Some(textkin::Error::Problem(problem).into());
        } else {
            print_message(format_args!("textkin: {problem}\n"));
        }
        self.next()
    }
}

/// Opens the output of a session with a state: at the position in the state, if it is for this file.
fn continued(
    path: &Path,
    format: TraceFormat,
    written: Option<&TraceOutput>,
) -> anyhow::Result<TraceTarget> {
    let name = path.to_string_lossy().into_owned();
    let file = match written.filter(|written| written.path == name) {
        Some(written) => {
            anyhow::ensure!(
                written.format == format.name(),
                "{name} was started with --format {}; use the same format, or another file",
                if written.format == "table" { "text" } else { &written.format }
            );
            ResumableFile::resume(path, written.bytes)?
        }
        None => ResumableFile::create(path)?,
    };
    Ok(TraceTarget::Continued { file, path: name })
}
