//! `textkin verify`: checks a report against the documents it speaks of.
//!
//! Each comparison in the report is made again from the texts with the digests that it names, and
//! what it says is compared with what comes out: settings, spans, counts, scores, and what a page
//! shows of it. If all documents of a run are given, its page is made again as a whole (`whole`).

mod aside;
mod differences;
mod given;
mod report;
mod scores;
mod whole;

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use serde_json::Value;
use textkin::report::{
    PairPassages, Row, RunPair, WithText, comparison_json, comparison_page, pair_parts, terminal,
};
use textkin::source::{Inputs, SourceSettings};
use textkin::types::Overlap;
use textkin::{RunControl, Settings, compare_without, digest, frequent_words, split_document_path};

use crate::arguments::Verify;
use crate::documents::{collection_settings, templates, words};
use crate::exit::Exit;
use crate::messages::print_message;
use differences::differences;
use given::Given;
use report::Report;
use scores::{Claim, Scores};
use whole::Whole;

/// Differences of one comparison that are told one by one.
const MAX_SHOWN: usize = 20;

/// Runs the command.
pub(crate) fn run(arguments: &Verify) -> anyhow::Result<Exit> {
    let name = || arguments.report.display().to_string();
    let report = Report::read(&arguments.report).with_context(name)?;
    anyhow::ensure!(
        !report.comparisons.is_empty() || report.run.is_some(),
        "{}: the report has no passages, so that nothing of it can be checked",
        name()
    );
    let mut source_settings = collection_settings(&arguments.input);
    // A run does not read what it writes; nor is its report a document of it later.
    source_settings.outputs = vec![arguments.report.clone()];
    let mut paths: Vec<PathBuf> =
        arguments.inputs.iter().map(|path| split_document_path(path).0).collect();
    paths.dedup();
    let mut inputs = Inputs::open(&paths, &source_settings)?;
    inputs.spool(&std::env::temp_dir()).context("cannot store standard input")?;
    let given = Given::read(&mut inputs.reopen()?, &report.wanted());
    for problem in &given.problems {
        print_message(format_args!("textkin: {problem}\n"));
    }
    anyhow::ensure!(given.n_documents > 0, "there is no document to check the report against");
    let templates = templates(&arguments.template, &arguments.input.reading)?;
    let mut stop_list = match &arguments.stop_list {
        Some(path) => words(path)?,
        None => Vec::new(),
    };
    if let Some(n) = stop_frequent(&report) {
        let settings = whole::settings(&report, &[], &[]).with_context(name)?;
        let watch = RunControl::default();
        stop_list.extend(frequent_words(&mut inputs.reopen()?, &settings, n, &watch)?);
    }
    let mut scores = Scores::new(&inputs, &given);
    let mut text = String::new();
    let mut n_false = 0;
    for comparison in &report.comparisons {
        let settings = settings(comparison, &templates, &stop_list).with_context(name)?;
        let faults = check(comparison, &settings, &report, &given, &mut scores);
        let faults = faults.with_context(name)?;
        n_false += usize::from(!faults.is_empty());
        verdict(comparison, &faults, &mut text);
    }
    let collection = whole::Collection {
        orders: orders(&inputs, &paths, &source_settings)?,
        n_documents: given.n_documents,
        templates: &templates,
        stop_list: &stop_list,
    };
    let whole = whole::check(&report, &collection).with_context(name)?;
    for fault in &whole.faults {
        let _ = writeln!(text, "✗ {}", terminal::fit(fault, 400));
    }
    summary(&report, n_false, &whole, &scores, &mut text);
    terminal::print(&text)?;
    Ok(if n_false == 0 && whole.faults.is_empty() { Exit::Found } else { Exit::Nothing })
}

/// The orders in which a run may have read the documents: as they are given, or by name.
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

/// How many of the most frequent words of the collection a run left out, if it did.
fn stop_frequent(report: &Report) -> Option<usize> {
    report.run.as_ref()?["settings"]["stop_frequent"].as_str()?.parse().ok()
}

/// The settings a comparison was made with.
fn settings(
    comparison: &Value,
    templates: &[String],
    stop_list: &[String],
) -> anyhow::Result<Settings> {
    let said = &comparison["settings"];
    let text = |key: &str| {
        said[key].as_str().with_context(|| format!("the report does not say its {key}"))
    };
    let normalization: textkin::text::tokenizer::Normalization = text("normalize")?.parse()?;
    let is_stopped = said["stop_list"].is_string();
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

/// What a comparison says and does not hold.
fn check(
    said: &Value,
    settings: &Settings,
    report: &Report,
    given: &Given,
    scores: &mut Scores<'_>,
) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    let [Some(a), Some(b)] = ["a", "b"].map(|side| {
        let (id, digest) = (id(said, side), said[side]["blake3"].as_str().unwrap_or_default());
        let known = given.texts.get(digest);
        if known.is_none() {
            faults.push(if given.has(id) {
                format!("{id} is not the text the report speaks of: the digests differ")
            } else {
                format!(
                    "none of the documents is the text the report calls {id}: no digest is the same"
                )
            });
        }
        known
    }) else {
        return Ok(faults);
    };
    let digests: Vec<Value> = settings.templates.iter().map(|text| digest(text).into()).collect();
    let named = said["settings"]["templates"].as_array().cloned().unwrap_or_default();
    anyhow::ensure!(
        digests == named,
        "the report was made with {} templates; give the same ones with --template, in their order",
        named.len()
    );
    let max_gap = said["settings"]["max_gap"].as_u64().and_then(|gap| gap.try_into().ok());
    let max_gap = max_gap.context("the report does not say its max_gap")?;
    let pair = &said["pair"];
    let common = scores.common(pair, [a.number, b.number], settings)?;
    let common = match common {
        Some(common) => Some(common),
        None if pair["max_df"].is_number() => {
            Some(aside::claimed(said, [&a.text, &b.text], settings)?)
        }
        None => None,
    };
    let aside = common.as_ref().map(aside::Common::view);
    let comparison = compare_without(&a.text, &b.text, settings, max_gap, aside)?;
    let mut view = comparison.view([id(said, "a"), &a.text], [id(said, "b"), &b.text]);
    for (side, document) in [("a", &mut view.a), ("b", &mut view.b)] {
        let digest = said[side]["blake3"].as_str().unwrap_or_default();
        document.add_notes(given.notes(id(said, side), digest));
    }
    anyhow::ensure!(
        said["settings"]["stop_list"].as_str() == view.settings.stop_list,
        "the report was made with another stop list; give the same one with --stop-list (and all \
         documents, if words were left out for their frequency)"
    );
    let has_words = said["passages"][0]["a"]["text"].is_string();
    let with_text = if has_words { WithText::Yes } else { WithText::No };
    if pair.is_object() {
        view.pair = Some(run_pair(pair));
    }
    let again: Value = serde_json::from_str(&comparison_json(&view, with_text))?;
    let is_known = aside.is_none_or(|aside| aside.overlap.is_some());
    for part in ["settings", "a", "b", "scores", "passages", "set_aside"] {
        // Which chunks are common is known of all documents only.
        if part == "scores" && !is_known {
            continue;
        }
        differences(part, &said[part], &again[part], &mut faults);
    }
    if pair.is_object() {
        let overlap = &comparison.alignment.overlap;
        let claim = Claim { pair, documents: [a.number, b.number], overlap };
        scores.check(&claim, settings, &mut faults)?;
    }
    let Some(page) = report.page.as_ref().filter(|_| report.version() == VERSION) else {
        return Ok(faults);
    };
    if report.run.is_none() {
        if comparison_page(&view) != *page && faults.is_empty() {
            faults.push("the page shows something else than the documents give".to_owned());
        }
    } else {
        let passages = PairPassages::new(run_pair(pair).number, &view);
        let row = row(said, &run_pair(pair));
        let parts = ["the table of pairs", "the passages"];
        for (name, part) in parts.into_iter().zip(pair_parts(&row, &passages)) {
            if !page.contains(&part) {
                faults.push(format!("{name} on the page: something else is shown of this pair"));
            }
        }
    }
    Ok(faults)
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The name of a document in the report.
fn id<'a>(said: &'a Value, side: &str) -> &'a str {
    said[side]["id"].as_str().unwrap_or("?")
}

/// What the report says of a pair.
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
            ..Overlap::default()
        },
    }
}

fn row<'a>(said: &'a Value, pair: &RunPair<'_>) -> Row<'a> {
    Row {
        a: id(said, "a"),
        b: id(said, "b"),
        a_index: 0,
        b_index: 1,
        score: pair.score,
        overlap: pair.overlap,
        raw_score: pair.raw_score,
    }
}

/// Adds what is to be said of one comparison.
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
    for fault in faults.iter().take(MAX_SHOWN) {
        let _ = writeln!(text, "    {}", terminal::fit(fault, 400));
    }
    if faults.len() > MAX_SHOWN {
        let _ = writeln!(text, "    … and {} more", faults.len() - MAX_SHOWN);
    }
}

/// Adds the last lines: what was not checked, and whether the report holds.
fn summary(report: &Report, n_false: usize, whole: &Whole, scores: &Scores<'_>, text: &mut String) {
    if report.version() != VERSION {
        let made_by = terminal::fit(report.version(), 40);
        let _ = writeln!(text, "Made by textkin {made_by}, checked by {VERSION}.");
        if report.page.is_some() {
            let _ = writeln!(text, "Only the data of the page were checked, not what it shows.");
        }
    }
    if let Some(documents) = scores.missing {
        let _ = writeln!(
            text,
            "Not checked: scores that depend on all {} documents of the run; {} were given.",
            terminal::thousands(documents),
            terminal::thousands(u64::from(scores.given.n_documents))
        );
    }
    let n_pairs = report.comparisons.len();
    let listed = report.run.as_ref().and_then(|run| run["pairs"].as_u64()).unwrap_or(0);
    if let Some(why) = &whole.unchecked {
        let more = match listed.saturating_sub(n_pairs as u64) {
            0 => String::new(),
            n => format!(", and pairs without passages ({})", terminal::thousands(n)),
        };
        let _ = writeln!(text, "Not checked: the other parts of the page{more}: {why}.");
    }
    let n_pairs = if whole.is_made_again { listed.max(n_pairs as u64) } else { n_pairs as u64 };
    let pairs = if n_pairs == 1 { "pair" } else { "pairs" };
    let n_pairs = terminal::thousands(n_pairs);
    let _ = if n_false == 0 && whole.faults.is_empty() {
        let page = if whole.is_made_again { ", and the page as a whole" } else { "" };
        writeln!(text, "✓ The report holds: {n_pairs} {pairs} checked{page}")
    } else if n_false == 0 {
        writeln!(text, "✗ The report does not hold")
    } else {
        writeln!(text, "✗ The report does not hold: {n_false} of {n_pairs} {pairs} do not")
    };
}
