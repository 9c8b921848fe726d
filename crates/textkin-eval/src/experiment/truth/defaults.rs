//! What each default of discovery is worth: one setting is changed at a time.

use textkin::{Analyzer, Settings, discover};

use crate::error::Error;
use crate::experiment::{Findings, Lab};
use crate::metric::Tally;
use crate::report::{Cell, Table};

/// Documents by which the share of selected chunks is told.
const SAMPLE: usize = 500;

/// What is changed: a name, and chunker, selection or normalisation if they are not the default.
struct Change {
    name: &'static str,
    chunk: Option<&'static str>,
    select: Option<&'static str>,
    normalization: Option<&'static str>,
}

const DEFAULT: Change = Change { name: "", chunk: None, select: None, normalization: None };

const fn chunk(name: &'static str, chunk: &'static str) -> Change {
    Change { name, chunk: Some(chunk), ..DEFAULT }
}

const fn select(name: &'static str, select: &'static str) -> Change {
    Change { name, select: Some(select), ..DEFAULT }
}

const fn normalization(name: &'static str, steps: &'static str) -> Change {
    Change { name, normalization: Some(steps), ..DEFAULT }
}

const CHANGES: [Change; 19] = [
    Change { name: "the defaults", ..DEFAULT },
    chunk("chunks of 4 words", "words:4"),
    chunk("5 words", "words:5"),
    chunk("6 words", "words:6"),
    chunk("7 words", "words:7"),
    chunk("9 words", "words:9"),
    chunk("10 words", "words:10"),
    chunk("12 words", "words:12"),
    chunk("16 words", "words:16"),
    select("selection: hailstorm", "hailstorm"),
    select("winnow 8", "winnow:8"),
    select("every 4th", "every:4"),
    select("anchors", "anchor"),
    select("modulo 4", "modulo:4"),
    select("modulo 16", "modulo:16"),
    normalization("as written", ""),
    normalization("+ stopped", "stop:en"),
    normalization("+ stemmed", "stem:en"),
    normalization("+ stopped and stemmed", "stop:en+stem:en"),
];

fn settings(change: &Change) -> Result<Settings, Error> {
    let usual = Settings::default();
    let normalization = match change.normalization {
        None => usual.normalization.clone(),
        Some("") => "none".parse()?,
        Some(steps) => format!("{}+{steps}", usual.normalization).parse()?,
    };
    let chunk = change.chunk.map(|name| name.parse().map_err(textkin::Error::from)).transpose()?;
    let select =
        change.select.map(|name| name.parse().map_err(textkin::Error::from)).transpose()?;
    Ok(Settings {
        normalization,
        chunk: chunk.unwrap_or(usual.chunk),
        select: select.unwrap_or_else(|| usual.select.clone()),
        ..usual
    })
}

/// The share of chunks that is selected, over documents from everywhere.
fn selected(lab: &Lab<'_>, settings: &Settings) -> Result<f64, Error> {
    let analyzer = Analyzer::new(settings)?;
    let texts = &lab.collection().texts;
    let (mut tokens, mut chunks, mut selection) = (analyzer.tokens(), Vec::new(), Vec::new());
    let (mut n_selected, mut n_chunks) = (0, 0);
    for text in texts.iter().step_by(texts.len().div_ceil(SAMPLE).max(1)) {
        analyzer.tokenize(&text.text, &mut tokens);
        analyzer.chunk(&tokens, &mut chunks, &mut selection);
        n_selected += selection.len();
        n_chunks += chunks.len();
    }
    Ok(if n_chunks == 0 { 1.0 } else { n_selected as f64 / n_chunks as f64 })
}

pub(in crate::experiment) fn defaults(lab: &Lab<'_>) -> Result<Findings, Error> {
    let truth = &lab.collection().truth;
    let columns = ["coverage, %", "average precision, %", "F1", "strangers", "chunks kept, %"];
    let mut table = Table::new("changed", columns);
    let documents = truth.by_document().into_keys().collect();
    for change in &CHANGES {
        lab.go_on()?;
        lab.say(change.name);
        let settings = settings(change)?;
        let share = selected(lab, &settings)?;
        let found = discover(&mut lab.collection().source(), &settings, lab.watch)?;
        let mut tally = Tally::new(lab.collection().texts.len());
        for pair in lab.pairs(&found)? {
            tally.add(pair.a, pair.b, truth.judge(pair.a, pair.b));
        }
        let retrieval = tally.retrieval(truth.kin.len() as u64);
        let percent = |share: Option<f64>| share.map(|share| 100.0 * share);
        let cells = vec![
            Cell::new(percent(retrieval.coverage()), 1),
            Cell::new(percent(tally.average_precision(&documents)), 1),
            Cell::new(retrieval.f1(), 3),
            Cell::new(retrieval.wrong as f64, 0),
            Cell::new(100.0 * share, 1),
        ];
        table.push(change.name, cells);
    }
    let notes = vec![format!(
        "The defaults: {}, every chunk, normalisation {}, {} from {} on. One of them is changed in each row. Pairs are looked for by the \
         chunks that a selection keeps. Precision and F1 are over judged pairs.",
        Settings::default().chunk,
        Settings::default().normalization,
        Settings::default().score,
        Settings::default().threshold
    )];
    Ok(Findings { table, notes, ..Findings::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_makes_sense_and_changes_one_thing() {
        for change in &CHANGES {
            let changed = settings(change).unwrap();
            let usual = Settings::default();
            let differs = [
                changed.chunk != usual.chunk,
                changed.select != usual.select,
                changed.normalization != usual.normalization,
            ];
            let n = differs.iter().filter(|differs| **differs).count();
            assert_eq!(n, usize::from(change.name != "the defaults"), "{}", change.name);
        }
    }
}
