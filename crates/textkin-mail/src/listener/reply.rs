//! All replies of the protocol.

use std::borrow::Cow;

use super::data::Fault;

/// A reply line: code, enhanced code and text.
pub(crate) type Reply = Cow<'static, str>;

pub(crate) const OK: Reply = Cow::Borrowed("250 2.0.0 ok");
pub(crate) const SENDER_OK: Reply = Cow::Borrowed("250 2.1.0 ok");
pub(crate) const RECIPIENT_OK: Reply = Cow::Borrowed("250 2.1.5 ok");
pub(crate) const ACCEPTED: Reply = Cow::Borrowed("250 2.6.0 message accepted");
pub(crate) const GO_AHEAD: Reply = Cow::Borrowed("354 end the message with a line of one dot");
pub(crate) const BYE: Reply = Cow::Borrowed("221 2.0.0 bye");
pub(crate) const CANNOT_VERIFY: Reply =
    Cow::Borrowed("252 2.5.1 cannot verify the address, but will try to deliver");
pub(crate) const UNKNOWN_COMMAND: Reply = Cow::Borrowed("500 5.5.1 unknown command");
pub(crate) const NOT_IMPLEMENTED: Reply = Cow::Borrowed("502 5.5.1 command not implemented");
pub(crate) const NOT_A_LINE: Reply =
    Cow::Borrowed("500 5.5.2 commands must be text and end with CR LF");
pub(crate) const LONG_COMMAND: Reply = Cow::Borrowed("500 5.5.2 command too long");
pub(crate) const SYNTAX: Reply = Cow::Borrowed("501 5.5.4 syntax error");
pub(crate) const PARAMETER: Reply = Cow::Borrowed("555 5.5.4 unsupported parameter");
pub(crate) const WRONG_ORDER: Reply = Cow::Borrowed("503 5.5.1 bad sequence of commands");
pub(crate) const BAD_SENDER: Reply = Cow::Borrowed("553 5.1.7 invalid sender address");
pub(crate) const NEEDS_UTF8: Reply = Cow::Borrowed("553 5.6.7 this address requires SMTPUTF8");
pub(crate) const TOO_LARGE: Reply = Cow::Borrowed("552 5.3.4 message too large");
pub(crate) const NO_SUCH_ADDRESS: Reply =
    Cow::Borrowed("550 5.1.1 no mail is accepted for this address");
pub(crate) const UNKNOWN_SENDER: Reply =
    Cow::Borrowed("550 5.7.1 mail from this sender is not accepted");
pub(crate) const NOT_AUTHENTIC: Reply =
    Cow::Borrowed("550 5.7.26 the sender could not be verified");
pub(crate) const TOO_MANY_RECIPIENTS: Reply = Cow::Borrowed("452 4.5.3 too many recipients");
pub(crate) const DIFFERENT_RECIPIENTS: Reply =
    Cow::Borrowed("452 4.5.3 this address has another meaning: send it a separate message");
pub(crate) const TEMPORARY_FAILURE: Reply =
    Cow::Borrowed("451 4.3.0 temporary failure, try again later");
pub(crate) const TOO_EARLY: Reply =
    Cow::Borrowed("554 5.5.0 message sent before the reply to DATA");
pub(crate) const TOO_MANY_ERRORS: Reply = Cow::Borrowed("421 4.7.0 too many errors");
pub(crate) const TOO_MANY_COMMANDS: Reply = Cow::Borrowed("421 4.7.0 too many commands, reconnect");
pub(crate) const TOO_SLOW: Reply = Cow::Borrowed("421 4.4.2 timeout");
pub(crate) const STOPPING: Reply = Cow::Borrowed("421 4.3.2 shutting down, try again later");
pub(crate) const LONG_HEADER: Reply = Cow::Borrowed("552 5.3.4 message header too long");

/// The reply to a message that is not accepted.
pub(crate) fn fault_reply(fault: Fault) -> Reply {
    Cow::Borrowed(match fault {
        Fault::BareLineEnd => "550 5.5.2 lines must end with CR LF; bare CR or LF is rejected",
        Fault::Zero => "554 5.6.0 message contains a zero byte",
        Fault::LongLine => "554 5.6.0 message has a line that is too long",
        Fault::TooLarge => return TOO_LARGE,
        Fault::OutOfMemory => "452 4.3.1 not enough memory, try again later",
    })
}

/// A reply with a reason given by the handler: one line of ASCII.
pub(crate) fn with_reason(code: &str, reason: &str) -> Reply {
    const MAX_CHARACTERS: usize = 200;
    let is_plain = |c: char| c == ' ' || c.is_ascii_graphic();
    let reason = reason.chars().take(MAX_CHARACTERS).map(|c| if is_plain(c) { c } else { ' ' });
    Cow::Owned(format!("{code} {}", reason.collect::<String>()))
}
