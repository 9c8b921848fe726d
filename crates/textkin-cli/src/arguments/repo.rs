//! Arguments of `textkin repo`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use textkin::ExistingPolicy;
use textkin::engine::text::grammar::{ChunkerKind, Selection};
use textkin::engine::text::tokenizer::Normalization;
use textkin::engine::types::Measure;
use textkin::engine::types::hash::HashKind;
use textkin::engine::{Condition, Threshold, parse_size};

use super::InputOptions;
use super::common::{
    DryRunOptions, FormatOptions, ListFormatOptions, OutOptions, StopListOptions, TempDirOptions,
    ThreadOptions,
};

/// Create and maintain a repository: a stored collection with an index
///
/// A repository is a directory. Each change is atomic and on disk when the command returns. One process can
/// change a repository at a time; any number can read it. `textkin discover DIR` finds pairs in it, `textkin
/// search DIR QUERY` finds documents that match a text.
///
/// Exit code: 0 if something was done or found, 1 if there was nothing to do, 2 on failure.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin repo create essays.repo
  textkin repo add essays.repo essays/ --out new-pairs.csv
  textkin repo remove essays.repo --older-than 2y --dry-run
  textkin discover essays.repo --out pairs.csv")]
pub(crate) struct Repo {
    #[command(subcommand)]
    pub(crate) command: RepoCommand,
}

// Commands are documented at the type of their arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum RepoCommand {
    Create(RepoCreate),
    Add(Box<RepoAdd>),
    /// Add documents and replace those with the same id
    #[command(
        mut_arg("existing", |existing| existing.hide(true)),
        long_about = None,
        after_long_help = "Example:\n  textkin repo replace essays.repo corrected/"
    )]
    Replace(Box<RepoAdd>),
    Remove(RepoRemove),
    List(RepoList),
    Info(RepoInfo),
    Check(RepoCheck),
    Compact(RepoCompact),
    Export(RepoExport),
}

/// Create an empty repository in a new directory
///
/// Chunks, normalization, stop words and templates cannot be changed later.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin repo create essays.repo
  textkin repo create news.repo --chunk words:5 --normalize nfkc+fold+stop:en --fingerprints-only")]
pub(crate) struct RepoCreate {
    /// New directory
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// How to split documents into chunks (see `textkin strategies`)
    #[arg(long, default_value_t, value_name = "CHUNKER", help_heading = "Comparison")]
    pub(crate) chunk: ChunkerKind,
    /// Which chunks to index; join selectors with + (see `textkin strategies`)
    #[arg(long, default_value_t, value_name = "SELECTOR", help_heading = "Comparison")]
    pub(crate) select: Selection,
    /// How to normalize text: steps joined with + (see `textkin strategies`)
    #[arg(long, default_value_t, value_name = "STEPS", help_heading = "Comparison")]
    pub(crate) normalize: Normalization,
    #[command(flatten)]
    pub(crate) stop_list: StopListOptions,
    /// Ignore passages from this template, for example a form; can be repeated
    #[arg(long, value_name = "FILE", help_heading = "Comparison")]
    pub(crate) template: Vec<PathBuf>,
    /// Hash function for chunks: polynomial, rabin, shift-add-xor, shift-add-xor-32
    #[arg(
        long,
        default_value_t,
        value_name = "HASH",
        help_heading = "Comparison",
        hide_short_help = true
    )]
    pub(crate) hash: HashKind,
    /// Store hashes and positions instead of texts; the other fields of records are stored
    #[arg(long)]
    pub(crate) fingerprints_only: bool,
    /// Also index pairs of words, so that `textkin search --rewritten` finds text in other words
    #[arg(long, conflicts_with = "fingerprints_only")]
    pub(crate) rewritten: bool,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
}

/// Add documents
///
/// All documents that can be read are added in one atomic change; the others are reported as problems.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin repo add essays.repo essays/
  textkin repo add news.repo today.jsonl --existing skip --out new-pairs.csv
  textkin repo add essays.repo essays/ --dry-run")]
pub(crate) struct RepoAdd {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Files, directories, globs, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// What to do with a document whose id already exists [default: refuse]
    #[arg(long, value_enum, value_name = "POLICY")]
    pub(crate) existing: Option<ExistingRule>,
    #[command(flatten)]
    pub(crate) output: RepoAddOutput,
    #[command(flatten)]
    pub(crate) input: InputOptions,
    #[command(flatten)]
    pub(crate) performance: WriteOptions,
    #[command(flatten)]
    pub(crate) temp_dir: TempDirOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct RepoAddOutput {
    /// Write the pairs of the new documents, as `textkin discover --out` does
    #[arg(long, short, value_name = "FILE", conflicts_with = "dry_run")]
    pub(crate) out: Option<PathBuf>,
    /// Score of a pair (see `textkin strategies`)
    #[arg(long, default_value_t, value_name = "SCORE", requires = "out")]
    pub(crate) score: Measure,
    /// Minimum score to list a pair: a number, or T1 to T5 from the DECO paper; auto is 0.0275
    #[arg(long, short, default_value_t, value_name = "SCORE", value_parser = Threshold::parse, requires = "out")]
    pub(crate) threshold: Threshold,
    #[command(flatten)]
    pub(crate) dry_run: DryRunOptions,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Performance (does not affect results)")]
pub(crate) struct WriteOptions {
    #[command(flatten)]
    pub(crate) threads: ThreadOptions,
    /// Memory for documents that are not written yet [default: 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, hide_short_help = true)]
    pub(crate) memory: Option<u64>,
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

/// Remove documents by id, by a condition on their fields, or by age
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("which").required(true).multiple(true).args(["id", "conditions", "older_than"])))]
#[command(after_long_help = "Examples:
  textkin repo remove essays.repo --id essay-17
  textkin repo remove essays.repo --where 'author=Swift' --where 'words<50' --dry-run
  textkin repo remove essays.repo --older-than 2y")]
pub(crate) struct RepoRemove {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Remove the document with this id; can be repeated
    #[arg(long, value_name = "ID", conflicts_with_all = ["conditions", "older_than"])]
    pub(crate) id: Vec<String>,
    /// Remove documents that match a condition such as author=Swift; can be repeated, all must match
    ///
    /// Conditions are on id, time, added, words or any other field of the record (author, place.city): FIELD=VALUE,
    /// or != < <= > >= ~ (contains).
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<Condition>,
    /// Remove documents older than an age such as 30d, 12w, 2y, or than a date
    ///
    /// The age is that of the time of a document, or without one, of its addition.
    #[arg(long, value_name = "AGE|DATE")]
    pub(crate) older_than: Option<String>,
    #[command(flatten)]
    pub(crate) dry_run: DryRunOptions,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
}

/// List documents
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin repo list essays.repo
  textkin repo list essays.repo --where 'time>=2024' --format csv --out documents.csv")]
pub(crate) struct RepoList {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// List documents that match a condition (see remove); can be repeated, all must match
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<Condition>,
    #[command(flatten)]
    pub(crate) format: ListFormatOptions,
    #[command(flatten)]
    pub(crate) out: OutOptions,
}

/// Show settings, contents and disk usage
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin repo info essays.repo
  textkin repo info essays.repo --format json")]
pub(crate) struct RepoInfo {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
    #[command(flatten)]
    pub(crate) out: OutOptions,
}

/// Check all files for damage
///
/// Exit code: 0 if there is no damage, 2 if there is.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  textkin repo check essays.repo")]
pub(crate) struct RepoCheck {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
}

/// Merge segments and erase removed documents
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  textkin repo compact essays.repo")]
pub(crate) struct RepoCompact {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
    #[command(flatten)]
    pub(crate) performance: WriteOptions,
}

/// Write all documents as JSON lines
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin repo export essays.repo --out essays.jsonl.zst
  textkin repo export essays.repo --where 'author=Swift' | jq .id")]
pub(crate) struct RepoExport {
    /// Directory of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Export documents that match a condition (see remove); can be repeated, all must match
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<Condition>,
    #[command(flatten)]
    pub(crate) out: OutOptions,
}
