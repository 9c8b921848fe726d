//! Python over the façade: converts what Python has and calls `textkin`; no algorithm of its own.
//!
//! Documents come by a [`feed`] that the calling thread fills, so that iterators run where they were
//! made and Ctrl-C reaches them; the work is done on other threads, with the interpreter released
//! ([`run`]).

#![allow(clippy::needless_pass_by_value, reason = "what Python hands over is owned")]

mod arrow_rows;
mod compare;
mod data;
mod dedup;
mod error;
mod feed;
mod fingerprints;
mod graph;
mod python_rows;
mod repository;
mod row;
mod run;
mod settings;
mod spark;
mod table;
mod tracer;

use pyo3::prelude::*;

/// The compiled part of the package `textkin`; see there.
#[pymodule(gil_used = false)]
mod _textkin {
    #[pymodule_export]
    use crate::compare::{Compared, compare};
    #[pymodule_export]
    use crate::dedup::{Cleaned, dedup};
    #[pymodule_export]
    use crate::fingerprints::fingerprints;
    #[pymodule_export]
    use crate::graph::{Found, discover};
    #[pymodule_export]
    use crate::repository::Stored;
    #[pymodule_export]
    use crate::spark::{Components, SparkStep, spark_sizes};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::tracer::Stream;

    use std::ffi::OsString;

    use pyo3::prelude::*;
    use textkin::graph::{AlignSettings, Clustering};
    use textkin::search::Ranking;
    use textkin::text::grammar::ChunkerKind;
    use textkin::trace::Preset;
    use textkin::types::Measure;
    use textkin::{DEFAULT_SELECTOR, DEFAULT_THRESHOLD, DEFAULT_TOP, DEFAULT_TRACE_MEMORY};

    /// Does the work of a worker that reads what may hang or crash, and gives the exit code.
    #[pyfunction]
    fn worker(arguments: Vec<OsString>) -> u8 {
        textkin::source::serve_worker(&arguments)
    }

    /// Runs the command line and gives the exit code; `own` is how it is started again.
    #[pyfunction]
    fn main(py: Python<'_>, arguments: Vec<OsString>, own: Vec<OsString>) -> u8 {
        let mut own = own.into_iter();
        let own = textkin_cli::Relaunch {
            program: own.next().map(Into::into),
            arguments: own.collect(),
            ..textkin_cli::Relaunch::default()
        };
        let given: Vec<OsString> = std::iter::once("textkin".into()).chain(arguments).collect();
        py.detach(|| textkin_cli::run(&given, own))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("DEFAULT_CHUNK", ChunkerKind::default().to_string())?;
        module.add("DEFAULT_CLUSTERING", Clustering::default().to_string())?;
        module.add("DEFAULT_MAX_GAP", AlignSettings::default().max_gap)?;
        module.add("DEFAULT_MEASURE", Ranking::default().to_string())?;
        module.add("DEFAULT_PRESET", Preset::default().to_string())?;
        module.add("DEFAULT_SCORE", Measure::default().to_string())?;
        module.add("DEFAULT_SELECTOR", DEFAULT_SELECTOR)?;
        module.add("DEFAULT_THRESHOLD", DEFAULT_THRESHOLD)?;
        module.add("DEFAULT_TOP", DEFAULT_TOP)?;
        module.add("DEFAULT_TRACE_MEMORY", DEFAULT_TRACE_MEMORY)
    }
}
