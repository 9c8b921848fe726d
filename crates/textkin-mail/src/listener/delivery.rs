//! Where a connection meets the desk: what it says of a sender, and whether it keeps a message.
//!
//! In: a transaction, and the message. Out: the reply. The desk may block, and is asked on threads
//! for that, for a bounded time.

use std::net::IpAddr;
use std::sync::Arc;

use textkin_extract::mime::Entity;
use tokio::task;
use tokio::time::timeout;

use super::reply::{self, Reply};
use super::{Listener, UnknownSenders};
use crate::answer::automated_sender;
use crate::authentication::is_authentic;
use crate::incoming::header_bytes;
use crate::{Address, DropReason, IncomingMessage, Mailbox, Refusal};

/// A message in the making.
#[derive(Debug)]
pub(super) struct Transaction {
    pub(super) sender: Option<Address>,
    pub(super) has_utf8: bool,
    pub(super) recipients: Vec<Address>,
    /// What the recipients say.
    pub(super) mailbox: Option<Mailbox>,
    pub(super) sender_status: SenderStatus,
}

/// What is known of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SenderStatus {
    NotAsked,
    Known,
    Unknown,
}

/// Whether the desk knows a sender; nothing where it cannot say. Nobody is never asked about: such
/// mail is taken and not answered.
pub(super) async fn sender_status(
    listener: &Listener,
    sender: Option<Address>,
) -> Option<SenderStatus> {
    let Some(sender) = sender else { return Some(SenderStatus::Known) };
    let handler = Arc::clone(&listener.handler);
    let ask = task::spawn_blocking(move || handler.is_known_sender(&sender));
    match timeout(listener.limits.handler_timeout, ask).await {
        Ok(Ok(Ok(true))) => Some(SenderStatus::Known),
        Ok(Ok(Ok(false))) => Some(SenderStatus::Unknown),
        _ => None,
    }
}

/// Gives a message to the desk, unless nobody is to be answered.
pub(super) async fn deliver(
    listener: &Listener,
    transaction: Transaction,
    bytes: Vec<u8>,
    peer: Option<IpAddr>,
) -> Reply {
    let parse_limits = &listener.config.parse_limits;
    if header_bytes(&bytes) > parse_limits.max_header_bytes {
        return reply::LONG_HEADER;
    }
    let message = IncomingMessage {
        sender: transaction.sender,
        recipients: transaction.recipients,
        bytes,
        peer: peer.map_or_else(|| "local".to_owned(), |peer| peer.to_string()),
    };
    let entity = Entity::read(&message.bytes);
    let is_vouched = match (&listener.config.authority, &message.sender) {
        (Some(authority), Some(sender)) => is_authentic(&entity, sender, authority),
        _ => true,
    };
    if !is_vouched && listener.unknown_senders == UnknownSenders::Refuse {
        return reply::NOT_AUTHENTIC;
    }
    let record_dropped = match automated_sender(&message, parse_limits) {
        _ if transaction.sender_status == SenderStatus::Unknown => Some(DropReason::UnknownSender),
        _ if !is_vouched => Some(DropReason::NotAuthentic),
        Some(automated_sender) => Some(DropReason::AutomatedSender(automated_sender)),
        None => None,
    };
    let handler = Arc::clone(&listener.handler);
    if let Some(why) = record_dropped {
        // It is for a log only.
        let _ = task::spawn_blocking(move || handler.record_dropped(&message, why)).await;
        return reply::TAKEN;
    }
    let accept = task::spawn_blocking(move || handler.accept(message));
    match timeout(listener.limits.handler_timeout, accept).await {
        Ok(Ok(Ok(()))) => reply::TAKEN,
        Ok(Ok(Err(Refusal::Temporary(words)))) => reply::of_words("451 4.7.1", &words),
        Ok(Ok(Err(Refusal::Permanent(words)))) => reply::of_words("550 5.7.1", &words),
        // The letter may be kept all the same; when it comes again it is known.
        Ok(Err(_)) | Err(_) => reply::NOT_NOW,
    }
}
