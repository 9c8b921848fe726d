//! Documents to prepared texts: the table of postings.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, BooleanBuilder, Int64Builder, ListBuilder, RecordBatch, StringBuilder,
};
use textkin::distributed::{Error, RunCounter, TextPreparer};

use super::columns::{Bytes, batch};
use super::{Options, Outcome, Step, Trouble};

/// Fingerprints in one batch, about.
const BATCH: usize = 1 << 20;

/// `id`, `text` → `id`, `document`, `digest`, `words`, `chunks`, `fingerprint`, `check`, `selected`.
pub(super) struct Prepare {
    preparer: TextPreparer,
    counter: Option<RunCounter>,
}

impl Prepare {
    pub(super) fn new(options: &Options) -> Result<Self, Error> {
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

impl Step for Prepare {
    fn feed(&mut self, rows: &RecordBatch) -> Outcome {
        let (ids, texts) = (Bytes::new(rows, "id")?, Bytes::new(rows, "text")?);
        let mut batches = Vec::new();
        let mut table = Table::default();
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
            if table.n_fingerprints >= BATCH {
                batches.push(std::mem::take(&mut table).finish()?);
            }
        }
        batches.push(table.finish()?);
        Ok(batches)
    }
}

/// The id and the text of a row.
pub(super) fn document<'a>(
    ids: &'a Bytes,
    texts: &'a Bytes,
    row: usize,
) -> Result<(&'a str, &'a str), Trouble> {
    let trouble = |words: String| Trouble::Data(words);
    let id = ids.get(row).ok_or_else(|| {
        trouble("a document has no id (null); give every document one, or filter these out".into())
    })?;
    let id = std::str::from_utf8(id).map_err(|_| trouble("an id is not valid UTF-8".into()))?;
    let text = texts.get(row).ok_or_else(|| {
        trouble(format!(
            "document '{id}' has no text (null); filter such documents out, or give them an empty text"
        ))
    })?;
    let text = std::str::from_utf8(text)
        .map_err(|_| trouble(format!("the text of document '{id}' is not valid UTF-8")))?;
    Ok((id, text))
}

#[derive(Default)]
struct Table {
    ids: StringBuilder,
    documents: Int64Builder,
    digests: BinaryBuilder,
    words: Int64Builder,
    chunks: Int64Builder,
    fingerprints: ListBuilder<Int64Builder>,
    /// Four bytes for each fingerprint: as numbers, Spark would handle them one by one.
    checks: BinaryBuilder,
    selected: ListBuilder<BooleanBuilder>,
    n_fingerprints: usize,
}

impl Table {
    fn finish(mut self) -> Result<RecordBatch, Trouble> {
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
