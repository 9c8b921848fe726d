//! Incoming messages in the store. A message has a body until it is answered.

use rusqlite::{Transaction, params};

use crate::domain::MessageId;
use crate::error::Error;

/// The maximum number of waiting messages that are returned at once.
const MAX_WAITING: u32 = 1000;

/// Returns the number of messages of a sender that arrived after a time.
pub(crate) fn n_since(read: &Transaction<'_>, sender: &str, since: i64) -> Result<u64, Error> {
    let sql = "SELECT count(*) FROM mail WHERE sender = ?1 AND at > ?2";
    Ok(read.prepare_cached(sql)?.query_row(params![sender, since], |row| row.get(0))?)
}

/// Whether a message with this identity has arrived before.
pub(crate) fn exists(read: &Transaction<'_>, identity: &str) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM mail WHERE message = ?1)";
    Ok(read.prepare_cached(sql)?.query_row([identity], |row| row.get(0))?)
}

/// Inserts a message, unless it has arrived before.
pub(crate) fn insert(
    write: &Transaction<'_>,
    identity: &str,
    sender: &str,
    at: i64,
    body: &[u8],
) -> Result<(), Error> {
    let sql = "INSERT INTO mail (message, sender, at, body) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT DO NOTHING";
    write.prepare_cached(sql)?.execute(params![identity, sender, at, body])?;
    Ok(())
}

/// Returns the ids of the messages that are not answered yet, in order of arrival.
pub(crate) fn waiting(read: &Transaction<'_>) -> Result<Vec<MessageId>, Error> {
    let sql = "SELECT id FROM mail WHERE body IS NOT NULL ORDER BY id LIMIT ?1";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map([MAX_WAITING], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the time of arrival and the body of a waiting message.
pub(crate) fn get(read: &Transaction<'_>, id: MessageId) -> Result<(i64, Vec<u8>), Error> {
    let sql = "SELECT at, body FROM mail WHERE id = ?1 AND body IS NOT NULL";
    let mut statement = read.prepare_cached(sql)?;
    Ok(statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// Replaces the body of a message; `None` deletes it.
pub(crate) fn set_body(
    write: &Transaction<'_>,
    id: MessageId,
    body: Option<&[u8]>,
) -> Result<(), Error> {
    let sql = "UPDATE mail SET body = ?2 WHERE id = ?1";
    write.prepare_cached(sql)?.execute(params![id, body])?;
    Ok(())
}

/// Deletes the identities of answered messages that arrived before a time.
pub(crate) fn delete_answered(write: &Transaction<'_>, before: i64) -> Result<(), Error> {
    let sql = "DELETE FROM mail WHERE body IS NULL AND at < ?1";
    write.prepare_cached(sql)?.execute([before])?;
    Ok(())
}
