//! Effect of estimation word by word (Table 11), and accuracy of origins by document length (Figure 2).

use textkin::engine::trace::{Accuracy, Block, DocumentTrace, Preset, Settings as TraceSettings};

use super::stream::{ChunkSelection, TraceStream};
use super::{paper, version_b};
use crate::error::Error;
use crate::experiment::{ExperimentContext, ExperimentOutput};
use crate::report::{Plot, ReportCell, ReportTable, Series};

/// Counts the words that are copied by estimation only, and how many of them have the correct origin.
fn estimated(truth: &DocumentTrace, traced: &DocumentTrace) -> (u64, u64) {
    let has = |blocks: &[Block], origin: Option<u64>, word: u32| {
        let is_meant = |block: &&Block| {
            block.start <= word && word < block.end && origin.is_none_or(|o| o == block.origin)
        };
        blocks.iter().find(is_meant).map(|block| block.origin)
    };
    let words = traced.estimated.iter().flat_map(|&(start, end)| start..end);
    words.fold((0, 0), |(all, right), word| {
        let origin = has(&traced.blocks, None, word);
        let is_right =
            origin.is_some_and(|origin| has(&truth.blocks, Some(origin), word).is_some());
        (all + 1, right + u64::from(is_right))
    })
}

pub(in crate::experiment) fn table11(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let stream = TraceStream::new(context)?;
    let cut = stream.cut(context, ChunkSelection::BEST)?;
    let mut table = ReportTable::new("memory", ["extra-labelled words", "correct, %"]);
    for (number, &size) in stream.sizes().iter().enumerate() {
        let settings = TraceSettings { memory: stream.memory(size), ..version_b() };
        let traced = stream.traced(context, &cut, &settings)?;
        let (mut all, mut right) = (0, 0);
        for (truth, traced) in stream.judged(&traced) {
            let (one, right_one) = estimated(truth, traced);
            all += one;
            right += right_one;
        }
        let share = (all > 0).then(|| 100.0 * right as f64 / all as f64);
        let printed = paper::TABLE_11.get(number).filter(|_| stream.sizes().len() == 8).copied();
        let cells =
            vec![ReportCell::new(all as f64, 0), ReportCell::new(share, 1).with_paper(printed)];
        table.push(format!("{} %", size as f64 / 100.0), cells);
    }
    let notes = vec![
        "Words labelled as copied only by estimation, with NHs, lucky eviction, bridging and expansion. The paper counts \
         selected chunks instead: 6,694 at its largest memory size, 133,737 at its smallest."
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

    fn block(start: u32, end: u32, origin: u64) -> Block {
        let words = end - start;
        Block { start, end, origin, origin_offset: None, words, estimated: 0 }
    }

    fn traced(blocks: Vec<Block>, estimated: Vec<(u32, u32)>) -> DocumentTrace {
        DocumentTrace {
            number: 9,
            words: 20,
            chunks: 13,
            selected: 4,
            fresh_words: 0,
            old_words: 20,
            dominant_origin: 1,
            dominant_share: 1.0,
            is_clear: true,
            blocks,
            fresh: Vec::new(),
            estimated,
        }
    }

    /// Ten words are estimated: words 4 to 7 have the correct origin, words 8 to 11 another, words 12 and 13
    /// are fresh.
    #[test]
    fn a_word_is_correct_if_its_origin_is() {
        let truth = traced(vec![block(0, 8, 1), block(8, 12, 2)], Vec::new());
        let traced = traced(vec![block(0, 14, 1)], vec![(4, 14)]);
        assert_eq!(estimated(&truth, &traced), (10, 4));
        assert_eq!(estimated(&truth, &truth), (0, 0));
    }
}
