//! Checks the HTML report of a run as a whole: regenerates it from all documents and compares part by part.
//!
//! Numbers and scores do not depend on the order or the ids of documents. Tables and graphics do, and are
//! compared only if both are unchanged.

use std::collections::HashMap;

use anyhow::Context;
use serde_json::Value;
use textkin::engine::graph::{Clustering, ListingRules, PassageRules};
use textkin::engine::source::Inputs;
use textkin::engine::types::Rewind;
use textkin::engine::{
    DiscoveryOutput, DiscoveryPage, PairRows, RunControl, Settings, chunk_frequencies, discover,
    discovery_page, join_clusters, rewritten_pairs,
};

use super::differences::differences;
use super::report::ParsedReport;
use super::{Resources, VERSION};
use crate::documents::words;

/// The settings shown on the page, in order.
const SETTINGS: [&str; 13] = [
    "chunk",
    "select",
    "normalize",
    "hash",
    "cluster_by",
    "max_gap",
    "rules",
    "rewritten",
    "min_words",
    "max_df",
    "stop_list",
    "stop_frequent",
    "template",
];

/// The parts of a page: element id, name, and whether the part contains document ids.
const PARTS: [(&str, &str, bool); 10] = [
    ("head", "the summary", false),
    ("scores", "the scores", false),
    ("pairs", "the table of pairs", true),
    ("clusters", "the table of clusters", true),
    ("graph", "the graph", true),
    ("problems", "the problems and notes", true),
    ("passages", "the passages", true),
    ("rewritten", "the rewritten text", true),
    ("made", "the settings", false),
    ("end", "the script", false),
];

/// The result of checking a page as a whole.
#[derive(Default)]
pub(super) struct RunPageCheck {
    /// What is wrong.
    pub(super) faults: Vec<String>,
    /// Whether the whole page was regenerated and compared.
    pub(super) is_regenerated: bool,
    /// Why parts of it were not checked.
    pub(super) unchecked: Option<String>,
}

/// The documents and lists to check the report against.
pub(super) struct SuppliedCollection<'a> {
    /// The documents, in the orders in which they may have been read.
    pub(super) orders: Vec<Inputs>,
    pub(super) n_documents: u32,
    pub(super) templates: &'a [String],
    pub(super) stop_list: &'a [String],
    pub(super) resources: &'a Resources<'a>,
}

/// Checks everything in the HTML report of a run, or in a list of pairs, except single pairs.
pub(super) fn check(
    report: &ParsedReport,
    collection: &SuppliedCollection<'_>,
) -> anyhow::Result<RunPageCheck> {
    let mut run_page = RunPageCheck::default();
    let Some((run, page)) = report.run.as_ref().zip(report.page.as_ref()) else {
        run_page.faults.extend(missing_line(report));
        return Ok(run_page);
    };
    if report.version() != VERSION {
        return Ok(run_page);
    }
    let n_shown = page.matches("<details><summary><b>").count();
    let n_reported = report.comparisons.len();
    if n_shown != n_reported {
        run_page.faults.push(format!(
            "the page shows passages of {n_shown} pairs, but its data has {n_reported}"
        ));
    }
    if run["documents"].as_u64() != Some(u64::from(collection.n_documents)) {
        run_page.unchecked = Some("this requires all documents of the run".to_owned());
        return Ok(run_page);
    }
    if ["against", "across"].iter().any(|name| !run["settings"][name].is_null()) {
        run_page.unchecked =
            Some("of --against and --across, only single pairs are checked".to_owned());
        return Ok(run_page);
    }
    let settings = settings(report, collection.templates, collection.stop_list)?;
    let settings = collection.resources.apply(settings);
    let run_control = collection.resources.run_control;
    for (number, inputs) in collection.orders.iter().enumerate() {
        let is_last = number + 1 == collection.orders.len();
        let (recomputed, is_in_order) =
            regenerate(report, run, inputs, settings.clone(), run_control)?;
        if is_in_order || is_last {
            compare(page, run, &recomputed, is_in_order, &mut run_page)?;
            break;
        }
    }
    Ok(run_page)
}

/// Reports the first missing line of a list of pairs.
fn missing_line(report: &ParsedReport) -> Option<String> {
    let numbers = report.comparisons.iter().map(|reported| reported["pair"]["number"].as_u64());
    let mut numbers = (1..).zip(numbers).filter_map(|(at, number)| Some((at, number?)));
    let (at, number) = numbers.find(|(at, number)| at != number)?;
    Some(format!("pair {at} is missing: found pair {number} in its place"))
}

/// Returns the settings of a run.
pub(super) fn settings(
    report: &ParsedReport,
    templates: &[String],
    stop_list: &[String],
) -> anyhow::Result<Settings> {
    let run = report.run.as_ref().context("not a report of a run")?;
    let reported = &run["settings"];
    let text =
        |key: &str| reported[key].as_str().with_context(|| format!("the report has no {key}"));
    let normalization: textkin::engine::text::tokenizer::Normalization =
        text("normalize")?.parse()?;
    let mut settings = Settings {
        normalization: normalization.with_stop_list(stop_list.to_vec()),
        templates: templates.to_vec(),
        chunk: text("chunk")?.parse()?,
        select: text("select")?.parse()?,
        hash: text("hash")?.parse()?,
        score: run["score"].as_str().unwrap_or_default().parse().map_err(anyhow::Error::msg)?,
        threshold: run["threshold"].as_f64().context("the report has no threshold")?,
        rules: reported["rules"].as_str().map(|_| ListingRules::default()),
        max_df: reported["max_df"].as_str().map(str::parse).transpose()?,
        ..Settings::default()
    };
    for path in settings.select.files() {
        settings.resources.lists.insert(path.to_owned(), words(path)?);
    }
    Ok(settings)
}

/// Regenerates the page from `source`. Also returns whether it has the ids and the order of the report.
fn regenerate(
    report: &ParsedReport,
    run: &Value,
    source: &dyn Rewind,
    mut settings: Settings,
    run_control: &RunControl,
) -> anyhow::Result<(String, bool)> {
    if settings.select.needs_collection() {
        let frequencies = chunk_frequencies(&mut *source.rewind()?, &settings, run_control)?;
        settings.resources.frequencies = Some(frequencies);
    }
    let mut found = discover(&mut *source.rewind()?, &settings, run_control)?;
    let raw = textkin::engine::raw_overlaps(source, &mut found, &settings, run_control)?;
    let reported = &run["settings"];
    let cluster_by: Clustering =
        reported["cluster_by"].as_str().unwrap_or_default().parse().map_err(anyhow::Error::msg)?;
    let number = |name| reported[name].as_str().and_then(|number: &str| number.parse().ok());
    let max_gap = number("max_gap");
    let named: Vec<String> = (run["inputs"].as_array().into_iter().flatten())
        .map(|name| name.as_str().unwrap_or_default().to_owned())
        .collect();
    let named_settings: Vec<(&'static str, String)> = (SETTINGS.into_iter())
        .filter_map(|key| Some((key, reported[key].as_str()?.to_owned())))
        .collect();
    let rewritten = match reported["rewritten"].is_null() {
        true => None,
        false => Some(rewritten_pairs(source, &found.documents, &settings, run_control)?),
    };
    let clusters = join_clusters(
        found.graph.clusters(cluster_by),
        rewritten.as_deref().unwrap_or_default(),
        found.documents.len(),
    );
    let seconds = run["seconds"].as_f64().unwrap_or(0.0);
    let page = discovery_page(
        DiscoveryPage {
            inputs: &named,
            settings: &named_settings,
            rules: PassageRules {
                max_gap: max_gap.context("the report has no max_gap")?,
                min_words: number("min_words").unwrap_or(0),
            },
            source,
            pairs: PairRows { discovery: &found, raw: raw.as_ref(), settings: &settings },
            graph: &found.graph,
            clusters: &clusters,
            rewritten: rewritten.as_deref(),
            seconds: &|| seconds,
        },
        run_control,
    )?;
    Ok((page, is_in_order(report, &found)))
}

/// Returns whether the documents of all comparisons have the same ids and order.
fn is_in_order(report: &ParsedReport, found: &DiscoveryOutput) -> bool {
    let n_documents = u32::try_from(found.documents.len()).unwrap_or(u32::MAX);
    let numbers: HashMap<&str, u32> =
        (0..n_documents).map(|number| (found.documents.id(number), number)).collect();
    report.comparisons.iter().all(|reported| {
        let number = |side: &str| numbers.get(reported[side]["id"].as_str()?).copied();
        number("a").zip(number("b")).is_some_and(|(a, b)| a < b)
    })
}

/// Compares the parts of a page and its data with the regenerated page.
fn compare(
    page: &str,
    run: &Value,
    recomputed: &str,
    is_in_order: bool,
    run_page: &mut RunPageCheck,
) -> anyhow::Result<()> {
    let regenerated = ParsedReport::new(recomputed.to_owned())?;
    let regenerated = regenerated.run.as_ref().context("the regenerated page has no data")?;
    for key in [
        "documents",
        "words",
        "exact_duplicates",
        "problems",
        "noted_documents",
        "pairs",
        "clusters",
    ] {
        differences(key, &run[key], &regenerated[key], &mut run_page.faults);
    }
    let (reported, recomputed) = (parts(page), parts(recomputed));
    if reported.len() != recomputed.len() {
        run_page.faults.push("the page has missing or additional parts".to_owned());
    }
    for (id, name, has_names) in PARTS {
        if reported.get(id) != recomputed.get(id) && (is_in_order || !has_names) {
            run_page.faults.push(format!("{name} on the page does not match the documents"));
        }
    }
    run_page.is_regenerated = is_in_order;
    if !is_in_order {
        let why = "the documents have other ids than in the report, or another order";
        run_page.unchecked = Some(why.to_owned());
    }
    Ok(())
}

/// Splits a page into parts by id: everything before the first section, the sections, and everything after the
/// data.
fn parts(page: &str) -> HashMap<&str, &str> {
    let (shown, rest) = page.split_once("</main>").unwrap_or((page, ""));
    let end = rest.split_once("</script>").map_or("", |(_, end)| end);
    let mut parts = HashMap::from([("end", end)]);
    for (number, part) in shown.split("<section id=\"").enumerate() {
        match part.split_once('"') {
            Some((id, body)) if number > 0 => {
                // A duplicate section must not hide a changed one.
                let body = if parts.contains_key(id) { "" } else { body };
                parts.insert(id, body);
            }
            _ => drop(parts.insert("head", part)),
        }
    }
    parts
}
