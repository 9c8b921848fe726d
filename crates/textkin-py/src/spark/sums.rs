//! From work to sums of pairs, and from sums to candidates.

use std::sync::Arc;

use arrow_array::{BinaryArray, Int32Array, Int64Array, RecordBatch};
use textkin::engine::distributed::{CandidatePair, PairCounter, PairMerger, PairTotals};
use textkin::engine::types::{Measure, Overlap};

use super::columns::{ByteColumn, batch, integer_column, packed};
use super::{Step, StepError, StepOptions, StepResult};

/// Kinds of rows in the table of candidates.
const PAIR: i32 = 0;
const COPIES: i32 = 1;
const TOTALS: i32 = 2;

/// `bytes` of work → `bucket`, `bytes` of sums.
pub(super) struct PairStep {
    counter: PairCounter,
    options: StepOptions,
}

impl PairStep {
    pub(super) fn new(options: StepOptions) -> Self {
        let counter = PairCounter::new(options.n_buckets(), options.max_items(256));
        Self { counter, options }
    }
}

impl Step for PairStep {
    fn feed(&mut self, rows: &RecordBatch) -> StepResult {
        let bytes = ByteColumn::new(rows, "bytes")?;
        let mut batches = Vec::new();
        for row in 0..rows.num_rows() {
            self.counter.add(bytes.get(row).unwrap_or_default())?;
            if self.counter.is_full() {
                batches.extend(packed(&self.options, self.counter.pack())?);
            }
        }
        Ok(batches)
    }

    fn finish(&mut self) -> StepResult {
        packed(&self.options, self.counter.pack())
    }
}

/// All `bucket`, `bytes` of some buckets of sums → candidates, and one row of totals.
pub(super) struct SumStep {
    merger: Option<PairMerger>,
}

impl SumStep {
    pub(super) fn new(options: &StepOptions) -> Self {
        let settings = &options.settings;
        let (measure, threshold): (Measure, f64) = (settings.score, settings.threshold);
        let selective = !settings.select.is_lossless();
        Self {
            merger: Some(PairMerger::new(measure, threshold, selective, options.common_cutoff())),
        }
    }
}

impl Step for SumStep {
    fn feed(&mut self, rows: &RecordBatch) -> StepResult {
        let bytes = ByteColumn::new(rows, "bytes")?;
        if let Some(merger) = &mut self.merger {
            for row in 0..rows.num_rows() {
                merger.add(bytes.get(row).unwrap_or_default())?;
            }
        }
        Ok(Vec::new())
    }

    fn finish(&mut self) -> StepResult {
        let Some(merger) = self.merger.take() else { return Ok(Vec::new()) };
        let (candidates, totals) = merger.finish();
        let parts = candidates.chunks(1 << 16).map(candidate_batch);
        parts.chain([totals_batch(totals)]).collect()
    }
}

fn candidate_batch(candidates: &[CandidatePair]) -> Result<RecordBatch, StepError> {
    let kind = |pair: &CandidatePair| if pair.a == pair.b { COPIES } else { PAIR };
    let kinds: Int32Array = candidates.iter().map(kind).collect();
    let keys = |key: fn(&CandidatePair) -> i64| candidates.iter().map(key).collect::<Int64Array>();
    let count =
        |of: fn(&Overlap) -> u64| integer_column(candidates.iter().map(|pair| of(&pair.overlap)));
    let rarity = candidates.iter().map(|pair| pair.rarity.to_le_bytes());
    let rarity = BinaryArray::from_iter_values(rarity);
    rows(
        kinds,
        keys(|pair| pair.a),
        keys(|pair| pair.b),
        rarity,
        [
            count(|overlap| overlap.shared),
            count(|overlap| overlap.words_a),
            count(|overlap| overlap.words_b),
            count(|overlap| overlap.chunks_a),
            count(|overlap| overlap.chunks_b),
        ],
    )
}

/// Builds the row of totals. Its columns of counts contain found, pairs, self-pairs, candidates and words.
fn totals_batch(totals: PairTotals) -> Result<RecordBatch, StepError> {
    let zero = || Int64Array::from(vec![0]);
    let PairTotals { found, pairs, self_pairs, candidates, words } = totals;
    let counts = [found, pairs, self_pairs, candidates, words].map(|value| integer_column([value]));
    let rarity = BinaryArray::from_iter_values([0u128.to_le_bytes()]);
    rows(Int32Array::from(vec![TOTALS]), zero(), zero(), rarity, counts)
}

fn rows(
    kinds: Int32Array,
    a: Int64Array,
    b: Int64Array,
    rarity: BinaryArray,
    counts: [arrow_array::ArrayRef; 5],
) -> Result<RecordBatch, StepError> {
    let [shared, words_a, words_b, chunks_a, chunks_b] = counts;
    batch([
        ("kind", Arc::new(kinds)),
        ("a", Arc::new(a)),
        ("b", Arc::new(b)),
        ("rarity", Arc::new(rarity)),
        ("shared", shared),
        ("words_a", words_a),
        ("words_b", words_b),
        ("chunks_a", chunks_a),
        ("chunks_b", chunks_b),
    ])
}
