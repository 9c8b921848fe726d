//! Registration, checks and alerts by mail.
//!
//! Incoming: a [`Listener`] speaks SMTP or LMTP. It accepts messages from known senders to its own
//! addresses and passes each one on as an [`IncomingMessage`]; a message is acknowledged once the
//! [`MailHandler`] has stored it. [`answer`] parses a message into a [`Request`] (verb, repository,
//! documents), passes it to the handler and returns the one reply, or none for an
//! [`AutomatedSender`].
//!
//! Outgoing: an [`OutgoingMessage`] is a reply or a [`notice`] about alerts. A [`Sender`] sends it;
//! [`Relay`] does so by SMTP.
//!
//! [`pipe`] serves mail systems that start a program for each message: it passes standard input to
//! the listener of a running server by LMTP.
//!
//! The crate has no store, accounts or index: the server implements [`MailHandler`].
//!
//! ```
//! use textkin_mail::{Mailboxes, Verb};
//!
//! let mailboxes = Mailboxes::new(&["mail.example".to_owned()], "textkin")?;
//! let mailbox = mailboxes.read(&"register+essays@mail.example".parse()?);
//! assert_eq!(mailbox.map(|mailbox| (mailbox.verb, mailbox.name)),
//!     Some((Some(Verb::Register), Some("essays".to_owned()))));
//! # Ok::<(), textkin_mail::Error>(())
//! ```

mod error;
mod address;
mod verb;
mod mailboxes;
mod incoming;
mod automated_sender;
mod authentication;
mod request;
mod handler;
mod answer;
mod flowed;
mod outgoing;
mod send;
mod listener;
mod client;

pub mod notice;
pub mod pipe;

pub use address::Address;
pub use answer::{Answer, MailConfig, answer};
pub use automated_sender::AutomatedSender;
pub use client::{Destination, deliver};
pub use error::Error;
pub use handler::{DropReason, MailHandler, Refusal, ReplyContent, UnavailableError};
pub use incoming::IncomingMessage;
pub use listener::{Limits, Listener, Protocol, UnixSocket, UnknownSenders, bind_unix};
pub use mailboxes::{Mailbox, Mailboxes};
pub use outgoing::{OutgoingMessage, Purpose};
pub use request::{ParseLimits, ParseRequestError, Request, SubmittedDocument};
pub use send::{Encryption, Outbox, Relay, RelayServer, SendError, Sender};
pub use verb::Verb;
