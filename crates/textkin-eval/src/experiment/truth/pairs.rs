//! Pairs: precision, recall and F1 of every measure at a threshold, and recall by degree.

use textkin::types::{Measure, Overlap};
use textkin::{Settings, discover};

use crate::error::Error;
use crate::experiment::{Findings, Lab};
use crate::metric::{Degree, Judgement, Retrieval};
use crate::report::{Cell, Table};

/// What is asked of a pair.
struct Way {
    name: String,
    measure: Measure,
    threshold: f64,
}

/// What a way finds.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    by_degree: [u64; 3],
    wrong: u64,
    unjudged: u64,
}

fn ways() -> Vec<Way> {
    let preset = |measure: Measure, level: u8| Way {
        name: format!("{measure} T{level}"),
        measure,
        threshold: measure.preset(level.into()).unwrap_or(0.0),
    };
    let own = |measure: Measure, threshold: f64| Way {
        name: format!("{measure} ≥ {threshold}"),
        measure,
        threshold,
    };
    let usual = Settings::default();
    let mut ways = vec![own(usual.score, usual.threshold)];
    for threshold in [0.005, 0.01, 0.05, 0.1, 0.2, 0.5] {
        ways.push(own(usual.score, threshold));
    }
    for measure in [Measure::S1, Measure::S2, Measure::S3, Measure::S4] {
        ways.extend([1, 3].map(|level| preset(measure, level)));
    }
    for threshold in [0.1, 0.5, 0.8] {
        ways.push(own(Measure::Ssr, threshold));
    }
    for threshold in [0.1, 0.5, 0.8] {
        ways.push(own(Measure::ChunkContainment, threshold));
    }
    ways
}

impl Found {
    fn add(&mut self, judgement: Judgement, degree: Option<Degree>) {
        match (judgement, degree) {
            (Judgement::Kin, Some(degree)) => {
                let place = Degree::ALL.iter().position(|one| *one == degree);
                if let Some(count) = place.and_then(|place| self.by_degree.get_mut(place)) {
                    *count += 1;
                }
            }
            (Judgement::Strangers, _) => self.wrong += 1,
            _ => self.unjudged += 1,
        }
    }

    fn cells(&self, of_degree: [u64; 3]) -> Vec<Cell> {
        let percent = |part: u64, all: u64| (all > 0).then(|| 100.0 * part as f64 / all as f64);
        let (right, all): (u64, u64) = (self.by_degree.iter().sum(), of_degree.iter().sum());
        let found = Retrieval { right, missed: all - right, wrong: self.wrong };
        let mut cells = vec![
            Cell::new(percent(right, right + self.wrong), 1),
            Cell::new(percent(right, all), 1),
        ];
        cells.push(Cell::new(found.f1(), 3));
        for (part, all) in self.by_degree.into_iter().zip(of_degree) {
            cells.push(Cell::new(percent(part, all), 1));
        }
        cells.extend([Cell::new(self.wrong as f64, 0), Cell::new(self.unjudged as f64, 0)]);
        cells
    }
}

pub(in crate::experiment) fn pairs(lab: &Lab<'_>) -> Result<Findings, Error> {
    let truth = &lab.collection().truth;
    let ways = ways();
    // Whatever shares a chunk; each way then takes its own.
    let settings = Settings { score: Measure::S1, threshold: 0.0, ..Settings::default() };
    let found = discover(&mut lab.collection().source(), &settings, lab.watch)?;
    let mut founds = vec![Found::default(); ways.len()];
    let asks = |way: &Way, overlap: &Overlap| way.measure.score(overlap) >= way.threshold;
    for pair in lab.pairs(&found)? {
        let mut judged = None;
        for (_, found) in ways.iter().zip(&mut founds).filter(|(way, _)| asks(way, &pair.overlap)) {
            let (judgement, degree) = *judged.get_or_insert_with(|| {
                let degree = truth.kin.get(&(pair.a.min(pair.b), pair.a.max(pair.b))).copied();
                (truth.judge(pair.a, pair.b), degree)
            });
            found.add(judgement, degree);
        }
    }
    let mut columns = vec!["precision, %".to_owned(), "recall, %".to_owned(), "F1".to_owned()];
    columns.extend(Degree::ALL.map(|degree| format!("recall of {}, %", degree.name())));
    columns.extend(["strangers".to_owned(), "unjudged".to_owned()]);
    let mut table = Table::new("pairs by", columns);
    let of = |degree: Degree| truth.kin.values().filter(|one| **one == degree).count() as u64;
    let of_degree = Degree::ALL.map(of);
    for (way, found) in ways.iter().zip(&founds) {
        table.push(way.name.clone(), found.cells(of_degree));
    }
    let notes = vec![format!(
        "Chunks of 8 words; the first row is the default: {}. Recall is of {} pairs of kin: {} of exact, {} of high and {} of some \
             overlap. Precision is over judged pairs; what nobody judged is in the last column.",
        Measure::default().summary(),
        truth.kin.len(),
        of_degree[2],
        of_degree[1],
        of_degree[0]
    )];
    Ok(Findings { table, notes, ..Findings::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two of four kin found, one stranger, three that nobody judged.
    #[test]
    fn a_small_table_by_hand() {
        let mut found = Found::default();
        found.add(Judgement::Kin, Some(Degree::Exact));
        found.add(Judgement::Kin, Some(Degree::Some));
        found.add(Judgement::Strangers, None);
        (0..3).for_each(|_| found.add(Judgement::Unjudged, None));
        let cells = found.cells([2, 0, 2]);
        let shown: Vec<String> = cells.iter().map(Cell::shown).collect();
        assert_eq!(shown, ["66.7", "50.0", "0.571", "50.0", "n/a", "50.0", "1", "3"]);
    }
}
