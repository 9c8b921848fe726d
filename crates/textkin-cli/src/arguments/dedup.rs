//! Arguments of `textkin dedup`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use textkin::engine::types::Measure;
use textkin::{DedupUnit, Keep};

use super::common::{DryRunOptions, FormatOptions};
use super::discover::PerformanceOptions;
use super::{AnalysisOptions, InputOptions};

/// Remove duplicate documents, passages or lines from a collection
///
/// Removes a document if at least --threshold of its words appear in one document that stays. Writes the rest
/// in its original format and compression, otherwise unchanged.
///
/// Exit code: 0 if something is removed, 1 if there are no duplicates, 2 on failure.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin dedup dump.jsonl.zst --out clean.jsonl.zst --log removed.jsonl
  textkin dedup essays/ --threshold 0.8 --keep longest --dry-run
  textkin dedup 'part-*.parquet' --score ssr --threshold 0.5 --keep field:stars --out clean/
  textkin dedup pages.jsonl --level passage --min-words 50 --out clean.jsonl")]
pub(crate) struct Dedup {
    /// Files, directories, globs, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) removal: RemovalOptions,
    #[command(flatten)]
    pub(crate) output: DedupOutput,
    #[command(flatten)]
    pub(crate) input: InputOptions,
    #[command(flatten)]
    pub(crate) performance: PerformanceOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Duplicates")]
pub(crate) struct RemovalOptions {
    /// What to remove
    #[arg(long, default_value_t, value_enum, value_name = "LEVEL")]
    pub(crate) level: DedupLevelOption,
    /// Minimum share of words for a duplicate, from 0 to 1 [default: 0.9]
    #[arg(long, short, value_name = "SHARE", value_parser = parse_share)]
    pub(crate) threshold: Option<f64>,
    /// Compare the threshold with this score instead: ssr, sscr, … (see `textkin strategies`)
    #[arg(long, value_name = "SCORE", hide_short_help = true)]
    pub(crate) score: Option<Measure>,
    /// Which duplicate to keep: first, last, longest, best or field:NAME
    ///
    /// `best` has most in common with all others, `field:NAME` the largest value of a field.
    #[arg(long, default_value = "first", value_name = "WHICH")]
    pub(crate) keep: Keep,
    /// Minimum words to remove [default: 50 for passages, 3 for lines]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_words: Option<u32>,
    /// Ignore chunks that occur in more than N documents; the number of ignored chunks is reported
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    pub(crate) max_df: Option<u32>,
    #[command(flatten)]
    pub(crate) analysis: AnalysisOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct DedupOutput {
    /// Where to write the cleaned collection: a file for one input file, otherwise a new directory
    #[arg(long, short, value_name = "PATH", required_unless_present = "dry_run")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) dry_run: DryRunOptions,
    /// Write what is removed and what it duplicates, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Remove nothing; add the fields textkin_duplicate_of and textkin_score to records
    #[arg(long)]
    pub(crate) annotate: bool,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
}

/// What deduplication removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DedupLevelOption {
    /// Whole documents
    #[default]
    Document,
    /// Runs of words
    Passage,
    /// Lines
    Line,
}

impl DedupLevelOption {
    /// Returns the name of the level.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Passage => "passage",
            Self::Line => "line",
        }
    }
}

impl From<DedupLevelOption> for DedupUnit {
    fn from(level: DedupLevelOption) -> Self {
        match level {
            DedupLevelOption::Document => Self::Document,
            DedupLevelOption::Passage => Self::Passage,
            DedupLevelOption::Line => Self::Line,
        }
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err(format!("expected a number above 0, got '{text}'")),
    }
}
