//! Kupietz, *Near-duplicate detection in the IDS corpora of written German* (2005), Figure 1.

use std::time::Instant;

use textkin::engine::types::Measure;
use textkin::engine::{Settings, discover};

use super::{ExperimentContext, ExperimentOutput};
use crate::error::Error;
use crate::report::{Plot, ReportCell, ReportTable, Series};

/// Threshold of reported pairs, as in the paper.
const THRESHOLD: f64 = 0.9;

pub(super) fn figure1(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let columns =
        ["words", "ssr, s", "sscr, s", "ssr ≥ 0.9, pairs", "sscr ≥ 0.9, pairs", "peak memory, MB"];
    let mut table = ReportTable::new("documents", columns);
    let n = context.collection().texts.len();
    let mut curves = [Vec::new(), Vec::new()];
    for part in 1..=6_usize {
        let some = context.collection().first((n * part).div_ceil(6));
        let (mut seconds, mut pairs, mut words) = ([0.0; 2], [0.0; 2], 0);
        for (which, score) in [Measure::Ssr, Measure::Sscr].into_iter().enumerate() {
            context.check_stopped()?;
            let settings =
                Settings { score, threshold: THRESHOLD, rules: None, ..Settings::default() };
            let began = Instant::now();
            let found = discover(&mut some.source(), &settings, context.run_control)?;
            seconds[which] = began.elapsed().as_secs_f64();
            pairs[which] = found.graph.n_edges() as f64;
            words = found.counts.words;
            curves[which].push((words as f64, seconds[which]));
        }
        let memory = peak_memory().map(|bytes| bytes as f64 / 1e6);
        let cells = vec![
            ReportCell::new(words as f64, 0),
            ReportCell::new(seconds[0], 3),
            ReportCell::new(seconds[1], 3),
            ReportCell::new(pairs[0], 0),
            ReportCell::new(pairs[1], 0),
            ReportCell::new(memory, 0),
        ];
        table.push(some.texts.len().to_string(), cells);
    }
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
    let notes = vec![
        "In the paper, 170 million words in almost one million newspaper texts took 1 h 23 min by ssr and 2 h 09 min by sscr on two \
         1.2 GHz processors, and run times fit second-order polynomials (O(n²)). Peak memory is that of the whole process so \
         far, the collection included; n/a where the system does not report it."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, plots, notes })
}

/// Returns the peak memory of this process, where the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}
