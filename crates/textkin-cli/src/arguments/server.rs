//! Arguments of `textkin serve` and `textkin admin`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{DeliveringArguments, MailArguments};
use textkin::parse_size;

/// Run the registration server: people register texts and are told when they reappear
///
/// Everything is in one folder, and nothing else is needed. The first start prints an address that
/// makes the first account; `textkin admin key` makes a key for scripts at any time.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Folder of the data; it is made if it is missing
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Address to listen on; put a reverse proxy with TLS before any but the local one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7070")]
    pub(crate) listen: SocketAddr,
    /// Most bytes of one text
    #[arg(long, value_name = "SIZE", default_value = "32MiB", value_parser = parse_size)]
    pub(crate) max_text: u64,
    /// Most bytes of one uploaded file
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = parse_size)]
    pub(crate) max_upload: u64,
    /// Memory for documents that are not on the disk's shelves yet
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = parse_size)]
    pub(crate) memory: u64,
    /// Most documents that one probe is compared with word by word
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_examined: usize,
    /// Fetch pages by their addresses to probe them, from the public Internet only
    #[arg(long)]
    pub(crate) allow_url_probes: bool,
    /// How the log is written, to standard error
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log: LogFormat,
    /// What the log tells: error, warn, info, debug
    #[arg(long, value_name = "LEVEL", default_value = "info", env = "TEXTKIN_LOG")]
    pub(crate) log_level: String,
    #[command(flatten)]
    pub(crate) delivering: DeliveringArguments,
    #[command(flatten)]
    pub(crate) mail: MailArguments,
}

/// How a log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people
    Text,
    /// One JSON object a line
    Json,
}

/// Look after the data of a server
#[derive(Debug, Args)]
pub(crate) struct Admin {
    #[command(subcommand)]
    pub(crate) command: AdminCommand,
}

// A command with arguments is described where they are.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    Key(AdminKey),
    Backup(Backup),
    Check(Check),
}

/// Make an API key and print it; the server may be running
#[derive(Debug, Args)]
pub(crate) struct AdminKey {
    /// Folder of the data
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// What the key is for: probe, register, read, admin, separated by commas
    #[arg(long, value_name = "SCOPES", default_value = "probe,register,read")]
    pub(crate) scopes: String,
    /// The account that it belongs to, which is made if it is missing
    #[arg(long, value_name = "NAME", default_value = "admin")]
    pub(crate) account: String,
    /// What the key is called
    #[arg(long, value_name = "NAME", default_value = "made by textkin admin key")]
    pub(crate) name: String,
    /// Days until it expires; it does not by default
    #[arg(long, value_name = "N")]
    pub(crate) days: Option<u32>,
}

/// Copy the data to a new folder, while the server runs or not, and check the copy
///
/// To restore, stop the server and start it with the copy as its folder.
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// Folder of the data
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// The new folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

/// Check that every file is whole and every document is there
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Folder of the data
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
}
