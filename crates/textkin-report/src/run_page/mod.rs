//! A run of discovery as one self-contained HTML page.
//!
//! In: a [`RunPage`]: what was found, by counts, pairs, clusters and passages. Out: a page that
//! needs no network and runs no script but its own ([`run_page`]). Everything is in the page as
//! tables and pictures; the script only sorts, filters and opens. What a page cannot hold is
//! counted, and the page says so.
//!
//! `page.html` is the frame, `page.css` the style, `page.js` the behaviour.

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

const FRAME: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Problems that are named.
const PROBLEMS: usize = 1_000;
/// Clusters that are listed.
const CLUSTERS: usize = 500;
/// Colours of clusters; their numbers tell the rest apart.
const COLOURS: usize = 6;

/// A run and what it found.
#[derive(Debug)]
pub struct RunPage<'a> {
    /// The version of textkin.
    pub version: &'a str,
    /// The inputs as they were named.
    pub inputs: &'a [String],
    /// All that is needed to do it again, by the name of each setting.
    pub settings: &'a [(&'static str, String)],
    /// Documents that were read.
    pub documents: u64,
    /// Their words.
    pub words: u64,
    /// Documents whose words are those of an earlier one.
    pub exact_duplicates: u64,
    /// The name of the score.
    pub score: &'a str,
    /// The least score of a pair.
    pub threshold: f64,
    /// What could not be read, in the order of the input.
    pub problems: &'a [String],
    /// What is worth knowing about documents, a line for each that has something.
    pub notes: &'a [String],
    /// The pairs.
    pub pairs: &'a RunPairs<'a>,
    /// The clusters; their members are numbers of documents.
    pub clusters: &'a [Cluster],
    /// The names of the documents, by number.
    pub names: DocumentNames<'a>,
    /// The passages of those pairs that [`RunPairs::to_explain`] gives, in its order.
    pub passages: &'a [PairPassages],
    /// Why there are no passages, if there are none for another reason than that there are no pairs.
    pub no_passages: Option<&'a str>,
    /// How long the run took until the page was made.
    pub seconds: f64,
}

/// The names of documents by number.
#[derive(Clone, Copy)]
pub struct DocumentNames<'a>(pub &'a dyn Fn(u32) -> &'a str);

impl std::fmt::Debug for DocumentNames<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Names")
    }
}

/// The run as an HTML page.
#[must_use]
pub fn run_page(run: &RunPage<'_>) -> String {
    let mut page = String::with_capacity(FRAME.len() + STYLE.len() + SCRIPT.len() + (1 << 16));
    let mut rest = FRAME;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("every place in the frame is closed");
        page.push_str(before);
        fill(name, run, &mut page);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// Writes what the place `name` of the frame stands for.
fn fill(name: &str, run: &RunPage<'_>, page: &mut String) {
    match name {
        "policy" => page.push_str(&policy(STYLE, SCRIPT)),
        "style" => page.push_str(STYLE),
        "script" => page.push_str(SCRIPT),
        "version" => escape(run.version, page),
        "title" => shown(&title(run), page),
        "cards" => cards(run, page),
        "inputs" => shown(&run.inputs.join(", "), page),
        "problems" => problems(run, page),
        "notes" => notes(run, page),
        "histogram" => run.pairs.histogram.draw(run.score, run.threshold, page),
        "clusters" => tables::clusters(run, page),
        "network" => run.pairs.network.draw(run, page),
        "pairs" => tables::pairs(run, page),
        "passages" => passages::draw(run, page),
        "facts" => facts(run, page),
        // A name that says "</script>" must not end the element.
        "json" => page.push_str(&json::run_json(run).replace('<', "\\u003c")),
        _ => unreachable!("the frame has no place '{name}'"),
    }
}

/// What a page says of a pair with passages: its figures in the table, and its passages. So a page
/// can be checked against what it should say.
#[must_use]
pub fn pair_html(row: &PairRow<'_>, passages: &PairPassages) -> [String; 2] {
    let [mut figures, mut shown] = [String::new(), String::new()];
    tables::figures(passages.number, row, &mut figures);
    passages::draw_pair(row, passages, &mut shown);
    [figures, shown]
}

/// A name or a message as HTML: nothing in it is markup or invisible.
fn shown(text: &str, page: &mut String) {
    escape(&visible(text), page);
}

fn title(run: &RunPage<'_>) -> String {
    match run.inputs {
        [] => "no input".to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {} more", thousands(rest.len() as u64)),
    }
}

/// The figures that come first.
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
    let noted =
        (n_notes > 0).then(|| card(n_notes, "document with a note", "documents with notes"));
    let time = (duration(run.seconds), "time taken");
    let figures = figures.into_iter().chain(noted).chain([time]);
    for (figure, name) in figures {
        // Writing to a string does not fail.
        let _ = write!(page, "<li><b>{figure}</b> {name}</li>");
    }
}

/// What could not be read.
fn problems(run: &RunPage<'_>, page: &mut String) {
    let n_problems = run.problems.len();
    if n_problems == 0 {
        page.push_str("<p>None: every document was read.</p>");
        return;
    }
    let _ = write!(
        page,
        "<p>{} could not be read and took no part in the run.</p><ol class=\"problems\">",
        if n_problems == 1 { "This".to_owned() } else { thousands(n_problems as u64) }
    );
    for problem in &run.problems[..n_problems.min(PROBLEMS)] {
        page.push_str("<li>");
        shown(problem, page);
        page.push_str("</li>");
    }
    page.push_str("</ol>");
    write_remainder(n_problems, PROBLEMS, "problem", "problems", "the run names them all", page);
}

/// What is worth knowing about documents that took part.
fn notes(run: &RunPage<'_>, page: &mut String) {
    if run.notes.is_empty() {
        return;
    }
    page.push_str(
        "<h3 id=\"notes\">Notes</h3><p>These took part in the run. Suspicious is what keeps a copied \
         text from being found or seen: characters without width, letters of other scripts that \
         look alike, hidden text. The first two are undone for matching, hidden text is left \
         out.</p><ol class=\"problems\">",
    );
    for note in run.notes.iter().take(PROBLEMS) {
        page.push_str("<li>");
        shown(note, page);
        page.push_str("</li>");
    }
    page.push_str("</ol>");
    write_remainder(
        run.notes.len(),
        PROBLEMS,
        "note",
        "notes",
        "--stats FILE lists them all",
        page,
    );
}

/// Says how many of `count` things are over `limit`, and where they are.
fn write_remainder(
    count: usize,
    limit: usize,
    one: &str,
    many: &str,
    place: &str,
    page: &mut String,
) {
    let rest = count.saturating_sub(limit) as u64;
    if rest > 0 {
        let rest = counted(rest, &format!("more {one}"), &format!("more {many}"));
        let _ = write!(page, "<p class=\"rest\">{rest} not on this page: {place}.</p>");
    }
}

/// The parameters, for people; the JSON has them for programs.
fn facts(run: &RunPage<'_>, page: &mut String) {
    let mut fact = |name: &str, value: &str| {
        let _ = write!(page, "<dt>{name}</dt><dd>");
        shown(value, page);
        page.push_str("</dd>");
    };
    fact("Made by", &format!("textkin {}", run.version));
    fact("Score", run.score);
    fact("Threshold", &threshold_text(run.threshold));
    for (name, value) in run.settings {
        fact(&name.replace('_', " "), value);
    }
}

/// A threshold as it was given, not rounded.
fn threshold_text(threshold: f64) -> String {
    if threshold < 1000.0 { threshold.to_string() } else { score_text(threshold) }
}

#[cfg(test)]
mod tests;
