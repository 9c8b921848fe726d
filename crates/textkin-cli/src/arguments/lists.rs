//! Arguments of `textkin doctor`, `measures` and `strategies`.

use clap::Args;

use super::common::FormatOptions;

/// Show supported formats and helper programs
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin doctor
  textkin doctor --format json")]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) format: FormatOptions,
}

/// List the scores that `textkin search` can rank by
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin measures
  textkin measures --format json")]
pub(crate) struct Measures {
    #[command(flatten)]
    pub(crate) format: FormatOptions,
}

/// List all chunkers, selectors, scores and normalization steps
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin strategies
  textkin strategies --format json")]
pub(crate) struct Strategies {
    #[command(flatten)]
    pub(crate) format: FormatOptions,
}
