//! Arguments of `textkin search`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use textkin::search::Ranking;
use textkin::text::grammar::Selection;

use super::InputOptions;

/// Find the documents of a repository that match a text
///
/// Each document of QUERY (files in any supported format, directories, records, or - for standard input) is a
/// query of its own. Each score is also shown as a percentage of the score of the query with itself. Queries
/// are normalized and split into chunks like the documents of the repository.
///
/// Exit code: 0 if matches were found, 1 if there are none, 2 on failure.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  textkin search essays.repo suspect.docx
  textkin search essays.repo suspect.pdf --passages
  textkin search news.repo today.jsonl --measure identity5,fingerprint --top 5 --format json
  textkin search anchors.repo suspect.txt --measure fingerprint --select all
  pbpaste | textkin search essays.repo -")]
pub(crate) struct Search {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Files, directories, globs, or - for standard input
    #[arg(required = true, value_name = "QUERY")]
    pub(crate) queries: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) options: SearchOptions,
    #[command(flatten)]
    pub(crate) input: InputOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchOptions {
    /// Measures to rank by, separated by commas (see `textkin measures`)
    #[arg(long, default_value = "kin", value_delimiter = ',', value_name = "MEASURE")]
    pub(crate) measure: Vec<Ranking>,
    /// Number of documents to show for each query and measure
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: u32,
    /// Minimum percentage to show a document
    #[arg(long, default_value_t = 0.0, value_name = "PERCENT", value_parser = percent)]
    pub(crate) min_percent: f64,
    /// Also find similar passages and show where they are
    #[arg(long)]
    pub(crate) passages: bool,
    /// Words per passage
    #[arg(long, default_value_t = 50, value_name = "N", requires = "passages", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) window: u32,
    /// Words from the start of one passage to the start of the next
    #[arg(long, default_value_t = 25, value_name = "N", requires = "passages", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) step: u32,
    /// Minimum percentage for two passages to be similar
    #[arg(long, default_value_t = 50.0, value_name = "PERCENT", requires = "passages", value_parser = percent)]
    pub(crate) similar: f64,
    /// Ignore the stop words of a language (en, de, …) or the words of a file, in queries and documents
    #[arg(long, value_name = "LANGUAGE|FILE")]
    pub(crate) stop: Vec<String>,
    /// Ignore the N most frequent words of the repository
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) stop_frequent: usize,
    /// Which chunks of the query to look up [default: those the repository indexes]
    #[arg(long, value_name = "SELECTOR")]
    pub(crate) select: Option<Selection>,
    /// Format of the result
    #[arg(long, value_enum, default_value = "table", value_name = "FORMAT")]
    pub(crate) format: SearchFormat,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// Parses a percentage.
fn percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err(format!("expected a number between 0 and 100, got '{text}'")),
    }
}

/// Format of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchFormat {
    /// For a terminal
    Table,
    /// One JSON object per query and measure
    Json,
    /// query,measure,rank,id,score,percent
    Csv,
}
