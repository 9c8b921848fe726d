//! Arguments of `textkin compare`.

use std::path::PathBuf;

use clap::Args;
use textkin::engine::graph::PassageRules;

use super::common::{FormatOptions, OutOptions};
use super::{AnalysisOptions, ReadOptions};

/// Show what two documents share, passage by passage
///
/// Finds runs of words that appear in both documents, in any order. Runs separated by a few changed words form
/// one passage; the changed words are shown [in brackets] and not counted.
///
/// Exit code: 0 if the documents share text (with --rewritten also in other words), 1 if they do not, 2 on failure.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin compare draft.txt final.txt
  textkin compare essays.jsonl#17 essays.jsonl#42 --html report.html
  textkin compare a.txt b.txt --format json | jq .a.contained
  textkin compare essay.txt source.txt --rewritten --html report.html
  textkin compare a.txt b.txt --exclude quotes,bibliography --template form.txt")]
pub(crate) struct Compare {
    /// First document: a file, FILE#ID for one of several in a file, or - for standard input
    #[arg(value_name = "A")]
    pub(crate) a: PathBuf,
    /// Second document
    #[arg(value_name = "B")]
    pub(crate) b: PathBuf,
    /// Also find passages that say the same in other words. They are shown apart and not counted as shared
    #[arg(long)]
    pub(crate) rewritten: bool,
    #[command(flatten)]
    pub(crate) analysis: AnalysisOptions,
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
    #[command(flatten)]
    pub(crate) output: ComparisonOutput,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct ComparisonOutput {
    /// Join runs that are at most N words apart on both sides
    #[arg(long, default_value_t = PassageRules::default().max_gap, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) max_gap: u32,
    /// Drop passages with fewer than N matching words; their words do not count as shared [default: 0]
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N")]
    pub(crate) min_words: u32,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
    #[command(flatten)]
    pub(crate) out: OutOptions,
    /// Write an HTML report with both texts side by side, or - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Show long passages in full
    #[arg(long)]
    pub(crate) full_text: bool,
    /// Width in columns [default: width of the terminal, otherwise 100]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..), hide_short_help = true)]
    pub(crate) width: Option<u16>,
    /// Do not start a pager ($PAGER, otherwise less)
    #[arg(long, hide_short_help = true)]
    pub(crate) no_pager: bool,
}
