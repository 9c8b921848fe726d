//! Effect of each default of discovery: one setting is changed at a time.

use textkin::engine::{Analyzer, Settings, discover};

use crate::error::Error;
use crate::experiment::{ExperimentContext, ExperimentOutput};
use crate::metric::JudgementTally;
use crate::report::{ReportCell, ReportTable};

/// Number of documents used to measure the share of selected chunks.
const SAMPLE: usize = 500;

/// Changed setting: a name, and the chunker, selection or normalization that is not the default.
struct DefaultChange {
    name: &'static str,
    chunk: Option<&'static str>,
    select: Option<&'static str>,
    normalization: Option<&'static str>,
}

const DEFAULT: DefaultChange =
    DefaultChange { name: "", chunk: None, select: None, normalization: None };

const fn chunk(name: &'static str, chunk: &'static str) -> DefaultChange {
    DefaultChange { name, chunk: Some(chunk), ..DEFAULT }
}

const fn select(name: &'static str, select: &'static str) -> DefaultChange {
    DefaultChange { name, select: Some(select), ..DEFAULT }
}

const fn normalization(name: &'static str, steps: &'static str) -> DefaultChange {
    DefaultChange { name, normalization: Some(steps), ..DEFAULT }
}

const CHANGES: [DefaultChange; 19] = [
    DefaultChange { name: "the defaults", ..DEFAULT },
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
    normalization("no normalization", ""),
    normalization("+ stop words removed", "stop:en"),
    normalization("+ stemmed", "stem:en"),
    normalization("+ stop words removed and stemmed", "stop:en+stem:en"),
];

fn settings(change: &DefaultChange) -> Result<Settings, Error> {
    let defaults = Settings::default();
    let normalization = match change.normalization {
        None => defaults.normalization.clone(),
        Some("") => "none".parse()?,
        Some(steps) => format!("{}+{steps}", defaults.normalization).parse()?,
    };
    let chunk = change.chunk.map(|name| name.parse().map_err(textkin::Error::from)).transpose()?;
    let select =
        change.select.map(|name| name.parse().map_err(textkin::Error::from)).transpose()?;
    Ok(Settings {
        normalization,
        chunk: chunk.unwrap_or(defaults.chunk),
        select: select.unwrap_or_else(|| defaults.select.clone()),
        ..defaults
    })
}

/// Returns the share of selected chunks in a sample of documents.
fn selected(context: &ExperimentContext<'_>, settings: &Settings) -> Result<f64, Error> {
    let analyzer = Analyzer::new(settings)?;
    let texts = &context.collection().texts;
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

pub(in crate::experiment) fn defaults(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let truth = &context.collection().truth;
    let columns = ["coverage, %", "average precision, %", "F1", "unrelated", "selected chunks, %"];
    let mut table = ReportTable::new("changed setting", columns);
    let documents = truth.by_document().into_keys().collect();
    for change in &CHANGES {
        context.check_stopped()?;
        context.set_stage(change.name);
        let settings = settings(change)?;
        let share = selected(context, &settings)?;
        let found = discover(&mut context.collection().source(), &settings, context.run_control)?;
        let mut tally = JudgementTally::new(context.collection().texts.len());
        for pair in context.pairs(&found)? {
            tally.add(pair.a, pair.b, truth.judge(pair.a, pair.b));
        }
        let retrieval = tally.retrieval(truth.related.len() as u64);
        let percent = |share: Option<f64>| share.map(|share| 100.0 * share);
        let cells = vec![
            ReportCell::new(percent(retrieval.coverage()), 1),
            ReportCell::new(
                percent(context.unless_vacuous(tally.average_precision(&documents))),
                1,
            ),
            ReportCell::new(context.unless_vacuous(retrieval.f1()), 3),
            ReportCell::new(retrieval.wrong as f64, 0),
            ReportCell::new(100.0 * share, 1),
        ];
        table.push(change.name, cells);
    }
    let notes = vec![format!(
        "The defaults: {}, every chunk, normalization {}, {} ≥ {}. Each row changes one of them. With a selection, pairs are found by \
         selected chunks only. Precision and F1 cover judged pairs.",
        Settings::default().chunk,
        Settings::default().normalization,
        Settings::default().score,
        Settings::default().threshold
    )];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_is_valid_and_changes_one_setting() {
        for change in &CHANGES {
            let changed = settings(change).unwrap();
            let defaults = Settings::default();
            let differs = [
                changed.chunk != defaults.chunk,
                changed.select != defaults.select,
                changed.normalization != defaults.normalization,
            ];
            let n = differs.iter().filter(|differs| **differs).count();
            assert_eq!(n, usize::from(change.name != "the defaults"), "{}", change.name);
        }
    }
}
