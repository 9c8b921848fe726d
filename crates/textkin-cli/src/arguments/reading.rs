//! What can be said about the documents that are read: one home for all commands.

use clap::Args;
use textkin::source::InputFormat;

use textkin::parse_size;

// How documents are read out of files.
#[derive(Debug, Args)]
#[command(next_help_heading = "What is read")]
pub(crate) struct Reading {
    /// Field of a record that holds its id [default: id, else FILE:LINE]
    #[arg(long, value_name = "FIELD")]
    pub(crate) id_field: Option<String>,
    /// Field of a record that holds its text
    #[arg(long, default_value = "text", value_name = "FIELD")]
    pub(crate) text_field: String,
    /// Take every input as text, jsonl, csv, tsv or parquet, whatever its name; as text means that
    /// nothing is extracted
    #[arg(long, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
    /// Of web pages, read the main content only, without menus and notices around it
    #[arg(long)]
    pub(crate) main_content: bool,
    /// The longest that reading one file of another format than text may take, in seconds
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86400))]
    pub(crate) max_seconds: u64,
    /// The largest document; a larger one is a problem, named and left out
    #[arg(long, default_value = "2GiB", value_name = "SIZE", value_parser = parse_size)]
    pub(crate) max_document: u64,
}

// What of a collection is read, and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "What is read")]
pub(crate) struct Input {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Field of a record that holds its time [default: time]
    #[arg(long, value_name = "FIELD")]
    pub(crate) time_field: Option<String>,
    /// Leave out files and folders that match, in .gitignore form
    #[arg(long, value_name = "PATTERN")]
    pub(crate) exclude_files: Vec<String>,
    /// Read hidden files in folders too
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Follow symbolic links in folders
    #[arg(long)]
    pub(crate) follow_links: bool,
    /// Stop at the first document that cannot be read
    #[arg(long)]
    pub(crate) strict: bool,
}
