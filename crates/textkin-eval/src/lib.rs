//! The evaluation lab: metrics, collections with known truth, and the experiments of the papers.
//!
//! It depends on the façade only and adds nothing to what textkin finds: it judges it.
//!
//! ```no_run
//! use textkin::Watch;
//! use textkin_eval::experiment::Experiment;
//!
//! for experiment in Experiment::named("deco.table3")? {
//!     let report = experiment.run(None, true, 1, &Watch::default())?;
//!     print!("{}", report.table.text());
//! }
//! # Ok::<(), textkin_eval::Error>(())
//! ```

pub mod baseline;
pub mod collection;
mod error;
pub mod experiment;
pub mod generate;
pub mod metric;
pub mod report;

pub use error::Error;
