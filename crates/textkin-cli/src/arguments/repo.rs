//! The arguments of `textkin repo`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use textkin::text::grammar::{ChunkerKind, Selection};
use textkin::text::tokenizer::Normalization;
use textkin::types::Measure;
use textkin::types::hash::HashKind;
use textkin::{Condition, ExistingPolicy, Threshold, parse_size};

use super::Input;

/// Keep a collection that grows: make a repository, add, remove, look at it
///
/// A repository is a folder. Each change is done as a whole and is on the disk when the command says
/// so; one process changes it at a time, any number may read it. `textkin discover DIR` relates its
/// documents to one another, `textkin search DIR QUERY` finds the kin of a text in it.
///
/// Exit code: 0 if something was done or found, 1 if there was nothing to do, 2 if something failed.
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
    /// Make an empty repository in a new folder
    Create(Create),
    /// Add documents: all that can be read, at once
    Add(Box<Add>),
    /// Add documents, in the place of those with the same id: add --existing replace
    #[command(mut_arg("existing", |existing| existing.hide(true)))]
    Replace(Box<Add>),
    /// Remove documents by id, by what is known of them, or by age
    Remove(Remove),
    /// List the documents
    List(List),
    /// Say how a repository was made, what is in it and what it takes
    Info(Info),
    /// Check every byte of every file
    Check(Folder),
    /// Merge what can be merged, and forget removed documents for good
    Compact(Compact),
    /// Write all documents as JSON lines
    Export(Export),
}

/// A repository.
#[derive(Debug, Args)]
pub(crate) struct Folder {
    /// The folder of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The new folder
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// How documents are cut into chunks (see `textkin strategies`)
    #[arg(long, default_value_t, value_name = "CHUNKER")]
    pub(crate) chunk: ChunkerKind,
    /// Which chunks are indexed; selectors are joined with +
    #[arg(long, default_value_t, value_name = "SELECTOR")]
    pub(crate) select: Selection,
    /// How text is normalised: steps joined with +, stopping and stemming among them (see `textkin
    /// strategies`)
    #[arg(long, default_value_t, value_name = "STEPS")]
    pub(crate) normalize: Normalization,
    /// Words that never count, one a line
    #[arg(long, value_name = "FILE")]
    pub(crate) stop_list: Option<PathBuf>,
    /// A text whose passages never count, such as a form that all documents fill in
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Vec<PathBuf>,
    /// How chunks are hashed: polynomial, rabin, shift-add-xor
    #[arg(long, default_value_t, value_name = "HASH")]
    pub(crate) hash: HashKind,
    /// Keep no text and no fields of records, only hashes of words and chunks and where they stand
    #[arg(long)]
    pub(crate) fingerprints_only: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The folder of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Files, folders, globs, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// What happens to a document whose id is there already [default: refuse]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) existing: Option<ExistingName>,
    /// Write the pairs that the new documents make, as `textkin discover --out` does: .csv .jsonl
    /// .parquet …; - is CSV on standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// The rule that scores a pair of the report
    #[arg(long, default_value_t, value_name = "SCORE", requires = "report")]
    pub(crate) score: Measure,
    /// The least score of a pair to be reported: a number, or T1 to T5 of DECO's table
    #[arg(long, default_value = "0.02", value_name = "SCORE", value_parser = Threshold::parse, requires = "report")]
    pub(crate) threshold: Threshold,
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) means: WriteMeans,
    /// Show nothing but problems and errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "How it is done")]
pub(crate) struct WriteMeans {
    /// Memory for documents that are not yet written [default: 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// What happens to a document whose id is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExistingName {
    /// It is a problem, named and left out
    Refuse,
    /// It is left out
    Skip,
    /// It takes the place of the other
    Replace,
}

impl From<ExistingName> for ExistingPolicy {
    fn from(name: ExistingName) -> Self {
        match name {
            ExistingName::Refuse => Self::Refuse,
            ExistingName::Skip => Self::Skip,
            ExistingName::Replace => Self::Replace,
        }
    }
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("which").required(true).multiple(true).args(["id", "conditions", "older_than"])))]
pub(crate) struct Remove {
    /// The folder of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Remove the document with this id; may be given several times
    #[arg(long, value_name = "ID", conflicts_with_all = ["conditions", "older_than"])]
    pub(crate) id: Vec<String>,
    /// Remove documents that meet a condition on id, time, added, words or another field of their
    /// records (author, place.city): FIELD=VALUE, or != < <= > >= ~ (contains); of several, all must hold
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<Condition>,
    /// Remove documents written (or, without a time, added) before a date, or longer ago than an age
    /// such as 30d, 12w, 2y
    #[arg(long, value_name = "AGE|DATE")]
    pub(crate) older_than: Option<String>,
    /// Say what would go, and remove nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// The folder of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// List documents that meet a condition, as for remove; of several, all must hold
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<Condition>,
    /// How documents are listed
    #[arg(long, value_enum, default_value = "table", value_name = "FORMAT")]
    pub(crate) format: ListFormat,
}

/// How documents are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For a terminal
    Table,
    /// One JSON object a line
    Json,
    /// id,time,added,words,bytes,metadata
    Csv,
}

#[derive(Debug, Args)]
pub(crate) struct Info {
    /// The folder of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Write it as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Compact {
    /// The folder of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) means: WriteMeans,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The folder of the repository
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Where to (also .gz .zst); - is standard output
    #[arg(long, default_value = "-", value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Export documents that meet a condition, as for remove; of several, all must hold
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<Condition>,
}
