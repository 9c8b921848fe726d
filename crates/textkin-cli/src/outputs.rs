//! Names of outputs: refused before any work is done where they cannot be what the user meant.

use std::path::{Path, PathBuf};

use textkin::report;
use textkin::source::Inputs;

use crate::arguments::{Discover, Output};
use crate::messages::print_message;

/// Refuses names that no writer knows, one name for two outputs, and the name of an input.
pub(crate) fn check(arguments: &Discover) -> anyhow::Result<()> {
    for path in &arguments.output.out {
        report::Format::from_path(path)?;
    }
    let on_stdout = all(&arguments.output).filter(|path| path.as_os_str() == "-").count();
    anyhow::ensure!(on_stdout <= 1, "only one output can go to standard output (-)");
    let mut outputs: Vec<PathBuf> = Vec::new();
    for path in all(&arguments.output) {
        let Some(place) = place(path) else { continue };
        check_apart(path, &arguments.inputs)?;
        anyhow::ensure!(
            !outputs.contains(&place),
            "{} is named for two outputs; give each a name of its own",
            path.display()
        );
        outputs.push(place);
    }
    // The figures are written last: hours should not pass before they turn out to have no place.
    if let Some(path) = arguments.output.stats.as_deref().filter(|path| place(path).is_some()) {
        report::OutputFile::create(path)?;
    }
    Ok(())
}

/// Refuses an output that is one of the inputs.
pub(crate) fn check_apart(output: &Path, inputs: &[PathBuf]) -> anyhow::Result<()> {
    let Some(place_of_output) = place(output) else { return Ok(()) };
    anyhow::ensure!(
        !inputs.iter().filter_map(|path| place(path)).any(|input| input == place_of_output),
        "{} is an input and would be overwritten; name another output",
        output.display()
    );
    Ok(())
}

/// The files that will be written: a folder that is read may hold those of an earlier run.
pub(crate) fn files(output: &Output) -> Vec<PathBuf> {
    all(output).filter_map(|path| place(path)).collect()
}

/// Names the outputs of an earlier run that were not read.
pub(crate) fn tell_left_out(paths: &[PathBuf]) {
    if !paths.is_empty() {
        let names: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
        print_message(format_args!(
            "textkin: not read, this run writes them: {}\n",
            names.join(", ")
        ));
    }
}

/// Says which inputs were not read, or had nothing to read.
pub(crate) fn tell_unread(inputs: &Inputs) {
    tell_left_out(inputs.skipped_outputs());
    for folder in inputs.skipped_marked() {
        print_message(format_args!(
            "textkin: not read, it is a repository: {}\n",
            folder.display()
        ));
    }
    let repeated = inputs.repeated();
    if repeated > 0 {
        print_message(format_args!(
            "textkin: files found more than once: {repeated} (each is read once)\n"
        ));
    }
    for name in inputs.empty_streams() {
        let name = if &**name == "-" { "standard input" } else { name };
        print_message(format_args!("textkin: {name} is empty and holds no document\n"));
    }
    let hidden = inputs.skipped_hidden();
    if hidden > 0 {
        print_message(format_args!(
            "textkin: hidden files and folders not read: {hidden} (--hidden reads them)\n"
        ));
    }
    let links = inputs.skipped_links();
    if links > 0 {
        print_message(format_args!(
            "textkin: symbolic links not followed: {links} (--follow-links follows them)\n"
        ));
    }
}

/// Whether an output goes to standard output.
pub(crate) fn take_stdout(output: &Output) -> bool {
    all(output).any(|path| path.as_os_str() == "-")
}

/// A reader that has gone, as `head` goes, has seen enough; the other outputs are still wanted.
pub(crate) fn unless_closed(written: Result<(), report::Error>) -> Result<(), report::Error> {
    written.or_else(|error| if error.is_broken_pipe() { Ok(()) } else { Err(error) })
}

/// A field of CSV, in quotes where it must be.
pub(crate) fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

fn all(output: &Output) -> impl Iterator<Item = &PathBuf> {
    output
        .out
        .iter()
        .chain(&output.clusters)
        .chain(&output.imatch)
        .chain(&output.index)
        .chain(&output.explain)
        .chain(&output.html)
        .chain(&output.stats)
}

/// The one name of a file, whether it exists or not; none for standard output, folders and devices.
pub(crate) fn place(path: &Path) -> Option<PathBuf> {
    if path.as_os_str() == "-" {
        return None;
    }
    match path.metadata() {
        Ok(metadata) => metadata.is_file().then(|| path.canonicalize().ok()).flatten(),
        Err(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            // A folder that does not exist is told when the output is opened.
            let folder = folder.unwrap_or(Path::new("."));
            let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
            Some(folder.join(path.file_name()?))
        }
    }
}
