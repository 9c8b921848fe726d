//! The HTML report of a discovery, and snippets of its pairs.
//!
//! In: the result of a discovery and its source again. Out: a self-contained page, with the passages of the strongest
//! pairs.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use textkin_core::parallel;
use textkin_core::{Cluster, Rewind};
use textkin_graph::{Graph, PassageRules};
use textkin_report::{
    DocumentNames, PairPassages, PairRow, RewrittenDocuments, RunPage, RunPairs, notes_text,
    rewritten_section, run_page,
};

use crate::compare::{compare, compare_without};
use crate::discover::RunControl;
use crate::error::Error;
use crate::explain::DocumentTexts;
use crate::ingest::DocumentNotes;
use crate::pairs::PairRows;
use crate::repository::RewrittenPair;
use crate::settings::Settings;

/// What the HTML report of a discovery is made from.
#[derive(Clone, Copy)]
pub struct DiscoveryPage<'a> {
    /// The inputs, as the user named them.
    pub inputs: &'a [String],
    /// The settings needed to repeat the run.
    pub settings: &'a [(&'static str, String)],
    /// Which passages are shown.
    pub rules: PassageRules,
    /// The documents.
    pub source: &'a dyn Rewind,
    /// The result of the discovery.
    pub pairs: PairRows<'a>,
    /// The graph whose pairs are shown: that of the discovery, or one with a higher threshold.
    pub graph: &'a Graph,
    /// The clusters to show.
    pub clusters: &'a [Cluster],
    /// The pairs that share passages in other words, if they were sought.
    pub rewritten: Option<&'a [RewrittenPair]>,
    /// Returns the seconds since the start of the run.
    pub seconds: &'a dyn Fn() -> f64,
}

impl std::fmt::Debug for DiscoveryPage<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("DiscoveryPage")
            .field("inputs", &self.inputs)
            .finish_non_exhaustive()
    }
}

/// Renders the HTML report of a run. The source is read again for the passages of the strongest pairs.
///
/// # Errors
/// If the source has changed, the texts exceed the memory limit, or the run is stopped.
pub fn discovery_page(page: DiscoveryPage<'_>, control: &RunControl) -> Result<String, Error> {
    let DiscoveryPage { source, pairs: all, clusters, .. } = page;
    let PairRows { discovery: found, settings, .. } = all;
    let mut pairs = RunPairs::new(page.graph.rows().map(|pair| all.row_without_raw_score(&pair)));
    pairs.set_raw_scores(|row| all.raw_score(row.a_index, row.b_index));
    let no_passages = no_passages(source, settings);
    let passages = match no_passages {
        None => explain(page, &pairs, control)?,
        Some(_) => Vec::new(),
    };
    let rewritten = match page.rewritten {
        Some(rewritten) => rewritten_html(page, rewritten, control)?,
        None => String::new(),
    };
    let problems: Vec<String> = found.problems.iter().map(ToString::to_string).collect();
    let noted = |noted: &DocumentNotes| {
        format!("{}: {}", found.documents.id(noted.document), notes_text(&noted.notes))
    };
    let notes: Vec<String> = found.notes.iter().map(noted).collect();
    Ok(run_page(&RunPage {
        version: env!("CARGO_PKG_VERSION"),
        inputs: page.inputs,
        settings: page.settings,
        documents: found.counts.documents,
        words: found.counts.words,
        exact_duplicates: found.counts.exact_duplicates,
        score: settings.score.name(),
        threshold: settings.threshold,
        problems: &problems,
        notes: &notes,
        pairs: &pairs,
        clusters,
        names: DocumentNames(&|document| found.documents.id(document)),
        passages: &passages,
        no_passages,
        rewritten: &rewritten,
        seconds: (page.seconds)(),
    }))
}

/// Pairs with passages in other words that the page shows.
const MAX_REWRITTEN: usize = 200;

/// Returns the section of the surest pairs that share passages in other words.
fn rewritten_html(
    page: DiscoveryPage<'_>,
    pairs: &[RewrittenPair],
    control: &RunControl,
) -> Result<String, Error> {
    let found = page.pairs.discovery;
    let shown = &pairs[..pairs.len().min(MAX_REWRITTEN)];
    let wanted: HashSet<u32> = shown.iter().flat_map(|pair| [pair.a, pair.b]).collect();
    if wanted.is_empty() {
        return Ok(rewritten_section(&[], 0));
    }
    let max_bytes = page.pairs.settings.memory_budget() / 2;
    let texts = DocumentTexts::read(page.source, &wanted, max_bytes, control)?;
    let document = |number: u32| [found.documents.id(number), texts.get(number)];
    let shown: Vec<RewrittenDocuments<'_>> = shown
        .iter()
        .map(|pair| RewrittenDocuments {
            a: document(pair.a),
            b: document(pair.b),
            matches: &pair.matches,
        })
        .collect();
    Ok(rewritten_section(&shown, pairs.len()))
}

/// Returns why passages cannot be shown, if they cannot.
fn no_passages(source: &dyn Rewind, settings: &Settings) -> Option<&'static str> {
    if source.rewind().is_err() {
        return Some(
            "they require reading the input twice, which standard input and pipes do not allow",
        );
    }
    // Only chunks of words have passages; comparing two empty texts returns that error.
    compare("", "", settings, 0)
        .is_err()
        .then_some("only chunks of words have passages, and this run used another chunker")
}

/// Returns the passages of the strongest pairs, computed by several threads.
fn explain(
    page: DiscoveryPage<'_>,
    pairs: &RunPairs<'_>,
    control: &RunControl,
) -> Result<Vec<PairPassages>, Error> {
    let DiscoveryPage { rules, source, pairs: all, .. } = page;
    let settings = all.settings;
    let pairs = pairs.to_explain();
    let wanted: HashSet<u32> =
        pairs.iter().flat_map(|(_, row)| [row.a_index, row.b_index]).collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let max_bytes = settings.memory_budget() / 2;
    let texts = DocumentTexts::read(source, &wanted, max_bytes, control)?;
    control.progress.begin("explaining pairs", pairs.len() as u64);
    let explained = |(number, row): &(usize, &PairRow<'_>)| {
        if control.stop.is_requested() {
            return Err(Error::Stopped);
        }
        let (a, b) = ([row.a, texts.get(row.a_index)], [row.b, texts.get(row.b_index)]);
        let comparison = compare_without(a[1], b[1], settings, rules, all.common_text(row))?;
        control.progress.advance(1);
        let mut view = comparison.view(a, b);
        view.pair = Some(all.run_pair(*number, row));
        view.a.notes = all.notes(row.a_index);
        view.b.notes = all.notes(row.b_index);
        Ok(PairPassages::new(*number, &view))
    };
    let passages = parallel::map(&pairs, settings.n_threads(), explained);
    passages.into_iter().collect()
}

/// Maximum characters of a snippet.
const MAX_SNIPPET: usize = 120;

/// Returns what the pairs `rows` share: the start of their longest passage, by the indexes of their documents. The
/// source is read again; if it cannot be, or if the chunks have no passages, nothing is returned.
///
/// # Errors
/// As [`discovery_page`].
pub fn snippets(
    source: &dyn Rewind,
    all: PairRows<'_>,
    rows: &[PairRow<'_>],
    control: &RunControl,
) -> Result<BTreeMap<(u32, u32), String>, Error> {
    let settings = all.settings;
    let wanted: HashSet<u32> = rows.iter().flat_map(|row| [row.a_index, row.b_index]).collect();
    if wanted.is_empty() || no_passages(source, settings).is_some() {
        return Ok(BTreeMap::new());
    }
    let texts = DocumentTexts::read(source, &wanted, settings.memory_budget() / 2, control)?;
    let snippet = |row: &PairRow<'_>| {
        let (a, b) = ([row.a, texts.get(row.a_index)], [row.b, texts.get(row.b_index)]);
        let comparison = compare_without(a[1], b[1], settings, 0, all.common_text(row))?;
        Ok(((row.a_index, row.b_index), comparison.view(a, b).snippet(MAX_SNIPPET)))
    };
    let snippets = parallel::map(rows, settings.n_threads(), snippet);
    snippets.into_iter().collect()
}
