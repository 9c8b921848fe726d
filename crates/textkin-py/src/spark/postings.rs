//! From postings to lists of texts, and from lists to pieces of work.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BinaryArray, Int32Array, Int64Array, RecordBatch};
use textkin::engine::distributed::{
    ListMerger, PostingsPacker, PostingsSorter, TextSizes, WorkItem,
};

use super::columns::{ByteColumn, batch, integer_column, integers, lists, packed};
use super::{Step, StepError, StepOptions, StepResult};

/// `document`, `words`, `chunks`, `copies`, `fingerprint`, `check`, `selected` → `bucket`, `bytes`.
pub(super) struct PackStep {
    packer: PostingsPacker,
    options: StepOptions,
}

impl PackStep {
    pub(super) fn new(options: StepOptions) -> Self {
        let packer = PostingsPacker::new(options.n_buckets(), options.max_items(4));
        Self { packer, options }
    }
}

impl Step for PackStep {
    fn feed(&mut self, rows: &RecordBatch) -> StepResult {
        let (documents, words) = (integers(rows, "document")?, integers(rows, "words")?);
        let (chunks, copies) = (integers(rows, "chunks")?, integers(rows, "copies")?);
        let (fingerprints, checks) = (lists(rows, "fingerprint")?, ByteColumn::new(rows, "check")?);
        let selected = lists(rows, "selected")?;
        let mut batches = Vec::new();
        for row in 0..rows.num_rows() {
            let size = |column: &Int64Array, name| {
                u32::try_from(column.value(row)).map_err(|_| StepError::Column(name))
            };
            let text = TextSizes {
                key: documents.value(row),
                words: size(words, "words")?,
                chunks: size(chunks, "chunks")?,
                copies: size(copies, "copies")?,
            };
            let fingerprints = fingerprints.value(row);
            let fingerprints = fingerprints
                .as_primitive_opt::<Int64Type>()
                .ok_or(StepError::Column("fingerprint"))?;
            let (checks, []) = checks.get(row).unwrap_or_default().as_chunks() else {
                return Err(StepError::Column("check"));
            };
            let checks: Vec<i32> = checks.iter().map(|&bytes| i32::from_le_bytes(bytes)).collect();
            let flags: Option<Vec<bool>> = match selected.is_valid(row) {
                false => None,
                true => {
                    let flags = selected.value(row);
                    let flags = flags.as_boolean_opt().ok_or(StepError::Column("selected"))?;
                    Some(flags.values().iter().collect())
                }
            };
            self.packer.add(text, fingerprints.values(), &checks, flags.as_deref())?;
            if self.packer.is_full() {
                batches.extend(packed(&self.options, self.packer.pack())?);
            }
        }
        Ok(batches)
    }

    fn finish(&mut self) -> StepResult {
        packed(&self.options, self.packer.pack())
    }
}

/// All `bucket`, `bytes` of some buckets of postings → `bucket`, `bytes` of lists.
pub(super) struct SortStep {
    sorter: PostingsSorter,
    options: StepOptions,
}

impl SortStep {
    pub(super) fn new(options: StepOptions) -> Self {
        Self { sorter: PostingsSorter::default(), options }
    }
}

impl Step for SortStep {
    fn feed(&mut self, rows: &RecordBatch) -> StepResult {
        let bytes = ByteColumn::new(rows, "bytes")?;
        for row in 0..rows.num_rows() {
            self.sorter.add(bytes.get(row).unwrap_or_default())?;
        }
        Ok(Vec::new())
    }

    fn finish(&mut self) -> StepResult {
        let sorter = std::mem::take(&mut self.sorter);
        packed(&self.options, sorter.lists(self.options.n_buckets(), self.options.common_cutoff()))
    }
}

/// All `bucket`, `bytes` of some buckets of lists → pieces of work, and one row of totals.
pub(super) struct MergeStep {
    merger: ListMerger,
    options: StepOptions,
}

impl MergeStep {
    pub(super) fn new(options: StepOptions) -> Self {
        Self { merger: ListMerger::default(), options }
    }
}

impl Step for MergeStep {
    fn feed(&mut self, rows: &RecordBatch) -> StepResult {
        let bytes = ByteColumn::new(rows, "bytes")?;
        for row in 0..rows.num_rows() {
            self.merger.add(bytes.get(row).unwrap_or_default())?;
        }
        Ok(Vec::new())
    }

    fn finish(&mut self) -> StepResult {
        let merger = std::mem::take(&mut self.merger);
        let work = merger.work(self.options.block);
        // A piece of work is about a megabyte, so sixteen make a batch of the default size.
        let mut batches: Vec<_> =
            work.chunks(16).map(|work| work_batch(WORK, work)).collect::<Result<_, _>>()?;
        if !merger.common_chunks().is_empty() {
            let common_chunks =
                WorkItem { bytes: merger.common_chunks().to_vec(), ..WorkItem::default() };
            batches.push(work_batch(COMMON_CHUNKS, &[common_chunks])?);
        }
        let totals = work.iter().fold(WorkItem::default(), |totals, work| WorkItem {
            lists: totals.lists + work.lists,
            chunks: totals.chunks + work.chunks,
            steps: totals.steps + work.steps,
            pairs: totals.pairs + work.pairs,
            self_pairs: totals.self_pairs + work.self_pairs,
            ..totals
        });
        batches.push(work_batch(TOTALS, &[totals])?);
        Ok(batches)
    }
}

/// Kinds of rows in the table of lists.
const WORK: i32 = 0;
const COMMON_CHUNKS: i32 = 1;
const TOTALS: i32 = 2;

fn work_batch(kind: i32, work: &[WorkItem]) -> Result<RecordBatch, StepError> {
    let column = |value: fn(&WorkItem) -> u64| integer_column(work.iter().map(value));
    let salts: ArrayRef = Arc::new(work.iter().map(|work| work.salt).collect::<Int64Array>());
    let bytes = BinaryArray::from_iter_values(work.iter().map(|work| &work.bytes));
    let kinds = Int32Array::from(vec![kind; work.len()]);
    batch([
        ("kind", Arc::new(kinds)),
        ("salt", salts),
        ("lists", column(|work| work.lists)),
        ("chunks", column(|work| work.chunks)),
        ("steps", column(|work| work.steps)),
        ("pairs", column(|work| work.pairs)),
        ("selves", column(|work| work.self_pairs)),
        ("bytes", Arc::new(bytes)),
    ])
}
