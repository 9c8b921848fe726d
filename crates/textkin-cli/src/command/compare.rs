//! `textkin compare`: shows what two documents share, passage by passage.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;

use textkin::engine::report::terminal::{self, TerminalView};
use textkin::engine::report::{self, Detail, Output, OutputFile, WithText};
use textkin::engine::{RunControl, split_document_path};

use crate::arguments::{Compare, GlobalOptions, OutputFormat};
use crate::documents::{analysis_settings, source_settings};
use crate::exit::Exit;
use crate::interrupt;
use crate::outputs::{self, canonical, ignore_broken_pipe};
use crate::progress::ProgressDisplay;

/// Runs the command.
pub(crate) fn run(arguments: &Compare, global: GlobalOptions) -> anyhow::Result<Exit> {
    let is_stdin = |path: &Path| path.as_os_str() == "-";
    anyhow::ensure!(
        !(is_stdin(&arguments.a) && is_stdin(&arguments.b)),
        "standard input (-) can be only one of the two documents"
    );
    let out = arguments.output.out.path();
    let run_control = Arc::new(RunControl::default());
    if arguments.output.html.is_some() || !is_stdin(out) {
        interrupt::listen(&run_control)?;
    }
    let html_on_stdout = arguments.output.html.as_deref().is_some_and(is_stdin);
    check_output(out, arguments)?;
    let result_file = match is_stdin(out) {
        true => None,
        false => Some(Output::create(out)?),
    };
    let page_file =
        arguments.output.html.as_deref().map(|path| open_page(path, arguments)).transpose()?;
    let settings = analysis_settings(&arguments.analysis, &arguments.reading)?;
    let source_settings = source_settings(&arguments.reading);
    let display = ProgressDisplay::start(&run_control, global);
    run_control.progress.begin("comparing", 0);
    let job = textkin::Compare::with_settings(settings).reading(source_settings);
    let job = job.max_gap(arguments.output.max_gap).min_words(arguments.output.min_words);
    let job = job.rewritten(arguments.rewritten);
    let comparison = job.run_paths(&arguments.a, &arguments.b)?;
    drop(display);
    let view = comparison.view();
    if let Some(mut file) = page_file {
        let page = report::comparison_page(&view);
        let written = file.write_all(page.as_bytes());
        let written = written.map_err(|source| report::Error::write(file.name(), source));
        ignore_broken_pipe(written.and_then(|()| file.finish()))?;
    }
    if let Some(mut file) = result_file {
        file.write(rendered(arguments, &view, outputs::plain_view()).as_bytes())?;
        file.finish()?;
    } else if !html_on_stdout {
        ignore_broken_pipe(show(arguments, &view))?;
    }
    Ok(if view.is_shared() { Exit::Found } else { Exit::Nothing })
}

/// Opens the HTML report before any work is done, unless it would overwrite an input.
fn open_page(path: &Path, arguments: &Compare) -> anyhow::Result<OutputFile> {
    check_output(path, arguments)?;
    anyhow::ensure!(
        canonical(path).is_none() || canonical(path) != canonical(arguments.output.out.path()),
        "{} is used for two outputs; choose different files",
        path.display()
    );
    Ok(OutputFile::create(path)?)
}

/// Fails if an output would overwrite an input.
fn check_output(path: &Path, arguments: &Compare) -> anyhow::Result<()> {
    let stop_lists: Vec<_> = arguments.analysis.stop_list.files().collect();
    let inputs = [&arguments.a, &arguments.b]
        .into_iter()
        .chain(&arguments.analysis.template)
        .chain(&stop_lists);
    let is_input = canonical(path).is_some_and(|target| {
        inputs
            .filter_map(|input| canonical(&split_document_path(input).0))
            .any(|input| input == target)
    });
    anyhow::ensure!(
        !is_input,
        "{} is an input and would be overwritten; choose another output",
        path.display()
    );
    Ok(())
}

fn show(arguments: &Compare, view: &report::Comparison<'_>) -> Result<(), report::Error> {
    let is_text = arguments.output.format.format == OutputFormat::Text;
    let text = rendered(arguments, view, TerminalView::for_stdout());
    let is_long = is_text && arguments.output.html.is_none() && !arguments.output.no_pager;
    if is_long && std::io::stdout().is_terminal() && page_through(&text) {
        return Ok(());
    }
    terminal::print(&text)
}

/// Returns the comparison as text or JSON.
fn rendered(
    arguments: &Compare,
    view: &report::Comparison<'_>,
    mut layout: TerminalView,
) -> String {
    if arguments.output.format.format == OutputFormat::Json {
        return report::comparison_json(view, WithText::Yes) + "\n";
    }
    if let Some(columns) = arguments.output.width {
        layout.width = usize::from(columns);
    }
    let length = match (&arguments.output.html, arguments.output.full_text) {
        (Some(_), _) => Detail::Summary,
        (None, true) => Detail::Full,
        (None, false) => Detail::Short,
    };
    report::render_comparison(view, layout, length)
}

/// Shows text in `$PAGER` or `less`, which quits at once if the text fits the screen. Returns whether a pager
/// was started.
fn page_through(text: &str) -> bool {
    let pager = std::env::var("PAGER").ok();
    let mut command = match pager.as_deref() {
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
    // Ctrl-C belongs to the pager. A handler that was set before stays.
    let _ = ctrlc::set_handler(|| {});
    let Ok(mut pager) = command.stdin(Stdio::piped()).spawn() else { return false };
    if let Some(mut input) = pager.stdin.take() {
        // The user may quit the pager before the end.
        let _ = input.write_all(text.as_bytes());
    }
    // Exit codes of a shell that cannot find or start the command.
    let is_missing = |status: ExitStatus| matches!(status.code(), Some(126 | 127));
    pager.wait().is_ok_and(|status| !is_missing(status))
}
