//! A discovery run as one self-contained HTML page.
//!
//! In: a [`RunPage`] with counts, pairs, clusters and passages. Out: a page that needs no network and
//! runs only its own script ([`run_page`]). All content is in tables and pictures; the script only
//! sorts, filters and expands. The page states how much does not fit.
//!
//! `page.html` is the template, `page.css` the style, `page.js` the script.

mod histogram;
mod json;
mod layout;
mod network;
mod pairs;
mod passages;
mod tables;

use std::fmt::Write as _;

use textkin_core::Cluster;

use crate::compare::{escape, policy};
use crate::label::visible;
use crate::row::PairRow;
use crate::terminal::{counted, duration, score_text, thousands};

pub use pairs::RunPairs;
pub use passages::PairPassages;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Maximum problems listed.
const MAX_PROBLEMS: usize = 1_000;
/// Maximum clusters listed.
const MAX_CLUSTERS: usize = 500;
/// Number of colours; cluster numbers distinguish the rest.
const COLOURS: usize = 6;

/// A discovery run and its results.
#[derive(Debug)]
pub struct RunPage<'a> {
    /// The version of textkin.
    pub version: &'a str,
    /// The inputs as given by the user.
    pub inputs: &'a [String],
    /// All settings by name, so that the run can be repeated.
    pub settings: &'a [(&'static str, String)],
    /// Number of documents read.
    pub documents: u64,
    /// Number of words.
    pub words: u64,
    /// Documents with the same words as an earlier one.
    pub exact_duplicates: u64,
    /// The name of the score.
    pub score: &'a str,
    /// The minimum score of a pair.
    pub threshold: f64,
    /// Documents that could not be read, in input order.
    pub problems: &'a [String],
    /// Notes, one line per document that has any.
    pub notes: &'a [String],
    /// The pairs.
    pub pairs: &'a RunPairs<'a>,
    /// The clusters; members are document numbers.
    pub clusters: &'a [Cluster],
    /// The names of the documents, by number.
    pub names: DocumentNames<'a>,
    /// The passages of the pairs from [`RunPairs::to_explain`], in its order.
    pub passages: &'a [PairPassages],
    /// Why passages are not shown, if it is not for lack of pairs.
    pub no_passages: Option<&'a str>,
    /// The section of pairs that share passages in other words; empty if they were not sought.
    pub rewritten: &'a str,
    /// Duration of the run in seconds.
    pub seconds: f64,
}

/// Returns the name of a document by number.
#[derive(Clone, Copy)]
pub struct DocumentNames<'a>(pub &'a dyn Fn(u32) -> &'a str);

impl std::fmt::Debug for DocumentNames<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Names")
    }
}

/// Renders the run as an HTML page.
#[must_use]
pub fn run_page(run: &RunPage<'_>) -> String {
    let mut page = String::with_capacity(TEMPLATE.len() + STYLE.len() + SCRIPT.len() + (1 << 16));
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("every placeholder is closed");
        page.push_str(before);
        fill(name, run, &mut page);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// Writes the value of the placeholder `name`.
fn fill(name: &str, run: &RunPage<'_>, page: &mut String) {
    match name {
        "policy" => page.push_str(&policy(STYLE, SCRIPT)),
        "style" => page.push_str(STYLE),
        "script" => page.push_str(SCRIPT),
        "version" => escape(run.version, page),
        "title" => write_text(&title(run), page),
        "cards" => cards(run, page),
        "inputs" => write_text(&run.inputs.join(", "), page),
        "problems" => problems(run, page),
        "notes" => notes(run, page),
        "histogram" => run.pairs.histogram.draw(run.score, run.threshold, page),
        "clusters" => tables::clusters(run, page),
        "network" => run.pairs.network.draw(run, page),
        "pairs" => tables::pairs(run, page),
        "passages" => passages::draw(run, page),
        "rewritten" => page.push_str(run.rewritten),
        "rules" => page.push_str(rules(run)),
        "details" => details(run, page),
        // A name with "</script>" must not end the element.
        "json" => page.push_str(&json::run_json(run).replace('<', "\\u003c")),
        _ => unreachable!("unknown placeholder '{name}'"),
    }
}

/// Returns the HTML for a pair with passages: its figures in the table, and its passages. Used to
/// verify a page.
#[must_use]
pub fn pair_html(row: &PairRow<'_>, passages: &PairPassages) -> [String; 2] {
    let [mut figures, mut html] = [String::new(), String::new()];
    tables::figures(passages.number, row, &mut figures);
    passages::draw_pair(row, passages, &mut html);
    [figures, html]
}

/// Writes a name or a message as HTML, escaped and without invisible characters.
fn write_text(text: &str, page: &mut String) {
    escape(&visible(text), page);
}

fn title(run: &RunPage<'_>) -> String {
    match run.inputs {
        [] => "no input".to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {} more", thousands(rest.len() as u64)),
    }
}

/// Writes the most important figures.
fn cards(run: &RunPage<'_>, page: &mut String) {
    let n_clusters = run.clusters.len() as u64;
    let card = |count: u64, one: &'static str, many: &'static str| {
        (thousands(count), if count == 1 { one } else { many })
    };
    let figures = [
        card(run.documents, "document", "documents"),
        card(run.words, "word", "words"),
        card(run.exact_duplicates, "exact copy", "exact copies"),
        card(run.pairs.count(), "pair", "pairs"),
        card(n_clusters, "cluster", "clusters"),
        card(run.problems.len() as u64, "problem", "problems"),
    ];
    let n_notes = run.notes.len() as u64;
    let noted = (n_notes > 0).then(|| card(n_notes, "document with notes", "documents with notes"));
    let time = (duration(run.seconds), "run time");
    let figures = figures.into_iter().chain(noted).chain([time]);
    for (figure, name) in figures {
        // Writing to a string does not fail.
        let _ = write!(page, "<li><b>{figure}</b> {name}</li>");
    }
}

/// Writes the documents that could not be read.
fn problems(run: &RunPage<'_>, page: &mut String) {
    let n_problems = run.problems.len();
    if n_problems == 0 {
        page.push_str("<p>No problems: all documents were read.</p>");
        return;
    }
    let _ = write!(
        page,
        "<p>{} could not be read and {} skipped:</p><ol class=\"problems\">",
        counted(n_problems as u64, "document", "documents"),
        if n_problems == 1 { "was" } else { "were" }
    );
    for problem in &run.problems[..n_problems.min(MAX_PROBLEMS)] {
        page.push_str("<li>");
        write_text(problem, page);
        page.push_str("</li>");
    }
    page.push_str("</ol>");
    write_remainder(
        n_problems,
        MAX_PROBLEMS,
        "problem",
        "problems",
        "textkin printed all of them during the run",
        page,
    );
}

/// Writes the notes on documents.
fn notes(run: &RunPage<'_>, page: &mut String) {
    if run.notes.is_empty() {
        return;
    }
    page.push_str(
        "<h3 id=\"notes\">Notes</h3><p>These documents were compared as usual. A note is marked as \
         suspicious if the text may hide copying: invisible characters, look-alike letters from \
         other scripts, or hidden text. textkin ignores the first two when matching, and skips hidden \
         text.</p><ol class=\"problems\">",
    );
    for note in run.notes.iter().take(MAX_PROBLEMS) {
        page.push_str("<li>");
        write_text(note, page);
        page.push_str("</li>");
    }
    page.push_str("</ol>");
    write_remainder(
        run.notes.len(),
        MAX_PROBLEMS,
        "note",
        "notes",
        "use --stats FILE to list all of them",
        page,
    );
}

/// States how many of `count` items exceed `limit`, and where to find them.
fn write_remainder(
    count: usize,
    limit: usize,
    one: &str,
    many: &str,
    hint: &str,
    page: &mut String,
) {
    let rest = count.saturating_sub(limit) as u64;
    if rest > 0 {
        let rest = counted(rest, &format!("more {one}"), &format!("more {many}"));
        let _ = write!(page, "<p class=\"rest\">{rest} not on this page: {hint}.</p>");
    }
}

/// Writes the settings for people; the JSON has them for programs.
fn details(run: &RunPage<'_>, page: &mut String) {
    let mut detail = |name: &str, value: &str| {
        let _ = write!(page, "<dt>{name}</dt><dd>");
        write_text(value, page);
        page.push_str("</dd>");
    };
    detail("Created by", &format!("textkin {}", run.version));
    detail("Score", run.score);
    detail("Threshold", &threshold_text(run.threshold));
    for (name, value) in run.settings {
        detail(&name.replace('_', " "), value);
    }
}

/// Explains why two documents are a pair.
fn rules(run: &RunPage<'_>) -> &'static str {
    if run.settings.iter().any(|(name, _)| *name == "rules") {
        "Two documents are a pair if their score reaches the threshold, if they share a long run of \
         text that few documents have, or if almost all of one is in the other. Text that many \
         documents have does not make a pair, unless it is a large part of one of them. Clusters \
         consist of pairs with higher scores."
    } else {
        "Two documents are a pair if their score reaches the threshold."
    }
}

/// Formats a threshold without rounding.
fn threshold_text(threshold: f64) -> String {
    if threshold < 1000.0 { threshold.to_string() } else { score_text(threshold) }
}

#[cfg(test)]
mod tests;
