//! `textkin decontaminate`: removes evaluation items from a training corpus.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context;
use serde_json::json;
use textkin::engine::report::{
    self, BenchmarkCount, ItemLine, LeakLine, LeakSpan, LeakStatistics, LineWriter, terminal,
};
use textkin::engine::source::{InputFile, Inputs, RewriteOutcome, SourceSettings};
use textkin::engine::types::{Problem, Span, parallel};
use textkin::engine::{
    DecontaminationCounts, DocumentLeaks, EditedDocuments, LeakEditor, LeakMatcher, LeakTally,
    RunControl, Settings,
};
use textkin::{Cut, ItemStatus};

use crate::arguments::{Decontaminate, GlobalOptions, OutputFormat};
use crate::command::target::Target;
use crate::documents::collection_settings;
use crate::exit::Exit;
use crate::interrupt;
use crate::machine;
use crate::messages::print_message;
use crate::outputs::{self, ignore_broken_pipe};
use crate::progress::ProgressDisplay;

/// Files that are rewritten at the same time, for each thread.
const FILES_AT_ONCE: usize = 8;

/// Runs the command.
pub(crate) fn run(arguments: &Decontaminate, global: GlobalOptions) -> anyhow::Result<Exit> {
    let began = Instant::now();
    let run_control = Arc::new(RunControl::default());
    interrupt::listen(&run_control)?;
    let output = &arguments.output;
    let mut source_settings = collection_settings(&arguments.input);
    source_settings.outputs = output.reports().cloned().collect();
    let mut inputs = Inputs::open(&arguments.inputs, &source_settings)?;
    let others: Vec<&Path> = output.reports().map(|path| path.as_path()).collect();
    let out = output.out.as_deref().filter(|_| !output.dry_run.dry_run);
    let files = inputs.files();
    let target = Target::new(&arguments.inputs, &files, out, &others)?;
    let job = job(arguments, &source_settings)?;
    job.check()?;
    let log = output.log.as_deref().map(LineWriter::create).transpose()?;
    let items = output.items.as_deref().map(LineWriter::create).transpose()?;

    let display = ProgressDisplay::start(&run_control, global);
    inputs.spool(&arguments.temp_dir.path()).context("cannot store standard input")?;
    inputs.reopen()?;
    let matcher = job.matcher(&inputs, &run_control)?;
    let mut findings = Findings::new(&matcher, log);
    findings.problems = inputs.path_problems();
    findings.check(arguments.input.strict)?;
    let threads = arguments
        .threads
        .threads
        .map(usize::from)
        .unwrap_or_else(|| Settings::default().n_threads());
    let cut = if out.is_none() { Cut::None } else { output.cut };
    run_control.progress.begin("reading", 0);
    let new_editor = || LeakEditor::new(&matcher, cut, &run_control);
    if files.len() < 2 * threads {
        for file in &files {
            let outcome = target.rewrite(file, |out| {
                let mut done = |editor: LeakEditor<'_>| findings.add(editor.finish());
                inputs.rewrite_parallel(file, threads, &new_editor, &mut done, out)
            })?;
            findings.add_outcome(file, outcome)?;
            findings.check(arguments.input.strict)?;
        }
    } else {
        for files in files.chunks(FILES_AT_ONCE * threads) {
            let opened = files.iter().map(|file| Ok((file, Mutex::new(inputs.reopen()?))));
            let opened = opened.collect::<anyhow::Result<Vec<_>>>()?;
            let rewritten = parallel::map(&opened, threads, |(file, inputs)| {
                let inputs = inputs.lock().unwrap_or_else(PoisonError::into_inner);
                let mut edited = Vec::new();
                let outcome = target.rewrite(file, |out| {
                    let mut done = |editor: LeakEditor<'_>| edited.push(editor.finish());
                    inputs.rewrite_parallel(file, 1, &new_editor, &mut done, out)
                });
                (outcome, edited)
            });
            for (file, (outcome, edited)) in files.iter().zip(rewritten) {
                edited.into_iter().for_each(|edited| findings.add(edited));
                findings.add_outcome(file, outcome?)?;
            }
            findings.check(arguments.input.strict)?;
        }
    }
    // Everything is written before any file gets its final name.
    let items = items.map(|items| write_items(items, &findings)).transpose()?;
    target.finish()?;
    for writer in findings.log.take().into_iter().chain(items) {
        ignore_broken_pipe(writer.finish())?;
    }
    let statistics = statistics(arguments, &findings, began);
    if let Some(path) = &output.stats {
        ignore_broken_pipe(report::write_stats(path, &statistics))?;
    }
    drop(display);

    print_messages(&findings, &inputs, global.quiet);
    if output.format.format == OutputFormat::Json || !global.quiet {
        ignore_broken_pipe(show(arguments, &statistics))?;
    }
    if findings.n_short > 0 || (findings.counts.documents == 0 && !findings.problems.is_empty()) {
        return Ok(Exit::Failed);
    }
    Ok(if findings.counts.documents_flagged > 0 { Exit::Found } else { Exit::Nothing })
}

/// Returns the job that the options describe, with its items.
fn job(
    arguments: &Decontaminate,
    source_settings: &SourceSettings,
) -> anyhow::Result<textkin::Decontaminate> {
    let options = &arguments.items;
    let settings = Settings {
        threads: arguments.threads.threads.map(usize::from),
        is_strict: arguments.input.strict,
        ..Settings::default()
    };
    let mut job = textkin::Decontaminate::with_settings(settings)
        .reading(SourceSettings {
            outputs: Vec::new(),
            input_format: None,
            ..source_settings.clone()
        })
        .question_field(&options.question_field)
        .answer_field(&options.answer_field)
        .passage_field(&options.passage_field)
        .preset(options.preset)
        .cut(arguments.output.cut);
    if let Some(share) = options.threshold {
        job = job.threshold(share);
    }
    if let Some(documents) = options.max_df {
        job = job.max_df(documents);
    }
    Ok(job.against_paths(&options.against)?)
}

/// What was found, in the order of the documents.
struct Findings<'a> {
    matcher: &'a LeakMatcher,
    tally: LeakTally,
    log: Option<LineWriter>,
    counts: DecontaminationCounts,
    problems: Vec<Problem>,
    notes: Vec<String>,
    /// Number of files written without the documents that could not be read.
    n_short: usize,
    /// Why the log could not be written.
    failure: Option<report::Error>,
}

impl<'a> Findings<'a> {
    fn new(matcher: &'a LeakMatcher, log: Option<LineWriter>) -> Self {
        Self {
            matcher,
            tally: LeakTally::new(matcher),
            log,
            counts: DecontaminationCounts::default(),
            problems: Vec::new(),
            notes: Vec::new(),
            n_short: 0,
            failure: None,
        }
    }

    fn add(&mut self, edited: EditedDocuments) {
        self.tally.add(&edited.leaks);
        self.counts += edited.counts;
        self.problems.extend(edited.problems);
        for document in edited.leaks.iter().filter(|document| document.is_leak) {
            if let Err(error) = self.write(document)
                && !error.is_broken_pipe()
            {
                self.failure.get_or_insert(error);
            }
        }
    }

    fn add_outcome(
        &mut self,
        file: &InputFile,
        outcome: RewriteOutcome,
    ) -> Result<(), textkin::Error> {
        match outcome {
            RewriteOutcome::Stopped => return Err(textkin::Error::Stopped),
            RewriteOutcome::Copied(reason) => {
                self.notes.push(format!("{}: {reason}", file.path.display()));
            }
            RewriteOutcome::Truncated(reason) => {
                self.notes.push(format!("{}: {reason}", file.path.display()));
                self.n_short += 1;
            }
            RewriteOutcome::Written | RewriteOutcome::Removed => {}
        }
        Ok(())
    }

    /// Fails if the log could not be written, or a document could not be read in a strict run.
    fn check(&mut self, is_strict: bool) -> anyhow::Result<()> {
        if let Some(error) = self.failure.take() {
            return Err(error.into());
        }
        match self.problems.first() {
            Some(problem) if is_strict => Err(textkin::Error::Problem(problem.clone()).into()),
            _ => Ok(()),
        }
    }

    fn write(&mut self, document: &DocumentLeaks) -> Result<(), report::Error> {
        let Some(log) = &mut self.log else { return Ok(()) };
        for (hit, text) in document.hits.iter().zip(&document.texts) {
            if !hit.reason.is_leak() || self.matcher.is_public(hit.item) {
                continue;
            }
            let item = &self.matcher.set().items()[hit.item as usize];
            let span = |(found, question): &(Span, Span)| LeakSpan {
                start: found.start.into(),
                end: found.end.into(),
                question_start: question.start.into(),
                question_end: question.end.into(),
            };
            log.line(&LeakLine {
                document: &document.id,
                item: &item.id,
                benchmark: &item.benchmark,
                reason: hit.reason.name(),
                share: hit.share,
                answer_share: hit.answer_share,
                passage_share: hit.passage_share,
                start: hit.range.start.into(),
                end: hit.range.end.into(),
                text,
                question: self.matcher.judged_text(hit.item),
                spans: hit.spans.iter().map(span).collect(),
            })?;
        }
        Ok(())
    }
}

fn write_items(
    mut writer: LineWriter,
    findings: &Findings<'_>,
) -> Result<LineWriter, report::Error> {
    for (item, count) in findings.matcher.set().items().iter().zip(findings.tally.counts()) {
        writer.line(&ItemLine {
            item: &item.id,
            benchmark: &item.benchmark,
            status: count.status().name(),
            share: count.share,
            documents: count.documents,
            first_document: count.first_document.as_deref(),
        })?;
    }
    Ok(writer)
}

fn statistics(
    arguments: &Decontaminate,
    findings: &Findings<'_>,
    began: Instant,
) -> LeakStatistics {
    let set = findings.matcher.set();
    let mut benchmarks: BTreeMap<&str, BenchmarkCount> = BTreeMap::new();
    for (item, count) in set.items().iter().zip(findings.tally.counts()) {
        let benchmark = benchmarks.entry(&item.benchmark).or_insert_with(|| BenchmarkCount {
            benchmark: item.benchmark.clone(),
            ..BenchmarkCount::default()
        });
        *match count.status() {
            ItemStatus::Partial => &mut benchmark.partial,
            ItemStatus::Leaked => &mut benchmark.leaked,
            ItemStatus::Public => &mut benchmark.public,
            ItemStatus::TooShort => &mut benchmark.too_short,
            _ => &mut benchmark.clean,
        } += 1;
    }
    LeakStatistics {
        documents: findings.counts.documents,
        documents_flagged: findings.counts.documents_flagged,
        words: findings.counts.words,
        problems: findings.problems.len() as u64,
        items: set.items().len() as u64,
        item_records: set.n_records(),
        empty_item_records: set.n_empty(),
        benchmarks: benchmarks.into_values().collect(),
        preset: arguments.items.preset.to_string(),
        cut: arguments.output.cut.to_string(),
        threshold: arguments.items.threshold,
        seconds: began.elapsed().as_secs_f64(),
        peak_rss_bytes: machine::peak_rss_bytes(),
    }
}

fn print_messages(findings: &Findings<'_>, inputs: &Inputs, quiet: bool) {
    for problem in &findings.problems {
        print_message(format_args!("textkin: {problem}\n"));
    }
    for note in &findings.notes {
        print_message(format_args!("textkin: {note}\n"));
    }
    if quiet {
        return;
    }
    if findings.problems.len() > findings.n_short {
        print_message(format_args!(
            "textkin: documents that cannot be read are copied unchanged\n"
        ));
    }
    outputs::report_skipped_outputs(inputs.skipped_outputs());
}

/// Prints the summary on standard output, or on standard error if an output goes there.
fn show(arguments: &Decontaminate, statistics: &LeakStatistics) -> Result<(), report::Error> {
    let text = match arguments.output.format.format {
        OutputFormat::Text => summary(arguments, statistics),
        OutputFormat::Json => format!("{}\n", json!(statistics)),
    };
    let mut outputs = arguments.output.reports().chain(&arguments.output.out);
    match outputs.any(|path| path.as_os_str() == "-") {
        true => print_message(format_args!("{text}")),
        false => terminal::print(&text)?,
    }
    Ok(())
}

fn summary(arguments: &Decontaminate, statistics: &LeakStatistics) -> String {
    let number = terminal::thousands;
    let is_dry = arguments.output.dry_run.dry_run;
    let verb = match arguments.output.cut {
        Cut::None => "flagged",
        Cut::Span if is_dry => "would shorten",
        Cut::Span => "shortened",
        _ if is_dry => "would remove",
        _ => "removed",
    };
    let mut text = format!(
        "{verb} {} of {} documents, which contain evaluation items\n",
        number(statistics.documents_flagged),
        number(statistics.documents)
    );
    for count in &statistics.benchmarks {
        let BenchmarkCount { benchmark, clean, partial, leaked, public, too_short } = count;
        let all = clean + partial + leaked + public + too_short;
        let name = terminal::fit(benchmark, 40);
        text.push_str(&format!(
            "  {name}: {} of {} items leaked, {} partly",
            number(*leaked),
            number(all),
            number(*partial)
        ));
        for (n, what) in [(public, "public"), (too_short, "too short to be judged")] {
            if *n > 0 {
                text.push_str(&format!(", {} {what}", number(*n)));
            }
        }
        text.push('\n');
    }
    if statistics.empty_item_records > 0 {
        let records = number(statistics.empty_item_records);
        text.push_str(&format!("  evaluation records without words: {records}\n"));
    }
    if is_dry {
        text.push_str("  nothing was written (dry run); use --out PATH to write the rest\n");
    }
    text
}
