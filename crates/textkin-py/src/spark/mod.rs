//! Steps of a discovery on Spark: Arrow batches in, Arrow batches out.
//!
//! Spark passes every partition of a table to a step, batch by batch. `textkin::engine::distributed` does the work; this
//! module converts columns to slices and results to columns.

mod columns;
mod components;
mod counters;
mod edges;
mod postings;
mod prepare;
mod sums;

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyRecordBatch;
use textkin::engine::distributed;

pub(crate) use components::Components;

use crate::error;
use crate::settings::SettingsDict;

/// Options of a step, including the settings of the run.
struct StepOptions {
    settings: textkin::engine::Settings,
    /// Seed of the keys of texts.
    seed: u64,
    /// For each partition of the next step, the number that Spark's hash assigns to it.
    route: Vec<i32>,
    /// Memory limit of a step in bytes.
    memory: u64,
    /// Number of texts of a list that are counted together.
    block: usize,
    /// Counters of all partitions, if any.
    counters: Option<Vec<u8>>,
    /// Size of a counter in bytes.
    counter_bytes: u64,
    /// Number of documents above which a chunk is common, if the settings allow it.
    common: u32,
    /// Common chunks, in parts.
    common_chunks: Vec<Vec<u8>>,
}

impl StepOptions {
    fn new(dict: &SettingsDict<'_, '_>) -> PyResult<Self> {
        Ok(Self {
            settings: dict.settings()?,
            seed: dict.value("seed")?.unwrap_or(0),
            route: dict.value("route")?.unwrap_or_default(),
            memory: dict.size("task_memory")?.unwrap_or(256 << 20),
            block: dict.value("block")?.unwrap_or(1024),
            counters: dict.value("counters")?,
            counter_bytes: dict.value("counter_bytes")?.unwrap_or(0),
            common: dict.count("common")?.unwrap_or(distributed::CommonCutoff::MIN),
            common_chunks: dict.value("common_chunks")?.unwrap_or_default(),
        })
    }

    /// Returns the number of partitions of the next step.
    fn n_buckets(&self) -> u32 {
        u32::try_from(self.route.len()).unwrap_or(u32::MAX).max(1)
    }

    /// Returns the maximum number of items of `bytes` bytes that a step can hold.
    fn max_items(&self, bytes: u64) -> usize {
        usize::try_from(self.memory / bytes).unwrap_or(usize::MAX).max(1)
    }

    fn common_cutoff(&self) -> Option<distributed::CommonCutoff> {
        distributed::CommonCutoff::new(&self.settings, self.common)
    }

    fn preparer(&self) -> Result<distributed::TextPreparer, distributed::Error> {
        distributed::TextPreparer::new(&self.settings, self.seed)
    }
}

/// A step over one partition.
trait Step: Send + Sync {
    /// Processes a batch; returns the batches that are ready.
    fn feed(&mut self, batch: &RecordBatch) -> StepResult;

    /// Returns the remaining batches at the end of the partition.
    fn finish(&mut self) -> StepResult {
        Ok(Vec::new())
    }
}

type StepResult = Result<Vec<RecordBatch>, StepError>;

/// Failure of a step.
enum StepError {
    Step(distributed::Error),
    /// Invalid document.
    Data(String),
    /// Missing column, or one of the wrong type: the checkpoint is corrupt.
    Column(&'static str),
    Arrow(arrow_schema::ArrowError),
}

impl From<distributed::Error> for StepError {
    fn from(error: distributed::Error) -> Self {
        Self::Step(error)
    }
}

impl From<arrow_schema::ArrowError> for StepError {
    fn from(error: arrow_schema::ArrowError) -> Self {
        Self::Arrow(error)
    }
}

impl From<StepError> for PyErr {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Step(distributed::Error::Settings(error)) => error::from_textkin(&error),
            StepError::Step(error @ distributed::Error::Selector(_)) => {
                error::setting("select", &error.to_string())
            }
            StepError::Step(error) => error::Error::new_err(error.to_string()),
            StepError::Data(message) => error::DataError::new_err(message),
            StepError::Column(name) => error::Error::new_err(format!(
                "column '{name}' of an earlier step is missing or has the wrong type; delete the checkpoint and run again"
            )),
            StepError::Arrow(error) => error::Error::new_err(error.to_string()),
        }
    }
}

/// Returns the sizes among the options of a run, in bytes; `None` for a missing one.
#[pyfunction]
pub(crate) fn spark_sizes<'py>(
    py: Python<'py>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let sizes = PyDict::new(py);
    let minimum = 1 << 20;
    for name in ["task_memory", "counters"] {
        let size = SettingsDict(options).size(name)?;
        if let Some(size) = size.filter(|&size| size < minimum) {
            return Err(error::setting(name, &format!("{size} bytes is too small (minimum 1MiB)")));
        }
        sizes.set_item(name, size)?;
    }
    Ok(sizes)
}

/// A step of a discovery over one partition of a table.
#[pyclass(module = "textkin._textkin")]
pub(crate) struct SparkStep {
    step: Box<dyn Step>,
}

#[pymethods]
impl SparkStep {
    /// Creates the step `name` with the settings of the run.
    #[new]
    fn new(name: &str, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let options = StepOptions::new(&SettingsDict(options))?;
        let step: Result<Box<dyn Step>, distributed::Error> = match name {
            "count" => counters::CountStep::new(&options).map(|step| Box::new(step) as _),
            "add" => counters::AddCountersStep::new(&options).map(|step| Box::new(step) as _),
            "prepare" => prepare::PrepareStep::new(&options).map(|step| Box::new(step) as _),
            "pack" => Ok(Box::new(postings::PackStep::new(options))),
            "sort" => Ok(Box::new(postings::SortStep::new(options))),
            "merge" => Ok(Box::new(postings::MergeStep::new(options))),
            "pair" => Ok(Box::new(sums::PairStep::new(options))),
            "sum" => Ok(Box::new(sums::SumStep::new(&options))),
            "copies" => Ok(Box::new(edges::CopiesStep::new(&options))),
            "verify" => edges::VerifyStep::new(&options).map(|step| Box::new(step) as _),
            _ => return Err(error::Error::new_err(format!("unknown step '{name}'"))),
        };
        Ok(Self { step: step.map_err(StepError::from)? })
    }

    /// Processes a batch; returns the batches that are ready.
    fn feed<'py>(
        &mut self,
        py: Python<'py>,
        batch: PyRecordBatch,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let batch = batch.into_inner();
        let step = &mut self.step;
        to_python(py, py.detach(|| step.feed(&batch))?)
    }

    /// Ends the partition; returns the remaining batches.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let step = &mut self.step;
        to_python(py, py.detach(|| step.finish())?)
    }
}

fn to_python(py: Python<'_>, batches: Vec<RecordBatch>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    batches.into_iter().map(|batch| PyRecordBatch::new(batch).into_pyarrow(py)).collect()
}
