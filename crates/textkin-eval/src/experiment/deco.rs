//! DECO and SPEX: Bernstein and Zobel, *Accurate discovery of co-derivative documents via duplicate
//! text detection* (2006), Tables 2–4, Figures 3 and 5.

use std::path::Path;

use textkin::engine::index::{ImatchSettings, KeepChunks};
use textkin::engine::text::grammar::Selection;
use textkin::engine::types::chunk::mix;
use textkin::engine::types::{Measure, Pair};
use textkin::engine::{Analyzer, CopyPolicy, ScoredChunks, Settings, discover};

use super::{ExperimentContext, ExperimentOutput};
use crate::error::{Error, at};
use crate::metric::{Judgement, JudgementTally};
use crate::report::{Plot, ReportCell, ReportTable, Series};

const MEASURES: [Measure; 4] = [Measure::S1, Measure::S2, Measure::S3, Measure::S4];

/// Coverage at T1…T5, Table 2. One cell is empty in the paper.
const TABLE_2: [[Option<f64>; 5]; 4] = [
    [Some(100.0), None, Some(97.2), Some(36.1), Some(8.3)],
    [Some(100.0), Some(100.0), Some(100.0), Some(83.3), Some(58.3)],
    [Some(100.0), Some(100.0), Some(91.7), Some(72.2), Some(52.8)],
    [Some(100.0), Some(100.0), Some(97.2), Some(91.7), Some(58.3)],
];

/// Coverage and average precision at T1…T5.
type CoverageTable = [[(f64, f64); 5]; 4];

const TABLE_3: CoverageTable = [
    [(100.0, 70.0), (89.0, 71.0), (56.0, 93.0), (36.0, 95.0), (34.0, 100.0)],
    [(100.0, 57.0), (100.0, 75.0), (100.0, 92.0), (89.0, 94.0), (57.0, 100.0)],
    [(98.0, 75.0), (96.0, 84.0), (94.0, 100.0), (84.0, 100.0), (47.0, 100.0)],
    [(99.0, 83.0), (96.0, 91.0), (94.0, 100.0), (78.0, 100.0), (30.0, 100.0)],
];

const TABLE_4_MODULO_16: CoverageTable = [
    [(90.0, 72.0), (88.0, 76.0), (56.0, 94.0), (36.0, 96.0), (34.0, 100.0)],
    [(90.0, 75.0), (90.0, 75.0), (80.0, 94.0), (78.0, 100.0), (57.0, 100.0)],
    [(88.0, 82.0), (86.0, 91.0), (74.0, 100.0), (74.0, 100.0), (47.0, 100.0)],
    [(88.0, 85.0), (86.0, 93.0), (86.0, 93.0), (69.0, 100.0), (60.0, 100.0)],
];

const TABLE_4_MODULO_256: CoverageTable = [
    [(54.0, 95.0), (54.0, 95.0), (54.0, 95.0), (54.0, 95.0), (34.0, 97.0)],
    [(54.0, 97.0), (54.0, 97.0), (54.0, 97.0), (54.0, 97.0), (44.0, 97.0)],
    [(54.0, 97.0), (54.0, 100.0), (54.0, 100.0), (51.0, 100.0), (42.0, 100.0)],
    [(54.0, 97.0), (54.0, 100.0), (54.0, 100.0), (44.0, 100.0), (31.0, 100.0)],
];

/// Coverage and average precision, in percent, of every measure at every threshold.
struct Grid([[(Option<f64>, Option<f64>); 5]; 4]);

/// Finds all pairs, using one chunk in `modulo` if that is more than 1, and judges each at every threshold.
fn grid(context: &ExperimentContext<'_>, modulo: u32) -> Result<Grid, Error> {
    let lowest = MEASURES.map(|measure| measure.preset(1).unwrap_or(0.0) / f64::from(modulo));
    let settings =
        Settings { score: Measure::S1, threshold: 0.0, rules: None, ..Settings::default() };
    // As `textkin discover --select spex+modulo:16 --score-on selected` does.
    let settings = match modulo {
        1 => settings,
        _ => Settings { select: selection(modulo)?, scored: ScoredChunks::Selected, ..settings },
    };
    let found = discover(&mut context.collection().source(), &settings, context.run_control)?;
    let truth = &context.collection().truth;
    let n = context.collection().texts.len();
    let mut tallies: Vec<JudgementTally> = (0..20).map(|_| JudgementTally::new(n)).collect();
    for pair in context.pairs(&found)? {
        let scores = MEASURES.map(|measure| measure.score(&pair.overlap));
        if !scores.iter().zip(lowest).any(|(score, lowest)| *score >= lowest) {
            continue;
        }
        let judgement = truth.judge(pair.a, pair.b);
        for (which, (measure, score)) in MEASURES.iter().zip(scores).enumerate() {
            for level in 1..=5 {
                let threshold = measure.preset(level).unwrap_or(f64::MAX) / f64::from(modulo);
                let tally = tallies.get_mut(which * 5 + level - 1);
                if let Some(tally) = tally.filter(|_| score >= threshold) {
                    tally.add(pair.a, pair.b, judgement);
                }
            }
        }
    }
    let chosen = truth.by_document().into_keys().collect();
    let percent = |share: Option<f64>| share.map(|share| 100.0 * share);
    let cell = |which: usize, level: usize| {
        let tally = tallies.get(which * 5 + level);
        let coverage =
            tally.and_then(|tally| tally.retrieval(truth.related.len() as u64).coverage());
        let precision = tally.and_then(|tally| tally.average_precision(&chosen));
        let precision = context.unless_vacuous(precision);
        (percent(coverage), percent(precision))
    };
    Ok(Grid(std::array::from_fn(|which| std::array::from_fn(|level| cell(which, level)))))
}

/// Returns the paper's pipeline: SPEX, then one chunk in `modulo`.
fn selection(modulo: u32) -> Result<Selection, Error> {
    Ok(format!("spex+modulo:{modulo}").parse().map_err(textkin::Error::from)?)
}

fn levels() -> impl Iterator<Item = String> {
    (1..=5).map(|level| format!("T{level}"))
}

pub(super) fn table2(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let grid = grid(context, 1)?;
    let mut table = ReportTable::new("coverage, %", levels());
    for ((measure, ours), papers) in MEASURES.iter().zip(grid.0).zip(TABLE_2) {
        let cells = ours
            .iter()
            .zip(papers)
            .map(|(ours, paper)| ReportCell::new(ours.0, 1).with_paper(paper));
        table.push(measure.name(), cells.collect());
    }
    let notes = vec![thresholds()];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

fn thresholds() -> String {
    "T1…T5: s1 20, 100, 200, 500, 1000; s2 .03, .05, .1, .15, .3; s3 .02, .05, .1, .15, .3; s4 .02, .05, .2, .5, 1 \
     (the paper's Table 1), divided by the modulus where chunks are selected."
        .to_owned()
}

/// Adds two rows for each measure: coverage, and average precision.
fn add_rows(table: &mut ReportTable, label: &str, grid: &Grid, papers: &CoverageTable) {
    for ((measure, ours), papers) in MEASURES.iter().zip(&grid.0).zip(papers) {
        let coverage = ours
            .iter()
            .zip(papers)
            .map(|(ours, paper)| ReportCell::new(ours.0, 0).with_paper(paper.0));
        let precision = ours
            .iter()
            .zip(papers)
            .map(|(ours, paper)| ReportCell::new(ours.1, 0).with_paper(paper.1));
        table.push(format!("{measure}{label} coverage"), coverage.collect());
        table.push(format!("{measure}{label} average precision"), precision.collect());
    }
}

pub(super) fn table3(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let grid = grid(context, 1)?;
    let mut table = ReportTable::new("percent", levels());
    add_rows(&mut table, "", &grid, &TABLE_3);
    let series = MEASURES.iter().zip(&grid.0).map(|(measure, cells)| Series {
        name: measure.name().to_owned(),
        points: cells
            .iter()
            .filter_map(|&(coverage, precision)| Some((coverage?, precision?)))
            .rev()
            .collect(),
    });
    let plots = vec![Plot {
        title: "Coverage and average precision at T1 … T5".to_owned(),
        x: "coverage, %".to_owned(),
        y: "average precision, %".to_owned(),
        is_logarithmic: false,
        series: series.collect(),
    }];
    Ok(ExperimentOutput { table, plots, notes: vec![thresholds()] })
}

pub(super) fn table4(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let mut table = ReportTable::new("percent", levels());
    for (modulo, papers) in [(16, &TABLE_4_MODULO_16), (256, &TABLE_4_MODULO_256)] {
        context.check_stopped()?;
        add_rows(&mut table, &format!(" modulo {modulo}"), &grid(context, modulo)?, papers);
    }
    Ok(ExperimentOutput { table, notes: vec![thresholds()], ..ExperimentOutput::default() })
}

/// Measures an index of shared chunks for each preprocessing stage, and for one chunk in 16 and in 256.
pub(super) fn stages(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let columns =
        ["texts", "shared chunks", "index, MB", "index, % of the second", "pairs by S2 at T3"];
    let mut table = ReportTable::new("stages", columns);
    let plain = Settings {
        score: Measure::S2,
        threshold: Measure::S2.preset(3).unwrap_or(0.0),
        rules: None,
        keep_chunks: KeepChunks::Fingerprints,
        imatch: Some(ImatchSettings::default()),
        ..Settings::default()
    };
    let selected = |modulo: u32| -> Result<Settings, Error> {
        Ok(Settings { select: selection(modulo)?, ..plain.clone() })
    };
    let mut rows = Vec::new();
    for (name, settings) in [
        ("none", Settings { exact_copies: CopyPolicy::Index, ..plain.clone() }),
        ("exact copies merged (the default)", plain.clone()),
        (
            "exact copies and near-copies merged",
            Settings { near_copies: CopyPolicy::Merge, ..plain.clone() },
        ),
        ("exact copies merged, spex+modulo:16", selected(16)?),
        ("exact copies merged, spex+modulo:256", selected(256)?),
    ] {
        context.check_stopped()?;
        let found = discover(&mut context.collection().source(), &settings, context.run_control)?;
        let counts = &found.counts;
        let n_copies = counts.exact_duplicates + counts.merged_near_copies;
        let n_texts = counts.documents - counts.empty_documents - n_copies;
        let mut index = Vec::new();
        let n_chunks = found.shared.as_ref().map_or(0, |shared| shared.n_chunks());
        if let Some(shared) = &found.shared {
            shared.write(&found.documents, &mut index).map_err(at(Path::new("the index")))?;
        }
        rows.push((name, n_texts, n_chunks, index.len() as f64, found.graph.n_edges()));
    }
    let reference = rows.get(1).map_or(0.0, |row| row.3);
    for (name, n_texts, n_chunks, bytes, n_edges) in rows {
        let cells = vec![
            ReportCell::new(n_texts as f64, 0),
            ReportCell::new(n_chunks as f64, 0),
            ReportCell::new(bytes / 1e6, 2),
            ReportCell::new((reference > 0.0).then_some(100.0 * bytes / reference), 1),
            ReportCell::new(n_edges as f64, 0),
        ];
        table.push(name, cells);
    }
    let notes = vec![
        "Indexes of shared chunks without texts, as `textkin discover --index` writes them; near-copies are those of I-Match. \
         In the paper, merging exact copies reduced the index of its newswire from 2.3 to 2.1 GB (section 8.3), and one \
         chunk in 16 gives “a 16-fold reduction in the number of chunks indexed” (section 8.5). Pairs include those of \
         merged documents."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

/// Number of edges in a sample, as in the paper.
const SAMPLE: usize = 30;

/// Configurations whose density the paper estimated: score, threshold, modulo and the estimate.
const DENSITIES: [(Measure, usize, u32, f64); 5] = [
    (Measure::S2, 3, 1, 93.3),
    (Measure::S3, 2, 256, 93.3),
    (Measure::S4, 3, 16, 93.3),
    (Measure::S4, 3, 1, 100.0),
    (Measure::S2, 1, 16, 100.0),
];

pub(super) fn density(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let columns = ["edges", "sample", "co-derived", "density, %", "density of all edges, %"];
    let mut table = ReportTable::new("run", columns);
    for (score, level, modulo, paper) in DENSITIES {
        context.check_stopped()?;
        let threshold = score.preset(level).unwrap_or(0.0) / f64::from(modulo);
        let settings = Settings { score, threshold, rules: None, ..Settings::default() };
        let settings = match modulo {
            1 => settings,
            _ => {
                Settings { select: selection(modulo)?, scored: ScoredChunks::Selected, ..settings }
            }
        };
        let found = discover(&mut context.collection().source(), &settings, context.run_control)?;
        let truth = &context.collection().truth;
        let verdict = |pair: &Pair| match truth.judge(pair.a, pair.b) {
            Judgement::Related => Some(true),
            Judgement::Unrelated => Some(false),
            Judgement::Unjudged => None,
        };
        let mut verdicts: Vec<(u64, bool)> = Vec::new();
        for pair in context.pairs(&found)? {
            let key = mix(mix(u64::from(pair.a) << 32 | u64::from(pair.b)) ^ context.seed);
            verdicts.extend(verdict(&pair).map(|verdict| (key, verdict)));
        }
        // The edges with the lowest keys are a random sample that depends only on the seed.
        verdicts.sort_unstable();
        let percent = |verdicts: &[(u64, bool)]| {
            let related = verdicts.iter().filter(|(_, is_related)| *is_related).count();
            let n = verdicts.len();
            (related, (n > 0).then(|| 100.0 * related as f64 / n as f64))
        };
        let sample = verdicts.get(..SAMPLE).unwrap_or(&verdicts);
        let ((n_related, density), (_, of_all)) = (percent(sample), percent(&verdicts));
        let cells = vec![
            ReportCell::new(found.graph.n_edges() as f64, 0),
            ReportCell::new(sample.len() as f64, 0),
            ReportCell::new(n_related as f64, 0),
            ReportCell::new(context.unless_vacuous(density), 1).with_paper(paper),
            ReportCell::new(context.unless_vacuous(of_all), 1),
        ];
        table.push(format!("{}/T{level}/K{modulo}", score.name().to_uppercase()), cells);
    }
    let notes = vec![
        format!(
            "Density: share of the edges whose documents are co-derived, estimated from {SAMPLE} edges drawn at random with \
             seed {} from those that the labels judge. The paper's authors read the documents of {SAMPLE} edges of each run; \
             here the labels give the verdicts.",
            context.seed
        ),
        thresholds(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

pub(super) fn figure5(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let mut table = ReportTable::new(
        "documents",
        ["MB", "chunks", "repeated chunks", "repeated, % of distinct"],
    );
    let mut points = Vec::new();
    let n = context.collection().texts.len();
    for part in 1..=8_usize {
        context.check_stopped()?;
        let some = context.collection().first((n * part).div_ceil(8));
        let found = discover(&mut some.source(), &Settings::default(), context.run_control)?;
        let counts = &found.counts;
        let (repeated, distinct) = (counts.shared_chunks as f64, counts.distinct_chunks as f64);
        let megabytes = some.bytes() as f64 / 1e6;
        let cells = [
            (megabytes, 2),
            (counts.chunks as f64, 0),
            (repeated, 0),
            (100.0 * repeated / distinct, 2),
        ];
        table.push(
            some.texts.len().to_string(),
            cells.map(|(value, digits)| ReportCell::new(value, digits)).to_vec(),
        );
        points.push((megabytes, repeated));
    }
    let plots = vec![Plot {
        title: "Repeated chunks as the collection grows".to_owned(),
        x: "MB of text".to_owned(),
        y: "repeated chunks".to_owned(),
        is_logarithmic: false,
        series: vec![Series { name: context.collection().name.clone(), points }],
    }];
    let notes = vec![
        "The paper finds the growth nearly linear (its Figure 5 has no numbers to quote)."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, plots, notes })
}

/// Counters of chunks: none, one, or several.
struct SpexCounters(Vec<u8>);

impl SpexCounters {
    fn new(n: usize) -> Self {
        Self(vec![0; n.max(1)])
    }

    fn counter_index(&self, hash: u64) -> usize {
        usize::try_from(hash % self.0.len() as u64).unwrap_or(0)
    }

    fn add(&mut self, hash: u64) {
        let index = self.counter_index(hash);
        if let Some(counter) = self.0.get_mut(index) {
            *counter = (*counter + 1).min(2);
        }
    }

    fn is_repeated(&self, hash: u64) -> bool {
        self.0.get(self.counter_index(hash)) == Some(&2)
    }

    fn count(&self, value: u8) -> f64 {
        self.0.iter().filter(|counter| **counter == value).count() as f64
    }
}

/// Runs the passes of SPEX and returns, after each, the number of counters with one hit and with more.
/// Without refinement every chunk is counted in every pass.
fn passes(texts: &[Vec<u64>], n_counters: usize, refines: bool) -> Vec<(f64, f64)> {
    // The hash of the chunk of k words at each position, computed from that of k − 1 words.
    let mut hashes: Vec<Vec<u64>> = texts.to_vec();
    let mut before: Option<(SpexCounters, Vec<Vec<u64>>)> = None;
    let mut after = Vec::new();
    for k in 1..=8 {
        let mut counters = SpexCounters::new(n_counters);
        if k > 1 {
            for (chunks, words) in hashes.iter_mut().zip(texts) {
                let n = chunks.len().saturating_sub(1);
                chunks.truncate(n);
                for (chunk, word) in chunks.iter_mut().zip(words.iter().skip(k - 1)) {
                    *chunk = mix(chunk.rotate_left(5) ^ word);
                }
            }
        }
        for (number, chunks) in hashes.iter().enumerate() {
            for (position, chunk) in chunks.iter().enumerate() {
                let may_repeat = match &before {
                    Some((counters, shorter)) if refines => {
                        let part =
                            |at: usize| shorter.get(number).and_then(|chunks| chunks.get(at));
                        [position, position + 1]
                            .into_iter()
                            .all(|at| part(at).is_some_and(|part| counters.is_repeated(*part)))
                    }
                    _ => true,
                };
                if may_repeat {
                    counters.add(*chunk);
                }
            }
        }
        after.push((counters.count(1), counters.count(2)));
        before = Some((counters, hashes.clone()));
    }
    after
}

pub(super) fn figure3(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let analyzer = Analyzer::new(&Settings::default())?;
    let mut tokens = analyzer.tokens();
    let words = |text: &crate::collection::CollectionDocument| {
        analyzer.tokenize(&text.text, &mut tokens);
        tokens.hashes().to_vec()
    };
    let texts: Vec<Vec<u64>> = context.collection().texts.iter().map(words).collect();
    let n_words: usize = texts.iter().map(Vec::len).sum();
    let n_counters = n_words.next_power_of_two();
    let columns =
        ["one hit, %", "more, %", "one hit without refinement, %", "more without refinement, %"];
    let mut table = ReportTable::new("words per chunk", columns);
    let mut series: Vec<Series> = columns
        .iter()
        .map(|name| Series { name: name.trim_end_matches(", %").to_owned(), points: Vec::new() })
        .collect();
    context.check_stopped()?;
    let refined = passes(&texts, n_counters, true);
    context.check_stopped()?;
    let plain = passes(&texts, n_counters, false);
    for (k, ((one, more), (plain_one, plain_more))) in (1_u32..).zip(refined.into_iter().zip(plain))
    {
        let shares = [one, more, plain_one, plain_more].map(|n| 100.0 * n / n_counters as f64);
        table.push(k.to_string(), shares.map(|share| ReportCell::new(share, 3)).to_vec());
        for (series, share) in series.iter_mut().zip(shares) {
            series.points.push((f64::from(k), share));
        }
    }
    let plots = vec![Plot {
        title: "Counters in use after each pass of SPEX".to_owned(),
        x: "words per chunk".to_owned(),
        y: "counters, %".to_owned(),
        is_logarithmic: false,
        series,
    }];
    let notes = vec![format!(
        "{n_counters} counters for {n_words} words. The paper shows only curves: with refinement few counters are in use after \
         the last pass; without it, nearly as many as there are distinct chunks."
    )];
    Ok(ExperimentOutput { table, plots, notes })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With enough counters, exactly the repeated chunks are counted more than once in the last pass.
    #[test]
    fn passes_leave_the_chunks_that_repeat() {
        let text = |from: u64| (from..from + 20).map(mix).collect::<Vec<_>>();
        let (mut a, mut b) = (text(100), text(200));
        a.extend(text(900));
        b.extend(text(900));
        let after = passes(&[a, b], 1 << 20, true);
        assert_eq!(after.len(), 8);
        assert_eq!(after[0], (40.0, 20.0));
        // 13 chunks of 8 words repeat, and no part of any other chunk does.
        assert_eq!(after[7], (0.0, 13.0));
    }

    #[test]
    fn without_refinement_every_chunk_is_counted() {
        let words: Vec<u64> = (0..30).map(mix).collect();
        assert_eq!(passes(std::slice::from_ref(&words), 1 << 20, false)[7], (23.0, 0.0));
        assert_eq!(passes(&[words], 1 << 20, true)[7], (0.0, 0.0));
        assert_eq!(passes(&[vec![], vec![1]], 4, true)[7], (0.0, 0.0));
    }
}
