//! `textkin eval`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use textkin_eval::generate::{Edit, SyntheticKind};

/// Rerun the experiments of the papers, on collections whose truth is known
#[derive(Debug, Args)]
pub(crate) struct Eval {
    #[command(subcommand)]
    pub(crate) command: EvalCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// Name every experiment, and what it needs
    List,
    Run(EvalRun),
    All(EvalAll),
    Generate(Generate),
}

/// Run experiments by name (deco is all of deco.*)
///
/// Prints each table, with the paper's own figures in brackets: its collections are not yours. Without
/// --collection, one is made for it, the same for the same seed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  textkin eval run deco.table3
  textkin eval run hoad scam.figure5 --collection corpora/pydocs --out results/")]
pub(crate) struct EvalRun {
    /// Names of experiments, or the beginning of names up to the point
    #[arg(required = true, value_name = "NAME")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) means: EvalMeans,
}

/// Run every experiment
///
/// An experiment that needs what a collection lacks is passed over, and that is said.
#[derive(Debug, Args)]
pub(crate) struct EvalAll {
    #[command(flatten)]
    pub(crate) means: EvalMeans,
}

#[derive(Debug, Args)]
pub(crate) struct EvalMeans {
    /// A folder with a collection.toml, one of the collections known by name, or a file of documents; may be given again
    #[arg(long, value_name = "DIR")]
    pub(crate) collection: Vec<PathBuf>,

    /// Write each result to this folder as CSV, JSON, Markdown, HTML and SVG
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Fewer queries and smaller made collections: a first impression (default of `all`)
    #[arg(long, conflicts_with = "full")]
    pub(crate) quick: bool,

    /// All queries and larger made collections (default of `run`)
    #[arg(long)]
    pub(crate) full: bool,

    /// What is drawn by lot follows from this
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,

    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Make a collection whose truth is known
///
/// Writes documents.jsonl, pairs.tsv, passages.tsv and collection.toml to a new folder.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  textkin eval generate quotes --documents 10000 --passage 25 --edit replace --rate 0.1 --out quotes/")]
pub(crate) struct Generate {
    /// What it is made of: originals with edited copies, documents that quote one passage, chains of six
    /// versions, texts of their own in one frame, or documents in order of time that take from earlier ones
    #[arg(value_parser = named(&SyntheticKind::ALL, SyntheticKind::name))]
    pub(crate) kind: SyntheticKind,

    /// The folder, new or empty
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// How many documents
    #[arg(long, default_value_t = 600, value_name = "N")]
    pub(crate) documents: u32,

    /// Words of a document before it is edited
    #[arg(long, default_value_t = 300, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) words: u32,

    /// How what is copied is changed
    #[arg(long, default_value = "replace", value_parser = named(&Edit::ALL, Edit::name))]
    pub(crate) edit: Edit,

    /// Share of words that is changed
    #[arg(long, default_value_t = 0.1, value_name = "SHARE", value_parser = share)]
    pub(crate) rate: f64,

    /// Words of a copied passage
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) passage: u32,

    /// The same seed makes the same collection
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,
}

/// A value that is chosen by its name.
fn named<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let values = PossibleValuesParser::new(all.iter().map(|value| name(*value)));
    values.try_map(move |given| {
        all.iter().copied().find(|value| name(*value) == given).ok_or("there is no such name")
    })
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("write a number from 0 to 1".to_owned()),
    }
}
