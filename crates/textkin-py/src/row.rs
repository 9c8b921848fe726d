//! Rows of any kind: names of columns, conversion to documents.

use std::borrow::Cow;
use std::ops::ControlFlow;

use pyo3::PyErr;
use pyo3::prelude::*;
use textkin::engine::types::{Document, DocumentSink, Problem};

use crate::error::DataError;

/// Names of the columns to read.
#[derive(Clone, Debug, FromPyObject)]
pub(crate) struct Columns {
    /// Column with the id; `None` means `id`, if there is such a column.
    pub(crate) id: Option<String>,
    /// Column with the text; `None` means `text`.
    pub(crate) text: Option<String>,
    /// Column with the time; `None` means `time`, if there is such a column.
    pub(crate) time: Option<String>,
    /// Column in which the documents of a pair must differ.
    pub(crate) across: Option<String>,
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

/// Returns the error for a missing column, which lists the columns and suggests the closest.
pub(crate) fn missing_column(name: &str, argument: &str, columns: &[String]) -> PyErr {
    let close = columns
        .iter()
        .map(|column| (distance(&name.to_lowercase(), &column.to_lowercase()), column))
        .filter(|(distance, _)| *distance <= name.chars().count().max(3) / 2)
        .min();
    let list = match columns.len() {
        0 => "there are no columns".to_owned(),
        1..=20 => format!("found {}", columns.join(", ")),
        more => format!("found {}, … ({more} in all)", columns[..20].join(", ")),
    };
    let hint = match close {
        Some((_, column)) => format!("; did you mean {argument}='{column}'?"),
        None => format!("; pass the name of the column as {argument}="),
    };
    DataError::new_err(format!("missing column '{name}'; {list}{hint}"))
}

/// Returns the Levenshtein distance.
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

/// Returns a value of a column as metadata of a document.
pub(crate) fn metadata(name: &str, value: &str) -> String {
    serde_json::json!({ name: value }).to_string()
}

/// Sends a row to the sink: a document, or the problem with it.
pub(crate) fn emit_row(
    sink: &mut dyn DocumentSink,
    row: u64,
    id: Cow<'_, str>,
    text: Result<&str, String>,
    time: Option<Cow<'_, str>>,
    metadata: Option<String>,
) -> ControlFlow<()> {
    match text {
        Ok(text) if text.len() >= 1 << 31 => {
            let reason = "the text is longer than 2 GiB".to_owned();
            sink.problem(Problem { path: format!("row {row}"), line: None, reason })
        }
        Ok(text) => {
            let metadata = metadata.map(Cow::Owned);
            sink.document(Document { time, metadata, ..Document::new(id, text) })
        }
        Err(reason) => sink.problem(Problem { path: format!("row {row}"), line: None, reason }),
    }
}

/// Returns the row of each document; rows with a problem have none.
pub(crate) fn document_rows(n_documents: usize, problems: &[Problem]) -> Vec<u64> {
    let row = |problem: &Problem| problem.path.strip_prefix("row ")?.parse::<u64>().ok();
    let n_rows = n_documents + problems.len();
    let mut problems = problems.iter().filter_map(row).peekable();
    (0..n_rows as u64).filter(|row| problems.next_if(|problem| problem == row).is_none()).collect()
}
