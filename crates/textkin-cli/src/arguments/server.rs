//! Arguments of `textkin serve` and `textkin admin`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::common::FormatOptions;
use super::{DeliveryArguments, MailArguments};
use textkin::engine::parse_size;
use textkin_server::webhook::Network;

/// Run the registration server
///
/// Users register texts and are notified when they reappear. All data is in one directory. The first start
/// prints a URL for creating the first account; `textkin admin key` creates an API key for scripts.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin serve --data /var/lib/textkin
  textkin serve --data /var/lib/textkin --public-url https://textkin.example.org --log-format json")]
pub(crate) struct Serve {
    /// Data directory; created if it does not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Address to listen on; put a reverse proxy with TLS in front of any address that is not local
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7070")]
    pub(crate) listen: SocketAddr,
    /// Trust X-Forwarded-For and Forwarded of this reverse proxy, for example 10.1.0.0/16; can be repeated
    #[arg(long, value_name = "CIDR", hide_short_help = true)]
    pub(crate) trusted_proxy: Vec<Network>,
    /// Maximum size of one text
    #[arg(long, value_name = "SIZE", default_value = "32MiB", value_parser = parse_size, hide_short_help = true)]
    pub(crate) max_text: u64,
    /// Maximum size of one uploaded file
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_size, hide_short_help = true)]
    pub(crate) max_upload: u64,
    /// Memory for documents that are not flushed to the index yet
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = parse_size)]
    pub(crate) memory: u64,
    /// Maximum number of documents to compare with one text in detail
    #[arg(long, value_name = "N", default_value_t = 1000, hide_short_help = true)]
    pub(crate) max_examined: usize,
    /// Allow users to check web pages by URL, from the public Internet only
    #[arg(long)]
    pub(crate) allow_url_probes: bool,
    /// Format of the log on standard error
    #[arg(long, value_enum, default_value_t = LogFormat::Text, value_name = "FORMAT")]
    pub(crate) log_format: LogFormat,
    /// Log level: error, warn, info, debug
    #[arg(long, value_name = "LEVEL", default_value = "info", env = "TEXTKIN_LOG")]
    pub(crate) log_level: String,
    #[command(flatten)]
    pub(crate) delivery: DeliveryArguments,
    #[command(flatten)]
    pub(crate) mail: MailArguments,
}

/// Format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// Plain text
    Text,
    /// One JSON object per line
    Json,
}

/// Manage the data of a server: create API keys, back up, check
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin admin key --data /var/lib/textkin --scopes probe,register
  textkin admin backup --data /var/lib/textkin --out /backup/textkin")]
pub(crate) struct Admin {
    #[command(subcommand)]
    pub(crate) command: AdminCommand,
}

// Commands are documented at the type of their arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    Key(AdminKey),
    Backup(AdminBackup),
    Check(AdminCheck),
}

/// Create an API key and print it; the server can be running
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  textkin admin key --data /var/lib/textkin
  textkin admin key --data /var/lib/textkin --scopes admin --account root --admin --days 30")]
pub(crate) struct AdminKey {
    /// Data directory
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Scopes of the key, separated by commas: probe, register, read, admin (all that the account may do)
    #[arg(long, value_name = "SCOPES", default_value = "probe,register,read")]
    pub(crate) scopes: String,
    /// Account of the key; created if it does not exist
    #[arg(long, value_name = "NAME", default_value = "admin")]
    pub(crate) account: String,
    /// Make the account an administrator, who can manage accounts, back up and read metrics
    #[arg(long)]
    pub(crate) admin: bool,
    /// Name of the key
    #[arg(long, value_name = "NAME", default_value = "created by textkin admin key")]
    pub(crate) name: String,
    /// Days until the key expires [default: never]
    #[arg(long, value_name = "N")]
    pub(crate) days: Option<u32>,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
}

/// Copy the data to a new directory and check the copy; the server can be running
///
/// The key that webhook secrets are encrypted with is copied beside the new directory, as DIR.key. To
/// restore a backup, move it into the directory as `secret.key`, stop the server and start it with the copy
/// as its data directory.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  textkin admin backup --data /var/lib/textkin --out /backup/textkin")]
pub(crate) struct AdminBackup {
    /// Data directory
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// New directory
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
}

/// Check that no file is damaged, no document is missing and no other account has access
///
/// Exit code: 0 if there is no problem, 1 if there are problems, 2 on failure.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  textkin admin check --data /var/lib/textkin")]
pub(crate) struct AdminCheck {
    /// Data directory
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatOptions,
}
