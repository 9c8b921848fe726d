//! From documents to prepared texts: the table of postings.

use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Int64Builder, ListBuilder, StringBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use textkin::engine::distributed::{Error, RunCounter, TextPreparer};

use super::columns::{ByteColumn, batch};
use super::{Step, StepError, StepOptions, StepResult};

/// Approximate fingerprints of one batch.
const BATCH_FINGERPRINTS: usize = 1 << 20;

/// `id`, `text` → `id`, `document`, `digest`, `words`, `chunks`, `fingerprint`, `check`, `selected`.
pub(super) struct PrepareStep {
    preparer: TextPreparer,
    counter: Option<RunCounter>,
}

impl PrepareStep {
    pub(super) fn new(options: &StepOptions) -> Result<Self, Error> {
        let preparer = options.preparer()?;
        let counter = match &options.counters {
            Some(bytes) => preparer.counter(bytes.len() as u64),
            None => None,
        };
        if let (Some(counter), Some(bytes)) = (&counter, &options.counters) {
            counter.add(bytes)?;
        }
        Ok(Self { preparer, counter })
    }
}

impl Step for PrepareStep {
    fn feed(&mut self, rows: &RecordBatch) -> StepResult {
        let (ids, texts) = (ByteColumn::new(rows, "id")?, ByteColumn::new(rows, "text")?);
        let mut batches = Vec::new();
        let mut table = PreparedTable::default();
        for row in 0..rows.num_rows() {
            let (id, text) = document(&ids, &texts, row)?;
            let prepared = self.preparer.prepare(text, self.counter.as_ref());
            table.ids.append_value(id);
            table.documents.append_value(prepared.key);
            table.digests.append_value(prepared.digest);
            table.words.append_value(i64::from(prepared.words));
            table.chunks.append_value(i64::from(prepared.chunks));
            table.n_fingerprints += prepared.fingerprints.len();
            table.fingerprints.values().append_slice(&prepared.fingerprints);
            table.fingerprints.append(true);
            let checks = prepared.checks.iter().flat_map(|check| check.to_le_bytes());
            table.checks.append_value(checks.collect::<Vec<u8>>());
            if let Some(selected) = &prepared.selected {
                table.selected.values().append_slice(selected);
            }
            table.selected.append(prepared.selected.is_some());
            if table.n_fingerprints >= BATCH_FINGERPRINTS {
                batches.push(std::mem::take(&mut table).finish()?);
            }
        }
        batches.push(table.finish()?);
        Ok(batches)
    }
}

/// Returns the id and the text of a row.
pub(super) fn document<'a>(
    ids: &'a ByteColumn,
    texts: &'a ByteColumn,
    row: usize,
) -> Result<(&'a str, &'a str), StepError> {
    let invalid = |message: String| StepError::Data(message);
    let id = ids.get(row).ok_or_else(|| {
        invalid(
            "the id of a document is null; filter such documents out, or give them an id".into(),
        )
    })?;
    let id = std::str::from_utf8(id).map_err(|_| invalid("an id is not valid UTF-8".into()))?;
    let text = texts.get(row).ok_or_else(|| {
        invalid(format!(
            "the text of document '{id}' is null; filter such documents out, or give them an empty text"
        ))
    })?;
    let text = std::str::from_utf8(text)
        .map_err(|_| invalid(format!("the text of document '{id}' is not valid UTF-8")))?;
    Ok((id, text))
}

#[derive(Default)]
struct PreparedTable {
    ids: StringBuilder,
    documents: Int64Builder,
    digests: BinaryBuilder,
    words: Int64Builder,
    chunks: Int64Builder,
    fingerprints: ListBuilder<Int64Builder>,
    /// Four bytes per fingerprint. As an array of numbers, Spark would process them one by one.
    checks: BinaryBuilder,
    selected: ListBuilder<BooleanBuilder>,
    n_fingerprints: usize,
}

impl PreparedTable {
    fn finish(mut self) -> Result<RecordBatch, StepError> {
        let column = |array: ArrayRef| array;
        batch([
            ("id", column(Arc::new(self.ids.finish()))),
            ("document", column(Arc::new(self.documents.finish()))),
            ("digest", column(Arc::new(self.digests.finish()))),
            ("words", column(Arc::new(self.words.finish()))),
            ("chunks", column(Arc::new(self.chunks.finish()))),
            ("fingerprint", column(Arc::new(self.fingerprints.finish()))),
            ("check", column(Arc::new(self.checks.finish()))),
            ("selected", column(Arc::new(self.selected.finish()))),
        ])
    }
}
