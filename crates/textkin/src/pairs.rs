//! The pairs of a run as rows of a report, with the raw score if anything is excluded.
//!
//! A run with exclusions computes only the overlap after exclusions. The raw scores of its pairs
//! need a second pass over the input, which looks up pairs without searching for new ones. A limit
//! on common chunks alone needs no second pass.

use std::time::Instant;

use textkin_core::parallel;
use textkin_core::{Note, Pair, Rewind};
use textkin_graph::Overlaps;
use textkin_report::{PairRow, RunPair};

use crate::compare::CommonText;
use crate::discover::{DiscoveryOutput, RunControl, StageTiming, overlaps};
use crate::error::Error;
use crate::settings::Settings;

/// Reads `source` again and computes the overlaps without exclusions; `None` if nothing is excluded or there are no pairs.
///
/// # Errors
/// As [`discover`](crate::engine::discover()), and if the source cannot be read again.
pub fn raw_overlaps(
    source: &dyn Rewind,
    found: &mut DiscoveryOutput,
    settings: &Settings,
    control: &RunControl,
) -> Result<Option<Overlaps>, Error> {
    if let Some(uncapped) = found.uncapped.take() {
        return Ok(Some(uncapped));
    }
    if !settings.excludes() || found.graph.n_edges() == 0 {
        return Ok(None);
    }
    let start = Instant::now();
    let overlaps = overlaps(&mut *source.rewind()?, &settings.without_exclusions(), control)?;
    let seconds = start.elapsed().as_secs_f64();
    found.stages.push(StageTiming { name: "raw", seconds, bytes: 0 });
    Ok(Some(overlaps))
}

/// Turns the pairs of a run into rows of a report.
#[derive(Clone, Copy, Debug)]
pub struct PairRows<'a> {
    /// The result of the discovery.
    pub discovery: &'a DiscoveryOutput,
    /// The overlaps without exclusions, if anything is excluded.
    pub raw: Option<&'a Overlaps>,
    /// The settings of the discovery.
    pub settings: &'a Settings,
}

impl<'a> PairRows<'a> {
    /// Returns the row of a pair with the ids of its documents, without the raw score.
    #[must_use]
    pub fn row_without_raw_score(&self, pair: &Pair) -> PairRow<'a> {
        PairRow {
            a: self.discovery.documents.id(pair.a),
            b: self.discovery.documents.id(pair.b),
            a_index: pair.a,
            b_index: pair.b,
            score: pair.score,
            overlap: pair.overlap,
            reason: pair.reason,
            raw_score: None,
            confidence: None,
        }
    }

    /// Returns the score of two documents without exclusions, if anything is excluded.
    #[must_use]
    pub fn raw_score(&self, a: u32, b: u32) -> Option<f64> {
        self.raw.map(|raw| self.settings.score.score(&raw.of(a, b)))
    }

    /// Returns the rows of `pairs`, in their order.
    #[must_use]
    pub fn rows(&self, pairs: &[Pair]) -> Vec<PairRow<'a>> {
        let row = |pair: &Pair| PairRow {
            raw_score: self.raw_score(pair.a, pair.b),
            ..self.row_without_raw_score(pair)
        };
        if self.raw.is_none() {
            return pairs.iter().map(row).collect();
        }
        let rows = |part: &[Pair]| part.iter().map(row).collect::<Vec<_>>();
        parallel::map_chunks(pairs, self.settings.n_threads(), rows).into_iter().flatten().collect()
    }

    /// Returns the common text that [`Settings::max_df`] excluded from the documents of `row`, if
    /// it is set.
    #[must_use]
    pub fn common_text(&self, row: &PairRow<'_>) -> Option<CommonText<'a>> {
        let common = self.discovery.common_words.as_ref()?;
        let (a, b) = (common.of(row.a_index), common.of(row.b_index));
        Some(CommonText { a, b, overlap: Some(row.overlap) })
    }

    /// Returns the notes of a document.
    #[must_use]
    pub fn notes(&self, document: u32) -> Vec<Note> {
        let notes = &self.discovery.notes;
        let index = notes.binary_search_by_key(&document, |entry| entry.document);
        index.map_or_else(|_| Vec::new(), |index| notes[index].notes.clone())
    }

    /// Returns the context of `row`, pair number `number` of the run, for a comparison report.
    #[must_use]
    pub fn run_pair(&self, number: usize, row: &PairRow<'_>) -> RunPair<'static> {
        RunPair {
            number,
            by: self.settings.score.name(),
            score: row.score,
            raw_score: row.raw_score,
            documents: self.discovery.counts.documents,
            max_df: self.settings.max_df,
            overlap: row.overlap,
            reason: row.reason,
        }
    }
}
