//! The arguments of `textkin search`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use textkin::search::Ranking;
use textkin::text::grammar::Selection;

use super::Input;

/// Find the documents of a repository that are most like a text
///
/// Each document of the queries (files of any format, folders, records, or - for standard input) is
/// looked for on its own. Every score comes with a percentage: of the score that the query has with
/// itself, which is 100. The words and chunks of the query are made as those of the repository were.
///
/// Exit code: 0 if something was found, 1 if nothing was, 2 if something failed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  textkin search essays.repo suspect.docx
  textkin search essays.repo suspect.pdf --passages
  textkin search news.repo today.jsonl --measure identity5,fingerprint --top 5 --format json
  textkin search anchors.repo suspect.txt --measure fingerprint --select all
  pbpaste | textkin search essays.repo -")]
pub(crate) struct Search {
    /// The folder of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Files, folders, globs, or - for standard input
    #[arg(required = true, value_name = "QUERY")]
    pub(crate) queries: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) looked_for: LookedFor,
    #[command(flatten)]
    pub(crate) input: Input,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What is looked for")]
pub(crate) struct LookedFor {
    /// How documents are ranked, several with commas (see `textkin measures`)
    #[arg(long, default_value = "kin", value_delimiter = ',', value_name = "MEASURE")]
    pub(crate) measure: Vec<Ranking>,
    /// How many documents to show for each query and measure
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: u32,
    /// The least percentage to show
    #[arg(long, default_value_t = 0.0, value_name = "PERCENT", value_parser = percent)]
    pub(crate) min_percent: f64,
    /// Also count passages of 50 words that are highly similar, and say where they are
    #[arg(long)]
    pub(crate) passages: bool,
    /// Words of a passage
    #[arg(long, default_value_t = 50, value_name = "N", requires = "passages", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) window: u32,
    /// Words from one passage to the next
    #[arg(long, default_value_t = 25, value_name = "N", requires = "passages", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) step: u32,
    /// The percentage from which on two passages are highly similar
    #[arg(long, default_value_t = 50.0, value_name = "PERCENT", requires = "passages", value_parser = percent)]
    pub(crate) similar: f64,
    /// Leave out a language's stop words (en, de, …), or the words of a file, in queries and documents
    #[arg(long, value_name = "LANGUAGE|FILE")]
    pub(crate) stop: Vec<String>,
    /// Leave out the N most widespread words of the repository
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) stop_frequent: usize,
    /// Which chunks of the query are looked up [default: as the repository indexes]
    #[arg(long, value_name = "SELECTOR")]
    pub(crate) select: Option<Selection>,
    /// How results are written
    #[arg(long, value_enum, default_value = "table", value_name = "FORMAT")]
    pub(crate) format: SearchFormat,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// A percentage.
fn percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err(format!("'{text}' is no number from 0 to 100")),
    }
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchFormat {
    /// For a terminal
    Table,
    /// A JSON object for each query and measure, one a line
    Json,
    /// query,measure,rank,id,score,percent
    Csv,
}
