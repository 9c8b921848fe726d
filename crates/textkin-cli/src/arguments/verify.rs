//! What can be written after `textkin verify`.

use std::path::PathBuf;

use clap::Args;

use super::Input;

/// Check a report against the documents it speaks of
///
/// Takes the page or the JSON that `textkin compare` or `textkin discover` wrote (--html, --format
/// json, --explain), and the documents: files, folders or collections, under any name. Each text
/// is known by its digest. Digests, spans, word counts, scores and what a page shows are found again and
/// compared; nothing is looked up anywhere else. Scores that depend on a whole collection are checked
/// if all of it is given, and so are the other parts of the page of a run: it is made again as a whole.
/// The report may be compressed.
///
/// Exit code: 0 if the report holds, 1 if it does not, 2 if something failed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  textkin compare a.pdf b.docx --html report.html
  textkin verify report.html a.pdf b.docx
  textkin discover essays/ --html run.html
  textkin verify run.html essays/")]
pub(crate) struct Verify {
    /// The report: a page, JSON or JSON lines
    pub(crate) report: PathBuf,
    /// The documents, as for `textkin compare` or `textkin discover`
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The templates the report was made with, in their order
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Vec<PathBuf>,
    /// The stop list the report was made with
    #[arg(long, value_name = "FILE")]
    pub(crate) stop_list: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) input: Input,
}
