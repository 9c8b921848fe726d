//! Teams, their members and invitations in the store.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::domain::{AccountId, Role, TeamId};
use crate::error::Error;
use crate::service::{InvitationView, TeamMember};
use crate::store::now;

/// Inserts a team with its first owner; returns `None` if the name is taken.
pub(crate) fn insert(
    write: &Transaction<'_>,
    name: &str,
    owner: AccountId,
) -> Result<Option<TeamId>, Error> {
    let sql =
        "INSERT INTO team (name, created) VALUES (?1, ?2) ON CONFLICT DO NOTHING RETURNING id";
    let team: Option<TeamId> =
        write.query_row(sql, params![name, now()], |row| row.get(0)).optional()?;
    if let Some(team) = team {
        set_role(write, team, owner, Role::Owner)?;
    }
    Ok(team)
}

/// Returns the id of the team with a name.
pub(crate) fn find(read: &Transaction<'_>, name: &str) -> Result<Option<TeamId>, Error> {
    let sql = "SELECT id FROM team WHERE name = ?1";
    Ok(read.prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()?)
}

/// Returns the name of a team.
pub(crate) fn name(read: &Transaction<'_>, team: TeamId) -> Result<String, Error> {
    let sql = "SELECT name FROM team WHERE id = ?1";
    Ok(read.prepare_cached(sql)?.query_row([team], |row| row.get(0))?)
}

/// Returns the members of a team by name.
pub(crate) fn members(read: &Transaction<'_>, team: TeamId) -> Result<Vec<TeamMember>, Error> {
    let sql = "SELECT account.name, role FROM member JOIN account ON account.id = account
               WHERE team = ?1 ORDER BY account.name";
    accounts(read, sql, team)
}

/// Returns the accounts that are invited to a team, by name.
pub(crate) fn invited(read: &Transaction<'_>, team: TeamId) -> Result<Vec<TeamMember>, Error> {
    let sql = "SELECT account.name, role FROM invitation JOIN account ON account.id = account
               WHERE team = ?1 ORDER BY account.name";
    accounts(read, sql, team)
}

fn accounts(read: &Transaction<'_>, sql: &str, team: TeamId) -> Result<Vec<TeamMember>, Error> {
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement
        .query_map([team], |row| Ok(TeamMember { account: row.get(0)?, role: role(row, 1)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the role of an account in a team.
pub(crate) fn role_of(
    read: &Transaction<'_>,
    team: TeamId,
    account: AccountId,
) -> Result<Option<Role>, Error> {
    let sql = "SELECT role FROM member WHERE team = ?1 AND account = ?2";
    let mut statement = read.prepare_cached(sql)?;
    Ok(statement.query_row(params![team, account], |row| role(row, 0)).optional()?)
}

/// Sets the role of an account in a team, as a member.
pub(crate) fn set_role(
    write: &Transaction<'_>,
    team: TeamId,
    account: AccountId,
    role: Role,
) -> Result<(), Error> {
    let sql = "INSERT INTO member (team, account, role) VALUES (?1, ?2, ?3)
               ON CONFLICT (team, account) DO UPDATE SET role = excluded.role";
    write.execute(sql, params![team, account, role.name()])?;
    Ok(())
}

/// Removes a member of a team.
pub(crate) fn remove_member(
    write: &Transaction<'_>,
    team: TeamId,
    account: AccountId,
) -> Result<(), Error> {
    write.execute("DELETE FROM member WHERE team = ?1 AND account = ?2", params![team, account])?;
    Ok(())
}

/// Whether a team has an owner.
pub(crate) fn has_owner(read: &Transaction<'_>, team: TeamId) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM member WHERE team = ?1 AND role = 'owner')";
    Ok(read.query_row(sql, [team], |row| row.get(0))?)
}

/// Invites an account to a team, or changes the role of its invitation.
pub(crate) fn invite(
    write: &Transaction<'_>,
    team: TeamId,
    account: AccountId,
    role: Role,
    by: AccountId,
) -> Result<(), Error> {
    let sql = "INSERT INTO invitation (team, account, role, invited_by, created)
               VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (team, account) DO UPDATE SET
                   role = excluded.role, invited_by = excluded.invited_by";
    write.execute(sql, params![team, account, role.name(), by, now()])?;
    Ok(())
}

/// Returns the latest invitations of an account.
pub(crate) fn invitations(
    read: &Transaction<'_>,
    account: AccountId,
    limit: u32,
) -> Result<Vec<InvitationView>, Error> {
    let sql = "SELECT team.name, role, account.name, invitation.created
               FROM invitation JOIN team ON team.id = team
               LEFT JOIN account ON account.id = invited_by
               WHERE invitation.account = ?1
               ORDER BY invitation.created DESC, team.name LIMIT ?2";
    let mut statement = read.prepare_cached(sql)?;
    let rows = statement.query_map(params![account, limit], |row| {
        Ok(InvitationView {
            team: row.get(0)?,
            role: role(row, 1)?,
            invited_by: row.get(2)?,
            created: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Deletes an invitation; returns its role, or `None` if there is no such invitation.
pub(crate) fn take_invitation(
    write: &Transaction<'_>,
    team: TeamId,
    account: AccountId,
) -> Result<Option<Role>, Error> {
    let sql = "DELETE FROM invitation WHERE team = ?1 AND account = ?2 RETURNING role";
    Ok(write.query_row(sql, params![team, account], |row| role(row, 0)).optional()?)
}

/// Deletes the open invitations to a team that an account sent.
pub(crate) fn delete_invitations_by(
    write: &Transaction<'_>,
    team: TeamId,
    account: AccountId,
) -> Result<(), Error> {
    let sql = "DELETE FROM invitation WHERE team = ?1 AND invited_by = ?2";
    write.execute(sql, params![team, account])?;
    Ok(())
}

fn role(row: &Row<'_>, column: usize) -> rusqlite::Result<Role> {
    Ok(Role::parse(&row.get::<_, String>(column)?).unwrap_or(Role::Reader))
}
