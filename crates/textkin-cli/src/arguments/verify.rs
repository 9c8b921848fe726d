//! Arguments of `textkin verify`.

use std::path::PathBuf;

use clap::Args;

use super::InputOptions;
use super::common::{
    FormatOptions, MemoryOptions, OutOptions, StopListOptions, TempDirOptions, ThreadOptions,
};

/// Check a report against its documents
///
/// Takes a report that `textkin compare` or `textkin discover` wrote (--html, --format json, --explain) and the
/// documents, which may have other names: texts are identified by their digests. Recomputes digests, spans,
/// word counts, scores and the visible page, and compares them with the report. Scores that depend on the
/// whole collection, and the HTML report of a run as a whole, are checked only if all documents are given. The
/// report may be compressed. Of the log of `textkin decontaminate`, checks texts, positions and equal words.
///
/// Exit code: 0 if the report is valid, 1 if it is not, 2 on failure.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin compare a.pdf b.docx --html report.html
  textkin verify report.html a.pdf b.docx
  textkin discover essays/ --html run.html
  textkin verify run.html essays/")]
pub(crate) struct Verify {
    /// Report: HTML, JSON or JSON lines
    pub(crate) report: PathBuf,
    /// Documents, as for `textkin compare` or `textkin discover`
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Template the report was made with; can be repeated, in the original order
    #[arg(long, value_name = "FILE", help_heading = "Comparison")]
    pub(crate) template: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) stop_list: StopListOptions,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
    #[command(flatten)]
    pub(crate) out: OutOptions,
    #[command(flatten)]
    pub(crate) input: InputOptions,
    #[command(flatten)]
    pub(crate) threads: ThreadOptions,
    #[command(flatten)]
    pub(crate) memory: MemoryOptions,
    #[command(flatten)]
    pub(crate) temp_dir: TempDirOptions,
}
