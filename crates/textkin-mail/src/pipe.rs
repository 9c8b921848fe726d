//! Reads one message from standard input, for mail systems that start a program for each message.
//!
//! In: the envelope as arguments, the message as a stream. Out: a [`PipeError`] whose exit code mail
//! systems understand (`sysexits.h`): 0 accepted, 75 try again, others return the message to its
//! sender.

use std::io::Read;
use std::time::Duration;

use crate::{Address, Destination, IncomingMessage, Refusal, deliver};

/// Why a message was not delivered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PipeError {
    /// The arguments are invalid.
    #[error("{0}")]
    Usage(String),
    /// The message was rejected.
    #[error("{0}")]
    Rejected(String),
    /// A temporary failure.
    #[error("{0}")]
    Temporary(String),
}

impl PipeError {
    /// The exit code: 64 usage, 65 rejected, 75 try again.
    pub fn code(&self) -> u8 {
        match self {
            Self::Usage(_) => 64,
            Self::Rejected(_) => 65,
            Self::Temporary(_) => 75,
        }
    }
}

/// Time limit for each step of the listener.
const TIMEOUT: Duration = Duration::from_secs(90);

/// Delivers the message in `input` to the listener at `destination`, once for each recipient, because
/// addresses may have different meanings. A retry skips recipients that already have the message.
/// An empty sender, or `<>`, is a bounce. Messages larger than `max_bytes` are rejected here.
///
/// # Errors
///
/// If the message was not accepted.
pub fn pipe(
    input: impl Read,
    sender: &str,
    recipients: &[String],
    destination: &Destination,
    max_bytes: usize,
) -> Result<(), PipeError> {
    let mut message = read(input, sender, recipients, max_bytes)?;
    for recipient in std::mem::take(&mut message.recipients) {
        message.recipients = vec![recipient];
        deliver(destination, &message, TIMEOUT).map_err(|refusal| match refusal {
            Refusal::Temporary(reason) => PipeError::Temporary(reason),
            Refusal::Permanent(reason) => PipeError::Rejected(reason),
        })?;
    }
    Ok(())
}

/// Reads a message from a stream.
///
/// # Errors
///
/// If an address is invalid, or the message is too large or cannot be read.
pub fn read(
    input: impl Read,
    sender: &str,
    recipients: &[String],
    max_bytes: usize,
) -> Result<IncomingMessage, PipeError> {
    let address = |text: &str| {
        let address = text.trim_start_matches('<').trim_end_matches('>').parse::<Address>();
        address.map_err(|error| PipeError::Usage(error.to_string()))
    };
    let sender = match sender {
        "" | "<>" | "MAILER-DAEMON" => None,
        sender => Some(address(sender)?),
    };
    let recipients: Vec<_> = recipients.iter().map(|to| address(to)).collect::<Result<_, _>>()?;
    if recipients.is_empty() {
        return Err(PipeError::Usage("no recipient given".to_owned()));
    }
    let mut bytes = Vec::new();
    let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    let read = input.take(limit).read_to_end(&mut bytes);
    read.map_err(|error| PipeError::Temporary(format!("cannot read the message: {error}")))?;
    if bytes.len() > max_bytes {
        return Err(PipeError::Rejected(format!("the message is larger than {max_bytes} bytes")));
    }
    // Some mail systems prepend the separator line of a mailbox file.
    if bytes.starts_with(b"From ")
        && let Some(end) = bytes.iter().position(|byte| *byte == b'\n')
    {
        bytes.drain(..=end);
    }
    Ok(IncomingMessage { sender, recipients, bytes, peer: "local".to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        let to = ["<probe@kin.example>".to_owned()];
        let message =
            read(&b"From ann Mon Jan  1\nSubject: x\n\ny"[..], "ann@a.example", &to, 100).unwrap();
        assert_eq!(message.bytes, b"Subject: x\n\ny");
        assert_eq!(message.recipients[0].to_string(), "probe@kin.example");
        assert_eq!(read(&b""[..], "<>", &to, 100).unwrap().sender, None);
        assert_eq!(read(&b"123"[..], "", &to, 2).unwrap_err().code(), 65);
        assert_eq!(read(&b""[..], "", &[], 2).unwrap_err().code(), 64);
        assert_eq!(read(&b""[..], "a b", &to, 2).unwrap_err().code(), 64);
    }

    #[test]
    fn an_unreachable_listener_is_a_temporary_failure() {
        let nowhere = Destination::Unix("/nowhere/textkin.lmtp".into());
        let to = ["probe@kin.example".to_owned()];
        assert_eq!(pipe(&b"x"[..], "ann@a.example", &to, &nowhere, 9).unwrap_err().code(), 75);
    }
}
