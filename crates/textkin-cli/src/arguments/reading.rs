//! Input options, shared by all commands that read documents.

use clap::Args;
use textkin::engine::source::{InputFormat, TeiOptions};

use textkin::engine::parse_size;

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct ReadOptions {
    /// Field with the id of a record [default: id, otherwise FILE:LINE]
    #[arg(long, value_name = "FIELD", hide_short_help = true)]
    pub(crate) id_field: Option<String>,
    /// Field with the text of a record
    #[arg(long, default_value = "text", value_name = "FIELD")]
    pub(crate) text_field: String,
    /// Read every input as text, jsonl, json, csv, tsv or parquet, whatever its name and content; `text` disables
    /// extraction
    #[arg(long, value_name = "FORMAT", hide_short_help = true)]
    pub(crate) input_format: Option<InputFormat>,
    /// For web pages, extract only the main content
    #[arg(long, hide_short_help = true)]
    pub(crate) main_content: bool,
    /// What to read of TEI besides the corrected text: header, notes, original (readings); separated by commas
    #[arg(long, value_name = "PARTS", hide_short_help = true)]
    pub(crate) tei: Option<TeiOptions>,
    /// Time limit for extracting text from one file, in seconds
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86400), hide_short_help = true)]
    pub(crate) max_seconds: u64,
    /// Maximum document size; larger ones are reported and skipped
    #[arg(long, default_value = "2GiB", value_name = "SIZE", value_parser = parse_size, hide_short_help = true)]
    pub(crate) max_document: u64,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputOptions {
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
    /// Field with the time of a record [default: time]
    #[arg(long, value_name = "FIELD", hide_short_help = true)]
    pub(crate) time_field: Option<String>,
    /// Skip files and directories that match (.gitignore syntax); can be repeated
    #[arg(long, value_name = "PATTERN", hide_short_help = true)]
    pub(crate) exclude_files: Vec<String>,
    /// Also read hidden files in directories
    #[arg(long, hide_short_help = true)]
    pub(crate) hidden: bool,
    /// Follow symbolic links in directories
    #[arg(long, hide_short_help = true)]
    pub(crate) follow_links: bool,
    /// Stop at the first document that cannot be read
    #[arg(long)]
    pub(crate) strict: bool,
}
