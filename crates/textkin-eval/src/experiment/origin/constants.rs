//! Experiments of the paper without a table: slots per bucket (section 3.5), length of bridges (section 3.6), words per
//! chunk (section 3.1).

use textkin::engine::trace::{ChunkMethod, Estimation, Settings as TraceSettings};
use textkin::engine::types::hash::HashKind;

use super::stream::{ChunkSelection, StreamChunks, TraceStream};
use super::{
    Curve, DOMINANT, FRESHNESS, LUCKY, OVERALL, means_note, version_a, version_b, versions_note,
    with,
};
use crate::error::Error;
use crate::experiment::{ExperimentContext, ExperimentOutput};
use crate::report::{ReportCell, ReportTable};

/// Slots per bucket: the default of the paper and the others that it tried.
const BUCKETS: [u16; 7] = [64, 4, 8, 16, 32, 128, 256];

/// Limits of the length of a bridge: the default of the paper, and from 10 to 1000.
const BRIDGES: [u32; 5] = [10, 30, 100, 300, 1000];

/// Returns the columns for two configurations: DO, TF and overall score of each.
fn columns(of: [&str; 2]) -> impl Iterator<Item = String> {
    of.into_iter()
        .flat_map(|name| ["DO", "TF", "overall"].map(|score| format!("{name}: {score}, %")))
}

/// Returns the means of DO, TF and overall score over all memory sizes.
fn means(curve: &Curve) -> [Option<f64>; 3] {
    [DOMINANT, FRESHNESS, OVERALL].map(|score| curve.mean(score))
}

fn cells(means: [Option<f64>; 3], papers: [Option<f64>; 3]) -> impl Iterator<Item = ReportCell> {
    let cell = |(mean, paper)| ReportCell::new(mean, 1).with_paper(paper);
    means.into_iter().zip(papers).map(cell)
}

pub(in crate::experiment) fn buckets(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let stream = TraceStream::new(context)?;
    let cut = stream.cut(context, ChunkSelection::BEST)?;
    let mut table = ReportTable::new("slots per bucket", columns(["A", "B"]));
    let mut reference: Option<[[Option<f64>; 3]; 2]> = None;
    let mut largest = 0.0_f64;
    for bucket in BUCKETS {
        context.set_stage(&format!("{bucket} slots per bucket"));
        let mut rows = [[None; 3]; 2];
        for (row, settings) in rows.iter_mut().zip([version_a(), version_b()]) {
            let settings = TraceSettings { bucket, ..settings };
            *row = means(&Curve::of(context, &stream, &cut, &settings)?);
        }
        let reference = reference.get_or_insert(rows);
        for (value, before) in rows.iter().flatten().zip(reference.iter().flatten()) {
            if let (Some(value), Some(before)) = (value, before) {
                largest = largest.max((value - before).abs());
            }
        }
        let cells = rows.into_iter().flat_map(|means| cells(means, [None; 3]));
        table.push(bucket.to_string(), cells.collect());
    }
    let notes = vec![
        format!(
            "NHs. The largest difference from 64 slots is {largest:.2} percentage points; the paper has “less than 0.5 \
             percentage points” in DO and TF."
        ),
        versions_note(),
        means_note(&stream),
        stream.note(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

pub(in crate::experiment) fn bridges(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let stream = TraceStream::new(context)?;
    let mut table = ReportTable::new("T", columns(["All", "NHs"]));
    let mut rows: Vec<Vec<ReportCell>> = vec![Vec::new(); BRIDGES.len()];
    for selection in [ChunkSelection::ALL, ChunkSelection::BEST] {
        let cut = stream.cut(context, selection)?;
        for (row, bridge_limit) in rows.iter_mut().zip(BRIDGES) {
            context.set_stage(&format!("{}, T = {bridge_limit}", selection.name));
            let settings = with(ChunkMethod {
                eviction: LUCKY,
                estimation: Estimation::BridgingExpansion,
                bridge_limit,
                ..ChunkMethod::default()
            });
            let curve = Curve::of(context, &stream, &cut, &settings)?;
            let printed = match (selection.name, bridge_limit) {
                ("All", 10) => Some(87.4),
                ("All", 1000) => Some(88.3),
                _ => None,
            };
            let printed = printed.filter(|_| stream.sizes().len() == 8);
            row.extend(cells(means(&curve), [printed, None, None]));
        }
    }
    for (bridge_limit, cells) in BRIDGES.into_iter().zip(rows) {
        table.push(bridge_limit.to_string(), cells);
    }
    let notes = vec![
        "Lucky eviction, bridging and expansion; T limits the length of a bridge, in selected chunks.".to_owned(),
        means_note(&stream),
        stream.note(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

pub(in crate::experiment) fn shingles(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let polynomial = StreamChunks::default();
    let mut table = ReportTable::new("chunks", columns(["A", "B"]));
    for (name, chunks) in [
        ("8 words", polynomial),
        ("6 words", StreamChunks { k: 6, ..polynomial }),
        ("8 words, Rabin's fingerprints", StreamChunks { hash: HashKind::Rabin, ..polynomial }),
    ] {
        context.set_stage(name);
        let stream = TraceStream::with_chunks(context, chunks)?;
        let cut = stream.cut(context, ChunkSelection::BEST)?;
        let mut row = Vec::new();
        for settings in [version_a(), version_b()] {
            let curve = Curve::of(context, &stream, &cut, &settings)?;
            row.extend(cells(means(&curve), [None; 3]));
        }
        table.push(name, row);
    }
    let stream = TraceStream::new(context)?;
    let notes = vec![
        "NHs, judged against the exact origins of the same chunks. The paper: “We experimented with shingle size k = 6 and \
         k = 8 and achieved slightly better results for 8.”"
            .to_owned(),
        versions_note(),
        means_note(&stream),
        stream.note(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}
