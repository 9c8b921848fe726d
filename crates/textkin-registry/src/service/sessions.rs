//! Sessions: signing in with name and password, and signing out.

use crate::domain::{AccountId, Actor};
use crate::error::Error;
use crate::service::accounts::{actor, audit};
use crate::service::{Service, secrets};
use crate::store::{accounts, sessions};

/// How long a session lasts, in seconds.
const SESSION: i64 = 14 * 24 * 3600;

impl Service {
    /// Creates a session; returns its secret for the cookie.
    ///
    /// # Errors
    /// If name or password is wrong; the message does not say which.
    pub fn sign_in(&self, name: &str, password: &str) -> Result<String, Error> {
        let found = self.store.read(|read| accounts::by_name(read, name))?;
        let stored = found.as_ref().and_then(|found| found.password.as_deref());
        let is_valid = secrets::is_password(password, stored);
        let account = match found {
            Some(found) if is_valid && !found.is_off => found.id,
            _ => return Err(Error::Forbidden("wrong name or password".to_owned())),
        };
        self.new_session(account)
    }

    /// Creates a session for an existing account.
    pub fn new_session(&self, account: AccountId) -> Result<String, Error> {
        let (secret, csrf) = (secrets::secret()?, secrets::secret()?);
        let digest = secrets::digest(&secret);
        self.store.write(move |write| {
            sessions::insert(write, &digest, account, &csrf, SESSION)?;
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
        self.store.write(move |write| sessions::delete(write, &digest))
    }

    /// Returns the actor of a session, and the token of its forms.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] if the session does not exist or has expired.
    pub fn session(&self, secret: &str) -> Result<(Actor, String), Error> {
        let digest = secrets::digest(secret);
        self.store.read(|read| {
            let (account, csrf) = sessions::find(read, &digest)?.ok_or(Error::Unauthenticated)?;
            Ok((actor(read, account, None, None)?, csrf))
        })
    }
}
