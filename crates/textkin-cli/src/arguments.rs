//! Command-line arguments.

use clap::{Parser, Subcommand};

mod analysis;
#[cfg(feature = "client")]
mod client;
mod common;
mod compare;
mod decontaminate;
mod dedup;
#[cfg(feature = "server")]
mod delivery;
mod discover;
#[cfg(feature = "lab")]
mod eval;
mod index;
mod lists;
#[cfg(feature = "server")]
mod mail;
#[cfg(any(test, not(all(feature = "server", feature = "lab"))))]
mod missing;
mod reading;
mod repo;
mod search;
#[cfg(feature = "server")]
mod server;
mod shell;
mod tips;
mod trace;
mod verify;

pub(crate) use analysis::AnalysisOptions;
#[cfg(feature = "client")]
pub(crate) use client::{
    Client, ClientAlerts, ClientChannel, ClientCommand, ClientConnection, ClientExisting,
    ClientProbe, ClientRegister, ClientStatus, ClientWatch,
};
#[cfg(any(feature = "server", feature = "lab"))]
pub(crate) use common::FormatOptions;
pub(crate) use common::{GlobalOptions, ListFormat, OutputFormat, StopListOptions, When};
pub(crate) use compare::Compare;
pub(crate) use decontaminate::Decontaminate;
pub(crate) use dedup::{Dedup, DedupLevelOption, DedupOutput, RemovalOptions};
#[cfg(feature = "server")]
pub(crate) use delivery::{DeliveryArguments, SmtpEncryption};
pub(crate) use discover::{Discover, DiscoverComparison, DiscoverOutput};
#[cfg(feature = "lab")]
pub(crate) use eval::{Eval, EvalCommand, EvalGenerate, EvalOptions};
pub(crate) use index::Index;
pub(crate) use lists::{Doctor, Measures, Strategies};
#[cfg(feature = "server")]
pub(crate) use mail::{Mail, MailArguments};
#[cfg(not(all(feature = "server", feature = "lab")))]
pub(crate) use missing::{Feature, Missing};
pub(crate) use reading::{InputOptions, ReadOptions};
pub(crate) use repo::{
    Repo, RepoAdd, RepoCheck, RepoCommand, RepoCompact, RepoCreate, RepoExport, RepoInfo, RepoList,
    RepoRemove, WriteOptions,
};
pub(crate) use search::{Search, SearchOptions};
#[cfg(feature = "server")]
pub(crate) use server::{Admin, AdminCommand, AdminKey, LogFormat, Serve};
pub(crate) use shell::{Completions, Man, Schema};
pub(crate) use tips::improve as improve_tips;
pub(crate) use trace::{CheckpointInterval, Trace, TraceFormat, TraceOptions};
pub(crate) use verify::Verify;

/// Find documents that share text: copies, near-duplicates, quotations
#[derive(Debug, Parser)]
#[command(
    name = "textkin",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_long_help = "Examples:
  textkin discover essays/
  textkin compare draft.txt final.txt
  textkin dedup dump.jsonl --out clean.jsonl"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: GlobalOptions,
    #[command(subcommand)]
    pub(crate) command: Command,
}

// Commands are documented at the type of their arguments: a comment here would replace that help.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Discover(Box<Discover>),
    Compare(Box<Compare>),
    Verify(Box<Verify>),
    Dedup(Box<Dedup>),
    Decontaminate(Box<Decontaminate>),
    Repo(Repo),
    Search(Box<Search>),
    Trace(Box<Trace>),
    #[cfg(feature = "server")]
    Serve(Box<Serve>),
    #[cfg(not(feature = "server"))]
    Serve(Missing),
    #[cfg(feature = "server")]
    Admin(Admin),
    #[cfg(not(feature = "server"))]
    Admin(Missing),
    #[cfg(feature = "client")]
    Client(Box<Client>),
    #[cfg(not(feature = "client"))]
    Client(Missing),
    #[cfg(feature = "server")]
    Mail(Mail),
    #[cfg(not(feature = "server"))]
    Mail(Missing),
    #[cfg(feature = "lab")]
    Eval(Eval),
    #[cfg(not(feature = "lab"))]
    Eval(Missing),
    Index(Index),
    Doctor(Doctor),
    Measures(Measures),
    Strategies(Strategies),
    Schema(Schema),
    Completions(Completions),
    Man(Man),
}
