//! Permissions: the only module that decides who may do what.
//!
//! An [`Actor`] is an account that makes a request, by a session or by an API key; a key may have
//! fewer rights than its account. An object that an actor may not see gets the same answer as a name
//! that was never used.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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
    pub account: i64,
    /// Its name.
    pub name: String,
    /// Whether it is an administrator of the server.
    pub is_admin: bool,
    /// Its role in each of its teams.
    pub teams: Vec<(i64, Role)>,
    /// The team that was created with the account and has its name.
    pub own_team: Option<i64>,
    /// The scopes of its API key; `None` for a session, which may do everything.
    pub scopes: Option<Vec<Scope>>,
    /// The only repository that its API key is valid for.
    pub only: Option<i64>,
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
    pub(crate) id: i64,
    pub(crate) team: i64,
    pub(crate) is_public: bool,
}

impl Actor {
    /// Fails unless the actor has `scope`.
    pub fn require_scope(&self, scope: Scope) -> Result<(), Error> {
        let Some(scopes) = &self.scopes else { return Ok(()) };
        if scopes.contains(&scope) || scopes.contains(&Scope::Admin) {
            return Ok(());
        }
        Err(Error::Forbidden(format!("this key does not have the scope '{}'", scope.name())))
    }

    /// Fails unless the actor is an administrator.
    pub fn require_admin(&self) -> Result<(), Error> {
        self.require_scope(Scope::Admin)?;
        match self.is_admin && self.only.is_none() {
            true => Ok(()),
            false => Err(Error::Forbidden("only administrators can do this".to_owned())),
        }
    }

    /// Fails for keys that are limited to one repository.
    pub(crate) fn require_whole_account(&self) -> Result<(), Error> {
        match self.only {
            None => Ok(()),
            Some(_) => Err(Error::Forbidden("this key is limited to one repository".to_owned())),
        }
    }

    /// Returns the role of the actor in a team.
    pub(crate) fn role(&self, team: i64) -> Option<Role> {
        self.teams.iter().find(|(id, _)| *id == team).map(|(_, role)| *role)
    }

    /// Returns how near a team is to the actor: names that are not qualified mean the nearest.
    pub(crate) fn nearness(&self, team: i64) -> Nearness {
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

    /// Fails unless the actor has at least `role` in the team of a repository that it may see.
    pub(crate) fn require_role(
        &self,
        repository: RepositoryAccess,
        role: Role,
    ) -> Result<(), Error> {
        match self.role(repository.team) {
            Some(actual) if actual >= role => Ok(()),
            _ => Err(Error::Forbidden(format!(
                "you need the role '{}' in the team of this repository",
                role.name()
            ))),
        }
    }
}
