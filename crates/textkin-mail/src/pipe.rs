//! One message from standard input, for mail systems that start a program for each.
//!
//! In: the envelope as arguments, the message as a stream. Out: an [`PipeError`], whose code mail
//! systems know (`sysexits.h`): 0 taken, 75 try again, others return the message to its sender.

use std::io::Read;
use std::time::Duration;

use crate::{Address, Destination, IncomingMessage, Refusal, deliver};

/// What the mail system is told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PipeError {
    /// The arguments are wrong.
    #[error("{0}")]
    Usage(String),
    /// The message cannot be taken as it is.
    #[error("{0}")]
    Refused(String),
    /// Not now.
    #[error("{0}")]
    Temporary(String),
}

impl PipeError {
    /// The exit code: 64 usage, 65 refused, 75 try again.
    pub fn code(&self) -> u8 {
        match self {
            Self::Usage(_) => 64,
            Self::Refused(_) => 65,
            Self::Temporary(_) => 75,
        }
    }
}

/// How long the listener may take for each step.
const PATIENCE: Duration = Duration::from_secs(90);

/// Hands the message in `input` to the listener at `destination`, for each recipient apart: they may
/// want different things. If it is tried again, those who have it already are passed over. An
/// empty sender, or `<>`, is mail of nobody. Messages of more than `max_bytes` are refused here.
///
/// # Errors
///
/// If the message was not taken.
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
        deliver(destination, &message, PATIENCE).map_err(|refusal| match refusal {
            Refusal::Temporary(words) => PipeError::Temporary(words),
            Refusal::Permanent(words) => PipeError::Refused(words),
        })?;
    }
    Ok(())
}

/// Reads a letter from a stream.
///
/// # Errors
///
/// If an address is none, or the message is too large or cannot be read.
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
        return Err(PipeError::Usage("no recipient is named".to_owned()));
    }
    let mut bytes = Vec::new();
    let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    let read = input.take(limit).read_to_end(&mut bytes);
    read.map_err(|error| PipeError::Temporary(format!("the message cannot be read: {error}")))?;
    if bytes.len() > max_bytes {
        return Err(PipeError::Refused(format!("the message is larger than {max_bytes} bytes")));
    }
    // Some mail systems put the line of a mailbox file in front.
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
    fn letters_are_read() {
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
    fn a_listener_that_is_not_there_is_tried_again() {
        let nowhere = Destination::Unix("/nowhere/textkin.lmtp".into());
        let to = ["probe@kin.example".to_owned()];
        assert_eq!(pipe(&b"x"[..], "ann@a.example", &to, &nowhere, 9).unwrap_err().code(), 75);
    }
}
