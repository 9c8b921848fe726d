//! Python over the façade: converts what Python has and calls `textkin`; no algorithm of its own.
//!
//! Documents come by a [`feed`] that the calling thread fills, so that iterators run where they were
//! made and Ctrl-C reaches them; the work is done on other threads, with the interpreter released
//! ([`run`]).

#![allow(clippy::needless_pass_by_value, reason = "what Python hands over is owned")]

mod arrow_rows;
mod data;
mod error;
mod feed;
mod graph;
mod python_rows;
mod row;
mod run;
mod settings;
mod spark;
mod table;

use pyo3::prelude::*;

/// The compiled part of the package `textkin`; see there.
#[pymodule(gil_used = false)]
mod _textkin {
    #[pymodule_export]
    use crate::graph::{Found, discover};
    #[pymodule_export]
    use crate::spark::{Components, SparkStep, spark_sizes};
    #[pymodule_export]
    use crate::table::Table;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
