//! Statistics of the stream (Table 1), effect of estimation chunk by chunk (Table 11), and accuracy of origins by
//! document length (Figure 2).

use textkin::engine::trace::{Accuracy, ChunkOrigin, Preset, Settings as TraceSettings};

use super::stream::{ChunkSelection, TraceStream};
use super::{paper, version_b};
use crate::error::Error;
use crate::experiment::{ExperimentContext, ExperimentOutput};
use crate::report::{Plot, ReportCell, ReportTable, Series};

/// Counts the extra-labelled chunks of a document, those whose origin is estimated, and how many of the estimates
/// are correct. `selection` has the index of each selected chunk among all chunks, `exact` the origin of each of those.
fn extra_labelled(
    origins: impl Iterator<Item = ChunkOrigin>,
    selection: &[u32],
    exact: &[Option<u64>],
) -> (u64, u64) {
    let of_chunk = |index: &u32| exact.get(*index as usize).copied().flatten();
    let estimated = origins.zip(selection).filter(|(chunk, _)| chunk.is_estimated);
    estimated.fold((0, 0), |(all, right), (chunk, index)| {
        (all + 1, right + u64::from(chunk.origin == of_chunk(index)))
    })
}

pub(in crate::experiment) fn table11(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let stream = TraceStream::new(context)?;
    let exact = stream.exact_origins(context)?;
    let cut = stream.cut(context, ChunkSelection::BEST)?;
    let mut table = ReportTable::new("memory", ["extra-labelled chunks", "correct, %"]);
    for (number, &size) in stream.sizes().iter().enumerate() {
        let settings = TraceSettings { memory: stream.memory(size), ..version_b() };
        let (mut all, mut right) = (0, 0);
        let mut document = 0;
        stream.trace_each(context, &cut, &settings, |selection, _, tracer| {
            // As in the other tables, the second half counts.
            if document >= exact.len() / 2 {
                let exact = exact.get(document).map_or(&[][..], Vec::as_slice);
                let (extra, correct) = extra_labelled(tracer.chunk_origins(), selection, exact);
                all += extra;
                right += correct;
            }
            document += 1;
        })?;
        let share = (all > 0).then(|| 100.0 * right as f64 / all as f64);
        let has_all = stream.sizes().len() == 8;
        let printed = paper::TABLE_11.get(number).filter(|_| has_all).copied();
        let cells =
            vec![ReportCell::new(all as f64, 0), ReportCell::new(share, 1).with_paper(printed)];
        table.push(format!("{} %", size as f64 / 100.0), cells);
    }
    let notes = vec![
        "Selected chunks that have an origin only by estimation, with NHs, lucky eviction, bridging and expansion. The \
         paper has 6,694 of them at its largest memory size and 133,737 at its smallest."
            .to_owned(),
        stream.note(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

/// Counts the copied chunks of a document, its copied blocks (maximal runs of chunks of one origin), and the words of
/// these blocks.
fn copied(exact: &[Option<u64>], k: u64) -> [u64; 3] {
    let blocks = exact.chunk_by(|a, b| a == b).filter(|run| run[0].is_some());
    blocks.fold([0; 3], |[chunks, blocks, words], run| {
        let n = run.len() as u64;
        [chunks + n, blocks + 1, words + n + k - 1]
    })
}

pub(in crate::experiment) fn table1(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let stream = TraceStream::new(context)?;
    let exact = stream.exact_origins(context)?;
    let [chunks, blocks, words] = exact.iter().fold([0; 3], |sum, document| {
        let copied = copied(document, 8);
        std::array::from_fn(|at| sum[at] + copied[at])
    });
    let n_documents = stream.truth().len() as f64;
    let clear = stream.truth().iter().filter(|trace| trace.is_clear).count() as f64;
    let n_chunks = stream.n_chunks() as f64;
    let share = |part: f64, of: f64| (of > 0.0).then_some(part / of);
    let percent = |part: f64, of: f64| share(100.0 * part, of);
    let mut table = ReportTable::new("statistic", ["value"]);
    for (name, value, decimals, paper) in [
        ("documents", Some(n_documents), 0, None),
        ("chunks", Some(n_chunks), 0, None),
        ("chunks per document", share(n_chunks, n_documents), 0, Some(197.0)),
        ("documents with a dominant origin, %", percent(clear, n_documents), 0, Some(94.0)),
        ("words per copied block", share(words as f64, blocks as f64), 0, Some(17.0)),
        ("copied chunks, %", percent(chunks as f64, n_chunks), 0, Some(36.0)),
    ] {
        table.push(name, vec![ReportCell::new(value, decimals).with_paper(paper)]);
    }
    let notes = vec![
        "The paper's figures are those of its 8,666,731 blogs with 1.71 billion chunks; its 1,360,393 Swiss pages with 0.78 \
         billion chunks have 570 chunks per document, 92 % with a dominant origin, 13 words per copied block and 16 % \
         copied chunks."
            .to_owned(),
        stream.note(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

/// Minimum chunks per document of each row. The shortest document of the paper has 38 chunks, its plot ends
/// at 350.
const LENGTHS: [u32; 9] = [38, 60, 80, 110, 150, 200, 270, 350, 700];

pub(in crate::experiment) fn figure2(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let stream = TraceStream::new(context)?;
    let cut = stream.cut(context, ChunkSelection::BEST)?;
    let smallest = stream.sizes().last().copied().unwrap_or(10);
    let memory = stream.memory(smallest);
    let mut table = ReportTable::new(
        "chunks per document",
        [
            "documents",
            "NHs, version B: DO, %",
            "NHs, version B: DOc, %",
            "kin: DO, %",
            "kin: DOc, %",
        ],
    );
    let configurations = [version_b(), Preset::Kin.settings(memory)];
    let mut by_length = [[Accuracy::default(); 2]; LENGTHS.len()];
    for (configuration, settings) in configurations.into_iter().enumerate() {
        let traced = stream.traced(context, &cut, &TraceSettings { memory, ..settings })?;
        for (truth, traced) in stream.judged(&traced) {
            let row = LENGTHS.partition_point(|length| *length <= truth.chunks).checked_sub(1);
            let cell = row
                .and_then(|row| by_length.get_mut(row))
                .and_then(|row| row.get_mut(configuration));
            if let Some(accuracy) = cell {
                accuracy.add(truth, traced);
            }
        }
    }
    let mut series =
        ["NHs, version B", "kin"].map(|name| Series { name: name.to_owned(), points: Vec::new() });
    for (number, row) in by_length.iter().enumerate() {
        let from = LENGTHS.get(number).copied().unwrap_or(0);
        let name = match LENGTHS.get(number + 1) {
            Some(next) => format!("{from}–{}", next - 1),
            None => format!("{from} and more"),
        };
        let (clear, copied) = row[0].n_documents();
        let mut cells = vec![ReportCell::new(clear as f64, 0)];
        for (accuracy, series) in row.iter().zip(&mut series) {
            let scores = accuracy.scores();
            let dominant = (clear > 0).then_some(100.0 * scores.dominant);
            let of_copies = (copied > 0).then_some(100.0 * scores.dominant_of_copies);
            cells.extend([ReportCell::new(dominant, 1), ReportCell::new(of_copies, 1)]);
            series.points.extend(dominant.map(|share| (f64::from(from), share)));
        }
        table.push(name, cells);
    }
    let plots = vec![Plot {
        title: "Dominant origins by document length, smallest memory".to_owned(),
        x: "minimum chunks per document".to_owned(),
        y: "correct dominant origins, %".to_owned(),
        is_logarithmic: true,
        series: series.to_vec(),
    }];
    let notes = vec![
        format!(
            "Memory for {} % of the distinct chunks; DOc is DO over copied documents only. The paper shows a curve without \
             numbers, at 0.1 %: the longer a document, the more often its origin is correct.",
            smallest as f64 / 100.0
        ),
        stream.note(),
    ];
    Ok(ExperimentOutput { table, plots, notes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(start: u32, origin: Option<u64>, is_estimated: bool) -> ChunkOrigin {
        ChunkOrigin { start, end: start + 8, n_chunks: 1, origin, is_estimated }
    }

    /// Of five selected chunks, two were found and three are estimated: one has the correct origin, one another
    /// origin, one is new.
    #[test]
    fn extra_labelled_chunks_are_those_with_an_estimated_origin() {
        let origins = [
            chunk(0, Some(1), false),
            chunk(3, Some(1), true),
            chunk(5, Some(1), true),
            chunk(6, None, false),
            chunk(9, Some(1), true),
        ];
        let exact = [Some(1), Some(1), Some(1), Some(1), None, Some(2), None, None, None, None];
        let counted = extra_labelled(origins.into_iter(), &[0, 3, 5, 6, 9], &exact);
        assert_eq!(counted, (3, 1));
    }

    /// “We call a maximum sequences of selected shingles with the same origin a copied block” (section 3.1): here one
    /// of two chunks, 9 words, one of one chunk and one of another origin that follows it.
    #[test]
    fn copied_blocks_are_maximal_runs_of_one_origin() {
        let exact = [None, Some(1), Some(1), None, Some(1), Some(2)];
        assert_eq!(copied(&exact, 8), [4, 3, 9 + 8 + 8]);
        assert_eq!(copied(&[None], 8), [0, 0, 0]);
    }
}
