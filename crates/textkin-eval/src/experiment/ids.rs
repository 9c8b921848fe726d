//! Kupietz, *Near-duplicate detection in the IDS corpora of written German* (2005): Figure 1, and the upper bound of
//! section 2.5.

use std::collections::BTreeSet;
use std::time::Instant;

use textkin::engine::types::Measure;
use textkin::engine::types::hash::HashKind;
use textkin::engine::{Analyzer, Settings, discover};

use super::{ExperimentContext, ExperimentOutput};
use crate::error::Error;
use crate::report::{Plot, ReportCell, ReportTable, Series};

/// Threshold of reported pairs, as in the paper.
const THRESHOLD: f64 = 0.9;

/// The paper validates pairs from this upper bound on.
const VALIDATED: f64 = 0.7;

/// Moduli of the reduced fingerprints: the largest primes below 2^16, 2^20, 2^24 and 2^32.
const MODULI: [(u32, u64); 4] =
    [(16, 65_521), (20, 1_048_573), (24, 16_777_213), (32, 4_294_967_291)];

/// Returns the settings of the paper: runs of 5 words in its normalization, Rabin's fingerprints.
fn settings(score: Measure, threshold: f64) -> Result<Settings, Error> {
    Ok(Settings {
        normalization: "ids".parse()?,
        chunk: "words:5".parse().map_err(textkin::Error::from)?,
        hash: HashKind::Rabin,
        score,
        threshold,
        rules: None,
        ..Settings::default()
    })
}

pub(super) fn figure1(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let columns = [
        "words",
        "ssr, s",
        "sscr, s",
        "ssr ≥ 0.9, pairs",
        "sscr ≥ 0.9, pairs",
        "ssr, peak MB",
        "sscr, peak MB",
    ];
    let mut table = ReportTable::new("documents", columns);
    let n = context.collection().texts.len();
    let mut curves = [Vec::new(), Vec::new()];
    for part in 1..=6_usize {
        let some = context.collection().first((n * part).div_ceil(6));
        let (mut seconds, mut pairs, mut words) = ([0.0; 2], [0.0; 2], 0);
        let mut memory = [None; 2];
        for (which, score) in [Measure::Ssr, Measure::Sscr].into_iter().enumerate() {
            context.check_stopped()?;
            let settings = settings(score, THRESHOLD)?;
            let is_reset = reset_peak_memory();
            let began = Instant::now();
            let found = discover(&mut some.source(), &settings, context.run_control)?;
            seconds[which] = began.elapsed().as_secs_f64();
            memory[which] = peak_memory().filter(|_| is_reset).map(|bytes| bytes as f64 / 1e6);
            pairs[which] = found.graph.n_edges() as f64;
            words = found.counts.words;
            curves[which].push((words as f64, seconds[which]));
        }
        let cells = vec![
            ReportCell::new(words as f64, 0),
            ReportCell::new(seconds[0], 3),
            ReportCell::new(seconds[1], 3),
            ReportCell::new(pairs[0], 0),
            ReportCell::new(pairs[1], 0),
            ReportCell::new(memory[0], 0),
            ReportCell::new(memory[1], 0),
        ];
        table.push(some.texts.len().to_string(), cells);
    }
    let fitted = curves.each_ref().map(|curve| fit(curve));
    let [ssr, sscr] = curves;
    let plots = vec![Plot {
        title: "Time to find all pairs".to_owned(),
        x: "words".to_owned(),
        y: "seconds".to_owned(),
        is_logarithmic: false,
        series: vec![
            Series { name: "ssr".to_owned(), points: ssr },
            Series { name: "sscr".to_owned(), points: sscr },
        ],
    }];
    let [ssr, sscr] = fitted.map(|fitted| match fitted {
        Some((quadratic, linear)) => format!("{quadratic:.2e} n² + {linear:.2e} n"),
        None => "n/a".to_owned(),
    });
    let notes = vec![
        "Runs of 5 words, normalization `ids`, Rabin's fingerprints. Words are those left by the normalization. Times include \
         the verification of every shared chunk."
            .to_owned(),
        format!(
            "Regression by second-order polynomials of the number of words n, in seconds: ssr {ssr}; sscr {sscr}. The paper \
             has 8.30e-14 n² + 16e-5 n and 2.18e-13 n² + 9e-6 n."
        ),
        "In the paper, 170 million words in almost one million newspaper texts took 1 h 23 min by ssr and 2 h 09 min by sscr \
         on two 1.2 GHz processors, plus 20 and 30 minutes of CPU time to validate pairs of at least 0.7. Peak memory is that of \
         the process during the run, the collection included; n/a where the system does not report it."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, plots, notes })
}

/// Fits `a n² + b n` to points by least squares; `None` if the points do not determine it.
fn fit(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    // In units of the largest n, so that the sums have similar sizes.
    let unit = points.iter().map(|(n, _)| *n).fold(0.0, f64::max);
    let sum = |power: i32| points.iter().map(|(n, _)| (n / unit).powi(power)).sum::<f64>();
    let with = |power: i32| points.iter().map(|(n, t)| t * (n / unit).powi(power)).sum::<f64>();
    let determinant = sum(4) * sum(2) - sum(3) * sum(3);
    (determinant.abs() > 1e-9).then(|| {
        let quadratic = (with(2) * sum(2) - with(1) * sum(3)) / determinant;
        let linear = (with(1) * sum(4) - with(2) * sum(3)) / determinant;
        (quadratic / unit / unit, linear / unit)
    })
}

pub(super) fn bound(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    // Pairs far below the threshold of validation are also found, because their upper bounds may reach it.
    let settings = settings(Measure::Ssr, VALIDATED / 2.0)?;
    let found = discover(&mut context.collection().source(), &settings, context.run_control)?;
    let analyzer = Analyzer::new(&settings)?;
    let mut tokens = analyzer.tokens();
    let (mut chunks, mut selection) = (Vec::new(), Vec::new());
    let mut fingerprints = Vec::with_capacity(context.collection().texts.len());
    for document in context.collection().texts.iter() {
        analyzer.tokenize(&document.text, &mut tokens);
        analyzer.chunk(&tokens, &mut chunks, &mut selection);
        fingerprints.push(chunks.iter().map(|chunk| chunk.hash).collect::<Vec<u64>>());
    }
    let mut table = ReportTable::new(
        "modulus",
        [
            "pairs with r′ ≥ 0.7",
            "mean of r′ − r",
            "largest r′ − r",
            "pairs with r′ < r",
            "validation, s",
        ],
    );
    for (bits, modulus) in MODULI {
        context.check_stopped()?;
        let mut bound = BoundTally::default();
        let mut seconds = 0.0;
        for pair in context.pairs(&found)? {
            let of =
                |document: u32| fingerprints.get(document as usize).map_or(&[][..], Vec::as_slice);
            let reduced = resemblance(of(pair.a), of(pair.b), |hash| hash % modulus);
            if reduced >= VALIDATED {
                let began = Instant::now();
                let exact = resemblance(of(pair.a), of(pair.b), |hash| hash);
                seconds += began.elapsed().as_secs_f64();
                bound.add(exact, reduced);
            }
        }
        let cells = [
            ReportCell::new(bound.n as f64, 0),
            ReportCell::new((bound.n > 0).then(|| bound.sum / bound.n as f64), 6),
            ReportCell::new(bound.largest, 4),
            ReportCell::new(bound.n_below as f64, 0),
            ReportCell::new(seconds, 3),
        ];
        table.push(format!("{modulus}, below 2^{bits}"), cells.to_vec());
    }
    let notes = vec![
        "Upper bound r′ of the resemblance r: fingerprints of 64 bits reduced modulo a prime P, as in sections 2.5 and 2.7. The \
         paper has a mean difference below 0.001 over pairs of at least 0.7, for a P that it does not give. r′ is below r where \
         two shared chunks collide with one another."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

/// Returns the resemblance of two documents by their fingerprints, each reduced.
fn resemblance(a: &[u64], b: &[u64], reduce: impl Fn(u64) -> u64) -> f64 {
    let set = |hashes: &[u64]| hashes.iter().map(|hash| reduce(*hash)).collect::<BTreeSet<u64>>();
    let (a, b) = (set(a), set(b));
    let shared = a.intersection(&b).count();
    match a.len() + b.len() - shared {
        0 => 0.0,
        union => shared as f64 / union as f64,
    }
}

/// Differences between upper bounds and resemblances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct BoundTally {
    n: u64,
    sum: f64,
    largest: f64,
    /// Pairs whose bound is below the resemblance.
    n_below: u64,
}

impl BoundTally {
    fn add(&mut self, exact: f64, reduced: f64) {
        self.n += 1;
        self.sum += reduced - exact;
        self.largest = self.largest.max(reduced - exact);
        self.n_below += u64::from(reduced < exact);
    }
}

/// Makes the system count the peak memory of this process from here on, where it can.
fn reset_peak_memory() -> bool {
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// Returns the peak memory of this process, where the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polynomial_is_fitted_exactly() {
        let points: Vec<(f64, f64)> =
            [1e6, 2e6, 5e6].into_iter().map(|n| (n, 8.3e-14 * n * n + 16e-5 * n)).collect();
        let (quadratic, linear) = fit(&points).unwrap();
        assert!((quadratic / 8.3e-14 - 1.0).abs() < 1e-6 && (linear / 16e-5 - 1.0).abs() < 1e-6);
        assert_eq!(fit(&[(1e6, 1.0)]), None);
        assert_eq!(fit(&[]), None);
    }

    /// Chunks 1 and 11 collide modulo 10: the bound of two documents that share neither is 1. It is too low where shared
    /// chunks collide with one another.
    #[test]
    fn the_bound_is_the_resemblance_of_reduced_fingerprints() {
        assert_eq!(resemblance(&[1, 2], &[2, 11], |hash| hash), 1.0 / 3.0);
        assert_eq!(resemblance(&[1, 2], &[2, 11], |hash| hash % 10), 1.0);
        assert_eq!(resemblance(&[1, 11], &[1, 11, 5], |hash| hash % 10), 0.5);
        assert_eq!(resemblance(&[], &[], |hash| hash), 0.0);
        let mut tally = BoundTally::default();
        tally.add(0.25, 0.75);
        tally.add(0.75, 0.5);
        assert_eq!(tally, BoundTally { n: 2, sum: 0.25, largest: 0.5, n_below: 1 });
    }
}
