//! What stands behind the mail front end: the service that knows accounts and keeps texts.
//!
//! The methods may block (a database, a disk); the listener calls them on threads for that.

use crate::{Address, AutomatedSender, IncomingMessage, Request};

/// The service behind the mail front end.
///
/// What a wrong implementation breaks: if [`accept`](Desk::accept) returns before the letter is
/// safe, a crash loses mail that its sender believes delivered; if it keeps a letter of an
/// [identity](Letter::identity) it has already, the sender is answered twice.
pub trait MailHandler: Send + Sync {
    /// Whether mail of this sender is taken. Addresses are compared without regard to case.
    ///
    /// # Errors
    ///
    /// If it cannot be said now; the sender is asked to try again.
    fn knows(&self, sender: &Address) -> Result<bool, Unavailable>;

    /// Keeps a letter, durably, to be [answered](crate::answer) once. A letter that is known
    /// already is taken again and not kept twice.
    ///
    /// # Errors
    ///
    /// If it is not taken. The text is shown to the sender and must not tell of accounts.
    fn accept(&self, letter: IncomingMessage) -> Result<(), Refusal>;

    /// Is told of a message that was taken and dropped, for a log.
    fn dropped(&self, _letter: &IncomingMessage, _why: Dropped) {}

    /// Does what a message asks for, and says what to reply. Also what was not done is said by an
    /// [`Outcome`]: no such repository, too much mail today.
    ///
    /// # Errors
    ///
    /// If it cannot be done now, and is to be tried again.
    fn handle(&self, request: Request) -> Result<Outcome, Unavailable>;
}

/// What the sender is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The subject of the reply: the result in a few words.
    pub subject: String,
    /// The reply, in paragraphs; lines are broken later.
    pub text: String,
    /// Where to see it.
    pub link: Option<String>,
    /// Where to take it back.
    pub withdraw: Option<String>,
}

/// Why a letter is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not now: the sender's mail system tries again.
    #[error("not now: {0}")]
    Later(String),
    /// Not at all: the sender's mail system returns it.
    #[error("not at all: {0}")]
    Never(String),
}

/// Why a message was taken and dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Dropped {
    /// It must not be answered.
    #[error("not to be answered: {0}")]
    AutomatedSender(AutomatedSender),
    /// Nobody knows the sender, and strangers are not told.
    #[error("of an unknown sender")]
    UnknownSender,
    /// The mail system in front does not vouch for the sender, and strangers are not told.
    #[error("of a sender that may be forged")]
    NotAuthentic,
}

/// The service cannot answer now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not available: {0}")]
pub struct Unavailable(pub String);
