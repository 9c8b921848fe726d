//! The `textkin` command: arguments to settings, errors to exit codes, nothing else.

mod arguments;
mod command;
mod documents;
mod exit;
mod interrupt;
mod machine;
mod outputs;
mod progress;
mod tell;

use clap::Parser;

use crate::arguments::{Arguments, Command};
use crate::exit::Exit;

/// Gives memory back to the system soon, which the budget of `--memory` counts on.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    let given: Vec<_> = std::env::args_os().collect();
    if given.get(1).is_some_and(|first| first == textkin::source::WORKER_ARGUMENT) {
        return textkin::source::serve_worker(&given[2..]).into();
    }
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Discover(arguments) => command::discover::run(&arguments),
        Command::Compare(arguments) => command::compare::run(&arguments),
        Command::Dedup(arguments) => command::dedup::run(&arguments),
        Command::Index(arguments) => command::index::run(&arguments),
        Command::Repo(arguments) => command::repo::run(&arguments),
        Command::Search(arguments) => command::search::run(&arguments),
        Command::Trace(arguments) => command::trace::run(&arguments),
        Command::Serve(arguments) => command::serve::run(&arguments),
        Command::Admin(arguments) => command::admin::run(&arguments),
        Command::Client(arguments) => command::client::run(&arguments),
        Command::Mail(arguments) => command::mail::run(&arguments),
        Command::Eval(arguments) => command::eval::run(&arguments),
        Command::Measures => command::measures::run(),
        Command::Doctor => command::doctor::run(),
        Command::Verify(arguments) => command::verify::run(&arguments),
        Command::Strategies => command::strategies::run(),
    };
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => {
            let exit = Exit::of(&error);
            if exit != Exit::Found {
                tell::tell(format_args!("textkin: {}\n", tell::in_words(&error)));
            }
            exit.into()
        }
    }
}
