//! What rows of any kind have in common: names of columns, their documents, and when an id is known.

use std::borrow::Cow;
use std::ops::ControlFlow;

use hashbrown::HashSet;
use pyo3::PyErr;
use pyo3::prelude::*;
use textkin::types::{Document, DocumentSink, Problem};
use xxhash_rust::xxh3::xxh3_128;

use crate::error::DataError;

/// The names of the columns that are read.
#[derive(Clone, Debug, FromPyObject)]
pub(crate) struct Columns {
    /// Holds the id; `None` takes `id` where there is one.
    pub(crate) id: Option<String>,
    /// Holds the text.
    pub(crate) text: Option<String>,
    /// Holds the time; `None` takes `time` where there is one.
    pub(crate) time: Option<String>,
}

impl Columns {
    pub(crate) fn id_name(&self) -> &str {
        self.id.as_deref().unwrap_or("id")
    }

    pub(crate) fn text_name(&self) -> &str {
        self.text.as_deref().unwrap_or("text")
    }

    pub(crate) fn time_name(&self) -> &str {
        self.time.as_deref().unwrap_or("time")
    }
}

/// That there is no column `name`, and which there are; the closest is suggested.
pub(crate) fn no_column(name: &str, argument: &str, there: &[String]) -> PyErr {
    let close = there
        .iter()
        .map(|column| (distance(&name.to_lowercase(), &column.to_lowercase()), column))
        .filter(|(distance, _)| *distance <= name.chars().count().max(3) / 2)
        .min();
    let list = match there.len() {
        0 => "there are no columns".to_owned(),
        1..=20 => format!("columns here: {}", there.join(", ")),
        more => format!("columns here: {}, … ({more} in all)", there[..20].join(", ")),
    };
    let hint = match close {
        Some((_, column)) => format!("; did you mean {argument}='{column}'?"),
        None => format!("; say which column it is with {argument}="),
    };
    DataError::new_err(format!("no column '{name}'; {list}{hint}"))
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(100).collect();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (row, letter) in a.chars().take(100).enumerate() {
        let mut next = vec![row + 1];
        for (column, other) in b.iter().enumerate() {
            let change = last[column] + usize::from(letter != *other);
            next.push(change.min(last[column + 1] + 1).min(next[column] + 1));
        }
        last = next;
    }
    last.last().copied().unwrap_or(0)
}

/// The ids that were met.
#[derive(Debug, Default)]
pub(crate) struct Ids(HashSet<u128>);

impl Ids {
    /// Takes the id of a row; one that an earlier row has is an error.
    pub(crate) fn add(&mut self, id: &str, row: u64) -> PyResult<()> {
        if self.0.insert(xxh3_128(id.as_bytes())) {
            return Ok(());
        }
        Err(DataError::new_err(format!(
            "row {row}: an earlier row has the id '{id}' too; ids tell documents apart: name another \
             column with id=, or leave the ids out and rows are counted from 0"
        )))
    }
}

/// One document to give, or why there is none.
pub(crate) fn give(
    sink: &mut dyn DocumentSink,
    row: u64,
    id: Cow<'_, str>,
    text: Result<&str, String>,
    time: Option<Cow<'_, str>>,
) -> ControlFlow<()> {
    match text {
        Ok(text) if text.len() >= 1 << 31 => {
            let reason = "the text is longer than 2 GiB".to_owned();
            sink.problem(Problem { path: format!("row {row}"), line: None, reason })
        }
        Ok(text) => sink.document(Document {
            id,
            text: text.into(),
            time,
            notes: Vec::new(),
            metadata: None,
        }),
        Err(reason) => sink.problem(Problem { path: format!("row {row}"), line: None, reason }),
    }
}
