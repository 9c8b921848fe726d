//! Accounts: setup, creation, disabling and passwords; and the audit log.

use std::sync::PoisonError;

use rusqlite::{OptionalExtension, Transaction, params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::{Actor, Role, Scope};
use crate::error::Error;
use crate::service::teams::insert_team;
use crate::service::{Service, secrets};
use crate::store::{hex, now, setting};

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
    pub id: i64,
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
}

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
    ) -> Result<i64, Error> {
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
            let account = insert_account(write, &name, mail.as_deref(), Some(&hash), true)?;
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
    ) -> Result<i64, Error> {
        actor.require_admin()?;
        check_name("account", name)?;
        let hash = password.map(secrets::hash_password).transpose()?;
        let (by, name, mail) = (actor.account, name.to_owned(), checked_mail(mail)?);
        self.store.write(move |write| {
            let account = insert_account(write, &name, mail.as_deref(), hash.as_deref(), is_admin)?;
            audit(write, Some(by), "account created", &name)?;
            Ok(account)
        })
    }

    /// Returns all accounts; for administrators.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn accounts(&self, actor: &Actor) -> Result<Vec<AccountView>, Error> {
        actor.require_admin()?;
        self.store.read(|read| {
            let sql = "SELECT id, name, mail, is_admin, is_off, created,
                           nullif(max(seen, ifnull((SELECT max(created) FROM session
                               WHERE session.account = account.id), 0)), 0)
                       FROM account ORDER BY name";
            let mut statement = read.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                Ok(AccountView {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    mail: row.get(2)?,
                    is_admin: row.get(3)?,
                    is_disabled: row.get(4)?,
                    created: row.get(5)?,
                    last_seen: row.get(6)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
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
        actor.require_admin()?;
        if name == actor.name {
            return Err(Error::Conflict("you cannot disable your own account".into()));
        }
        let (by, name) = (actor.account, name.to_owned());
        self.store.write(move |write| {
            let sql = "UPDATE account SET is_off = ?2 WHERE name = ?1 RETURNING id";
            let id: Option<i64> =
                write.query_row(sql, params![name, is_disabled], |row| row.get(0)).optional()?;
            let id = id.ok_or_else(|| Error::not_found("account", &name))?;
            write.execute("DELETE FROM session WHERE account = ?1", [id])?;
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
        actor.require_scope(Scope::Admin)?;
        let account = actor.account;
        let hash: Option<String> = self.store.read(|read| {
            let sql = "SELECT password FROM account WHERE id = ?1";
            Ok(read.query_row(sql, [account], |row| row.get(0))?)
        })?;
        if !secrets::is_password(current, hash.as_deref()) {
            return Err(Error::Forbidden("the current password is wrong".to_owned()));
        }
        let hash = secrets::hash_password(new)?;
        self.store.write(move |write| {
            write.execute(
                "UPDATE account SET password = ?2 WHERE id = ?1",
                params![account, hash],
            )?;
            write.execute("DELETE FROM session WHERE account = ?1", [account])?;
            audit(write, Some(account), "password changed", "")
        })
    }

    /// Returns the audit log, the latest entry first: all of it for administrators, else what the actor
    /// did.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn audit_log(&self, actor: &Actor, limit: u32) -> Result<Vec<AuditEntry>, Error> {
        actor.require_scope(Scope::Admin)?;
        actor.require_whole_account()?;
        self.store.read(|read| {
            let sql = "SELECT at, account.name, action, object
                       FROM audit LEFT JOIN account ON account.id = account
                       WHERE ?1 OR account = ?2 ORDER BY audit.id DESC LIMIT ?3";
            let mut statement = read.prepare_cached(sql)?;
            let rows =
                statement.query_map(params![actor.is_admin, actor.account, limit], |row| {
                    Ok(AuditEntry {
                        at: row.get(0)?,
                        account: row.get(1)?,
                        action: row.get(2)?,
                        object: row.get(3)?,
                    })
                })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

/// Adds an entry to the audit log.
pub(crate) fn audit(
    write: &Transaction<'_>,
    account: Option<i64>,
    action: &str,
    object: &str,
) -> Result<(), Error> {
    let sql = "INSERT INTO audit (at, account, action, object) VALUES (?1, ?2, ?3, ?4)";
    write.prepare_cached(sql)?.execute(params![now(), account, action, object])?;
    Ok(())
}

fn has_admin(read: &Transaction<'_>) -> Result<bool, Error> {
    // An account created by `textkin admin key` cannot sign in and does not count.
    let sql = "SELECT EXISTS (SELECT 1 FROM account WHERE is_admin AND password IS NOT NULL)";
    Ok(read.query_row(sql, [], |row| row.get(0))?)
}

pub(super) fn insert_account(
    write: &Transaction<'_>,
    name: &str,
    mail: Option<&str>,
    password: Option<&str>,
    is_admin: bool,
) -> Result<i64, Error> {
    // The setup may reuse the name of an account that has only keys.
    let sql = "UPDATE account SET password = ?2, mail = ifnull(?3, mail)
               WHERE name = ?1 AND is_admin AND ?4 AND password IS NULL AND ?2 IS NOT NULL
               RETURNING id";
    let row = params![name, password, mail, is_admin];
    if let Some(id) = write.query_row(sql, row, |row| row.get(0)).optional()? {
        return Ok(id);
    }
    let taken: bool = write.query_row(
        "SELECT EXISTS (SELECT 1 FROM account WHERE name = ?1 OR mail = ?2)",
        params![name, mail],
        |row| row.get(0),
    )?;
    if taken {
        return Err(Error::Conflict(format!(
            "an account with the name '{name}' or this mail address already exists"
        )));
    }
    let sql = "INSERT INTO account (name, mail, password, is_admin, created)
               VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id";
    let row = params![name, mail, password, is_admin, now()];
    let account = write.query_row(sql, row, |row| row.get(0))?;
    insert_team(write, name, account)?;
    Ok(account)
}

/// Returns an account with all its permissions, for work the server does on its behalf; `None` if it
/// is disabled.
pub(crate) fn acting(read: &Transaction<'_>, account: i64) -> Result<Option<Actor>, Error> {
    let sql = "SELECT NOT is_off FROM account WHERE id = ?1";
    let is_on: Option<bool> =
        read.prepare_cached(sql)?.query_row([account], |row| row.get(0)).optional()?;
    match is_on {
        Some(true) => actor(read, account, None, None).map(Some),
        _ => Ok(None),
    }
}

/// Returns an account as an actor.
pub(super) fn actor(
    read: &Transaction<'_>,
    account: i64,
    scopes: Option<Vec<Scope>>,
    only: Option<i64>,
) -> Result<Actor, Error> {
    let mut statement = read.prepare_cached("SELECT name, is_admin FROM account WHERE id = ?1")?;
    let (name, is_admin) = statement.query_row([account], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut statement = read.prepare_cached("SELECT team, role FROM member WHERE account = ?1")?;
    let rows = statement.query_map([account], |row| {
        let role = Role::parse(&row.get::<_, String>(1)?).unwrap_or(Role::Reader);
        Ok((row.get(0)?, role))
    })?;
    let teams = rows.collect::<Result<_, _>>()?;
    Ok(Actor { account, name, is_admin, teams, scopes, only })
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
