//! Sessions: signing in with name and password, and signing out.

use rusqlite::{OptionalExtension, params};

use super::accounts::{actor, audit};
use super::{Service, secrets};
use crate::access::Actor;
use crate::error::Error;
use crate::store::now;

/// How long a session lasts, in seconds.
const SESSION: i64 = 14 * 24 * 3600;

impl Service {
    /// Creates a session; returns its secret for the cookie.
    ///
    /// # Errors
    /// If name or password is wrong; the message does not say which.
    pub fn sign_in(&self, name: &str, password: &str) -> Result<String, Error> {
        let record: Option<(i64, Option<String>, bool)> = self.store.read(|read| {
            let sql = "SELECT id, password, is_off FROM account WHERE name = ?1";
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            Ok(read.query_row(sql, [name], row).optional()?)
        })?;
        let stored = record.as_ref().and_then(|record| record.1.as_deref());
        let is_valid = secrets::is_password(password, stored);
        let account = match record {
            Some((account, _, false)) if is_valid => account,
            _ => return Err(Error::Forbidden("wrong name or password".to_owned())),
        };
        self.new_session(account)
    }

    /// Creates a session for an existing account.
    pub(crate) fn new_session(&self, account: i64) -> Result<String, Error> {
        let (secret, csrf) = (secrets::secret()?, secrets::secret()?);
        let digest = secrets::digest(&secret);
        self.store.write(move |write| {
            let now = now();
            write.execute("DELETE FROM session WHERE expires < ?1", [now])?;
            let sql = "INSERT INTO session (digest, account, csrf, created, expires)
                       VALUES (?1, ?2, ?3, ?4, ?5)";
            write.execute(sql, params![digest, account, csrf, now, now + SESSION])?;
            audit(write, Some(account), "signed in", "")
        })?;
        Ok(secret)
    }

    /// Ends a session.
    ///
    /// # Errors
    /// If the store fails.
    pub fn sign_out(&self, secret: &str) -> Result<(), Error> {
        let digest = secrets::digest(secret);
        self.store.write(move |write| {
            write.execute("DELETE FROM session WHERE digest = ?1", params![digest])?;
            Ok(())
        })
    }

    /// Returns the actor of a session, and the token of its forms.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] if the session does not exist or has expired.
    pub fn session(&self, secret: &str) -> Result<(Actor, String), Error> {
        let digest = secrets::digest(secret);
        self.store.read(|read| {
            let sql = "SELECT account, csrf FROM session JOIN account ON account.id = account
                       WHERE digest = ?1 AND expires > ?2 AND NOT is_off";
            let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get(1)?));
            let mut statement = read.prepare_cached(sql)?;
            let record = statement.query_row(params![digest, now()], row).optional()?;
            let (account, csrf) = record.ok_or(Error::Unauthenticated)?;
            Ok((actor(read, account, None, None)?, csrf))
        })
    }
}
