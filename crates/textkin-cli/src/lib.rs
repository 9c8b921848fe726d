//! The `textkin` command as a library.
//!
//! Parses arguments, turns them into settings of the engine, prints results and maps errors to exit codes.
//! [`run`] is the whole command, for programs that start it under another name, such as `python -m textkin`.

mod arguments;
mod command;
mod documents;
mod exit;
mod interrupt;
mod machine;
mod outputs;
mod relaunch;
mod progress;
mod messages;

use std::ffi::OsString;
use std::io::Write as _;

use clap::Parser;

use crate::arguments::{Arguments, Command};
use crate::exit::Exit;
pub use crate::relaunch::Relaunch;

/// Runs the command and returns its exit code. The first of `arguments` is the name of the program.
/// `relaunch` tells how to start this program again as a worker, which parses files that may hang or crash a
/// parser, and how to release memory.
#[must_use]
pub fn run(arguments: &[OsString], relaunch: Relaunch) -> u8 {
    if arguments.get(1).is_some_and(|first| first == textkin::source::WORKER_ARGUMENT) {
        return textkin::source::serve_worker(&arguments[2..]);
    }
    relaunch::set(relaunch);
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // A failure to print cannot be reported either.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let outcome = match arguments.command {
        Command::Discover(arguments) => command::discover::run(&arguments),
        Command::Compare(arguments) => command::compare::run(&arguments),
        Command::Dedup(arguments) => command::dedup::run(&arguments),
        Command::Index(arguments) => command::index::run(&arguments),
        Command::Repo(arguments) => command::repo::run(&arguments),
        Command::Search(arguments) => command::search::run(&arguments),
        Command::Trace(arguments) => command::trace::run(&arguments),
        #[cfg(feature = "server")]
        Command::Serve(arguments) => command::serve::run(&arguments),
        #[cfg(feature = "server")]
        Command::Admin(arguments) => command::admin::run(&arguments),
        #[cfg(feature = "server")]
        Command::Client(arguments) => command::client::run(&arguments),
        #[cfg(feature = "server")]
        Command::Mail(arguments) => command::mail::run(&arguments),
        #[cfg(not(feature = "server"))]
        Command::Serve(_) | Command::Admin(_) | Command::Client(_) | Command::Mail(_) => {
            Err(anyhow::anyhow!(
                "this build of textkin has no server: install the full command with \
                 cargo install --path crates/textkin-cli to use serve, admin, client and mail"
            ))
        }
        Command::Eval(arguments) => command::eval::run(&arguments),
        Command::Measures => command::measures::run(),
        Command::Doctor => command::doctor::run(),
        Command::Verify(arguments) => command::verify::run(&arguments),
        Command::Strategies => command::strategies::run(),
    };
    let exit = outcome.unwrap_or_else(|error| {
        let exit = Exit::from_error(&error);
        if exit != Exit::Found {
            messages::print_message(format_args!("textkin: {}\n", messages::error_text(&error)));
        }
        exit
    });
    // Inside another program nothing else flushes standard output. A broken pipe is not an error.
    let _ = std::io::stdout().flush();
    exit.into()
}
