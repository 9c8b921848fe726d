//! Experiments on synthetic collections: recall by edit rate and passage length, and compared with MinHash.

use textkin::engine::types::Measure;
use textkin::engine::{Settings, discover};

use super::{ExperimentContext, ExperimentOutput};
use crate::baseline::MinHash;
use crate::collection::Collection;
use crate::error::Error;
use crate::generate::{Edit, SyntheticKind, SyntheticSettings, generate};
use crate::metric::{Edges, JudgementTally, Retrieval};
use crate::report::{Plot, ReportCell, ReportTable, Series};

/// Runs discovery with these settings and judges the pairs it finds.
fn discovered(
    context: &ExperimentContext<'_>,
    collection: &Collection,
    settings: &Settings,
) -> Result<Retrieval, Error> {
    context.check_stopped()?;
    let found = discover(&mut collection.source(), settings, context.run_control)?;
    let mut tally = JudgementTally::new(collection.texts.len());
    for pair in context.pairs(&found)? {
        tally.add(pair.a, pair.b, collection.truth.judge(pair.a, pair.b));
    }
    Ok(tally.retrieval(collection.truth.related.len() as u64))
}

fn percent(share: Option<f64>) -> Option<f64> {
    share.map(|share| 100.0 * share)
}

pub(super) fn edits(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    const RATES: [f64; 7] = [0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5];
    let n_documents = if context.is_quick { 120 } else { 1_200 };
    let mut table =
        ReportTable::new("recall, %", RATES.map(|rate| format!("{:.0} % edited", 100.0 * rate)));
    let mut series = Vec::new();
    for edit in Edit::ALL {
        let mut points = Vec::new();
        for rate in RATES {
            let settings = SyntheticSettings {
                n_documents,
                edit,
                rate,
                seed: context.seed,
                ..SyntheticSettings::default()
            };
            let collection = Collection::from(generate(&settings));
            let found = discovered(context, &collection, &Settings::default())?;
            points.push((100.0 * rate, percent(found.coverage()).unwrap_or(0.0)));
        }
        table.push(edit.name(), points.iter().map(|point| ReportCell::new(point.1, 1)).collect());
        series.push(Series { name: edit.name().to_owned(), points });
    }
    let plots = vec![Plot {
        title: "Copies found, by share of edited words".to_owned(),
        x: "words edited, %".to_owned(),
        y: "recall, %".to_owned(),
        is_logarithmic: false,
        series,
    }];
    let notes = vec![
        "Families of an original of 300 words and two copies, each edited separately, and one unrelated document per family; \
         default score and threshold. Two copies differ from each other twice as much as from the original."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, plots, notes })
}

/// Methods of chunking and selection: name, chunker, selection.
const METHODS: [(&str, &str, &str); 7] = [
    ("textkin (all chunks)", "words:8", "all"),
    ("hailstorm", "words:8", "hailstorm"),
    ("winnow:8", "words:8", "winnow:8"),
    ("every:4", "words:8", "every:4"),
    ("modulo:16", "words:8", "modulo:16"),
    ("modulo:256", "words:8", "modulo:256"),
    ("sentences", "sentence", "all"),
];

/// Computes the recall of every method, and of MinHash, on collections that differ in one parameter. Each
/// comes with its column name and x value.
fn by_method(
    context: &ExperimentContext<'_>,
    synthetic: &[(String, f64, Collection)],
    settings: &Settings,
) -> Result<(ReportTable, Vec<Series>), Error> {
    let mut table = ReportTable::new("recall, %", synthetic.iter().map(|(name, ..)| name.clone()));
    let mut series = Vec::new();
    let mut push = |name: &str, shares: Vec<Option<f64>>| {
        table.push(name, shares.iter().map(|share| ReportCell::new(percent(*share), 1)).collect());
        let point = |((_, x, _), share): (&(String, f64, Collection), &Option<f64>)| {
            Some((*x, percent(*share)?))
        };
        let points = synthetic.iter().zip(&shares).filter_map(point).collect();
        series.push(Series { name: name.to_owned(), points });
    };
    for (name, chunk, select) in METHODS {
        let chunk = chunk.parse().map_err(textkin::Error::from)?;
        let select = select.parse().map_err(textkin::Error::from)?;
        let settings = Settings { chunk, select, ..settings.clone() };
        let shares: Result<Vec<_>, Error> = synthetic
            .iter()
            .map(|(.., one)| Ok(discovered(context, one, &settings)?.coverage()))
            .collect();
        push(name, shares?);
    }
    let baseline = MinHash::DATATROVE;
    let shares = synthetic.iter().map(|(.., one)| found_by(context, &baseline, one).coverage());
    push(baseline.name, shares.collect());
    context.check_stopped()?;
    Ok((table, series))
}

pub(super) fn methods(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    const RATES: [f64; 7] = [0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5];
    let n_documents = if context.is_quick { 120 } else { 1_200 };
    let synthetic = RATES.map(|rate| {
        let edit = Edit::Replace;
        let settings = SyntheticSettings {
            n_documents,
            edit,
            rate,
            seed: context.seed,
            ..SyntheticSettings::default()
        };
        let name = format!("{:.0} % replaced", 100.0 * rate);
        (name, 100.0 * rate, Collection::from(generate(&settings)))
    });
    let (table, series) = by_method(context, &synthetic, &Settings::default())?;
    let plots = vec![Plot {
        title: "Copies found, by method and share of replaced words".to_owned(),
        x: "words replaced, %".to_owned(),
        y: "recall, %".to_owned(),
        is_logarithmic: false,
        series,
    }];
    let notes = vec![
        "The families of synthetic.edits, with words replaced by others; default score and threshold for every method."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, plots, notes })
}

pub(super) fn passages(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    const LENGTHS: [usize; 8] = [8, 10, 12, 16, 24, 40, 80, 160];
    let n_documents = if context.is_quick { 120 } else { 1_200 };
    let synthetic = LENGTHS.map(|passage| {
        let (kind, seed) = (SyntheticKind::Quotes, context.seed);
        let settings = SyntheticSettings {
            kind,
            n_documents,
            passage,
            rate: 0.0,
            seed,
            ..SyntheticSettings::default()
        };
        (format!("{passage} words"), passage as f64, Collection::from(generate(&settings)))
    });
    let any_chunk =
        Settings { score: Measure::S1, threshold: 1.0, rules: None, ..Settings::default() };
    let (table, series) = by_method(context, &synthetic, &any_chunk)?;
    let plots = vec![Plot {
        title: "Documents with one copied passage found, by its length".to_owned(),
        x: "words in the passage".to_owned(),
        y: "recall, %".to_owned(),
        is_logarithmic: true,
        series,
    }];
    let notes = vec![
        "Documents of 300 words; every second one quotes one passage of an earlier one word for word. Chunks of 8 words, \
         except for sentences; a pair is found if it shares a chunk."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, plots, notes })
}

fn found_by(
    context: &ExperimentContext<'_>,
    baseline: &MinHash,
    collection: &Collection,
) -> Retrieval {
    let texts: Vec<&str> = collection.texts.iter().map(|text| text.text.as_str()).collect();
    let found: Edges =
        baseline.pairs(&texts, || context.run_control.stop.is_requested()).into_iter().collect();
    found.judged(&collection.truth.edges(), |a, b| collection.truth.judge(a, b))
}

pub(super) fn minhash(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let mut table = ReportTable::new("method", ["recall of related pairs, %", "wrong pairs", "F1"]);
    let mut push = |name: &str, found: Retrieval| {
        let cells =
            [(percent(found.coverage()), 1), (Some(found.wrong as f64), 0), (found.f1(), 3)];
        table.push(name, cells.map(|(value, digits)| ReportCell::new(value, digits)).to_vec());
    };
    push("textkin, defaults", discovered(context, context.collection(), &Settings::default())?);
    for (name, threshold) in
        [("textkin, resemblance ≥ 0.5", 0.5), ("textkin, resemblance ≥ 0.8", 0.8)]
    {
        let settings =
            Settings { score: Measure::Ssr, threshold, rules: None, ..Settings::default() };
        push(name, discovered(context, context.collection(), &settings)?);
    }
    for baseline in MinHash::TOOL_DEFAULTS {
        context.check_stopped()?;
        context.set_stage(baseline.name);
        push(baseline.name, found_by(context, &baseline, context.collection()));
    }
    context.check_stopped()?;
    let notes = vec![
        "The MinHash rows use a small implementation of our own with the default shingles, permutations, bands and rows of \
         those packages. A pair is found if one band is equal; candidates are not verified."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}
