//! The service behind the mail front end, which has the accounts and stores texts.
//!
//! Its methods may block (database, disk); the listener calls them on blocking threads.

use crate::{Address, AutomatedSender, IncomingMessage, Request};

/// The service behind the mail front end.
///
/// Implementations must uphold two rules. If [`accept`](MailHandler::accept) returns before the
/// message is stored, a crash loses mail that its sender considers delivered. If it stores a message
/// whose [identity](IncomingMessage::identity) is already stored, the sender gets two replies.
pub trait MailHandler: Send + Sync {
    /// Whether mail from this sender is accepted. Addresses are compared ignoring case.
    ///
    /// # Errors
    ///
    /// If the lookup fails for now; the sender is asked to try again.
    fn is_known_sender(&self, sender: &Address) -> Result<bool, UnavailableError>;

    /// Stores a message durably, to be [answered](crate::answer) once. A message that is stored
    /// already is accepted and not stored again.
    ///
    /// # Errors
    ///
    /// If the message is not accepted. The sender sees the text; it must reveal nothing about accounts.
    fn accept(&self, message: IncomingMessage) -> Result<(), Refusal>;

    /// Records that a message was accepted and then dropped, for a log.
    fn record_dropped(&self, _letter: &IncomingMessage, _reason: DropReason) {}

    /// Carries out a request and returns the reply. A request that cannot be carried out gets a
    /// reply too: unknown repository, too much mail today.
    ///
    /// # Errors
    ///
    /// If the request cannot be carried out for now and should be retried.
    fn handle(&self, request: Request) -> Result<ReplyContent, UnavailableError>;
}

/// The content of a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplyContent {
    /// The subject: the result in a few words.
    pub subject: String,
    /// The text, one paragraph per line; lines are wrapped later.
    pub text: String,
    /// Link to the result.
    pub link: Option<String>,
    /// How to withdraw the documents: a link or an instruction.
    pub withdraw: Option<String>,
}

/// Why a message is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The sender's mail system tries again.
    #[error("temporarily unavailable: {0}")]
    Temporary(String),
    /// The sender's mail system returns the message.
    #[error("rejected: {0}")]
    Permanent(String),
}

/// Why a message was accepted and then dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DropReason {
    /// It was sent by a program and must not be answered.
    #[error("automated sender: {0}")]
    AutomatedSender(AutomatedSender),
    /// The sender is unknown, and unknown senders are discarded.
    #[error("unknown sender")]
    UnknownSender,
    /// The sender could not be verified, and such mail is discarded.
    #[error("the sender could not be verified")]
    NotAuthentic,
}

/// The service is temporarily unavailable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("temporarily unavailable: {0}")]
pub struct UnavailableError(pub String);
