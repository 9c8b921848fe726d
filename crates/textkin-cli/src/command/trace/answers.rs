//! Documents in, a line of results out for each; what was done in an earlier run is passed over.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use textkin::report::{ContinuedFile, Output, terminal};
use textkin::source::Inputs;
use textkin::types::{Document, DocumentSink, Problem, Source};
use textkin::{RunControl, StreamTracer, TraceOutput, TraceProgress, TraceSettings};

use super::page::Page;
use super::state::StateFile;
use super::top::Top;
use super::{FIRST, STREAM, in_large_pages, lines, order};
use crate::arguments::{Trace, TraceFormat};
use crate::exit::Exit;
use crate::messages::print_message;
use crate::relaunch;

/// Bytes of a line that are written at once: one of a long document is never there whole.
const LINE_BYTES: usize = 1 << 16;
/// Free memory is given back after texts of so many bytes: buffers of long documents have all sizes, and
/// what is kept of each would come on top of `--memory`.
const GIVE_BACK: usize = 256 << 10;

/// Takes documents and writes what is said of them.
pub(super) struct Answers {
    tracer: StreamTracer,
    format: TraceFormat,
    pub(super) is_strict: bool,
    /// Whether documents come in the order of their times already.
    is_sorted: bool,
    out: Out,
    /// What of a line is not written yet, kept for its memory.
    written: Vec<u8>,
    state: Option<StateFile>,
    top: Option<Top>,
    page: Option<Page>,
    progress: TraceProgress,
    /// The field of times, if one was named.
    time_field: Option<String>,
    /// Documents of the inputs that were done in an earlier run and are not met again yet.
    to_skip: u64,
    /// The line of standard input that is answered.
    pub(super) line: Option<u64>,
    problems: u64,
    failure: Option<anyhow::Error>,
    watch: Arc<RunControl>,
    /// Bytes of texts since free memory was given back.
    since_given_back: usize,
}

/// Where results go.
enum Out {
    /// Line by line, flushed.
    Standard,
    /// Whole or not at all.
    Whole(Box<Output>),
    /// Over several runs, as far as the state says.
    Continued { file: ContinuedFile, path: String },
}

impl Out {
    fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::Whole(out) => out.write(bytes)?,
            Self::Continued { file, .. } => file.write(bytes)?,
            Self::Standard => io::stdout().lock().write_all(bytes)?,
        }
        Ok(())
    }
}

/// A line on its way out.
struct Line<'a> {
    begun: &'a mut Vec<u8>,
    out: &'a mut Out,
}

impl Line<'_> {
    fn pass_on(&mut self) -> io::Result<()> {
        let written = self.out.write(self.begun);
        self.begun.clear();
        // An error of the system stays what it is: a closed pipe is no failure.
        written.map_err(|error| error.downcast().unwrap_or_else(io::Error::other))
    }
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        if self.begun.len() >= LINE_BYTES {
            self.pass_on()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()?;
        match self.out {
            Out::Standard => io::stdout().lock().flush(),
            Out::Whole(_) | Out::Continued { .. } => Ok(()),
        }
    }
}

impl Answers {
    /// Begins, or goes on where the state file says.
    pub(super) fn begin(
        arguments: &Trace,
        settings: &TraceSettings,
        watch: &Arc<RunControl>,
        is_busy: &Arc<AtomicBool>,
    ) -> anyhow::Result<Self> {
        let means = &arguments.means;
        let (mut state, mut loaded) = (None, None);
        if let Some(path) = &means.state {
            let mut file = StateFile::open(path, means.checkpoint_every, Arc::clone(is_busy))?;
            loaded = in_large_pages(settings.table.memory, || file.load(settings))?;
            state = Some(file);
        }
        let is_resumed = loaded.is_some();
        let (tracer, progress) = match loaded {
            Some(loaded) => loaded,
            None => {
                let tracer = in_large_pages(settings.table.memory, || StreamTracer::new(settings))?;
                (tracer, TraceProgress::default())
            }
        };
        let path = means.out.as_deref().filter(|path| *path != Path::new(STREAM));
        let out = match (path, &state) {
            (None, _) => Out::Standard,
            (Some(path), None) => Out::Whole(Box::new(Output::create(path)?)),
            (Some(path), Some(_)) => continued(path, means.format, progress.output.as_ref())?,
        };
        let mut answers = Self {
            tracer,
            format: means.format,
            is_strict: arguments.input.strict,
            is_sorted: arguments.means.sort,
            out,
            written: Vec::new(),
            state,
            top: Top::new(means)?,
            page: Page::new(means)?,
            progress,
            time_field: arguments.input.time_field.clone(),
            to_skip: 0,
            line: None,
            problems: 0,
            failure: None,
            watch: Arc::clone(watch),
            since_given_back: 0,
        };
        let inputs: Vec<String> =
            arguments.inputs.iter().map(|input| input.to_string_lossy().into_owned()).collect();
        if is_resumed {
            answers.resume(&inputs)?;
        }
        answers.progress.inputs = inputs;
        answers.progress.is_sorted = means.sort;
        Ok(answers)
    }

    /// Says from where on it goes, and what of the inputs is done already.
    fn resume(&mut self, inputs: &[String]) -> anyhow::Result<()> {
        let number = terminal::thousands(self.tracer.n_documents());
        let last = self.progress.last_id.as_deref();
        let after = match last {
            Some(id) => format!("resuming after document {number} (id {})", terminal::fit(id, 60)),
            None => "resuming before the first document".to_owned(),
        };
        if inputs == [STREAM] {
            print_message(format_args!(
                "textkin: {after}; standard input is taken to go on from there\n"
            ));
            self.progress.documents = 0;
        } else if inputs == self.progress.inputs {
            print_message(format_args!("textkin: {after}\n"));
            let (before, now) = if self.is_sorted { ("out", "") } else { ("", "out") };
            anyhow::ensure!(
                self.is_sorted == self.progress.is_sorted,
                "these inputs were begun with{before} --sort and cannot go on with{now} it"
            );
            self.to_skip = self.progress.documents;
        } else {
            let before = self.progress.inputs.join(" ");
            print_message(format_args!(
                "textkin: {after}; the inputs are not those of before ({}) and are taken to come after them\n",
                terminal::fit(&before, 60)
            ));
            self.progress.documents = 0;
        }
        Ok(())
    }

    /// Reads all documents of `inputs`.
    pub(super) fn read_all(&mut self, mut inputs: Inputs) {
        self.skip_only_files(&inputs);
        while self.goes_on()
            && let Some(piece) = inputs.next_piece()
        {
            piece.read(self);
            if self.since_given_back >= GIVE_BACK {
                self.since_given_back = 0;
                relaunch::give_back();
            }
        }
    }

    /// Passes over nothing of a pipe, which does not begin again.
    pub(super) fn skip_only_files(&mut self, inputs: &Inputs) {
        if self.to_skip > 0 && !inputs.is_rewindable() {
            (self.to_skip, self.progress.documents) = (0, 0);
        }
    }

    /// Ends the run with an error.
    pub(super) fn fail(&mut self, error: anyhow::Error) {
        self.failure.get_or_insert(error);
    }

    /// Whether more documents are wanted.
    pub(super) fn goes_on(&self) -> bool {
        self.failure.is_none() && !self.watch.stop.is_asked()
    }

    /// Writes the state if it is time to.
    pub(super) fn write_state_if_due(&mut self) {
        let n_documents = self.tracer.n_documents();
        if self.state.as_ref().is_some_and(|state| state.is_due(n_documents)) {
            let written = self.write_state();
            self.fail_if(written);
        }
    }

    /// Ends the run: what is still to be written is, and the last state.
    pub(super) fn finish(mut self) -> anyhow::Result<Exit> {
        if let Some(error) = self.failure.take() {
            let closed = error.downcast_ref::<io::Error>();
            return match closed.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
                true => Ok(Exit::Found),
                false => Err(error),
            };
        }
        let is_stopped = self.watch.stop.is_asked();
        if self.to_skip > 0 && !is_stopped {
            let met = self.progress.documents - self.to_skip;
            anyhow::bail!(
                "the inputs hold {met} documents, and {} of them were taken before; bring them back, or name other inputs",
                self.progress.documents
            );
        }
        if self.state.is_some() && self.to_skip == 0 {
            self.write_state()?;
        }
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
                "textkin: stopped after document {number}; {} goes on there\n",
                state.name()
            ));
            return Ok(Exit::Interrupted);
        }
        if let Some(page) = self.page {
            page.write(self.tracer.settings())?;
        }
        if let Out::Whole(out) = self.out {
            out.finish()?;
        }
        if !self.is_sorted {
            order::tell_times(&self.progress.times, self.time_field.as_deref());
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
            Out::Continued { file, path } => Some(TraceOutput {
                path: path.clone(),
                format: self.format.name().to_owned(),
                bytes: file.sync()?,
            }),
            Out::Standard | Out::Whole(_) => None,
        };
        state.write(&self.tracer, &self.progress)?;
        match &self.top {
            Some(top) => top.write(&self.tracer),
            None => Ok(()),
        }
    }

    /// Passes over a document that was done in an earlier run.
    fn skip(&mut self, id: &str) -> anyhow::Result<()> {
        self.to_skip -= 1;
        let last = self.progress.last_id.as_deref().unwrap_or_default();
        anyhow::ensure!(
            self.to_skip > 0 || id == last,
            "the inputs are not what they were: document {} of them is '{id}', and was '{last}'; bring them back, or name another state",
            self.progress.documents
        );
        Ok(())
    }

    fn answer(&mut self, id: &str, time: Option<&str>, text: &str) -> anyhow::Result<()> {
        if !self.is_sorted {
            self.progress.times.count(id, time);
        }
        let said = self.tracer.trace(id, text);
        if let Some(page) = &mut self.page {
            page.consider(id, time, text, &said);
        }
        self.since_given_back += text.len();
        self.progress.has_copies |= said.trace.copied_words > 0;
        let mut line = Line { begun: &mut self.written, out: &mut self.out };
        lines::write(self.format, id, time, &said, &mut line)?;
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
        if self.goes_on() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl DocumentSink for Answers {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let id = match self.line {
            // Each line is read as a stream of its own, in which it is the first.
            Some(line) if document.id == FIRST => Cow::Owned(format!("{STREAM}:{line}")),
            _ => document.id,
        };
        let done = match self.to_skip {
            0 => self.answer(&id, document.time.as_deref(), &document.text),
            _ => self.skip(&id),
        };
        self.fail_if(done);
        self.next()
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        if self.to_skip > 0 {
            // It was told when it was met first.
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

/// The output of a run with a state: after what the state acknowledges, if it is of this file.
fn continued(
    path: &Path,
    format: TraceFormat,
    written: Option<&TraceOutput>,
) -> anyhow::Result<Out> {
    let name = path.to_string_lossy().into_owned();
    let file = match written.filter(|written| written.path == name) {
        Some(written) => {
            anyhow::ensure!(
                written.format == format.name(),
                "{name} was begun with --format {}; go on with that, or name another file",
                written.format
            );
            ContinuedFile::resume(path, written.bytes)?
        }
        None => ContinuedFile::create(path)?,
    };
    Ok(Out::Continued { file, path: name })
}
