//! The page of a run as a whole: made again from all documents, and compared part by part.
//!
//! Numbers and scores do not depend on the order or the names of documents; tables and pictures do,
//! and are compared only where both are as they were.

use std::collections::HashMap;

use anyhow::Context;
use serde_json::Value;
use textkin::graph::Clustering;
use textkin::source::Inputs;
use textkin::{Discovery, PairRows, RunControl, Settings, chunk_frequencies, discover};

use super::VERSION;
use super::differences::differences;
use super::report::Report;
use crate::command::page;
use crate::documents::words;

/// The settings that a page names, in their order.
const SETTINGS: [&str; 10] = [
    "chunk",
    "select",
    "normalize",
    "hash",
    "cluster_by",
    "max_gap",
    "max_df",
    "stop_list",
    "stop_frequent",
    "template",
];

/// The parts of a page, by the id of their element, and whether names of documents are in them.
const PARTS: [(&str, &str, bool); 9] = [
    ("head", "the summary", false),
    ("scores", "the scores", false),
    ("pairs", "the table of pairs", true),
    ("clusters", "the table of clusters", true),
    ("graph", "the graph", true),
    ("problems", "the problems and notes", true),
    ("passages", "the passages", true),
    ("made", "how it was made", false),
    ("end", "the script", false),
];

/// What is known of a page as a whole.
#[derive(Default)]
pub(super) struct Whole {
    /// What does not hold.
    pub(super) faults: Vec<String>,
    /// Whether everything on it was made again.
    pub(super) is_made_again: bool,
    /// Why not all of it was checked.
    pub(super) unchecked: Option<String>,
}

/// What the report is checked against.
pub(super) struct Collection<'a> {
    /// The documents, in the orders in which they may have been read.
    pub(super) orders: Vec<Inputs>,
    pub(super) n_documents: u32,
    pub(super) templates: &'a [String],
    pub(super) stop_list: &'a [String],
}

/// Checks all that the page of a run, or the list of its pairs, says beside single pairs.
pub(super) fn check(report: &Report, collection: &Collection<'_>) -> anyhow::Result<Whole> {
    let mut whole = Whole::default();
    let Some((run, page)) = report.run.as_ref().zip(report.page.as_ref()) else {
        whole.faults.extend(missing_line(report));
        return Ok(whole);
    };
    if report.version() != VERSION {
        return Ok(whole);
    }
    let n_shown = page.matches("<details><summary><b>").count();
    let n_said = report.comparisons.len();
    if n_shown != n_said {
        whole.faults.push(format!(
            "the page shows the passages of {n_shown} pairs, its data are about {n_said}"
        ));
    }
    if run["documents"].as_u64() != Some(u64::from(collection.n_documents)) {
        whole.unchecked = Some("they take all documents of the run".to_owned());
        return Ok(whole);
    }
    let settings = settings(report, collection.templates, collection.stop_list)?;
    for (number, inputs) in collection.orders.iter().enumerate() {
        let is_last = number + 1 == collection.orders.len();
        let (again, is_in_order) = made_again(report, run, inputs, settings.clone())?;
        if is_in_order || is_last {
            compare(page, run, &again, is_in_order, &mut whole)?;
            break;
        }
    }
    Ok(whole)
}

/// The first line that is missing in a list of pairs, if one is.
fn missing_line(report: &Report) -> Option<String> {
    let numbers = report.comparisons.iter().map(|said| said["pair"]["number"].as_u64());
    let mut numbers = (1..).zip(numbers).filter_map(|(at, number)| Some((at, number?)));
    let (at, number) = numbers.find(|(at, number)| at != number)?;
    Some(format!("pair {at} is missing: pair {number} stands in its place"))
}

/// The settings of a run.
pub(super) fn settings(
    report: &Report,
    templates: &[String],
    stop_list: &[String],
) -> anyhow::Result<Settings> {
    let run = report.run.as_ref().context("this is no report of a run")?;
    let said = &run["settings"];
    let text = |key: &str| {
        said[key].as_str().with_context(|| format!("the report does not say its {key}"))
    };
    let normalization: textkin::text::tokenizer::Normalization = text("normalize")?.parse()?;
    let mut settings = Settings {
        normalization: normalization.with_stop_list(stop_list.to_vec()),
        templates: templates.to_vec(),
        chunk: text("chunk")?.parse()?,
        select: text("select")?.parse()?,
        hash: text("hash")?.parse()?,
        score: run["score"].as_str().unwrap_or_default().parse().map_err(anyhow::Error::msg)?,
        threshold: run["threshold"].as_f64().context("the report does not say its threshold")?,
        max_df: said["max_df"].as_str().map(str::parse).transpose()?,
        ..Settings::default()
    };
    for path in settings.select.files() {
        settings.resources.lists.insert(path.to_owned(), words(path)?);
    }
    Ok(settings)
}

/// The page as `inputs` give it, and whether they have the names and the order of the report.
fn made_again(
    report: &Report,
    run: &Value,
    inputs: &Inputs,
    mut settings: Settings,
) -> anyhow::Result<(String, bool)> {
    let watch = RunControl::default();
    if settings.select.needs_collection() {
        let frequencies = chunk_frequencies(&mut inputs.reopen()?, &settings, &watch)?;
        settings.resources.frequencies = Some(frequencies);
    }
    let mut found = discover(&mut inputs.reopen()?, &settings, &watch)?;
    let raw = textkin::raw_overlaps(inputs, &mut found, &settings, &watch)?;
    let said = &run["settings"];
    let cluster_by: Clustering =
        said["cluster_by"].as_str().unwrap_or_default().parse().map_err(anyhow::Error::msg)?;
    let max_gap = said["max_gap"].as_str().and_then(|gap| gap.parse().ok());
    let named: Vec<String> = (run["inputs"].as_array().into_iter().flatten())
        .map(|name| name.as_str().unwrap_or_default().to_owned())
        .collect();
    let named_settings: Vec<(&'static str, String)> = (SETTINGS.into_iter())
        .filter_map(|key| Some((key, said[key].as_str()?.to_owned())))
        .collect();
    let seconds = run["seconds"].as_f64().unwrap_or(0.0);
    let page = page::make(
        page::Run {
            named: &named,
            settings: &named_settings,
            max_gap: max_gap.context("the report does not say its max_gap")?,
            inputs,
            pairs: PairRows { discovery: &found, raw: raw.as_ref(), settings: &settings },
            clusters: &found.graph.clusters(cluster_by),
            seconds: &|| seconds,
        },
        &watch,
    )?;
    Ok((page, is_in_order(report, &found)))
}

/// Whether the documents of all comparisons have their names and their order.
fn is_in_order(report: &Report, found: &Discovery) -> bool {
    let n_documents = u32::try_from(found.documents.len()).unwrap_or(u32::MAX);
    let numbers: HashMap<&str, u32> =
        (0..n_documents).map(|number| (found.documents.id(number), number)).collect();
    report.comparisons.iter().all(|said| {
        let number = |side: &str| numbers.get(said[side]["id"].as_str()?).copied();
        number("a").zip(number("b")).is_some_and(|(a, b)| a < b)
    })
}

/// Compares the parts of a page, and what it says of the run, with those that were made again.
fn compare(
    page: &str,
    run: &Value,
    again: &str,
    is_in_order: bool,
    whole: &mut Whole,
) -> anyhow::Result<()> {
    let made = Report::new(again.to_owned())?;
    let made = made.run.as_ref().context("a page has its data")?;
    for key in [
        "documents",
        "words",
        "exact_duplicates",
        "problems",
        "noted_documents",
        "pairs",
        "clusters",
    ] {
        differences(key, &run[key], &made[key], &mut whole.faults);
    }
    let (told, again) = (parts(page), parts(again));
    if told.len() != again.len() {
        whole.faults.push("the page has other parts than it should have".to_owned());
    }
    for (id, name, has_names) in PARTS {
        if told.get(id) != again.get(id) && (is_in_order || !has_names) {
            whole.faults.push(format!("{name} on the page: something else is shown"));
        }
    }
    whole.is_made_again = is_in_order;
    if !is_in_order {
        let why = "the documents have other names than in the report, or another order";
        whole.unchecked = Some(why.to_owned());
    }
    Ok(())
}

/// The parts of a page by id: what comes before the first section, the sections, and what comes
/// after its data.
fn parts(page: &str) -> HashMap<&str, &str> {
    let (shown, rest) = page.split_once("</main>").unwrap_or((page, ""));
    let end = rest.split_once("</script>").map_or("", |(_, end)| end);
    let mut parts = HashMap::from([("end", end)]);
    for (number, part) in shown.split("<section id=\"").enumerate() {
        match part.split_once('"') {
            Some((id, body)) if number > 0 => {
                // A part that is there twice is not the one that it should be.
                let body = if parts.contains_key(id) { "" } else { body };
                parts.insert(id, body);
            }
            _ => drop(parts.insert("head", part)),
        }
    }
    parts
}
