//! Paths of outputs: mistakes are reported before any work is done, and skipped inputs afterwards.

use std::path::{Path, PathBuf};

use textkin::engine::report;
use textkin::engine::source::Inputs;

use crate::arguments::{Discover, DiscoverOutput, OutputFormat};
use crate::messages::print_message;

/// Rejects unsupported formats, the same path for two outputs, and outputs that would overwrite an input.
pub(crate) fn check(arguments: &Discover) -> anyhow::Result<()> {
    for path in &arguments.output.out {
        report::Format::from_path(path)?;
    }
    let prints_json = usize::from(arguments.output.format.format == OutputFormat::Json);
    let on_stdout =
        all(&arguments.output).filter(|path| path.as_os_str() == "-").count() + prints_json;
    anyhow::ensure!(on_stdout <= 1, "only one output can go to standard output (-)");
    let mut outputs: Vec<PathBuf> = Vec::new();
    for path in all(&arguments.output) {
        let Some(target) = canonical(path) else { continue };
        check_not_input(path, &arguments.inputs)?;
        anyhow::ensure!(
            !outputs.contains(&target),
            "{} is used for two outputs; choose different files",
            path.display()
        );
        outputs.push(target);
    }
    // Statistics are written last: a path that cannot be written must not fail after hours.
    if let Some(path) = arguments.output.stats.as_deref().filter(|path| canonical(path).is_some()) {
        report::OutputFile::create(path)?;
    }
    Ok(())
}

/// Rejects an output that is one of the inputs.
pub(crate) fn check_not_input(output: &Path, inputs: &[PathBuf]) -> anyhow::Result<()> {
    let Some(canonical_output) = canonical(output) else { return Ok(()) };
    anyhow::ensure!(
        !inputs.iter().filter_map(|path| canonical(path)).any(|input| input == canonical_output),
        "{} is an input and would be overwritten; choose another output",
        output.display()
    );
    Ok(())
}

/// Returns the files that will be written, so that outputs of an earlier run are not read as documents.
pub(crate) fn files(output: &DiscoverOutput) -> Vec<PathBuf> {
    all(output).filter_map(|path| canonical(path)).collect()
}

/// Reports outputs of an earlier run that were not read.
pub(crate) fn report_skipped_outputs(paths: &[PathBuf]) {
    if !paths.is_empty() {
        let names: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
        print_message(format_args!(
            "textkin: skipped, because this run writes them: {}\n",
            names.join(", ")
        ));
    }
}

/// Reports which inputs were skipped or empty.
pub(crate) fn report_skipped_inputs(inputs: &Inputs) {
    report_skipped_outputs(inputs.skipped_outputs());
    for folder in inputs.skipped_marked() {
        print_message(format_args!(
            "textkin: skipped, because it is a repository: {}\n",
            folder.display()
        ));
    }
    let repeated = inputs.repeated();
    if repeated > 0 {
        print_message(format_args!(
            "textkin: files named more than once: {repeated} (each is read once)\n"
        ));
    }
    for name in inputs.empty_streams() {
        let name = if &**name == "-" { "standard input" } else { name };
        print_message(format_args!("textkin: {name} is empty\n"));
    }
    let hidden = inputs.skipped_hidden();
    if hidden > 0 {
        print_message(format_args!(
            "textkin: hidden files and directories skipped: {hidden} (use --hidden to read them)\n"
        ));
    }
    let links = inputs.skipped_links();
    if links > 0 {
        print_message(format_args!(
            "textkin: symbolic links skipped: {links} (use --follow-links to follow them)\n"
        ));
    }
}

/// Returns whether one of the outputs is standard output.
pub(crate) fn uses_stdout(output: &DiscoverOutput) -> bool {
    all(output).any(|path| path.as_os_str() == "-")
}

/// Ignores a broken pipe, such as one closed by `head`: the other outputs are still written.
pub(crate) fn ignore_broken_pipe(written: Result<(), report::Error>) -> Result<(), report::Error> {
    written.or_else(|error| if error.is_broken_pipe() { Ok(()) } else { Err(error) })
}

fn all(output: &DiscoverOutput) -> impl Iterator<Item = &PathBuf> {
    output
        .out
        .iter()
        .chain(&output.clusters)
        .chain(&output.imatch)
        .chain(&output.index)
        .chain(&output.passage_clusters)
        .chain(&output.explain)
        .chain(&output.html)
        .chain(&output.stats)
}

/// Returns the canonical path of a file that may not exist yet; `None` for standard output, directories and
/// devices.
pub(crate) fn canonical(path: &Path) -> Option<PathBuf> {
    if path.as_os_str() == "-" {
        return None;
    }
    match path.metadata() {
        Ok(metadata) => metadata.is_file().then(|| path.canonicalize().ok()).flatten(),
        Err(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            // A missing directory is reported when the output is opened.
            let folder = folder.unwrap_or(Path::new("."));
            let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
            Some(folder.join(path.file_name()?))
        }
    }
}

/// Returns the layout of text in files: any width, no color.
pub(crate) fn plain_view() -> report::terminal::TerminalView {
    report::terminal::TerminalView { width: usize::MAX, colour: false }
}

/// Writes a complete result to a file, or to standard output (-).
pub(crate) fn write_result(path: &Path, text: &str) -> Result<(), report::Error> {
    if path.as_os_str() == "-" {
        return report::terminal::print(text);
    }
    let mut output = report::Output::create(path)?;
    output.write(text.as_bytes())?;
    output.finish()
}

/// Returns the layout of text that is written to `path`.
pub(crate) fn view(path: &Path) -> report::terminal::TerminalView {
    if path.as_os_str() == "-" {
        report::terminal::TerminalView::for_stdout()
    } else {
        plain_view()
    }
}
