//! `discover`, and what it found.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use textkin::core::{Cluster, Pair};
use textkin::graph::{Clustering, Overlaps};
use textkin::report::PairColumns;
use textkin::source::Inputs;
use textkin::{Discovery, Pairs, Settings, discover as relate, know_collection, raw_overlaps};

use crate::data::Data;
use crate::error;
use crate::run::run;
use crate::settings::Given;
use crate::table::Table;

/// Rows of one batch of a table.
const ROWS: usize = 1 << 16;

/// What a discovery found.
#[pyclass(frozen, module = "textkin._textkin")]
#[derive(Debug)]
pub(crate) struct Found {
    found: Discovery,
    raw: Option<Overlaps>,
    settings: Settings,
}

/// Relates the documents of `data` to one another.
#[pyfunction]
#[pyo3(signature = (data, settings, progress = None))]
pub(crate) fn discover(
    py: Python<'_>,
    data: Data,
    settings: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Found> {
    let given = Given(settings);
    let mut settings = given.settings()?;
    let stop_frequent = given.count("stop_frequent")?.map(|number| number as usize);
    if settings.excludes_words() || stop_frequent.is_some() || settings.select.needs_collection() {
        data.needs_two_readings()?;
    }
    let mut opened = data.open(py, &given)?;
    let source = opened.source();
    let (found, raw) = run(py, opened.feed(), progress.as_ref(), |watch| {
        let mut inputs: Inputs = source()?;
        know_collection(&inputs, &mut settings, stop_frequent, watch)?;
        let mut found = relate(&mut inputs, &settings, watch)?;
        let raw = raw_overlaps(&inputs, &mut found, &settings, watch)?;
        Ok((found, raw))
    })?;
    Ok(Found { found, raw, settings })
}

impl Found {
    fn pairs(&self) -> Pairs<'_> {
        Pairs { found: &self.found, raw: self.raw.as_ref(), settings: &self.settings }
    }

    fn table_of(&self) -> Result<Table, arrow::error::ArrowError> {
        let pairs = self.pairs();
        let mut columns = PairColumns::new(self.settings.excludes());
        let mut batches = Vec::new();
        let mut next = self.found.graph.rows();
        loop {
            let rows = pairs.rows(&next.by_ref().take(ROWS).collect::<Vec<Pair>>());
            if rows.is_empty() {
                return Ok(Table::new(columns.schema(), batches));
            }
            rows.iter().for_each(|row| columns.push(row));
            batches.push(columns.take()?);
        }
    }
}

#[pymethods]
impl Found {
    /// Number of pairs.
    fn n_pairs(&self) -> u64 {
        self.found.graph.n_edges()
    }

    /// Number of documents.
    fn n_documents(&self) -> usize {
        self.found.documents.len()
    }

    /// The pairs as a table.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        let made = py.detach(|| self.table_of());
        made.map_err(|error| error::Error::new_err(error.to_string()))
    }

    /// The ids of the members of each cluster, with density and weakest score.
    fn clusters(&self, py: Python<'_>, by: &str) -> PyResult<Vec<(Vec<String>, f64, f64)>> {
        let by: Clustering =
            by.parse().map_err(|words: String| error::setting("cluster_by", &words))?;
        let clusters: Vec<Cluster> = py.detach(|| self.found.graph.clusters(by));
        let id = |&member: &u32| self.found.documents.id(member).to_owned();
        let cluster = |cluster: Cluster| {
            (cluster.members.iter().map(id).collect(), cluster.density, cluster.weakest)
        };
        Ok(clusters.into_iter().map(cluster).collect())
    }

    /// The documents that could not be read, in words.
    fn problems(&self) -> Vec<String> {
        self.found.problems.iter().map(ToString::to_string).collect()
    }
}
