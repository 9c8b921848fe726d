//! Accounts in the store.

use rusqlite::{OptionalExtension, Row, ToSql, Transaction, params};

use crate::domain::{AccountId, Role, TeamId};
use crate::error::Error;
use crate::service::AccountView;
use crate::store::now;

/// A row of the table of accounts.
#[derive(Debug)]
pub(crate) struct AccountRow {
    pub(crate) id: AccountId,
    pub(crate) name: String,
    pub(crate) mail: Option<String>,
    /// The hash of the password; `None` if the account cannot sign in.
    pub(crate) password: Option<String>,
    pub(crate) is_admin: bool,
    pub(crate) is_off: bool,
    /// The last visit of the dashboard, in seconds since 1970.
    pub(crate) seen: i64,
}

/// A new account.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewAccount<'a> {
    pub(crate) name: &'a str,
    pub(crate) mail: Option<&'a str>,
    /// The hash of the password.
    pub(crate) password: Option<&'a str>,
    pub(crate) is_admin: bool,
}

/// Returns the account with an id.
pub(crate) fn by_id(read: &Transaction<'_>, id: AccountId) -> Result<Option<AccountRow>, Error> {
    select(read, "id = ?1", &id)
}

/// Returns the account with a name.
pub(crate) fn by_name(read: &Transaction<'_>, name: &str) -> Result<Option<AccountRow>, Error> {
    select(read, "name = ?1", &name)
}

/// Returns the account with a mail address, given in lower case.
pub(crate) fn by_mail(read: &Transaction<'_>, mail: &str) -> Result<Option<AccountRow>, Error> {
    select(read, "lower(mail) = ?1", &mail)
}

fn select(
    read: &Transaction<'_>,
    condition: &str,
    value: &dyn ToSql,
) -> Result<Option<AccountRow>, Error> {
    let sql = format!(
        "SELECT id, name, mail, password, is_admin, is_off, seen FROM account WHERE {condition}"
    );
    let row = |row: &Row<'_>| {
        Ok(AccountRow {
            id: row.get(0)?,
            name: row.get(1)?,
            mail: row.get(2)?,
            password: row.get(3)?,
            is_admin: row.get(4)?,
            is_off: row.get(5)?,
            seen: row.get(6)?,
        })
    };
    Ok(read.prepare_cached(&sql)?.query_row([value], row).optional()?)
}

/// Returns all accounts, by name.
pub(crate) fn list(read: &Transaction<'_>) -> Result<Vec<AccountView>, Error> {
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
}

/// Returns the teams of an account, and its role in each.
pub(crate) fn roles(
    read: &Transaction<'_>,
    account: AccountId,
) -> Result<Vec<(TeamId, Role)>, Error> {
    let sql = "SELECT team, role FROM member WHERE account = ?1";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map([account], |row| {
        let role = Role::parse(&row.get::<_, String>(1)?).unwrap_or(Role::Reader);
        Ok((row.get(0)?, role))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the id of the account with a name, if it has a team in common with `account`.
pub(crate) fn find_colleague(
    read: &Transaction<'_>,
    name: &str,
    account: AccountId,
) -> Result<Option<AccountId>, Error> {
    let sql = "SELECT account.id FROM account
               JOIN member theirs ON theirs.account = account.id
               JOIN member ours ON ours.team = theirs.team
               WHERE account.name = ?1 AND ours.account = ?2 LIMIT 1";
    let mut statement = read.prepare_cached(sql)?;
    Ok(statement.query_row(params![name, account], |row| row.get(0)).optional()?)
}

/// Whether there is an administrator who can sign in.
pub(crate) fn has_admin(read: &Transaction<'_>) -> Result<bool, Error> {
    // An account created by `textkin admin key` cannot sign in and does not count.
    let sql = "SELECT EXISTS (SELECT 1 FROM account WHERE is_admin AND password IS NOT NULL)";
    Ok(read.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// Whether an account has this name or this mail address.
pub(crate) fn is_taken(
    read: &Transaction<'_>,
    name: &str,
    mail: Option<&str>,
) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM account WHERE name = ?1 OR mail = ?2)";
    Ok(read.prepare_cached(sql)?.query_row(params![name, mail], |row| row.get(0))?)
}

/// Inserts an account; returns its id.
pub(crate) fn insert(write: &Transaction<'_>, new: &NewAccount<'_>) -> Result<AccountId, Error> {
    let sql = "INSERT INTO account (name, mail, password, is_admin, created)
               VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id";
    let &NewAccount { name, mail, password, is_admin } = new;
    let row = params![name, mail, password, is_admin, now()];
    Ok(write.prepare_cached(sql)?.query_row(row, |row| row.get(0))?)
}

/// Gives an existing account that has no password the password, mail address and role of `new`; returns
/// its id, or `None` if there is no such account.
pub(crate) fn complete(
    write: &Transaction<'_>,
    new: &NewAccount<'_>,
) -> Result<Option<AccountId>, Error> {
    let sql = "UPDATE account SET password = ?2, mail = ifnull(?3, mail), is_admin = ?4
               WHERE name = ?1 AND password IS NULL RETURNING id";
    let &NewAccount { name, mail, password, is_admin } = new;
    let row = params![name, password, mail, is_admin];
    Ok(write.prepare_cached(sql)?.query_row(row, |row| row.get(0)).optional()?)
}

/// Disables or enables the account with a name; returns its id.
pub(crate) fn set_off(
    write: &Transaction<'_>,
    name: &str,
    is_off: bool,
) -> Result<Option<AccountId>, Error> {
    let sql = "UPDATE account SET is_off = ?2 WHERE name = ?1 RETURNING id";
    let mut statement = write.prepare_cached(sql)?;
    Ok(statement.query_row(params![name, is_off], |row| row.get(0)).optional()?)
}

/// Changes whether the account with a name is an administrator; returns whether there is one.
pub(crate) fn set_admin(
    write: &Transaction<'_>,
    name: &str,
    is_admin: bool,
) -> Result<bool, Error> {
    let sql = "UPDATE account SET is_admin = ?2 WHERE name = ?1";
    Ok(write.prepare_cached(sql)?.execute(params![name, is_admin])? > 0)
}

/// Changes the mail address of an account; returns `false` if another account has it.
pub(crate) fn change_mail(
    write: &Transaction<'_>,
    account: AccountId,
    mail: Option<&str>,
) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM account WHERE lower(mail) = lower(?2) AND id <> ?1)";
    let row = params![account, mail];
    if write.prepare_cached(sql)?.query_row(row, |row| row.get(0))? {
        return Ok(false);
    }
    let sql = "UPDATE account SET mail = ?2 WHERE id = ?1";
    write.prepare_cached(sql)?.execute(params![account, mail])?;
    Ok(true)
}

/// Changes the hash of the password of an account.
pub(crate) fn set_password(
    write: &Transaction<'_>,
    id: AccountId,
    hash: &str,
) -> Result<(), Error> {
    let sql = "UPDATE account SET password = ?2 WHERE id = ?1";
    write.prepare_cached(sql)?.execute(params![id, hash])?;
    Ok(())
}

/// Stores when an account last visited the dashboard.
pub(crate) fn set_seen(write: &Transaction<'_>, id: AccountId, at: i64) -> Result<(), Error> {
    write.prepare_cached("UPDATE account SET seen = ?2 WHERE id = ?1")?.execute(params![id, at])?;
    Ok(())
}
