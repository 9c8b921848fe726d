//! Hoad and Zobel, *Methods for identifying versioned and plagiarised documents* (2003), Tables 1–6,
//! and its passages.
//!
//! `passages` ranks documents by their passages.

mod passages;

use std::time::Instant;

use textkin::engine::search::Ranking;
use textkin::engine::{SearchSettings, Settings};

pub(super) use passages::passages;

use super::sets::ChunkSets;
use super::store::{MeanEffectiveness, TemporaryRepository, by};
use super::{ExperimentContext, ExperimentOutput, NO_UNRELATED};
use crate::error::Error;
use crate::report::{Plot, ReportCell, ReportTable, Series};

/// Precision, recall, highest false match (HFM), separation and their ratio, as printed in the paper.
type Paper = [Option<f64>; 5];

const COLUMNS: [&str; 5] = ["precision(s)", "recall(20)", "HFM, %", "separation, %", "Sep/HFM"];

const fn paper(precision: f64, recall: f64, hfm: f64, separation: f64, ratio: f64) -> Paper {
    [Some(precision), Some(recall), Some(hfm), Some(separation), Some(ratio)]
}

/// A row of the paper without separation.
const fn without(precision: f64, recall: f64, hfm: f64) -> Paper {
    [Some(precision), Some(recall), Some(hfm), None, None]
}

const NO_PAPER: Paper = [None; 5];

const KIN: &str = "kin (textkin's default, not in the paper)";

fn cells(
    context: &ExperimentContext<'_>,
    means: &MeanEffectiveness,
    paper: Paper,
) -> Vec<ReportCell> {
    let ours = [
        context.unless_vacuous(means.precision),
        Some(means.recall),
        context.unless_vacuous(means.highest_false_match),
        context.unless_vacuous(means.separation),
        context.unless_vacuous(means.ratio()),
    ];
    let cell = |(value, paper)| ReportCell::new(value, 2).with_paper(paper);
    ours.into_iter().zip(paper).map(cell).collect()
}

fn notes(context: &ExperimentContext<'_>, n_queries: usize) -> Vec<String> {
    let mut notes = vec![format!(
        "Means over {n_queries} queries: documents that have related documents. The query itself and unjudged documents are \
         excluded; a related document that is not among the first 1,000 counts as 0 %."
    )];
    if !context.collection().truth.has_unrelated() {
        notes.push(NO_UNRELATED.to_owned());
    } else if context.collection().truth.families.is_none()
        && context.collection().name != "synthetic"
    {
        notes.push("This collection has few documents labelled as unrelated; HFM covers only the judged ones.".to_owned());
    }
    notes
}

/// Returns settings with these normalization steps after the default ones.
pub(super) fn normalized(steps: &str) -> Result<Settings, Error> {
    let defaults = Settings::default().normalization.to_string();
    let all = if steps.is_empty() { defaults } else { format!("{defaults}+{steps}") };
    let normalization = all.parse()?;
    Ok(Settings { normalization, ..Settings::default() })
}

/// Searches one index by several rankings, one row each.
fn rankings(
    context: &ExperimentContext<'_>,
    settings: &Settings,
    rows: &[(&str, Ranking, Paper)],
) -> Result<ExperimentOutput, Error> {
    let store = TemporaryRepository::new(context, settings, true)?;
    let queries = context.queries();
    let all: Vec<Ranking> = rows.iter().map(|row| row.1).collect();
    context.set_stage("searching");
    let means = store.means(context, &queries, by(&all))?;
    let mut table = ReportTable::new("measure", COLUMNS);
    for ((name, _, paper), means) in rows.iter().zip(&means) {
        table.push(*name, cells(context, means, *paper));
    }
    Ok(ExperimentOutput {
        table,
        notes: notes(context, queries.len()),
        ..ExperimentOutput::default()
    })
}

pub(super) fn table1(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let rows = [
        ("inner product", Ranking::Inner, paper(0.39, 0.73, 98.82, -34.43, -0.35)),
        ("normalised inner product", Ranking::Normalised, paper(1.0, 1.0, 21.61, 46.68, 2.16)),
        ("cosine", Ranking::Cosine, paper(1.0, 1.0, 18.96, 48.57, 2.56)),
    ];
    rankings(context, &normalized("stop:en+stem:en")?, &rows)
}

pub(super) fn table2(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let rows = [
        ("identity 1", Ranking::Identity1, without(0.47, 0.64, 4.34)),
        ("identity 2", Ranking::Identity2, paper(0.99, 1.0, 21.19, 14.25, 0.67)),
        ("identity 3", Ranking::Identity3, paper(0.97, 0.99, 18.46, 6.70, 0.36)),
        ("identity 4", Ranking::Identity4, paper(0.99, 1.0, 20.62, 14.88, 0.72)),
        ("identity 5", Ranking::Identity5, paper(1.0, 1.0, 11.16, 24.64, 2.21)),
        (KIN, Ranking::Kin, NO_PAPER),
    ];
    rankings(context, &normalized("stop:en+stem:en")?, &rows)
}

pub(super) fn table3(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let mut table = ReportTable::new("words", COLUMNS);
    let queries = context.queries();
    for (name, steps, paper) in [
        ("unchanged", "", paper(1.0, 1.0, 8.74, 29.44, 3.37)),
        ("stopped", "stop:en", paper(1.0, 1.0, 8.09, 30.07, 3.72)),
        ("stemmed", "stem:en", paper(1.0, 1.0, 11.95, 24.75, 2.07)),
        ("stopped and stemmed", "stop:en+stem:en", paper(1.0, 1.0, 11.16, 24.64, 2.21)),
    ] {
        let store = TemporaryRepository::new(context, &normalized(steps)?, true)?;
        let means = store.means(context, &queries, by(&[Ranking::Identity5]))?;
        table.push(name, means.first().map_or_else(Vec::new, |means| cells(context, means, paper)));
    }
    Ok(ExperimentOutput {
        table,
        notes: notes(context, queries.len()),
        ..ExperimentOutput::default()
    })
}

/// Searches by fingerprints: chunker and selection of the index, and selection of the query if it differs.
fn fingerprints(
    context: &ExperimentContext<'_>,
    queries: &[u32],
    (chunk, select, query_select): (&str, &str, Option<&str>),
    normalization: &str,
) -> Result<Option<MeanEffectiveness>, Error> {
    context.check_stopped()?;
    let settings = Settings {
        chunk: chunk.parse().map_err(textkin::Error::from)?,
        select: select.parse().map_err(textkin::Error::from)?,
        ..normalized(normalization)?
    };
    if settings.select.needs_collection() {
        return ChunkSets::new(context, &settings)?.means(context, queries).map(Some);
    }
    let store = TemporaryRepository::new(context, &settings, false)?;
    let select = query_select.map(|name| name.parse().map_err(textkin::Error::from)).transpose()?;
    let search = SearchSettings { select, ..by(&[Ranking::Fingerprint]) };
    Ok(store.means(context, queries, search)?.first().copied())
}

pub(super) fn table4(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let mut table = ReportTable::new("selection", COLUMNS);
    let queries = context.queries();
    for (name, chunk, select, paper) in [
        ("full", "words:3", "all", paper(0.94, 0.99, 33.80, 0.26, 0.01)),
        ("all substrings", "words:3:disjoint", "all", paper(0.73, 0.91, 15.72, -5.38, -0.34)),
        ("first 15", "words:3", "first:15", without(0.73, 0.76, 6.67)),
        (
            "first 15, sliding",
            "words:3",
            "first-sliding:15",
            [Some(1.0), Some(1.0), Some(0.0), Some(20.0), None],
        ),
        (
            "rarest prefix, 15",
            "words:3",
            "rarest-prefix:15",
            [Some(0.32), Some(0.40), Some(6.72), None, Some(2.78)],
        ),
        (
            "rarest in document, 15 (not tested in the paper)",
            "words:3",
            "rarest-document:15",
            NO_PAPER,
        ),
        (
            "rarest in collection, 15 (not tested in the paper)",
            "words:3",
            "rarest-collection:15",
            NO_PAPER,
        ),
        ("anchor", "words:3", "anchor", paper(1.0, 1.0, 16.60, 13.36, 0.80)),
        ("5th in sentence", "words:3", "kth-in-sentence:5", paper(0.97, 0.98, 6.84, 5.50, 0.80)),
        ("5th sentence", "words:3", "kth-sentence:5", without(0.30, 0.30, 13.58)),
        ("15th in paragraph", "words:3", "kth-in-paragraph:15", without(0.58, 0.58, 5.66)),
        ("hailstorm (not in the paper)", "words:3", "hailstorm", NO_PAPER),
        ("winnow 8 (not in the paper)", "words:3", "winnow:8", NO_PAPER),
        ("modulo 16 (not in the paper)", "words:3", "modulo:16", NO_PAPER),
    ] {
        context.set_stage(name);
        let means = fingerprints(context, &queries, (chunk, select, None), "")?;
        table.push(name, means.map_or_else(Vec::new, |means| cells(context, &means, paper)));
    }
    let mut notes = notes(context, queries.len());
    notes.push(
        "The paper proposes “rarest in document” and “rarest in collection” but tests neither. The latter needs a first pass \
         that counts chunks over all documents."
            .to_owned(),
    );
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

pub(super) fn table5(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let papers: [(u32, Paper); 12] = [
        (1, paper(0.85, 0.93, 66.06, -3.56, -0.05)),
        (2, paper(0.99, 1.00, 30.23, 8.82, 0.29)),
        (3, paper(0.99, 1.00, 19.60, 14.34, 0.73)),
        (4, paper(0.99, 1.00, 16.59, 13.29, 0.80)),
        (5, paper(0.98, 1.00, 15.60, 9.16, 0.59)),
        (6, paper(0.93, 0.99, 16.72, 3.78, 0.23)),
        (7, paper(0.89, 0.97, 17.46, -0.61, -0.03)),
        (8, paper(0.86, 0.93, 17.13, -1.13, -0.07)),
        (9, paper(0.78, 0.89, 18.86, -4.45, -0.24)),
        (10, paper(0.68, 0.85, 17.51, -5.22, -0.30)),
        (15, paper(0.38, 0.46, 16.61, -3.42, -0.21)),
        (20, without(0.27, 0.31, 17.50)),
    ];
    let mut table = ReportTable::new("words per chunk", COLUMNS);
    let queries = context.queries();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for (k, paper) in papers {
        let means = fingerprints(context, &queries, (&format!("words:{k}"), "anchor", None), "")?;
        let Some(means) = means else { continue };
        table.push(k.to_string(), cells(context, &means, paper));
        ours.push((f64::from(k), means.precision));
        theirs.extend(paper[0].map(|precision| (f64::from(k), precision)));
    }
    let series = [("measured here", ours), ("the paper", theirs)];
    let plots = vec![Plot {
        title: "Precision by words per chunk, anchor selection".to_owned(),
        x: "words per chunk".to_owned(),
        y: "precision(s)".to_owned(),
        is_logarithmic: false,
        series: series.map(|(name, points)| Series { name: name.to_owned(), points }).to_vec(),
    }];
    Ok(ExperimentOutput { table, plots, notes: notes(context, queries.len()) })
}

/// Ranks by fewer words of the query: “reducing the set of terms chosen for evaluation from a query document”.
pub(super) fn terms(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let columns = COLUMNS.into_iter().chain(["ms per query"]);
    let mut table = ReportTable::new("words of the query", columns);
    let queries = context.queries();
    let store = TemporaryRepository::new(context, &normalized("stop:en+stem:en")?, true)?;
    for max_terms in [Some(5), Some(10), Some(20), Some(50), Some(100), None] {
        context.check_stopped()?;
        let search = SearchSettings { max_terms, ..by(&[Ranking::Identity5]) };
        let began = Instant::now();
        let means = store.means(context, &queries, search)?;
        let milliseconds = began.elapsed().as_secs_f64() * 1e3 / queries.len().max(1) as f64;
        let mut row = means.first().map_or_else(Vec::new, |means| cells(context, means, NO_PAPER));
        row.push(ReportCell::new(milliseconds, 2));
        table.push(max_terms.map_or_else(|| "all".to_owned(), |n| n.to_string()), row);
    }
    let mut notes = notes(context, queries.len());
    notes.push(
        "Identity 5 by the words of the query that add most to its score. The paper names it as further research."
            .to_owned(),
    );
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

/// Counts the queries with a precision below 1 and with a negative separation, of 53.
const CONSISTENCY: [(&str, [f64; 2]); 5] = [
    ("identity 5", [7.0, 1.0]),
    ("anchor", [10.0, 1.0]),
    ("cosine", [29.0, 20.0]),
    ("first 15, sliding", [35.0, 5.0]),
    ("anchor, full query", [23.0, 13.0]),
];

pub(super) fn consistency(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let columns = ["queries", "precision below 1, %", "negative separation, %"];
    let mut table = ReportTable::new("measure", columns);
    let queries = context.queries();
    let n = queries.len();
    let settings = normalized("stop:en")?;
    let store = TemporaryRepository::new(context, &settings, true)?;
    context.set_stage("searching");
    let rankings = [Ranking::Identity5, Ranking::Cosine, Ranking::Kin];
    let means = store.means(context, &queries, by(&rankings))?;
    let mut rows: Vec<(&str, MeanEffectiveness)> =
        ["identity 5", "cosine", KIN].into_iter().zip(means).collect();
    for (name, select, query) in [
        ("first 15, sliding", "first-sliding:15", None),
        ("anchor", "anchor", None),
        ("anchor, full query", "anchor", Some("all")),
    ] {
        let means = fingerprints(context, &queries, ("words:4", select, query), "stop:en")?;
        rows.extend(means.map(|means| (name, means)));
    }
    for (name, means) in rows {
        let paper = CONSISTENCY.iter().find(|(paper, _)| *paper == name).map(|(_, counts)| counts);
        let percent = |count: f64| context.unless_vacuous(100.0 * count / n.max(1) as f64);
        let counts = [means.n_imprecise, means.n_inseparable].into_iter().enumerate();
        let mut cells = vec![ReportCell::new(n as f64, 0)];
        cells.extend(counts.map(|(at, count)| {
            let paper = paper.and_then(|counts| counts.get(at)).map(|count| 100.0 * count / 53.0);
            ReportCell::new(percent(count), 0).with_paper(paper)
        }));
        table.push(name, cells);
    }
    let mut notes = notes(context, n);
    notes.push(
        "The settings of Table 6. The paper counts 7, 10, 29, 35 and 23 of its 53 queries with a precision below 1, and 1, 1, \
         20, 5 and 13 with a negative separation, for identity, anchors, cosine, first-r-sliding and the full query."
            .to_owned(),
    );
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

pub(super) fn table6(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let rows = [
        ("cosine", Ranking::Cosine, without(0.68, 0.77, 73.46)),
        ("identity 5", Ranking::Identity5, paper(0.97, 0.97, 25.25, 51.75, 2.05)),
        (KIN, Ranking::Kin, NO_PAPER),
    ];
    let ExperimentOutput { mut table, mut notes, .. } =
        rankings(context, &normalized("stop:en")?, &rows)?;
    let queries = context.queries();
    for (name, select, query, paper) in [
        ("first 15, sliding", "first-sliding:15", None, without(0.58, 0.67, 67.18)),
        ("anchor", "anchor", None, paper(0.92, 0.92, 40.14, 45.75, 1.14)),
        ("anchor, full query", "anchor", Some("all"), without(0.82, 0.88, 73.79)),
    ] {
        let means = fingerprints(context, &queries, ("words:4", select, query), "stop:en")?;
        table.push(name, means.map_or_else(Vec::new, |means| cells(context, &means, paper)));
    }
    notes.push(
        "Chunks are compared as sets, so a full query shares the same chunks with an anchor index as the anchors of the query \
         do. Percentages are those of the chunks of the query that the index would store, so an identical document has \
         100 %."
            .to_owned(),
    );
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}
