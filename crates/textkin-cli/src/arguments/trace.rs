//! Arguments of `textkin trace`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use textkin::engine::text::grammar::Selection;
use textkin::engine::trace::{Constant, Estimation, Eviction, Memory, Preset};
use textkin::engine::types::hash::HashKind;
use textkin::engine::{DEFAULT_TRACE_MEMORY, parse_size};

use super::common::{OutOptions, TempDirOptions};
use super::{AnalysisOptions, InputOptions};

/// Trace each passage of a stream to its origin, in bounded memory
///
/// Reads documents in order of arrival. Reports which words of each document are fresh, and for the others the
/// earliest known document that contains them. Memory use never exceeds the limit, however long the stream:
/// the entries least likely to be needed are evicted first. JSON lines on standard input are answered line by
/// line.
///
/// Exit code: 0 if something was copied, 1 if nothing was, 2 on failure.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin trace posts.jsonl --memory 100MiB --out origins.jsonl
  tail -f feed.jsonl | textkin trace - --memory 1GiB
  tail -f feed.jsonl | textkin trace - --state feed.state --checkpoint-every 30s --out origins.jsonl
  textkin trace posts.jsonl --memory 64MiB --names names.jsonl --out origins.jsonl
  textkin trace posts/ --time-field published --sort --out origins.jsonl
  textkin trace posts.jsonl --html page.html --html-document post-17 > /dev/null
  textkin trace posts.jsonl --preset paper --constant lucky-limit=4
  textkin trace posts.jsonl --memory unlimited --select all")]
pub(crate) struct Trace {
    /// Files, directories, globs, or - for standard input, in chronological order
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) options: TraceOptions,
    #[command(flatten)]
    pub(crate) analysis: AnalysisOptions,
    #[command(flatten)]
    pub(crate) input: InputOptions,
    #[command(flatten)]
    pub(crate) temp_dir: TempDirOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Tracing")]
pub(crate) struct TraceOptions {
    /// Size of the table of known text, for example 1GiB; `unlimited` gives exact results
    ///
    /// In other commands --memory never affects results. Here a smaller table forgets more text.
    #[arg(long, default_value = DEFAULT_TRACE_MEMORY, value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) memory: Memory,
    /// Method: kin (most accurate) or paper (Abdel-Hamid et al. 2009)
    #[arg(long, default_value_t, value_name = "PRESET", hide_short_help = true)]
    pub(crate) preset: Preset,
    /// Which chunks to look up [default: hailstorm+no-overlap; all if memory is unlimited]
    #[arg(long, value_name = "SELECTOR", hide_short_help = true)]
    pub(crate) select: Option<Selection>,
    /// Hash function for chunks: polynomial, rabin (as in the paper), shift-add-xor, shift-add-xor-32
    #[arg(long, default_value_t, value_name = "HASH", hide_short_help = true)]
    pub(crate) hash: HashKind,
    /// Treat documents with fewer than N words as empty (45 in the paper)
    #[arg(long, default_value_t = 0, value_name = "N", hide_short_help = true)]
    pub(crate) min_document_words: u32,
    /// Which chunk to evict: random, lru, copy-count or lucky (with --preset paper)
    #[arg(long, value_name = "EVICTION", hide_short_help = true)]
    pub(crate) evict: Option<Eviction>,
    /// What to estimate: none, expansion, bridging or bridging+expansion (with --preset paper)
    #[arg(long, value_name = "ESTIMATION", hide_short_help = true)]
    pub(crate) estimate: Option<Estimation>,
    /// Slots per bucket of the table
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096), hide_short_help = true)]
    pub(crate) bucket: Option<u16>,
    /// Set a constant of the method (see `textkin strategies`); can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_constant, hide_short_help = true)]
    pub(crate) constant: Vec<(Constant, u64)>,
    /// Format of what is printed
    #[arg(
        long,
        value_enum,
        default_value = "json",
        value_name = "FORMAT",
        help_heading = "Output"
    )]
    pub(crate) format: TraceFormat,
    #[command(flatten)]
    pub(crate) out: OutOptions,
    /// Sort documents by time first (see --time-field)
    ///
    /// Documents of equal time keep their order; documents without a time come last.
    #[arg(long, help_heading = "Tracing")]
    pub(crate) sort: bool,
    /// Print the N most copied documents on standard error at the end
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Output")]
    pub(crate) top: Option<u32>,
    /// Write the most copied documents to this file as JSON, at each checkpoint and at the end
    #[arg(
        long,
        value_name = "FILE",
        requires = "top",
        help_heading = "Output",
        hide_short_help = true
    )]
    pub(crate) top_out: Option<PathBuf>,
    /// Write an HTML report that shows one document with its passages colored by origin
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) html: Option<PathBuf>,
    /// Document to show in the HTML report [default: the one with the most copied words]
    #[arg(
        long,
        value_name = "ID",
        requires = "html",
        help_heading = "Output",
        hide_short_help = true
    )]
    pub(crate) html_document: Option<String>,
    /// Save the state of the trace to this file and resume from it in the next run
    ///
    /// Files are read again and skipped up to the last checkpoint; standard input continues. --out is complete up
    /// to the last checkpoint.
    #[arg(long, value_name = "FILE", help_heading = "Tracing")]
    pub(crate) state: Option<PathBuf>,
    /// Keep the names of all documents in this file, so that every origin has its name
    ///
    /// Otherwise the names of the latest documents are kept in 3/64 of the memory, and an origin without a name is
    /// reported by its number. The file has one name per line, as a JSON string; FILE.index has where each line
    /// ends. With --state, both are continued.
    #[arg(long, value_name = "FILE", help_heading = "Tracing", hide_short_help = true)]
    pub(crate) names: Option<PathBuf>,
    /// How often to save the state: a number of documents, or a time (30s, 5m)
    #[arg(long, default_value = "60s", value_name = "N|TIME", help_heading = "Tracing", value_parser = CheckpointInterval::parse, hide_short_help = true)]
    pub(crate) checkpoint_every: CheckpointInterval,
}

/// How often the state is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckpointInterval {
    Documents(u64),
    Seconds(u64),
}

impl CheckpointInterval {
    fn parse(text: &str) -> Result<Self, String> {
        let every = match text.parse() {
            Ok(documents) => Self::Documents(documents),
            Err(_) => Self::Seconds(textkin::engine::parse_age(text).map_err(|_| {
                format!(
                    "expected a number of documents or a time such as 1000, 30s or 5m, got '{text}'"
                )
            })?),
        };
        match every {
            Self::Documents(0) | Self::Seconds(0) => {
                Err("the interval must be at least 1 document or 1s".to_owned())
            }
            _ => Ok(every),
        }
    }
}

/// Format of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// One JSON object per document
    Json,
    /// One line per document, for people
    Text,
}

impl TraceFormat {
    /// Returns the name of the format in state files, where text was called table in the first version.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Text => "table",
        }
    }
}

fn parse_constant(text: &str) -> Result<(Constant, u64), String> {
    let (name, value) =
        text.split_once('=').ok_or("expected NAME=VALUE, such as bridge-limit=30")?;
    let constant = Constant::named(name.trim()).map_err(|error| error.to_string())?;
    let number = value.trim().parse();
    Ok((constant, number.map_err(|_| format!("expected a number for {name}, got '{value}'"))?))
}

fn parse_memory(text: &str) -> Result<Memory, String> {
    match text {
        "unlimited" => Ok(Memory::Unlimited),
        _ => parse_size(text).map(Memory::Bytes),
    }
}
