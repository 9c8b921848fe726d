//! What can be said about tracing a stream.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use textkin::text::grammar::Selection;
use textkin::trace::{Constant, Estimation, Eviction, Memory, Preset};

use super::{Analysis, Input};
use textkin::parse_size;

/// Say where each passage of a stream came from, under fixed memory
///
/// Takes documents in the order in which they arrive and says of each which words are fresh, and for
/// the others the earliest document known to hold them. The memory is all that is ever taken,
/// however long the stream: what is least likely to be needed is forgotten first. JSON lines on
/// standard input are answered one by one, as they come.
///
/// Exit code: 0 if something was copied, 1 if nothing was, 2 if something failed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  textkin trace posts.jsonl --memory 100MiB --out origins.jsonl
  tail -f feed.jsonl | textkin trace - --memory 1GiB
  tail -f feed.jsonl | textkin trace - --state feed.state --checkpoint-every 30s --out origins.jsonl
  textkin trace posts/ --time-field published --sort --out origins.jsonl
  textkin trace posts.jsonl --html page.html --html-document post-17 > /dev/null
  textkin trace posts.jsonl --preset paper --constant lucky-limit=4
  textkin trace posts.jsonl --memory unlimited --select all")]
pub(crate) struct Trace {
    /// Files, folders, globs, or - for standard input, in the order of time
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) means: TraceMeans,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    #[command(flatten)]
    pub(crate) input: Input,
}

// What is remembered, and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "What is remembered")]
pub(crate) struct TraceMeans {
    /// Memory of the table, with the names of documents; or unlimited, for the exact truth
    #[arg(long, default_value = "100MiB", value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) memory: Memory,
    /// What goes together: kin, the most accurate, or paper, that of Abdel-Hamid et al. (2009)
    #[arg(long, default_value_t, value_name = "PRESET")]
    pub(crate) preset: Preset,
    /// Which chunks are looked up [default: hailstorm+no-overlap; all if memory is unlimited]
    #[arg(long, value_name = "SELECTOR")]
    pub(crate) select: Option<Selection>,
    /// Which chunk is forgotten: random, lru, copy-count or lucky (the method of the paper)
    #[arg(long, value_name = "EVICTION")]
    pub(crate) evict: Option<Eviction>,
    /// What is guessed: none, expansion, bridging or bridging+expansion (the method of the paper)
    #[arg(long, value_name = "ESTIMATION")]
    pub(crate) estimate: Option<Estimation>,
    /// Slots of a bucket of the table
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) bucket: Option<u16>,
    /// Set a constant of the method, several times for several (`textkin strategies` lists them)
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_constant)]
    pub(crate) constant: Vec<(Constant, u64)>,
    /// How results are written
    #[arg(long, value_enum, default_value = "json", value_name = "FORMAT")]
    pub(crate) format: TraceFormat,
    /// Where results are written, complete when the input has ended, or with --state as far as
    /// documents are done [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Take documents in the order of their times (see --time-field), those of equal time as they
    /// come and those without a time last; everything is read first
    #[arg(long)]
    pub(crate) sort: bool,
    /// Show the N documents that most others copied from, on standard error at the end
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top_origins: Option<u32>,
    /// Write them to this file, as JSON, whenever the state is written and at the end
    #[arg(long, value_name = "FILE", requires = "top_origins")]
    pub(crate) top_origins_out: Option<PathBuf>,
    /// Write a page that shows one document with its passages tinted by origin
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Which document the page shows [default: the one with the most words that are not fresh]
    #[arg(long, value_name = "ID", requires = "html")]
    pub(crate) html_document: Option<String>,
    /// Keep all that is remembered in this file, and go on from it in the next run, however this one
    /// ends: files are read again and what is done of them passed over, standard input goes on
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// How often the state is written: after so many documents, or so much time (30s, 5m)
    #[arg(long, default_value = "60s", value_name = "N|TIME", value_parser = Every::parse)]
    pub(crate) checkpoint_every: Every,
}

/// How often a state is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Every {
    Documents(u64),
    Seconds(u64),
}

impl Every {
    fn parse(text: &str) -> Result<Self, String> {
        let every = match text.parse() {
            Ok(documents) => Self::Documents(documents),
            Err(_) => Self::Seconds(textkin::parse_age(text).map_err(|_| {
                format!(
                    "'{text}' is neither a number of documents nor a time: write 1000, 30s or 5m"
                )
            })?),
        };
        match every {
            Self::Documents(0) | Self::Seconds(0) => {
                Err("0 is too often; write 1 or 1s".to_owned())
            }
            _ => Ok(every),
        }
    }
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// A JSON object for each document, one a line
    Json,
    /// For a terminal: one line for each document
    Table,
}

impl TraceFormat {
    /// The name it is chosen by.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Table => "table",
        }
    }
}

fn parse_constant(text: &str) -> Result<(Constant, u64), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, such as bridge-limit=30")?;
    let constant = Constant::named(name.trim()).map_err(|error| error.to_string())?;
    let number = value.trim().parse();
    Ok((constant, number.map_err(|_| format!("'{value}' is no number for {name}"))?))
}

fn parse_memory(text: &str) -> Result<Memory, String> {
    match text {
        "unlimited" => Ok(Memory::Unlimited),
        _ => parse_size(text).map(Memory::Bytes),
    }
}
