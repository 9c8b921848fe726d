//! The `textkin` command as a library.
//!
//! Parses arguments, turns them into settings of the engine, prints results and maps errors to exit codes.
//! [`run`] is the whole command, for programs that start it under another name, such as `python -m textkin`;
//! [`command`] is its model, from which completions, manual pages and the options reference are generated.
//!
//! `arguments` holds the options, one file per command in `command/` does the work, `exit` maps results to exit
//! codes. `serve`, `admin` and `mail` need the feature `server`, `client` the feature `client`, which
//! `server` includes, and `eval` the feature `lab`; without them these commands only say how to get them.

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

use clap::{CommandFactory, Parser};

#[cfg(not(all(feature = "server", feature = "lab")))]
use crate::arguments::Feature;
use crate::arguments::{Arguments, Command, GlobalOptions, When};
use crate::exit::Exit;
pub use crate::relaunch::Relaunch;

/// Returns the model of the command line: all commands and options with their help.
#[must_use]
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Runs the command and returns its exit code. The first of `arguments` is the name of the program.
/// `relaunch` says how to start this program again as a worker, which parses files that may hang or crash a
/// parser, and how to release memory.
#[must_use]
pub fn run(arguments: &[OsString], relaunch: Relaunch) -> u8 {
    if arguments.get(1).is_some_and(|first| first == textkin::engine::source::WORKER_ARGUMENT) {
        return textkin::engine::source::serve_worker(&arguments[2..]);
    }
    relaunch::set(relaunch);
    // Help and errors of the parser are colored too, before --color is parsed.
    set_color(requested_color(arguments));
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let mut command = command();
            command.build();
            let error = arguments::improve_tips(error, &command, arguments);
            // A failure to print cannot be reported either.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    set_color(arguments.global.color);
    let exit = dispatch(arguments.command, arguments.global).unwrap_or_else(|error| {
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

fn dispatch(command: Command, global: GlobalOptions) -> anyhow::Result<Exit> {
    match command {
        Command::Discover(arguments) => command::discover::run(&arguments, global),
        Command::Compare(arguments) => command::compare::run(&arguments, global),
        Command::Dedup(arguments) => command::dedup::run(&arguments, global),
        Command::Decontaminate(arguments) => command::decontaminate::run(&arguments, global),
        Command::Index(arguments) => command::index::run(&arguments),
        Command::Repo(arguments) => command::repo::run(&arguments, global),
        Command::Search(arguments) => command::search::run(&arguments, global),
        Command::Trace(arguments) => command::trace::run(&arguments, global),
        #[cfg(feature = "server")]
        Command::Serve(arguments) => command::serve::run(&arguments, global),
        #[cfg(feature = "server")]
        Command::Admin(arguments) => command::admin::run(&arguments, global),
        #[cfg(feature = "server")]
        Command::Mail(arguments) => command::mail::run(&arguments),
        #[cfg(not(feature = "server"))]
        Command::Serve(_) | Command::Admin(_) | Command::Mail(_) => Err(Feature::Server.into()),
        #[cfg(feature = "client")]
        Command::Client(arguments) => command::client::run(&arguments, global),
        #[cfg(not(feature = "client"))]
        Command::Client(_) => Err(Feature::Client.into()),
        #[cfg(feature = "lab")]
        Command::Eval(arguments) => command::eval::run(&arguments, global),
        #[cfg(not(feature = "lab"))]
        Command::Eval(_) => Err(Feature::Lab.into()),
        Command::Measures(arguments) => command::measures::run(&arguments),
        Command::Doctor(arguments) => command::doctor::run(&arguments),
        Command::Verify(arguments) => command::verify::run(&arguments, global),
        Command::Strategies(arguments) => command::strategies::run(&arguments),
        Command::Schema(arguments) => command::schema::run(&arguments),
        Command::Completions(arguments) => command::shell::completions(&arguments),
        Command::Man(arguments) => command::shell::man(&arguments),
    }
}

/// Returns the value of `--color` before the arguments are parsed.
fn requested_color(arguments: &[OsString]) -> When {
    let arguments: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let separate = arguments.windows(2).filter(|pair| pair[0] == "--color").map(|pair| &*pair[1]);
    let joined = arguments.iter().filter_map(|argument| argument.strip_prefix("--color="));
    match separate.chain(joined).last() {
        Some("always") => When::Always,
        Some("never") => When::Never,
        _ => When::Auto,
    }
}

/// Sets when text is colored. `auto` follows the terminal, NO_COLOR, CLICOLOR_FORCE and TERM.
fn set_color(color: When) {
    let choice = match color {
        When::Auto => anstream::ColorChoice::Auto,
        When::Always => anstream::ColorChoice::Always,
        When::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}
