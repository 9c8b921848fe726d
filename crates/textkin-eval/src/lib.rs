//! The evaluation lab: metrics, collections with known truth, and the experiments of the papers.
//!
//! It depends on the façade only and adds nothing to what textkin finds: it judges it.

pub mod collection;
mod error;
pub mod generate;
pub mod metric;

pub use error::Error;
