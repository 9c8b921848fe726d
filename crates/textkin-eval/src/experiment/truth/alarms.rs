//! False alarms: rewritten passages in random pairs of documents, which are unrelated but for reuse that nobody labelled.

use std::num::NonZeroUsize;

use textkin::Compare;
use textkin::engine::types::{Random, parallel};

use crate::error::Error;
use crate::experiment::{ExperimentContext, ExperimentOutput};
use crate::report::{ReportCell, ReportTable};

/// Number of random pairs, and that of a quick run.
const PAIRS: usize = 50_000;
const QUICK_PAIRS: usize = 2_000;

/// Pairs with passages that are listed.
const LISTED: usize = 40;

/// Pairs between two checks whether the run was stopped.
const BATCH: usize = 1_000;

pub(in crate::experiment) fn alarms(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let texts = &context.collection().texts;
    let mut random = Random::new(context.seed);
    let n_pairs = if context.is_quick { QUICK_PAIRS } else { PAIRS };
    let pairs: Vec<[usize; 2]> = match texts.len() {
        0 | 1 => Vec::new(),
        n => std::iter::repeat_with(|| [random.below(n), random.below(n)])
            .filter(|[a, b]| a != b)
            .take(n_pairs)
            .collect(),
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let compare = Compare::new().rewritten(true);
    let (mut found, mut sharing) = (0, 0);
    let mut listed = Vec::new();
    for batch in pairs.chunks(BATCH) {
        context.check_stopped()?;
        let compared = parallel::map(batch, threads, |[a, b]| {
            let compared = compare.run(&texts[*a].text, &texts[*b].text)?;
            let passages = compared.rewritten();
            let surest = passages.max_by(|x, y| x.confidence.total_cmp(&y.confidence));
            let words = surest.map(|one| (one.confidence, one.a.split_whitespace().count()));
            Ok::<_, textkin::Error>(
                words.map(|words| (words, compared.passages().next().is_some())),
            )
        });
        for ([a, b], compared) in batch.iter().zip(compared) {
            let Some(((confidence, words), is_sharing)) = compared? else { continue };
            found += 1;
            sharing += usize::from(is_sharing);
            let runs = if is_sharing { ", also identical text" } else { "" };
            let (a, b, percent) = (&texts[*a].id, &texts[*b].id, 100.0 * confidence);
            listed.push(format!("{a} and {b}: {words} words, {percent:.0} %{runs}."));
        }
    }
    let mut table = ReportTable::new(
        "",
        ["pairs", "with rewritten passages", "of these, sharing identical text"],
    );
    let count = |n: usize| ReportCell::new(n as f64, 0);
    table.push("random pairs", vec![count(pairs.len()), count(found), count(sharing)]);
    listed.truncate(LISTED);
    Ok(ExperimentOutput { table, notes: listed, ..ExperimentOutput::default() })
}
