//! The counters of SPEX: counted per partition, passed on in slices, added up.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use textkin::engine::distributed::{Error, RunCounter, TextPreparer};

use super::columns::{ByteColumn, numbered_bytes, small_integers};
use super::prepare::document;
use super::{Step, StepOptions, StepResult};

/// Bytes per slice.
const SLICE_BYTES: usize = 1 << 20;

/// `id`, `text` → `slice`, `bytes`.
pub(super) struct CountStep {
    preparer: TextPreparer,
    counter: Option<RunCounter>,
}

impl CountStep {
    pub(super) fn new(options: &StepOptions) -> Result<Self, Error> {
        let preparer = options.preparer()?;
        let counter = preparer.counter(options.counter_bytes);
        Ok(Self { preparer, counter })
    }
}

impl Step for CountStep {
    fn feed(&mut self, rows: &RecordBatch) -> StepResult {
        let Some(counter) = &self.counter else { return Ok(Vec::new()) };
        let (ids, texts) = (ByteColumn::new(rows, "id")?, ByteColumn::new(rows, "text")?);
        for row in 0..rows.num_rows() {
            self.preparer.count(document(&ids, &texts, row)?.1, counter);
        }
        Ok(Vec::new())
    }

    fn finish(&mut self) -> StepResult {
        let Some(counter) = self.counter.take() else { return Ok(Vec::new()) };
        let bytes = counter.to_bytes();
        numbered_bytes("slice", (0..).zip(bytes.chunks(SLICE_BYTES).map(<[u8]>::to_vec)))
    }
}

/// All `slice`, `bytes` of some slices → their sums, one row for each slice.
pub(super) struct AddCountersStep {
    preparer: TextPreparer,
    sums: BTreeMap<i32, RunCounter>,
}

impl AddCountersStep {
    pub(super) fn new(options: &StepOptions) -> Result<Self, Error> {
        Ok(Self { preparer: options.preparer()?, sums: BTreeMap::new() })
    }
}

impl Step for AddCountersStep {
    fn feed(&mut self, rows: &RecordBatch) -> StepResult {
        let (slices, bytes) = (small_integers(rows, "slice")?, ByteColumn::new(rows, "bytes")?);
        for (row, &slice) in slices.values().iter().enumerate() {
            let bytes = bytes.get(row).unwrap_or_default();
            if let std::collections::btree_map::Entry::Vacant(new) = self.sums.entry(slice)
                && let Some(counter) = self.preparer.counter(bytes.len() as u64)
            {
                new.insert(counter);
            }
            if let Some(sum) = self.sums.get(&slice) {
                sum.add(bytes)?;
            }
        }
        Ok(Vec::new())
    }

    fn finish(&mut self) -> StepResult {
        let sums = std::mem::take(&mut self.sums);
        numbered_bytes("slice", sums.into_iter().map(|(slice, sum)| (slice, sum.to_bytes())))
    }
}
