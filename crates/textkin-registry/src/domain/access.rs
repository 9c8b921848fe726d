//! Permissions: the only module that decides who may do what.
//!
//! An [`Actor`] is an account that makes a request, by a session or by an API key; a key may have
//! fewer rights than its account. An object that an actor may not see gets the same answer as a name
//! that was never used.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ids::{AccountId, RepositoryId, TeamId};
use crate::error::Error;

/// The role of a member in a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Read and probe.
    Reader,
    /// Also register and delete documents, and watch.
    Writer,
    /// Also change repositories, members and rules.
    Owner,
}

impl Role {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Owner => "owner",
        }
    }

    /// Returns the role with a name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Reader, Self::Writer, Self::Owner].into_iter().find(|role| role.name() == name)
    }
}

/// A permission of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Compare texts with repositories.
    Probe,
    /// Register and delete documents, and watch.
    Register,
    /// Read documents, repositories, jobs and alerts.
    Read,
    /// Everything that the account may do.
    Admin,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Self; 4] = [Self::Probe, Self::Register, Self::Read, Self::Admin];

    /// Returns the name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Probe => "probe",
            Self::Register => "register",
            Self::Read => "read",
            Self::Admin => "admin",
        }
    }

    /// Reads names separated by commas or spaces.
    ///
    /// # Errors
    /// If a name is unknown, or there is none.
    pub fn parse_all(names: &str) -> Result<Vec<Self>, Error> {
        let mut scopes = Vec::new();
        for name in names.split([',', ' ']).filter(|name| !name.is_empty()) {
            let scope =
                Self::ALL.into_iter().find(|scope| scope.name() == name).ok_or_else(|| {
                    Error::Invalid(format!(
                        "unknown scope '{name}'; use probe, register, read or admin"
                    ))
                })?;
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        match scopes.is_empty() {
            true => Err(Error::Invalid("a key needs at least one scope".to_owned())),
            false => Ok(scopes),
        }
    }

    pub(crate) fn join(scopes: &[Self]) -> String {
        scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(",")
    }
}

/// The account that makes a request, with its permissions.
#[derive(Clone, Debug)]
pub struct Actor {
    /// The account.
    pub account: AccountId,
    /// Its name.
    pub name: String,
    /// Whether it is an administrator of the server.
    pub is_admin: bool,
    /// Its role in each of its teams.
    pub teams: Vec<(TeamId, Role)>,
    /// The team that was created with the account and has its name.
    pub own_team: Option<TeamId>,
    /// The scopes of its API key; `None` for a session, which may do everything.
    pub scopes: Option<Vec<Scope>>,
    /// The only repository that its API key is valid for.
    pub only: Option<RepositoryId>,
}

/// How near a team is to an actor, the farthest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Nearness {
    /// The actor is not a member.
    Other,
    /// The actor is a member.
    Member,
    /// The actor's own team.
    Own,
}

/// The part of a repository that decides who may use it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RepositoryAccess {
    pub(crate) id: RepositoryId,
    pub(crate) team: TeamId,
    pub(crate) is_public: bool,
}

/// What an actor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Compares a text with repositories, and reads and saves its own results.
    Probe,
    /// Reads repositories that it may see, their documents, and alerts about them.
    Read,
    /// Reads jobs that it started and its watches.
    ReadOwn,
    /// Changes its jobs, watches, alerts and decisions.
    ChangeOwn,
    /// Registers, deletes and watches documents, and answers requests about them.
    ChangeDocuments,
    /// Changes, purges and deletes a repository, and sets what is excluded in it.
    ManageRepository,
    /// Asks the owners of private matches for contact.
    SendContactRequest,
    /// Reads the teams, invitations, webhooks and deliveries of the account.
    ReadAccount,
    /// Changes them, creates repositories and keys, and reads the audit log.
    ManageAccount,
    /// Changes the password of the account.
    ChangePassword,
    /// Administers the server.
    Administer,
}

/// What a key must not be limited to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// Also keys for one repository, within it.
    Repository,
    /// Only keys for the whole account.
    Account,
    /// Only keys for the whole account of an administrator.
    Server,
}

/// What an action needs: one of the scopes if it is done with a key, the role in the team of the
/// repository that it is done in, if any, and the reach of the key.
type Permission = (&'static [Scope], Option<Role>, Reach);

impl Action {
    /// Returns what the action needs. This is the only place that decides it.
    #[rustfmt::skip]
    const fn permission(self) -> Permission {
        use Role::{Owner, Writer};
        use Scope::{Admin, Probe, Read, Register};
        match self {
            //                            scopes              role          reach
            Self::Probe              => (&[Probe],            None,         Reach::Repository),
            Self::Read               => (&[Read],             None,         Reach::Repository),
            Self::ReadOwn            => (&[Read, Register],   None,         Reach::Repository),
            Self::ChangeOwn          => (&[Register],         None,         Reach::Repository),
            Self::ChangeDocuments    => (&[Register],         Some(Writer), Reach::Repository),
            Self::ManageRepository   => (&[Admin],            Some(Owner),  Reach::Repository),
            Self::SendContactRequest => (&[Register],         None,         Reach::Account),
            Self::ReadAccount        => (&[Read],             None,         Reach::Account),
            Self::ManageAccount      => (&[Admin],            None,         Reach::Account),
            Self::ChangePassword     => (&[Admin],            None,         Reach::Repository),
            Self::Administer         => (&[Admin],            None,         Reach::Server),
        }
    }
}

impl Actor {
    /// Fails unless the actor may do this anywhere; `require_in` decides for a repository.
    ///
    /// # Errors
    /// If its key lacks the scope or is limited to a repository, or the account is not an administrator.
    pub fn require(&self, action: Action) -> Result<(), Error> {
        let (scopes, _, reach) = action.permission();
        let forbidden = |reason: &str| Err(Error::Forbidden(reason.to_owned()));
        if let Some(own) = &self.scopes
            && !own.contains(&Scope::Admin)
            && !scopes.iter().any(|scope| own.contains(scope))
        {
            let scope = scopes.first().map_or("", |scope| scope.name());
            return forbidden(&format!("this key does not have the scope '{scope}'"));
        }
        match reach {
            Reach::Account if self.only.is_some() => {
                forbidden("this key is limited to one repository")
            }
            Reach::Server if self.only.is_some() || !self.is_admin => {
                forbidden("only administrators can do this")
            }
            _ => Ok(()),
        }
    }

    /// Fails unless the actor has the role that the action needs in the team of a repository, which it
    /// may see.
    pub(crate) fn require_in(
        &self,
        action: Action,
        repository: RepositoryAccess,
    ) -> Result<(), Error> {
        let (_, role, _) = action.permission();
        match (role, self.role(repository.team)) {
            (None, _) => Ok(()),
            (Some(needed), Some(actual)) if actual >= needed => Ok(()),
            (Some(needed), _) => Err(Error::Forbidden(format!(
                "you need the role '{}' in the team of this repository",
                needed.name()
            ))),
        }
    }

    /// Returns the role of the actor in a team.
    pub(crate) fn role(&self, team: TeamId) -> Option<Role> {
        self.teams.iter().find(|(id, _)| *id == team).map(|(_, role)| *role)
    }

    /// Returns how near a team is to the actor: names that are not qualified mean the nearest.
    pub(crate) fn nearness(&self, team: TeamId) -> Nearness {
        match self.role(team) {
            Some(_) if self.own_team == Some(team) => Nearness::Own,
            Some(_) => Nearness::Member,
            None => Nearness::Other,
        }
    }

    /// Whether the actor may see a repository.
    pub(crate) fn may_see(&self, repository: RepositoryAccess) -> bool {
        self.only.is_none_or(|only| only == repository.id)
            && (repository.is_public || self.role(repository.team).is_some())
    }
}
