//! Origins: Abdel-Hamid, Behzadi, Christoph and Henzinger, *Detecting the origin of text segments
//! efficiently* (2009), Tables 1 and 3–11, Figure 2, and the experiments of sections 3.1, 3.5 and 3.6.
//!
//! `stream` sorts a collection by time and traces it, `paper` has the figures of the paper, `shares` has
//! statistics (Tables 1 and 11, Figure 2), `constants` varies the size of buckets, bridges and chunks. Tables of the paper that share a grid of runs are one
//! experiment here.

mod constants;
mod paper;
mod shares;
mod stream;

use textkin::engine::trace::{
    Accuracy, AccuracyScores, ChunkMethod, CopyCount, Estimation, Eviction, Lucky, Memory, Method,
    Preset, Settings as TraceSettings,
};

pub(super) use self::constants::{bridges, buckets, shingles};
pub(super) use self::shares::{figure2, table1, table11};

use self::paper::{CUTS, FEW, Few};
use self::stream::{ChunkSelection, SelectedStream, TraceStream};
use super::{ExperimentContext, ExperimentOutput};
use crate::error::Error;
use crate::report::{Plot, ReportCell, ReportTable, Series};

/// Returns settings of the paper's method with an eviction and an estimation, without a memory limit.
fn method(eviction: Eviction, estimation: Estimation) -> TraceSettings {
    with(ChunkMethod { eviction, estimation, ..ChunkMethod::default() })
}

fn with(method: ChunkMethod) -> TraceSettings {
    let method = Method::Chunks(method);
    TraceSettings { method, ..Preset::Paper.settings(Memory::Unlimited) }
}

const COPY_COUNT: Eviction = Eviction::CopyCount(CopyCount::DEFAULT);
const LUCKY: Eviction = Eviction::Lucky(Lucky::DEFAULT);

/// Random eviction and no estimation.
fn version_a() -> TraceSettings {
    method(Eviction::Random, Estimation::None)
}

/// Lucky eviction, bridging and expansion: the paper's best.
fn version_b() -> TraceSettings {
    method(LUCKY, Estimation::BridgingExpansion)
}

/// Settings that are not in the paper: its method with smaller slots, and the default of textkin.
fn others() -> [(&'static str, TraceSettings); 2] {
    let small = ChunkMethod {
        eviction: Eviction::Lucky(Lucky { limit: 4, ..Lucky::DEFAULT }),
        tag_bytes: 3,
        origin_bytes: 4,
        stores_estimated: true,
        ..ChunkMethod::default()
    };
    [
        ("NHs in 11 bytes, limit 4 (not in the paper)", with(small)),
        ("kin (textkin's default, not in the paper)", Preset::Kin.settings(Memory::Unlimited)),
    ]
}

/// Figures of the paper for a row: for every size and the mean, for three sizes and the mean, the mean
/// only, or none.
#[derive(Clone, Copy)]
enum Paper {
    All([f64; 9]),
    Few(Few),
    Mean(f64),
    Nothing,
}

/// Accuracy of one configuration for each memory size.
struct Curve(Vec<AccuracyScores>);

/// Selects one of the scores.
type Score = fn(&AccuracyScores) -> f64;

const DOMINANT: Score = |scores| scores.dominant;
const OF_COPIES: Score = |scores| scores.dominant_of_copies;
const FRESHNESS: Score = |scores| scores.freshness;
const OVERALL: Score = |scores| scores.overall;

impl Curve {
    fn of(
        context: &ExperimentContext<'_>,
        stream: &TraceStream,
        cut: &SelectedStream,
        settings: &TraceSettings,
    ) -> Result<Self, Error> {
        let curve = stream.curve(context, cut, settings)?;
        let scores = |accuracy: &Accuracy| match accuracy.n_documents() {
            // Without copies there is no accuracy of copies.
            (_, 0) => AccuracyScores { dominant_of_copies: f64::NAN, ..accuracy.scores() },
            _ => accuracy.scores(),
        };
        Ok(Self(curve.iter().map(scores).collect()))
    }

    /// Returns one score for each size, in percent, followed by the mean.
    fn percent(&self, score: Score) -> Vec<f64> {
        let mut values: Vec<f64> = self.0.iter().map(|scores| 100.0 * score(scores)).collect();
        values.push(values.iter().sum::<f64>() / values.len().max(1) as f64);
        values
    }

    fn mean(&self, score: Score) -> Option<f64> {
        self.percent(score).last().copied()
    }

    /// Returns the cells of a row.
    fn cells(&self, score: Score, sizes: &[u64], paper: Paper) -> Vec<ReportCell> {
        let has_all = sizes.len() == 8;
        let printed = |column: usize| match (sizes.get(column), paper) {
            (Some(_), Paper::All(values)) if has_all => values.get(column).copied(),
            (Some(size), Paper::Few(values)) => {
                FEW.iter().position(|few| few == size).and_then(|at| values.get(at).copied())
            }
            // The mean in the paper covers all eight sizes.
            (None, Paper::All([.., mean]) | Paper::Few([.., mean]) | Paper::Mean(mean))
                if has_all =>
            {
                Some(mean)
            }
            _ => None,
        };
        let values = self.percent(score).into_iter().enumerate();
        values
            .map(|(column, value)| ReportCell::new(value, 1).with_paper(printed(column)))
            .collect()
    }
}

/// Returns an empty table with a column for each memory size and one for the mean.
fn table(of: &str, stream: &TraceStream) -> ReportTable {
    let sizes = stream.sizes().iter().map(|size| format!("{} %", *size as f64 / 100.0));
    ReportTable::new(of, sizes.chain(["mean".to_owned()]))
}

fn plot(title: &str, stream: &TraceStream, curves: &[(String, &Curve)]) -> Plot {
    let series = curves.iter().map(|(name, curve)| {
        let sizes = stream.sizes().iter().map(|size| *size as f64 / 100.0);
        let mut points: Vec<(f64, f64)> = sizes.zip(curve.percent(DOMINANT)).collect();
        points.reverse();
        Series { name: name.clone(), points }
    });
    Plot {
        title: title.to_owned(),
        x: "memory, % of the distinct chunks".to_owned(),
        y: "correct dominant origins, %".to_owned(),
        is_logarithmic: true,
        series: series.collect(),
    }
}

pub(super) fn table3(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let stream = TraceStream::new(context)?;
    let mut table = ReportTable::new("selection", ["ssr, %"]);
    for (variant, paper) in paper::TABLE_3 {
        let share = stream.cut(context, variant)?.n_selected() as f64 / stream.n_chunks() as f64;
        table.push(variant.name, vec![ReportCell::new(100.0 * share, 1).with_paper(paper)]);
    }
    let notes = vec![
        "Selected chunks divided by chunks of eight words. The paper lists the same share for Hb and Dct."
            .to_owned(),
        stream.note(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

pub(super) fn variants(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let stream = TraceStream::new(context)?;
    let columns = ["DO", "DOc", "TF", "overall"];
    let columns = ["A", "B"]
        .iter()
        .flat_map(|version| columns.iter().map(move |column| format!("{version}: {column}, %")));
    let mut table = ReportTable::new("selection", columns);
    let all =
        std::iter::once(ChunkSelection::ALL).chain(paper::TABLE_3.iter().map(|(cut, _)| *cut));
    for variant in all {
        context.set_stage(variant.name);
        let cut = stream.cut(context, variant)?;
        let printed = CUTS.iter().position(|cut| cut.name == variant.name);
        let printed = printed.filter(|_| !context.is_quick);
        let mut cells = Vec::new();
        for (version, settings) in [version_a(), version_b()].iter().enumerate() {
            let curve = Curve::of(context, &stream, &cut, settings)?;
            let of = |values: &[f64]| printed.and_then(|at| values.get(at).copied());
            let last = |rows: [Few; 7]| rows.map(|row| row[3]);
            let dominant = match version {
                0 => paper::TABLE_4.map(|row| row[8]),
                _ => last(paper::TABLE_5),
            };
            let freshness = paper::TABLE_6.get(version).map(|rows| last(*rows));
            let overall = paper::TABLE_7.get(version);
            for (score, paper) in [
                (DOMINANT, of(&dominant)),
                (OF_COPIES, None),
                (FRESHNESS, freshness.and_then(|rows| of(&rows))),
                (OVERALL, overall.and_then(|rows| of(rows))),
            ] {
                cells.push(ReportCell::new(curve.mean(score), 1).with_paper(paper));
            }
        }
        table.push(variant.name, cells);
    }
    let notes = vec![versions_note(), means_note(&stream), stream.note()];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

fn versions_note() -> String {
    "A is random eviction without estimation, B is lucky eviction with bridging and expansion. DO: share of documents with \
     the correct dominant origin; DOc: the same over copied documents only; TF: share of words correctly classified as \
     fresh or old; overall: mean of DO and TF."
        .to_owned()
}

fn means_note(stream: &TraceStream) -> String {
    match stream.sizes().len() {
        8 => "Means cover eight memory sizes, as in the paper.".to_owned(),
        n => format!(
            "Means cover {n} memory sizes. Those of the paper cover eight and are not shown."
        ),
    }
}

pub(super) fn tables4to7(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let stream = TraceStream::new(context)?;
    let mut curves: Vec<[Curve; 2]> = Vec::new();
    for variant in CUTS {
        context.set_stage(variant.name);
        let cut = stream.cut(context, variant)?;
        curves.push([
            Curve::of(context, &stream, &cut, &version_a())?,
            Curve::of(context, &stream, &cut, &version_b())?,
        ]);
    }
    let mut table = table("percent", &stream);
    let blocks: [(&str, usize, Score, [Paper; 7]); 8] = [
        ("DO, A", 0, DOMINANT, paper::TABLE_4.map(Paper::All)),
        ("DO, B", 1, DOMINANT, paper::TABLE_5.map(Paper::Few)),
        ("TF, A", 0, FRESHNESS, paper::TABLE_6[0].map(Paper::Few)),
        ("TF, B", 1, FRESHNESS, paper::TABLE_6[1].map(Paper::Few)),
        ("overall, A", 0, OVERALL, paper::TABLE_7[0].map(Paper::Mean)),
        ("overall, B", 1, OVERALL, paper::TABLE_7[1].map(Paper::Mean)),
        ("DOc, A", 0, OF_COPIES, [Paper::Nothing; 7]),
        ("DOc, B", 1, OF_COPIES, [Paper::Nothing; 7]),
    ];
    for (label, version, score, papers) in blocks {
        for ((variant, curves), paper) in CUTS.iter().zip(&curves).zip(papers) {
            let cells = curves.get(version).map(|curve| curve.cells(score, stream.sizes(), paper));
            table.push(format!("{label}: {}", variant.name), cells.unwrap_or_default());
        }
    }
    let best = stream.cut(context, ChunkSelection::BEST)?;
    let mut series: Vec<(String, &Curve)> = CUTS
        .iter()
        .zip(&curves)
        .map(|(cut, [_, curve])| (format!("{}, B", cut.name), curve))
        .collect();
    let mut ours = Vec::new();
    for (name, settings) in others() {
        let curve = Curve::of(context, &stream, &best, &settings)?;
        for (label, score) in
            [("DO", DOMINANT), ("TF", FRESHNESS), ("overall", OVERALL), ("DOc", OF_COPIES)]
        {
            let cells = curve.cells(score, stream.sizes(), Paper::Nothing);
            table.push(format!("{label}: {name}"), cells);
        }
        ours.push((name.to_owned(), curve));
    }
    series.extend(ours.iter().map(|(name, curve)| (name.clone(), curve)));
    let plots = vec![plot("Dominant origins by memory size", &stream, &series)];
    let notes = vec![
        "Table 4: DO of version A. Table 5: DO of version B. Table 6: TF. Table 7: overall, compared with the row for blogs; \
         for Swiss pages the paper has 80.9, 81.6, 76.0, 81.4, 81.8, 81.1 and 79.3 for A, 90.6, 88.0, 79.2, 87.6, 87.7, \
         86.7 and 59.7 for B."
            .to_owned(),
        versions_note(),
        means_note(&stream),
        stream.note(),
    ];
    Ok(ExperimentOutput { table, plots, notes })
}

/// Adds rows for several configurations, score by score.
fn add_configurations(
    table: &mut ReportTable,
    sizes: &[u64],
    configurations: &[(String, Curve, &paper::PaperScores)],
) {
    for (label, score) in
        [("DO", DOMINANT), ("TF", FRESHNESS), ("overall", OVERALL), ("DOc", OF_COPIES)]
    {
        for (name, curve, paper) in configurations {
            let printed = match label {
                "DO" => Paper::Few(paper.dominant),
                "TF" => Paper::Few(paper.freshness),
                "overall" => Paper::Mean(paper.overall),
                _ => Paper::Nothing,
            };
            let cells = curve.cells(score, sizes, printed);
            table.push(format!("{label}: {name}"), cells);
        }
    }
}

pub(super) fn table8(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let stream = TraceStream::new(context)?;
    let mut configurations = Vec::new();
    for (variant, papers) in
        [ChunkSelection::ALL, ChunkSelection::BEST].into_iter().zip(&paper::TABLE_8)
    {
        let cut = stream.cut(context, variant)?;
        for (eviction, paper) in Eviction::ALL.into_iter().zip(papers) {
            context.set_stage(eviction.name());
            let settings = method(eviction, Estimation::None);
            let curve = Curve::of(context, &stream, &cut, &settings)?;
            configurations.push((format!("{} {eviction}", variant.name), curve, paper));
        }
    }
    let mut table = table("percent", &stream);
    add_configurations(&mut table, stream.sizes(), &configurations);
    let series: Vec<_> =
        configurations.iter().map(|(name, curve, _)| (name.clone(), curve)).collect();
    let plots = vec![plot("Evictions without estimation", &stream, &series)];
    Ok(ExperimentOutput { table, plots, notes: vec![means_note(&stream), stream.note()] })
}

pub(super) fn tables9to10(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let stream = TraceStream::new(context)?;
    let mut configurations = Vec::new();
    for (variant, papers) in
        [ChunkSelection::BEST, ChunkSelection::ALL].into_iter().zip(&paper::TABLES_9_10)
    {
        let cut = stream.cut(context, variant)?;
        for (eviction, papers) in [COPY_COUNT, LUCKY].into_iter().zip(papers) {
            for (estimation, paper) in Estimation::ALL.into_iter().zip(papers) {
                context.set_stage(estimation.name());
                let curve = Curve::of(context, &stream, &cut, &method(eviction, estimation))?;
                let name = format!("{} {eviction} {estimation}", variant.name);
                configurations.push((name, curve, paper));
            }
        }
    }
    let mut table = table("percent", &stream);
    add_configurations(&mut table, stream.sizes(), &configurations);
    let lucky = configurations.iter().filter(|(name, ..)| name.contains("lucky"));
    let series: Vec<_> = lucky.map(|(name, curve, _)| (name.clone(), curve)).collect();
    let plots = vec![plot("Estimations with lucky eviction", &stream, &series)];
    let notes = vec![
        "NHs is Table 9, All is Table 10. In the paper the two halves of Table 10 have swapped headings: its “dominant \
         origin” of All without estimation equals the token freshness in Table 8, and vice versa. Here the figures are \
         beside the score they belong to."
            .to_owned(),
        means_note(&stream),
        stream.note(),
    ];
    Ok(ExperimentOutput { table, plots, notes })
}
