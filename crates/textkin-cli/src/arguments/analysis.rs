//! Options for words, chunks and exclusions, shared by all commands that compare texts.

use std::path::PathBuf;

use clap::Args;
use textkin::engine::text::grammar::ChunkerKind;
use textkin::engine::text::tokenizer::{Normalization, TextPart};

use super::StopListOptions;

// No doc comment here or at other groups of options: it would replace the help of the command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Comparison")]
pub(crate) struct AnalysisOptions {
    /// How to split documents into chunks (see `textkin strategies`)
    #[arg(long, default_value_t, value_name = "CHUNKER", hide_short_help = true)]
    pub(crate) chunk: ChunkerKind,
    /// How to normalize text: steps joined with + (see `textkin strategies`)
    #[arg(long, default_value_t, value_name = "STEPS", hide_short_help = true)]
    pub(crate) normalize: Normalization,
    #[command(flatten)]
    pub(crate) stop_list: StopListOptions,
    /// Ignore these parts of texts: quotes, bibliography, or both separated by a comma
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = parse_part, hide_short_help = true)]
    pub(crate) exclude: Vec<TextPart>,
    /// Ignore passages from this template, for example a form; can be repeated
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) template: Vec<PathBuf>,
}

/// Parses a part of a text. The error mentions the option for files, which may have been meant.
fn parse_part(text: &str) -> Result<TextPart, String> {
    text.parse().map_err(|error| format!("{error}; to exclude files, use --exclude-files"))
}
