//! Arguments of `textkin index`.

use std::path::PathBuf;

use clap::Args;

use super::common::{FormatOptions, OutOptions};

/// Show an index of shared chunks, or look up a text in it
///
/// `textkin discover --index FILE` writes such an index. All of it is checked for damage before it is used.
///
/// Exit code: 0 if there are shared chunks, 1 if there are none, 2 on failure.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin discover essays/ --index shared.tkx --index-text
  textkin index shared.tkx
  textkin index shared.tkx --find new-essay.txt
  textkin index shared.tkx --list --out chunks.csv")]
pub(crate) struct Index {
    /// Index file
    pub(crate) file: PathBuf,
    /// Look up the chunks of this text file (- for standard input) and the documents that contain them
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    pub(crate) find: Option<PathBuf>,
    /// Print every chunk with its number of documents, as CSV or JSON lines
    #[arg(long)]
    pub(crate) list: bool,
    /// Number of most frequent chunks, or of documents found, to show
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
    #[command(flatten)]
    pub(crate) out: OutOptions,
}
