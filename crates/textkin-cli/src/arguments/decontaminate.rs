//! Arguments of `textkin decontaminate`.

use std::path::PathBuf;

use clap::Args;
use textkin::{Cut, DecontaminationRule};

use super::InputOptions;
use super::common::{DryRunOptions, FormatOptions, TempDirOptions, ThreadOptions};

/// Remove evaluation items from a training corpus
///
/// Finds documents that contain questions of benchmarks and writes the others in their original format and
/// compression, otherwise unchanged. An item is judged by the share of the item that a document contains, so that
/// line breaks, markup and text around it do not hide it. Short questions need their answer or passage near by. The
/// same question with other numbers, and a passage without its question, are not removed.
///
/// Exit code: 0 if an item is found, 1 if there is none, 2 on failure.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin decontaminate crawl.jsonl.zst --against evals/ --out clean.jsonl.zst --log hits.jsonl
  textkin decontaminate 'part-*.parquet' --against gsm8k.jsonl --out clean/ --items items.jsonl
  textkin decontaminate crawl.jsonl --against mmlu.parquet --preset gpt3 --dry-run")]
pub(crate) struct Decontaminate {
    /// Files, directories, globs, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) items: ItemOptions,
    #[command(flatten)]
    pub(crate) output: DecontaminateOutput,
    #[command(flatten)]
    pub(crate) input: InputOptions,
    #[command(flatten)]
    pub(crate) threads: ThreadOptions,
    #[command(flatten)]
    pub(crate) temp_dir: TempDirOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Evaluation items")]
pub(crate) struct ItemOptions {
    /// Evaluation sets: files, directories or globs of records; can be repeated
    #[arg(long, required = true, value_name = "INPUT")]
    pub(crate) against: Vec<PathBuf>,
    /// Field with the question
    #[arg(long, default_value = "question", value_name = "FIELD")]
    pub(crate) question_field: String,
    /// Field with the answer, or with the index or letter of a choice
    #[arg(long, default_value = "answer", value_name = "FIELD")]
    pub(crate) answer_field: String,
    /// Field with the passage that the question is about
    #[arg(long, default_value = "passage", value_name = "FIELD", hide_short_help = true)]
    pub(crate) passage_field: String,
    /// Rule: textkin, or a published one: gpt3, palm, llama, tulu, decon
    #[arg(long, default_value_t, value_name = "RULE")]
    pub(crate) preset: DecontaminationRule,
    /// Minimum share of an item, from 0 to 1 [default: that of the rule]
    #[arg(long, short, value_name = "SHARE")]
    pub(crate) threshold: Option<f64>,
    /// Keep and report items that more than N documents contain: they are public material (reads the input twice)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    pub(crate) max_df: Option<u32>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct DecontaminateOutput {
    /// Where to write the cleaned corpus: a file for one input file, otherwise a new directory
    #[arg(long, short, value_name = "PATH", required_unless_present = "dry_run")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) dry_run: DryRunOptions,
    /// What to remove: document, span (the text of the item), or none
    #[arg(long, default_value_t, value_name = "WHAT")]
    pub(crate) cut: Cut,
    /// Write the items that were found, with their text and positions, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Write what was found of each item, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) items: Option<PathBuf>,
    /// Write counts, settings, time and memory as JSON
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) stats: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
}

impl DecontaminateOutput {
    /// Returns the files that are written besides the corpus.
    pub(crate) fn reports(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.log, &self.items, &self.stats].into_iter().flatten()
    }
}
