//! Groups of options that commands share. An option has one name, one short form and one meaning everywhere.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use textkin::engine::parse_size;
use textkin::engine::text::tokenizer::Normalization;

// No doc comments at groups of options: they would replace the help of the command.

// Options of every command.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalOptions {
    /// Print only results, problems and errors
    ///
    /// Hides summaries, notes and progress.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// When to use color
    ///
    /// `auto` colors terminals and follows the environment variables NO_COLOR, CLICOLOR_FORCE and TERM=dumb.
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        hide_short_help = true
    )]
    pub(crate) color: When,
    /// When to show progress on standard error
    ///
    /// `auto` draws a bar on terminals. `always` prints lines if standard error is not a terminal.
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        hide_short_help = true
    )]
    pub(crate) progress: When,
}

/// When to do something that depends on the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub(crate) enum When {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Performance (does not affect results)")]
pub(crate) struct ThreadOptions {
    /// Number of threads [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), hide_short_help = true)]
    pub(crate) threads: Option<u16>,
}

#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Performance (does not affect results)")]
pub(crate) struct MemoryOptions {
    /// Memory limit, for example 4GiB [default: half of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, hide_short_help = true)]
    pub(crate) memory: Option<u64>,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Performance (does not affect results)")]
pub(crate) struct TempDirOptions {
    /// Directory for temporary files [default: the system's temporary directory]
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    temp_dir: Option<PathBuf>,
}

impl TempDirOptions {
    /// Returns the directory for temporary files.
    pub(crate) fn path(&self) -> PathBuf {
        self.temp_dir.clone().unwrap_or_else(std::env::temp_dir)
    }
}

// The format of what a command prints.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct FormatOptions {
    /// Format of what is printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: OutputFormat,
}

/// A format of printed results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    #[default]
    Text,
    /// JSON
    Json,
}

// The format of a list that a command prints.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct ListFormatOptions {
    /// Format of what is printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: ListFormat,
}

/// A format of printed lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object per line
    Json,
    /// Comma-separated values with a header
    Csv,
}

// Where a command writes the result that it prints otherwise.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutOptions {
    /// Write the result to this file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

impl OutOptions {
    /// Returns the path of the output; - is standard output.
    pub(crate) fn path(&self) -> &Path {
        self.out.as_deref().unwrap_or(Path::new("-"))
    }
}

// Words to ignore.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Comparison")]
pub(crate) struct StopListOptions {
    /// Ignore the words of this file, or the stop words of a language (en, de, …); can be repeated
    #[arg(long, value_name = "FILE|LANGUAGE", hide_short_help = true)]
    pub(crate) stop_list: Vec<String>,
}

impl StopListOptions {
    /// Returns the words to ignore.
    pub(crate) fn words(&self) -> anyhow::Result<Vec<String>> {
        let mut words = Vec::new();
        for name in &self.stop_list {
            let language: Result<Normalization, _> = format!("none+stop:{name}").parse();
            match language {
                Ok(steps) => words.extend(steps.stop_words().map(str::to_owned)),
                Err(error) => {
                    let text = std::fs::read_to_string(name).with_context(|| {
                        format!(
                            "--stop-list {name} is neither a language ({error}) nor a readable file"
                        )
                    })?;
                    words.extend(text.split_whitespace().map(str::to_owned));
                }
            }
        }
        Ok(words)
    }

    /// Returns the paths of stop lists that are files.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.stop_list.iter().map(PathBuf::from).filter(|path| path.is_file())
    }
}

// The change is only shown.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct DryRunOptions {
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
