//! The `textkin` command as a library: arguments to settings, errors to exit codes, nothing else.
//!
//! There is one function, [`run`], for programs that are `textkin` under another name.

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

/// Runs the command with `given`, the first of which is the name of the program, and gives its exit
/// code. `own` is how it is started again, to read what may hang or crash a parser, and its allocator.
#[must_use]
pub fn run(given: &[OsString], relaunch: Relaunch) -> u8 {
    if given.get(1).is_some_and(|first| first == textkin::source::WORKER_ARGUMENT) {
        return textkin::source::serve_worker(&given[2..]);
    }
    relaunch::set(relaunch);
    let arguments = match Arguments::try_parse_from(given) {
        Ok(arguments) => arguments,
        Err(error) => {
            // If nobody reads it, nobody can be told.
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
                "this is textkin without its server: serve, admin, client and mail are in the \
                 command that cargo install --path crates/textkin-cli makes"
            ))
        }
        Command::Eval(arguments) => command::eval::run(&arguments),
        Command::Measures => command::measures::run(),
        Command::Doctor => command::doctor::run(),
        Command::Verify(arguments) => command::verify::run(&arguments),
        Command::Strategies => command::strategies::run(),
    };
    let exit = outcome.unwrap_or_else(|error| {
        let exit = Exit::of(&error);
        if exit != Exit::Found {
            messages::print_message(format_args!("textkin: {}\n", messages::in_words(&error)));
        }
        exit
    });
    // Where this is not the program of the process, nothing else would write what waits. A reader that
    // has gone has seen enough.
    let _ = std::io::stdout().flush();
    exit.into()
}
