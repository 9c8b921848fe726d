//! Arguments of `textkin client`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use textkin::engine::types::MatchLevel;

use super::InputOptions;
use super::common::OutputFormat;

/// Use a running server: check and register texts, watch repositories, list alerts
///
/// The API key is read from the environment variable TEXTKIN_KEY or from a file, because other users of the
/// machine can see command lines.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin client register essays essays/ --watch
  textkin client probe suspect.docx
  textkin client alerts --format json")]
pub(crate) struct Client {
    #[command(flatten)]
    pub(crate) connection: ClientConnection,
    #[command(subcommand)]
    pub(crate) command: ClientCommand,
}

/// Connection to the server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ClientConnection {
    /// URL of the server
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "TEXTKIN_SERVER",
        default_value = "http://127.0.0.1:7070"
    )]
    pub(crate) server: String,
    /// File with the API key [default: the environment variable TEXTKIN_KEY]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// Allow sending the key and texts unencrypted to another machine
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) insecure: bool,
    /// Format of what is printed; JSON is one object per line
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: OutputFormat,
}

// Commands are documented at the type of their arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum ClientCommand {
    Probe(ClientProbe),
    Register(ClientRegister),
    Watch(ClientWatch),
    Alerts(ClientAlerts),
}

/// Check where texts already occur, without storing them
///
/// Exit code: 0 if matches were found, 1 if there are none, 2 on failure.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin client probe suspect.docx
  textkin client probe submissions/ --repository essays --threshold 0.2")]
pub(crate) struct ClientProbe {
    /// Files and directories in any supported format, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Check only this repository; can be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) repository: Vec<String>,
    /// Minimum share of either text that appears in the other
    #[arg(long, short, value_name = "SHARE", default_value_t = 0.05, value_parser = share)]
    pub(crate) threshold: f64,
    #[command(flatten)]
    pub(crate) input: InputOptions,
}

/// Register texts in a repository
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin client register essays essays/ --watch
  textkin client register news today.jsonl --existing replace")]
pub(crate) struct ClientRegister {
    /// Name of the repository
    pub(crate) repository: String,
    /// Files and directories in any supported format, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Also watch the repository
    #[arg(long)]
    pub(crate) watch: bool,
    /// What to do with a document whose id already exists
    #[arg(long, value_enum, default_value_t = ClientExisting::Refuse)]
    pub(crate) existing: ClientExisting,
    #[command(flatten)]
    pub(crate) input: InputOptions,
}

/// What to do with a document whose id already exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientExisting {
    /// Reject the new document, unless it is identical
    Refuse,
    /// Skip the new document
    Skip,
    /// Replace the stored document
    Replace,
}

/// Watch a repository: get an alert when one of its texts reappears
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin client watch essays
  textkin client watch essays --min-level high --channel mail")]
pub(crate) struct ClientWatch {
    /// Name of the repository
    pub(crate) repository: String,
    /// Minimum level of an alert
    #[arg(long, value_parser = level_parser(), default_value = "some")]
    pub(crate) min_level: MatchLevel,
    /// Deliver alerts this way too, besides the inbox; can be repeated
    #[arg(long, value_enum)]
    pub(crate) channel: Vec<ClientChannel>,
}

/// How alerts are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientChannel {
    /// To the mail address of the account
    Mail,
    /// To the webhook of the account
    Webhook,
}

/// List alerts, latest first
///
/// Exit code: 0 if there are alerts, 1 if there are none, 2 on failure.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin client alerts
  textkin client alerts --status all --top 1000 --format json")]
pub(crate) struct ClientAlerts {
    /// Which alerts to list
    #[arg(long, value_enum, default_value_t = ClientStatus::Open, value_name = "STATUS")]
    pub(crate) status: ClientStatus,
    /// Number of latest alerts to list
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) top: u32,
}

/// Status of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientStatus {
    /// Not handled yet
    Open,
    /// Marked as handled
    Handled,
    /// Dismissed
    Dismissed,
    /// All alerts
    All,
}

/// Parses a level by its name.
fn level_parser() -> impl TypedValueParser<Value = MatchLevel> {
    let help = |level| match level {
        MatchLevel::Some => "5 % or more",
        MatchLevel::High => "Half or more",
        MatchLevel::Exact => "All of it",
    };
    PossibleValuesParser::new(
        MatchLevel::ALL.map(|level| PossibleValue::new(level.name()).help(help(level))),
    )
    .map(|name| MatchLevel::parse(&name).unwrap_or_default())
}

/// Parses a share.
fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(format!("expected a number between 0 and 1, got '{text}'")),
    }
}
