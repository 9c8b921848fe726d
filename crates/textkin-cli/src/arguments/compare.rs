//! What can be written after `textkin compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Analysis, Reading};

/// Show what two documents share, passage by passage
///
/// Runs of words that are in both are found wherever they stand; those that few changed words
/// separate are one passage, in which the changed words are shown [in brackets] and not counted.
///
/// Exit code: 0 if something is shared, 1 if nothing is, 2 if something failed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  textkin compare draft.txt final.txt
  textkin compare essays.jsonl#17 essays.jsonl#42 --html report.html
  textkin compare a.txt b.txt --format json | jq .a.contained
  textkin compare a.txt b.txt --exclude quotes,bibliography --template form.txt")]
pub(crate) struct Compare {
    /// The first document: a file, FILE#ID for one of several in a file, or - for standard input
    #[arg(value_name = "A")]
    pub(crate) a: PathBuf,
    /// The second document
    #[arg(value_name = "B")]
    pub(crate) b: PathBuf,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

// What is shown of a comparison, and where.
#[derive(Debug, Args)]
#[command(next_help_heading = "What is shown")]
pub(crate) struct Shown {
    /// The most words, on either side, between two runs of one passage
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) max_gap: u32,
    /// What goes to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: ComparisonFormat,
    /// Write a page for a browser, with both texts side by side; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Show every word of long passages
    #[arg(long)]
    pub(crate) full: bool,
    /// Columns to use [default: those of the terminal, else 100]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..))]
    pub(crate) width: Option<u16>,
    /// Never start a pager ($PAGER, else less)
    #[arg(long)]
    pub(crate) no_pager: bool,
}

/// How a comparison is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ComparisonFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
}
