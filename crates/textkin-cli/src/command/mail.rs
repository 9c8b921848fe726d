//! `textkin mail`: delivers a message from standard input to a running server.

use textkin_mail::pipe::pipe;

use crate::arguments::Mail;
use crate::exit::Exit;
use crate::messages::print_message;

/// Runs the command.
pub(crate) fn run(arguments: &Mail) -> anyhow::Result<Exit> {
    let Mail { lmtp, sender, max_message, recipients } = arguments;
    let max_bytes = usize::try_from(*max_message)?;
    match pipe(std::io::stdin().lock(), sender, recipients, lmtp, max_bytes) {
        Ok(()) => Ok(Exit::Found),
        Err(exit) => {
            print_message(format_args!("textkin: {exit}\n"));
            Ok(Exit::Mail(exit.code()))
        }
    }
}
