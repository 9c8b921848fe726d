//! Command-line arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use textkin::graph::{Clustering, Counting};
use textkin::index::Plan;
use textkin::text::grammar::Selection;
use textkin::types::Measure;
use textkin::types::hash::HashKind;
use textkin::{Threshold, parse_size};

mod analysis;
#[cfg(feature = "server")]
mod client;
mod compare;
#[cfg(feature = "server")]
mod delivery;
mod eval;
#[cfg(feature = "server")]
mod mail;
mod reading;
mod repo;
mod search;
#[cfg(feature = "server")]
mod server;
mod trace;
mod verify;

pub(crate) use analysis::AnalysisOptions;
#[cfg(feature = "server")]
pub(crate) use client::{
    Client, ClientAlerts, ClientChannel, ClientCommand, ClientConnection, ClientExisting,
    ClientLevel, ClientProbe, ClientRegister, ClientState, ClientWatch,
};
pub(crate) use compare::{Compare, ComparisonFormat};
#[cfg(feature = "server")]
pub(crate) use delivery::{DeliveryArguments, SmtpEncryption};
pub(crate) use eval::{Eval, EvalCommand, EvalGenerate, EvalOptions};
#[cfg(feature = "server")]
pub(crate) use mail::{Mail, MailArguments};
pub(crate) use reading::{InputOptions, ReadOptions};
pub(crate) use repo::{
    Repo, RepoAdd, RepoCommand, RepoCompact, RepoCreate, RepoExport, RepoInfo, RepoList,
    RepoListFormat, RepoRemove, WritePerformanceOptions,
};
pub(crate) use search::{Search, SearchFormat, SearchOptions};
#[cfg(feature = "server")]
pub(crate) use server::{Admin, AdminCommand, AdminKey, LogFormat, Serve};
pub(crate) use trace::{CheckpointInterval, Trace, TraceFormat, TraceOptions};
pub(crate) use verify::Verify;

/// Find documents that share text: copies, near-duplicates, quotations
#[derive(Debug, Parser)]
#[command(name = "textkin", version, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

// Commands are documented at the type of their arguments: a comment here would replace that help.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Discover(Box<Discover>),
    Compare(Box<Compare>),
    Verify(Box<Verify>),
    Dedup(Box<Dedup>),
    Repo(Repo),
    Search(Box<Search>),
    Trace(Box<Trace>),
    #[cfg(feature = "server")]
    Serve(Box<Serve>),
    #[cfg(feature = "server")]
    Admin(Admin),
    #[cfg(feature = "server")]
    Client(Box<Client>),
    #[cfg(feature = "server")]
    Mail(Mail),
    #[cfg(not(feature = "server"))]
    Serve(Absent),
    #[cfg(not(feature = "server"))]
    Admin(Absent),
    #[cfg(not(feature = "server"))]
    Client(Absent),
    #[cfg(not(feature = "server"))]
    Mail(Absent),
    Eval(Eval),
    Index(Index),
    /// Show supported formats and helper programs
    Doctor,
    /// List the measures that `textkin search` can rank by
    Measures,
    /// List all chunkers, selectors, scores and normalization steps
    Strategies,
}

/// Not included in this build
#[cfg(not(feature = "server"))]
#[derive(Debug, Args)]
#[command(hide = true, disable_help_flag = true)]
pub(crate) struct Absent {
    /// Ignored
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<std::ffi::OsString>,
}

/// Find every pair of documents that share text
///
/// Reads files in any supported format, directories, globs, JSON lines, CSV and Parquet (also .gz .zst .xz
/// .bz2), or standard input (-). Prints a summary and the strongest pairs; use --out to write all pairs.
///
/// Exit code: 0 if pairs were found, 1 if there are none, 2 on failure.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  textkin discover essays/
  textkin discover 'dump-*.jsonl.zst' --out pairs.csv --clusters clusters.jsonl
  textkin discover a.csv --text-field body --score containment --threshold 0.5 --out graph.graphml
  zcat docs.jsonl.gz | textkin discover - --out - | head")]
pub(crate) struct Discover {
    /// Files, directories, globs, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) comparison: DiscoverComparison,
    #[command(flatten)]
    pub(crate) input: InputOptions,
    #[command(flatten)]
    pub(crate) output: DiscoverOutput,
    #[command(flatten)]
    pub(crate) performance: PerformanceOptions,
}

/// Remove duplicate documents, passages or lines from a collection
///
/// Removes a document if at least --threshold of its words appear in one document that stays. Writes the rest
/// in its original format and compression, otherwise unchanged.
///
/// Exit code: 0 if something is removed, 1 if there are no duplicates, 2 on failure.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  textkin dedup dump.jsonl.zst --out clean.jsonl.zst --log removed.jsonl
  textkin dedup essays/ --threshold 0.8 --keep longest --dry-run
  textkin dedup 'part-*.parquet' --by ssr --threshold 0.5 --keep field:stars --out clean/
  textkin dedup pages.jsonl --level passage --min-words 50 --out clean.jsonl")]
pub(crate) struct Dedup {
    /// Files, directories, globs, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) removal: RemovalOptions,
    #[command(flatten)]
    pub(crate) input: InputOptions,
    #[command(flatten)]
    pub(crate) output: DedupOutput,
    #[command(flatten)]
    pub(crate) performance: PerformanceOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Duplicates")]
pub(crate) struct RemovalOptions {
    /// What to remove
    #[arg(long, default_value_t, value_enum, value_name = "LEVEL")]
    pub(crate) level: DedupLevelOption,
    /// Minimum share of words for a duplicate [default: 0.9]
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub(crate) threshold: Option<f64>,
    /// Compare the threshold with this score instead of the share of words that appear in the document that
    /// stays: ssr, sscr, … (see `textkin strategies`)
    #[arg(long, value_name = "SCORE")]
    pub(crate) by: Option<Measure>,
    /// Which duplicate to keep: first, last, longest, best (most in common with all others), field:NAME (the
    /// largest value of a field)
    #[arg(long, default_value = "first", value_name = "WHICH", value_parser = KeepOption::parse)]
    pub(crate) keep: KeepOption,
    /// Minimum words of a passage [default: 50] or line [default: 3] to remove
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_words: Option<u32>,
    /// Ignore chunks that occur in more than N documents; the number of ignored chunks is reported
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_df: Option<u32>,
    #[command(flatten)]
    pub(crate) analysis: AnalysisOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct DedupOutput {
    /// Where to write the cleaned collection: a file for one input file, otherwise a new directory
    #[arg(long, value_name = "PATH", required_unless_present = "dry_run")]
    pub(crate) out: Option<PathBuf>,
    /// Remove nothing; add the fields textkin_duplicate_of and textkin_score to records
    #[arg(long)]
    pub(crate) annotate: bool,
    /// Write what is removed and what it duplicates, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Report what would be removed; write nothing except the log
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print nothing but problems and errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// What deduplication removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum DedupLevelOption {
    /// Whole documents
    #[default]
    Document,
    /// Runs of words
    Passage,
    /// Lines
    Line,
}

/// Which of several duplicates to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeepOption {
    First,
    Last,
    Longest,
    Best,
    Field(String),
}

impl KeepOption {
    fn parse(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("field", name)) if !name.is_empty() => return Ok(Self::Field(name.to_owned())),
            Some(("field", _)) => {
                return Err("the field name is missing; write field:NAME".to_owned());
            }
            _ => {}
        }
        match text {
            "first" => Ok(Self::First),
            "last" => Ok(Self::Last),
            "longest" => Ok(Self::Longest),
            "best" => Ok(Self::Best),
            _ => Err(format!("expected first, last, longest, best or field:NAME, got '{text}'")),
        }
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err(format!("expected a number above 0, got '{text}'")),
    }
}

/// Show an index of shared chunks, or look up a text in it
///
/// `textkin discover --index FILE` writes such an index. All of it is checked for damage before it is used.
///
/// Exit code: 0 if there are shared chunks, 1 if there are none, 2 on failure.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  textkin discover essays/ --index shared.tkx --index-text
  textkin index shared.tkx
  textkin index shared.tkx --find new-essay.txt
  textkin index shared.tkx --list > chunks.csv")]
pub(crate) struct Index {
    /// Index file
    pub(crate) file: PathBuf,
    /// Look up the chunks of this text file (- for standard input) and the documents that contain them
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    pub(crate) find: Option<PathBuf>,
    /// Print every chunk as CSV: fingerprint, documents, text
    #[arg(long)]
    pub(crate) list: bool,
    /// Number of most frequent chunks, or of documents found, to show
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) top: usize,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Comparison")]
pub(crate) struct DiscoverComparison {
    #[command(flatten)]
    pub(crate) analysis: AnalysisOptions,
    /// Which chunks to compare; join selectors with + (see `textkin strategies`)
    #[arg(long, default_value = "spex", value_name = "SELECTOR")]
    pub(crate) select: Selection,
    /// Score of a pair: kin, s1, s2, s3, s4, ssr, sscr, containment, chunk-containment, max-containment (see
    /// `textkin strategies`)
    #[arg(long, default_value_t, value_name = "SCORE")]
    pub(crate) score: Measure,
    /// Minimum score to report a pair: a number, or T1 to T5 from the DECO paper
    #[arg(long, default_value = "0.02", value_name = "SCORE", value_parser = Threshold::parse)]
    pub(crate) threshold: Threshold,
    /// Ignore the N most frequent words of the collection (reads the input twice)
    #[arg(long, value_name = "N")]
    pub(crate) stop_frequent: Option<usize>,
    /// Hash function for chunks: polynomial, rabin, shift-add-xor
    #[arg(long, default_value_t, value_name = "HASH")]
    pub(crate) hash: HashKind,
    /// Ignore chunks that occur in more than N documents; the number of ignored chunks is reported
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_df: Option<u32>,
    /// How to cluster: dense (boilerplate does not chain documents together) or components
    #[arg(long, default_value_t, value_name = "HOW")]
    pub(crate) cluster_by: Clustering,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
#[command(group(clap::ArgGroup::new("passages").multiple(true).args(["explain", "html"])))]
pub(crate) struct DiscoverOutput {
    /// Write all pairs: .csv .jsonl .parquet .graphml .gexf .dot .mtx (text formats also .gz .zst), or - for
    /// CSV on standard output; can be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Vec<PathBuf>,
    /// Refuse to write more than N pairs; use --clusters for a compact result
    #[arg(long, default_value_t = 1_000_000_000, value_name = "N")]
    pub(crate) max_pairs: u64,
    /// Write clusters as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) clusters: Option<PathBuf>,
    /// Also find near-exact copies with I-Match and write the sets as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) imatch: Option<PathBuf>,
    /// Write the passages each pair shares as JSON lines: spans and words (reads the input twice)
    #[arg(long, value_name = "FILE")]
    pub(crate) explain: Option<PathBuf>,
    /// Write an HTML report: scores, pairs, passages, clusters, problems
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Join passages that are at most N words apart on both sides
    #[arg(long, default_value_t = 5, value_name = "N", requires = "passages")]
    pub(crate) max_gap: u32,
    /// Write an index of shared chunks: fingerprints and the documents that contain them
    #[arg(long, value_name = "FILE")]
    pub(crate) index: Option<PathBuf>,
    /// Store the words of each chunk in the index too
    #[arg(long, requires = "index")]
    pub(crate) index_text: bool,
    /// Write counts, settings, times and memory as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) stats: Option<PathBuf>,
    /// Number of strongest pairs to show
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) top: usize,
    /// Print nothing but problems and errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Performance (does not affect results)")]
pub(crate) struct PerformanceOptions {
    /// Memory limit [default: half of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Algorithm for finding shared chunks: auto, sort (in memory), spex (counters first), spex-iterated (as in
    /// the DECO paper), spill (on disk)
    #[arg(long, default_value = "auto", value_name = "PLAN")]
    pub(crate) plan: Plan,
    /// How to count pairs: exact, or probabilistic as in DECO
    #[arg(long, default_value = "exact", value_name = "HOW")]
    pub(crate) count: Counting,
    /// Directory for temporary files [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) temp_dir: Option<PathBuf>,
}
