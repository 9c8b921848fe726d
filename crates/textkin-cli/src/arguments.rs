//! What can be written on the command line.

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
mod delivering;
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

pub(crate) use analysis::Analysis;
#[cfg(feature = "server")]
pub(crate) use client::{
    Client, ClientAlerts, ClientChannel, ClientCommand, ClientExisting, ClientLevel, ClientProbe,
    ClientRegister, ClientState, ClientWatch, Connection,
};
pub(crate) use compare::{Compare, ComparisonFormat};
#[cfg(feature = "server")]
pub(crate) use delivering::{DeliveringArguments, SmtpEncryption};
pub(crate) use eval::{Eval, EvalCommand, EvalMeans, Generate};
#[cfg(feature = "server")]
pub(crate) use mail::{Mail, MailArguments};
pub(crate) use reading::{Input, Reading};
pub(crate) use repo::{
    Add, Compact, Create, Export, Info, List, ListFormat, Remove, Repo, RepoCommand, WriteMeans,
};
pub(crate) use search::{LookedFor, Search, SearchFormat};
#[cfg(feature = "server")]
pub(crate) use server::{Admin, AdminCommand, AdminKey, LogFormat, Serve};
pub(crate) use trace::{Every, Trace, TraceFormat, TraceMeans};
pub(crate) use verify::Verify;

/// Finds the kin of a text: every document that shares written material with it.
#[derive(Debug, Parser)]
#[command(name = "textkin", version, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

// A command with arguments is described where they are: a comment here would hide that.
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
    /// Say which formats are read, which programs help with that, and how to install them
    Doctor,
    /// List the measures by which textkin search ranks
    Measures,
    /// List every chunker, selector, score and normalisation step by name
    Strategies,
}

/// Not in this package, which is without the server
#[cfg(not(feature = "server"))]
#[derive(Debug, Args)]
#[command(hide = true, disable_help_flag = true)]
pub(crate) struct Absent {
    /// Whatever was asked
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<std::ffi::OsString>,
}

/// Find every pair of documents that share text, with proof
///
/// Reads files, folders, globs, JSON lines, CSV and Parquet (also .gz .zst .xz .bz2), or standard
/// input (-). Prints a summary and the strongest pairs; --out writes the whole graph.
///
/// Exit code: 0 if pairs were found, 1 if there are none, 2 if something failed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  textkin discover essays/
  textkin discover 'dump-*.jsonl.zst' --out pairs.csv --clusters clusters.jsonl
  textkin discover a.csv --text-field body --score containment --threshold 0.5 --out graph.graphml
  zcat docs.jsonl.gz | textkin discover - --out - | head")]
pub(crate) struct Discover {
    /// Files, folders, globs, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) comparison: Comparison,
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) means: Means,
}

/// Clean a collection: take out documents, passages or lines that are there already
///
/// A document goes if at least --threshold of its words are in one document that is kept. The rest
/// is written in the format and compression it came in; nothing else of it changes.
///
/// Exit code: 0 if something goes, 1 if there is nothing to take out, 2 if something failed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  textkin dedup dump.jsonl.zst --out clean.jsonl.zst --log removed.jsonl
  textkin dedup essays/ --threshold 0.8 --keep longest --dry-run
  textkin dedup 'part-*.parquet' --by ssr --threshold 0.5 --keep field:stars --out clean/
  textkin dedup pages.jsonl --level passage --min-words 50 --out clean.jsonl")]
pub(crate) struct Dedup {
    /// Files, folders, globs, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) removal: Removal,
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) cleaned: Cleaned,
    #[command(flatten)]
    pub(crate) means: Means,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What goes")]
pub(crate) struct Removal {
    /// What is taken out: document, passage, line
    #[arg(long, default_value_t, value_enum, value_name = "LEVEL")]
    pub(crate) level: LevelName,
    /// From where on a document is a duplicate [default: 0.9]
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub(crate) threshold: Option<f64>,
    /// Compare the threshold with this score of two documents instead of the share of words that the
    /// kept one holds: ssr, sscr, … (see `textkin strategies`)
    #[arg(long, value_name = "SCORE")]
    pub(crate) by: Option<Measure>,
    /// Which of several stays: first, last, longest, best (most in common with all others), field:NAME (the
    /// largest value of a field)
    #[arg(long, default_value = "first", value_name = "WHICH", value_parser = KeepName::parse)]
    pub(crate) keep: KeepName,
    /// The fewest words of a passage [default: 50] or a line [default: 3] that goes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_words: Option<u32>,
    /// Set aside chunks that are in more than N documents; says what it left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_df: Option<u32>,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What is written")]
pub(crate) struct Cleaned {
    /// Where the cleaned collection goes: a file for one file, else a new folder
    #[arg(long, value_name = "PATH", required_unless_present = "dry_run")]
    pub(crate) out: Option<PathBuf>,
    /// Take nothing out: records get the fields textkin_duplicate_of and textkin_score
    #[arg(long)]
    pub(crate) annotate: bool,
    /// Write what goes, what it duplicates and where, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Say what would go, and write nothing but the log
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show nothing but problems and errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// What is taken out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LevelName {
    /// Whole documents
    #[default]
    Document,
    /// Runs of words
    Passage,
    /// Lines
    Line,
}

/// Which of several stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeepName {
    First,
    Last,
    Longest,
    Best,
    Field(String),
}

impl KeepName {
    fn parse(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("field", name)) if !name.is_empty() => return Ok(Self::Field(name.to_owned())),
            Some(("field", _)) => return Err("name a field: field:NAME".to_owned()),
            _ => {}
        }
        match text {
            "first" => Ok(Self::First),
            "last" => Ok(Self::Last),
            "longest" => Ok(Self::Longest),
            "best" => Ok(Self::Best),
            _ => Err(format!("no '{text}'; there are first, last, longest, best and field:NAME")),
        }
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err(format!("'{text}' is no number above 0")),
    }
}

/// Show what an index of shared chunks holds, or find the chunks of a text in it
///
/// `textkin discover --index FILE` writes such an index. It is checked from end to end before it is
/// used.
///
/// Exit code: 0 if there are shared chunks, 1 if there are none, 2 if something failed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  textkin discover essays/ --index shared.tkx --index-text
  textkin index shared.tkx
  textkin index shared.tkx --find new-essay.txt
  textkin index shared.tkx --list > chunks.csv")]
pub(crate) struct Index {
    /// The index
    pub(crate) file: PathBuf,
    /// Find the chunks of this text file (- for standard input), and the documents that hold them
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    pub(crate) find: Option<PathBuf>,
    /// Write every chunk as CSV: fingerprint, documents, text
    #[arg(long)]
    pub(crate) list: bool,
    /// How many of the most widespread chunks, or of the documents found, to show
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) top: usize,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What is compared")]
pub(crate) struct Comparison {
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    /// Which chunks lead to a pair; selectors are joined with +
    #[arg(long, default_value = "spex", value_name = "SELECTOR")]
    pub(crate) select: Selection,
    /// The rule that scores a pair: kin, s1, s2, s3, s4, ssr, sscr, containment, chunk-containment,
    /// max-containment
    #[arg(long, default_value_t, value_name = "SCORE")]
    pub(crate) score: Measure,
    /// The least score of a pair to be reported: a number, or T1 to T5 of DECO's table
    #[arg(long, default_value = "0.02", value_name = "SCORE", value_parser = Threshold::parse)]
    pub(crate) threshold: Threshold,
    /// The N most frequent words of the collection never count (reads the input twice)
    #[arg(long, value_name = "N")]
    pub(crate) stop_frequent: Option<usize>,
    /// How chunks are hashed: polynomial, rabin, shift-add-xor
    #[arg(long, default_value_t, value_name = "HASH")]
    pub(crate) hash: HashKind,
    /// Set aside chunks that are in more than N documents; says what it left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_df: Option<u32>,
    /// Which documents make a cluster: dense (boilerplate does not chain them), components
    #[arg(long, default_value_t, value_name = "HOW")]
    pub(crate) cluster_by: Clustering,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What is written")]
#[command(group(clap::ArgGroup::new("passages").multiple(true).args(["explain", "html"])))]
pub(crate) struct Output {
    /// Write all pairs: .csv .jsonl .parquet .graphml .gexf .dot .mtx (text also .gz .zst); - is
    /// CSV on standard output; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Vec<PathBuf>,
    /// Refuse to write more than N pairs; clusters say the same in less
    #[arg(long, default_value_t = 1_000_000_000, value_name = "N")]
    pub(crate) max_pairs: u64,
    /// Write the clusters as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) clusters: Option<PathBuf>,
    /// Also find almost exact copies by I-Match and write their sets as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) imatch: Option<PathBuf>,
    /// Write the passages that each pair shares as JSON lines: spans and words (reads the input twice)
    #[arg(long, value_name = "FILE")]
    pub(crate) explain: Option<PathBuf>,
    /// Write the run as one page to look at: scores, pairs, passages, clusters, problems
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Passages at most N words apart on both sides are explained as one
    #[arg(long, default_value_t = 5, value_name = "N", requires = "passages")]
    pub(crate) max_gap: u32,
    /// Write an index of the shared chunks: fingerprints and the documents that hold them
    #[arg(long, value_name = "FILE")]
    pub(crate) index: Option<PathBuf>,
    /// Keep the words of each chunk in the index too
    #[arg(long, requires = "index")]
    pub(crate) index_text: bool,
    /// Write what was found and what it took, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) stats: Option<PathBuf>,
    /// How many of the strongest pairs to show
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) top: usize,
    /// Show nothing but problems and errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "How it is done (never changes the answer)")]
pub(crate) struct Means {
    /// Memory to stay within [default: half of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// The way to the shared chunks: auto, sort (in memory), spex (counters first), spex-iterated (as
    /// in DECO's paper), spill (on disk)
    #[arg(long, default_value = "auto", value_name = "PLAN")]
    pub(crate) plan: Plan,
    /// How pairs are counted: exact, or probabilistic as in DECO
    #[arg(long, default_value = "exact", value_name = "HOW")]
    pub(crate) count: Counting,
    /// Where data goes that does not fit the memory [default: the system's temporary folder]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) temp_dir: Option<PathBuf>,
}
