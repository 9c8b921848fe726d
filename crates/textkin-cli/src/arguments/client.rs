//! Arguments of `textkin client`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Reading;

/// Ask a running server: probe and register texts, watch, and see alerts
///
/// The key is never written on the command line, where others can see it: it is in the environment
/// variable TEXTKIN_KEY, or in a file.
#[derive(Debug, Args)]
pub(crate) struct Client {
    #[command(flatten)]
    pub(crate) connection: Connection,
    #[command(subcommand)]
    pub(crate) command: ClientCommand,
}

/// How the server is reached.
#[derive(Debug, Args)]
#[command(next_help_heading = "The server")]
pub(crate) struct Connection {
    /// Address of the server
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "TEXTKIN_SERVER",
        default_value = "http://127.0.0.1:7070"
    )]
    pub(crate) server: String,
    /// File that holds the key [default: the environment variable TEXTKIN_KEY]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// Send key and texts unencrypted to another machine
    #[arg(long, global = true)]
    pub(crate) insecure: bool,
    /// Print JSON, one object a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

// A command with arguments is described where they are.
#[derive(Debug, Subcommand)]
pub(crate) enum ClientCommand {
    Probe(ClientProbe),
    Register(ClientRegister),
    Watch(ClientWatch),
    Alerts(ClientAlerts),
}

/// Say where texts occur already; nothing is kept
#[derive(Debug, Args)]
pub(crate) struct ClientProbe {
    /// Files and folders, in any format; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Look only into this repository; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) repository: Vec<String>,
    /// The least share of either text in the other
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub(crate) threshold: f64,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Register texts in a repository
#[derive(Debug, Args)]
pub(crate) struct ClientRegister {
    /// The repository
    pub(crate) repository: String,
    /// Files and folders, in any format; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Watch the repository too, unless it is watched
    #[arg(long)]
    pub(crate) watch: bool,
    /// What happens if there is a document with the same id already
    #[arg(long, value_enum, default_value_t = ClientExisting::Refuse)]
    pub(crate) existing: ClientExisting,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// What happens if there is a document with the same id already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientExisting {
    /// The new one is refused, unless it is the same
    Refuse,
    /// The new one is left out
    Skip,
    /// The new one takes its place
    Replace,
}

/// Watch a repository: be told when its texts reappear
#[derive(Debug, Args)]
pub(crate) struct ClientWatch {
    /// The repository
    pub(crate) repository: String,
    /// The least level that is told
    #[arg(long, value_enum, default_value_t = ClientLevel::Some)]
    pub(crate) min_level: ClientLevel,
    /// A way in which alerts come, besides the inbox; may be given several times
    #[arg(long, value_enum)]
    pub(crate) channel: Vec<ClientChannel>,
}

/// How much of a text reappeared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientLevel {
    /// 5 % or more
    Some,
    /// Half or more
    High,
    /// All of it
    Exact,
}

/// A way in which alerts come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientChannel {
    /// To the address of the account
    Mail,
    /// To the account's webhook
    Webhook,
}

/// List alerts, the latest first
#[derive(Debug, Args)]
pub(crate) struct ClientAlerts {
    /// Which ones
    #[arg(long, value_enum, default_value_t = ClientState::Open)]
    pub(crate) state: ClientState,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
}

/// What became of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientState {
    /// Nobody has looked at it
    Open,
    /// Something was done
    Handled,
    /// Nothing needs to be done
    Dismissed,
    /// All of them
    All,
}
