//! `textkin trace`: where each passage of a stream came from.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Cursor, Write};
use std::ops::ControlFlow;
use std::path::Path;

use serde_json::{Value, json};
use textkin::core::{Document, DocumentSink, Problem, Source};
use textkin::report::{Output, terminal};
use textkin::source::{Format, Inputs, SourceSettings};
use textkin::tracing::{ChunkMethod, Method};
use textkin::{DocumentOrigins, Settings, StreamTracer, TraceSettings};

use crate::arguments::{Trace, TraceFormat, TraceMeans};
use crate::documents::{analysis_settings, collection_settings};
use crate::exit::Exit;
use crate::tell::tell;

/// How standard input is called in ids and problems.
const STREAM: &str = "-";
/// The id of its first record, where that has none.
const FIRST: &str = "-:1";

/// Runs the command.
pub(crate) fn run(arguments: &Trace) -> anyhow::Result<Exit> {
    let settings = settings(arguments)?;
    let source = collection_settings(&arguments.input);
    let out = match arguments.means.out.as_deref().filter(|path| *path != Path::new(STREAM)) {
        Some(path) => Some(Output::create(path)?),
        None => None,
    };
    let mut answers = Answers {
        tracer: StreamTracer::new(&settings)?,
        format: arguments.means.format,
        is_strict: arguments.input.strict,
        out,
        line: None,
        is_found: false,
        problems: 0,
        failure: None,
    };
    match arguments.inputs.as_slice() {
        [input] if input.as_os_str() == STREAM => answers.read_stream(&source)?,
        inputs => answers.read_all(Inputs::open(inputs, &source)?),
    }
    let Answers { tracer, out, is_found, problems, failure, .. } = answers;
    if let Some(error) = failure {
        let closed = error.downcast_ref::<io::Error>();
        return match closed.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            true => Ok(Exit::Found),
            false => Err(error),
        };
    }
    if let Some(out) = out {
        out.finish()?;
    }
    if tracer.n_documents() == 0 && problems == 0 {
        tell(format_args!("textkin: no documents in the input\n"));
    }
    Ok(match (is_found, tracer.n_documents()) {
        (true, _) => Exit::Found,
        (false, 0) => Exit::Failed,
        (false, _) => Exit::Nothing,
    })
}

fn settings(arguments: &Trace) -> anyhow::Result<TraceSettings> {
    let TraceMeans { memory, preset, evict, estimate, bucket, .. } = arguments.means;
    let mut settings = TraceSettings::new(preset, memory)?;
    let select = arguments.means.select.clone().unwrap_or(settings.analysis.select);
    let analysis = analysis_settings(&arguments.analysis, &arguments.input.reading)?;
    settings.analysis = Settings { select, ..analysis };
    match &mut settings.table.method {
        Method::Chunks(ChunkMethod { eviction, estimation, .. }) => {
            *eviction = evict.unwrap_or(*eviction);
            *estimation = estimate.unwrap_or(*estimation);
        }
        Method::Windows(_) => anyhow::ensure!(
            evict.is_none() && estimate.is_none(),
            "--evict and --estimate choose within the method of the paper; add --preset paper"
        ),
    }
    settings.table.bucket = bucket.unwrap_or(settings.table.bucket);
    Ok(settings)
}

/// Takes documents and writes what is said of them.
struct Answers {
    tracer: StreamTracer,
    format: TraceFormat,
    is_strict: bool,
    /// None for standard output, line by line.
    out: Option<Output>,
    /// The line of standard input that is answered.
    line: Option<u64>,
    is_found: bool,
    problems: u64,
    failure: Option<anyhow::Error>,
}

impl DocumentSink for Answers {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let id = match self.line {
            // Each line is read as a stream of its own, in which it is the first.
            Some(line) if document.id == FIRST => Cow::Owned(format!("{STREAM}:{line}")),
            _ => document.id,
        };
        let said = self.tracer.trace(&id, &document.text);
        self.is_found |= said.traced.old_words > 0;
        let line = match self.format {
            TraceFormat::Json => format!("{}\n", shown(&id, &said)),
            TraceFormat::Table => table_line(&id, &said),
        };
        if let Err(error) = self.write(line.as_bytes()) {
            self.failure = Some(error);
        }
        self.next()
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problems += 1;
        let problem = Problem { line: self.line.or(problem.line), ..problem };
        if self.is_strict {
            self.failure = Some(textkin::Error::Problem(problem).into());
        } else {
            tell(format_args!("textkin: {problem}\n"));
        }
        self.next()
    }
}

impl Answers {
    fn next(&self) -> ControlFlow<()> {
        if self.failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn write(&mut self, line: &[u8]) -> anyhow::Result<()> {
        match &mut self.out {
            Some(out) => out.write(line)?,
            None => {
                let mut out = io::stdout().lock();
                out.write_all(line)?;
                out.flush()?;
            }
        }
        Ok(())
    }

    fn read_all(&mut self, mut inputs: Inputs) {
        while self.failure.is_none()
            && let Some(piece) = inputs.next_piece()
        {
            piece.read(self);
        }
    }

    /// Standard input: JSON lines are answered as they come, anything else is read as of any command.
    fn read_stream(&mut self, settings: &SourceSettings) -> anyhow::Result<()> {
        let mut stream = BufReader::new(io::stdin());
        let is_lines = settings.input_format.is_none() && stream.fill_buf()?.first() == Some(&b'{');
        if !is_lines {
            self.read_all(Inputs::from_reader(STREAM, stream, settings)?);
            return Ok(());
        }
        let settings = SourceSettings { input_format: Some(Format::Jsonl), ..settings.clone() };
        let mut line = Vec::new();
        while self.failure.is_none() && stream.read_until(b'\n', &mut line)? > 0 {
            self.line = Some(self.line.unwrap_or(0) + 1);
            let record = Cursor::new(std::mem::take(&mut line));
            self.read_all(Inputs::from_reader(STREAM, record, &settings)?);
        }
        Ok(())
    }
}

fn shown(id: &str, said: &DocumentOrigins) -> Value {
    let traced = &said.traced;
    let blocks: Vec<Value> = traced
        .blocks
        .iter()
        .zip(&said.blocks)
        .map(|(block, place)| {
            json!({
                "start": place.span.start,
                "end": place.span.end,
                "origin": place.origin,
                "origin_number": block.origin,
                "origin_offset": block.origin_offset,
                "words": block.words,
                "estimated": block.estimated,
            })
        })
        .collect();
    let fresh: Vec<[u32; 2]> = said.fresh.iter().map(|span| [span.start, span.end]).collect();
    json!({
        "id": id,
        "number": traced.number,
        "words": traced.words,
        "chunks": traced.chunks,
        "selected": traced.selected,
        "fresh_words": traced.fresh_words,
        "old_words": traced.old_words,
        "dominant_origin": said.dominant_origin,
        "dominant_number": traced.dominant_origin,
        "dominant_share": traced.dominant_share,
        "blocks": blocks,
        "fresh": fresh,
    })
}

fn table_line(id: &str, said: &DocumentOrigins) -> String {
    let traced = &said.traced;
    let fresh = 100.0 * f64::from(traced.fresh_words) / f64::from(traced.words.max(1));
    let origin = match (traced.is_copied(), &said.dominant_origin) {
        (false, _) => "its own".to_owned(),
        (true, Some(origin)) => terminal::fit(origin, 40),
        (true, None) => format!("document {}", traced.dominant_origin),
    };
    let words = terminal::thousands(u64::from(traced.words));
    let share = 100.0 * traced.dominant_share;
    format!(
        "{words:>9} words  {fresh:>5.1} % fresh  {share:>5.1} % {origin}  {}\n",
        terminal::fit(id, 60)
    )
}
