//! Incoming mail: each message is stored and answered once, also after a restart.
//!
//! A message is in the store before its sender gets an acknowledgement. A worker carries it out (the
//! [`MailHandler`] in [`crate::mail`]), replaces it by the reply, and sends the reply until the next
//! mail system accepts it. Then only the identity of the message is kept, to recognize duplicates.

use std::time::{Duration, SystemTime};

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use textkin_mail::{Address, Answer, IncomingMessage, MailConfig, MailHandler, OutgoingMessage};

use crate::delivery::deliveries::MailOut;
use crate::domain::{Actor, MessageId};
use crate::error::Error;
use crate::service::Service;
use crate::service::accounts::acting;
use crate::store::{accounts, messages, now};

/// The maximum number of messages of one sender per hour.
const MAX_PER_HOUR: u64 = 200;
/// Seconds after which a message is given up.
const GIVE_UP: i64 = 3 * 24 * 3600;
/// How long the identities of messages are kept, in seconds.
pub(crate) const KEEP_MESSAGE_IDS: i64 = 90 * 24 * 3600;
/// How long the worker sleeps when nothing wakes it.
const PAUSE: Duration = Duration::from_millis(500);

/// The stored form of a message until it is answered; its bytes follow. The names of the variants are
/// part of the stored format.
#[derive(Debug, Serialize, Deserialize)]
enum StoredMail {
    /// A message that is to be answered.
    #[serde(rename = "Letter")]
    IncomingMessage { sender: Option<String>, recipients: Vec<String>, peer: String },
    /// A reply that is to be sent to `to`.
    Reply { to: String },
}

fn pack(stored: &StoredMail, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut all = serde_json::to_vec(stored)?;
    all.push(b'\n');
    all.extend_from_slice(bytes);
    Ok(zstd::bulk::compress(&all, 1)?)
}

fn unpack(packed: &[u8]) -> Result<(StoredMail, Vec<u8>), Error> {
    let mut all = zstd::stream::decode_all(packed)?;
    let end = all.iter().position(|byte| *byte == b'\n').unwrap_or(all.len());
    let stored = serde_json::from_slice(&all[..end])?;
    all.drain(..(end + 1).min(all.len()));
    Ok((stored, all))
}

impl Service {
    /// Returns the account with a mail address; `None` if there is none or it is disabled.
    pub fn account_of(&self, sender: &Address) -> Result<Option<Actor>, Error> {
        self.store.read(|read| match accounts::by_mail(read, &sender.folded())? {
            Some(account) => acting(read, account.id),
            None => Ok(None),
        })
    }

    /// Stores a message; returns `false` if its sender has sent too many.
    pub fn store_message(&self, message: &IncomingMessage) -> Result<bool, Error> {
        let stored = StoredMail::IncomingMessage {
            sender: message.sender.as_ref().map(Address::to_string),
            recipients: message.recipients.iter().map(Address::to_string).collect(),
            peer: message.peer.clone(),
        };
        let packed = pack(&stored, &message.bytes)?;
        let identity = message.identity();
        let sender = message.sender.as_ref().map(Address::folded).unwrap_or_default();
        let is_stored = self.store.write(move |write| {
            let at = now();
            let recent = messages::n_since(write, &sender, at - 3600)?;
            if recent >= MAX_PER_HOUR && !messages::exists(write, &identity)? {
                return Ok(false);
            }
            messages::insert(write, &identity, &sender, at, &packed)?;
            Ok(true)
        })?;
        self.messages.notify();
        Ok(is_stored)
    }

    /// Answers messages until the server stops.
    pub fn run_mail(&self, handler: &dyn MailHandler, config: &MailConfig) {
        // The next attempt and the number of failures of messages that could not be answered.
        let mut later: HashMap<MessageId, (i64, u32)> = HashMap::new();
        while !self.is_stopping() {
            let generation = self.messages.generation();
            let mut was_done = false;
            match self.store.read(messages::waiting) {
                Ok(ids) => {
                    for id in ids {
                        if self.is_stopping() {
                            return;
                        }
                        if later.get(&id).is_some_and(|(next, _)| *next > now()) {
                            continue;
                        }
                        match self.answer_message(id, handler, config) {
                            Ok(()) => {
                                was_done = true;
                                later.remove(&id);
                            }
                            Err(error) => {
                                let n = later.get(&id).map_or(0, |(_, n)| *n) + 1;
                                let wait = (self.delivery_config.delay)(n, id.get().unsigned_abs());
                                let wait = wait.map_or(3600, |wait| wait.as_secs());
                                let next = now() + i64::try_from(wait).unwrap_or(3600);
                                later.insert(id, (next, n));
                                tracing::warn!(mail = %id, %error, "cannot answer a message; will retry");
                            }
                        }
                    }
                }
                Err(error) => tracing::error!(%error, "cannot read waiting messages"),
            }
            if !was_done {
                self.messages.wait(generation, PAUSE);
            }
        }
    }

    /// Returns the number of stored messages that are not answered yet.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn n_waiting_messages(&self) -> Result<usize, Error> {
        Ok(self.store.read(messages::waiting)?.len())
    }

    /// Carries a message out and sends the reply.
    fn answer_message(
        &self,
        id: MessageId,
        handler: &dyn MailHandler,
        config: &MailConfig,
    ) -> Result<(), Error> {
        let (at, packed) = self.store.read(|read| messages::get(read, id))?;
        let (stored, bytes) = unpack(&packed)?;
        let (to, message) = match stored {
            StoredMail::Reply { to } => (to, bytes),
            StoredMail::IncomingMessage { sender, recipients, peer } => {
                let address = |text: &String| text.parse::<Address>().ok();
                let message = IncomingMessage {
                    sender: sender.as_ref().and_then(address),
                    recipients: recipients.iter().filter_map(address).collect(),
                    bytes,
                    peer,
                };
                match textkin_mail::answer(&message, handler, config) {
                    Ok(Answer::NoReply(reason)) => {
                        tracing::info!(mail = %id, %reason, "not answering a message");
                        return self.mark_answered(id);
                    }
                    Ok(Answer::Reply(reply)) => self.store_reply(id, &reply)?,
                    Err(_) if now() - at > GIVE_UP => {
                        tracing::error!(mail = %id, "giving up on a message");
                        return self.mark_answered(id);
                    }
                    Err(unavailable) => return Err(Error::Commit(unavailable.to_string())),
                }
            }
        };
        let is_late = now() - at > GIVE_UP;
        let Some(MailOut { sender, .. }) = &self.delivery_config.mail else {
            return Err(Error::Invalid("outgoing mail is not set up on this server".to_owned()));
        };
        let to: Address = match to.parse() {
            Ok(to) => to,
            Err(_) => return self.mark_answered(id),
        };
        match sender.send(&to, &message) {
            Ok(()) => self.mark_answered(id),
            Err(failure) if failure.is_permanent || is_late => {
                tracing::warn!(mail = %id, "giving up on a reply that was not accepted");
                self.mark_answered(id)
            }
            Err(failure) => Err(Error::Commit(failure.reason)),
        }
    }

    /// Replaces a message by its reply, so that it is not carried out again.
    fn store_reply(
        &self,
        id: MessageId,
        reply: &OutgoingMessage,
    ) -> Result<(String, Vec<u8>), Error> {
        let Some(MailOut { from, .. }) = &self.delivery_config.mail else {
            return Err(Error::Invalid("outgoing mail is not set up on this server".to_owned()));
        };
        let bytes = reply.to_bytes(from, SystemTime::now());
        let bytes = bytes.map_err(|error| Error::Invalid(error.to_string()))?;
        let to = reply.to.to_string();
        let packed = pack(&StoredMail::Reply { to: to.clone() }, &bytes)?;
        self.store.write(move |write| messages::set_body(write, id, Some(&packed)))?;
        Ok((to, bytes))
    }

    /// Deletes a message except for its identity.
    fn mark_answered(&self, id: MessageId) -> Result<(), Error> {
        self.store.write(move |write| messages::set_body(write, id, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_packed_and_unpacked() {
        let stored = StoredMail::Reply { to: "a@b.example".to_owned() };
        for bytes in [&b""[..], b"x", b"Subject: y\r\n\r\n\n\n\xff"] {
            let (again, found) = unpack(&pack(&stored, bytes).unwrap()).unwrap();
            assert!(matches!(again, StoredMail::Reply { to } if to == "a@b.example"));
            assert_eq!(found, bytes);
        }
        assert!(unpack(b"rubbish").is_err());
    }
}
