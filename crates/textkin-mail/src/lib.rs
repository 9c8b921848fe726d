//! Registration, probes and alerts by mail.
//!
//! Mail in: a [`Listener`] speaks SMTP or LMTP, takes messages of known senders to addresses of
//! ours, and hands each over as a [`Letter`], which is acknowledged once the [`Desk`] keeps it.
//! [`answer`] makes a [`Request`] of a letter (verb, repository, documents), asks the desk, and
//! gives the one reply, or none where the sender is a robot.
//!
//! Mail out: [`Outgoing`] is a message in the making: a reply, or a [`notice`] of an alert; a
//! [`Sender`] sends it, [`Relay`] by SMTP.
//!
//! [`pipe`] is for mail systems that start a program for each message: it hands standard input to
//! the listener of a running server by LMTP.
//!
//! The crate knows no store, no account and no text: whoever runs it implements [`Desk`].

mod error;
mod address;
mod verb;
mod mailboxes;
mod letter;
mod robot;
mod authentic;
mod request;
mod desk;
mod answer;
mod flowed;
mod outgoing;
mod send;
mod listener;
mod client;

pub mod notice;
pub mod pipe;

pub use address::Address;
pub use answer::{Answer, Office, answer};
pub use client::{Destination, deliver};
pub use desk::{Desk, Dropped, Outcome, Refusal, Unavailable};
pub use error::Error;
pub use letter::Letter;
pub use listener::{Limits, Listener, Protocol, UnknownSenders, bind_unix};
pub use mailboxes::{Mailbox, Mailboxes};
pub use outgoing::{Outgoing, Purpose};
pub use request::{Bounds, Document, Misunderstanding, Request};
pub use robot::Robot;
pub use send::{Encryption, Failure, Outbox, Relay, Sender, Server};
pub use verb::Verb;
