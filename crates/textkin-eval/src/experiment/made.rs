//! What only collections with known truth can tell: recall against the rate of edits and the length of
//! what is copied, and beside MinHash.

use textkin::types::Measure;
use textkin::{Settings, discover};

use super::{Findings, Lab};
use crate::baseline::MinHash;
use crate::collection::Collection;
use crate::error::Error;
use crate::generate::{Edit, Kind, Recipe, make};
use crate::metric::{Edges, Retrieval, Tally};
use crate::report::{Cell, Plot, Series, Table};

/// What discovery finds with these settings, judged.
fn discovered(
    lab: &Lab<'_>,
    collection: &Collection,
    settings: &Settings,
) -> Result<Retrieval, Error> {
    lab.go_on()?;
    let found = discover(&mut collection.source(), settings, lab.watch)?;
    let mut tally = Tally::new(collection.texts.len());
    for pair in lab.pairs(&found)? {
        tally.add(pair.a, pair.b, collection.truth.judge(pair.a, pair.b));
    }
    Ok(tally.retrieval(collection.truth.kin.len() as u64))
}

fn percent(share: Option<f64>) -> Option<f64> {
    share.map(|share| 100.0 * share)
}

pub(super) fn edits(lab: &Lab<'_>) -> Result<Findings, Error> {
    const RATES: [f64; 7] = [0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5];
    let n_documents = if lab.is_quick { 120 } else { 1_200 };
    let mut table =
        Table::new("recall, %", RATES.map(|rate| format!("{:.0} % edited", 100.0 * rate)));
    let mut series = Vec::new();
    for edit in Edit::ALL {
        let mut points = Vec::new();
        for rate in RATES {
            let recipe = Recipe { n_documents, edit, rate, seed: lab.seed, ..Recipe::default() };
            let collection = Collection::from(make(&recipe));
            let found = discovered(lab, &collection, &Settings::default())?;
            points.push((100.0 * rate, percent(found.coverage()).unwrap_or(0.0)));
        }
        table.push(edit.name(), points.iter().map(|point| Cell::new(point.1, 1)).collect());
        series.push(Series { name: edit.name().to_owned(), points });
    }
    let plots = vec![Plot {
        title: "Copies that are found, by how much they were edited".to_owned(),
        x: "words edited, %".to_owned(),
        y: "recall, %".to_owned(),
        is_logarithmic: false,
        series,
    }];
    let notes = vec![
        "Families of an original and two copies of 300 words, edited each on its own, among as many documents that stand \
         alone; default score and threshold. Two copies differ from each other twice as much as from the original."
            .to_owned(),
    ];
    Ok(Findings { table, plots, notes })
}

/// Ways to choose chunks: a name, how texts are cut, and what is kept.
const METHODS: [(&str, &str, &str); 7] = [
    ("textkin (all chunks)", "words:8", "all"),
    ("hailstorm", "words:8", "hailstorm"),
    ("winnow:8", "words:8", "winnow:8"),
    ("every:4", "words:8", "every:4"),
    ("modulo:16", "words:8", "modulo:16"),
    ("modulo:256", "words:8", "modulo:256"),
    ("sentences", "sentence", "all"),
];

/// Recall of every method, and of MinHash, on collections made with one thing changed: for each the
/// name of its column and its place in the plot.
fn by_method(
    lab: &Lab<'_>,
    made: &[(String, f64, Collection)],
    settings: &Settings,
) -> Result<(Table, Vec<Series>), Error> {
    let mut table = Table::new("recall, %", made.iter().map(|(name, ..)| name.clone()));
    let mut series = Vec::new();
    let mut push = |name: &str, shares: Vec<Option<f64>>| {
        table.push(name, shares.iter().map(|share| Cell::new(percent(*share), 1)).collect());
        let point = |((_, x, _), share): (&(String, f64, Collection), &Option<f64>)| {
            Some((*x, percent(*share)?))
        };
        let points = made.iter().zip(&shares).filter_map(point).collect();
        series.push(Series { name: name.to_owned(), points });
    };
    for (name, chunk, select) in METHODS {
        let chunk = chunk.parse().map_err(textkin::Error::from)?;
        let select = select.parse().map_err(textkin::Error::from)?;
        let settings = Settings { chunk, select, ..settings.clone() };
        let shares: Result<Vec<_>, Error> =
            made.iter().map(|(.., one)| Ok(discovered(lab, one, &settings)?.coverage())).collect();
        push(name, shares?);
    }
    let baseline = MinHash::DATATROVE;
    let shares = made.iter().map(|(.., one)| found_by(lab, &baseline, one).coverage());
    push(baseline.name, shares.collect());
    lab.go_on()?;
    Ok((table, series))
}

pub(super) fn methods(lab: &Lab<'_>) -> Result<Findings, Error> {
    const RATES: [f64; 7] = [0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5];
    let n_documents = if lab.is_quick { 120 } else { 1_200 };
    let made = RATES.map(|rate| {
        let edit = Edit::Replace;
        let recipe = Recipe { n_documents, edit, rate, seed: lab.seed, ..Recipe::default() };
        let name = format!("{:.0} % replaced", 100.0 * rate);
        (name, 100.0 * rate, Collection::from(make(&recipe)))
    });
    let (table, series) = by_method(lab, &made, &Settings::default())?;
    let plots = vec![Plot {
        title: "Copies that are found, by method, as words are replaced".to_owned(),
        x: "words replaced, %".to_owned(),
        y: "recall, %".to_owned(),
        is_logarithmic: false,
        series,
    }];
    let notes = vec![
        "The families of made.edits, with words replaced by others; default score and threshold for every choice of chunks."
            .to_owned(),
    ];
    Ok(Findings { table, plots, notes })
}

pub(super) fn passages(lab: &Lab<'_>) -> Result<Findings, Error> {
    const LENGTHS: [usize; 8] = [8, 10, 12, 16, 24, 40, 80, 160];
    let n_documents = if lab.is_quick { 120 } else { 1_200 };
    let made = LENGTHS.map(|passage| {
        let (kind, seed) = (Kind::Quotes, lab.seed);
        let recipe = Recipe { kind, n_documents, passage, rate: 0.0, seed, ..Recipe::default() };
        (format!("{passage} words"), passage as f64, Collection::from(make(&recipe)))
    });
    let any_chunk = Settings { score: Measure::S1, threshold: 1.0, ..Settings::default() };
    let (table, series) = by_method(lab, &made, &any_chunk)?;
    let plots = vec![Plot {
        title: "Documents with one copied passage that are found, by its length".to_owned(),
        x: "words of the passage".to_owned(),
        y: "recall, %".to_owned(),
        is_logarithmic: true,
        series,
    }];
    let notes = vec![
        "Documents of 300 words; every other one quotes one passage of an earlier one word for word. Chunks of 8 words, but for \
         sentences; any shared chunk counts as found."
            .to_owned(),
    ];
    Ok(Findings { table, plots, notes })
}

fn found_by(lab: &Lab<'_>, baseline: &MinHash, collection: &Collection) -> Retrieval {
    let texts: Vec<&str> = collection.texts.iter().map(|text| text.text.as_str()).collect();
    let found: Edges = baseline.pairs(&texts, || lab.watch.stop.is_asked()).into_iter().collect();
    found.judged(&collection.truth.edges(), |a, b| collection.truth.judge(a, b))
}

pub(super) fn minhash(lab: &Lab<'_>) -> Result<Findings, Error> {
    let mut table = Table::new("method", ["recall of kin, %", "wrong pairs", "F1"]);
    let mut push = |name: &str, found: Retrieval| {
        let cells =
            [(percent(found.coverage()), 1), (Some(found.wrong as f64), 0), (found.f1(), 3)];
        table.push(name, cells.map(|(value, digits)| Cell::new(value, digits)).to_vec());
    };
    push("textkin, defaults", discovered(lab, lab.collection(), &Settings::default())?);
    for (name, threshold) in
        [("textkin, resemblance ≥ 0.5", 0.5), ("textkin, resemblance ≥ 0.8", 0.8)]
    {
        let settings = Settings { score: Measure::Ssr, threshold, ..Settings::default() };
        push(name, discovered(lab, lab.collection(), &settings)?);
    }
    for baseline in MinHash::SHIPPED {
        lab.go_on()?;
        lab.say(baseline.name);
        push(baseline.name, found_by(lab, &baseline, lab.collection()));
    }
    lab.go_on()?;
    let notes = vec![
        "The MinHash rows are a small implementation of our own with the shingles, permutations, bands and rows of those \
         packages' defaults; a pair is found if one band is equal, without a check of the candidates."
            .to_owned(),
    ];
    Ok(Findings { table, notes, ..Findings::default() })
}
