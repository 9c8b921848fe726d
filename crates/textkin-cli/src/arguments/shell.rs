//! Arguments of `textkin completions`, `textkin man` and `textkin schema`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin completions bash > ~/.local/share/bash-completion/completions/textkin
  textkin completions zsh > ~/.zfunc/_textkin
  textkin completions fish > ~/.config/fish/completions/textkin.fish")]
pub(crate) struct Completions {
    /// Shell to complete commands for
    pub(crate) shell: Shell,
}

/// Print the manual page, or write the pages of all commands
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin man | man -l -
  textkin man --out ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Write the manual pages of all commands to this directory
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Print the JSON Schema of an output, or list all
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin schema
  textkin schema pairs > pairs.schema.json")]
pub(crate) struct Schema {
    /// Name of the output [default: list all]
    pub(crate) name: Option<String>,
}
