//! Mail that came in: kept until it is answered, once, also after a restart.
//!
//! A letter is in the store before its sender is told that it was taken. A worker does what it
//! asks for (the [`MailHandler`](textkin_mail::Desk) in [`crate::mail`]), puts the reply in its place, and
//! sends that until the next mail system has it. What is left then is the letter's identity, by
//! which it is known when it comes again.

use std::time::{Duration, SystemTime};

use hashbrown::HashMap;
use rusqlite::params;
use serde::{Deserialize, Serialize};
use textkin_mail::{Address, Answer, IncomingMessage, MailConfig, MailHandler, Outgoing};

use super::deliveries::MailOut;
use super::{Service, accounts};
use crate::access::Actor;
use crate::error::Error;
use crate::store::now;

/// Letters of one sender in an hour, at most.
const MAX_PER_HOUR: u64 = 200;
/// Seconds after which a letter is given up.
const GIVE_UP: i64 = 3 * 24 * 3600;
/// How long identities of letters are kept, in seconds.
pub(super) const KEEP_MESSAGE_IDS: i64 = 90 * 24 * 3600;
/// How long the worker sleeps when nothing wakes it.
const PAUSE: Duration = Duration::from_millis(500);

/// What is kept of a letter until it is answered; the bytes follow it.
#[derive(Debug, Serialize, Deserialize)]
enum StoredMail {
    /// It is to be answered.
    #[serde(rename = "Letter")]
    IncomingMessage { sender: Option<String>, recipients: Vec<String>, peer: String },
    /// This reply is to be sent to `to`.
    Reply { to: String },
}

fn pack(kept: &StoredMail, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut all = serde_json::to_vec(kept)?;
    all.push(b'\n');
    all.extend_from_slice(bytes);
    Ok(zstd::bulk::compress(&all, 1)?)
}

fn unpack(packed: &[u8]) -> Result<(StoredMail, Vec<u8>), Error> {
    let mut all = zstd::stream::decode_all(packed)?;
    let end = all.iter().position(|byte| *byte == b'\n').unwrap_or(all.len());
    let kept = serde_json::from_slice(&all[..end])?;
    all.drain(..(end + 1).min(all.len()));
    Ok((kept, all))
}

impl Service {
    /// The account with a mail address, as it acts; `None` if there is none, or it is off.
    pub(crate) fn account_of(&self, sender: &Address) -> Result<Option<Actor>, Error> {
        self.store.read(|read| {
            let sql = "SELECT id FROM account WHERE lower(mail) = ?1 AND NOT is_off";
            let mut statement = read.prepare_cached(sql)?;
            let mut rows = statement.query([sender.folded()])?;
            match rows.next()? {
                Some(row) => accounts::acting(read, row.get(0)?),
                None => Ok(None),
            }
        })
    }

    /// Keeps a letter; says no if its sender wrote too many.
    pub(crate) fn store_message(&self, letter: &IncomingMessage) -> Result<bool, Error> {
        let kept = StoredMail::IncomingMessage {
            sender: letter.sender.as_ref().map(Address::to_string),
            recipients: letter.recipients.iter().map(Address::to_string).collect(),
            peer: letter.peer.clone(),
        };
        let packed = pack(&kept, &letter.bytes)?;
        let identity = letter.identity();
        let sender = letter.sender.as_ref().map(Address::folded).unwrap_or_default();
        let is_kept = self.store.write(move |write| {
            let at = now();
            let sql = "SELECT count(*) FROM mail WHERE sender = ?1 AND at > ?2";
            let many: u64 = write.query_row(sql, params![sender, at - 3600], |row| row.get(0))?;
            let sql = "SELECT EXISTS (SELECT 1 FROM mail WHERE message = ?1)";
            if many >= MAX_PER_HOUR && !write.query_row(sql, [&identity], |row| row.get(0))? {
                return Ok(false);
            }
            let sql = "INSERT INTO mail (message, sender, at, body) VALUES (?1, ?2, ?3, ?4)
                       ON CONFLICT DO NOTHING";
            write.execute(sql, params![identity, sender, at, packed])?;
            Ok(true)
        })?;
        self.messages.notify();
        Ok(is_kept)
    }

    /// Answers letters until the server stops.
    pub(crate) fn run_mail(&self, handler: &dyn MailHandler, office: &MailConfig) {
        // When a letter that could not be answered is tried again, and how often it was.
        let mut later: HashMap<i64, (i64, u32)> = HashMap::new();
        while !self.is_stopping() {
            let count = self.messages.generation();
            let mut was_done = false;
            match self.waiting_messages() {
                Ok(ids) => {
                    for id in ids {
                        if self.is_stopping() {
                            return;
                        }
                        if later.get(&id).is_some_and(|(next, _)| *next > now()) {
                            continue;
                        }
                        match self.answer_message(id, handler, office) {
                            Ok(()) => {
                                was_done = true;
                                later.remove(&id);
                            }
                            Err(error) => {
                                let n = later.get(&id).map_or(0, |(_, n)| *n) + 1;
                                let wait = (self.delivery_config.delay)(n, id.cast_unsigned());
                                let wait = wait.map_or(3600, |wait| wait.as_secs());
                                let next = now() + i64::try_from(wait).unwrap_or(3600);
                                later.insert(id, (next, n));
                                tracing::warn!(letter = id, %error, "a letter is tried again");
                            }
                        }
                    }
                }
                Err(error) => tracing::error!(%error, "letters cannot be looked up"),
            }
            if !was_done {
                self.messages.wait(count, PAUSE);
            }
        }
    }

    /// The letters that wait, in the order in which they came.
    fn waiting_messages(&self) -> Result<Vec<i64>, Error> {
        self.store.read(|read| {
            let sql = "SELECT id FROM mail WHERE body IS NOT NULL ORDER BY id LIMIT 1000";
            let mut statement = read.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Does what a letter asks for and sends the reply.
    fn answer_message(
        &self,
        id: i64,
        handler: &dyn MailHandler,
        office: &MailConfig,
    ) -> Result<(), Error> {
        let (at, packed): (i64, Vec<u8>) = self.store.read(|read| {
            let sql = "SELECT at, body FROM mail WHERE id = ?1 AND body IS NOT NULL";
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            Ok(read.prepare_cached(sql)?.query_row([id], row)?)
        })?;
        let (kept, bytes) = unpack(&packed)?;
        let (to, message) = match kept {
            StoredMail::Reply { to } => (to, bytes),
            StoredMail::IncomingMessage { sender, recipients, peer } => {
                let address = |text: &String| text.parse::<Address>().ok();
                let letter = IncomingMessage {
                    sender: sender.as_ref().and_then(address),
                    recipients: recipients.iter().filter_map(address).collect(),
                    bytes,
                    peer,
                };
                match textkin_mail::answer(&letter, handler, office) {
                    Ok(Answer::Silence(robot)) => {
                        tracing::info!(letter = id, why = %robot, "a letter is not answered");
                        return self.answered(id);
                    }
                    Ok(Answer::Reply(reply)) => self.keep_reply(id, &reply)?,
                    Err(_) if now() - at > GIVE_UP => {
                        tracing::error!(letter = id, "a letter is given up");
                        return self.answered(id);
                    }
                    Err(unavailable) => return Err(Error::Commit(unavailable.to_string())),
                }
            }
        };
        let is_late = now() - at > GIVE_UP;
        let Some(MailOut { sender, .. }) = &self.delivery_config.mail else {
            return Err(Error::Invalid("this server sends no mail".to_owned()));
        };
        let to: Address = match to.parse() {
            Ok(to) => to,
            Err(_) => return self.answered(id),
        };
        match sender.send(&to, &message) {
            Ok(()) => self.answered(id),
            Err(failure) if failure.is_permanent || is_late => {
                tracing::warn!(letter = id, "the reply to a letter is not taken, and given up");
                self.answered(id)
            }
            Err(failure) => Err(Error::Commit(failure.reason)),
        }
    }

    /// Puts the reply in the place of the letter, so that what was asked for is not done again.
    fn keep_reply(&self, id: i64, reply: &Outgoing) -> Result<(String, Vec<u8>), Error> {
        let Some(MailOut { from, .. }) = &self.delivery_config.mail else {
            return Err(Error::Invalid("this server sends no mail".to_owned()));
        };
        let bytes = reply.to_bytes(from, SystemTime::now());
        let bytes = bytes.map_err(|error| Error::Invalid(error.to_string()))?;
        let to = reply.to.to_string();
        let packed = pack(&StoredMail::Reply { to: to.clone() }, &bytes)?;
        self.store.write(move |write| {
            write.execute("UPDATE mail SET body = ?2 WHERE id = ?1", params![id, packed])?;
            Ok(())
        })?;
        Ok((to, bytes))
    }

    /// Forgets a letter but for its identity.
    fn answered(&self, id: i64) -> Result<(), Error> {
        self.store.write(move |write| {
            write.execute("UPDATE mail SET body = NULL WHERE id = ?1", [id])?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_packed_and_unpacked() {
        let kept = StoredMail::Reply { to: "a@b.example".to_owned() };
        for bytes in [&b""[..], b"x", b"Subject: y\r\n\r\n\n\n\xff"] {
            let (again, found) = unpack(&pack(&kept, bytes).unwrap()).unwrap();
            assert!(matches!(again, StoredMail::Reply { to } if to == "a@b.example"));
            assert_eq!(found, bytes);
        }
        assert!(unpack(b"rubbish").is_err());
    }
}
