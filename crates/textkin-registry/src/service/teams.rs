//! Teams: accounts that share repositories, each with a role.
//!
//! An account becomes a member of a team only by accepting an invitation. The team with the name of an
//! account is its own: it was created with it, and the account always stays its owner.

use rusqlite::Transaction;
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::{AccountId, Action, Actor, Role, TeamId};
use crate::error::Error;
use crate::service::Service;
use crate::service::accounts::{audit, check_name};
use crate::store::{accounts, teams};

/// Maximum number of invitations in a list.
const MAX_INVITATIONS: u32 = 100;

/// A member of a team, or an account that is invited to it.
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
    /// The accounts that are invited and have not answered yet; only owners see them.
    pub invited: Vec<TeamMember>,
}

/// An invitation to a team.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct InvitationView {
    /// The name of the team.
    pub team: String,
    /// The role in the team.
    pub role: Role,
    /// The account that sent the invitation, if it still exists.
    pub invited_by: Option<String>,
    /// When it was sent, in seconds since 1970.
    pub created: i64,
}

/// What a change of a member led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberChange {
    /// The account is invited, and becomes a member when it accepts.
    Invited,
    /// The role of a member was changed.
    RoleChanged,
}

impl Service {
    /// Creates a team with the actor as its owner.
    ///
    /// # Errors
    /// If the name is taken or invalid.
    pub fn new_team(&self, actor: &Actor, name: &str) -> Result<(), Error> {
        actor.require(Action::ManageAccount)?;
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
        actor.require(Action::ReadAccount)?;
        self.store.read(|read| {
            let mut views = Vec::new();
            for &(team, role) in &actor.teams {
                let invited = match role {
                    Role::Owner => teams::invited(read, team)?,
                    _ => Vec::new(),
                };
                let (name, members) = (teams::name(read, team)?, teams::members(read, team)?);
                views.push(TeamView { name, role, members, invited });
            }
            Ok(views)
        })
    }

    /// Changes the role of a member, or invites an account that is not a member yet; for owners of the
    /// team.
    ///
    /// # Errors
    /// If the actor lacks the permission, the account does not exist, or the team would have no owner.
    pub fn set_member(
        &self,
        actor: &Actor,
        team: &str,
        account: &str,
        role: Role,
    ) -> Result<MemberChange, Error> {
        actor.require(Action::ManageAccount)?;
        let (actor, team, account) = (actor.clone(), team.to_owned(), account.to_owned());
        self.store.write(move |write| {
            let id = own_team(write, &actor, &team)?;
            require_owner(&actor, id)?;
            let member = accounts::by_name(write, &account)?
                .ok_or_else(|| Error::not_found("account", &account))?
                .id;
            let what = format!("{account} in {team}: {}", role.name());
            if teams::role_of(write, id, member)?.is_none() {
                teams::invite(write, id, member, role, actor.account)?;
                audit(write, Some(actor.account), "invited to team", &what)?;
                return Ok(MemberChange::Invited);
            }
            teams::set_role(write, id, member, role)?;
            if role != Role::Owner {
                check_owners(write, id, &team, member, &account)?;
            }
            audit(write, Some(actor.account), "team member changed", &what)?;
            Ok(MemberChange::RoleChanged)
        })
    }

    /// Removes a member or withdraws an invitation, for owners of the team; or leaves the team, if the
    /// account is the actor's.
    ///
    /// # Errors
    /// If the actor lacks the permission, the account is neither a member nor invited, or the team would
    /// have no owner.
    pub fn remove_member(&self, actor: &Actor, team: &str, account: &str) -> Result<(), Error> {
        actor.require(Action::ManageAccount)?;
        let (actor, team, account) = (actor.clone(), team.to_owned(), account.to_owned());
        self.store.write(move |write| {
            let id = own_team(write, &actor, &team)?;
            let is_self = account == actor.name;
            if !is_self {
                require_owner(&actor, id)?;
            }
            let missing = || Error::not_found("member", &account);
            let member = accounts::by_name(write, &account)?.ok_or_else(missing)?.id;
            let what = format!("{account} in {team}");
            if teams::role_of(write, id, member)?.is_none() {
                teams::take_invitation(write, id, member)?.ok_or_else(missing)?;
                return audit(write, Some(actor.account), "invitation withdrawn", &what);
            }
            teams::remove_member(write, id, member)?;
            check_owners(write, id, &team, member, &account)?;
            let action = if is_self { "left team" } else { "team member removed" };
            audit(write, Some(actor.account), action, &what)
        })
    }

    /// Returns the invitations that the actor has not answered, the latest first.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn invitations(&self, actor: &Actor) -> Result<Vec<InvitationView>, Error> {
        actor.require(Action::ReadAccount)?;
        self.store.read(|read| teams::invitations(read, actor.account, MAX_INVITATIONS))
    }

    /// Accepts or declines an invitation to a team.
    ///
    /// # Errors
    /// If the actor lacks the permission, or is not invited to the team.
    pub fn answer_invitation(
        &self,
        actor: &Actor,
        team: &str,
        is_accepted: bool,
    ) -> Result<(), Error> {
        actor.require(Action::ManageAccount)?;
        let (account, team) = (actor.account, team.to_owned());
        self.store.write(move |write| {
            // The same answer for a team that does not exist.
            let missing = || Error::not_found("invitation to the team", &team);
            let id = teams::find(write, &team)?.ok_or_else(missing)?;
            let role = teams::take_invitation(write, id, account)?.ok_or_else(missing)?;
            if !is_accepted {
                return audit(write, Some(account), "invitation declined", &team);
            }
            teams::set_role(write, id, account, role)?;
            let what = format!("{team} as {}", role.name());
            audit(write, Some(account), "invitation accepted", &what)
        })
    }
}

/// Returns the id of a team that the actor is a member of.
fn own_team(read: &Transaction<'_>, actor: &Actor, team: &str) -> Result<TeamId, Error> {
    teams::find(read, team)?
        .filter(|&id| actor.role(id).is_some())
        .ok_or_else(|| Error::not_found("team", team))
}

fn require_owner(actor: &Actor, team: TeamId) -> Result<(), Error> {
    match actor.role(team) {
        Some(Role::Owner) => Ok(()),
        _ => Err(Error::Forbidden("only owners of the team can do this".to_owned())),
    }
}

/// Checks a team of which `account` is no longer an owner: it needs another one, and must not be the
/// account's own. What the account invited others to is withdrawn with its right to invite.
fn check_owners(
    write: &Transaction<'_>,
    team: TeamId,
    team_name: &str,
    account: AccountId,
    account_name: &str,
) -> Result<(), Error> {
    if team_name == account_name {
        return Err(Error::Conflict(format!(
            "'{team_name}' is the account's own team; {account_name} always stays its owner"
        )));
    }
    if !teams::has_owner(write, team)? {
        return Err(Error::Conflict(format!(
            "{account_name} is the last owner of the team '{team_name}'; make another member an owner \
             first"
        )));
    }
    teams::delete_invitations_by(write, team, account)
}

/// Creates a team with its first owner.
pub(super) fn insert_team(
    write: &Transaction<'_>,
    name: &str,
    owner: AccountId,
) -> Result<(), Error> {
    match teams::insert(write, name, owner)? {
        Some(_) => Ok(()),
        None => Err(Error::Conflict(format!("a team '{name}' already exists"))),
    }
}
