//! Evaluates textkin: metrics, collections with ground truth, and the experiments of the papers.
//!
//! * [`experiment`]: the experiments by name. [`Experiment`](experiment::Experiment) runs one on a collection
//!   and returns an [`ExperimentReport`](report::ExperimentReport).
//! * [`collection`]: collections with labels, described by a `collection.toml`.
//! * [`generate`]: synthetic collections whose truth is known.
//! * [`metric`]: precision, recall, clusters, passages and degrees of overlap.
//! * [`baseline`]: MinHash with LSH, for comparison.
//! * [`report`]: results as text, CSV, JSON, Markdown and HTML.
//!
//! The crate depends only on the `textkin` crate and does not change its results.
//!
//! ```no_run
//! use textkin::engine::RunControl;
//! use textkin_eval::experiment::Experiment;
//!
//! for experiment in Experiment::named("deco.table3")? {
//!     let report = experiment.run(None, true, 1, &RunControl::default())?;
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
