//! The steps of a discovery on Spark: Arrow batches in, Arrow batches out.
//!
//! Spark hands every part of a table to a step, batch by batch; what a step does is in
//! `textkin::distributed`. Here columns become slices and results become columns.

mod columns;
mod components;
mod counters;
mod edges;
mod postings;
mod prepare;
mod sums;

use arrow::array::RecordBatch;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyRecordBatch;
use textkin::distributed;

pub(crate) use components::Components;

use crate::error;
use crate::settings::Given;

/// What a step is told beside the settings of the run.
struct Options {
    settings: textkin::Settings,
    /// Of what the keys of texts are made.
    seed: u64,
    /// The numbers that lead to each part of the next step.
    route: Vec<i32>,
    /// Bytes that a step may hold.
    memory: u64,
    /// Texts of a list that are counted together.
    block: usize,
    /// The counters of all parts, if there are any.
    counters: Option<Vec<u8>>,
    /// Bytes of a counter.
    counter_bytes: u64,
    /// Documents from which on a chunk is common, where the settings allow it.
    common: u32,
    /// The common chunks, in parts.
    common_chunks: Vec<Vec<u8>>,
}

impl Options {
    fn new(given: &Given<'_, '_>) -> PyResult<Self> {
        Ok(Self {
            settings: given.settings()?,
            seed: given.value("seed")?.unwrap_or(0),
            route: given.value("route")?.unwrap_or_default(),
            memory: given.size("task_memory")?.unwrap_or(256 << 20),
            block: given.value("block")?.unwrap_or(1024),
            counters: given.value("counters")?,
            counter_bytes: given.value("counter_bytes")?.unwrap_or(0),
            common: given.count("common")?.unwrap_or(distributed::CommonCutoff::MIN),
            common_chunks: given.value("commons")?.unwrap_or_default(),
        })
    }

    /// Parts of the next step.
    fn n_buckets(&self) -> u32 {
        u32::try_from(self.route.len()).unwrap_or(u32::MAX).max(1)
    }

    /// How many things of `bytes` bytes a step may hold.
    fn most(&self, bytes: u64) -> usize {
        usize::try_from(self.memory / bytes).unwrap_or(usize::MAX).max(1)
    }

    fn cut(&self) -> Option<distributed::CommonCutoff> {
        distributed::CommonCutoff::new(&self.settings, self.common)
    }

    fn preparer(&self) -> Result<distributed::TextPreparer, distributed::Error> {
        distributed::TextPreparer::new(&self.settings, self.seed)
    }
}

/// One step over one part.
trait Step: Send + Sync {
    /// Takes a batch; what is ready then.
    fn feed(&mut self, batch: &RecordBatch) -> Outcome;

    /// What is ready at the end of the part.
    fn finish(&mut self) -> Outcome {
        Ok(Vec::new())
    }
}

type Outcome = Result<Vec<RecordBatch>, Trouble>;

/// Why a step failed.
enum Trouble {
    Step(distributed::Error),
    /// What a document lacks.
    Data(String),
    /// A column that is missing or of another kind: of an earlier version, or damaged.
    Column(&'static str),
    Arrow(arrow::error::ArrowError),
}

impl From<distributed::Error> for Trouble {
    fn from(error: distributed::Error) -> Self {
        Self::Step(error)
    }
}

impl From<arrow::error::ArrowError> for Trouble {
    fn from(error: arrow::error::ArrowError) -> Self {
        Self::Arrow(error)
    }
}

impl From<Trouble> for PyErr {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Step(distributed::Error::Settings(error)) => error::of_textkin(&error),
            Trouble::Step(error @ distributed::Error::Selector(_)) => {
                error::setting("select", &error.to_string())
            }
            Trouble::Step(error) => error::Error::new_err(error.to_string()),
            Trouble::Data(words) => error::DataError::new_err(words),
            Trouble::Column(name) => error::Error::new_err(format!(
                "the column '{name}' of an earlier step is missing or of another kind; delete the checkpoint and run again"
            )),
            Trouble::Arrow(error) => error::Error::new_err(error.to_string()),
        }
    }
}

/// The sizes among the options of a run, as numbers of bytes; `None` if one is not given.
#[pyfunction]
pub(crate) fn spark_sizes<'py>(
    py: Python<'py>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let sizes = PyDict::new(py);
    let least = 1 << 20;
    for name in ["task_memory", "counters"] {
        let size = Given(options).size(name)?;
        if let Some(size) = size.filter(|&size| size < least) {
            return Err(error::setting(
                name,
                &format!("{size} bytes are too few; 1MiB is the least"),
            ));
        }
        sizes.set_item(name, size)?;
    }
    Ok(sizes)
}

/// A step of a discovery over one part of a table.
#[pyclass(module = "textkin._textkin")]
pub(crate) struct SparkStep {
    step: Box<dyn Step>,
}

#[pymethods]
impl SparkStep {
    /// The step `name` with the settings of the run.
    #[new]
    fn new(name: &str, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let options = Options::new(&Given(options))?;
        let step: Result<Box<dyn Step>, distributed::Error> = match name {
            "count" => counters::Count::new(&options).map(|step| Box::new(step) as _),
            "add" => counters::Add::new(&options).map(|step| Box::new(step) as _),
            "prepare" => prepare::Prepare::new(&options).map(|step| Box::new(step) as _),
            "pack" => Ok(Box::new(postings::Pack::new(options))),
            "sort" => Ok(Box::new(postings::Sort::new(options))),
            "merge" => Ok(Box::new(postings::Merge::new(options))),
            "pair" => Ok(Box::new(sums::Pair::new(options))),
            "sum" => Ok(Box::new(sums::Add::new(&options))),
            "copies" => Ok(Box::new(edges::Copies::new(&options))),
            "verify" => edges::Verify::new(&options).map(|step| Box::new(step) as _),
            _ => return Err(error::Error::new_err(format!("there is no step '{name}'"))),
        };
        Ok(Self { step: step.map_err(Trouble::from)? })
    }

    /// Takes a batch; gives the batches that are ready.
    fn feed<'py>(
        &mut self,
        py: Python<'py>,
        batch: PyRecordBatch,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let batch = batch.into_inner();
        let step = &mut self.step;
        to_python(py, py.detach(|| step.feed(&batch))?)
    }

    /// The part is over; gives the batches that are left.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let step = &mut self.step;
        to_python(py, py.detach(|| step.finish())?)
    }
}

fn to_python(py: Python<'_>, batches: Vec<RecordBatch>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    batches.into_iter().map(|batch| PyRecordBatch::new(batch).into_pyarrow(py)).collect()
}
