//! Arguments of `textkin search`.

use std::path::PathBuf;

use clap::Args;
use textkin::engine::DEFAULT_TOP;
use textkin::engine::search::Ranking;
use textkin::engine::text::grammar::Selection;

use super::InputOptions;
use super::common::{ListFormatOptions, OutOptions, StopListOptions, ThreadOptions};

/// Find the documents of a repository that match a text
///
/// Each document of QUERY (files in any supported format, directories, records, or - for standard input) is a
/// query of its own. Each score is also shown as a percentage of the score of the query with itself. Queries
/// are normalized and split into chunks like the documents of the repository.
///
/// Exit code: 0 if matches were found, 1 if there are none, 2 on failure. Documents that share hardly anything
/// with the query do not count as matches; --threshold 0 shows them.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin search essays.repo suspect.docx
  textkin search essays.repo suspect.pdf --passages
  textkin search essays.repo suspect.pdf --rewritten
  textkin search news.repo today.jsonl --score identity5,fingerprint --top 5 --format json
  textkin search anchors.repo suspect.txt --score fingerprint --select all
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
    #[command(flatten)]
    pub(crate) threads: ThreadOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchOptions {
    /// Scores to rank by, separated by commas (see `textkin measures`)
    #[arg(long, default_values_t = [Ranking::default()], value_delimiter = ',', value_name = "SCORE")]
    pub(crate) score: Vec<Ranking>,
    /// Number of documents to show for each query and score
    #[arg(long, default_value_t = DEFAULT_TOP, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: u32,
    /// Minimum score to show a document, in percent of the score of the query with itself [default: for kin,
    /// the worth of 4 words of the query, but at most 10; 0 for other scores]
    #[arg(long, short, value_name = "PERCENT", value_parser = percent)]
    pub(crate) threshold: Option<f64>,
    /// Also find similar passages and show where they are
    #[arg(long)]
    pub(crate) passages: bool,
    /// Words per passage
    #[arg(long, default_value_t = 50, value_name = "N", requires = "passages", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    pub(crate) window: u32,
    /// Words from the start of one passage to the start of the next
    #[arg(long, default_value_t = 25, value_name = "N", requires = "passages", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    pub(crate) step: u32,
    /// Minimum percentage for two passages to be similar
    #[arg(long, default_value_t = 50.0, value_name = "PERCENT", requires = "passages", value_parser = percent, hide_short_help = true)]
    pub(crate) passage_threshold: f64,
    /// Find documents that say the same in other words
    ///
    /// The repository must have been created with --rewritten.
    #[arg(
        long,
        conflicts_with_all = ["score", "threshold", "passages", "stop_list", "stop_frequent", "select"]
    )]
    pub(crate) rewritten: bool,
    /// Minimum confidence to show a document with --rewritten, in percent
    #[arg(long, default_value_t = 0.0, value_name = "PERCENT", requires = "rewritten", value_parser = percent, hide_short_help = true)]
    pub(crate) min_confidence: f64,
    #[command(flatten)]
    pub(crate) stop_list: StopListOptions,
    /// Ignore the N most frequent words of the repository
    #[arg(long, default_value_t = 0, value_name = "N", hide_short_help = true)]
    pub(crate) stop_frequent: usize,
    /// Rank by the N words of each query that count most (not for kin and fingerprint)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    pub(crate) max_query_words: Option<u32>,
    /// Show copies and near-copies of a document in its row, not in rows of their own
    #[arg(long)]
    pub(crate) collapse: bool,
    /// Treat documents and queries with fewer than N words as empty
    #[arg(long, default_value_t = 0, value_name = "N", hide_short_help = true)]
    pub(crate) min_document_words: u32,
    /// Which chunks of the query to look up [default: those the repository indexes]
    #[arg(long, value_name = "SELECTOR", hide_short_help = true)]
    pub(crate) select: Option<Selection>,
    #[command(flatten)]
    pub(crate) format: ListFormatOptions,
    #[command(flatten)]
    pub(crate) out: OutOptions,
}

/// Parses a percentage.
fn percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err(format!("expected a number between 0 and 100, got '{text}'")),
    }
}
