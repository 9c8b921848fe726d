//! Arguments of `textkin eval`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use textkin_eval::generate::{Edit, SyntheticKind};

use super::common::FormatOptions;

/// Run the experiments of the papers on collections with known answers
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin eval list
  textkin eval run deco.table3
  textkin eval all --out results/")]
pub(crate) struct Eval {
    #[command(subcommand)]
    pub(crate) command: EvalCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    List(EvalList),
    Run(EvalRun),
    All(EvalAll),
    Generate(EvalGenerate),
}

/// List all experiments and what they need
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin eval list
  textkin eval list --format json")]
pub(crate) struct EvalList {
    #[command(flatten)]
    pub(crate) format: FormatOptions,
}

/// Run experiments by name (deco runs all of deco.*)
///
/// Prints each table with the figures of the paper in brackets; the paper used other collections. Without
/// --collection, a collection is generated from --seed.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin eval run deco.table3
  textkin eval run hoad scam.figure5 --collection corpora/pydocs --out results/")]
pub(crate) struct EvalRun {
    /// Names of experiments, or the part of the name before the dot
    #[arg(required = true, value_name = "NAME")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) options: EvalOptions,
}

/// Run every experiment
///
/// Skips and reports experiments that need something a collection does not have.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin eval all
  textkin eval all --full --collection corpora/pydocs --out results/")]
pub(crate) struct EvalAll {
    #[command(flatten)]
    pub(crate) options: EvalOptions,
}

#[derive(Debug, Args)]
pub(crate) struct EvalOptions {
    /// Directory with a collection.toml, a known collection, or a file of documents; can be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) collection: Vec<PathBuf>,

    /// Evaluation sets whose items synthetic.decontaminate plants in documents [default: invented questions]
    #[arg(long, value_name = "INPUT")]
    pub(crate) against: Vec<PathBuf>,

    /// Add the documents of this collection to every other, without their answers; can be repeated
    #[arg(long, value_name = "DIR", requires = "collection")]
    pub(crate) background: Vec<PathBuf>,

    /// Write each result to this directory as CSV, JSON, Markdown, HTML and SVG, with an index.html
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Use fewer queries and smaller generated collections (default of `all`)
    #[arg(long, conflicts_with = "full")]
    pub(crate) quick: bool,

    /// Use all queries and larger generated collections (default of `run`)
    #[arg(long)]
    pub(crate) full: bool,

    /// Seed of random choices
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) format: FormatOptions,
}

/// Generate a collection with known answers
///
/// Writes documents.jsonl, pairs.tsv, passages.tsv and collection.toml to a new directory.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  textkin eval generate quotes --documents 10000 --passage 25 --rate 0.1 --out quotes/")]
pub(crate) struct EvalGenerate {
    /// Kind of collection: originals with edited copies, documents that quote one passage, chains of six
    /// versions, different texts in one template, or documents over time that copy from earlier ones
    #[arg(value_parser = named(&SyntheticKind::ALL, SyntheticKind::name))]
    pub(crate) kind: SyntheticKind,

    /// New or empty directory
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// Number of documents
    #[arg(long, default_value_t = 600, value_name = "N")]
    pub(crate) documents: u32,

    /// Words per document before editing
    #[arg(long, default_value_t = 300, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) words: u32,

    /// How copies are edited
    #[arg(long, default_value = "replace", value_parser = named(&Edit::ALL, Edit::name))]
    pub(crate) edit: Edit,

    /// Share of words to change
    #[arg(long, default_value_t = 0.1, value_name = "SHARE", value_parser = share)]
    pub(crate) rate: f64,

    /// Words per copied passage
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) passage: u32,

    /// Seed; the same seed generates the same collection
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,
}

/// Returns a parser for values that are chosen by name.
fn named<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let values = PossibleValuesParser::new(all.iter().map(|value| name(*value)));
    values.try_map(move |text| {
        all.iter().copied().find(|value| name(*value) == text).ok_or("unknown name")
    })
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(format!("expected a number between 0 and 1, got '{text}'")),
    }
}
