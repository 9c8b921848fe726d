//! Compiled part of the Python package `textkin`, imported there as `textkin._textkin`.
//!
//! Converts Python data and settings, calls the crate `textkin`, and converts the results; contains no
//! algorithm of its own. The package in `python/textkin` wraps every class and function of this module.
//!
//! * In: rows (Arrow batches or Python objects) or paths, and a dict of settings that `textkin` parses.
//! * Out: Arrow tables, tuples and strings; errors as the exceptions of `textkin._errors`.
//!
//! The calling thread reads rows and puts them into a [`feed`], so that iterators run on the thread that created
//! them and Ctrl-C reaches them. The work runs on other threads with the interpreter lock released ([`run`]).

#![allow(clippy::needless_pass_by_value, reason = "arguments extracted from Python are owned")]

mod arrow_rows;
mod compare;
mod data;
mod decontaminate;
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

/// Compiled part of the package `textkin`. Private; use the package.
#[pymodule(gil_used = false)]
mod _textkin {
    #[pymodule_export]
    use crate::compare::{ComparedTexts, compare};
    #[pymodule_export]
    use crate::decontaminate::{FoundLeaks, decontaminate};
    #[pymodule_export]
    use crate::dedup::{FoundDuplicates, dedup};
    #[pymodule_export]
    use crate::fingerprints::fingerprints;
    #[pymodule_export]
    use crate::graph::{DiscoveredGraph, clusters_of_edges, discover};
    #[pymodule_export]
    use crate::repository::RepositoryHandle;
    #[pymodule_export]
    use crate::spark::{Components, SparkStep, spark_sizes};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::tracer::TracerHandle;

    use std::ffi::OsString;

    use pyo3::prelude::*;
    use textkin::engine::graph::{Clustering, PassageRules};
    use textkin::engine::search::{PassageSettings, Ranking};
    use textkin::engine::text::grammar::ChunkerKind;
    use textkin::engine::trace::Preset;
    use textkin::engine::types::Measure;
    use textkin::engine::{DEFAULT_SELECTOR, DEFAULT_TOP, DEFAULT_TRACE_MEMORY, Threshold};

    /// Runs a worker process, which reads files that could hang or crash a parser, and returns the exit code.
    #[pyfunction]
    fn worker(arguments: Vec<OsString>) -> u8 {
        textkin::engine::source::serve_worker(&arguments)
    }

    /// Runs the command line and returns the exit code; `relaunch` is the command that starts it again.
    #[pyfunction]
    fn main(py: Python<'_>, arguments: Vec<OsString>, relaunch: Vec<OsString>) -> u8 {
        let mut relaunch = relaunch.into_iter();
        let relaunch = textkin_cli::Relaunch {
            program: relaunch.next().map(Into::into),
            arguments: relaunch.collect(),
            ..textkin_cli::Relaunch::default()
        };
        let arguments: Vec<OsString> = std::iter::once("textkin".into()).chain(arguments).collect();
        py.detach(|| textkin_cli::run(&arguments, relaunch))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("DEFAULT_CHUNK", ChunkerKind::default().to_string())?;
        module.add("DEFAULT_CLUSTERING", Clustering::default().to_string())?;
        module.add("DEFAULT_MAX_GAP", PassageRules::default().max_gap)?;
        module.add("DEFAULT_PASSAGE_STEP", PassageSettings::default().step.get())?;
        module.add("DEFAULT_PASSAGE_WINDOW", PassageSettings::default().window.get())?;
        module.add("DEFAULT_RANKING", Ranking::default().to_string())?;
        module.add("DEFAULT_PRESET", Preset::default().to_string())?;
        module.add("DEFAULT_SCORE", Measure::default().to_string())?;
        module.add("DEFAULT_SELECTOR", DEFAULT_SELECTOR)?;
        module.add("DEFAULT_THRESHOLD", Threshold::default().to_string())?;
        module.add("DEFAULT_TOP", DEFAULT_TOP)?;
        module.add("DEFAULT_TRACE_MEMORY", DEFAULT_TRACE_MEMORY)
    }
}
