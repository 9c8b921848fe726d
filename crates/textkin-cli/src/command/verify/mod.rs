//! `textkin verify`: checks a report against its documents.
//!
//! Repeats each comparison in the report with the texts that have its digests, and compares the results with
//! the report: settings, spans, counts, scores, and what a page shows. If all documents of a run are given,
//! the HTML report is regenerated and compared as a whole (`run_page`).

mod common;
mod differences;
mod documents;
mod leaks;
mod report;
mod scores;
mod run_page;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use serde_json::{Value, json};
use textkin::engine::graph::PassageRules;
use textkin::engine::report::{
    PairPassages, PairRow, RunPair, WithText, comparison_json, comparison_page, pair_html, terminal,
};
use textkin::engine::source::{Inputs, SourceSettings};
use textkin::engine::types::{Overlap, Reason};
use textkin::engine::{
    RunControl, Settings, compare_without, digest, frequent_words, split_document_path,
};

use crate::arguments::{GlobalOptions, OutputFormat, Verify};
use crate::documents::{collection_settings, templates};
use crate::exit::Exit;
use crate::interrupt;
use crate::messages::print_message;
use crate::outputs::{ignore_broken_pipe, write_result};
use crate::progress::ProgressDisplay;
use common::ReportedCommonText;
use differences::differences;
use documents::SuppliedDocuments;
use report::ParsedReport;
use run_page::RunPageCheck;
use scores::{PairClaim, ScoreChecker};

/// Number of differences to print for each comparison.
const MAX_DIFFERENCES: usize = 20;

/// Runs the command.
pub(crate) fn run(arguments: &Verify, global: GlobalOptions) -> anyhow::Result<Exit> {
    let run_control = Arc::new(RunControl::default());
    interrupt::listen(&run_control)?;
    let name = || arguments.report.display().to_string();
    if let Some(lines) = leaks::read_log(&arguments.report).with_context(name)? {
        let settings = collection_settings(&arguments.input);
        let mut inputs = Inputs::open(&arguments.inputs, &settings)?;
        return leaks::verify(&lines, &mut inputs, arguments, global.quiet).with_context(name);
    }
    let report = ParsedReport::read(&arguments.report).with_context(name)?;
    anyhow::ensure!(
        !report.comparisons.is_empty() || report.run.is_some(),
        "{}: the report has no passages, so there is nothing to check",
        name()
    );
    let mut source_settings = collection_settings(&arguments.input);
    // The report is an output of the run and never one of its documents.
    source_settings.outputs = vec![arguments.report.clone()];
    let mut paths: Vec<PathBuf> =
        arguments.inputs.iter().map(|path| split_document_path(path).0).collect();
    paths.dedup();
    let mut inputs = Inputs::open(&paths, &source_settings)?;
    inputs.spool(&arguments.temp_dir.path()).context("cannot store standard input")?;
    let resources = Resources {
        threads: arguments.threads.threads.map(usize::from),
        memory: arguments.memory.memory,
        temp_dir: arguments.temp_dir.path(),
        run_control: &run_control,
    };
    let display = ProgressDisplay::start(&run_control, global);
    run_control.progress.begin("reading", 0);
    let documents = SuppliedDocuments::read(&mut inputs.reopen()?, &report.wanted());
    if let Some(problem) = documents.problems.first().filter(|_| arguments.input.strict) {
        return Err(textkin::Error::Problem(problem.clone()).into());
    }
    for problem in &documents.problems {
        print_message(format_args!("textkin: {problem}\n"));
    }
    anyhow::ensure!(documents.n_documents > 0, "no documents to check the report against");
    let templates = templates(&arguments.template, &arguments.input.reading)?;
    let mut stop_list = arguments.stop_list.words()?;
    if let Some(n) = stop_frequent(&report) {
        let settings = run_page::settings(&report, &[], &[]).with_context(name)?;
        let settings = resources.apply(settings);
        stop_list.extend(frequent_words(&mut inputs.reopen()?, &settings, n, &run_control)?);
    }
    let mut scores = ScoreChecker::new(&inputs, &documents, &resources);
    run_control.progress.begin("checking pairs", report.comparisons.len() as u64);
    let mut text = String::new();
    let mut n_failed = 0;
    let mut verdicts = Vec::new();
    for comparison in &report.comparisons {
        let settings = settings(comparison, &templates, &stop_list).with_context(name)?;
        let faults = check(comparison, &settings, &report, &documents, &mut scores);
        let faults = faults.with_context(name)?;
        n_failed += usize::from(!faults.is_empty());
        verdict(comparison, &faults, &mut text);
        verdicts.push(json_verdict(comparison, &faults));
        run_control.progress.advance(1);
        if run_control.stop.is_requested() {
            return Err(textkin::Error::Stopped.into());
        }
    }
    let collection = run_page::SuppliedCollection {
        orders: orders(&inputs, &paths, &source_settings)?,
        n_documents: documents.n_documents,
        templates: &templates,
        stop_list: &stop_list,
        resources: &resources,
    };
    let run_page = run_page::check(&report, &collection).with_context(name)?;
    for fault in &run_page.faults {
        let _ = writeln!(text, "✗ {}", terminal::fit(fault, 400));
    }
    summary(&report, n_failed, &run_page, &scores, &mut text);
    drop(display);
    let is_valid = n_failed == 0 && run_page.faults.is_empty();
    if arguments.format.format == OutputFormat::Json {
        let value = json!({
            "valid": is_valid,
            "pairs": verdicts,
            "page_faults": run_page.faults,
            "page_regenerated": run_page.is_regenerated,
            "page_unchecked": run_page.unchecked,
            "missing_documents": scores.missing.is_some(),
            "textkin": report.version(),
        });
        text = format!("{value}\n");
    }
    // With --quiet, the exit code of a valid report says it all.
    if !(global.quiet && is_valid) || arguments.format.format == OutputFormat::Json {
        ignore_broken_pipe(write_result(arguments.out.path(), &text))?;
    }
    Ok(if is_valid { Exit::Found } else { Exit::Nothing })
}

/// The resources for recomputing results, and the control of the run.
pub(super) struct Resources<'a> {
    threads: Option<usize>,
    memory: Option<u64>,
    temp_dir: PathBuf,
    pub(super) run_control: &'a RunControl,
}

impl Resources<'_> {
    /// Returns `settings` with these resources.
    pub(super) fn apply(&self, settings: Settings) -> Settings {
        let (threads, memory, temp_dir) = (self.threads, self.memory, self.temp_dir.clone());
        Settings { threads, memory, temp_dir, ..settings }
    }
}

/// Returns the orders in which a run may have read the documents: as given, or sorted by name.
fn orders(
    inputs: &Inputs,
    paths: &[PathBuf],
    settings: &SourceSettings,
) -> anyhow::Result<Vec<Inputs>> {
    let mut orders = vec![inputs.reopen()?];
    let mut sorted = paths.to_vec();
    sorted.sort();
    if sorted != paths && paths.iter().all(|path| path.as_os_str() != "-") {
        orders.push(Inputs::open(&sorted, settings)?);
    }
    Ok(orders)
}

/// Returns the value of --stop-frequent in a report.
fn stop_frequent(report: &ParsedReport) -> Option<usize> {
    report.run.as_ref()?["settings"]["stop_frequent"].as_str()?.parse().ok()
}

/// Returns the settings of a comparison.
fn settings(
    comparison: &Value,
    templates: &[String],
    stop_list: &[String],
) -> anyhow::Result<Settings> {
    let reported = &comparison["settings"];
    let text =
        |key: &str| reported[key].as_str().with_context(|| format!("the report has no {key}"));
    let normalization: textkin::engine::text::tokenizer::Normalization =
        text("normalize")?.parse()?;
    let is_stopped = reported["stop_list"].is_string();
    Ok(Settings {
        chunk: text("chunk")?.parse()?,
        normalization: normalization.with_stop_list(if is_stopped {
            stop_list.to_vec()
        } else {
            Vec::new()
        }),
        templates: templates.to_vec(),
        ..Settings::default()
    })
}

/// Returns what is wrong in a comparison.
fn check(
    reported: &Value,
    settings: &Settings,
    report: &ParsedReport,
    documents: &SuppliedDocuments,
    scores: &mut ScoreChecker<'_>,
) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    let [Some(a), Some(b)] = ["a", "b"].map(|side| {
        let (id, digest) =
            (id(reported, side), reported[side]["blake3"].as_str().unwrap_or_default());
        let document = documents.texts.get(digest);
        if document.is_none() {
            faults.push(if documents.has(id) {
                format!("{id} has changed: its digest differs from the report")
            } else {
                format!("{id} is missing: no document has its digest")
            });
        }
        document
    }) else {
        return Ok(faults);
    };
    let digests: Vec<Value> = settings.templates.iter().map(|text| digest(text).into()).collect();
    let named = reported["settings"]["templates"].as_array().cloned().unwrap_or_default();
    anyhow::ensure!(
        digests == named,
        "the report was made with {} templates; pass the same ones with --template, in the original order",
        named.len()
    );
    let max_gap = reported["settings"]["max_gap"].as_u64().and_then(|gap| gap.try_into().ok());
    let max_gap = max_gap.context("the report has no max_gap")?;
    let min_words = reported["settings"]["min_words"].as_u64().unwrap_or(0);
    let min_words = min_words.try_into().context("the report has an invalid min_words")?;
    let rules = PassageRules { max_gap, min_words };
    let pair = &reported["pair"];
    let common = scores.common(pair, [a.number, b.number], settings)?;
    let common = match common {
        Some(common) => Some(common),
        None if pair["max_df"].is_number() => {
            Some(common::claimed(reported, [&a.text, &b.text], settings)?)
        }
        None => None,
    };
    let excluded = common.as_ref().map(ReportedCommonText::view);
    let comparison = compare_without(&a.text, &b.text, settings, rules, excluded)?;
    let mut view = comparison.view([id(reported, "a"), &a.text], [id(reported, "b"), &b.text]);
    for (side, document) in [("a", &mut view.a), ("b", &mut view.b)] {
        let digest = reported[side]["blake3"].as_str().unwrap_or_default();
        document.add_notes(documents.notes(id(reported, side), digest));
    }
    anyhow::ensure!(
        reported["settings"]["stop_list"].as_str() == view.settings.stop_list,
        "the report was made with another stop list; pass the same one with --stop-list (and all \
         documents, if --stop-frequent was used)"
    );
    let has_words = reported["passages"][0]["a"]["text"].is_string();
    let with_text = if has_words { WithText::Yes } else { WithText::No };
    if pair.is_object() {
        view.pair = Some(run_pair(pair));
    }
    let recomputed: Value = serde_json::from_str(&comparison_json(&view, with_text))?;
    let is_overlap_known = excluded.is_none_or(|excluded| excluded.overlap.is_some());
    for part in ["settings", "a", "b", "scores", "passages", "common_passages"] {
        // Which chunks are common depends on all documents.
        if part == "scores" && !is_overlap_known {
            continue;
        }
        differences(part, &reported[part], &recomputed[part], &mut faults);
    }
    if pair.is_object() {
        let overlap = &comparison.alignment.overlap;
        let claim = PairClaim { pair, documents: [a.number, b.number], overlap };
        scores.check(&claim, settings, &mut faults)?;
    }
    let Some(page) = report.page.as_ref().filter(|_| report.version() == VERSION) else {
        return Ok(faults);
    };
    if report.run.is_none() {
        if comparison_page(&view) != *page && faults.is_empty() {
            faults.push("the report does not match the documents".to_owned());
        }
    } else {
        let passages = PairPassages::new(run_pair(pair).number, &view);
        let row = row(reported, &run_pair(pair));
        let parts = ["the table of pairs", "the passages"];
        for (name, part) in parts.into_iter().zip(pair_html(&row, &passages)) {
            if !page.contains(&part) {
                faults.push(format!("{name} on the page does not match this pair"));
            }
        }
    }
    Ok(faults)
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns the id of a document in the report.
fn id<'a>(reported: &'a Value, side: &str) -> &'a str {
    reported[side]["id"].as_str().unwrap_or("?")
}

/// Returns what the report says about a pair.
fn run_pair(pair: &Value) -> RunPair<'_> {
    let count = |key: &str| pair[key].as_u64().unwrap_or(0);
    RunPair {
        number: pair["number"].as_u64().and_then(|number| number.try_into().ok()).unwrap_or(0),
        by: pair["by"].as_str().unwrap_or_default(),
        score: pair["score"].as_f64().unwrap_or(f64::NAN),
        raw_score: pair["raw_score"].as_f64(),
        documents: count("documents"),
        max_df: scores::max_df(pair),
        overlap: Overlap {
            words_a: count("words_a"),
            words_b: count("words_b"),
            covered_a: count("contained_words_a"),
            covered_b: count("contained_words_b"),
            longest_run: count("longest_run"),
            ..Overlap::default()
        },
        reason: Reason::ALL
            .into_iter()
            .find(|reason| pair["reason"] == reason.name())
            .unwrap_or_default(),
    }
}

fn row<'a>(reported: &'a Value, pair: &RunPair<'_>) -> PairRow<'a> {
    PairRow {
        a: id(reported, "a"),
        b: id(reported, "b"),
        a_index: 0,
        b_index: 1,
        score: pair.score,
        overlap: pair.overlap,
        reason: pair.reason,
        raw_score: pair.raw_score,
        confidence: None,
    }
}

/// Appends the verdict on one comparison.
fn verdict(comparison: &Value, faults: &[String], text: &mut String) {
    let name = |side| terminal::fit(id(comparison, side), 200);
    let mark = if faults.is_empty() { "✓" } else { "✗" };
    let number = comparison["pair"]["number"].as_u64();
    let number = number.map_or(String::new(), |number| format!("{number}  "));
    let passages = comparison["passages"].as_array().map_or(0, Vec::len);
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{mark} {number}{} ⇄ {}: {passages} {}",
        name("a"),
        name("b"),
        if passages == 1 { "passage" } else { "passages" }
    );
    for fault in faults.iter().take(MAX_DIFFERENCES) {
        let _ = writeln!(text, "    {}", terminal::fit(fault, 400));
    }
    if faults.len() > MAX_DIFFERENCES {
        let _ = writeln!(text, "    … and {} more", faults.len() - MAX_DIFFERENCES);
    }
}

/// Returns the verdict on one comparison as JSON.
fn json_verdict(comparison: &Value, faults: &[String]) -> Value {
    json!({
        "number": comparison["pair"]["number"],
        "a": id(comparison, "a"),
        "b": id(comparison, "b"),
        "passages": comparison["passages"].as_array().map_or(0, Vec::len),
        "faults": faults,
    })
}

/// Appends the last lines: what was not checked, and whether the report is valid.
fn summary(
    report: &ParsedReport,
    n_failed: usize,
    run_page: &RunPageCheck,
    scores: &ScoreChecker<'_>,
    text: &mut String,
) {
    if report.version() != VERSION {
        let version = terminal::fit(report.version(), 40);
        let _ = writeln!(text, "Written by textkin {version}, checked by {VERSION}.");
        if report.page.is_some() {
            let _ = writeln!(text, "Only the data in the page was checked, not the visible page.");
        }
    }
    if let Some(documents) = scores.missing {
        let _ = writeln!(
            text,
            "Not checked: scores that depend on all {} documents of the run; only {} were given.",
            terminal::thousands(documents),
            terminal::thousands(u64::from(scores.documents.n_documents))
        );
    }
    let n_pairs = report.comparisons.len();
    let listed = report.run.as_ref().and_then(|run| run["pairs"].as_u64()).unwrap_or(0);
    if let Some(why) = &run_page.unchecked {
        let more = match listed.saturating_sub(n_pairs as u64) {
            0 => String::new(),
            n => format!(", and pairs without passages ({})", terminal::thousands(n)),
        };
        let _ = writeln!(text, "Not checked: the other parts of the page{more}: {why}.");
    }
    let n_pairs = if run_page.is_regenerated { listed.max(n_pairs as u64) } else { n_pairs as u64 };
    let pairs = if n_pairs == 1 { "pair" } else { "pairs" };
    let n_pairs = terminal::thousands(n_pairs);
    let _ = if n_failed == 0 && run_page.faults.is_empty() {
        let page = if run_page.is_regenerated { ", and the whole page" } else { "" };
        writeln!(text, "✓ report valid: {n_pairs} {pairs} checked{page}")
    } else if n_failed == 0 {
        writeln!(text, "✗ report invalid")
    } else {
        writeln!(text, "✗ report invalid: {n_failed} of {n_pairs} {pairs} failed")
    };
}
