//! Accounts, teams, sessions and API keys.

use std::net::IpAddr;

use rusqlite::{OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::repositories::check_days;
use super::{Service, secrets};
use crate::access::{Actor, Role, Scope};
use crate::error::Error;
use crate::store::now;

/// How long a session lasts, in seconds.
const SESSION: i64 = 14 * 24 * 3600;
/// A key counts as used so many seconds after it was, so that not every request is a write.
const USED_EVERY: i64 = 60;
/// The start of every key.
const KEY_PREFIX: &str = "tk_";

/// Whether the server has been set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetUp {
    /// It has an administrator.
    Done,
    /// The first visitor with this token makes one.
    Token(String),
}

/// A new API key.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// What it is called.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// What it is for.
    #[schema(min_items = 1)]
    pub scopes: Vec<Scope>,
    /// The only repository it is for.
    #[serde(default)]
    pub repository: Option<String>,
    /// Days until it expires; it does not if there is none.
    #[serde(default)]
    #[schema(maximum = 36500)]
    pub days: Option<u32>,
    /// Addresses it may come from, as `192.0.2.0/24` separated by commas; any if there is none.
    #[serde(default)]
    pub addresses: Option<String>,
}

/// An API key, without its secret.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct KeyView {
    /// Its number.
    pub id: i64,
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub scopes: String,
    /// The only repository it is for.
    pub repository: Option<String>,
    /// Addresses it may come from.
    pub addresses: Option<String>,
    /// When it was made, in seconds since 1970.
    pub created: i64,
    /// When it expires.
    pub expires: Option<i64>,
    /// When it was last used.
    pub used: Option<i64>,
    /// When it was revoked.
    pub revoked: Option<i64>,
    /// The secret; only in the answer to making it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
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
    pub is_off: bool,
    /// When it was made.
    pub created: i64,
}

/// A member of a team.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TeamMember {
    /// The name of the account.
    pub account: String,
    /// What it may do.
    pub role: Role,
}

/// A team with its members.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TeamView {
    /// Its name.
    pub name: String,
    /// The role of whoever asks.
    pub role: Role,
    /// Its members.
    pub members: Vec<TeamMember>,
}

/// Something that was done.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Audited {
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
    pub fn set_up_state(&self) -> Result<SetUp, Error> {
        let fresh = secrets::secret()?;
        self.store.write(move |write| {
            if has_admin(write)? {
                return Ok(SetUp::Done);
            }
            let sql = "INSERT INTO setting (name, value) VALUES ('setup', ?1)
                       ON CONFLICT DO UPDATE SET value = value RETURNING value";
            Ok(SetUp::Token(write.query_row(sql, [fresh], |row| row.get(0))?))
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
            let known: Option<String> = write
                .query_row("SELECT value FROM setting WHERE name = 'setup'", [], |row| row.get(0))
                .optional()?;
            let is_right = known.is_some_and(|known| secrets::digest(&known) == token);
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
        actor.needs_admin()?;
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
        actor.needs_admin()?;
        self.store.read(|read| {
            let sql = "SELECT id, name, mail, is_admin, is_off, created FROM account ORDER BY name";
            let mut statement = read.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                Ok(AccountView {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    mail: row.get(2)?,
                    is_admin: row.get(3)?,
                    is_off: row.get(4)?,
                    created: row.get(5)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Turns an account off or on; its sessions end and its keys do not work while it is off.
    ///
    /// # Errors
    /// If the actor may not, or it is the actor's own.
    pub fn switch_account(&self, actor: &Actor, name: &str, is_off: bool) -> Result<(), Error> {
        actor.needs_admin()?;
        if name == actor.name {
            return Err(Error::Conflict("an administrator cannot turn the own account off".into()));
        }
        let (by, name) = (actor.account, name.to_owned());
        self.store.write(move |write| {
            let sql = "UPDATE account SET is_off = ?2 WHERE name = ?1 RETURNING id";
            let id: Option<i64> =
                write.query_row(sql, params![name, is_off], |row| row.get(0)).optional()?;
            let id = id.ok_or_else(|| Error::missing("account", &name))?;
            write.execute("DELETE FROM session WHERE account = ?1", [id])?;
            audit(write, Some(by), if is_off { "account off" } else { "account on" }, &name)
        })
    }

    /// Changes the password of the actor's account; its other sessions end.
    ///
    /// # Errors
    /// If the old one is wrong, or the new one will not do.
    pub fn change_password(&self, actor: &Actor, old: &str, new: &str) -> Result<(), Error> {
        actor.needs(Scope::Admin)?;
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

    /// Makes a session; returns its secret, which goes into a cookie.
    ///
    /// # Errors
    /// If name and password do not belong together; the words do not say which is wrong.
    pub fn sign_in(&self, name: &str, password: &str) -> Result<String, Error> {
        let known: Option<(i64, Option<String>, bool)> = self.store.read(|read| {
            let sql = "SELECT id, password, is_off FROM account WHERE name = ?1";
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            Ok(read.query_row(sql, [name], row).optional()?)
        })?;
        let kept = known.as_ref().and_then(|known| known.1.as_deref());
        let is_right = secrets::is_password(password, kept);
        let account = match known {
            Some((account, _, false)) if is_right => account,
            _ => return Err(Error::Forbidden("name or password is wrong".to_owned())),
        };
        self.new_session(account)
    }

    /// Makes a session for an account that is known to be there.
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

    /// Whose session it is, and the token that its forms carry.
    ///
    /// # Errors
    /// [`Error::Unknown`] if it is none, or over.
    pub fn session(&self, secret: &str) -> Result<(Actor, String), Error> {
        let digest = secrets::digest(secret);
        self.store.read(|read| {
            let sql = "SELECT account, csrf FROM session JOIN account ON account.id = account
                       WHERE digest = ?1 AND expires > ?2 AND NOT is_off";
            let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get(1)?));
            let mut statement = read.prepare_cached(sql)?;
            let known = statement.query_row(params![digest, now()], row).optional()?;
            let (account, csrf) = known.ok_or(Error::Unknown)?;
            Ok((actor(read, account, None, None)?, csrf))
        })
    }

    /// Who comes with an API key from an address.
    ///
    /// # Errors
    /// [`Error::Unknown`] if it is none, or it does not work any more or from there.
    pub fn key(&self, key: &str, from: Option<IpAddr>) -> Result<Actor, Error> {
        struct Known {
            id: i64,
            account: i64,
            scopes: String,
            repository: Option<i64>,
            addresses: Option<String>,
            used: i64,
        }
        let digest = secrets::digest(key);
        let now = now();
        let (known, actor) = self.store.read(|read| {
            let sql = "SELECT api_key.id, account, scopes, repository, addresses, used
                       FROM api_key JOIN account ON account.id = account
                       WHERE digest = ?1 AND revoked IS NULL AND NOT is_off
                         AND (expires IS NULL OR expires > ?2)";
            let row = |row: &rusqlite::Row<'_>| {
                Ok(Known {
                    id: row.get(0)?,
                    account: row.get(1)?,
                    scopes: row.get(2)?,
                    repository: row.get(3)?,
                    addresses: row.get(4)?,
                    used: row.get::<_, Option<i64>>(5)?.unwrap_or(0),
                })
            };
            let mut statement = read.prepare_cached(sql)?;
            let known = statement.query_row(params![digest, now], row).optional()?;
            let known = known.ok_or(Error::Unknown)?;
            let scopes = Scope::parse_all(&known.scopes)?;
            let actor = actor(read, known.account, Some(scopes), known.repository)?;
            Ok((known, actor))
        })?;
        if let Some(addresses) = &known.addresses {
            let allowed = parse_addresses(addresses)?;
            if !from.is_some_and(|from| allowed.iter().any(|range| range.contains(from))) {
                return Err(Error::Unknown);
            }
        }
        if now - known.used >= USED_EVERY {
            self.store.write_soon(move |write| {
                write.execute("UPDATE api_key SET used = ?2 WHERE id = ?1", [known.id, now])?;
                Ok(())
            })?;
        }
        Ok(actor)
    }

    /// Makes an API key for the actor's account.
    ///
    /// # Errors
    /// If the actor may not, or asks for more than it has.
    pub fn new_key(&self, actor: &Actor, new: &NewKey) -> Result<KeyView, Error> {
        actor.needs(Scope::Admin)?;
        actor.needs_whole_account()?;
        let repository = match &new.repository {
            Some(name) => Some(self.store.read(|read| Self::resolve(read, actor, name))?.id),
            None => None,
        };
        self.insert_key(actor.account, new, repository)
    }

    /// Makes an API key for the account called `name`, which is made if it is missing: for whoever
    /// has the folder of the data.
    ///
    /// # Errors
    /// If the store fails, or the key asked for makes no sense.
    pub fn new_key_for(&self, name: &str, is_admin: bool, new: &NewKey) -> Result<KeyView, Error> {
        new_key_in(&self.store, name, is_admin, new)
    }

    fn insert_key(
        &self,
        account: i64,
        new: &NewKey,
        repository: Option<i64>,
    ) -> Result<KeyView, Error> {
        insert_key(&self.store, new, repository, move |_| Ok(account))
    }

    /// The keys of the actor's account.
    ///
    /// # Errors
    /// If the actor may not.
    pub fn keys(&self, actor: &Actor) -> Result<Vec<KeyView>, Error> {
        actor.needs(Scope::Admin)?;
        actor.needs_whole_account()?;
        self.store.read(|read| {
            let sql = "SELECT api_key.id, api_key.name, scopes, repository.name, addresses,
                              api_key.created, expires, used, revoked
                       FROM api_key LEFT JOIN repository ON repository.id = repository
                       WHERE account = ?1 ORDER BY api_key.id DESC";
            let mut statement = read.prepare_cached(sql)?;
            let rows = statement.query_map([actor.account], |row| {
                Ok(KeyView {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    scopes: row.get(2)?,
                    repository: row.get(3)?,
                    addresses: row.get(4)?,
                    created: row.get(5)?,
                    expires: row.get(6)?,
                    used: row.get(7)?,
                    revoked: row.get(8)?,
                    key: None,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Revokes a key of the actor's account.
    ///
    /// # Errors
    /// If there is none, or the actor may not.
    pub fn revoke_key(&self, actor: &Actor, id: i64) -> Result<(), Error> {
        actor.needs(Scope::Admin)?;
        actor.needs_whole_account()?;
        let account = actor.account;
        self.store.write(move |write| {
            let sql = "UPDATE api_key SET revoked = ?3
                       WHERE id = ?1 AND account = ?2 AND revoked IS NULL";
            match write.execute(sql, [id, account, now()])? {
                0 => Err(Error::missing("key", &id.to_string())),
                _ => audit(write, Some(account), "key revoked", &id.to_string()),
            }
        })
    }

    /// Makes a team whose owner is the actor.
    ///
    /// # Errors
    /// If the name is taken or will not do.
    pub fn new_team(&self, actor: &Actor, name: &str) -> Result<(), Error> {
        actor.needs(Scope::Admin)?;
        actor.needs_whole_account()?;
        check_name("team", name)?;
        let (account, name) = (actor.account, name.to_owned());
        self.store.write(move |write| {
            insert_team(write, &name, account)?;
            audit(write, Some(account), "team made", &name)
        })
    }

    /// The actor's teams.
    ///
    /// # Errors
    /// If the actor may not.
    pub fn teams(&self, actor: &Actor) -> Result<Vec<TeamView>, Error> {
        actor.needs(Scope::Read)?;
        actor.needs_whole_account()?;
        self.store.read(|read| {
            let mut names = read.prepare_cached("SELECT name FROM team WHERE id = ?1")?;
            let mut members = read.prepare_cached(
                "SELECT account.name, role FROM member JOIN account ON account.id = account
                 WHERE team = ?1 ORDER BY account.name",
            )?;
            let mut teams = Vec::new();
            for &(team, role) in &actor.teams {
                let rows = members.query_map([team], |row| {
                    let role = Role::parse(&row.get::<_, String>(1)?).unwrap_or(Role::Reader);
                    Ok(TeamMember { account: row.get(0)?, role })
                })?;
                let members = rows.collect::<Result<_, _>>()?;
                let name = names.query_row([team], |row| row.get(0))?;
                teams.push(TeamView { name, role, members });
            }
            Ok(teams)
        })
    }

    /// Gives an account a role in a team, or none; only owners of the team may, and one stays.
    ///
    /// # Errors
    /// If the actor may not, or there is no such account.
    pub fn set_member(
        &self,
        actor: &Actor,
        team: &str,
        account: &str,
        role: Option<Role>,
    ) -> Result<(), Error> {
        actor.needs(Scope::Admin)?;
        actor.needs_whole_account()?;
        let (actor, team, account) = (actor.clone(), team.to_owned(), account.to_owned());
        self.store.write(move |write| {
            let find = |sql: &str, name: &str| {
                write.query_row(sql, [name], |row| row.get::<_, i64>(0)).optional()
            };
            let id = find("SELECT id FROM team WHERE name = ?1", &team)?
                .filter(|&id| actor.role(id).is_some())
                .ok_or_else(|| Error::missing("team", &team))?;
            if actor.role(id) != Some(Role::Owner) {
                return Err(Error::Forbidden("only owners of the team may do this".to_owned()));
            }
            let member = find("SELECT id FROM account WHERE name = ?1", &account)?
                .ok_or_else(|| Error::missing("account", &account))?;
            write.execute("DELETE FROM member WHERE team = ?1 AND account = ?2", [id, member])?;
            if let Some(role) = role {
                let sql = "INSERT INTO member (team, account, role) VALUES (?1, ?2, ?3)";
                write.execute(sql, params![id, member, role.name()])?;
            }
            let sql = "SELECT count(*) FROM member WHERE team = ?1 AND role = 'owner'";
            if write.query_row(sql, [id], |row| row.get::<_, i64>(0))? == 0 {
                return Err(Error::Conflict("a team needs an owner".to_owned()));
            }
            let what = format!("{account} in {team}: {}", role.map_or("none", Role::name));
            audit(write, Some(actor.account), "member", &what)
        })
    }

    /// What was done, the latest first: all of it for administrators, else what the actor did.
    ///
    /// # Errors
    /// If the actor may not.
    pub fn audit_log(&self, actor: &Actor, most: u32) -> Result<Vec<Audited>, Error> {
        actor.needs(Scope::Admin)?;
        actor.needs_whole_account()?;
        self.store.read(|read| {
            let sql = "SELECT at, account.name, action, object
                       FROM audit LEFT JOIN account ON account.id = account
                       WHERE ?1 OR account = ?2 ORDER BY audit.id DESC LIMIT ?3";
            let mut statement = read.prepare_cached(sql)?;
            let rows =
                statement.query_map(params![actor.is_admin, actor.account, most], |row| {
                    Ok(Audited {
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

/// Makes an API key in a store that a server may be using.
pub(crate) fn new_key_in(
    store: &crate::store::Store,
    name: &str,
    is_admin: bool,
    new: &NewKey,
) -> Result<KeyView, Error> {
    check_name("account", name)?;
    if new.repository.is_some() {
        return Err(Error::Invalid("keys for one repository are made by its account".to_owned()));
    }
    let name = name.to_owned();
    insert_key(store, new, None, move |write| {
        let sql = "SELECT id FROM account WHERE name = ?1";
        let known = write.query_row(sql, [&name], |row| row.get(0)).optional()?;
        match known {
            Some(account) => Ok(account),
            None => insert_account(write, &name, None, None, is_admin),
        }
    })
}

fn insert_key(
    store: &crate::store::Store,
    new: &NewKey,
    repository: Option<i64>,
    account: impl FnOnce(&Transaction<'_>) -> Result<i64, Error> + Send + 'static,
) -> Result<KeyView, Error> {
    check_days(new.days)?;
    if !(1..=100).contains(&new.name.chars().count()) || new.scopes.is_empty() {
        return Err(Error::Invalid("a key has a name of 1 to 100 letters, and scopes".to_owned()));
    }
    if let Some(addresses) = &new.addresses {
        parse_addresses(addresses)?;
    }
    let new = new.clone();
    let key = format!("{KEY_PREFIX}{}", secrets::secret()?);
    let digest = secrets::digest(&key);
    store.write(move |write| {
        let account = account(write)?;
        let created = now();
        let expires = new.days.map(|days| created + i64::from(days) * 24 * 3600);
        let scopes = Scope::join(&new.scopes);
        let sql = "INSERT INTO api_key
                       (account, name, digest, scopes, repository, addresses, created, expires)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id";
        let row =
            params![account, new.name, digest, scopes, repository, new.addresses, created, expires];
        let id: i64 = write.query_row(sql, row, |row| row.get(0))?;
        audit(write, Some(account), "key made", &format!("{id} for {scopes}"))?;
        Ok(KeyView {
            id,
            name: new.name,
            scopes,
            repository: new.repository,
            addresses: new.addresses,
            created,
            expires,
            used: None,
            revoked: None,
            key: Some(key),
        })
    })
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

fn insert_account(
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

fn insert_team(write: &Transaction<'_>, name: &str, owner: i64) -> Result<(), Error> {
    let sql =
        "INSERT INTO team (name, created) VALUES (?1, ?2) ON CONFLICT DO NOTHING RETURNING id";
    let team: Option<i64> =
        write.query_row(sql, params![name, now()], |row| row.get(0)).optional()?;
    let team = team.ok_or_else(|| Error::Conflict(format!("the name '{name}' is taken")))?;
    let sql = "INSERT INTO member (team, account, role) VALUES (?1, ?2, 'owner')";
    write.execute(sql, [team, owner])?;
    Ok(())
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
fn actor(
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

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AddressRange {
    base: IpAddr,
    bits: u8,
}

impl AddressRange {
    fn contains(self, address: IpAddr) -> bool {
        let number = |address: IpAddr| match address {
            IpAddr::V4(v4) => (u128::from(v4.to_bits()) << 96, true),
            IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
                Some(v4) => (u128::from(v4.to_bits()) << 96, true),
                None => (v6.to_bits(), false),
            },
        };
        let ((base, is_v4), (other, other_is_v4)) = (number(self.base), number(address));
        let differ = (base ^ other).leading_zeros();
        is_v4 == other_is_v4 && differ >= u32::from(self.bits)
    }
}

fn parse_addresses(addresses: &str) -> Result<Vec<AddressRange>, Error> {
    let strange = |part: &str| {
        let part: String = part.chars().take(50).collect();
        Error::Invalid(format!("'{part}' is no address or range like 192.0.2.0/24"))
    };
    let parts = addresses.split([',', ' ']).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (base, bits) = part.split_once('/').unwrap_or((part, ""));
            let base: IpAddr = base.parse().map_err(|_| strange(part))?;
            let most = if base.is_ipv4() { 32 } else { 128 };
            let bits =
                if bits.is_empty() { most } else { bits.parse().map_err(|_| strange(part))? };
            match bits <= most {
                true => Ok(AddressRange { base, bits }),
                false => Err(strange(part)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_their_addresses() {
        let ranges = parse_addresses("192.0.2.0/24, 2001:db8::/32 10.1.2.3").unwrap();
        let holds = |address: &str| {
            let address = address.parse().unwrap();
            ranges.iter().any(|range| range.contains(address))
        };
        assert!(holds("192.0.2.255") && holds("2001:db8:ffff::1") && holds("10.1.2.3"));
        assert!(holds("::ffff:192.0.2.1"));
        assert!(!holds("192.0.3.0") && !holds("2001:db9::") && !holds("10.1.2.4"));
        for strange in ["x", "1.2.3.4/33", "1.2.3/8", "::/129", "1.2.3.4/-1"] {
            assert!(parse_addresses(strange).is_err(), "{strange}");
        }
        assert!(parse_addresses("0.0.0.0/0").unwrap()[0].contains("9.9.9.9".parse().unwrap()));
    }

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
