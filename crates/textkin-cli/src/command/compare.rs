//! `textkin compare`: what two documents share, passage by passage.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;

use textkin::report::terminal::{self, View};
use textkin::report::{self, Length, OutputFile, WithText};
use textkin::{RunControl, compare, read_document, split_document_path};

use crate::arguments::{Compare, ComparisonFormat};
use crate::documents::{analysis_settings, source_settings};
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
    if arguments.shown.html.is_some() {
        interrupt::listen(&Arc::new(RunControl::default()))?;
    }
    let page_file =
        arguments.shown.html.as_deref().map(|path| open_page(path, arguments)).transpose()?;
    let settings = analysis_settings(&arguments.analysis, &arguments.reading)?;
    let source_settings = source_settings(&arguments.reading);
    let read = |path: &Path| read_document(path, &source_settings);
    let (a, b) = (read(&arguments.a)?, read(&arguments.b)?);
    let comparison = compare(&a.text, &b.text, &settings, arguments.shown.max_gap)?;
    let mut view = comparison.view([&a.id, &a.text], [&b.id, &b.text]);
    view.a.add_notes(&a.notes);
    view.b.add_notes(&b.notes);
    let on_stdout = arguments.shown.html.as_deref().is_some_and(is_stdin);
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
    let inputs = [&arguments.a, &arguments.b]
        .into_iter()
        .chain(&arguments.analysis.template)
        .chain(&arguments.analysis.stop_list);
    let is_input = place(path).is_some_and(|target| {
        inputs.filter_map(|input| place(&split_document_path(input).0)).any(|input| input == target)
    });
    anyhow::ensure!(
        !is_input,
        "{} is an input and would be overwritten; name another output",
        path.display()
    );
    Ok(OutputFile::create(path)?)
}

fn show(arguments: &Compare, view: &report::Comparison<'_>) -> Result<(), report::Error> {
    if arguments.shown.format == ComparisonFormat::Json {
        return terminal::print(&(report::comparison_json(view, WithText::Yes) + "\n"));
    }
    let mut layout = View::of_stdout();
    if let Some(columns) = arguments.shown.width {
        layout.width = usize::from(columns);
    }
    let length = match (&arguments.shown.html, arguments.shown.full) {
        (Some(_), _) => Length::Summary,
        (None, true) => Length::Full,
        (None, false) => Length::Short,
    };
    let text = report::render_comparison(view, layout, length);
    let is_long = length != Length::Summary && !arguments.shown.no_pager;
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
