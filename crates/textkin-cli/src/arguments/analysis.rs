//! How texts become words and chunks, and what of them does not count: one home for all commands.

use std::path::PathBuf;

use clap::Args;
use textkin::text::grammar::ChunkerKind;
use textkin::text::tokenizer::{Normalization, TextPart};

// How texts become words and chunks, and what of them does not count. No doc comment here or in the
// other groups: it would take the place of what the help of a command says.
#[derive(Debug, Args)]
#[command(next_help_heading = "What is compared")]
pub(crate) struct Analysis {
    /// How documents are cut into chunks (see `textkin strategies`)
    #[arg(long, default_value_t, value_name = "CHUNKER")]
    pub(crate) chunk: ChunkerKind,
    /// How text is normalised: steps joined with + (see `textkin strategies`)
    #[arg(long, default_value_t, value_name = "STEPS")]
    pub(crate) normalize: Normalization,
    /// Words that never count, one a line
    #[arg(long, value_name = "FILE")]
    pub(crate) stop_list: Option<PathBuf>,
    /// Parts of texts that do not count: quotes, bibliography, or both with a comma between them
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = parse_part)]
    pub(crate) exclude: Vec<TextPart>,
    /// A document whose passages never count, such as a form that all fill in
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Vec<PathBuf>,
}

/// A part of texts; what may have been meant for files is told apart.
fn parse_part(text: &str) -> Result<TextPart, String> {
    text.parse().map_err(|error| format!("{error}; files are left out with --exclude-files"))
}
