//! `textkin compare`: what two documents share, passage by passage.

use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;

use anyhow::Context;
use textkin::core::{Document, DocumentSink, Problem, Source};
use textkin::report::terminal::{self, View};
use textkin::report::{self, Length, OutputFile, WithText};
use textkin::source::{Inputs, SourceSettings, Worker};
use textkin::{Settings, Watch, compare};

use crate::arguments::{Compare, ComparisonFormat};
use crate::exit::Exit;
use crate::interrupt;
use crate::outputs::{place, unless_closed};

/// Runs the command.
pub(crate) fn run(arguments: &Compare) -> anyhow::Result<Exit> {
    let is_stdin = |path: &Path| path.as_os_str() == "-";
    anyhow::ensure!(
        !(is_stdin(&arguments.a) && is_stdin(&arguments.b)),
        "standard input (-) is one document; name a file for the other"
    );
    if arguments.html.is_some() {
        interrupt::listen(&Arc::new(Watch::default()))?;
    }
    let page_file = arguments.html.as_deref().map(|path| open_page(path, arguments)).transpose()?;
    let templates = arguments.template.iter().map(|path| Ok(read(path)?.text));
    let settings = Settings {
        normalization: arguments.normalize.clone(),
        templates: templates.collect::<anyhow::Result<_>>()?,
        chunk: arguments.chunk,
        ..Settings::default()
    };
    let (a, b) = (read(&arguments.a)?, read(&arguments.b)?);
    let comparison = compare(&a.text, &b.text, &settings, arguments.max_gap)?;
    let view = comparison.view([&a.id, &a.text], [&b.id, &b.text]);
    let on_stdout = arguments.html.as_deref().is_some_and(is_stdin);
    if let Some(mut file) = page_file {
        let page = report::comparison_page(&view);
        let written = file.write_all(page.as_bytes());
        let written = written.map_err(|source| report::Error::write(file.name(), source));
        unless_closed(written.and_then(|()| file.finish()))?;
    }
    if !on_stdout {
        unless_closed(show(arguments, &view))?;
    }
    Ok(if view.is_shared() { Exit::Found } else { Exit::Nothing })
}

/// Opens the page before any work is done, unless it would replace what is to be read.
fn open_page(path: &Path, arguments: &Compare) -> anyhow::Result<OutputFile> {
    let inputs = [&arguments.a, &arguments.b].into_iter().chain(&arguments.template);
    let is_input = place(path).is_some_and(|target| {
        inputs.filter_map(|input| place(&named(input).0)).any(|input| input == target)
    });
    anyhow::ensure!(
        !is_input,
        "{} is an input and would be overwritten; name another output",
        path.display()
    );
    Ok(OutputFile::create(path)?)
}

fn show(arguments: &Compare, view: &report::Comparison<'_>) -> Result<(), report::Error> {
    if arguments.format == ComparisonFormat::Json {
        return terminal::print(&(report::comparison_json(view, WithText::Yes) + "\n"));
    }
    let mut layout = View::of_stdout();
    if let Some(columns) = arguments.width {
        layout.width = usize::from(columns);
    }
    let length = match (&arguments.html, arguments.full) {
        (Some(_), _) => Length::Summary,
        (None, true) => Length::Full,
        (None, false) => Length::Short,
    };
    let text = report::render_comparison(view, layout, length);
    let is_long = length != Length::Summary && !arguments.no_pager;
    if is_long && std::io::stdout().is_terminal() && page_through(&text) {
        return Ok(());
    }
    terminal::print(&text)
}

/// Shows text in the user's pager, or `less`, which shows what fits the screen as it is. Whether
/// there is one.
fn page_through(text: &str) -> bool {
    let chosen = std::env::var("PAGER").ok();
    let mut command = match chosen.as_deref() {
        Some("") => return false,
        Some(pager) => {
            let mut command = Command::new("sh");
            command.args(["-c", pager]);
            command
        }
        None => Command::new("less"),
    };
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    // Ctrl-C is for the pager. If there is a handler already, it stays.
    let _ = ctrlc::set_handler(|| {});
    let Ok(mut pager) = command.stdin(Stdio::piped()).spawn() else { return false };
    if let Some(mut input) = pager.stdin.take() {
        // A pager that is left before the end has shown enough.
        let _ = input.write_all(text.as_bytes());
    }
    // What the shell says of a command that it cannot find or start.
    let is_missing = |status: ExitStatus| matches!(status.code(), Some(126 | 127));
    pager.wait().is_ok_and(|status| !is_missing(status))
}

/// A document that was read.
pub(crate) struct Read {
    pub(crate) id: String,
    pub(crate) text: String,
}

/// Takes the one document that is asked for.
struct Taker<'a> {
    file: String,
    /// The id of the document, if the file holds several.
    wanted: Option<&'a str>,
    taken: Option<Read>,
    n_documents: u64,
    problem: Option<Problem>,
}

impl Taker<'_> {
    /// Whether nothing more need be read: it is found, or there are too many to choose from.
    fn is_done(&self) -> bool {
        if self.wanted.is_some() { self.taken.is_some() } else { self.n_documents > 1 }
    }

    /// Whether `id` is the document asked for, as written or without the name of the file.
    fn is_wanted(&self, id: &str) -> bool {
        let Some(wanted) = self.wanted else { return true };
        let rest = id.strip_prefix(&self.file).unwrap_or(id);
        id == wanted || rest.trim_start_matches([':', '/', '!', '#']) == wanted
    }
}

impl DocumentSink for Taker<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        self.n_documents += 1;
        if self.is_wanted(&document.id) && self.taken.is_none() {
            let (id, text) = (document.id.into_owned(), document.text.into_owned());
            self.taken = Some(Read { id, text });
        }
        if self.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problem.get_or_insert(problem);
        ControlFlow::Continue(())
    }
}

/// The file and the id that `path` names: `FILE#ID`, unless a file has that very name.
fn named(path: &Path) -> (std::path::PathBuf, Option<String>) {
    let split = path.to_str().and_then(|name| name.rsplit_once('#'));
    match split {
        Some((file, id)) if !path.exists() && Path::new(file).exists() => {
            (file.into(), Some(id.to_owned()))
        }
        _ => (path.to_owned(), None),
    }
}

/// Reads the one document that `path` names.
pub(crate) fn read(path: &Path) -> anyhow::Result<Read> {
    let (file, id) = named(path);
    let settings = SourceSettings {
        worker: Worker { program: std::env::current_exe().ok(), ..Worker::default() },
        ..SourceSettings::default()
    };
    let mut inputs = Inputs::open(&[&file], &settings)?;
    let mut taker = Taker {
        file: file.display().to_string(),
        wanted: id.as_deref(),
        taken: None,
        n_documents: 0,
        problem: None,
    };
    while let Some(piece) = inputs.next_piece() {
        piece.read(&mut taker);
        if taker.is_done() {
            break;
        }
    }
    let Taker { taken, n_documents, problem, .. } = taker;
    let name = file.display();
    anyhow::ensure!(
        id.is_some() || n_documents < 2,
        "{name} holds several documents; name one of them, as {name}#ID"
    );
    match (taken, problem, id) {
        (Some(read), ..) => Ok(read),
        (None, Some(problem), _) => anyhow::bail!("{problem}"),
        (None, None, Some(id)) => anyhow::bail!("{name} holds no document '{id}'"),
        (None, None, None) if file.as_os_str() == "-" => {
            Ok(Read { id: "-".to_owned(), text: String::new() })
        }
        (None, None, None) => {
            Err(anyhow::anyhow!("it holds no document")).context(name.to_string())
        }
    }
}
