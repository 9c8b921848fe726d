//! Teams: accounts that share repositories, each with a role.

use rusqlite::{OptionalExtension, Transaction, params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::{Actor, Role, Scope};
use crate::error::Error;
use crate::service::Service;
use crate::service::accounts::{audit, check_name};
use crate::store::now;

/// A member of a team.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TeamMember {
    /// The name of the account.
    pub account: String,
    /// Its role.
    pub role: Role,
}

/// A team with its members.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TeamView {
    /// Its name.
    pub name: String,
    /// The role of the account that asks for it.
    pub role: Role,
    /// Its members.
    pub members: Vec<TeamMember>,
}

impl Service {
    /// Creates a team with the actor as its owner.
    ///
    /// # Errors
    /// If the name is taken or invalid.
    pub fn new_team(&self, actor: &Actor, name: &str) -> Result<(), Error> {
        actor.require_scope(Scope::Admin)?;
        actor.require_whole_account()?;
        check_name("team", name)?;
        let (account, name) = (actor.account, name.to_owned());
        self.store.write(move |write| {
            insert_team(write, &name, account)?;
            audit(write, Some(account), "team created", &name)
        })
    }

    /// Returns the actor's teams.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn teams(&self, actor: &Actor) -> Result<Vec<TeamView>, Error> {
        actor.require_scope(Scope::Read)?;
        actor.require_whole_account()?;
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

    /// Sets or removes the role of an account in a team; for owners of the team, which keeps at least one
    /// owner.
    ///
    /// # Errors
    /// If the actor lacks the permission, or the account does not exist.
    pub fn set_member(
        &self,
        actor: &Actor,
        team: &str,
        account: &str,
        role: Option<Role>,
    ) -> Result<(), Error> {
        actor.require_scope(Scope::Admin)?;
        actor.require_whole_account()?;
        let (actor, team, account) = (actor.clone(), team.to_owned(), account.to_owned());
        self.store.write(move |write| {
            let find = |sql: &str, name: &str| {
                write.query_row(sql, [name], |row| row.get::<_, i64>(0)).optional()
            };
            let id = find("SELECT id FROM team WHERE name = ?1", &team)?
                .filter(|&id| actor.role(id).is_some())
                .ok_or_else(|| Error::not_found("team", &team))?;
            if actor.role(id) != Some(Role::Owner) {
                return Err(Error::Forbidden("only owners of the team can do this".to_owned()));
            }
            let member = find("SELECT id FROM account WHERE name = ?1", &account)?
                .ok_or_else(|| Error::not_found("account", &account))?;
            write.execute("DELETE FROM member WHERE team = ?1 AND account = ?2", [id, member])?;
            if let Some(role) = role {
                let sql = "INSERT INTO member (team, account, role) VALUES (?1, ?2, ?3)";
                write.execute(sql, params![id, member, role.name()])?;
            }
            let sql = "SELECT count(*) FROM member WHERE team = ?1 AND role = 'owner'";
            if write.query_row(sql, [id], |row| row.get::<_, i64>(0))? == 0 {
                return Err(Error::Conflict("a team needs at least one owner".to_owned()));
            }
            let what = format!("{account} in {team}: {}", role.map_or("none", Role::name));
            audit(write, Some(actor.account), "team member changed", &what)
        })
    }
}

pub(super) fn insert_team(write: &Transaction<'_>, name: &str, owner: i64) -> Result<(), Error> {
    let sql =
        "INSERT INTO team (name, created) VALUES (?1, ?2) ON CONFLICT DO NOTHING RETURNING id";
    let team: Option<i64> =
        write.query_row(sql, params![name, now()], |row| row.get(0)).optional()?;
    let team = team.ok_or_else(|| Error::Conflict(format!("a team '{name}' already exists")))?;
    let sql = "INSERT INTO member (team, account, role) VALUES (?1, ?2, 'owner')";
    write.execute(sql, [team, owner])?;
    Ok(())
}
