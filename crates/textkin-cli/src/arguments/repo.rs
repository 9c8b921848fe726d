//! Arguments of `textkin repo`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use textkin::text::grammar::{ChunkerKind, Selection};
use textkin::text::tokenizer::Normalization;
use textkin::types::Measure;
use textkin::types::hash::HashKind;
use textkin::{Condition, ExistingPolicy, Threshold, parse_size};

use super::InputOptions;

/// Create and maintain a repository: a stored collection with an index
///
/// A repository is a directory. Each change is atomic and on disk when the command returns. One process can
/// change a repository at a time; any number can read it. `textkin discover DIR` finds pairs in it, `textkin
/// search DIR QUERY` finds documents that match a text.
///
/// Exit code: 0 if something was done or found, 1 if there was nothing to do, 2 on failure.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  textkin repo create essays.repo
  textkin repo add essays.repo essays/ --report new-pairs.csv
  textkin repo remove essays.repo --older-than 2y --dry-run
  textkin discover essays.repo --out pairs.csv")]
pub(crate) struct Repo {
    #[command(subcommand)]
    pub(crate) command: RepoCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RepoCommand {
    /// Create an empty repository in a new directory
    Create(RepoCreate),
    /// Add documents
    Add(Box<RepoAdd>),
    /// Add documents and replace those with the same id
    #[command(mut_arg("existing", |existing| existing.hide(true)))]
    Replace(Box<RepoAdd>),
    /// Remove documents by id, by a condition on their fields, or by age
    Remove(RepoRemove),
    /// List documents
    List(RepoList),
    /// Show settings, contents and disk usage
    Info(RepoInfo),
    /// Check all files for damage
    Check(RepoFolder),
    /// Merge segments and erase removed documents
    Compact(RepoCompact),
    /// Write all documents as JSON lines
    Export(RepoExport),
}

/// A repository.
#[derive(Debug, Args)]
pub(crate) struct RepoFolder {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct RepoCreate {
    /// New directory
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// How to split documents into chunks (see `textkin strategies`)
    #[arg(long, default_value_t, value_name = "CHUNKER")]
    pub(crate) chunk: ChunkerKind,
    /// Which chunks to index; join selectors with + (see `textkin strategies`)
    #[arg(long, default_value_t, value_name = "SELECTOR")]
    pub(crate) select: Selection,
    /// How to normalize text: steps joined with +, including stop words and stemming (see `textkin strategies`)
    #[arg(long, default_value_t, value_name = "STEPS")]
    pub(crate) normalize: Normalization,
    /// Ignore these words (one per line)
    #[arg(long, value_name = "FILE")]
    pub(crate) stop_list: Option<PathBuf>,
    /// Ignore passages from this template, for example a form; can be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Vec<PathBuf>,
    /// Hash function for chunks: polynomial, rabin, shift-add-xor
    #[arg(long, default_value_t, value_name = "HASH")]
    pub(crate) hash: HashKind,
    /// Store hashes and positions instead of texts; the other fields of records are stored
    #[arg(long)]
    pub(crate) fingerprints_only: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RepoAdd {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Files, directories, globs, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// What to do with a document whose id already exists [default: refuse]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) existing: Option<ExistingRule>,
    /// Write the pairs of the new documents, as `textkin discover --out` does: .csv .jsonl .parquet …, or - for
    /// CSV on standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Score of a pair (see `textkin strategies`)
    #[arg(long, default_value_t, value_name = "SCORE", requires = "report")]
    pub(crate) score: Measure,
    /// Minimum score to report a pair: a number, or T1 to T5 from the DECO paper
    #[arg(long, default_value = "0.02", value_name = "SCORE", value_parser = Threshold::parse, requires = "report")]
    pub(crate) threshold: Threshold,
    #[command(flatten)]
    pub(crate) input: InputOptions,
    #[command(flatten)]
    pub(crate) performance: WritePerformanceOptions,
    /// Print nothing but problems and errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Performance (does not affect results)")]
pub(crate) struct WritePerformanceOptions {
    /// Memory for documents that are not written yet [default: 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// What to do with a document whose id already exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExistingRule {
    /// Report it as a problem and skip it
    Refuse,
    /// Skip it
    Skip,
    /// Replace the stored document
    Replace,
}

impl From<ExistingRule> for ExistingPolicy {
    fn from(name: ExistingRule) -> Self {
        match name {
            ExistingRule::Refuse => Self::Refuse,
            ExistingRule::Skip => Self::Skip,
            ExistingRule::Replace => Self::Replace,
        }
    }
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("which").required(true).multiple(true).args(["id", "conditions", "older_than"])))]
pub(crate) struct RepoRemove {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Remove the document with this id; can be repeated
    #[arg(long, value_name = "ID", conflicts_with_all = ["conditions", "older_than"])]
    pub(crate) id: Vec<String>,
    /// Remove documents that match a condition on id, time, added, words or any other field of the record
    /// (author, place.city): FIELD=VALUE, or != < <= > >= ~ (contains); can be repeated, all must match
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<Condition>,
    /// Remove documents written (or, without a time, added) before a date, or longer ago than an age
    /// such as 30d, 12w, 2y
    #[arg(long, value_name = "AGE|DATE")]
    pub(crate) older_than: Option<String>,
    /// Report what would be removed; remove nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RepoList {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// List documents that match a condition (see remove); can be repeated, all must match
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<Condition>,
    /// Format of the list
    #[arg(long, value_enum, default_value = "table", value_name = "FORMAT")]
    pub(crate) format: RepoListFormat,
}

/// Format of a list of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RepoListFormat {
    /// For a terminal
    Table,
    /// One JSON object per line
    Json,
    /// id,time,added,words,bytes,metadata
    Csv,
}

#[derive(Debug, Args)]
pub(crate) struct RepoInfo {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RepoCompact {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) performance: WritePerformanceOptions,
}

#[derive(Debug, Args)]
pub(crate) struct RepoExport {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Output file (also .gz .zst), or - for standard output
    #[arg(long, default_value = "-", value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Export documents that match a condition (see remove); can be repeated, all must match
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<Condition>,
}
