//! Connected components of a stream of edges, on the driver.

use arrow_array::{ArrayRef, Int64Array, StringArray};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use std::sync::Arc;
use textkin::engine::distributed;

use super::columns::{ByteColumn, batch};
use crate::error;

/// Connected components of edges that arrive in batches.
#[pyclass(module = "textkin._textkin")]
#[derive(Default)]
pub(crate) struct Components {
    components: distributed::Components,
}

#[pymethods]
impl Components {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Joins the documents of the columns `a` and `b` of a batch.
    fn join(&mut self, edges: PyRecordBatch) -> PyResult<()> {
        let edges = edges.into_inner();
        let (a, b) = (ByteColumn::new(&edges, "a")?, ByteColumn::new(&edges, "b")?);
        for row in 0..edges.num_rows() {
            let id = |ids: &ByteColumn| -> Option<String> {
                std::str::from_utf8(ids.get(row)?).ok().map(str::to_owned)
            };
            let (Some(a), Some(b)) = (id(&a), id(&b)) else {
                return Err(error::DataError::new_err(
                    "an id of a pair is null or not valid UTF-8",
                ));
            };
            if !self.components.join(&a, &b) {
                return Err(error::Error::new_err("too many documents for one table of clusters"));
            }
        }
        Ok(())
    }

    /// Returns the number of documents that have an edge.
    fn __len__(&self) -> usize {
        self.components.len()
    }

    /// Returns a batch of `cluster`, `size` and `id`, largest clusters first.
    fn clusters<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let clusters = std::mem::take(&mut self.components).clusters();
        let numbered = || (0i64..).zip(&clusters);
        let repeat = |value: i64, n: usize| std::iter::repeat_n(value, n);
        let numbers: Int64Array =
            numbered().flat_map(|(number, ids)| repeat(number, ids.len())).collect();
        let size = |ids: &Vec<String>| i64::try_from(ids.len()).unwrap_or(i64::MAX);
        let sizes: Int64Array =
            clusters.iter().flat_map(|ids| repeat(size(ids), ids.len())).collect();
        let ids: StringArray = clusters.iter().flatten().map(Some).collect();
        let ids: ArrayRef = Arc::new(ids);
        let batch = batch([("cluster", Arc::new(numbers)), ("size", Arc::new(sizes)), ("id", ids)]);
        PyRecordBatch::new(batch.map_err(PyErr::from)?).into_pyarrow(py)
    }
}
