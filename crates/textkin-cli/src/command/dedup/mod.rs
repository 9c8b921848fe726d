//! `textkin dedup`: removes duplicates from a collection.

mod summary;

use std::ops::Range;
use std::sync::Arc;

use anyhow::Context;
use textkin::engine::report::{RemovalLine, RemovalWriter, RemovedPart};
use textkin::engine::source::{InputFile, InputFormat, Inputs, RewriteOutcome};
use textkin::engine::{DedupEditor, Duplicates, RunControl, Settings, report};
use textkin::{DedupUnit, Keep};

use self::summary::Notices;
use crate::arguments::{
    Dedup, DedupLevelOption, DedupOutput, GlobalOptions, OutputFormat, RemovalOptions,
};
use crate::command::target::Target;
use crate::documents::{analysis_settings, collection_settings};
use crate::exit::Exit;
use crate::interrupt;
use crate::outputs::ignore_broken_pipe;
use crate::progress::ProgressDisplay;

/// Runs the command.
pub(crate) fn run(arguments: &Dedup, global: GlobalOptions) -> anyhow::Result<Exit> {
    let run_control = Arc::new(RunControl::default());
    interrupt::listen(&run_control)?;
    let settings = settings(arguments)?;
    let temp_dir = settings.temp_dir.clone();
    let job = job(arguments, settings);
    // Fail before anything is read if the options do not fit together.
    job.dedup_settings()?;
    anyhow::ensure!(
        arguments.removal.level == DedupLevelOption::Document || !arguments.output.annotate,
        "--annotate requires --level document"
    );
    let mut source_settings = collection_settings(&arguments.input);
    if let Keep::Field(name) = &arguments.removal.keep {
        source_settings.time_field = Some(name.clone());
    }
    source_settings.outputs = arguments.output.log.iter().cloned().collect();
    let mut inputs = Inputs::open(&arguments.inputs, &source_settings)?;
    inputs.spool(&temp_dir).context("cannot store standard input")?;
    // Fail before anything is read if the input is a pipe.
    inputs.reopen().context("dedup reads the input twice")?;
    let files = inputs.files();
    let is_text = |file: &InputFile| file.format == Some(InputFormat::Text);
    if matches!(arguments.removal.keep, Keep::Field(_)) && files.iter().any(is_text) {
        anyhow::bail!("--keep field:NAME needs records; text files have no fields");
    }
    let DedupOutput { out, dry_run, log, .. } = &arguments.output;
    let out = out.as_deref().filter(|_| !dry_run.dry_run);
    let others: Vec<_> = log.as_deref().into_iter().collect();
    let target = Target::new(&arguments.inputs, &files, out, &others)?;
    let log = log.as_deref().map(RemovalWriter::create).transpose()?;

    let display = ProgressDisplay::start(&run_control, global);
    let mut found = job.run_source(&mut inputs, &run_control)?.into_details();
    run_control.progress.begin("writing", files.len() as u64);
    let mut editor = found.editor(arguments.output.annotate, &run_control);
    let mut notices = Notices::default();
    // Documents of files that are copied unchanged, whatever was found in them.
    let mut kept: Vec<Range<u64>> = Vec::new();
    let mut n_documents = 0;
    for file in &files {
        let rewritten = target.rewrite(file, |out| inputs.rewrite(file, &mut editor, out))?;
        let is_copied = matches!(rewritten, RewriteOutcome::Copied(_));
        match rewritten {
            RewriteOutcome::Stopped => return Err(stopped(&mut editor).into()),
            RewriteOutcome::Copied(reason) => {
                notices.notes.push(format!("{}: {reason}", file.path.display()));
            }
            RewriteOutcome::Truncated(reason) => {
                notices.notes.push(format!("{}: {reason}", file.path.display()));
                notices.n_short += 1;
            }
            RewriteOutcome::Written | RewriteOutcome::Removed => {}
        }
        let counts = editor.take_counts();
        let documents = n_documents..n_documents + counts.documents;
        n_documents = documents.end;
        if is_copied {
            kept.push(documents);
        } else if !is_text(file) {
            notices.warn(&file.path.to_string_lossy(), counts);
        }
        run_control.progress.advance(1);
    }
    editor.finish()?;
    found.removed.retain(|removal| {
        let document = u64::from(removal.document);
        let after = kept.partition_point(|documents| documents.end <= document);
        !kept.get(after).is_some_and(|documents| documents.contains(&document))
    });
    // Everything is written before any file gets its final name.
    let log = match log.map(|log| write_log(log, &found)).transpose() {
        Err(error) if !error.is_broken_pipe() => return Err(error.into()),
        log => log.ok().flatten(),
    };
    target.finish()?;
    if let Some(log) = log {
        ignore_broken_pipe(log.finish())?;
    }
    drop(display);

    if files.len() != 1 {
        notices.warn("the collection", found.counts());
    }
    summary::print_all(&found, &inputs, &notices, global.quiet);
    if arguments.output.format.format == OutputFormat::Json || !global.quiet {
        ignore_broken_pipe(summary::show(arguments, &found))?;
    }
    if notices.n_short > 0 || (found.documents.is_empty() && !found.problems.is_empty()) {
        return Ok(Exit::Failed);
    }
    Ok(if found.removed.is_empty() { Exit::Nothing } else { Exit::Found })
}

fn stopped(editor: &mut DedupEditor<'_>) -> textkin::Error {
    editor.take_failure().unwrap_or(textkin::Error::Stopped)
}

/// Returns the job that the options describe.
fn job(arguments: &Dedup, settings: Settings) -> textkin::Dedup {
    let RemovalOptions { level, threshold, score, keep, min_words, .. } = &arguments.removal;
    let mut job =
        textkin::Dedup::with_settings(settings).level(DedupUnit::from(*level)).keep(keep.clone());
    if let Some(threshold) = *threshold {
        job = job.threshold(threshold);
    }
    if let Some(score) = *score {
        job = job.score(score);
    }
    if let Some(words) = *min_words {
        job = job.min_words(words);
    }
    job
}

fn settings(arguments: &Dedup) -> anyhow::Result<Settings> {
    let (removal, performance) = (&arguments.removal, &arguments.performance);
    Ok(Settings {
        max_df: removal.max_df,
        counting: performance.count,
        plan: performance.plan,
        memory: performance.memory.memory,
        temp_dir: performance.temp_dir.path(),
        threads: performance.threads.threads.map(usize::from),
        is_strict: arguments.input.strict,
        ..analysis_settings(&removal.analysis, &arguments.input.reading)?
    })
}

fn write_log(mut log: RemovalWriter, found: &Duplicates) -> Result<RemovalWriter, report::Error> {
    for removal in &found.removed {
        let part = removal.part.map(|part| RemovedPart {
            start: u64::from(part.span.start),
            end: u64::from(part.span.end),
            word: u64::from(part.word),
            kept_at: u64::from(part.keeper_position),
        });
        log.removal(&RemovalLine {
            document: found.documents.id(removal.document),
            duplicate_of: found.documents.id(removal.duplicate_of),
            score: removal.score,
            words: u64::from(removal.words),
            part,
        })?;
    }
    Ok(log)
}
