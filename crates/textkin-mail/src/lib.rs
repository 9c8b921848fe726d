//! Registration, probes and alerts by mail.
//!
//! Mail in: a [`Listener`] speaks SMTP or LMTP, takes messages of known senders to addresses of
//! ours, and hands each over as a [`IncomingMessage`], which is acknowledged once the [`MailHandler`] keeps it.
//! [`answer`] makes a [`Request`] of a letter (verb, repository, documents), asks the desk, and
//! gives the one reply, or none where the sender is a robot.
//!
//! Mail out: [`Outgoing`] is a message in the making: a reply, or a [`notice`] of an alert; a
//! [`Sender`] sends it, [`Relay`] by SMTP.
//!
//! [`pipe`] is for mail systems that start a program for each message: it hands standard input to
//! the listener of a running server by LMTP.
//!
//! The crate knows no store, no account and no text: whoever runs it implements [`MailHandler`].

mod error;
mod address;
mod verb;
mod mailboxes;
mod incoming;
mod automated_sender;
mod authentic;
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
pub use handler::{Dropped, MailHandler, Outcome, Refusal, Unavailable};
pub use incoming::IncomingMessage;
pub use listener::{Limits, Listener, Protocol, UnknownSenders, bind_unix};
pub use mailboxes::{Mailbox, Mailboxes};
pub use outgoing::{Outgoing, Purpose};
pub use request::{Bounds, Document, Misunderstanding, Request};
pub use send::{Encryption, Failure, Outbox, Relay, Sender, Server};
pub use verb::Verb;
