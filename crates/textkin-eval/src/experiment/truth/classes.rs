//! Classes of copying, as in Clough and Stevenson, *Developing a corpus of plagiarised short answers* (2011):
//! predicts how a document was made from a source by what the two share.
//!
//! Every labelled pair is classified by the nearest other pairs (leave one out). The paper uses the containment of
//! runs of 1 to 5 words and the longest common subsequence, and a naive Bayes classifier.

use std::collections::{BTreeMap, BTreeSet};

use textkin::engine::{Analyzer, Settings};

use crate::error::Error;
use crate::experiment::{ExperimentContext, ExperimentOutput};
use crate::report::{ReportCell, ReportTable};

/// Orders of runs whose containment is a feature.
const ORDERS: [usize; 5] = [1, 2, 3, 4, 5];

/// Number of nearest pairs that vote.
const NEIGHBOURS: usize = 9;

/// Added to distances, so that equal features do not decide alone.
const NEAR: f64 = 0.01;

/// Name, features, and published figures.
type ClassRow = (&'static str, &'static [usize], [Option<f64>; 2]);

/// Sets of features, and the accuracy of the paper in percent: for all classes, and for copied or not.
#[rustfmt::skip]
const ROWS: [ClassRow; 5] = [
    ("containment of single words", &[0], [None; 2]),
    ("containment of runs of 3 words", &[2], [None; 2]),
    ("longest common subsequence", &[5], [None; 2]),
    ("containment of runs of 1 to 5 words, longest common subsequence (as in the paper)", &[0, 1, 2, 3, 4, 5], [Some(80.0), Some(94.7)]),
    ("the same, and the longest run (not in the paper)", &[0, 1, 2, 3, 4, 5, 6], [None; 2]),
];

type Features = [f64; 7];

pub(in crate::experiment) fn classes(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let collection = context.collection();
    let analyzer = Analyzer::new(&Settings::default())?;
    let words = |document: u32| {
        let text = collection.texts.get(document as usize).map_or("", |text| text.text.as_str());
        let mut tokens = analyzer.tokens();
        analyzer.tokenize(text, &mut tokens);
        tokens.hashes().to_vec()
    };
    let mut samples: Vec<(Features, &str, bool)> = Vec::new();
    for label in &collection.truth.pair_classes {
        context.check_stopped()?;
        let (source, copy) = (words(label.source), words(label.copy));
        samples.push((features(&source, &copy), &label.class, label.is_related));
    }
    let names: BTreeSet<&str> = samples.iter().map(|sample| sample.1).collect();
    let mut columns = vec![format!("{} classes, %", names.len()), "copied or not, %".to_owned()];
    columns.extend(names.iter().map(|name| format!("{name}, %")));
    let mut table = ReportTable::new("features", columns);
    for (name, chosen, paper) in ROWS {
        context.check_stopped()?;
        let predicted = predictions(&samples, chosen);
        let share = |is_right: &dyn Fn(usize) -> bool, among: &dyn Fn(usize) -> bool| {
            let cases: Vec<usize> = (0..samples.len()).filter(|&case| among(case)).collect();
            let n_right = cases.iter().filter(|&&case| is_right(case)).count();
            100.0 * n_right as f64 / cases.len() as f64
        };
        let is_right = |case: usize| samples[predicted[case]].1 == samples[case].1;
        let is_copied_right = |case: usize| samples[predicted[case]].2 == samples[case].2;
        let [all, copied] = paper;
        let mut cells = vec![
            ReportCell::new(share(&is_right, &|_| true), 1).with_paper(all),
            ReportCell::new(share(&is_copied_right, &|_| true), 1).with_paper(copied),
        ];
        for name in &names {
            let is_of_class = |case: usize| samples[case].1 == *name;
            cells.push(ReportCell::new(share(&is_right, &is_of_class), 1));
        }
        table.push(name, cells);
    }
    let notes = vec![format!(
        "{} labelled pairs. Each is classified by the {NEIGHBOURS} nearest other pairs, weighted by distance; features have \
         variance 1. Containment is the share of the distinct runs of the copy that the source has. The paper used naive \
         Bayes and ten-fold cross-validation.",
        samples.len()
    )];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

/// Returns what `copy` shares with `source`, each as a share of the copy; the longest run by its logarithm.
fn features(source: &[u64], copy: &[u64]) -> Features {
    let n = copy.len().max(1) as f64;
    let runs = |words: &[u64], order| -> BTreeSet<Vec<u64>> {
        words.windows(order).map(<[u64]>::to_vec).collect()
    };
    let mut features = [0.0; 7];
    for (feature, order) in features.iter_mut().zip(ORDERS) {
        let (own, others) = (runs(copy, order), runs(source, order));
        *feature = own.intersection(&others).count() as f64 / own.len().max(1) as f64;
    }
    // Lengths of the common subsequences of prefixes, and of the common runs that end at each word.
    let (mut subsequences, mut runs) = (vec![0u32; source.len() + 1], vec![0u32; source.len() + 1]);
    let mut longest = 0;
    for word in copy {
        let (mut before, mut run_before) = (0, 0);
        for (at, other) in source.iter().enumerate() {
            let (above, run_above) = (subsequences[at + 1], runs[at + 1]);
            let is_same = word == other;
            subsequences[at + 1] = if is_same { before + 1 } else { above.max(subsequences[at]) };
            runs[at + 1] = if is_same { run_before + 1 } else { 0 };
            longest = longest.max(runs[at + 1]);
            (before, run_before) = (above, run_above);
        }
    }
    features[5] = f64::from(*subsequences.last().unwrap_or(&0)) / n;
    features[6] = f64::from(longest).ln_1p();
    features
}

/// Returns, for each sample, another sample of the class predicted by the nearest others.
fn predictions(samples: &[(Features, &str, bool)], chosen: &[usize]) -> Vec<usize> {
    let n = samples.len().max(1) as f64;
    let scales: Vec<f64> = chosen
        .iter()
        .map(|&feature| {
            let values = samples.iter().map(|sample| sample.0[feature]);
            let mean = values.clone().sum::<f64>() / n;
            (values.map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt().max(1e-9)
        })
        .collect();
    let distance = |a: usize, b: usize| -> f64 {
        let squares = chosen.iter().zip(&scales).map(|(&feature, scale)| {
            ((samples[a].0[feature] - samples[b].0[feature]) / scale).powi(2)
        });
        squares.sum()
    };
    let predict = |case: usize| {
        let mut others: Vec<(f64, usize)> = (0..samples.len())
            .filter(|&other| other != case)
            .map(|other| (distance(case, other), other))
            .collect();
        others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut votes: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
        for (distance, other) in others.into_iter().take(NEIGHBOURS) {
            votes.entry(samples[other].1).or_insert((0.0, other)).0 += 1.0 / (distance + NEAR);
        }
        let best = votes.values().max_by(|a, b| a.0.total_cmp(&b.0));
        best.map_or(case, |(_, sample)| *sample)
    };
    (0..samples.len()).map(predict).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_by_hand() {
        // Copied: 1 2 3, then 5, and a word that is not in the source.
        let features = features(&[1, 2, 3, 4, 5], &[1, 2, 3, 5, 9]);
        assert_eq!(features[..3], [4.0 / 5.0, 2.0 / 4.0, 1.0 / 3.0]);
        assert_eq!((features[3], features[5]), (0.0, 4.0 / 5.0));
        assert!((features[6] - 4f64.ln()).abs() < 1e-12);
        assert_eq!(super::features(&[], &[])[5], 0.0);
    }

    #[test]
    fn the_nearest_others_decide() {
        let sample = |value: f64, class: &'static str| ([value; 7], class, class != "new");
        let mut samples: Vec<_> = (0..10).map(|n| sample(f64::from(n) / 100.0, "new")).collect();
        samples.extend((0..10).map(|n| sample(1.0 + f64::from(n) / 100.0, "copied")));
        // Labelled as copied, but its features are those of new texts.
        samples.push(sample(0.05, "copied"));
        let predicted = predictions(&samples, &[0, 3]);
        let right = |case: usize| samples[predicted[case]].1 == samples[case].1;
        assert_eq!((0..21).filter(|&case| right(case)).count(), 20);
        assert!(!right(20));
    }
}
