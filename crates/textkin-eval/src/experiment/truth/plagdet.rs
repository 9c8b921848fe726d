//! Passages compared with annotations as in PAN: plagdet, precision, recall, granularity.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use textkin::engine::graph::PassageRules;
use textkin::engine::rewritten::{Method, RewrittenPassage, RewrittenText, align_rewritten};
use textkin::engine::types::{Layers, Measure, Span, Tokens, parallel};
use textkin::engine::{Analyzer, Settings, compare, discover};

use crate::collection::GroundTruth;
use crate::error::Error;
use crate::experiment::{ExperimentContext, ExperimentOutput};
use crate::metric::{self, Detection, Judgement};
use crate::report::{ReportCell, ReportTable};

/// Alignment settings: words per run, and maximum words between runs of one passage.
const WAYS: [(u32, u32); 5] = [(8, 5), (8, 30), (5, 5), (5, 30), (3, 30)];

/// Minimum matching words of a passage: the `--min-words` of `textkin compare`.
const MIN_WORDS: u32 = 8;

/// Default of `textkin compare`.
const DEFAULT: (u32, u32) = (8, 5);

pub(in crate::experiment) fn plagdet(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let truth = &context.collection().truth;
    let mut table = ReportTable::new(
        "passages",
        ["plagdet", "precision", "recall", "granularity", "cases", "found"],
    );
    let by_class = classes(truth);
    for (k, max_gap) in WAYS {
        context.set_stage(&format!("runs of {k} words"));
        let pairs = candidates(context, k)?;
        let found = passages(context, &pairs, k, max_gap)?;
        let is_default = (k, max_gap) == DEFAULT;
        let way = format!("{k} words, gaps of {max_gap}");
        let way = if is_default { format!("{way} (the default)") } else { way };
        push_classes(&mut table, &way, truth, &by_class, &found);
    }
    let pairs = judged_pairs(truth);
    context.set_stage("rewritten passages");
    let found = rewritten_passages(context, &pairs)?;
    push_classes(&mut table, "rewritten", truth, &by_class, &found);
    let is_false =
        |(a, b): &(u32, u32)| found.iter().any(|one| (one.suspicious, one.source) == (*a, *b));
    let false_alarms = pairs.iter().filter(|(a, b)| truth.unrelated.contains(*a, *b));
    let false_alarms = false_alarms.filter(|pair| is_false(pair)).count();
    let notes = vec![
        format!(
            "Rewritten passages, as of compare --rewritten, are sought in all pairs with a label. {false_alarms} of {} pairs \
             labelled as unrelated have one.",
            truth.unrelated.len()
        ),
        "JudgedDocument pairs that share a run of words are compared; passages of fewer than 8 words and of unjudged pairs are \
         excluded. The row of a class has the cases of that class and the passages found in the same document pairs."
            .to_owned(),
        "Plagdet is F1 divided by log₂(1 + granularity), with macro averages over cases and found passages, in bytes of both \
         texts."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

/// Adds a row for all cases, and one for each class.
fn push_classes(
    table: &mut ReportTable,
    name: &str,
    truth: &GroundTruth,
    by_class: &BTreeMap<&str, Vec<Detection>>,
    found: &[Detection],
) {
    push(table, name, &truth.passages, found);
    for (class, cases) in by_class {
        let pairs: BTreeSet<(u32, u32)> = cases.iter().map(pair_of).collect();
        let own: Vec<Detection> =
            found.iter().filter(|one| pairs.contains(&pair_of(one))).copied().collect();
        push(table, &format!("— {class}"), cases, &own);
    }
}

fn push(table: &mut ReportTable, name: &str, cases: &[Detection], found: &[Detection]) {
    let figures = metric::plagdet(cases, found);
    let values = [figures.score(), figures.precision, figures.recall, figures.granularity];
    let mut cells: Vec<ReportCell> =
        values.into_iter().map(|value| ReportCell::new(value, 3)).collect();
    cells.extend([cases.len(), found.len()].map(|n| ReportCell::new(n as f64, 0)));
    table.push(name, cells);
}

fn pair_of(passage: &Detection) -> (u32, u32) {
    (passage.suspicious, passage.source)
}

/// Returns the cases of each class; empty if there is only one class.
fn classes(truth: &GroundTruth) -> BTreeMap<&str, Vec<Detection>> {
    let mut by_class: BTreeMap<&str, Vec<Detection>> = BTreeMap::new();
    for (passage, class) in truth.passages.iter().zip(&truth.classes) {
        by_class.entry(class).or_default().push(*passage);
    }
    if by_class.len() > 1 { by_class } else { BTreeMap::new() }
}

/// Returns the pairs to compare, copying document first: those that share a run of `k` words and are judged.
fn candidates(context: &ExperimentContext<'_>, k: u32) -> Result<Vec<(u32, u32)>, Error> {
    let truth = &context.collection().truth;
    let chunk = format!("words:{k}").parse().map_err(textkin::Error::from)?;
    let settings =
        Settings { chunk, score: Measure::S1, threshold: 1.0, rules: None, ..Settings::default() };
    let found = discover(&mut context.collection().source(), &settings, context.run_control)?;
    let known: BTreeSet<(u32, u32)> = truth.passages.iter().map(pair_of).collect();
    let pairs = context.pairs(&found)?.filter(|pair| {
        let is_known = [(pair.a, pair.b), (pair.b, pair.a)].iter().any(|pair| known.contains(pair));
        is_known || truth.judge(pair.a, pair.b) != Judgement::Unjudged
    });
    let directed = pairs.map(|pair| match known.contains(&(pair.a, pair.b)) {
        true => (pair.a, pair.b),
        false => (pair.b, pair.a),
    });
    let mut pairs: Vec<(u32, u32)> = directed.collect();
    pairs.sort_unstable();
    Ok(pairs)
}

/// Returns the passages of at least 8 words that pairs share.
fn passages(
    context: &ExperimentContext<'_>,
    pairs: &[(u32, u32)],
    k: u32,
    max_gap: u32,
) -> Result<Vec<Detection>, Error> {
    let chunk = format!("words:{k}").parse().map_err(textkin::Error::from)?;
    let settings = Settings { chunk, ..Settings::default() };
    let text = |number: u32| {
        context.collection().texts.get(number as usize).map_or("", |text| text.text.as_str())
    };
    let mut found = Vec::new();
    for &(suspicious, source) in pairs {
        context.check_stopped()?;
        let rules = PassageRules { max_gap, min_words: MIN_WORDS };
        let comparison = compare(text(suspicious), text(source), &settings, rules)?;
        found.extend(comparison.alignment.passages.iter().map(|passage| {
            let [span, source_span] =
                [passage.a.span, passage.b.span].map(|span| (span.range().start, span.range().end));
            Detection { suspicious, source, span, source_span }
        }));
    }
    Ok(found)
}

/// Returns the pairs with a label, copying document first where the label says which it is.
fn judged_pairs(truth: &GroundTruth) -> Vec<(u32, u32)> {
    let known: BTreeSet<(u32, u32)> = truth.passages.iter().map(pair_of).collect();
    let is_known = |(a, b): &(u32, u32)| known.contains(&(*a, *b)) || known.contains(&(*b, *a));
    let others = truth.unrelated.iter().chain(truth.related.keys().copied());
    let others: BTreeSet<(u32, u32)> = others.filter(|pair| !is_known(pair)).collect();
    known.iter().copied().chain(others).collect()
}

/// Returns the rewritten and the identical passages of pairs. The source of a summary of half of a text is all of it,
/// as in PAN's labels.
fn rewritten_passages(
    context: &ExperimentContext<'_>,
    pairs: &[(u32, u32)],
) -> Result<Vec<Detection>, Error> {
    let mut method = Method::default();
    method.summary.whole_source = true;
    let analyzer = Analyzer::new(&Settings::default())?;
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let documents: BTreeSet<u32> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let documents: Vec<u32> = documents.into_iter().collect();
    let prepared = parallel::map(&documents, threads, |number| {
        let text = context.collection().texts.get(*number as usize);
        let text = text.map_or("", |text| text.text.as_str());
        let mut tokens = Tokens::new(Layers::SPANS);
        analyzer.tokenize(text, &mut tokens);
        RewrittenText::new(text, tokens, method.letters)
    });
    let prepared: BTreeMap<u32, RewrittenText> = documents.into_iter().zip(prepared).collect();
    context.check_stopped()?;
    let passages = parallel::map(pairs, threads, |&(suspicious, source)| {
        if context.check_stopped().is_err() {
            return Vec::new();
        }
        let passages = align_rewritten(&prepared[&suspicious], &prepared[&source], &method);
        let ends = |span: Span| (span.range().start, span.range().end);
        let detection = |one: RewrittenPassage| Detection {
            suspicious,
            source,
            span: ends(one.a_span),
            source_span: ends(one.b_span),
        };
        passages.into_iter().map(detection).collect()
    });
    context.check_stopped()?;
    Ok(passages.concat())
}
