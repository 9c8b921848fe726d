//! Calls the handler: checks senders and delivers messages.
//!
//! In: a transaction and its message. Out: the reply. The handler may block, so it runs on blocking
//! threads, with a time limit.

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

/// A message that is being received.
#[derive(Debug)]
pub(super) struct Transaction {
    pub(super) sender: Option<Address>,
    pub(super) has_utf8: bool,
    pub(super) recipients: Vec<Address>,
    /// The meaning of the recipient addresses.
    pub(super) mailbox: Option<Mailbox>,
    pub(super) sender_status: SenderStatus,
}

/// Whether the sender is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SenderStatus {
    Unchecked,
    Known,
    Unknown,
}

/// Asks the handler whether a sender is known; `None` if the handler is unavailable. Bounces count as
/// known: they are accepted and not answered.
pub(super) async fn sender_status(
    listener: &Listener,
    sender: Option<Address>,
) -> Option<SenderStatus> {
    let Some(sender) = sender else { return Some(SenderStatus::Known) };
    let handler = Arc::clone(&listener.handler);
    let lookup = task::spawn_blocking(move || handler.is_known_sender(&sender));
    match timeout(listener.limits.handler_timeout, lookup).await {
        Ok(Ok(Ok(true))) => Some(SenderStatus::Known),
        Ok(Ok(Ok(false))) => Some(SenderStatus::Unknown),
        _ => None,
    }
}

/// Delivers a message to the handler, unless it must not be answered.
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
    let is_verified = match (&listener.config.authority, &message.sender) {
        (Some(authority), Some(sender)) => is_authentic(&entity, sender, authority),
        _ => true,
    };
    if !is_verified && listener.unknown_senders == UnknownSenders::Refuse {
        return reply::NOT_AUTHENTIC;
    }
    let drop_reason = match automated_sender(&message, parse_limits) {
        _ if transaction.sender_status == SenderStatus::Unknown => Some(DropReason::UnknownSender),
        _ if !is_verified => Some(DropReason::NotAuthentic),
        Some(automated_sender) => Some(DropReason::AutomatedSender(automated_sender)),
        None => None,
    };
    let handler = Arc::clone(&listener.handler);
    if let Some(reason) = drop_reason {
        // Only for the log.
        let _ = task::spawn_blocking(move || handler.record_dropped(&message, reason)).await;
        return reply::ACCEPTED;
    }
    let accept = task::spawn_blocking(move || handler.accept(message));
    match timeout(listener.limits.handler_timeout, accept).await {
        Ok(Ok(Ok(()))) => reply::ACCEPTED,
        Ok(Ok(Err(Refusal::Temporary(reason)))) => reply::with_reason("451 4.7.1", &reason),
        Ok(Ok(Err(Refusal::Permanent(reason)))) => reply::with_reason("550 5.7.1", &reason),
        // The message may be stored nevertheless; a retry is recognized by its identity.
        Ok(Err(_)) | Err(_) => reply::TEMPORARY_FAILURE,
    }
}
