//! The replies of the protocol, in one place.

use std::borrow::Cow;

use super::data::Fault;

/// A line to the other side: code, enhanced code and text.
pub(crate) type Reply = Cow<'static, str>;

pub(crate) const OK: Reply = Cow::Borrowed("250 2.0.0 ok");
pub(crate) const SENDER_OK: Reply = Cow::Borrowed("250 2.1.0 ok");
pub(crate) const RECIPIENT_OK: Reply = Cow::Borrowed("250 2.1.5 ok");
pub(crate) const TAKEN: Reply = Cow::Borrowed("250 2.6.0 message taken");
pub(crate) const GO_AHEAD: Reply = Cow::Borrowed("354 end the message with a line of one dot");
pub(crate) const BYE: Reply = Cow::Borrowed("221 2.0.0 bye");
pub(crate) const NOT_TOLD: Reply = Cow::Borrowed("252 2.5.1 send some mail, and see");
pub(crate) const UNKNOWN_COMMAND: Reply = Cow::Borrowed("500 5.5.1 command not known here");
pub(crate) const NOT_HERE: Reply = Cow::Borrowed("502 5.5.1 command not available here");
pub(crate) const NOT_A_LINE: Reply =
    Cow::Borrowed("500 5.5.2 commands are lines of text that end with CR LF");
pub(crate) const LONG_COMMAND: Reply = Cow::Borrowed("500 5.5.2 command too long");
pub(crate) const SYNTAX: Reply = Cow::Borrowed("501 5.5.4 command cannot be read");
pub(crate) const PARAMETER: Reply = Cow::Borrowed("555 5.5.4 parameter not known here");
pub(crate) const WRONG_ORDER: Reply = Cow::Borrowed("503 5.5.1 not now: wrong order of commands");
pub(crate) const BAD_SENDER: Reply =
    Cow::Borrowed("553 5.1.7 sender is no address that can be used");
pub(crate) const NEEDS_UTF8: Reply = Cow::Borrowed("553 5.6.7 such an address needs SMTPUTF8");
pub(crate) const TOO_LARGE: Reply = Cow::Borrowed("552 5.3.4 message too large");
pub(crate) const NO_SUCH_ADDRESS: Reply =
    Cow::Borrowed("550 5.1.1 no mail is taken for this address");
pub(crate) const NOT_FROM_YOU: Reply =
    Cow::Borrowed("550 5.7.1 mail from this sender is not taken here");
pub(crate) const NOT_AUTHENTIC: Reply =
    Cow::Borrowed("550 5.7.26 the sender cannot be told from a forgery");
pub(crate) const MANY_RECIPIENTS: Reply = Cow::Borrowed("452 4.5.3 too many recipients");
pub(crate) const ONE_AT_A_TIME: Reply =
    Cow::Borrowed("452 4.5.3 this address wants something else: send the message to it apart");
pub(crate) const NOT_NOW: Reply = Cow::Borrowed("451 4.3.0 not possible now, try again later");
pub(crate) const TOO_EARLY: Reply =
    Cow::Borrowed("554 5.5.0 data was sent before it was asked for");
pub(crate) const MANY_ERRORS: Reply = Cow::Borrowed("421 4.7.0 too many errors");
pub(crate) const MANY_COMMANDS: Reply = Cow::Borrowed("421 4.7.0 too many commands, connect again");
pub(crate) const TOO_SLOW: Reply = Cow::Borrowed("421 4.4.2 too slow");
pub(crate) const STOPPING: Reply = Cow::Borrowed("421 4.3.2 closing down, try again later");
pub(crate) const LONG_HEADER: Reply = Cow::Borrowed("552 5.3.4 header of the message too long");

/// What is said of a message that is not taken.
pub(crate) fn of_fault(fault: Fault) -> Reply {
    Cow::Borrowed(match fault {
        Fault::BareLineEnd => {
            "550 5.5.2 lines of a message end with CR LF: bare CR or LF is refused"
        }
        Fault::Zero => "554 5.6.0 message holds a zero byte",
        Fault::LongLine => "554 5.6.0 message has a line that is too long",
        Fault::TooLarge => return TOO_LARGE,
        Fault::NoRoom => "452 4.3.1 no room now, try again later",
    })
}

/// A reply in words of the desk: one line of ASCII.
pub(crate) fn of_words(code: &str, words: &str) -> Reply {
    const MAX_CHARACTERS: usize = 200;
    let is_plain = |c: char| c == ' ' || c.is_ascii_graphic();
    let words = words.chars().take(MAX_CHARACTERS).map(|c| if is_plain(c) { c } else { ' ' });
    Cow::Owned(format!("{code} {}", words.collect::<String>()))
}
