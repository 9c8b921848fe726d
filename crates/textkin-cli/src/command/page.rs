//! `discover --html`: the HTML report of a run.

use std::collections::BTreeMap;
use std::io::Write as _;

use hashbrown::HashSet;
use textkin::Error;
use textkin::engine::graph::PassageRules;
use textkin::engine::report::{
    self, DocumentNames, OutputFile, PairPassages, PairRow, RunPage, RunPairs, notes_text, run_page,
};
use textkin::engine::types::parallel;
use textkin::engine::types::{Cluster, Rewind};
use textkin::engine::{
    DocumentNotes, DocumentTexts, PairRows, RunControl, Settings, compare, compare_without,
};

use crate::arguments::Discover;
use crate::outputs::ignore_broken_pipe;

/// Everything the HTML report is made from.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    /// The inputs as written on the command line.
    pub(crate) named: &'a [String],
    /// The settings needed to reproduce the run.
    pub(crate) settings: &'a [(&'static str, String)],
    pub(crate) rules: PassageRules,
    pub(crate) source: &'a dyn Rewind,
    pub(crate) pairs: PairRows<'a>,
    pub(crate) clusters: &'a [Cluster],
    /// Returns the seconds since the start of the run.
    pub(crate) seconds: &'a dyn Fn() -> f64,
}

/// Writes the HTML report of a run to `file`.
pub(crate) fn write(
    mut file: OutputFile,
    run: Run<'_>,
    run_control: &RunControl,
) -> anyhow::Result<()> {
    let page = make(run, run_control)?;
    let written = file.write_all(page.as_bytes());
    let written = written.map_err(|source| report::Error::write(file.name(), source));
    Ok(ignore_broken_pipe(written.and_then(|()| file.finish()))?)
}

/// Renders the HTML report of a run.
pub(crate) fn make(run: Run<'_>, run_control: &RunControl) -> anyhow::Result<String> {
    let Run { source, pairs: all, clusters, .. } = run;
    let PairRows { discovery: found, settings, .. } = all;
    let mut pairs = RunPairs::new(found.graph.rows().map(|pair| all.row_without_raw_score(&pair)));
    pairs.set_raw_scores(|row| all.raw_score(row.a_index, row.b_index));
    let no_passages = no_passages(source, settings);
    let passages = match no_passages {
        None => explain(run, &pairs, run_control)?,
        Some(_) => Vec::new(),
    };
    let problems: Vec<String> = found.problems.iter().map(ToString::to_string).collect();
    let noted = |noted: &DocumentNotes| {
        format!("{}: {}", found.documents.id(noted.document), notes_text(&noted.notes))
    };
    let notes: Vec<String> = found.notes.iter().map(noted).collect();
    Ok(run_page(&RunPage {
        version: env!("CARGO_PKG_VERSION"),
        inputs: run.named,
        settings: run.settings,
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
        seconds: (run.seconds)(),
    }))
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
    run: Run<'_>,
    pairs: &RunPairs<'_>,
    run_control: &RunControl,
) -> anyhow::Result<Vec<PairPassages>> {
    let Run { rules, source, pairs: all, .. } = run;
    let settings = all.settings;
    let pairs = pairs.to_explain();
    let wanted: HashSet<u32> =
        pairs.iter().flat_map(|(_, row)| [row.a_index, row.b_index]).collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let max_bytes = settings.memory_budget() / 2;
    let texts = DocumentTexts::read(source, &wanted, max_bytes, run_control)?;
    run_control.progress.begin("explaining pairs", pairs.len() as u64);
    let explained = |(number, row): &(usize, &PairRow<'_>)| {
        if run_control.stop.is_requested() {
            return Err(Error::Stopped);
        }
        let (a, b) = ([row.a, texts.get(row.a_index)], [row.b, texts.get(row.b_index)]);
        let comparison = compare_without(a[1], b[1], settings, rules, all.common_text(row))?;
        run_control.progress.advance(1);
        let mut view = comparison.view(a, b);
        view.pair = Some(all.run_pair(*number, row));
        view.a.notes = all.notes(row.a_index);
        view.b.notes = all.notes(row.b_index);
        Ok(PairPassages::new(*number, &view))
    };
    let passages = parallel::map(&pairs, settings.n_threads(), explained);
    Ok(passages.into_iter().collect::<Result<_, Error>>()?)
}

/// Maximum characters of a snippet.
const MAX_SNIPPET: usize = 120;

/// Returns what the pairs `rows` share: the start of their longest passage, by the indexes of their documents.
pub(crate) fn snippets(
    source: &dyn Rewind,
    all: PairRows<'_>,
    rows: &[PairRow<'_>],
    run_control: &RunControl,
) -> anyhow::Result<BTreeMap<(u32, u32), String>> {
    let settings = all.settings;
    let wanted: HashSet<u32> = rows.iter().flat_map(|row| [row.a_index, row.b_index]).collect();
    if wanted.is_empty() || no_passages(source, settings).is_some() {
        return Ok(BTreeMap::new());
    }
    let texts = DocumentTexts::read(source, &wanted, settings.memory_budget() / 2, run_control)?;
    let snippet = |row: &PairRow<'_>| {
        let (a, b) = ([row.a, texts.get(row.a_index)], [row.b, texts.get(row.b_index)]);
        let comparison = compare_without(a[1], b[1], settings, 0, all.common_text(row))?;
        Ok(((row.a_index, row.b_index), comparison.view(a, b).snippet(MAX_SNIPPET)))
    };
    let snippets = parallel::map(rows, settings.n_threads(), snippet);
    Ok(snippets.into_iter().collect::<Result<_, Error>>()?)
}

/// Returns the inputs of a run as written on the command line.
pub(crate) fn named_inputs(arguments: &Discover) -> Vec<String> {
    arguments.inputs.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

/// Returns the settings needed to reproduce the run.
pub(crate) fn named_settings(
    arguments: &Discover,
    settings: &Settings,
) -> Vec<(&'static str, String)> {
    let comparison = &arguments.comparison;
    let mut named = vec![
        ("chunk", settings.chunk.to_string()),
        ("select", settings.select.to_string()),
        ("normalize", settings.normalization.to_string()),
        ("hash", settings.hash.to_string()),
        ("cluster_by", comparison.cluster_by.to_string()),
        ("max_gap", arguments.output.max_gap.to_string()),
    ];
    if settings.rules.is_some() {
        named.push(("rules", "default".to_owned()));
    }
    if !arguments.against.is_empty() {
        let paths: Vec<_> = arguments.against.iter().map(|path| path.to_string_lossy()).collect();
        named.push(("against", paths.join(", ")));
    }
    if let Some(field) = &arguments.across {
        named.push(("across", field.clone()));
    }
    if arguments.output.min_words > 0 {
        named.push(("min_words", arguments.output.min_words.to_string()));
    }
    if let Some(max_df) = settings.max_df {
        named.push(("max_df", max_df.to_string()));
    }
    let stop_list = &comparison.analysis.stop_list.stop_list;
    if !stop_list.is_empty() {
        named.push(("stop_list", stop_list.join(", ")));
    }
    if let Some(n) = comparison.stop_frequent {
        named.push(("stop_frequent", n.to_string()));
    }
    if !comparison.analysis.template.is_empty() {
        let paths = comparison.analysis.template.iter();
        let paths: Vec<_> = paths.map(|path| path.to_string_lossy()).collect();
        named.push(("template", paths.join(", ")));
    }
    named
}
