//! `textkin dedup`: a collection without what is in it more than once.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use textkin::report::{
    OutputFile, OutputFolder, RemovalLine, RemovalWriter, RemovedPart, terminal,
};
use textkin::source::{Format, InputFile, Inputs, RewriteError, Rewritten};
use textkin::{
    Cleaning, Duplicates, Editor, Keep, Level, Likeness, Settings, Tally, Watch, dedup, report,
};

use crate::arguments::{Dedup, KeepName, LevelName, Removal};
use crate::documents::{analysis_settings, collection_settings};
use crate::exit::Exit;
use crate::interrupt;
use crate::outputs::{self, unless_closed};
use crate::progress::Shown;
use crate::tell::tell;

/// A source that would lose more than this share is warned of.
const MOST_LOST: f64 = 0.9;

/// So many warnings are told, the rest is counted.
const MOST_WARNINGS: usize = 20;

/// Runs the command.
pub(crate) fn run(arguments: &Dedup) -> anyhow::Result<Exit> {
    let watch = Arc::new(Watch::default());
    interrupt::listen(&watch)?;
    let cleaning = cleaning(arguments)?;
    let settings = settings(arguments)?;
    let mut source_settings = collection_settings(&arguments.input);
    if let KeepName::Field(name) = &arguments.removal.keep {
        source_settings.time_field = Some(name.clone());
    }
    source_settings.outputs = arguments.cleaned.log.iter().cloned().collect();
    let mut inputs = Inputs::open(&arguments.inputs, &source_settings)?;
    inputs.spool(&settings.temp_dir).context("cannot store standard input")?;
    // A pipe is refused before anything is read.
    inputs.reopen().context("dedup reads the input twice")?;
    let files = inputs.files();
    let is_text = |file: &InputFile| file.format == Some(Format::Text);
    if matches!(arguments.removal.keep, KeepName::Field(_)) && files.iter().any(is_text) {
        anyhow::bail!("--keep field:NAME goes by a field of records; text files have none");
    }
    let mut target = Target::new(arguments, &files)?;
    let log = arguments.cleaned.log.as_deref().map(RemovalWriter::create).transpose()?;

    let shown = Shown::begin(&watch, arguments.cleaned.quiet);
    let found = dedup(&mut inputs, &settings, cleaning, &watch)?;
    watch.progress.begin("writing", files.len() as u64);
    let mut editor = found.editor(arguments.cleaned.annotate, &watch);
    let mut told = Told::default();
    for file in &files {
        match target.rewrite(&inputs, file, &mut editor)? {
            Rewritten::Stopped => return Err(stopped(&mut editor).into()),
            Rewritten::Copied(reason) => {
                told.notes.push(format!("{}: {reason}", file.path.display()));
            }
            Rewritten::Written | Rewritten::Gone => {}
        }
        let tally = editor.take_tally();
        if !is_text(file) {
            told.warn(&file.path.to_string_lossy(), tally);
        }
        watch.progress.advance(1);
    }
    editor.finish()?;
    target.finish()?;
    if let Some(log) = log {
        unless_closed(write_log(log, &found))?;
    }
    drop(shown);

    if files.len() != 1 {
        told.warn("the collection", found.tally());
    }
    tell_all(&found, &inputs, &told, arguments.cleaned.quiet);
    if !arguments.cleaned.quiet {
        unless_closed(show(arguments, &found))?;
    }
    if found.documents.is_empty() && !found.problems.is_empty() {
        return Ok(Exit::Failed);
    }
    Ok(if found.removed.is_empty() { Exit::Nothing } else { Exit::Found })
}

fn stopped(editor: &mut Editor<'_>) -> textkin::Error {
    editor.take_failure().unwrap_or(textkin::Error::Stopped)
}

/// What the options mean together.
fn cleaning(arguments: &Dedup) -> anyhow::Result<Cleaning> {
    let Removal { level, threshold, by, keep, min_words, .. } = &arguments.removal;
    let is_document = *level == LevelName::Document;
    anyhow::ensure!(
        is_document || (threshold.is_none() && by.is_none()),
        "--threshold and --by are for --level document; what goes otherwise is the same word for word"
    );
    anyhow::ensure!(
        !is_document || min_words.is_none(),
        "--min-words is for --level passage and --level line"
    );
    anyhow::ensure!(
        is_document || !arguments.cleaned.annotate,
        "--annotate is for --level document"
    );
    let level = match level {
        LevelName::Document => Level::Document {
            likeness: by.map_or(Likeness::Held, Likeness::Score),
            threshold: threshold.unwrap_or(0.9),
        },
        LevelName::Passage => Level::Passage { min_words: min_words.unwrap_or(50) },
        LevelName::Line => Level::Line { min_words: min_words.unwrap_or(3) },
    };
    let keep = match keep {
        KeepName::First => Keep::First,
        KeepName::Last => Keep::Last,
        KeepName::Longest => Keep::Longest,
        KeepName::Best => Keep::Best,
        KeepName::Field(_) => Keep::Field,
    };
    Ok(Cleaning { level, keep })
}

fn settings(arguments: &Dedup) -> anyhow::Result<Settings> {
    let (removal, means) = (&arguments.removal, &arguments.means);
    Ok(Settings {
        max_df: removal.max_df,
        counting: means.count,
        plan: means.plan,
        memory: means.memory,
        temp_dir: means.temp_dir.clone().unwrap_or_else(std::env::temp_dir),
        threads: means.threads.map(usize::from),
        is_strict: arguments.input.strict,
        ..analysis_settings(&removal.analysis, &arguments.input.reading)?
    })
}

/// Where the cleaned collection goes.
enum Target {
    /// Nowhere.
    Nothing,
    /// One file.
    File { name: PathBuf, file: Option<OutputFile> },
    /// A folder, and the folder inside which the names of files are taken, if there is one.
    Folder { folder: Option<OutputFolder>, root: Option<PathBuf> },
}

impl Target {
    fn new(arguments: &Dedup, files: &[InputFile]) -> anyhow::Result<Self> {
        let is_input = |path: &Path| {
            let place = outputs::place(path);
            place.is_some() && files.iter().any(|file| outputs::place(&file.path) == place)
        };
        if let Some(log) = arguments.cleaned.log.as_deref().filter(|log| is_input(log)) {
            anyhow::bail!("{} is an input and would be overwritten", log.display());
        }
        let Some(out) = arguments.cleaned.out.as_deref().filter(|_| !arguments.cleaned.dry_run)
        else {
            return Ok(Self::Nothing);
        };
        let one = match arguments.inputs.as_slice() {
            [one] if one.as_os_str() == "-" || one.is_file() => Some(one),
            _ => None,
        };
        if let Some(one) = one {
            let name = match one.file_name().filter(|_| out.is_dir() && one.as_os_str() != "-") {
                Some(name) => out.join(name),
                None => out.to_owned(),
            };
            anyhow::ensure!(
                !is_input(&name),
                "{} is an input and would be overwritten; name another output",
                name.display()
            );
            let is_both = arguments.cleaned.log.as_ref().is_some_and(|log| *log == name);
            anyhow::ensure!(!is_both, "{} is named for two outputs", name.display());
            let file = Some(OutputFile::create(&name)?);
            return Ok(Self::File { name, file });
        }
        for input in arguments.inputs.iter().filter(|input| input.is_dir()) {
            let place = std::path::absolute(out).unwrap_or_else(|_| out.to_owned());
            let parent = place.parent().and_then(|parent| parent.canonicalize().ok());
            let place = parent
                .map_or(place.clone(), |parent| parent.join(place.file_name().unwrap_or_default()));
            let inside = input.canonicalize().is_ok_and(|input| place.starts_with(input));
            anyhow::ensure!(
                !inside,
                "{} lies in {}, which is read; name a folder outside",
                out.display(),
                input.display()
            );
        }
        let root = match arguments.inputs.as_slice() {
            [one] if one.is_dir() => Some(one.clone()),
            _ => None,
        };
        let mut names = HashSet::new();
        for file in files {
            let name = relative(&file.path, root.as_deref());
            anyhow::ensure!(
                names.insert(name.clone()),
                "two inputs would be written to {}; clean them one by one",
                out.join(name).display()
            );
        }
        Ok(Self::Folder { folder: Some(OutputFolder::create(out)?), root })
    }

    /// Writes a file again.
    fn rewrite(
        &mut self,
        inputs: &Inputs,
        file: &InputFile,
        editor: &mut Editor<'_>,
    ) -> anyhow::Result<Rewritten> {
        let (name, rewritten) = match self {
            Self::Nothing => (PathBuf::new(), inputs.rewrite(file, editor, &mut std::io::sink())),
            Self::File { name, file: slot } => {
                let Some(output) = slot.take() else { return Ok(Rewritten::Gone) };
                let mut output = BufWriter::with_capacity(1 << 17, output);
                let rewritten = inputs.rewrite(file, editor, &mut output);
                let rewritten = rewritten.and_then(|rewritten| {
                    output.flush()?;
                    Ok(rewritten)
                });
                // A file that goes is not written: what was there under its name stays.
                if matches!(rewritten, Ok(Rewritten::Written | Rewritten::Copied(_))) {
                    *slot = output.into_inner().ok();
                }
                (name.clone(), rewritten)
            }
            Self::Folder { folder, root } => {
                let Some(folder) = folder else { return Ok(Rewritten::Gone) };
                let name = relative(&file.path, root.as_deref());
                let place = folder.place(&name)?;
                let made = File::create(&place);
                let made = made.with_context(|| format!("cannot create {}", name.display()))?;
                let mut output = BufWriter::with_capacity(1 << 17, made);
                let rewritten = inputs.rewrite(file, editor, &mut output);
                let rewritten = rewritten.and_then(|rewritten| {
                    output.flush()?;
                    Ok(rewritten)
                });
                match rewritten {
                    Ok(Rewritten::Gone) => std::fs::remove_file(&place)?,
                    _ => {
                        if let Ok(metadata) = std::fs::metadata(&file.path) {
                            std::fs::set_permissions(&place, metadata.permissions())?;
                        }
                    }
                }
                (name, rewritten)
            }
        };
        rewritten.map_err(|error| match error {
            RewriteError::Write(source) => report::Error::write(&name, source).into(),
            error => error.into(),
        })
    }

    fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Nothing => {}
            Self::File { file, .. } => {
                if let Some(file) = file {
                    unless_closed(file.finish())?;
                }
            }
            Self::Folder { folder, .. } => {
                if let Some(folder) = folder {
                    folder.finish()?;
                }
            }
        }
        Ok(())
    }
}

/// The name of a file in the folder that is written: inside `root`, or as it was given, without what
/// would lead out of the folder.
fn relative(path: &Path, root: Option<&Path>) -> PathBuf {
    let inner = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
    let is_name = |component: &Component<'_>| matches!(component, Component::Normal(_));
    inner.components().filter(is_name).collect()
}

/// What is to be told at the end.
#[derive(Default)]
struct Told {
    notes: Vec<String>,
    warnings: Vec<String>,
}

impl Told {
    /// Warns of a source that loses nearly everything.
    fn warn(&mut self, name: &str, tally: Tally) {
        let share =
            |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let documents = share(tally.documents_gone, tally.documents);
        let words = share(tally.words_gone, tally.words);
        if tally.documents > 1 && (documents > MOST_LOST || words > MOST_LOST) {
            self.warnings.push(format!(
                "{name} loses {} of {} documents and {} of {} words",
                tally.documents_gone, tally.documents, tally.words_gone, tally.words
            ));
        }
    }
}

fn tell_all(found: &Duplicates, inputs: &Inputs, told: &Told, quiet: bool) {
    for problem in &found.problems {
        tell(format_args!("textkin: {problem}\n"));
    }
    for note in &told.notes {
        tell(format_args!("textkin: {note}\n"));
    }
    for warning in told.warnings.iter().take(MOST_WARNINGS) {
        tell(format_args!("textkin: warning: {warning}\n"));
    }
    if let Some(more @ 1..) = told.warnings.len().checked_sub(MOST_WARNINGS) {
        tell(format_args!("textkin: warning: {more} more sources lose more than 90 %\n"));
    }
    if quiet {
        return;
    }
    if !found.problems.is_empty() {
        tell(format_args!("textkin: what could not be read is written as it is\n"));
    }
    outputs::tell_left_out(inputs.skipped_outputs());
    let (hidden, links) = (inputs.skipped_hidden(), inputs.skipped_links());
    if hidden > 0 {
        tell(format_args!(
            "textkin: hidden files and folders not read: {hidden} (--hidden reads them)\n"
        ));
    }
    if links > 0 {
        tell(format_args!(
            "textkin: symbolic links not followed: {links} (--follow-links follows them)\n"
        ));
    }
    if let Some(capped) = &found.capped {
        tell(format_args!(
            "textkin: --max-df {} set aside {} chunks with {} postings\n",
            capped.max_documents, capped.chunks, capped.postings
        ));
    }
}

fn write_log(mut log: RemovalWriter, found: &Duplicates) -> Result<(), report::Error> {
    for removal in &found.removed {
        let part = removal.place.map(|place| RemovedPart {
            start: u64::from(place.span.start),
            end: u64::from(place.span.end),
            word: u64::from(place.word),
            stays_at: u64::from(place.stays_at),
        });
        log.removal(&RemovalLine {
            document: found.documents.id(removal.document),
            duplicate_of: found.documents.id(removal.duplicate_of),
            score: removal.score,
            words: u64::from(removal.words),
            part,
        })?;
    }
    log.finish()
}

/// The summary: on standard output, or on standard error if that is taken.
fn show(arguments: &Dedup, found: &Duplicates) -> Result<(), report::Error> {
    let tally = found.tally();
    let verb = match (arguments.cleaned.dry_run, arguments.cleaned.annotate) {
        (true, _) => "would go",
        (false, true) => "are marked",
        (false, false) => "are gone",
    };
    let number = terminal::thousands;
    let documents = number(tally.documents);
    let what = match arguments.removal.level {
        LevelName::Document => {
            format!("{} of {documents} documents {verb}", number(tally.documents_gone))
        }
        LevelName::Passage | LevelName::Line => {
            let parts = number(found.removed.len() as u64);
            let name =
                if arguments.removal.level == LevelName::Line { "lines" } else { "passages" };
            let cut = number(tally.documents_cut);
            format!("{parts} {name} in {cut} of {documents} documents {verb}")
        }
    };
    let words = number(tally.words);
    let text = format!("{what} · {} of {words} words\n", number(tally.words_gone));
    let cleaned = [&arguments.cleaned.out, &arguments.cleaned.log];
    if cleaned.into_iter().flatten().any(|path| path.as_os_str() == "-") {
        tell(format_args!("{text}"));
        return Ok(());
    }
    terminal::print(&text)
}
