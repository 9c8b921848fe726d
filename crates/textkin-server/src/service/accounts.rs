//! Accounts: made, set up, switched off; who acts; and what was done by whom.

use rusqlite::{OptionalExtension, Transaction, params};
use serde::Serialize;
use utoipa::ToSchema;

use super::teams::insert_team;
use super::{Service, secrets};
use crate::access::{Actor, Role, Scope};
use crate::error::Error;
use crate::store::now;

/// Whether the server has been set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupState {
    /// It has an administrator.
    Done,
    /// The first visitor with this token makes one.
    Token(String),
}

/// An account, as administrators see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AccountView {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Its mail address.
    pub mail: Option<String>,
    /// Whether it looks after the server.
    pub is_admin: bool,
    /// Whether it may not sign in.
    pub is_disabled: bool,
    /// When it was made.
    pub created: i64,
    /// When its last visit began, in seconds since 1970.
    pub last_seen: Option<i64>,
}

/// Something that was done.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AuditEntry {
    /// When, in seconds since 1970.
    pub at: i64,
    /// By whom.
    pub account: Option<String>,
    /// What.
    pub action: String,
    /// To what.
    pub object: String,
}

impl Service {
    /// Whether the server has been set up; if not, the token that sets it up, which is the same until
    /// then.
    ///
    /// # Errors
    /// If the store fails.
    pub fn setup_state(&self) -> Result<SetupState, Error> {
        let fresh = secrets::secret()?;
        self.store.write(move |write| {
            if has_admin(write)? {
                return Ok(SetupState::Done);
            }
            let sql = "INSERT INTO setting (name, value) VALUES ('setup', ?1)
                       ON CONFLICT DO UPDATE SET value = value RETURNING value";
            Ok(SetupState::Token(write.query_row(sql, [fresh], |row| row.get(0))?))
        })
    }

    /// Makes the first administrator; the token works once.
    ///
    /// # Errors
    /// If the token is not the one, or name or password will not do.
    pub fn set_up(
        &self,
        token: &str,
        name: &str,
        mail: Option<&str>,
        password: &str,
    ) -> Result<i64, Error> {
        let kept = secrets::keep_password(password)?;
        check_name("account", name)?;
        let (name, token) = (name.to_owned(), secrets::digest(token));
        let mail = checked_mail(mail)?;
        self.store.write(move |write| {
            let stored: Option<String> = write
                .query_row("SELECT value FROM setting WHERE name = 'setup'", [], |row| row.get(0))
                .optional()?;
            let is_right = stored.is_some_and(|stored| secrets::digest(&stored) == token);
            if !is_right || has_admin(write)? {
                return Err(Error::Forbidden(
                    "the set-up token is wrong or used; the log of the server shows it at its first \
                     start"
                        .to_owned(),
                ));
            }
            write.execute("DELETE FROM setting WHERE name = 'setup'", [])?;
            let account = insert_account(write, &name, mail.as_deref(), Some(&kept), true)?;
            audit(write, Some(account), "set up", &name)?;
            Ok(account)
        })
    }

    /// Makes an account; only administrators may.
    ///
    /// # Errors
    /// If the actor may not, the name is taken, or the password will not do.
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
        let kept = password.map(secrets::keep_password).transpose()?;
        let (by, name, mail) = (actor.account, name.to_owned(), checked_mail(mail)?);
        self.store.write(move |write| {
            let account = insert_account(write, &name, mail.as_deref(), kept.as_deref(), is_admin)?;
            audit(write, Some(by), "account made", &name)?;
            Ok(account)
        })
    }

    /// All accounts; only administrators may see them.
    ///
    /// # Errors
    /// If the actor may not.
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

    /// Turns an account off or on; its sessions end and its keys do not work while it is off.
    ///
    /// # Errors
    /// If the actor may not, or it is the actor's own.
    pub fn set_account_disabled(
        &self,
        actor: &Actor,
        name: &str,
        is_disabled: bool,
    ) -> Result<(), Error> {
        actor.require_admin()?;
        if name == actor.name {
            return Err(Error::Conflict("an administrator cannot turn the own account off".into()));
        }
        let (by, name) = (actor.account, name.to_owned());
        self.store.write(move |write| {
            let sql = "UPDATE account SET is_off = ?2 WHERE name = ?1 RETURNING id";
            let id: Option<i64> =
                write.query_row(sql, params![name, is_disabled], |row| row.get(0)).optional()?;
            let id = id.ok_or_else(|| Error::not_found("account", &name))?;
            write.execute("DELETE FROM session WHERE account = ?1", [id])?;
            audit(write, Some(by), if is_disabled { "account off" } else { "account on" }, &name)
        })
    }

    /// Changes the password of the actor's account; its other sessions end.
    ///
    /// # Errors
    /// If the old one is wrong, or the new one will not do.
    pub fn change_password(&self, actor: &Actor, old: &str, new: &str) -> Result<(), Error> {
        actor.require_scope(Scope::Admin)?;
        let account = actor.account;
        let kept: Option<String> = self.store.read(|read| {
            let sql = "SELECT password FROM account WHERE id = ?1";
            Ok(read.query_row(sql, [account], |row| row.get(0))?)
        })?;
        if !secrets::is_password(old, kept.as_deref()) {
            return Err(Error::Forbidden("the old password is another".to_owned()));
        }
        let kept = secrets::keep_password(new)?;
        self.store.write(move |write| {
            write.execute(
                "UPDATE account SET password = ?2 WHERE id = ?1",
                params![account, kept],
            )?;
            write.execute("DELETE FROM session WHERE account = ?1", [account])?;
            audit(write, Some(account), "password changed", "")
        })
    }

    /// What was done, the latest first: all of it for administrators, else what the actor did.
    ///
    /// # Errors
    /// If the actor may not.
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

/// Writes down what was done, by whom and to what.
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
    // An account made by `textkin admin key` cannot sign in, and does not count.
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
    // Whoever sets the server up may take the name of the account that has only keys.
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
        return Err(Error::Conflict(format!("there is an account '{name}' or with this address")));
    }
    let sql = "INSERT INTO account (name, mail, password, is_admin, created)
               VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id";
    let row = params![name, mail, password, is_admin, now()];
    let account = write.query_row(sql, row, |row| row.get(0))?;
    insert_team(write, name, account)?;
    Ok(account)
}

/// An account that the server acts for: all that it may do. `None` if it is off.
pub(crate) fn acting(read: &Transaction<'_>, account: i64) -> Result<Option<Actor>, Error> {
    let sql = "SELECT NOT is_off FROM account WHERE id = ?1";
    let is_on: Option<bool> =
        read.prepare_cached(sql)?.query_row([account], |row| row.get(0)).optional()?;
    match is_on {
        Some(true) => actor(read, account, None, None).map(Some),
        _ => Ok(None),
    }
}

/// The account `account`, as it comes.
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

/// Fails unless `name` can be a name in addresses.
pub(crate) fn check_name(what: &str, name: &str) -> Result<(), Error> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_first = |c: char| c.is_ascii_alphanumeric();
    if name.len() <= 64 && name.starts_with(is_first) && name.chars().all(is_fine) {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "the name of {} {what} has at most 64 letters (A to Z), digits, '-', '_' or '.', and begins \
         with a letter or digit",
        if what == "account" { "an" } else { "a" }
    )))
}

fn checked_mail(mail: Option<&str>) -> Result<Option<String>, Error> {
    let Some(mail) = mail.map(str::trim).filter(|mail| !mail.is_empty()) else { return Ok(None) };
    let is_fine = mail.len() <= 254
        && mail.chars().all(|c| c.is_ascii_graphic() && !"<>,;:\"()[]\\".contains(c))
        && mail.split_once('@').is_some_and(|(local, host)| {
            !local.is_empty() && !host.is_empty() && !host.contains('@')
        });
    match is_fine {
        true => Ok(Some(mail.to_lowercase())),
        false => Err(Error::Invalid("this is no mail address".to_owned())),
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
