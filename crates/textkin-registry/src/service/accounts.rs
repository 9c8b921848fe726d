//! Accounts: setup, creation, disabling and passwords; and the audit log.

use std::sync::PoisonError;

use rusqlite::Transaction;
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::{AccountId, Action, Actor, RepositoryId, Scope};
use crate::error::Error;
use crate::service::teams::insert_team;
use crate::service::{Service, secrets};
use crate::store::accounts::{self, AccountRow, NewAccount, has_admin};
pub(crate) use crate::store::audit::insert as audit;
use crate::store::{self, hex, resets, sessions, setting, teams};

/// Whether the server has been set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupState {
    /// It has an administrator.
    Done,
    /// The first visitor with this token creates one.
    Token(String),
}

/// An account, as administrators see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AccountView {
    /// Its id.
    pub id: AccountId,
    /// Its name.
    pub name: String,
    /// Its mail address.
    pub mail: Option<String>,
    /// Whether it is an administrator.
    pub is_admin: bool,
    /// Whether it is disabled: it cannot sign in, and its keys do not work.
    pub is_disabled: bool,
    /// When it was created, in seconds since 1970.
    pub created: i64,
    /// When it last signed in or visited, in seconds since 1970.
    pub last_seen: Option<i64>,
}

/// An entry of the audit log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AuditEntry {
    /// When, in seconds since 1970.
    pub at: i64,
    /// The account that did it; none for the server.
    pub account: Option<String>,
    /// What was done.
    pub action: String,
    /// What it was done to.
    pub object: String,
    /// The IP address of the client, if it was done by a request.
    pub address: Option<String>,
}

/// How long a link that sets a new password works, in seconds.
const RESET: i64 = 24 * 3600;

impl Service {
    /// Returns whether the server has been set up, and if not, the setup token. The token stays the
    /// same until it is used or the server is started again.
    ///
    /// # Errors
    /// If the store fails.
    pub fn setup_state(&self) -> Result<SetupState, Error> {
        if self.store.read(has_admin)? {
            return Ok(SetupState::Done);
        }
        let mut setup_token = self.setup_token.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(token) = &*setup_token {
            return Ok(SetupState::Token(token.clone()));
        }
        let token = secrets::secret()?;
        let digest = hex(&secrets::digest(&token));
        self.store.write(move |write| setting::set(write, setting::SETUP_TOKEN, &digest))?;
        *setup_token = Some(token.clone());
        Ok(SetupState::Token(token))
    }

    /// Creates the first administrator; the token works once.
    ///
    /// # Errors
    /// If the token is wrong, or name or password is invalid.
    pub fn set_up(
        &self,
        token: &str,
        name: &str,
        mail: Option<&str>,
        password: &str,
    ) -> Result<AccountId, Error> {
        let hash = secrets::hash_password(password)?;
        check_name("account", name)?;
        let (name, digest) = (name.to_owned(), hex(&secrets::digest(token)));
        let mail = checked_mail(mail)?;
        self.store.write(move |write| {
            let is_valid = setting::get(write, setting::SETUP_TOKEN)? == Some(digest);
            if !is_valid || has_admin(write)? {
                return Err(Error::Forbidden(
                    "the setup token is wrong or already used; the server prints it when it \
                     starts"
                        .to_owned(),
                ));
            }
            setting::remove(write, setting::SETUP_TOKEN)?;
            let (mail, password) = (mail.as_deref(), Some(&*hash));
            let new = NewAccount { name: &name, mail, password, is_admin: true };
            // It may be an account that `textkin admin key` created, which has only keys.
            let account = match accounts::complete(write, &new)? {
                Some(account) => account,
                None => insert_account(write, &new)?,
            };
            audit(write, Some(account), "server set up", &name)?;
            Ok(account)
        })
    }

    /// Creates an account; for administrators.
    ///
    /// # Errors
    /// If the actor lacks the permission, the name is taken, or the password is invalid.
    pub fn new_account(
        &self,
        actor: &Actor,
        name: &str,
        mail: Option<&str>,
        password: Option<&str>,
        is_admin: bool,
    ) -> Result<AccountId, Error> {
        actor.require(Action::Administer)?;
        check_name("account", name)?;
        let hash = password.map(secrets::hash_password).transpose()?;
        let (by, name, mail) = (actor.account, name.to_owned(), checked_mail(mail)?);
        self.store.write(move |write| {
            let (mail, password) = (mail.as_deref(), hash.as_deref());
            let account =
                insert_account(write, &NewAccount { name: &name, mail, password, is_admin })?;
            audit(write, Some(by), "account created", &name)?;
            Ok(account)
        })
    }

    /// Returns all accounts; for administrators.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn accounts(&self, actor: &Actor) -> Result<Vec<AccountView>, Error> {
        actor.require(Action::Administer)?;
        self.store.read(accounts::list)
    }

    /// Disables or enables an account. Its sessions end, and its keys do not work while it is disabled.
    ///
    /// # Errors
    /// If the actor lacks the permission, or it is the actor's own account.
    pub fn set_account_disabled(
        &self,
        actor: &Actor,
        name: &str,
        is_disabled: bool,
    ) -> Result<(), Error> {
        actor.require(Action::Administer)?;
        if name == actor.name {
            return Err(Error::Conflict("you cannot disable your own account".into()));
        }
        let (by, name) = (actor.account, name.to_owned());
        self.store.write(move |write| {
            let id = accounts::set_off(write, &name, is_disabled)?;
            let id = id.ok_or_else(|| Error::not_found("account", &name))?;
            sessions::delete_all(write, id)?;
            audit(
                write,
                Some(by),
                if is_disabled { "account disabled" } else { "account enabled" },
                &name,
            )
        })
    }

    /// Changes the password of the actor's account and ends its sessions.
    ///
    /// # Errors
    /// If the current password is wrong, or the new one is invalid.
    pub fn change_password(&self, actor: &Actor, current: &str, new: &str) -> Result<(), Error> {
        actor.require(Action::ChangePassword)?;
        let account = actor.account;
        let row = self.store.read(|read| accounts::by_id(read, account))?;
        let hash = row.and_then(|row| row.password);
        if !secrets::is_password(current, hash.as_deref()) {
            return Err(Error::Forbidden("the current password is wrong".to_owned()));
        }
        let hash = secrets::hash_password(new)?;
        self.store.write(move |write| {
            accounts::set_password(write, account, &hash)?;
            sessions::delete_all(write, account)?;
            audit(write, Some(account), "password changed", "")
        })
    }

    /// Creates a link by which an account sets a new password once, within a day; for administrators.
    /// Returns its secret. Earlier links of the account no longer work.
    ///
    /// # Errors
    /// If the actor lacks the permission, or the account does not exist.
    pub fn new_password_reset(&self, actor: &Actor, name: &str) -> Result<String, Error> {
        actor.require(Action::Administer)?;
        let secret = secrets::secret()?;
        let digest = secrets::digest(&secret);
        let (by, name) = (actor.account, name.to_owned());
        self.store.write(move |write| {
            let account = accounts::by_name(write, &name)?;
            let account = account.ok_or_else(|| Error::not_found("account", &name))?.id;
            resets::insert(write, &digest, account, store::now() + RESET)?;
            audit(write, Some(by), "password reset link created", &name)
        })?;
        Ok(secret)
    }

    /// Sets a new password by the secret of a link, which then no longer works; ends the sessions of the
    /// account.
    ///
    /// # Errors
    /// If the link does not work, or the password is invalid.
    pub fn reset_password(&self, secret: &str, new: &str) -> Result<AccountId, Error> {
        let digest = secrets::digest(secret);
        // A wrong link costs nothing, not even the hash of a password.
        let find = move |read: &Transaction<'_>| {
            resets::find(read, &digest)?.ok_or_else(|| {
                Error::Forbidden(
                    "this link has expired or was already used; ask an administrator for a new one"
                        .to_owned(),
                )
            })
        };
        self.store.read(|read| find(read))?;
        let hash = secrets::hash_password(new)?;
        self.store.write(move |write| {
            let account = find(write)?;
            accounts::set_password(write, account, &hash)?;
            sessions::delete_all(write, account)?;
            resets::delete_all(write, account)?;
            audit(write, Some(account), "password reset", "")?;
            Ok(account)
        })
    }

    /// Changes the mail address of an account; for administrators.
    ///
    /// # Errors
    /// If the actor lacks the permission, the account does not exist, or the address is invalid or that
    /// of another account.
    pub fn change_mail(&self, actor: &Actor, name: &str, mail: Option<&str>) -> Result<(), Error> {
        actor.require(Action::Administer)?;
        let (by, name, mail) = (actor.account, name.to_owned(), checked_mail(mail)?);
        self.store.write(move |write| {
            let account = accounts::by_name(write, &name)?;
            let account = account.ok_or_else(|| Error::not_found("account", &name))?.id;
            if !accounts::change_mail(write, account, mail.as_deref())? {
                return Err(Error::Conflict("another account has this mail address".to_owned()));
            }
            audit(write, Some(by), "mail address changed", &name)
        })
    }

    /// Returns the audit log, the latest entry first: all of it for administrators, else what the actor
    /// did.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn audit_log(&self, actor: &Actor, limit: u32) -> Result<Vec<AuditEntry>, Error> {
        actor.require(Action::ManageAccount)?;
        let account = (!actor.is_admin).then_some(actor.account);
        self.store.read(|read| store::audit::list(read, account, limit))
    }
}

/// Inserts an account with its personal team.
pub(super) fn insert_account(
    write: &Transaction<'_>,
    new: &NewAccount<'_>,
) -> Result<AccountId, Error> {
    if accounts::is_taken(write, new.name, new.mail)? {
        return Err(Error::Conflict(format!(
            "an account with the name '{}' or this mail address already exists",
            new.name
        )));
    }
    let account = accounts::insert(write, new)?;
    insert_team(write, new.name, account)?;
    Ok(account)
}

/// Returns an account with all its permissions, for work the server does on its behalf; `None` if it
/// is disabled.
pub(crate) fn acting(read: &Transaction<'_>, account: AccountId) -> Result<Option<Actor>, Error> {
    match accounts::by_id(read, account)? {
        Some(row) if !row.is_off => as_actor(read, row, None, None).map(Some),
        _ => Ok(None),
    }
}

/// Returns an account as an actor.
pub(super) fn actor(
    read: &Transaction<'_>,
    account: AccountId,
    scopes: Option<Vec<Scope>>,
    only: Option<RepositoryId>,
) -> Result<Actor, Error> {
    let row = accounts::by_id(read, account)?.ok_or(Error::Unauthenticated)?;
    as_actor(read, row, scopes, only)
}

fn as_actor(
    read: &Transaction<'_>,
    row: AccountRow,
    scopes: Option<Vec<Scope>>,
    only: Option<RepositoryId>,
) -> Result<Actor, Error> {
    let AccountRow { id: account, name, is_admin, .. } = row;
    let (teams, own_team) = (accounts::roles(read, account)?, teams::find(read, &name)?);
    Ok(Actor { account, name, is_admin, teams, own_team, scopes, only })
}

/// Fails unless `name` can be used in URLs.
pub(crate) fn check_name(what: &str, name: &str) -> Result<(), Error> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_first = |c: char| c.is_ascii_alphanumeric();
    if name.len() <= 64 && name.starts_with(is_first) && name.chars().all(is_allowed) {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "the {what} name must have 1 to 64 characters (A to Z, a to z, digits, '-', '_', '.') and start \
         with a letter or digit"
    )))
}

fn checked_mail(mail: Option<&str>) -> Result<Option<String>, Error> {
    let Some(mail) = mail.map(str::trim).filter(|mail| !mail.is_empty()) else { return Ok(None) };
    let is_valid = mail.len() <= 254
        && mail.chars().all(|c| c.is_ascii_graphic() && !"<>,;:\"()[]\\".contains(c))
        && mail.split_once('@').is_some_and(|(local, host)| {
            !local.is_empty() && !host.is_empty() && !host.contains('@')
        });
    match is_valid {
        true => Ok(Some(mail.to_lowercase())),
        false => Err(Error::Invalid("invalid mail address".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses() {
        assert!(check_name("team", "news-2026.a_b").is_ok());
        for name in ["", ".", "-a", "a/b", "a b", "ä", &"a".repeat(65)] {
            assert!(check_name("team", name).is_err(), "{name}");
        }
        assert_eq!(checked_mail(Some(" A@B.org ")).unwrap().as_deref(), Some("a@b.org"));
        for mail in ["a", "@b", "a@", "a@b@c", "a b@c", "a\r\n@c", "<a@b>"] {
            assert!(checked_mail(Some(mail)).is_err(), "{mail}");
        }
    }
}
