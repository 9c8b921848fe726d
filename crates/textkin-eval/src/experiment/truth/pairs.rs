//! Pairs: precision, recall and F1 of every measure at a threshold, and recall by degree.

use textkin::engine::types::{Measure, Overlap};
use textkin::engine::{Settings, discover};

use crate::error::Error;
use crate::experiment::{ExperimentContext, ExperimentOutput};
use crate::metric::{Degree, Judgement, Retrieval};
use crate::report::{ReportCell, ReportTable};

/// Criterion for reporting a pair.
struct PairCriterion {
    name: String,
    measure: Measure,
    threshold: f64,
}

/// Counts of the pairs that meet a criterion.
#[derive(Clone, Copy, Debug, Default)]
struct PairCounts {
    by_degree: [u64; 3],
    wrong: u64,
    unjudged: u64,
}

fn criteria() -> Vec<PairCriterion> {
    let preset = |measure: Measure, level: u8| PairCriterion {
        name: format!("{measure} T{level}"),
        measure,
        threshold: measure.preset(level.into()).unwrap_or(0.0),
    };
    let own = |measure: Measure, threshold: f64| PairCriterion {
        name: format!("{measure} ≥ {threshold}"),
        measure,
        threshold,
    };
    let mut criteria = Vec::new();
    for threshold in [0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5] {
        criteria.push(own(Measure::Kin, threshold));
    }
    for measure in [Measure::S1, Measure::S2, Measure::S3, Measure::S4] {
        criteria.extend([1, 3].map(|level| preset(measure, level)));
    }
    for threshold in [0.1, 0.5, 0.8] {
        criteria.push(own(Measure::Ssr, threshold));
    }
    for threshold in [0.1, 0.5, 0.8] {
        criteria.push(own(Measure::ChunkContainment, threshold));
    }
    criteria
}

impl PairCounts {
    fn add(&mut self, judgement: Judgement, degree: Option<Degree>) {
        match (judgement, degree) {
            (Judgement::Related, Some(degree)) => {
                let index = Degree::ALL.iter().position(|one| *one == degree);
                if let Some(count) = index.and_then(|index| self.by_degree.get_mut(index)) {
                    *count += 1;
                }
            }
            (Judgement::Unrelated, _) => self.wrong += 1,
            _ => self.unjudged += 1,
        }
    }

    fn cells(&self, of_degree: [u64; 3], has_unrelated: bool) -> Vec<ReportCell> {
        let percent = |part: u64, all: u64| (all > 0).then(|| 100.0 * part as f64 / all as f64);
        let (right, all): (u64, u64) = (self.by_degree.iter().sum(), of_degree.iter().sum());
        let found = Retrieval { right, missed: all - right, wrong: self.wrong };
        let mut cells = vec![
            ReportCell::new(percent(right, right + self.wrong).filter(|_| has_unrelated), 1),
            ReportCell::new(percent(right, all), 1),
        ];
        cells.push(ReportCell::new(found.f1().filter(|_| has_unrelated), 3));
        for (part, all) in self.by_degree.into_iter().zip(of_degree) {
            cells.push(ReportCell::new(percent(part, all), 1));
        }
        cells.extend([
            ReportCell::new(self.wrong as f64, 0),
            ReportCell::new(self.unjudged as f64, 0),
        ]);
        cells
    }
}

/// Counts the pairs that a run with default settings lists.
fn by_default(context: &ExperimentContext<'_>) -> Result<PairCounts, Error> {
    let truth = &context.collection().truth;
    let settings = Settings::default();
    let found = discover(&mut context.collection().source(), &settings, context.run_control)?;
    let mut counts = PairCounts::default();
    for pair in context.pairs(&found)? {
        let degree = truth.related.get(&(pair.a.min(pair.b), pair.a.max(pair.b))).copied();
        counts.add(truth.judge(pair.a, pair.b), degree);
    }
    Ok(counts)
}

pub(in crate::experiment) fn pairs(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let truth = &context.collection().truth;
    let criteria = criteria();
    // Find every pair that shares a chunk; each criterion then filters.
    let settings =
        Settings { score: Measure::S1, threshold: 0.0, rules: None, ..Settings::default() };
    let found = discover(&mut context.collection().source(), &settings, context.run_control)?;
    let mut counts = vec![PairCounts::default(); criteria.len()];
    let asks = |criterion: &PairCriterion, overlap: &Overlap| {
        criterion.measure.score(overlap) >= criterion.threshold
    };
    for pair in context.pairs(&found)? {
        let mut judged = None;
        for (_, found) in
            criteria.iter().zip(&mut counts).filter(|(criterion, _)| asks(criterion, &pair.overlap))
        {
            let (judgement, degree) = *judged.get_or_insert_with(|| {
                let degree = truth.related.get(&(pair.a.min(pair.b), pair.a.max(pair.b))).copied();
                (truth.judge(pair.a, pair.b), degree)
            });
            found.add(judgement, degree);
        }
    }
    let mut columns = vec!["precision, %".to_owned(), "recall, %".to_owned(), "F1".to_owned()];
    columns.extend(Degree::ALL.map(|degree| format!("recall of {}, %", degree.name())));
    columns.extend(["unrelated".to_owned(), "unjudged".to_owned()]);
    let mut table = ReportTable::new("pairs by", columns);
    let of = |degree: Degree| truth.related.values().filter(|one| **one == degree).count() as u64;
    let of_degree = Degree::ALL.map(of);
    table.push("the defaults", by_default(context)?.cells(of_degree, truth.has_unrelated()));
    for (criterion, found) in criteria.iter().zip(&counts) {
        table.push(criterion.name.clone(), found.cells(of_degree, truth.has_unrelated()));
    }
    let notes = vec![format!(
        "Chunks of 8 words. Kin: {}. Recall covers {} related pairs: {} of exact, {} of high and {} of some \
             overlap. Precision covers judged pairs; unjudged pairs are in the last column.",
        Measure::default().summary(),
        truth.related.len(),
        of_degree[2],
        of_degree[1],
        of_degree[0]
    )];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two of four related pairs, one unrelated pair and three unjudged pairs are found.
    #[test]
    fn a_small_table_by_hand() {
        let mut found = PairCounts::default();
        found.add(Judgement::Related, Some(Degree::Exact));
        found.add(Judgement::Related, Some(Degree::Some));
        found.add(Judgement::Unrelated, None);
        (0..3).for_each(|_| found.add(Judgement::Unjudged, None));
        let cells = found.cells([2, 0, 2], true);
        let formatted: Vec<String> = cells.iter().map(ReportCell::formatted).collect();
        assert_eq!(formatted, ["66.7", "50.0", "0.571", "50.0", "n/a", "50.0", "1", "3"]);
        let vacuous = found.cells([2, 0, 2], false);
        let formatted: Vec<String> = vacuous[..3].iter().map(ReportCell::formatted).collect();
        assert_eq!(formatted, ["n/a", "50.0", "n/a"]);
    }
}
